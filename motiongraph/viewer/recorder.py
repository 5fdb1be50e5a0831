"""A video of what is played, as it is seen: drawn a frame at a time between those of the window, encoded beside it."""

import queue
import shutil
import tempfile
from pathlib import Path

from motiongraph.app.scene import visible_tracks
from motiongraph.app.stage import set_stage
from motiongraph.app.view import camera_of, look_at
from motiongraph.errors import MotionError
from motiongraph.files import writing
from motiongraph.progress import Cancelled
from motiongraph.viewer.draw.scene import Renderer
from motiongraph.viewer.render import encode
from motiongraph.viewer.scenery import Scenery

_AHEAD = 4  # pictures that may wait for the encoder


class Recorder:
    """Plays the clip in hand once, from its first frame to its last, and hands the pictures to an encoder.

    share: how much is done; what: in words; cancelled: set it to stop. The window's own playback is not disturbed.
    """

    def __init__(self, viewer, wanted):
        self.path, self.fps = Path(wanted.path), float(wanted.fps)
        self.size = wanted.width // 2 * 2, wanted.height // 2 * 2  # videos need even numbers
        entry = viewer.state.entry
        self.count = max(round((entry.stop - entry.start) / entry.clip.fps / viewer.state.playback.speed * self.fps), 1)
        self.done, self.cancelled, self.job = 0, False, None
        self._renderer, self._sceneries = Renderer(samples=8), {}
        self._pictures: queue.Queue = queue.Queue(_AHEAD)

    @property
    def share(self) -> float:
        return self.done / self.count

    @property
    def what(self) -> str:
        return f"frame {self.done} of {self.count}"

    def start(self, state) -> None:
        pictures, count = self._pictures, self.count

        def taken():
            for _ in range(count):
                picture = pictures.get()
                if picture is None:
                    raise Cancelled
                yield picture

        def work(progress, deliver):
            with tempfile.TemporaryDirectory() as folder:
                unfinished = Path(folder) / f"video{self.path.suffix.lower()}"
                encode(unfinished, taken(), count, self.fps, self.size, progress)
                with writing(self.path) as file, unfinished.open("rb") as finished:
                    shutil.copyfileobj(finished, file)
            deliver(self.path)

        then = lambda path: state.say(f"video in {path}")  # noqa: E731
        self.job = state.jobs.start("record", f"recording {self.path.name}", work, then, quiet=True)

    def draw(self, state) -> None:
        """One more picture, unless the encoder is still busy with those before it."""
        if self._pictures.full():
            return
        tracks = visible_tracks(state)
        before = [track.elapsed for track in state.tracks], state.camera
        seconds = self.done / self.fps * state.playback.speed
        state.camera = before[1].copy()
        for track in state.tracks:
            track.elapsed = seconds
        try:
            set_stage(state)
            if state.follow:
                state.camera.target = look_at(state, state.active)
            wide, high = self.size
            each = wide // len(tracks)
            panes = []
            for index, track in enumerate(tracks):
                scene = self._sceneries.setdefault(track, Scenery()).compose(state, track, state.casts[index])
                rect = index * each, 0, each, high
                panes.append((scene, camera_of(state, track).view(rect, high / 720)))
            self._renderer.draw(panes, self.size, None)
            self._pictures.put(self._renderer.read_pixels())
        finally:
            elapsed, state.camera = before
            for track, value in zip(state.tracks, elapsed):
                track.elapsed = value
            set_stage(state)
        self.done += 1

    def stop(self) -> None:
        """Let go of everything; the encoder stops too, if it is still at work."""
        if self.done < self.count:
            self.job.cancelled.set()
            while not self._pictures.empty():
                self._pictures.get_nowait()
            self._pictures.put(None)
        self._renderer.release()


def record(viewer) -> None:
    """Begin, continue or end the video that was asked for."""
    state, ui = viewer.state, viewer.ui
    if ui.recorder is None:
        try:
            ui.recorder = Recorder(viewer, state.wishes.recording)
            ui.recorder.start(state)
        except MotionError as problem:
            state.say(str(problem), "error")
            state.wishes.recording = None
            return
    recorder = ui.recorder
    failed = recorder.job.over.is_set() and recorder.done < recorder.count
    if state.entry is not None and not recorder.cancelled and not failed and recorder.done < recorder.count:
        recorder.draw(state)
        return
    recorder.stop()
    ui.recorder = state.wishes.recording = None
