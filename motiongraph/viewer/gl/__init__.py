"""OpenGL objects with an owner: programs, buffers, textures, framebuffers. OpenGL 3.3 core, forward compatible.

Importing this package settles how PyOpenGL works, so it comes before any import of OpenGL.GL, and `prepare` before
that of the modules in here. Errors are looked for after every call only where MOTIONGRAPH_DEBUG_GL is set.
"""

import os
import sys

import OpenGL

DEBUG = bool(os.environ.get("MOTIONGRAPH_DEBUG_GL"))

OpenGL.ERROR_CHECKING = DEBUG
OpenGL.ERROR_LOGGING = DEBUG
OpenGL.ARRAY_SIZE_CHECKING = DEBUG
OpenGL.CONTEXT_CHECKING = False
OpenGL.WARN_ON_FORMAT_UNAVAILABLE = False

# How PyOpenGL must look for functions where the context was made by this window system; None: its own choice.
_PLATFORMS = {"x11": "glx", "wayland": "egl", "egl": "egl", "osmesa": "osmesa"}


def prepare(window_system: str) -> None:
    """Make PyOpenGL fit the context: "x11", "wayland", "egl", "osmesa", or another for its own choice.

    Only the first context of a process decides; PYOPENGL_PLATFORM, where the user has set it, always does.
    """
    platform = _PLATFORMS.get(window_system)
    if platform and sys.platform.startswith("linux") and "OpenGL.platform" not in sys.modules:
        os.environ.setdefault("PYOPENGL_PLATFORM", platform)
