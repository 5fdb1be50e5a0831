"""The shadow map: depth seen from the sun, fitted around what casts shadows."""

import math
from typing import NamedTuple

from OpenGL import GL

from motiongraph.viewer.draw.frame import Batch, SceneFrame
from motiongraph.viewer.draw.store import Store
from motiongraph.viewer.draw.uniforms import POINT, Axes, Point, light_axes
from motiongraph.viewer.gl import calls
from motiongraph.viewer.gl.buffers import Blocks
from motiongraph.viewer.gl.framebuffer import Framebuffer
from motiongraph.viewer.gl.state import Mode, set_mode
from motiongraph.viewer.gl.texture import ShadowSampler

DEPTH_UNIT, COMPARE_UNIT = 1, 2
_LEAST, _STEP = 1.5, 1.15  # metres of the smallest radius, and how sizes are rounded up
_LOG_STEP = math.log(_STEP)
_FARTHEST = 40.0  # metres of radius beyond which a map would be too coarse to be worth having
_MODE = Mode(GL.GL_LESS, write=True, srgb=True, clamp=True)  # what is nearer to the sun than the map still casts

Matrix = tuple[tuple[float, float, float, float], ...]


def fit(axes: Axes, low: Point, high: Point, resolution: int) -> tuple[Matrix, float, float]:
    """World to light's clip space (rows of a 4 × 4 matrix), metres a texel and metres of depth, for the axes of a sun
    and casters in the box low … high.

    The radius moves in steps and the centre by whole texels, so that edges do not crawl when characters walk.
    """
    radius = max(0.5 * math.dist(low, high), _LEAST)
    radius = min(_LEAST * _STEP ** math.ceil(math.log(radius / _LEAST) / _LOG_STEP), _FARTHEST)
    texel = 2.0 * radius / resolution
    x, y, z = 0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0.5 * (low[2] + high[2])
    (a, b, c), (d, e, f), (g, h, i) = axes
    across, upward = round((a * x + b * y + c * z) / texel) * texel, round((d * x + e * y + f * z) / texel) * texel
    # What receives shadows may lie behind what casts them as far as a shadow falls across the floor.
    depth = 6.0 * radius
    ahead, deep = g * x + h * y + i * z, -2.0 / depth
    matrix = (
        (a / radius, b / radius, c / radius, -across / radius),
        (d / radius, e / radius, f / radius, -upward / radius),
        (deep * g, deep * h, deep * i, -deep * (ahead + radius) - 1.0),
        (0.0, 0.0, 0.0, 1.0),
    )
    return matrix, texel, depth


class Fitted(NamedTuple):
    """What casts shadows in a scene and the place of its map: `fit` gives matrix, texel and depth; low, high: corners
    of the box around the casters; towards: the sun."""

    casters: list[Batch]
    low: Point
    high: Point
    towards: Point
    matrix: Matrix
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
        self._target = Framebuffer(None, (resolution, resolution), depth=True)
        self._sampler = ShadowSampler()
        self._drawn = None

    def fitted(self, scene: SceneFrame, store: Store, bodies) -> Fitted | None:
        """What there is to draw, if anything."""
        if not scene.light.shadows or scene.light.sun <= 0.0:
            return None
        casters = [b for b in scene.batches if b.shadow and b.groups is None and len(b) and bodies.draws(b)]
        if not casters:
            return None
        first, *others = [store.ready(batch) for batch in casters]
        low, high = first.low, first.high
        for stored in others:
            low, high = tuple(map(min, low, stored.low)), tuple(map(max, high, stored.high))
        if not math.dist(low, high) < math.inf:
            return None
        axes = light_axes(scene.light.towards)
        return Fitted(casters, low, high, axes[2], *fit(axes, low, high, self.resolution))

    def draw(self, fitted: Fitted, block: int, blocks: Blocks, store: Store, bodies) -> bool:
        """Draw it, unless the map shows just that; block: of the frame, as seen from the sun. Whether it was drawn."""
        wanted = fitted.matrix, [(batch, batch.version, len(batch)) for batch in fitted.casters]
        if wanted == self._drawn:
            return False
        self._drawn = wanted
        blocks.bind(block, POINT)
        self._target.bind()
        set_mode(_MODE)
        calls.glClear(GL.GL_DEPTH_BUFFER_BIT)
        for batch in fitted.casters:
            bodies.draw_depth(batch, store.ready(batch))
        return True

    def bind(self) -> None:
        """For reading, on two units: plain and compared."""
        self._target.depth.bind(DEPTH_UNIT)
        self._target.depth.bind(COMPARE_UNIT)
        self._sampler.bind(COMPARE_UNIT)

    def unbind(self) -> None:
        calls.glBindSampler(COMPARE_UNIT, 0)

    def release(self) -> None:
        self._target.release()
        self._sampler.release()
