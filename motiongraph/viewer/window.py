"""The window: glfw, an OpenGL 3.3 core context, and Dear ImGui on top of it.

Everything about window systems is settled here: X11, Wayland, macOS and Windows, and displays of any density.
"""

import ctypes
import os
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from motiongraph.errors import MotionError
from motiongraph.viewer.gl import prepare

_DISPLAY = (
    "no window can be opened: {reason}; run it on a desktop, set DISPLAY, or put xvfb-run in front "
    "(motiongraph render draws without a window)"
)
_DRIVER = (
    "no OpenGL 3.3 window can be had: {reason}; install a graphics driver (on Debian and Ubuntu: apt install "
    "libgl1 libgl1-mesa-dri), or set LIBGL_ALWAYS_SOFTWARE=1"
)


Size = tuple[int, int]


def set_hints(glfw: Any, hints: Mapping[int, int]) -> None:
    """Ask for OpenGL 3.3 core, and what else a window is to be like."""
    glfw.default_window_hints()
    for hint, value in {
        glfw.CONTEXT_VERSION_MAJOR: 3,
        glfw.CONTEXT_VERSION_MINOR: 3,
        glfw.OPENGL_PROFILE: glfw.OPENGL_CORE_PROFILE,
        glfw.OPENGL_FORWARD_COMPAT: True,
        **hints,
    }.items():
        glfw.window_hint(hint, value)


def prepare_for_glfw(glfw: Any) -> None:
    """Make PyOpenGL fit the window system that glfw found."""
    prepare({glfw.PLATFORM_X11: "x11", glfw.PLATFORM_WAYLAND: "wayland"}.get(glfw.get_platform(), ""))


def glfw_reason(said: Sequence[warnings.WarningMessage]) -> str:
    """Why glfw failed, from its warnings."""
    words = [str(warning.message) for warning in said]
    if words:
        return words[-1].partition("b'")[2].rstrip("'") or words[-1]
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return "there is no display"
    return "the system does not say why"


