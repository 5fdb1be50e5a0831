"""Draws batches: bodies (skins, capsules, boxes and other solids) and overlays (lines, points, marks)."""

import math
from weakref import WeakKeyDictionary

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.model.mesh import Mesh, box, capsule, cylinder, plane, sphere
from motiongraph.viewer.draw.frame import Batch, Capsules, Lines, Marks, Points, Skins, Solids, Spheres
from motiongraph.viewer.draw.store import Store, Stored
from motiongraph.viewer.draw.uniforms import COMPARE_UNIT, DEPTH_UNIT, LIMBS_UNIT, POINT, ROWS_UNIT
from motiongraph.viewer.gl import calls
from motiongraph.viewer.gl.buffers import Geometry
from motiongraph.viewer.gl.calls import GL
from motiongraph.viewer.gl.program import Program
from motiongraph.viewer.matrices import dvec3, glm

# Vertices around and rings of each round end, from fine to coarse.
_FINENESS = ((40, 8), (28, 6), (20, 4), (14, 3), (8, 2), (6, 1))
_THICK = 0.1  # metres of radius: what must look round
_ROUGH = 0.12  # pixels by which an outline may miss its circle
_TALL = 420, 150, 55  # pixels that a character is high where the next coarser level of its skin will do
_SHRUNK = 0.009  # metres by which a skin is smaller in the shadow map
_MOST_TRIANGLES = 700_000
_FEW_TRIANGLES = 12_000  # where a processor draws, which feels every corner
_MOST_OCCLUDED = 1500  # capsules; in a crowd nobody sees what a limb does to another, and every pixel would pay


_Middle = tuple[dvec3, int, int]  # of a body: its middle, its first row, the row after its last


class Bodies:
    """Draws batches of solids with one call each; of translucent ones, two for each body."""

    def __init__(self, store: Store, occlusion: bool = True):
        self._store, self._occlusion = store, occlusion
        self._most = _MOST_TRIANGLES if occlusion else _FEW_TRIANGLES
        self._lit: dict[type[Batch], Program] = {}
        self._depth: dict[type[Batch], Program] = {}
        # Version and length of a translucent batch, and the middles of its bodies then.
        self._known: WeakKeyDictionary[Batch, tuple[tuple[int, int], list[_Middle]]] = WeakKeyDictionary()
        for kind, name in ((Capsules, "capsule"), (Spheres, "sphere"), (Solids, "solid"), (Skins, "skin")):
            self._lit[kind] = Program(name)
            self._depth[kind] = Program(name, ("DEPTH_ONLY",))
        self._occluded = {Capsules: Program("capsule", ("OCCLUDED",)), Skins: Program("skin", ("OCCLUDED",))}
        for program in [*self._lit.values(), *self._depth.values(), *self._occluded.values()]:
            program.bind_block("Frame", POINT)
            program.use()
            program["rows"] = ROWS_UNIT
        for program in self._occluded.values():
            program.use()
            program["limbs"] = LIMBS_UNIT
        for program in [*self._lit.values(), *self._occluded.values()]:
            program.use()
            program["shadow_depth"], program["shadow_compare"] = DEPTH_UNIT, COMPARE_UNIT
        self._capsules = [Geometry(capsule(around, rings)) for around, rings in _FINENESS]
        self._spheres = [Geometry(sphere(around, 2 * rings)) for around, rings in _FINENESS]
        self._solids = {
            "box": Geometry(box()),
            "cylinder": Geometry(cylinder(32)),
            "plane": Geometry(plane()),
        }

    def draws(self, batch: Batch) -> bool:
        """Whether it is a batch of solids."""
        return type(batch) in self._lit

    def draw(self, batch: Batch, stored: Stored, eye: dvec3, zoom: float) -> None:
        """All of an opaque batch as seen from the eye; zoom: pixels that a metre is high at a distance of one."""
        level = self._level(batch, stored, eye, zoom)
        self._bind(self._program(batch), batch, stored, level).draw(_instances(batch, stored.count))

    def draw_depth(self, batch: Batch, stored: Stored) -> None:
        """Only its depth, for the shadow, which is soft enough to be coarse."""
        if isinstance(batch, Skins):
            level = _affordable_skin(batch, int(stored.count > 3 * batch.each), stored.count, self._most)
            self._shrink(_SHRUNK)
            self._bind(self._depth[Skins], batch, stored, level).draw(_instances(batch, stored.count))
            self._shrink(0.0)
            return
        level = _affordable(3, stored.count, self._most)
        self._bind(self._depth[type(batch)], batch, stored, level).draw(stored.count)

    def _shrink(self, metres: float) -> None:
        program = self._depth[Skins]
        program.use()
        program["shrunk"] = metres

    def draw_translucent(self, items: list[tuple[Batch, Stored]], eye: dvec3, zoom: float) -> None:
        """Bodies of several batches, the farthest first. Each leaves its depth before its colour, so that only its
        outside is blended and not the bones within it; its number in the stencil keeps surfaces that coincide from
        being blended twice."""
        order = [
            (glm.distance(middle, eye), i, start, stop)
            for i, (batch, _) in enumerate(items)
            for middle, start, stop in self._middles(batch)
        ]
        levels = [self._level(batch, stored, eye, zoom) for batch, stored in items]
        calls.glEnable(GL.GL_STENCIL_TEST)
        GL.glStencilOp(GL.GL_KEEP, GL.GL_KEEP, GL.GL_REPLACE)
        GL.glStencilMask(0xFF)
        for drawn, (_, i, start, stop) in enumerate(sorted(order, reverse=True)):
            batch, stored = items[i]
            if drawn % 255 == 0:
                calls.glClear(GL.GL_STENCIL_BUFFER_BIT)
            for program, colour in ((self._depth[type(batch)], False), (self._program(batch), True)):
                GL.glColorMask(colour, colour, colour, colour)
                GL.glStencilMask(0xFF if colour else 0)
                GL.glStencilFunc(GL.GL_NOTEQUAL, 1 + drawn % 255, 0xFF)
                self._bind(program, batch, stored, levels[i], start).draw(_instances(batch, stop - start))
        calls.glDisable(GL.GL_STENCIL_TEST)

    def _middles(self, batch: Batch) -> list[_Middle]:
        """Of every body of a translucent batch; kept as long as it is unchanged."""
        known = self._known.get(batch)
        if known is None or known[0] != (batch.version, len(batch)):
            known = self._known[batch] = (batch.version, len(batch)), _middles(batch)
        return known[1]

    def _level(self, batch: Batch, stored: Stored, eye: dvec3, zoom: float) -> int:
        """How fine a batch must be drawn, as seen from the eye."""
        away = max(glm.distance(eye, glm.clamp(eye, stored.low, stored.high)), 0.3)
        if isinstance(batch, Skins) and batch.surface:
            tall = batch.surface.pose.size * 1.75 * zoom / away
            return _affordable_skin(batch, sum(tall < pixels for pixels in _TALL), stored.count, self._most)
        return _level(away, zoom, stored.count, self._most)

    def _program(self, batch: Batch) -> Program:
        """What draws its colours: with its limbs shading each other, unless it is a crowd."""
        capsules = batch.capsules if isinstance(batch, Skins) else batch
        occluded = isinstance(capsules, Capsules) and capsules.body > 1 and len(capsules) <= _MOST_OCCLUDED
        return self._occluded[type(batch)] if occluded and self._occlusion else self._lit[type(batch)]

    def _bind(self, program: Program, batch: Batch, stored: Stored, level: int, first: int = 0) -> Geometry:
        program.use()
        program["first"] = first
        capsules = batch
        if isinstance(batch, Skins):
            program["each"] = batch.each
            capsules = batch.capsules
        if isinstance(capsules, Capsules) and program in self._occluded.values():
            program["body"] = capsules.body
            self._store.ready(capsules).rows.bind(LIMBS_UNIT)
        stored.rows.bind(ROWS_UNIT)
        geometry = self._geometry(batch, level)
        geometry.bind()
        return geometry

    def _geometry(self, batch: Batch, level: int) -> Geometry:
        if isinstance(batch, Solids):
            if isinstance(batch.shape, Mesh):
                return self._store.geometry(batch.shape)
            if batch.shape not in self._solids:
                raise MotionError(f"no solid is called {batch.shape!r}; there are {', '.join(self._solids)}")
            return self._solids[batch.shape]
        if isinstance(batch, Skins) and batch.surface:
            return self._store.geometry(batch.surface.levels[level])
        return (self._capsules if isinstance(batch, Capsules) else self._spheres)[level]

    def release(self) -> None:
        programs = *self._lit.values(), *self._depth.values(), *self._occluded.values()
        for owned in (*programs, *self._capsules, *self._spheres, *self._solids.values()):
            owned.release()


