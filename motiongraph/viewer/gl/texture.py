"""Textures that are drawn into or filled with numbers, and samplers that say how one is read."""

import ctypes

import numpy as np
from OpenGL import GL

from motiongraph.viewer.gl import calls, state
from motiongraph.viewer.gl.objects import Owned

_FORMATS = {
    "srgb": (GL.GL_SRGB8_ALPHA8, GL.GL_RGBA, GL.GL_UNSIGNED_BYTE),
    "rgba": (GL.GL_RGBA8, GL.GL_RGBA, GL.GL_UNSIGNED_BYTE),
    "cost": (GL.GL_R32F, GL.GL_RED, GL.GL_FLOAT),
    "depth": (GL.GL_DEPTH_COMPONENT24, GL.GL_DEPTH_COMPONENT, GL.GL_UNSIGNED_INT),
}


class Texture(Owned):
    """A picture of `size` (width, height): "srgb" and "rgba" colours of 8 bits, "cost" for a float32 each, or
    "depth"."""

    kind = "texture"

    def __init__(self, form: str, size: tuple[int, int]):
        super().__init__(GL.glGenTextures(1))
        self.form, self.size = form, size
        stored, layout, kind = _FORMATS[form]
        self.bind(0)
        GL.glTexImage2D(GL.GL_TEXTURE_2D, 0, stored, *size, 0, layout, kind, None)
        for name, value in (
            (GL.GL_TEXTURE_MIN_FILTER, GL.GL_NEAREST),
            (GL.GL_TEXTURE_MAG_FILTER, GL.GL_NEAREST),
            (GL.GL_TEXTURE_WRAP_S, GL.GL_CLAMP_TO_EDGE),
            (GL.GL_TEXTURE_WRAP_T, GL.GL_CLAMP_TO_EDGE),
            (GL.GL_TEXTURE_MAX_LEVEL, 0),
        ):
            GL.glTexParameteri(GL.GL_TEXTURE_2D, name, value)

    def fill(self, numbers: np.ndarray) -> None:
        """Send float32 (height, width), the first row first; may be a part of a larger array."""
        width, height = self.size
        if numbers.shape != (height, width) or numbers.dtype != np.float32 or numbers.strides[1] != 4:
            raise ValueError(f"float32 numbers ({height}, {width}) are needed, not {numbers.dtype} {numbers.shape}")
        _, layout, kind = _FORMATS[self.form]
        self.bind(0)
        GL.glPixelStorei(GL.GL_UNPACK_ALIGNMENT, 4)
        GL.glPixelStorei(GL.GL_UNPACK_ROW_LENGTH, numbers.strides[0] // 4)
        GL.glTexSubImage2D(GL.GL_TEXTURE_2D, 0, 0, 0, width, height, layout, kind, ctypes.c_void_p(numbers.ctypes.data))
        GL.glPixelStorei(GL.GL_UNPACK_ROW_LENGTH, 0)

    def bind(self, unit: int) -> None:
        state.bind_texture(unit, GL.GL_TEXTURE_2D, self.number)

    def _delete(self, number):
        GL.glDeleteTextures([number])


class ShadowSampler(Owned):
    """Reads a depth texture as a comparison, smoothly between texels: 1 where lit, 0 in shadow."""

    kind = "sampler"

    def __init__(self):
        super().__init__(GL.glGenSamplers(1))
        for name, value in (
            (GL.GL_TEXTURE_MIN_FILTER, GL.GL_LINEAR),
            (GL.GL_TEXTURE_MAG_FILTER, GL.GL_LINEAR),
            (GL.GL_TEXTURE_WRAP_S, GL.GL_CLAMP_TO_EDGE),
            (GL.GL_TEXTURE_WRAP_T, GL.GL_CLAMP_TO_EDGE),
            (GL.GL_TEXTURE_COMPARE_MODE, GL.GL_COMPARE_REF_TO_TEXTURE),
            (GL.GL_TEXTURE_COMPARE_FUNC, GL.GL_LEQUAL),
        ):
            GL.glSamplerParameteri(self.number, name, value)

    def bind(self, unit: int) -> None:
        calls.glBindSampler(unit, self.number)

    def _delete(self, number):
        GL.glDeleteSamplers(1, [number])
