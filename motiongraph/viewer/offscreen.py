"""An OpenGL context without a window to look at: a hidden window where there is a display, EGL where there is none.

Everything is drawn into framebuffers of our own, so the context needs no surface worth mentioning. EGL is called by
ctypes: PyOpenGL's own EGL module cannot be imported with error checking off, and a dozen functions are enough.
"""

import ctypes
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ctypes import byref, c_int32, c_void_p
from typing import TYPE_CHECKING, Any

from motiongraph.errors import MotionError
from motiongraph.viewer.gl import prepare
from motiongraph.viewer.window import glfw_reason, prepare_for_glfw, set_hints

if TYPE_CHECKING:
    from motiongraph.viewer.gl.context import Context

_EXTENSIONS, _NONE, _OPENGL_API = 0x3055, 0x3038, 0x30A2
_SURFACE_TYPE, _PBUFFER, _RENDERABLE_TYPE, _OPENGL = 0x3033, 0x0001, 0x3040, 0x0008
_WIDTH, _HEIGHT = 0x3057, 0x3056
_MAJOR, _MINOR, _PROFILE, _CORE = 0x3098, 0x30FB, 0x30FD, 0x1
_DEVICE, _SURFACELESS = 0x313F, 0x31DD
_MOST_DEVICES = 16

Close = Callable[[], None]  # gives a context back


class NoContext(MotionError):
    """No OpenGL context can be had; the message says why."""


@contextmanager
def offscreen() -> "Iterator[Context]":
    """A current OpenGL 3.3 context within the block.

    With a display (or off Linux) a hidden window is tried first, without one EGL; MOTIONGRAPH_OFFSCREEN set to
    "window" or "egl" settles it.
    """
    asked = os.environ.get("MOTIONGRAPH_OFFSCREEN", "")
    ways = {"window": _hidden_window, "egl": _egl}
    if asked and asked not in ways:
        raise MotionError(f"MOTIONGRAPH_OFFSCREEN must be window or egl, not {asked!r}")
    reasons = []
    for way in [asked] if asked else _order():
        try:
            close = ways[way]()
        except NoContext as problem:
            reasons.append(str(problem))
            continue
        try:
            # PyOpenGL looks for a driver when it is imported: the context must be there first.
            from motiongraph.viewer.gl.context import current_context

            yield current_context()
        finally:
            close()
        return
    raise NoContext(
        f"no OpenGL 3.3 context can be had ({'; '.join(reasons)}); install a graphics driver (on Debian and Ubuntu "
        "apt install libegl1 libgl1-mesa-dri) or run this under xvfb-run"
    )


def _order() -> list[str]:
    """The ways to try, the best first."""
    if not sys.platform.startswith("linux"):
        return ["window"]
    if os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        return ["window", "egl"]
    return ["egl"]


def _hidden_window() -> Close:
    """A window that is never shown."""
    import glfw  # not everyone who draws has a window system

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        if not glfw.init():
            raise NoContext(f"no window system: {glfw_reason(said)}")
        set_hints(glfw, {glfw.VISIBLE: False})
        window = glfw.create_window(16, 16, "motiongraph", None, None)
        if not window:
            raise NoContext(f"no hidden window: {glfw_reason(said)}")
    prepare_for_glfw(glfw)
    before = glfw.get_current_context()
    glfw.make_context_current(window)

    def close() -> None:
        glfw.make_context_current(before)
        glfw.destroy_window(window)

    return close


# EGL


def _egl() -> Close:
    """A context that needs no display server: on a graphics card, or with Mesa on the processor."""
    prepare("egl")
    egl = _library()
    failure = "no EGL display"
    for display in _displays(egl):
        try:
            return _context_on(egl, display)
        except NoContext as problem:
            failure = str(problem)
    raise NoContext(failure)


def _library() -> Any:
    for name in ("libEGL.so.1", "libEGL.so"):
        try:
            egl = ctypes.CDLL(name)
        except OSError:
            continue
        egl.eglQueryString.restype = ctypes.c_char_p
        for function in ("eglGetDisplay", "eglCreateContext", "eglCreatePbufferSurface", "eglGetProcAddress"):
            getattr(egl, function).restype = c_void_p
        return egl
    raise NoContext("libEGL is missing")


def _displays(egl: Any) -> Iterator[int | None]:
    """Displays that need no display server: every device there is, Mesa's surfaceless one, the default."""
    extensions = (egl.eglQueryString(None, _EXTENSIONS) or b"").split()
    address = egl.eglGetProcAddress(b"eglGetPlatformDisplayEXT")
    if address and b"EGL_EXT_platform_base" in extensions:
        platform_display = ctypes.CFUNCTYPE(c_void_p, c_int32, c_void_p, c_void_p)(address)
        address = egl.eglGetProcAddress(b"eglQueryDevicesEXT")
        if address and b"EGL_EXT_platform_device" in extensions:
            devices, count = (c_void_p * _MOST_DEVICES)(), c_int32()
            if ctypes.CFUNCTYPE(c_int32, c_int32, c_void_p, c_void_p)(address)(_MOST_DEVICES, devices, byref(count)):
                for device in devices[: count.value]:
                    yield platform_display(_DEVICE, device, None)
        if b"EGL_MESA_platform_surfaceless" in extensions:
            yield platform_display(_SURFACELESS, None, None)
    yield egl.eglGetDisplay(None)


def _context_on(egl: Any, found: int | None) -> Close:
    def require(done: int | None, what: str) -> c_void_p:
        if not done:
            raise NoContext(f"{what} failed with EGL error {egl.eglGetError():#x}")
        return c_void_p(done)

    display = require(found, "finding a display")
    require(egl.eglInitialize(display, None, None), "opening a display")
    require(egl.eglBindAPI(_OPENGL_API), "choosing desktop OpenGL")
    wanted = _attributes(_SURFACE_TYPE, _PBUFFER, _RENDERABLE_TYPE, _OPENGL)
    config, count = c_void_p(), c_int32()
    require(egl.eglChooseConfig(display, wanted, byref(config), 1, byref(count)) and count.value, "configuring OpenGL")
    version = _attributes(_MAJOR, 3, _MINOR, 3, _PROFILE, _CORE)
    context = require(egl.eglCreateContext(display, config, None, version), "asking for OpenGL 3.3")
    # Nothing is drawn into the surface, but not every driver makes a context current without one.
    surface = egl.eglCreatePbufferSurface(display, config, _attributes(_WIDTH, 16, _HEIGHT, 16))
    surface = require(surface, "making a surface")
    require(egl.eglMakeCurrent(display, surface, surface, context), "making OpenGL current")

    def close() -> None:
        egl.eglMakeCurrent(display, None, None, None)
        egl.eglDestroySurface(display, surface)
        egl.eglDestroyContext(display, context)

    return close


def _attributes(*values: int) -> ctypes.Array[c_int32]:
    return (c_int32 * (len(values) + 1))(*values, _NONE)
