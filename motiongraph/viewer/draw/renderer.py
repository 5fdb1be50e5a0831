"""The renderer: scenes seen by cameras become a picture, in a window or in memory.

Its passes, for each pane: shadow map, backdrop and floor, opaque bodies, overlays, translucent bodies, points. All
samples are averaged in linear light and written as sRGB at the end. A picture that would be the same again is kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.viewer.draw.batches import Bodies, Overlays
from motiongraph.viewer.draw.frame import Batch, Capsules, Points, SceneFrame, Skins, Solids, Spheres, View
from motiongraph.viewer.draw.shadow import Fitted, ShadowMap
from motiongraph.viewer.draw.store import Store
from motiongraph.viewer.draw.targets import Detail, Targets
from motiongraph.viewer.draw.uniforms import COMPARE_UNIT, DEPTH_UNIT, FRAME, POINT, ROWS_UNIT, seen, seen_from_sun
from motiongraph.viewer.gl import calls
from motiongraph.viewer.gl.buffers import Blocks, Geometry
from motiongraph.viewer.gl.calls import GL
from motiongraph.viewer.gl.context import MULTIPLIED, OVER, Mode, current_context, forget, set_mode
from motiongraph.viewer.gl.program import Program
from motiongraph.viewer.gl.textures import Framebuffer, Size
from motiongraph.viewer.pace import SHADOW, SOFTWARE_SHADOW, is_quick

Pane = tuple[SceneFrame, View]

_CLEARED = Mode(write=True, srgb=True)
_SOLID = Mode(GL.GL_LEQUAL, write=True, cull=True, scissor=True, srgb=True)
_BLENDED = Mode(GL.GL_LEQUAL, blend=OVER, scissor=True, srgb=True)
_TRANSLUCENT = Mode(GL.GL_LEQUAL, write=True, blend=OVER, cull=True, scissor=True, srgb=True)
_THROUGH = Mode(blend=OVER, scissor=True, srgb=True)
_BACKDROP = Mode(GL.GL_LEQUAL, scissor=True, srgb=True)
# The floor leaves its depth, so that what lies under it is hidden; seen from below it hides nothing.
_FLOOR = Mode(GL.GL_ALWAYS, write=True, scissor=True, srgb=True)
_SEEN_THROUGH = Mode(blend=OVER, scissor=True, srgb=True)
_DARKENING = Mode(blend=MULTIPLIED, scissor=True, srgb=True)


class Surroundings:
    """Drawn before everything else: the floor, then the backdrop where the floor is not."""

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
        floor = scene.floor
        if floor.style == "none":
            self._draw_backdrop()
            return
        if below:
            self._draw_backdrop()
        set_mode(_SEEN_THROUGH if below else _FLOOR)
        self._floor.use()
        calls.glDrawArrays(GL.GL_TRIANGLE_STRIP, 0, 4)
        if below:
            return
        self._draw_backdrop()
        set_mode(_DARKENING)
        if shadow:
            self._shadow.use()
            self._shadow["part"] = shadow.footprint(floor.height, scene.light.softness)
            calls.glDrawArrays(GL.GL_TRIANGLE_STRIP, 0, 4)
        if floor.contact > 0.0:
            self._draw_contact(scene, store)

    def _draw_backdrop(self) -> None:
        """As far away as can be, so that only what is still empty is drawn."""
        set_mode(_BACKDROP)
        self._backdrop.use()
        calls.glDrawArrays(GL.GL_TRIANGLES, 0, 3)

    def _draw_contact(self, scene: SceneFrame, store: Store) -> None:
        bones = any(isinstance(b, Capsules | Skins | Solids) and len(b) for b in scene.batches)
        for batch in scene.batches:
            batch = batch.capsules or batch if isinstance(batch, Skins) else batch
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


@dataclass(eq=False)
class _Prepared:
    """What a pane needs when it is drawn: its batches by kind, its shadow, and the blocks of uniforms of both."""

    scene: SceneFrame
    view: View
    shadow: Fitted | None
    sunlit: int = -1
    block: int = -1
    opaque: list[Batch] = field(default_factory=list)
    translucent: list[Batch] = field(default_factory=list)
    overlays: list[Batch] = field(default_factory=list)
    points: list[Points] = field(default_factory=list)


class Renderer:
    """Owns all that is needed to draw; needs a current context, in which it must also be released.

    samples: of each pixel, where nothing else is asked for. shadow_resolution: texels along an edge.
    occlusion: whether limbs shade each other, which costs more than all else together where the processor draws.
    """

    def __init__(self, samples: int = 4, shadow_resolution: int = SHADOW, occlusion: bool = True):
        self.context = current_context()
        self._usual = Detail(max(samples, 1))
        self._store = Store()
        self._bodies = Bodies(self._store, occlusion)
        self._shadow = ShadowMap(shadow_resolution)
        self._surroundings, self._overlays = Surroundings(), Overlays()
        self._blocks = Blocks(FRAME)
        calls.glEnable(GL.GL_PROGRAM_POINT_SIZE)
        GL.glClearColor(0.0, 0.0, 0.0, 1.0)
        self._targets = Targets(self.context)
        self._uploaded: list[_Prepared] | None = None
        self._kept: tuple[Any, Detail] | None = None  # what the target shows, see `_key`, and how finely
        self._copy: Framebuffer | None = None

    @classmethod
    def of_quality(cls, quality: str, samples: int) -> "Renderer":
        """For a window; quality: see `pace`."""
        quick = is_quick(quality, current_context().software)
        return cls(samples, SOFTWARE_SHADOW if quick else SHADOW, not quick)

    def draw(
        self, panes: Sequence[Pane], size: Size, framebuffer: int | None = 0, detail: Detail | None = None
    ) -> None:
        """Draw each scene into the rectangle of its view, in a picture of `size` (width, height) pixels.

        framebuffer: where the picture goes, 0 for the window, None to keep it for `read_pixels` only. What no pane
        covers is black. A size of zero draws nothing.
        """
        self.upload(panes, size, detail)
        self.draw_uploaded(framebuffer)

    def differs(self, panes: Sequence[Pane], size: Size) -> bool:
        """Whether this is another picture than the one drawn last."""
        return self._kept is None or self._kept[0] != _key(panes, size)

    def upload(self, panes: Sequence[Pane], size: Size, detail: Detail | None = None) -> None:
        """The first half of `draw`: send what has changed to the card, unless the last picture will do."""
        _ = self._blocks.number  # raises where the renderer was released
        forget()
        self._uploaded, asked = None, (_key(panes, size), detail or self._usual)
        self._store.begin(anew=asked != self._kept)
        if min(size) < 1:
            self._kept = None
        elif asked != self._kept:
            self._kept = None
            self._targets.fit([view.rect for _, view in panes], size, asked[1])
            self._uploaded = self._prepare(panes, asked[1].taps)
            self._kept = asked

    def draw_uploaded(self, framebuffer: int | None = 0) -> None:
        """The other half: the passes, and the picture to where it is wanted."""
        if self._kept is None:
            return
        if self._uploaded is not None:
            self._draw_panes(self._uploaded)
        if framebuffer is not None:
            self._targets.show(framebuffer)

    def _draw_panes(self, prepared: list[_Prepared]) -> None:
        targets = self._targets
        targets.bind()
        set_mode(_CLEARED)
        calls.glClear(GL.GL_COLOR_BUFFER_BIT | GL.GL_DEPTH_BUFFER_BIT)
        for pane in prepared:
            if pane.shadow and self._shadow.draw(pane.shadow, pane.sunlit, self._blocks, self._store, self._bodies):
                targets.bind()
            self._draw_pane(pane, targets.inner[1])
        self._shadow.unbind()
        targets.finish()

    def read_pixels(self) -> np.ndarray:
        """(height, width, 3) uint8, the top row first: the last picture drawn."""
        width, height = self._targets.whole
        if min(width, height) < 1:
            raise MotionError("nothing has been drawn yet")
        if self._copy is None or self._copy.size != (width, height):
            if self._copy:
                self._copy.release()
            self._copy = Framebuffer("rgba", (width, height))
        forget()
        self._targets.show(self._copy.number)
        calls.glBindFramebuffer(GL.GL_FRAMEBUFFER, self._copy.number)
        GL.glPixelStorei(GL.GL_PACK_ALIGNMENT, 1)
        pixels = np.empty((height, width, 3), np.uint8)
        GL.glReadPixels(0, 0, width, height, GL.GL_RGB, GL.GL_UNSIGNED_BYTE, pixels)
        calls.glBindFramebuffer(GL.GL_FRAMEBUFFER, 0)
        return np.ascontiguousarray(pixels[::-1])

    def _prepare(self, panes: Sequence[Pane], taps: tuple[int, int]) -> list[_Prepared]:
        """Work out what is the same for all that is drawn in each pane, and send it at once."""
        blocks, found = self._blocks, []
        blocks.clear()
        for scene, view in panes:
            view = self._targets.inside(view)
            if min(view.rect[2:]) < 1:
                continue
            pane = _Prepared(scene, view, self._shadow.fitted(scene, self._store, self._bodies))
            if pane.shadow:
                pane.sunlit = blocks.add(seen_from_sun(pane.shadow.matrix))
            pane.block = blocks.add(seen(scene, view, pane.shadow, taps))
            self._sort(scene.batches, pane)
            found.append(pane)
        if found:
            blocks.send()
        return found

    def _sort(self, batches: list[Batch], pane: _Prepared) -> None:
        for batch in batches:
            if not len(batch):
                continue
            if self._bodies.draws(batch):
                (pane.opaque if batch.groups is None else pane.translucent).append(batch)
            elif isinstance(batch, Points):
                pane.points.append(batch)
            elif self._overlays.draws(batch):
                pane.overlays.append(batch)
            else:
                raise MotionError(f"a {type(batch).__name__} cannot be drawn")

    def _draw_pane(self, pane: _Prepared, height: int) -> None:
        scene, view, ready = pane.scene, pane.view, self._store.ready
        x, y, wide, high = view.rect
        rect = x, height - y - high, wide, high
        calls.glViewport(*rect)
        calls.glScissor(*rect)
        self._blocks.bind(pane.block, POINT)
        self._shadow.bind()
        eye, zoom = view.eye, view.zoom
        self._surroundings.draw(scene, self._store, pane.shadow, eye.y < scene.floor.height)
        set_mode(_SOLID)
        for batch in pane.opaque:
            self._bodies.draw(batch, ready(batch), eye, zoom)
        set_mode(_BLENDED)
        for batch in pane.overlays:
            self._overlays.draw(batch, ready(batch))
        if pane.translucent:
            set_mode(_TRANSLUCENT)
            self._bodies.draw_translucent([(batch, ready(batch)) for batch in pane.translucent], eye, zoom)
            set_mode(_BLENDED)
        for batch in pane.points:
            set_mode(_THROUGH if batch.through else _BLENDED)
            self._overlays.draw(batch, ready(batch))

    def release(self) -> None:
        """Give everything back; using the renderer after that raises."""
        if self._copy:
            self._copy.release()
            self._copy = None
        owned = (self._store, self._bodies, self._shadow, self._surroundings, self._overlays)
        for one in (*owned, self._targets, self._blocks):
            one.release()


def _key(panes: Sequence[Pane], size: Size) -> Any:
    """Equal where the pictures are."""
    seen = [(s.light, s.floor, s.backdrop, [(b, b.version, len(b)) for b in s.batches], view) for s, view in panes]
    return size, seen
