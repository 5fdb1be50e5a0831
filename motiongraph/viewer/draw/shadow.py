"""The shadow map: depth seen from the sun, fitted around what casts shadows."""

import numpy as np
from OpenGL import GL

from motiongraph.viewer.draw.frame import SceneFrame
from motiongraph.viewer.draw.uniforms import FRAME, POINT, light_axes
from motiongraph.viewer.gl.buffers import Block
from motiongraph.viewer.gl.framebuffer import Framebuffer
from motiongraph.viewer.gl.texture import ShadowSampler

DEPTH_UNIT, COMPARE_UNIT = 1, 2
_LEAST, _STEP = 1.5, 1.15  # metres of the smallest radius, and how sizes are rounded up
_FARTHEST = 40.0  # metres of radius beyond which a map would be too coarse to be worth having


def fit(axes: np.ndarray, low: np.ndarray, high: np.ndarray, resolution: int) -> tuple[np.ndarray, float, float]:
    """World to light's clip space (4, 4), metres a texel and metres of depth, for the axes (3, 3) of a sun and casters
    in the box low … high.

    The radius moves in steps and the centre by whole texels, so that edges do not crawl when characters walk.
    """
    centre, radius = 0.5 * (low + high), 0.5 * float(np.linalg.norm(high - low))
    radius = _LEAST * _STEP ** np.ceil(np.log(max(radius, _LEAST) / _LEAST) / np.log(_STEP))
    radius = min(radius, _FARTHEST)
    texel = 2.0 * radius / resolution
    middle = axes @ centre
    middle[:2] = np.round(middle[:2] / texel) * texel
    # What receives shadows may lie behind what casts them as far as a shadow falls across the floor.
    depth = 6.0 * radius
    matrix = np.eye(4)
    matrix[:3, :3] = axes / np.array([radius, radius, -0.5 * depth])[:, None]
    matrix[:2, 3] = -middle[:2] / radius
    matrix[2, 3] = (middle[2] + radius) * 2.0 / depth - 1.0
    return matrix, texel, depth


class ShadowMap:
    """Draws the casters of a scene as seen from the sun."""

    def __init__(self, resolution: int = 2048):
        self.resolution = resolution
        self._target = Framebuffer(None, (resolution, resolution), depth=True)
        self._sampler = ShadowSampler()
        self._block = Block(FRAME)
        self.matrix, self.texel, self.depth, self.cast = np.eye(4), 1.0, 1.0, False
        self._towards = self._low = self._high = np.zeros(3)

    def draw(self, scene: SceneFrame, store, bodies) -> None:
        """Fit and draw; `cast` says whether there was anything to draw."""
        casters = [b for b in scene.batches if b.shadow and b.groups is None and len(b) and bodies.draws(b)]
        self.cast = bool(casters) and scene.light.shadows and scene.light.sun > 0.0
        if not self.cast:
            return
        stored = [store.ready(batch) for batch in casters]
        self._low = np.min([s.low for s in stored], axis=0).astype(np.float64)
        self._high = np.max([s.high for s in stored], axis=0).astype(np.float64)
        axes = light_axes(scene.light.towards)
        self._towards = axes[2]
        self.matrix, self.texel, self.depth = fit(axes, self._low, self._high, self.resolution)
        self._block.values["view_projection"] = self.matrix.T
        self._block.send(POINT)
        self._target.bind()
        GL.glDisable(GL.GL_SCISSOR_TEST)
        GL.glEnable(GL.GL_DEPTH_TEST)
        GL.glDepthFunc(GL.GL_LESS)
        GL.glDepthMask(True)
        GL.glDisable(GL.GL_BLEND)
        GL.glEnable(GL.GL_DEPTH_CLAMP)  # what is nearer to the sun than the map still casts
        GL.glClear(GL.GL_DEPTH_BUFFER_BIT)
        for batch in casters:
            bodies.draw_depth(batch, store.ready(batch))
        GL.glDisable(GL.GL_DEPTH_CLAMP)

    def footprint(self, height: float, softness: float) -> tuple[float, float, float, float]:
        """Lowest x and z, highest x and z of the floor at this height that the last casters can shade."""
        margin = 0.05 + softness * max(self._high[1] - height, 0.0) / max(self._towards[1], 0.05)
        across = -self._towards[[0, 2]] / max(self._towards[1], 0.05)
        reach = np.array([max(y - height, 0.0) * across for y in (self._low[1], self._high[1])])
        low, high = self._low[[0, 2]] + reach.min(axis=0), self._high[[0, 2]] + reach.max(axis=0)
        return *(low - margin), *(high + margin)

    def fill(self, values: np.ndarray, softness: float) -> None:
        """Tell a frame's block where the shadow lies."""
        half = np.diag([0.5, 0.5, 0.5, 1.0])
        half[:3, 3] = 0.5
        values["to_shadow"] = (half @ self.matrix).T
        values["shadow"] = self.texel, self.depth, softness, self.cast

    def bind(self) -> None:
        """For reading, on two units: plain and compared."""
        self._target.depth.bind(DEPTH_UNIT)
        self._target.depth.bind(COMPARE_UNIT)
        self._sampler.bind(COMPARE_UNIT)

    def unbind(self) -> None:
        GL.glBindSampler(COMPARE_UNIT, 0)

    def release(self) -> None:
        self._target.release()
        self._sampler.release()
        self._block.release()