class Overlays:
    """Draws what explains a motion and is no body: lines, points and marks on the floor, each batch with one call.
    Blended, in the order given."""

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
        elif isinstance(batch, Marks):
            program["hollow"] = batch.hollow
            calls.glDrawArraysInstanced(GL.GL_TRIANGLE_STRIP, 0, 4, count)

    def release(self) -> None:
        for owned in (*self._programs.values(), self._nothing):
            owned.release()


def _instances(batch: Batch, rows: int) -> int:
    """How often the mesh of a batch is drawn for so many rows."""
    return rows // batch.each if isinstance(batch, Skins) else rows


def _affordable_skin(batch: Skins, level: int, rows: int, most: int) -> int:
    """The next coarser level of a body at which so many rows are not too many triangles."""
    levels = batch.surface.levels if batch.surface else ()
    while level < len(levels) - 1 and _instances(batch, rows) * len(levels[level].triangles) > most:
        level += 1
    return level


def _level(away: float, zoom: float, count: int, most: int) -> int:
    """How fine round things must be for their outline to look it, as seen from so many metres away."""
    pixels = _THICK * zoom / away
    # A polygon of n corners misses its circle by radius · (1 − cos(π / n)), about radius · (π / n)² / 2.
    around = math.pi / math.sqrt(2.0 * _ROUGH / max(pixels, 0.5))
    return _affordable(max(sum(corners >= around for corners, _ in _FINENESS) - 1, 0), count, most)


def _affordable(level: int, count: int, most: int) -> int:
    """The next coarser level at which so many instances are not too many triangles."""
    while level < len(_FINENESS) - 1:
        around, rings = _FINENESS[level]
        if count * 2 * around * (2 * rings + 1) <= most:
            break
        level += 1
    return level


def _middles(batch: Batch) -> list[_Middle]:
    groups = np.asarray(batch.groups)
    groups = groups[groups <= len(batch)]
    spans = [(a, b) for a, b in zip(groups[:-1].tolist(), groups[1:].tolist()) if b > a]
    return [(dvec3(batch.middle(a, b)), a, b) for a, b in spans]
