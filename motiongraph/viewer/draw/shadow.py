"""The shadow map: depth seen from the sun, fitted around what casts shadows."""

import math
from typing import NamedTuple

from motiongraph.viewer.draw.batches import Bodies
from motiongraph.viewer.draw.frame import Batch, SceneFrame
from motiongraph.viewer.draw.store import Store
from motiongraph.viewer.draw.uniforms import COMPARE_UNIT, DEPTH_UNIT, POINT, light_view
from motiongraph.viewer.gl import calls
from motiongraph.viewer.gl.buffers import Blocks
from motiongraph.viewer.gl.calls import GL
from motiongraph.viewer.gl.context import Mode, set_mode
from motiongraph.viewer.gl.textures import Framebuffer, ShadowSampler
from motiongraph.viewer.matrices import dmat3, dmat4, dvec3, glm, product

_LEAST, _STEP = 1.5, 1.15  # metres of the smallest radius, and how sizes are rounded up
_LOG_STEP = math.log(_STEP)
_FARTHEST = 40.0  # metres of radius beyond which a map would be too coarse to be worth having
_MODE = Mode(GL.GL_LESS, write=True, srgb=True, clamp=True)  # what is nearer to the sun than the map still casts


def fit(turn: dmat3, low: dvec3, high: dvec3, resolution: int) -> tuple[dmat4, float, float]:
    """World to the sun's clip space, metres per texel and metres of depth; turn: world to the axes of the sun; low,
    high: corners of the box around the casters.

    The radius moves in steps and the centre by whole texels, so that edges do not crawl when characters walk.
    """
    radius = max(0.5 * glm.distance(low, high), _LEAST)
    radius = min(_LEAST * _STEP ** math.ceil(math.log(radius / _LEAST) / _LOG_STEP), _FARTHEST)
    texel = 2.0 * radius / resolution
    across, upward, ahead = product(turn, 0.5 * (low + high))
    # What receives shadows may lie behind what casts them as far as a shadow falls across the floor.
    depth = 6.0 * radius
    centre = dvec3(round(across / texel) * texel, round(upward / texel) * texel, ahead + radius - 0.5 * depth)
    lens = glm.translate(glm.scale(dvec3(1.0 / radius, 1.0 / radius, -2.0 / depth)), -centre)
    return product(lens, dmat4(turn)), texel, depth


class Fitted(NamedTuple):
    """What casts shadows in a scene, and where its map lies."""

    casters: list[Batch]
    low: dvec3  # corners of the box around the casters
    high: dvec3
    towards: dvec3  # direction to the sun, of length one
    matrix: dmat4  # as `fit` gives it, with what follows
    texel: float
    depth: float

    def footprint(self, height: float, softness: float) -> tuple[float, float, float, float]:
        """Lowest x and z, highest x and z of the floor at this height that the casters can shade."""
        (x, y, z), (low_x, low_y, low_z), (high_x, high_y, high_z) = self.towards, self.low, self.high
        steep = max(y, 0.05)
        near, far = max(low_y - height, 0.0) / steep, max(high_y - height, 0.0) / steep
        margin = 0.05 + softness * far
        return (
            low_x + min(-near * x, -far * x) - margin,
            low_z + min(-near * z, -far * z) - margin,
            high_x + max(-near * x, -far * x) + margin,
            high_z + max(-near * z, -far * z) + margin,
        )


class ShadowMap:
    """Draws the casters of a scene as seen from the sun."""

    def __init__(self, resolution: int = 2048):
        self.resolution = resolution
        self._target = Framebuffer("depth", (resolution, resolution))
        self._sampler = ShadowSampler()
        self._drawn: tuple[dmat4, list[tuple[Batch, int, int]]] | None = None  # matrix, batches as drawn

    def fitted(self, scene: SceneFrame, store: Store, bodies: Bodies) -> Fitted | None:
        """What there is to draw, if anything."""
        if not scene.light.shadows or scene.light.sun <= 0.0:
            return None
        casters = [b for b in scene.batches if b.shadow and b.groups is None and len(b) and bodies.draws(b)]
        if not casters:
            return None
        first, *others = [store.ready(batch) for batch in casters]
        low, high = first.low, first.high
        for stored in others:
            low, high = glm.min(low, stored.low), glm.max(high, stored.high)
        if not glm.distance(low, high) < math.inf:
            return None
        towards = glm.normalize(dvec3(scene.light.towards))
        return Fitted(casters, low, high, towards, *fit(light_view(towards), low, high, self.resolution))

    def draw(self, fitted: Fitted, block: int, blocks: Blocks, store: Store, bodies: Bodies) -> bool:
        """Draw it, unless the map shows just that; block: of the frame, as seen from the sun. Whether it was drawn."""
        now = fitted.matrix, [(batch, batch.version, len(batch)) for batch in fitted.casters]
        if now == self._drawn:
            return False
        self._drawn = now
        blocks.bind(block, POINT)
        self._target.bind()
        set_mode(_MODE)
        calls.glClear(GL.GL_DEPTH_BUFFER_BIT)
        for batch in fitted.casters:
            bodies.draw_depth(batch, store.ready(batch))
        return True

    def bind(self) -> None:
        """For reading, on two units: plain and compared."""
        self._target.texture.bind(DEPTH_UNIT)
        self._target.texture.bind(COMPARE_UNIT)
        self._sampler.bind(COMPARE_UNIT)

    def unbind(self) -> None:
        calls.glBindSampler(COMPARE_UNIT, 0)

    def release(self) -> None:
        self._target.release()
        self._sampler.release()
