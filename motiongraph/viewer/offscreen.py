"""An OpenGL context without a window to look at: a hidden window where there is a display, EGL where there is none.

Everything is drawn into framebuffers of our own, so the context needs no surface worth mentioning.
"""

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from motiongraph.errors import MotionError
from motiongraph.viewer.gl import prepare
from motiongraph.viewer.gl.egl import NoContext, egl_context


@contextmanager
def offscreen() -> Iterator["object"]:
    """A current OpenGL 3.3 context within the block, described by `gl.context.Context`.

    With a display (or off Linux) a hidden window is tried first, without one EGL; MOTIONGRAPH_OFFSCREEN set to
    "window" or "egl" settles it.
    """
    asked = os.environ.get("MOTIONGRAPH_OFFSCREEN", "")
    ways = {"window": _hidden_window, "egl": _egl}
    if asked and asked not in ways:
        raise MotionError(f"MOTIONGRAPH_OFFSCREEN must be window or egl, not {asked!r}")
    order = [asked] if asked else _order()
    reasons = []
    for way in order:
        try:
            close = ways[way]()
        except NoContext as problem:
            reasons.append(str(problem))
            continue
        try:
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
    if not sys.platform.startswith("linux"):
        return ["window"]
    if os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        return ["window", "egl"]
    return ["egl"]


def _hidden_window():
    """A window that is never shown; returns what closes it."""
    import glfw

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        if not glfw.init():
            raise NoContext(f"no window system: {_reason(said)}")
        glfw.default_window_hints()
        for hint, value in (
            (glfw.VISIBLE, False),
            (glfw.CONTEXT_VERSION_MAJOR, 3),
            (glfw.CONTEXT_VERSION_MINOR, 3),
            (glfw.OPENGL_PROFILE, glfw.OPENGL_CORE_PROFILE),
            (glfw.OPENGL_FORWARD_COMPAT, True),
        ):
            glfw.window_hint(hint, value)
        window = glfw.create_window(16, 16, "motiongraph", None, None)
        if not window:
            raise NoContext(f"no hidden window: {_reason(said)}")
    platforms = {glfw.PLATFORM_X11: "x11", glfw.PLATFORM_WAYLAND: "wayland"}
    prepare(platforms.get(glfw.get_platform(), ""))
    before = glfw.get_current_context()
    glfw.make_context_current(window)

    def close():
        glfw.make_context_current(before)
        glfw.destroy_window(window)

    return close


def _reason(said) -> str:
    words = [str(warning.message) for warning in said]
    return words[-1].partition("b'")[2].rstrip("'") or words[-1] if words else "the driver does not say why"


def _egl():
    """EGL without a display server; returns what closes it."""
    prepare("egl")
    return egl_context()
