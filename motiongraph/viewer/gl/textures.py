"""Textures that are drawn into or filled with numbers, and the framebuffers through which they are drawn into."""

import ctypes

import numpy as np

from motiongraph.viewer.gl import calls, context
from motiongraph.viewer.gl.calls import GL
from motiongraph.viewer.gl.context import Owned

Size = tuple[int, int]  # width, height in pixels

_FORMATS = {
    "srgb": (GL.GL_SRGB8_ALPHA8, GL.GL_RGBA, GL.GL_UNSIGNED_BYTE),
    "rgba": (GL.GL_RGBA8, GL.GL_RGBA, GL.GL_UNSIGNED_BYTE),
    "cost": (GL.GL_R32F, GL.GL_RED, GL.GL_FLOAT),
    "depth": (GL.GL_DEPTH_COMPONENT24, GL.GL_DEPTH_COMPONENT, GL.GL_UNSIGNED_INT),
}


class Texture(Owned):
    """A picture: "srgb" and "rgba" colours of 8 bits, "cost" for a float32 each, or "depth"."""

    kind = "texture"

    def __init__(self, form: str, size: Size):
        super().__init__(GL.glGenTextures(1))
        self.form, self.size = form, size
        stored, layout, kind = _FORMATS[form]
        self.bind(0)
        GL.glTexImage2D(GL.GL_TEXTURE_2D, 0, stored, *size, 0, layout, kind, None)
        smooth = GL.GL_LINEAR if form == "srgb" else GL.GL_NEAREST  # pictures may be enlarged, numbers are not mixed
        for name, value in (
            (GL.GL_TEXTURE_MIN_FILTER, smooth),
            (GL.GL_TEXTURE_MAG_FILTER, smooth),
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
        context.bind_texture(unit, GL.GL_TEXTURE_2D, self.number)

    def _delete(self, number: int) -> None:
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

    def _delete(self, number: int) -> None:
        GL.glDeleteSamplers(1, [number])


class Framebuffer(Owned):
    """A texture of its own as a target, of colours or of depth. tested: with depth and stencil besides the colours."""

    kind = "framebuffer"

    def __init__(self, form: str, size: Size, tested: bool = False):
        super().__init__(GL.glGenFramebuffers(1))
        self.size, self.texture = size, Texture(form, size)
        self._tests = _Renderbuffer(GL.GL_DEPTH24_STENCIL8, size, 0) if tested else None
        calls.glBindFramebuffer(GL.GL_FRAMEBUFFER, self.number)
        place = GL.GL_DEPTH_ATTACHMENT if form == "depth" else GL.GL_COLOR_ATTACHMENT0
        GL.glFramebufferTexture2D(GL.GL_FRAMEBUFFER, place, GL.GL_TEXTURE_2D, self.texture.number, 0)
        if form == "depth":
            GL.glDrawBuffer(GL.GL_NONE)
            GL.glReadBuffer(GL.GL_NONE)
        if self._tests:
            self._tests.attach(GL.GL_DEPTH_STENCIL_ATTACHMENT)
        _complete()

    def bind(self) -> None:
        calls.glBindFramebuffer(GL.GL_FRAMEBUFFER, self.number)
        calls.glViewport(0, 0, *self.size)

    def copy(self, target: int, size: Size, to: tuple[int, int, int, int]) -> None:
        """Copy the lower left `size` into a rectangle (x, y, width, height, from below) of another framebuffer."""
        x, y, width, height = to
        calls.glBindFramebuffer(GL.GL_READ_FRAMEBUFFER, self.number)
        calls.glBindFramebuffer(GL.GL_DRAW_FRAMEBUFFER, target)
        smooth = GL.GL_NEAREST if size == (width, height) else GL.GL_LINEAR
        calls.glBlitFramebuffer(0, 0, *size, x, y, x + width, y + height, GL.GL_COLOR_BUFFER_BIT, smooth)

    def _delete(self, number: int) -> None:
        GL.glDeleteFramebuffers(1, [number])
        self.texture.release()
        if self._tests:
            self._tests.release()


class Multisampled(Owned):
    """Colour (sRGB, so that blending and averaging happen in linear light), depth and stencil with several samples per
    pixel."""

    kind = "framebuffer"

    def __init__(self, size: Size, samples: int):
        super().__init__(GL.glGenFramebuffers(1))
        self.size = size
        self._renderbuffers = [
            _Renderbuffer(GL.GL_SRGB8_ALPHA8, size, samples),
            _Renderbuffer(GL.GL_DEPTH24_STENCIL8, size, samples),
        ]
        calls.glBindFramebuffer(GL.GL_FRAMEBUFFER, self.number)
        for buffer, place in zip(self._renderbuffers, (GL.GL_COLOR_ATTACHMENT0, GL.GL_DEPTH_STENCIL_ATTACHMENT)):
            buffer.attach(place)
        _complete()

    def bind(self) -> None:
        calls.glBindFramebuffer(GL.GL_FRAMEBUFFER, self.number)

    def resolve(self, target: Framebuffer, size: Size) -> None:
        """Average the samples of each pixel of the lower left `size` into `target`, which must be as large and sRGB."""
        calls.glBindFramebuffer(GL.GL_READ_FRAMEBUFFER, self.number)
        calls.glBindFramebuffer(GL.GL_DRAW_FRAMEBUFFER, target.number)
        whole = (0, 0, *size)
        calls.glBlitFramebuffer(*whole, *whole, GL.GL_COLOR_BUFFER_BIT, GL.GL_NEAREST)

    def _delete(self, number: int) -> None:
        GL.glDeleteFramebuffers(1, [number])
        for buffer in self._renderbuffers:
            buffer.release()


class _Renderbuffer(Owned):
    kind = "renderbuffer"

    def __init__(self, form: int, size: Size, samples: int):
        super().__init__(GL.glGenRenderbuffers(1))
        GL.glBindRenderbuffer(GL.GL_RENDERBUFFER, self.number)
        GL.glRenderbufferStorageMultisample(GL.GL_RENDERBUFFER, samples, form, *size)

    def attach(self, place: int) -> None:
        """To the bound framebuffer."""
        GL.glFramebufferRenderbuffer(GL.GL_FRAMEBUFFER, place, GL.GL_RENDERBUFFER, self.number)

    def _delete(self, number: int) -> None:
        GL.glDeleteRenderbuffers(1, [number])


def _complete() -> None:
    """Raise where the bound framebuffer cannot be drawn into."""
    status = GL.glCheckFramebufferStatus(GL.GL_FRAMEBUFFER)
    if status != GL.GL_FRAMEBUFFER_COMPLETE:
        raise RuntimeError(f"the graphics driver refused a framebuffer (status {int(status):#x})")
