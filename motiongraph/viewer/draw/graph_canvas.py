"""A canvas for the graph: clips as bars, transitions as curves, one instance each, drawn only when something changed.

Where lines meet, the brighter one is seen, so that the order in which they are drawn does not matter: a picture of
many curves may take several frames, each of which draws as many as its time allows. Until enough of a new picture is
there, the one before is shown, so that nothing flickers while a slider moves.
"""

from time import perf_counter

import numpy as np

from motiongraph.viewer.draw.frame import Sheet
from motiongraph.viewer.draw.shown import Shown
from motiongraph.viewer.gl import calls, context
from motiongraph.viewer.gl.buffers import Geometry, Rows
from motiongraph.viewer.gl.calls import GL
from motiongraph.viewer.gl.context import OVER, Mode
from motiongraph.viewer.gl.program import Program
from motiongraph.viewer.gl.textures import Framebuffer

WALK = 3  # the state of a curve that is walked; others are those of `app.lanes`
_BUDGET = 0.003  # seconds a frame may draw curves for
_ENOUGH = 600  # curves that make a picture worth showing
_LEAST, _GUESS = 250, 2e-6  # curves a frame always draws; seconds for one, before it is known
_STEPS = 12  # as in shaders/curves.vert
_BARS, _LINES = Mode(blend=OVER), Mode(blend=(GL.GL_ONE, GL.GL_ONE))


class _Page:
    """A sheet and how much of it is drawn."""

    def __init__(self, target: Framebuffer):
        self.target = target
        self.sheet: Sheet | None = None
        self.done = 0  # curves drawn so far


class Canvas:
    """One picture of the graph. Needs a current context, in which it must also be released."""

    def __init__(self):
        self._curves, self._bars = Program("curves"), Program("curves", ("BARS",))
        self._nothing = Geometry()
        self._rows: Rows
        self._picks: Rows
        self._bar_rows: Rows  # the three are there while there are pages
        self._pages: list[_Page] = []  # what is shown, and what is coming
        self._held: np.ndarray | None = None
        self._each = _GUESS

    @property
    def done(self) -> int:
        """How many curves the picture has so far."""
        return self._pages[0].done if self._pages else 0

    @property
    def busy(self) -> bool:
        """Whether a sheet is coming that is not shown yet: another of the same place would have to wait."""
        return bool(self._pages) and self._pages[1].sheet is not None

    def show(self, sheet: Sheet) -> int:
        """The number of a texture with the sheet, or with as much of it as there was time for; ask every frame."""
        if not self._pages:
            self._rows, self._picks, self._bar_rows = Rows(), Rows(), Rows()
        if not self._pages or self._pages[0].target.size != sheet.size:
            self._release_pages()
            self._pages = [_Page(Framebuffer("rgba", sheet.size)) for _ in range(2)]
        shown, coming = self._pages
        moved = shown.sheet is None or shown.sheet.place != sheet.place or shown.sheet.rows is not sheet.rows
        if moved:  # what is drawn over the picture is there already
            if shown.sheet is not sheet:
                self._begin(shown, sheet)
            coming.sheet = None
        elif coming.sheet is None and shown.sheet is not sheet:
            self._begin(coming, sheet)
            if _ENOUGH * self._each > _BUDGET:  # it takes several frames anyhow: choosing the curves was enough for one
                return shown.target.texture.number
        page = shown if coming.sheet is None else coming
        if page.sheet is not None:
            self._go_on(page, page.sheet)
            if page is coming and page.done >= min(len(page.sheet.picks), _ENOUGH):
                shown.sheet = None
                self._pages = [coming, shown]
        return self._pages[0].target.texture.number

    def _begin(self, page: _Page, sheet: Sheet) -> None:
        """The paper and the bars; what the card needs for the curves."""
        page.sheet, page.done = sheet, 0
        context.forget()
        if len(sheet.rows) and sheet.rows is not self._held:
            self._rows.upload(sheet.rows)
            self._held = sheet.rows
        if len(sheet.picks):
            padded = np.zeros(-(-len(sheet.picks) // 4) * 4, np.float32)
            padded[: len(sheet.picks)] = sheet.picks
            self._picks.upload(padded)
        page.target.bind()
        context.set_mode(_BARS)
        GL.glClearColor(*sheet.paper)
        calls.glClear(GL.GL_COLOR_BUFFER_BIT)
        if len(sheet.bars):
            self._bar_rows.upload(sheet.bars)
            self._bars.use()
            self._set(self._bars, sheet)
            self._nothing.bind()
            self._bar_rows.bind(0)
            calls.glDrawArraysInstanced(GL.GL_TRIANGLE_STRIP, 0, 4, len(sheet.bars))
        self._leave()

    def _go_on(self, page: _Page, sheet: Sheet) -> None:
        """As many more of a page's curves as there is time for in a frame."""
        program = self._curves
        count = min(max(int(_BUDGET / self._each), _LEAST), len(sheet.picks) - page.done)
        if count == 0:
            return
        began = perf_counter()
        context.forget()
        page.target.bind()
        context.set_mode(_LINES)
        light = sum(sheet.paper[:3]) > 1.5  # on light paper the darker of two lines is kept
        GL.glBlendEquation(GL.GL_MIN if light else GL.GL_MAX)
        program.use()
        self._set(program, sheet)
        program["paper"], program["picks"], program["first"] = sheet.paper, 1, page.done
        program["walk"] = *sheet.walk, float(light)
        self._nothing.bind()
        self._rows.bind(0)
        self._picks.bind(1)
        calls.glDrawArraysInstanced(GL.GL_TRIANGLE_STRIP, 0, 2 * (_STEPS + 1), count)
        GL.glBlendEquation(GL.GL_FUNC_ADD)
        GL.glFlush()
        page.done += count
        if count >= _LEAST:
            self._each += 0.3 * ((perf_counter() - began) / count - self._each)
        self._leave()

    @staticmethod
    def _leave() -> None:
        context.bind_vertices(0)
        calls.glBindFramebuffer(GL.GL_FRAMEBUFFER, 0)
        context.forget()

    @staticmethod
    def _set(program: Program, sheet: Sheet) -> None:
        program["rows"], program["place"] = 0, sheet.place
        program["canvas"] = *sheet.size, 0.5 * sheet.width, max(sheet.max_cost, 1e-9)

    def _release_pages(self) -> None:
        for page in self._pages:
            page.target.release()
        self._pages = []

    def forget(self) -> None:
        """Give back what the picture takes on the card."""
        if self._pages:
            self._release_pages()
            for rows in (self._rows, self._picks, self._bar_rows):
                rows.release()
            self._held = None

    def release(self) -> None:
        self.forget()
        for owned in (self._curves, self._bars, self._nothing):
            owned.release()


class Canvases(Shown[Canvas]):
    """The canvases of the panels."""

    def __init__(self):
        super().__init__(Canvas)
