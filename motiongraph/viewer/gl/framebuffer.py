"""Framebuffers: where drawing goes that is not the window."""

from OpenGL import GL

from motiongraph.viewer.gl import calls
from motiongraph.viewer.gl.objects import Owned
from motiongraph.viewer.gl.texture import Texture


class Framebuffer(Owned):
    """A colour texture, a depth texture, or both, as a target."""

    kind = "framebuffer"

    def __init__(self, colour: str | None, size: tuple[int, int], depth: bool = False):
        super().__init__(GL.glGenFramebuffers(1))
        self.size = size
        self.colour = Texture(colour, size) if colour else None
        self.depth = Texture("depth", size) if depth else None
        calls.glBindFramebuffer(GL.GL_FRAMEBUFFER, self.number)
        for texture, place in ((self.colour, GL.GL_COLOR_ATTACHMENT0), (self.depth, GL.GL_DEPTH_ATTACHMENT)):
            if texture:
                GL.glFramebufferTexture2D(GL.GL_FRAMEBUFFER, place, GL.GL_TEXTURE_2D, texture.number, 0)
        if not colour:
            GL.glDrawBuffer(GL.GL_NONE)
            GL.glReadBuffer(GL.GL_NONE)
        _complete()

    def bind(self) -> None:
        calls.glBindFramebuffer(GL.GL_FRAMEBUFFER, self.number)
        calls.glViewport(0, 0, *self.size)

    def _delete(self, number):
        GL.glDeleteFramebuffers(1, [number])
        for texture in (self.colour, self.depth):
            if texture:
                texture.release()


class Multisampled(Owned):
    """Colour (sRGB, so that blending and averaging happen in linear light), depth and stencil with several samples a
    pixel."""

    kind = "framebuffer"

    def __init__(self, size: tuple[int, int], samples: int):
        super().__init__(GL.glGenFramebuffers(1))
        self.size = size
        self._renderbuffers = [
            _Renderbuffer(GL.GL_SRGB8_ALPHA8, size, samples),
            _Renderbuffer(GL.GL_DEPTH24_STENCIL8, size, samples),
        ]
        calls.glBindFramebuffer(GL.GL_FRAMEBUFFER, self.number)
        for buffer, place in zip(self._renderbuffers, (GL.GL_COLOR_ATTACHMENT0, GL.GL_DEPTH_STENCIL_ATTACHMENT)):
            GL.glFramebufferRenderbuffer(GL.GL_FRAMEBUFFER, place, GL.GL_RENDERBUFFER, buffer.number)
        _complete()

    def bind(self) -> None:
        calls.glBindFramebuffer(GL.GL_FRAMEBUFFER, self.number)

    def resolve(self, target: Framebuffer) -> None:
        """Average the samples of each pixel into `target`, which must be as large and sRGB."""
        calls.glBindFramebuffer(GL.GL_READ_FRAMEBUFFER, self.number)
        calls.glBindFramebuffer(GL.GL_DRAW_FRAMEBUFFER, target.number)
        whole = (0, 0, *self.size)
        calls.glBlitFramebuffer(*whole, *whole, GL.GL_COLOR_BUFFER_BIT, GL.GL_NEAREST)

    def _delete(self, number):
        GL.glDeleteFramebuffers(1, [number])
        for buffer in self._renderbuffers:
            buffer.release()


class _Renderbuffer(Owned):
    kind = "renderbuffer"

    def __init__(self, form, size, samples):
        super().__init__(GL.glGenRenderbuffers(1))
        GL.glBindRenderbuffer(GL.GL_RENDERBUFFER, self.number)
        GL.glRenderbufferStorageMultisample(GL.GL_RENDERBUFFER, samples, form, *size)

    def _delete(self, number):
        GL.glDeleteRenderbuffers(1, [number])


def _complete():
    status = GL.glCheckFramebufferStatus(GL.GL_FRAMEBUFFER)
    if status != GL.GL_FRAMEBUFFER_COMPLETE:
        raise RuntimeError(f"the graphics driver refused a framebuffer (status {int(status):#x})")
