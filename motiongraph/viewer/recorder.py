"""A video of what is played, as it is seen: drawn a frame at a time between those of the window, encoded beside it."""

import queue
import shutil
import tempfile
from copy import copy
from dataclasses import replace
from pathlib import Path

from motiongraph.app.scene import visible_tracks
from motiongraph.app.stage import set_stage
from motiongraph.app.view import camera_of, look_at
from motiongraph.errors import MotionError
from motiongraph.files import writing
from motiongraph.progress import Cancelled
from motiongraph.viewer.draw.renderer import Renderer
from motiongraph.viewer.render import encode
from motiongraph.viewer.scenery import Scenery

_AHEAD = 4  # pictures that may wait for the encoder


def as_it_is(state):
    """A copy of the state that nothing done in the window changes: what is filmed is settled when filming begins."""
    film = copy(state)
    film.playback, film.tracks = replace(state.playback), tuple(replace(track) for track in state.tracks)
    film.library, film.settings = copy(state.library), replace(state.settings)
    film.library.entries = dict(state.library.entries)
    film.scene, film.path = copy(state.scene), copy(state.path)
    film.scene.layers, film.scene.pair = replace(state.scene.layers), None
    film.scene.ghosts, film.scene.places = list(state.scene.ghosts), dict(state.scene.places)
    film.path.tool, film.path.stroke, film.path.under = "off", [], None  # what belongs to the hand
    film.camera, film.goal = (state.goal or state.camera).copy(), None
    film.casts, film.stage_key = [], None
    return film


class Recorder:
    """Plays the clip in hand once, from its first frame to its last or the other way round, and hands the pictures to
    an encoder. job: the encoder's, which tells how far it is and can be cancelled."""

    def __init__(self, viewer, wanted):
        state, playback = viewer.state, viewer.state.playback
        self.path, self.fps, self.film = Path(wanted.path), float(wanted.fps), as_it_is(state)
        density, (_, _, *seen) = viewer.window.density, viewer.ui.scene
        size = (wanted.width, wanted.height) if wanted.width else (max(round(density * side), 16) for side in seen)
        self.size = tuple(side // 2 * 2 for side in size)  # videos need even numbers
        entry = state.entry
        self.count = max(round((entry.stop - entry.start) / entry.clip.fps / playback.speed * self.fps), 1)
        self._last = (entry.stop - 1 - entry.start) / entry.clip.fps  # seconds
        self.done, self.job = 0, None
        self._renderer, self._sceneries = Renderer(samples=8), {}
        self._pictures: queue.Queue = queue.Queue(_AHEAD)

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
        self.job = state.jobs.start(f"record {self.path}", f"recording {self.path.name}", work, then)

    @property
    def over(self) -> bool:
        """Whether there is nothing more to draw: all is, or no one wants it."""
        return self.done >= self.count or self.job.cancelled.is_set() or self.job.over.is_set()

    def draw(self) -> None:
        """One more picture, unless the encoder is still busy with those before it."""
        if self._pictures.full():
            return
        film, (wide, high) = self.film, self.size
        seconds = self.done / self.fps * film.playback.speed
        for track in film.tracks:
            track.elapsed = max(self._last - seconds, 0.0) if film.playback.reverse else seconds
        set_stage(film)
        if film.follow:
            film.camera.target = look_at(film, film.active)
        tracks = visible_tracks(film)
        each = wide // len(tracks)
        panes = []
        for index, track in enumerate(tracks):
            scene = self._sceneries.setdefault(track, Scenery()).compose(film, track, film.casts[index])
            panes.append((scene, camera_of(film, track).view((index * each, 0, each, high), high / 720)))
        self._renderer.draw(panes, self.size, None)
        self._pictures.put(self._renderer.read_pixels())
        self.done += 1

    def stop(self) -> None:
        """Let go of everything; the encoder stops too, unless it has all pictures or has failed, which it will tell."""
        if self.done < self.count and not self.job.over.is_set():
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
    if ui.recorder.over:
        ui.recorder.stop()
        ui.recorder = state.wishes.recording = None
    else:
        ui.recorder.draw()
