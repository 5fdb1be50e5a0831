"""Screenshots of the scene, of the matrix or of the whole window, written by a job."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from motiongraph.app.jobs import JobKind
from motiongraph.app.state import AppState
from motiongraph.files import writing
from motiongraph.progress import Progress
from motiongraph.viewer.gl.calls import GL

if TYPE_CHECKING:
    from motiongraph.viewer.loop import Viewer


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
