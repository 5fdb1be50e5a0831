"""Opening the viewer: first a window with an empty floor, then everything that works in it.

The panels take longer to import than a window takes to open, and PyOpenGL can only be imported once there is a context.
So the imports of this module's functions wait, here and nowhere else in the window: `loop` and all that it uses import
at the top of their files.
"""

import gc
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from motiongraph.app.settings import Settings
from motiongraph.errors import MotionError
from motiongraph.viewer.memory import share_pools
from motiongraph.viewer.window import Window

if TYPE_CHECKING:
    from motiongraph.viewer.loop import Viewer


def view(paths: Iterable[Path] = ()) -> None:
    """Open the window on these files and folders, or on the bundled samples, and stay until it is closed."""
    problem = ""
    try:
        settings = Settings.load()
    except MotionError as unreadable:
        settings, problem = Settings(), str(unreadable)
    viewer = open_viewer(paths, settings)
    if problem:
        viewer.state.say(problem, "warning")
    viewer.stay()


def open_viewer(paths: Iterable[Path], settings: Settings) -> "Viewer":
    """The viewer with its window open; it is yet to be run."""
    share_pools()
    gc.disable()  # nothing that is imported is garbage: looking for it takes a fifth of the time; `Viewer` takes over
    window = Window(settings.width, settings.height, maximized=settings.maximized)
    try:
        window.show()
        from motiongraph.viewer.camera import Camera
        from motiongraph.viewer.draw.frame import DAY, NIGHT, SceneFrame
        from motiongraph.viewer.draw.renderer import Renderer

        renderer, camera = Renderer.of_quality(settings.quality, settings.samples), Camera()
        if not window.hidden:
            floor = SceneFrame(backdrop=DAY if settings.day else NIGHT)
            renderer.draw([(floor, camera.view((0, 0, *window.pixels)))], window.pixels)
            window.swap(vsync=False)
        from motiongraph.viewer.loop import Viewer

        return Viewer(window, renderer, camera, settings, paths)
    except BaseException:
        gc.enable()
        window.close()
        raise
