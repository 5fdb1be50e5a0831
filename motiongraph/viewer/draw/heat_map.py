"""Heat maps: a matrix on the card, sent once in pieces, coloured anew whenever its threshold or the view changes.

The costs are never touched again on the processor: a fragment shader colours what is seen into a canvas as large as the
plot. Coarser levels hold the lowest costs (`app.matrix.heat.pyramid`), so that no minimum vanishes from afar.
"""

from collections.abc import Sequence
from itertools import product
from math import ceil, log2
from typing import Any

import numpy as np

from motiongraph.viewer.draw.shown import Shown
from motiongraph.viewer.gl import calls
from motiongraph.viewer.gl.buffers import Geometry
from motiongraph.viewer.gl.calls import GL
from motiongraph.viewer.gl.context import Mode, forget, set_mode
from motiongraph.viewer.gl.program import Program
from motiongraph.viewer.gl.textures import Framebuffer, Size, Texture

_EDGE = 512  # texels of a piece: every driver has that many, and one is sent in far less than a frame
_A_FRAME = 1 << 19  # texels sent in one frame
_BACKGROUND = (0.055, 0.060, 0.072, 1.0)
_COLOURED = Mode()

Levels = Sequence[np.ndarray]  # a pyramid of costs (rows, columns), the finest first, each half as large as the last
Seen = tuple[float, float, float, float]  # left, top, right, bottom in cells, also outside of the matrix


class _Piece:
    """A rectangle of one level; cells: first column and row, and those after its last, of the finest level."""

    def __init__(self, level: np.ndarray, number: int, row: int, column: int):
        costs = level[row : row + _EDGE, column : column + _EDGE]
        self.step = 1 << number
        high, wide = costs.shape
        self.cells = tuple(float(self.step * at) for at in (column, row, column + wide, row + high))
        self.costs: np.ndarray | None = costs  # None once the card has them
        self.texture: Texture | None = None

    def send(self) -> int:
        """To the card; returns how many texels were sent."""
        if self.costs is None:
            return 0
        high, wide = self.costs.shape
        self.texture = Texture("cost", (wide, high))
        self.texture.fill(self.costs)
        self.costs = None
        return high * wide


class HeatMap:
    """One matrix and the canvas it is seen on; its creator releases it."""

    def __init__(self):
        self._program, self._nothing = Program("heat"), Geometry()
        self._canvas: Framebuffer | None = None
        self._levels: list[list[_Piece]] = []
        self._waiting: list[_Piece] = []
        self._matrix: Levels | None = None
        self._drawn: tuple[Any, ...] | None = None  # what the canvas shows: see `show`

    @property
    def complete(self) -> bool:
        """Whether every piece is on the card."""
        return not self._waiting

    def show(self, levels: Levels, seen: Seen, size: Size, threshold: float, highest: float) -> int:
        """The number of a texture of `size` pixels with the part `seen` of a matrix, its first row of pixels the top
        one. Other levels than last time are sent to the card, a little every frame, the coarsest first."""
        if levels is not self._matrix:
            self._take(levels)
        forget()
        self._send()
        now = len(self._waiting), tuple(seen), tuple(size), threshold, highest
        if self._canvas is None or self._canvas.size != tuple(size):
            if self._canvas is not None:
                self._canvas.release()
            self._canvas, self._drawn = Framebuffer("rgba", size), None
        if now != self._drawn:
            self._drawn = now
            self._draw(self._canvas, seen, threshold, highest)
        return self._canvas.texture.number

    def forget(self) -> None:
        """Give back what the matrix and its canvas take on the card."""
        if self._matrix is not None:
            self._take(())
        if self._canvas is not None:
            self._canvas.release()
            self._canvas = None

    def _take(self, levels: Levels) -> None:
        for piece in (piece for level in self._levels for piece in level):
            if piece.texture is not None:
                piece.texture.release()
        self._matrix, self._drawn = levels or None, None
        self._levels = [
            [
                _Piece(level, number, row, column)
                for row, column in product(range(0, level.shape[0], _EDGE), range(0, level.shape[1], _EDGE))
            ]
            for number, level in enumerate(levels)
        ]
        self._waiting = [piece for level in self._levels for piece in level]  # the last is sent first

    def _send(self) -> None:
        sent = 0
        while self._waiting and sent < _A_FRAME:
            sent += self._waiting.pop().send()

    def _draw(self, canvas: Framebuffer, seen: Seen, threshold: float, highest: float) -> None:
        canvas.bind()
        set_mode(_COLOURED)
        GL.glClearColor(*_BACKGROUND)
        calls.glClear(GL.GL_COLOR_BUFFER_BIT)
        GL.glClearColor(0.0, 0.0, 0.0, 1.0)
        program = self._program
        program.use()
        self._nothing.bind()
        left, top, right, bottom = seen
        program["costs"], program["seen"] = 0, (left, top, right, bottom)
        program["threshold"], program["highest"] = float(threshold), float(highest)
        width, height = canvas.size
        for piece in self._level(max((right - left) / width, (bottom - top) / height)):
            x0, y0, x1, y1 = piece.cells
            if piece.texture is None or x1 <= left or x0 >= right or y1 <= top or y0 >= bottom:
                continue
            program["piece"], program["step"] = piece.cells, float(piece.step)
            piece.texture.bind(0)
            calls.glDrawArrays(GL.GL_TRIANGLE_STRIP, 0, 4)
        calls.glBindFramebuffer(GL.GL_FRAMEBUFFER, 0)

    def _level(self, cells: float) -> list[_Piece]:
        """The pieces to draw where a pixel is so many cells wide: no finer than can be seen, and all of them there."""
        finest = max(ceil(log2(max(cells, 1e-9)) - 0.01), 0)
        for level in self._levels[min(finest, max(len(self._levels) - 1, 0)) :]:
            if all(piece.texture is not None for piece in level):
                return level
        return []

    def release(self) -> None:
        self.forget()
        self._program.release()
        self._nothing.release()


class Heats(Shown[HeatMap]):
    """The heat maps of the panels."""

    def __init__(self):
        super().__init__(HeatMap)
        self.kept: dict[str, Any] = {}  # what panels remember of them from frame to frame
