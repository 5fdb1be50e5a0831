"""Pictures of the window: screenshots of the scene, the matrix or all of it, and films; written by jobs."""

import queue
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from motiongraph.app.commands import RecordVideo
from motiongraph.app.jobs import Job, JobKind
from motiongraph.app.library.entries import Entry
from motiongraph.app.playback import visible_tracks
from motiongraph.app.scene.camera_moves import look_at, need_camera
from motiongraph.app.scene.cast import set_stage
from motiongraph.app.state import AppState
from motiongraph.errors import MotionError
from motiongraph.files import writing
from motiongraph.progress import Cancelled, Progress
from motiongraph.viewer.draw.renderer import Renderer
from motiongraph.viewer.gl.calls import GL
from motiongraph.viewer.scenery import Scenery, camera_of
from motiongraph.viewer.video import write_video

if TYPE_CHECKING:
    from motiongraph.viewer.loop import Viewer


_AHEAD = 4  # pictures that may wait for the encoder


def as_it_is(state: AppState) -> AppState:
    """A copy of the state that nothing done in the window changes: what is filmed is settled when filming begins."""
    film = copy(state)
    film.playback, film.tracks = replace(state.playback), tuple(replace(track) for track in state.tracks)
    film.library, film.settings = copy(state.library), replace(state.settings)
    film.library.entries = dict(state.library.entries)
    film.scene, film.path = copy(state.scene), copy(state.path)
    film.scene.layers, film.scene.pair = replace(state.scene.layers), None
    film.scene.ghosts, film.scene.places = list(state.scene.ghosts), dict(state.scene.places)
    film.path.tool, film.path.stroke, film.path.under = "off", [], None  # what the mouse does
    film.camera, film.camera_goal = (state.camera_goal or need_camera(state)).copy(), None
    film.casts, film.stage_key = [], None
    return film


class Recorder:
    """Plays the current clip once, from its first frame to its last or the other way round, and hands the pictures to
    an encoder."""

    job: Job  # the encoder's, which tells how far it is and can be cancelled

    def __init__(self, viewer: "Viewer", request: RecordVideo, entry: Entry):
        state, playback = viewer.state, viewer.state.playback
        self.path, self.fps, self.film = (
            Path(request.path),
            float(request.fps or state.settings.film_rate),
            as_it_is(state),
        )
        density, (_, _, *seen) = viewer.window.density, viewer.ui.scene
        wide, high = (max(round(density * side), 16) for side in seen)
        if request.width and request.height:
            wide, high = request.width, request.height
        self.size = wide // 2 * 2, high // 2 * 2  # videos need even numbers
        self.count = max(round((entry.stop - entry.start) / entry.clip.fps / playback.speed * self.fps), 1)
        self._last = (entry.stop - 1 - entry.start) / entry.clip.fps  # seconds
        self.done = 0  # pictures drawn
        self._renderer = Renderer(samples=8)
        self._sceneries: dict[int, Scenery] = {}  # by track
        self._pictures: queue.Queue[np.ndarray | None] = queue.Queue(_AHEAD)

    def start(self, state: AppState) -> None:
        pictures, count = self._pictures, self.count

        def taken() -> Iterator[np.ndarray]:
            for _ in range(count):
                picture = pictures.get()
                if picture is None:
                    raise Cancelled
                yield picture

        def work(progress: Progress, deliver: Callable[[Path], None]) -> None:
            write_video(self.path, taken(), count, self.fps, self.size, progress)
            deliver(self.path)

        then = lambda path: state.say(f"video in {path}")  # noqa: E731
        self.job = state.jobs.start(JobKind.RECORD, f"recording {self.path.name}", work, then, of=self.path)

    @property
    def over(self) -> bool:
        """Whether there is nothing more to draw: all is done, or it was cancelled."""
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
            camera_of(film).target = look_at(film, film.active)
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
        """Release everything; the encoder stops too, unless it has all pictures or has failed, which it will say."""
        if self.done < self.count and not self.job.over.is_set():
            self.job.cancelled.set()
            while not self._pictures.empty():
                self._pictures.get_nowait()
            self._pictures.put(None)
        self._renderer.release()


def record(viewer: "Viewer") -> None:
    """Begin, continue or end the video that was asked for."""
    state, ui = viewer.state, viewer.ui
    if ui.recorder is None:
        request, entry = state.window.recording, state.entry
        if request is None or entry is None:
            state.window.recording = None
            return
        try:
            ui.recorder = Recorder(viewer, request, entry)
            ui.recorder.start(state)
        except MotionError as problem:
            state.say(str(problem), "error")
            state.window.recording = None
            return
    if ui.recorder.over:
        ui.recorder.stop()
        ui.recorder = state.window.recording = None
    else:
        ui.recorder.draw()


def take_screenshots(viewer: "Viewer", panels: bool) -> None:
    """Take the pictures that were asked for, with panels or without, and write them on a worker."""
    requests = viewer.state.window.screenshots
    for request in [r for r in requests if r[1] == panels]:
        requests.remove(request)
        pixels = _window(viewer) if panels else _scene(viewer)
        if request[0] == viewer.state.matrix.picture:
            pixels = _matrix(viewer, pixels)
        if pixels is not None:
            _save(viewer.state, request[0], pixels)


def _matrix(viewer: "Viewer", pixels: np.ndarray) -> np.ndarray | None:
    """The view of the matrix, axes and all, exactly as the panel shows it; None where it is hidden."""
    state, density = viewer.state, viewer.window.density
    state.matrix.picture = None
    frame, *rect = viewer.ui.heats.kept.get("view", (-1,))
    if frame != viewer.ui.timings.count:
        state.say("the matrix is not in sight: bring its panel to the front, then export the view", "error")
        return None
    left, top, right, bottom = (max(round(density * value), 0) for value in rect)
    return pixels[top:bottom, left:right]


def _scene(viewer: "Viewer") -> np.ndarray:
    """(height, width, 3) uint8: what the panes show."""
    density = viewer.window.density
    x, y, width, height = (round(density * value) for value in viewer.ui.scene)
    return viewer.renderer.read_pixels()[y : y + height, x : x + width]


def _window(viewer: "Viewer") -> np.ndarray:
    """(height, width, 3) uint8: everything, as it is about to be shown."""
    width, height = viewer.window.pixels
    pixels = np.empty((height, width, 3), np.uint8)
    GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, 0)
    GL.glPixelStorei(GL.GL_PACK_ALIGNMENT, 1)
    GL.glReadPixels(0, 0, width, height, GL.GL_RGB, GL.GL_UNSIGNED_BYTE, pixels)
    return pixels[::-1]


def _save(state: AppState, path: Path, pixels: np.ndarray) -> None:
    def work(progress: Progress, deliver: Callable[[Path], None]) -> None:
        from PIL import Image  # slow to import, and seldom needed

        progress(0, 1, path.name)
        with writing(path) as file:
            Image.fromarray(np.ascontiguousarray(pixels)).save(file, "PNG")
        deliver(path)

    then = lambda done: state.say(f"picture in {done}")  # noqa: E731
    state.jobs.start(JobKind.WRITE, f"writing {path.name}", work, then, path, needed=True)
