"""What explains a motion and is no body: lines, points and marks on the floor. Blended, in the order given."""

from OpenGL import GL

from motiongraph.viewer.draw.bodies import ROWS_UNIT
from motiongraph.viewer.draw.frame import Batch, Lines, Marks, Points
from motiongraph.viewer.draw.store import Stored
from motiongraph.viewer.draw.uniforms import POINT
from motiongraph.viewer.gl import calls
from motiongraph.viewer.gl.buffers import Geometry
from motiongraph.viewer.gl.program import Program


class Overlays:
    """Draws each batch with one call."""

    def __init__(self):
        self._programs = {Lines: Program("lines"), Points: Program("points"), Marks: Program("marks")}
        for program in self._programs.values():
            program.bind_block("Frame", POINT)
            program.use()
            program["rows"] = ROWS_UNIT
        self._nothing = Geometry()

    def draws(self, batch: Batch) -> bool:
        """Whether it is an overlay."""
        return type(batch) in self._programs

    def draw(self, batch: Batch, stored: Stored) -> None:
        program, count = self._programs[type(batch)], stored.count
        program.use()
        self._nothing.bind()
        stored.rows.bind(ROWS_UNIT)
        if isinstance(batch, Lines):
            if count > 1:
                program["count"], program["width"], program["level"] = count, batch.width, int(batch.flat)
                calls.glDrawArraysInstanced(GL.GL_TRIANGLE_STRIP, 0, 4, count - 1)
        elif isinstance(batch, Points):
            program["least"] = batch.pixels
            calls.glDrawArrays(GL.GL_POINTS, 0, count)
        else:
            program["hollow"] = batch.hollow
            calls.glDrawArraysInstanced(GL.GL_TRIANGLE_STRIP, 0, 4, count)

    def release(self) -> None:
        for owned in (*self._programs.values(), self._nothing):
            owned.release()