class Window:
    """One window with a current OpenGL context; `close` gives everything back."""

    size: Size  # width and height in screen coordinates
    pixels: Size  # of what is drawn into, which may be none while minimised
    closing: bool  # whether the window system was asked to close it

    def __init__(self, width: int, height: int, title: str = "motiongraph", maximized: bool = False):
        import imgui_bundle  # noqa: F401 - it brings a glfw library of its own, which must be the one that is loaded

        import glfw  # isort: skip

        self.glfw: Any = glfw  # its stubs are wrong about callbacks and about what may be None
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            if not glfw.init():
                raise MotionError(_DISPLAY.format(reason=glfw_reason(said)))
            # The scene brings its own samples, and text needs none.
            set_hints(glfw, {glfw.MAXIMIZED: maximized, glfw.SAMPLES: 0, glfw.VISIBLE: False})
            width, height = self._fitting(width, height)
            self.handle: Any = glfw.create_window(width, height, title, None, None)
            if not self.handle:
                glfw.terminate()
                raise MotionError(_DRIVER.format(reason=glfw_reason(said)))
        self.glfw.set_window_size_limits(self.handle, 320, 240, glfw.DONT_CARE, glfw.DONT_CARE)
        prepare_for_glfw(glfw)
        glfw.make_context_current(self.handle)
        self.events = 0  # how many there were: whoever waits for one can see that it came
        self.on_drop: Callable[[list[Path]], None] = lambda paths: None
        self.glfw.set_drop_callback(
            self.handle, lambda _, paths: self._count() or self.on_drop([Path(path) for path in paths])
        )
        # Letters as the keyboard's layout makes them; Dear ImGui's callbacks pass on to this one.
        self.on_text: Callable[[str], None] = lambda letter: None
        glfw.set_char_callback(self.handle, lambda _, code: self._count() or self.on_text(chr(code)))
        self.on_key: Callable[[int, int, int, int], None] = lambda key, code, action, modifiers: None
        glfw.set_key_callback(self.handle, lambda _, *key: self._count() or self.on_key(*key))
        for name in ("cursor_pos", "cursor_enter", "mouse_button", "scroll", "window_focus", "window_refresh"):
            getattr(glfw, f"set_{name}_callback")(self.handle, lambda *_: self._count())
        self._listen()
        self.on_lost: Callable[[], None] = lambda: None  # the X server has closed: the last moment to do anything
        self._watch_display()
        self._windowed: tuple[int, int, int, int] | None = None  # its place before it filled the screen
        self._vsync: bool | None = None
        self._shape = 0  # of the mouse
        self._cursors: dict[int, Any] = {}  # shape → glfw's cursor

    def _fitting(self, width: int, height: int) -> Size:
        """Not larger than the screen, where one is known."""
        monitor = self.glfw.get_primary_monitor()
        if monitor:
            _, _, wide, high = self.glfw.get_monitor_workarea(monitor)
            if wide > 0 and high > 0:
                return min(width, wide), min(height, high)
        return width, height

    @property
    def address(self) -> int:
        """What Dear ImGui knows the window by."""
        return ctypes.cast(self.handle, ctypes.c_void_p).value or 0

    def _listen(self) -> None:
        """Remember sizes as they change; asking for them anew is a round trip to the window system each time."""
        glfw = self.glfw
        self.size, self.pixels = glfw.get_window_size(self.handle), glfw.get_framebuffer_size(self.handle)
        self._content = max(glfw.get_window_content_scale(self.handle))
        self._iconified, self.closing = False, False

        def keep(name: str, value: Any) -> None:
            self._count()
            setattr(self, name, value)

        glfw.set_window_size_callback(self.handle, lambda _, *size: keep("size", size))
        glfw.set_framebuffer_size_callback(self.handle, lambda _, *size: keep("pixels", size))
        glfw.set_window_content_scale_callback(self.handle, lambda _, *scale: keep("_content", max(scale)))
        glfw.set_window_close_callback(self.handle, lambda _: keep("closing", True))
        glfw.set_window_iconify_callback(self.handle, lambda _, iconified: keep("_iconified", bool(iconified)))

    def _watch_display(self) -> None:
        """Xlib ends the process when its server is gone, having called this."""
        if self.glfw.get_platform() != self.glfw.PLATFORM_X11:
            return
        try:
            x11 = ctypes.CDLL("libX11.so.6")
        except OSError:
            return
        self._io_error = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(lambda _: self.on_lost() or 0)
        x11.XSetIOErrorHandler(self._io_error)

    def _count(self) -> None:
        self.events += 1

    @property
    def density(self) -> float:
        """Pixels a screen coordinate: above 1 where the system counts in points (macOS, Wayland)."""
        return self.pixels[0] / max(self.size[0], 1)

    @property
    def scale(self) -> float:
        """How much larger than on an ordinary display text must be, in screen coordinates, to look the same."""
        return min(max(self._content / max(self.density, 1.0), 0.75), 4.0) if self._content > 0 else 1.0

    @property
    def hidden(self) -> bool:
        """Whether there is nothing to draw into."""
        return self._iconified or min(self.pixels) < 1

    @property
    def maximized(self) -> bool:
        return bool(self.glfw.get_window_attrib(self.handle, self.glfw.MAXIMIZED))

    @property
    def full_screen(self) -> bool:
        return self._windowed is not None

    def show(self) -> None:
        self.glfw.show_window(self.handle)

    def ask_attention(self) -> None:
        """There is a question in the window, which may be minimised."""
        if self._iconified:
            self.glfw.restore_window(self.handle)
        self.glfw.request_window_attention(self.handle)

    def poll(self) -> None:
        self.glfw.poll_events()

    def wait(self, seconds: float) -> None:
        """Until something happens, or so many seconds."""
        self.glfw.wait_events_timeout(seconds)

    def swap(self, vsync: bool) -> None:
        if vsync != self._vsync:
            self._vsync = vsync
            self.glfw.swap_interval(1 if vsync else 0)
        self.glfw.swap_buffers(self.handle)

    def set_cursor(self, shape: int) -> None:
        """The shape of the mouse as Dear ImGui numbers them; −1 hides it."""
        if shape == self._shape:
            return
        glfw, self._shape = self.glfw, shape
        glfw.set_input_mode(self.handle, glfw.CURSOR, glfw.CURSOR_HIDDEN if shape < 0 else glfw.CURSOR_NORMAL)
        standard = {
            1: glfw.IBEAM_CURSOR,
            2: glfw.RESIZE_ALL_CURSOR,
            3: glfw.VRESIZE_CURSOR,
            4: glfw.HRESIZE_CURSOR,
            5: glfw.RESIZE_NESW_CURSOR,
            6: glfw.RESIZE_NWSE_CURSOR,
            7: glfw.HAND_CURSOR,
        }.get(shape)
        if shape not in self._cursors:
            with warnings.catch_warnings():  # not every system has every shape; the arrow will do then
                warnings.simplefilter("ignore")
                self._cursors[shape] = glfw.create_standard_cursor(standard) if standard else None
        glfw.set_cursor(self.handle, self._cursors[shape])

    def set_title(self, title: str) -> None:
        self.glfw.set_window_title(self.handle, title)

    def set_full_screen(self, full: bool) -> None:
        glfw = self.glfw
        if full == self.full_screen:
            return
        if self._windowed is None:
            monitor = self._monitor()
            if not monitor:
                raise MotionError("there is no screen that could be filled")
            mode = glfw.get_video_mode(monitor)
            self._windowed = *glfw.get_window_pos(self.handle), *self.size
            glfw.set_window_monitor(
                self.handle, monitor, 0, 0, mode.size.width, mode.size.height, mode.refresh_rate or glfw.DONT_CARE
            )
        else:
            x, y, width, height = self._windowed
            self._windowed = None
            glfw.set_window_monitor(self.handle, None, x, y, width, height, 0)
        self._vsync = None  # some drivers forget it

    def _monitor(self) -> Any:
        """The screen most of the window is on."""
        glfw = self.glfw
        x, y = glfw.get_window_pos(self.handle)
        width, height = self.size
        best, most = None, -1
        for monitor in glfw.get_monitors():
            mode = glfw.get_video_mode(monitor)
            left, top = glfw.get_monitor_pos(monitor)
            wide = min(x + width, left + mode.size.width) - max(x, left)
            high = min(y + height, top + mode.size.height) - max(y, top)
            if max(wide, 0) * max(high, 0) > most:
                best, most = monitor, max(wide, 0) * max(high, 0)
        return best

    def close(self) -> None:
        self.glfw.destroy_window(self.handle)
        self.glfw.terminate()
