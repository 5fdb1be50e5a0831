"""EGL by ctypes: an OpenGL 3.3 context where there is no display server at all.

PyOpenGL's own EGL module cannot be imported with error checking off, and we need only a dozen functions.
"""

import ctypes
from ctypes import byref, c_int32, c_void_p

from motiongraph.errors import MotionError

_EXTENSIONS, _NONE, _OPENGL_API = 0x3055, 0x3038, 0x30A2
_SURFACE_TYPE, _PBUFFER, _RENDERABLE_TYPE, _OPENGL = 0x3033, 0x0001, 0x3040, 0x0008
_WIDTH, _HEIGHT = 0x3057, 0x3056
_MAJOR, _MINOR, _PROFILE, _CORE = 0x3098, 0x30FB, 0x30FD, 0x1
_DEVICE, _SURFACELESS = 0x313F, 0x31DD
_MOST_DEVICES = 16


class NoContext(MotionError):
    """No OpenGL context can be had; the message says why."""


def _library():
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


def egl_context():
    """Make a context current in this thread: on a graphics card, or with Mesa on the processor.

    Returns the function that gives it back. Raises NoContext where there is none to be had.
    """
    egl = _library()
    failure = "no EGL display"
    for display in _displays(egl):
        try:
            return _context_on(egl, display)
        except NoContext as problem:
            failure = str(problem)
    raise NoContext(failure)


def _displays(egl):
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


def _context_on(egl, display):
    def require(done, what):
        if not done:
            raise NoContext(f"{what} failed with EGL error {egl.eglGetError():#x}")
        return c_void_p(done)

    display = require(display, "finding a display")
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

    def close():
        egl.eglMakeCurrent(display, None, None, None)
        egl.eglDestroySurface(display, surface)
        egl.eglDestroyContext(display, context)

    return close


def _attributes(*values):
    return (c_int32 * (len(values) + 1))(*values, _NONE)
