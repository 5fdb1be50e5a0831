"""The OpenGL functions that every frame calls, without what PyOpenGL does to each argument of each call.

Constants and all else come from PyOpenGL. With MOTIONGRAPH_DEBUG_GL these too look for errors after every call.
"""

import ctypes
from ctypes import c_float, c_int, c_size_t, c_ssize_t, c_uint

from OpenGL.platform import PLATFORM
from OpenGL.raw.GL._errors import _error_checker

from motiongraph.viewer.gl import DEBUG


def _found(name: str, *kinds, waits: bool = False):
    """The function of that name. kinds: of its arguments, where they are not all whole numbers of 32 bits or less;
    addresses are c_size_t. waits: whether it may take long, so that other threads should run meanwhile."""
    function = PLATFORM.constructFunction(name, PLATFORM.GL, None, kinds, error_checker=_error_checker)
    if DEBUG:
        return function
    make = ctypes.CFUNCTYPE if waits else ctypes.PYFUNCTYPE
    return make(None, *kinds)(ctypes.cast(function, ctypes.c_void_p).value)


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
