"""What characters stand in: backdrop, floor, and the darkness where a body comes close to it."""

from motiongraph.viewer.draw.frame import Batch, Capsules, SceneFrame, Solids, Spheres
from motiongraph.viewer.draw.shadow import Fitted
from motiongraph.viewer.draw.store import Store
from motiongraph.viewer.draw.uniforms import COMPARE_UNIT, DEPTH_UNIT, POINT, ROWS_UNIT
from motiongraph.viewer.gl import calls
from motiongraph.viewer.gl.buffers import Geometry
from motiongraph.viewer.gl.calls import GL
from motiongraph.viewer.gl.context import MULTIPLIED, OVER, Mode, set_mode
from motiongraph.viewer.gl.program import Program

_BACKDROP = Mode(scissor=True, srgb=True)
# The floor leaves its depth, so that what lies under it is hidden; seen from below it hides nothing.
_FLOOR = Mode(GL.GL_ALWAYS, write=True, blend=OVER, scissor=True, srgb=True)
_SEEN_THROUGH = Mode(blend=OVER, scissor=True, srgb=True)
_DARKENING = Mode(blend=MULTIPLIED, scissor=True, srgb=True)


class Surroundings:
    """Drawn first, the farthest first, so that nothing needs a depth test but what comes after."""

    def __init__(self):
        self._backdrop, self._floor, self._shadow = Program("backdrop"), Program("floor"), Program("floor_shadow")
        self._contact: dict[type[Batch], Program] = {
            Capsules: Program("contact"),
            Solids: Program("contact", ("SOLIDS",)),
            Spheres: Program("contact", ("SPHERES",)),
        }
        for program in (self._backdrop, self._floor, self._shadow, *self._contact.values()):
            program.bind_block("Frame", POINT)
        self._shadow.use()
        self._shadow["shadow_depth"], self._shadow["shadow_compare"] = DEPTH_UNIT, COMPARE_UNIT
        for program in self._contact.values():
            program.use()
            program["rows"], program["first"] = ROWS_UNIT, 0
        self._nothing = Geometry()

    def draw(self, scene: SceneFrame, store: Store, shadow: Fitted | None, below: bool) -> None:
        """below: the eye is under the floor, which is then seen through."""
        self._nothing.bind()
        set_mode(_BACKDROP)
        self._backdrop.use()
        calls.glDrawArrays(GL.GL_TRIANGLES, 0, 3)
        floor = scene.floor
        if floor.style == "none":
            return
        set_mode(_SEEN_THROUGH if below else _FLOOR)
        self._floor.use()
        calls.glDrawArrays(GL.GL_TRIANGLE_STRIP, 0, 4)
        if below:
            return
        set_mode(_DARKENING)
        if shadow:
            self._shadow.use()
            self._shadow["part"] = shadow.footprint(floor.height, scene.light.softness)
            calls.glDrawArrays(GL.GL_TRIANGLE_STRIP, 0, 4)
        if floor.contact > 0.0:
            self._draw_contact(scene, store)

    def _draw_contact(self, scene: SceneFrame, store: Store) -> None:
        bones = any(isinstance(b, Capsules | Solids) and len(b) for b in scene.batches)
        for batch in scene.batches:
            kind = type(batch)
            # Joints are inside the bones and would darken the floor twice; planes and meshes have no thickness.
            if kind not in self._contact or not len(batch) or (kind is Spheres and bones):
                continue
            if isinstance(batch, Solids) and batch.shape not in ("box", "cylinder"):
                continue
            program = self._contact[kind]
            program.use()
            program["strength"] = scene.floor.contact
            stored = store.ready(batch)
            stored.rows.bind(ROWS_UNIT)
            calls.glDrawArraysInstanced(GL.GL_TRIANGLE_STRIP, 0, 4, stored.count)

    def release(self) -> None:
        for owned in (self._backdrop, self._floor, self._shadow, *self._contact.values(), self._nothing):
            owned.release()
