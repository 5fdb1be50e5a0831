"""What a picture is drawn into: as large as its panes together, with as many pixels and samples as are asked for."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from motiongraph.viewer.draw.frame import Rect, View
from motiongraph.viewer.gl import calls
from motiongraph.viewer.gl.buffers import Geometry
from motiongraph.viewer.gl.calls import GL
from motiongraph.viewer.gl.context import Context, Mode, set_mode
from motiongraph.viewer.gl.program import Program
from motiongraph.viewer.gl.textures import Framebuffer, Multisampled, Size

_PLAIN = Mode()


@dataclass(frozen=True)
class Detail:
    """How finely a picture is drawn."""

    samples: int = 4  # of each pixel, as many as the driver has at the most
    resolution: float = 1.0  # share of the pixels along an edge; the picture is then enlarged smoothly
    taps: tuple[int, int] = (10, 20)  # of the shadow map: to look for what casts a shadow, and to soften its edge


class Targets:
    """Owns the targets; they are made anew where the panes have another size.

    Fewer pixels than there is room for are those at the lower left, so that changing the resolution costs nothing.
    """

    def __init__(self, context: Context):
        self._context = context
        self._whole: Size = (0, 0)  # of the picture, of which the panes may cover a part
        self._box = (0, 0, 0, 0)  # that part: x, y, width, height in pixels, y from above
        self.inner: Size = (0, 0)  # pixels that it is drawn with
        self._single: Framebuffer | None = None  # one sample of each pixel, and what is shown
        self._several: tuple[int, Multisampled] | None = None  # how many samples, and their target
        self._samples = 1
        self._present = Program("present")
        self._present.use()
        self._present["picture"] = 0
        self._nothing = Geometry()

    @property
    def whole(self) -> Size:
        """Width and height of the picture; (0, 0) before there is one."""
        return self._whole

    def fit(self, rects: Sequence[Rect], whole: Size, detail: Detail) -> None:
        """Get ready for panes at these places of a picture of that size."""
        left, top = (max(min((int(rect[axis]) for rect in rects), default=0), 0) for axis in (0, 1))
        right, bottom = (
            min(max((math.ceil(rect[axis] + rect[axis + 2]) for rect in rects), default=0), whole[axis])
            for axis in (0, 1)
        )
        size = max(right - left, 1), max(bottom - top, 1)
        self._whole, self._box = whole, (left, top, *size)
        self.inner = max(round(detail.resolution * size[0]), 1), max(round(detail.resolution * size[1]), 1)
        if self._single is None or self._single.size != size:
            self._release()
            self._single = Framebuffer("srgb", size, tested=True)
        samples = self._samples = min(detail.samples, self._context.samples)
        if samples > 1 and (self._several is None or self._several[0] != samples):
            if self._several:
                self._several[1].release()
            self._several = samples, Multisampled(size, samples)

    def inside(self, view: View) -> View:
        """A view of the picture as one of the target."""
        (left, top, wide, high), (x, y, width, height) = self._box, view.rect
        across, down = self.inner[0] / wide, self.inner[1] / high
        if (left, top, across, down) == (0, 0, 1.0, 1.0):
            return view
        begin = round((x - left) * across), round((y - top) * down)
        end = round((x + width - left) * across), round((y + height - top) * down)
        rect = *begin, end[0] - begin[0], end[1] - begin[1]
        return view._replace(rect=rect, scale=view.scale * down)

    def bind(self) -> None:
        """Draw into them."""
        target = self._several[1] if self._samples > 1 and self._several else self._single
        assert target is not None
        target.bind()

    def finish(self) -> None:
        """Average the samples, where there are several."""
        set_mode(_PLAIN)
        if self._samples > 1 and self._several and self._single:
            self._several[1].resolve(self._single, self.inner)

    def show(self, framebuffer: int) -> None:
        """Write the finished picture into a framebuffer as large as all of it, as displays expect it."""
        if self._single is None:
            return
        x, y, wide, high = self._box
        place = x, self._whole[1] - y - high, wide, high
        calls.glBindFramebuffer(GL.GL_FRAMEBUFFER, framebuffer)
        set_mode(_PLAIN)
        if (wide, high) != self._whole:
            calls.glClear(GL.GL_COLOR_BUFFER_BIT)
        if self._context.software:  # Mesa copies sRGB as it is, which costs it a fraction of drawing
            self._single.copy(framebuffer, self.inner, place)
            calls.glBindFramebuffer(GL.GL_FRAMEBUFFER, framebuffer)
            return
        calls.glViewport(*place)
        self._present.use()
        self._present["part"] = (*place[:2], wide, high)
        self._present["used"] = self.inner[0] / wide
        self._nothing.bind()
        self._single.texture.bind(0)
        calls.glDrawArrays(GL.GL_TRIANGLES, 0, 3)

    def _release(self) -> None:
        if self._single:
            self._single.release()
        if self._several:
            self._several[1].release()
        self._single = self._several = None

    def release(self) -> None:
        self._release()
        self._present.release()
        self._nothing.release()
