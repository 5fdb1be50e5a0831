"""OpenGL as the rest of the viewer calls it.

`GL` is PyOpenGL, for constants and for what is called now and then. It is declared as Any here, because PyOpenGL has no
types: a checker takes its constants for strings and its functions for None. The functions below are those that every
frame calls, without what PyOpenGL does to each argument of each call. With MOTIONGRAPH_DEBUG_GL these too look for
errors after every call.
"""

import ctypes
from collections.abc import Callable
from ctypes import c_float, c_int, c_size_t, c_ssize_t, c_uint
from typing import Any

from OpenGL import GL as _GL
from OpenGL.platform import PLATFORM as _PLATFORM
from OpenGL.raw.GL._errors import _error_checker

from motiongraph.viewer.gl import DEBUG

GL: Any = _GL
_platform: Any = _PLATFORM


def _found(name: str, *kinds: Any, waits: bool = False) -> Callable[..., None]:
    """The function of that name. kinds: of its arguments, where they are not all whole numbers of 32 bits or less;
    addresses are c_size_t. waits: whether it may take long, so that other threads should run meanwhile."""
    function = _platform.constructFunction(name, _platform.GL, None, kinds, error_checker=_error_checker)
    if DEBUG:
        return function
    address: Any = ctypes.cast(function, ctypes.c_void_p).value
    prototype = ctypes.CFUNCTYPE if waits else ctypes.PYFUNCTYPE
    return prototype(None, *kinds)(address)


glActiveTexture = _found("glActiveTexture")
glBindBuffer = _found("glBindBuffer")
glBindBufferRange = _found("glBindBufferRange", c_uint, c_uint, c_uint, c_ssize_t, c_ssize_t)
glBindFramebuffer = _found("glBindFramebuffer")
glBindSampler = _found("glBindSampler")
glBindTexture = _found("glBindTexture")
glBindVertexArray = _found("glBindVertexArray")
glBlendFunc = _found("glBlendFunc")
glBufferData = _found("glBufferData", c_uint, c_ssize_t, c_size_t, c_uint)
glDepthFunc = _found("glDepthFunc")
glDepthMask = _found("glDepthMask")
glDisable = _found("glDisable")
glEnable = _found("glEnable")
glScissor = _found("glScissor")
glUniform1f = _found("glUniform1f", c_int, c_float)
glUniform1i = _found("glUniform1i")
glUniform4f = _found("glUniform4f", c_int, c_float, c_float, c_float, c_float)
glUseProgram = _found("glUseProgram")
glViewport = _found("glViewport")

# What draws.
glBlitFramebuffer = _found("glBlitFramebuffer", waits=True)
glClear = _found("glClear", waits=True)
glDrawArrays = _found("glDrawArrays", waits=True)
glDrawArraysInstanced = _found("glDrawArraysInstanced", waits=True)
glDrawElementsInstanced = _found("glDrawElementsInstanced", c_uint, c_int, c_uint, c_size_t, c_int, waits=True)
