"""The renderer: scenes seen by cameras become a picture, in a window or in memory.

Its passes, for each pane: shadow map, backdrop and floor, opaque bodies, overlays, translucent bodies, points. All
samples are averaged in linear light and written as sRGB at the end.
"""

from collections.abc import Sequence

import numpy as np
from OpenGL import GL

from motiongraph.errors import MotionError
from motiongraph.viewer.draw.bodies import Bodies
from motiongraph.viewer.draw.frame import Batch, Points, SceneFrame, View
from motiongraph.viewer.draw.overlays import Overlays
from motiongraph.viewer.draw.shadow import ShadowMap
from motiongraph.viewer.draw.store import Store
from motiongraph.viewer.draw.surround import Surroundings
from motiongraph.viewer.draw.uniforms import FRAME, POINT, fill_frame
from motiongraph.viewer.gl.buffers import Block, Geometry
from motiongraph.viewer.gl.context import current_context
from motiongraph.viewer.gl.framebuffer import Framebuffer, Multisampled
from motiongraph.viewer.gl.program import Program

Pane = tuple[SceneFrame, View]


class Renderer:
    """Owns all that is needed to draw; needs a current context, in which it must also be released.

    samples: of each pixel, as many as the driver has at the most. shadow_resolution: texels along an edge.
    occlusion: whether limbs keep light from each other, which costs a processor that draws more than a card.
    """

    def __init__(self, samples: int = 4, shadow_resolution: int = 2048, occlusion: bool = True):
        self.context = current_context()
        self._samples = min(max(samples, 1), self.context.samples)
        self._store = Store()
        self._bodies = Bodies(self._store, occlusion)
        self._shadow = ShadowMap(shadow_resolution)
        self._surroundings, self._overlays = Surroundings(), Overlays()
        self._present = Program("present")
        self._present.use()
        self._present["picture"] = 0
        self._nothing, self._block = Geometry(), Block(FRAME)
        self._targets: tuple[Multisampled, Framebuffer] | None = None
        self._copy: Framebuffer | None = None

    def draw(self, panes: Sequence[Pane], size: tuple[int, int], framebuffer: int | None = 0) -> None:
        """Draw each scene into the rectangle of its view, in a picture of `size` (width, height) pixels.

        framebuffer: where the picture goes, 0 for the window, None to keep it for `read_pixels` only. What no pane
        covers is black. A size of zero draws nothing.
        """
        _ = self._block.number  # raises where the renderer was released
        if min(size) < 1:
            return
        self._resize(size)
        self._store.begin()
        multisampled, resolved = self._targets
        GL.glDisable(GL.GL_SCISSOR_TEST)
        GL.glEnable(GL.GL_FRAMEBUFFER_SRGB)
        GL.glEnable(GL.GL_PROGRAM_POINT_SIZE)
        multisampled.bind()
        GL.glClearColor(0.0, 0.0, 0.0, 1.0)
        GL.glColorMask(True, True, True, True)
        GL.glDepthMask(True)
        GL.glClear(GL.GL_COLOR_BUFFER_BIT | GL.GL_DEPTH_BUFFER_BIT)
        shadowed = None
        for scene, view in panes:
            if min(view.rect[2:]) < 1:
                continue
            if scene is not shadowed:
                self._shadow.draw(scene, self._store, self._bodies)
                shadowed = scene
                multisampled.bind()
            self._draw_pane(scene, view, size[1])
        self._shadow.unbind()
        GL.glDisable(GL.GL_SCISSOR_TEST)
        multisampled.resolve(resolved)
        GL.glDisable(GL.GL_FRAMEBUFFER_SRGB)
        if framebuffer is not None:
            self._show(framebuffer)

    def read_pixels(self) -> np.ndarray:
        """(height, width, 3) uint8, the top row first: the last picture drawn."""
        if self._targets is None:
            raise MotionError("nothing has been drawn yet")
        width, height = self._targets[1].size
        if self._copy is None or self._copy.size != (width, height):
            if self._copy:
                self._copy.release()
            self._copy = Framebuffer("rgba", (width, height))
        self._show(self._copy.number)
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self._copy.number)
        GL.glPixelStorei(GL.GL_PACK_ALIGNMENT, 1)
        pixels = np.empty((height, width, 3), np.uint8)
        GL.glReadPixels(0, 0, width, height, GL.GL_RGB, GL.GL_UNSIGNED_BYTE, pixels)
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, 0)
        return np.ascontiguousarray(pixels[::-1])

    def _draw_pane(self, scene: SceneFrame, view: View, height: int) -> None:
        x, y, w, h = view.rect
        rect = x, height - y - h, w, h
        GL.glViewport(*rect)
        GL.glScissor(*rect)
        GL.glEnable(GL.GL_SCISSOR_TEST)
        values = self._block.values
        fill_frame(values, scene, view)
        self._shadow.fill(values, scene.light.softness)
        self._block.send(POINT)
        self._shadow.bind()
        opaque, translucent, overlays, points = self._sorted(scene.batches)
        eye = view.eye
        self._surroundings.draw(scene, self._store, self._shadow, bool(eye[1] < scene.floor.height))

        GL.glEnable(GL.GL_DEPTH_TEST)
        GL.glDepthFunc(GL.GL_LEQUAL)
        GL.glDepthMask(True)
        GL.glDisable(GL.GL_BLEND)
        GL.glEnable(GL.GL_CULL_FACE)
        for batch in opaque:
            self._bodies.draw(batch, self._store.ready(batch), eye, values["eye"][3])
        GL.glEnable(GL.GL_BLEND)
        GL.glBlendFunc(GL.GL_SRC_ALPHA, GL.GL_ONE_MINUS_SRC_ALPHA)
        GL.glDisable(GL.GL_CULL_FACE)
        GL.glDepthMask(False)
        for batch in overlays:
            self._overlays.draw(batch, self._store.ready(batch))
        if translucent:
            GL.glEnable(GL.GL_CULL_FACE)
            GL.glDepthMask(True)
            self._bodies.draw_translucent(
                [(batch, self._store.ready(batch)) for batch in translucent], eye, values["eye"][3]
            )
            GL.glDisable(GL.GL_CULL_FACE)
            GL.glDepthMask(False)
        for batch in points:
            self._overlays.draw(batch, self._store.ready(batch))
        GL.glDepthMask(True)
        GL.glDisable(GL.GL_BLEND)
        GL.glDisable(GL.GL_DEPTH_TEST)

    def _sorted(self, batches: list[Batch]):
        opaque, translucent, overlays, points = [], [], [], []
        for batch in batches:
            if not len(batch):
                continue
            if self._bodies.draws(batch):
                (opaque if batch.groups is None else translucent).append(batch)
            elif self._overlays.draws(batch):
                (points if isinstance(batch, Points) else overlays).append(batch)
            else:
                raise MotionError(f"a {type(batch).__name__} cannot be drawn")
        return opaque, translucent, overlays, points

    def _show(self, framebuffer: int) -> None:
        """Write the finished picture into a framebuffer, as displays expect it."""
        resolved = self._targets[1]
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, framebuffer)
        GL.glViewport(0, 0, *resolved.size)
        GL.glDisable(GL.GL_DEPTH_TEST)
        GL.glDisable(GL.GL_BLEND)
        GL.glDisable(GL.GL_CULL_FACE)
        self._present.use()
        self._nothing.bind()
        resolved.colour.bind(0)
        GL.glDrawArrays(GL.GL_TRIANGLES, 0, 3)
        GL.glBindVertexArray(0)
        GL.glUseProgram(0)

    def _resize(self, size: tuple[int, int]) -> None:
        if self._targets and self._targets[0].size == size:
            return
        self._release_targets()
        self._targets = Multisampled(size, self._samples), Framebuffer("srgb", size)

    def _release_targets(self) -> None:
        for target in self._targets or ():
            target.release()
        self._targets = None

    def release(self) -> None:
        """Give everything back; using the renderer after that raises."""
        self._release_targets()
        if self._copy:
            self._copy.release()
            self._copy = None
        owned = (self._store, self._bodies, self._shadow, self._surroundings, self._overlays)
        for one in (*owned, self._present, self._nothing, self._block):
            one.release()
