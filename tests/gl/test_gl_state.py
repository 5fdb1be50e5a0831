"""What reaches the driver: changes only, and after `forget` everything."""

import ctypes

import numpy as np
import pytest
from pyglm import glm

from motiongraph.viewer.camera import Camera
from motiongraph.viewer.draw import frame as f
from motiongraph.viewer.offscreen import offscreen


@pytest.fixture(scope="module", autouse=True)
def context():
    with offscreen() as context:
        yield context


@pytest.fixture
def made(monkeypatch):
    """The names of the calls made since."""
    from motiongraph.viewer.gl import calls, context

    found = []

    def noted(name, function):
        return lambda *arguments: (found.append(name), function(*arguments))

    for name, function in list(vars(calls).items()):
        if name.startswith("gl"):
            monkeypatch.setattr(calls, name, noted(name, function))
    monkeypatch.setattr(context, "_ways", {})
    context.forget()
    yield found
    context.forget()


def test_a_mode_is_set_as_asked_for(made):
    from OpenGL import GL

    from motiongraph.viewer.gl import context

    modes = [
        context.Mode(),
        context.Mode(GL.GL_LESS, write=True, clamp=True),
        context.Mode(GL.GL_ALWAYS, blend=context.OVER, cull=True, scissor=True),
        context.Mode(blend=context.MULTIPLIED, srgb=True),
    ]
    rng = np.random.default_rng(0)
    for mode in rng.choice(modes, 60):
        context.set_mode(mode)
        made.clear()
        context.set_mode(mode)
        assert made == []
        for what, on in (
            (GL.GL_DEPTH_TEST, mode.depth is not None),
            (GL.GL_BLEND, mode.blend is not None),
            (GL.GL_CULL_FACE, mode.cull),
            (GL.GL_SCISSOR_TEST, mode.scissor),
            (GL.GL_FRAMEBUFFER_SRGB, mode.srgb),
            (GL.GL_DEPTH_CLAMP, mode.clamp),
        ):
            assert GL.glIsEnabled(what) == on
        assert GL.glGetIntegerv(GL.GL_DEPTH_WRITEMASK) == mode.write
        if mode.depth is not None:
            assert GL.glGetIntegerv(GL.GL_DEPTH_FUNC) == mode.depth
        if mode.blend is not None:
            assert (GL.glGetIntegerv(GL.GL_BLEND_SRC_RGB), GL.glGetIntegerv(GL.GL_BLEND_DST_RGB)) == mode.blend


def test_what_is_bound_already_is_not_bound_again(made):
    from OpenGL import GL

    from motiongraph.viewer.gl import context
    from motiongraph.viewer.gl.buffers import Geometry
    from motiongraph.viewer.gl.program import Program
    from motiongraph.viewer.gl.textures import Texture

    program, geometry, texture = Program("present"), Geometry(), Texture("rgba", (4, 4))

    def use():
        program.use()
        program["picture"] = 3
        geometry.bind()
        texture.bind(3)

    use()
    made.clear()
    use()
    assert made == []
    GL.glUseProgram(0)
    context.forget()
    use()
    assert made == ["glUseProgram", "glBindVertexArray", "glActiveTexture", "glBindTexture"]
    assert GL.glGetIntegerv(GL.GL_CURRENT_PROGRAM) == program.number
    program.release()  # the next one may get its number
    other = Program("present")
    other.use()
    assert GL.glGetIntegerv(GL.GL_CURRENT_PROGRAM) == other.number
    for one in (other, geometry, texture):
        one.release()


