"""What there is to know of the current OpenGL context, and whether it will do."""

from dataclasses import dataclass

from OpenGL import GL

from motiongraph.errors import MotionError


@dataclass(frozen=True)
class Context:
    """version: (major, minor); renderer: the driver's name for itself; samples: most samples a pixel can have."""

    version: tuple[int, int]
    renderer: str
    samples: int

    @property
    def software(self) -> bool:
        """Whether the processor draws, not a graphics card."""
        return any(word in self.renderer.lower() for word in ("llvmpipe", "softpipe", "swrast", "swiftshader"))


def current_context() -> Context:
    """The context that is current in this thread, or a sentence about why it cannot be used."""
    words = GL.glGetString(GL.GL_RENDERER)
    if words is None:
        raise MotionError("there is no OpenGL context to draw with")
    version = int(GL.glGetIntegerv(GL.GL_MAJOR_VERSION)), int(GL.glGetIntegerv(GL.GL_MINOR_VERSION))
    renderer = words.decode(errors="replace")
    if version < (3, 3):
        raise MotionError(f"OpenGL 3.3 is needed, and {renderer} offers {version[0]}.{version[1]}")
    return Context(version, renderer, int(GL.glGetIntegerv(GL.GL_MAX_SAMPLES)))