def test_blocks_keep_their_numbers_however_many_there_are(made):
    from OpenGL import GL

    from motiongraph.viewer.gl.buffers import Blocks

    blocks = Blocks(np.dtype([("a", "<f4", 4), ("b", "<f4", 4)]))
    for count in (1, 5, 2):
        blocks.clear()
        found = [blocks.add([8 * i + k for k in range(8)]) for i in range(count)]
        made.clear()
        blocks.send()
        assert made == ["glBindBuffer", "glBufferData"]
        for i, block in enumerate(found):
            blocks.bind(block, 0)
            start, data = np.zeros(1, np.int64), np.empty(8, np.float32)
            GL.glGetInteger64i_v(GL.GL_UNIFORM_BUFFER_START, 0, start)
            address = ctypes.c_void_p(data.ctypes.data)
            GL.glGetBufferSubData(GL.GL_UNIFORM_BUFFER, int(start[0]), data.nbytes, address)
            assert data.tolist() == [8 * i + k for k in range(8)]
    blocks.release()


def test_what_is_there_is_not_drawn_again(made):
    """A picture that is the same is kept; where only the camera moves, its shadow map is."""
    from motiongraph.viewer.draw.renderer import Renderer
    from motiongraph.viewer.draw.targets import Detail

    renderer = Renderer(shadow_resolution=64)
    ball = f.spheres([(0.0, 1.0, 0.0)], 0.2, (1, 1, 1, 1))
    other = f.spheres([(0.3, 1.0, 0.0)], 0.2, (1, 1, 1, 1))

    def clears(*batches, yaw=0.0, detail=None):
        view = Camera(yaw=yaw).view((0, 0, 32, 32))
        scene = f.SceneFrame(list(batches), light=light)
        assert renderer.differs([(scene, view)], (32, 32)) == (clears.seen != (batches, yaw, ball.version, other.count))
        clears.seen = batches, yaw, ball.version, other.count
        made.clear()
        renderer.draw([(scene, view)], (32, 32), None, detail)
        return made.count("glClear")

    light, clears.seen = f.Light(), None
    assert [clears(ball), clears(ball), clears(ball)] == [2, 0, 0]
    assert [clears(ball, yaw=10.0), clears(ball, yaw=10.0), clears(ball)] == [1, 0, 1]
    ball.touch()
    assert [clears(ball), clears(ball)] == [2, 0]
    assert [clears(ball, detail=Detail(1)), clears(ball, detail=Detail(1)), clears(ball)] == [1, 0, 1]
    assert [clears(ball, other), clears(other), clears(other)] == [2, 2, 0]
    other.count = 0
    assert clears(other) == 1
    renderer.release()


def test_the_numbers_of_a_frame():
    from motiongraph.viewer.draw.shadow import Fitted, fit
    from motiongraph.viewer.draw.uniforms import FRAME, light_view, seen, seen_from_sun

    camera = Camera(target=(0.3, 1.0, -2.0), yaw=70.0, pitch=20.0, roll=12.0)
    view, scene = camera.view((0, 0, 640, 360), 1.5), f.SceneFrame()
    towards = glm.normalize(glm.dvec3(scene.light.towards))
    low, high = glm.dvec3(-1.0, 0.0, -1.0), glm.dvec3(1.0, 1.8, 1.0)
    fitted = Fitted([], low, high, towards, *fit(light_view(towards), low, high, 256))
    values = np.array(seen(scene, view, fitted, (10, 20)), np.float32).view(FRAME)[0]
    whole = np.array(view.projection) @ np.array(view.view)
    np.testing.assert_allclose(values["view_projection"].T, whole, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(values["to_world"].T, np.linalg.inv(whole), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(values["eye"][:3], camera.eye, rtol=1e-6)
    halved = np.diag([0.5, 0.5, 0.5, 1.0]) + 0.5 * np.outer([1, 1, 1, 0], [0, 0, 0, 1])
    np.testing.assert_allclose(values["to_shadow"].T, halved @ np.array(fitted.matrix), rtol=1e-6, atol=1e-7)
    assert values["viewport"].tolist() == [640.0, 360.0, 1.5, 0.0]
    assert values["shadow"][3] == 1.0
    assert np.array(seen(scene, view, None, (10, 20)), np.float32).view(FRAME)[0]["shadow"][3] == 0.0
    sunlit = np.array(seen_from_sun(fitted.matrix), np.float32).view(FRAME)[0]
    np.testing.assert_allclose(sunlit["view_projection"].T, np.array(fitted.matrix), rtol=1e-6)
