"""OpenGL objects: what they own, what misuse does, and what shaders say when they are wrong."""

import numpy as np
import pytest

from motiongraph.viewer.offscreen import offscreen


@pytest.fixture(scope="module", autouse=True)
def context():
    with offscreen() as context:
        yield context


def test_the_context_will_do(context):
    assert context.version >= (3, 3)
    assert context.renderer
    assert context.samples >= 1


def objects():
    from motiongraph.model import mesh as meshes
    from motiongraph.viewer.gl.buffers import Blocks, Geometry, Rows
    from motiongraph.viewer.gl.program import Program
    from motiongraph.viewer.gl.textures import Framebuffer, Multisampled, ShadowSampler, Texture

    return [
        Program("present"),
        Rows(),
        Geometry(meshes.box()),
        Geometry(),
        Blocks(np.dtype([("a", "<f4", 4)])),
        Texture("rgba", (4, 4)),
        ShadowSampler(),
        Framebuffer("srgb", (8, 8)),
        Framebuffer("depth", (8, 8)),
        Multisampled((8, 8), 4),
    ]


def test_everything_is_counted_and_given_back():
    from motiongraph.viewer.gl.context import live

    before = live()
    made = objects()
    assert sum(live().values()) > sum(before.values()) + len(made)  # buffers and textures within them count too
    for one in made:
        one.release()
    assert live() == before


def test_what_was_released_cannot_be_used():
    for one in objects():
        one.release()
        with pytest.raises(RuntimeError, match=f"this {one.kind} was released"):
            _ = one.number
        with pytest.raises(RuntimeError, match="was released"):
            one.release()


def test_unknown_uniforms_and_blocks_are_refused():
    from motiongraph.viewer.gl.program import Program

    program = Program("present")
    program.use()
    program["picture"] = 0
    with pytest.raises(KeyError, match="program present has no uniform 'pictures'; there are part, picture, used"):
        program["pictures"] = 0
    with pytest.raises(KeyError, match="no uniform block 'Frame'"):
        program.bind_block("Frame", 0)
    program.release()


def test_the_uniform_block_lies_in_memory_as_the_shaders_read_it():
    from OpenGL import GL

    from motiongraph.viewer.draw.uniforms import FRAME
    from motiongraph.viewer.gl.program import Program

    program, found = Program("floor_shadow"), set()
    for index in range(GL.glGetProgramiv(program.number, GL.GL_ACTIVE_UNIFORMS)):
        name = GL.glGetActiveUniform(program.number, index)[0].decode()
        if name in FRAME.fields:
            offset = np.zeros(1, np.int32)
            GL.glGetActiveUniformsiv(program.number, 1, np.array([index], np.uint32), GL.GL_UNIFORM_OFFSET, offset)
            assert offset[0] == FRAME.fields[name][1], name
            found.add(name)
    assert found == set(FRAME.names)
    program.release()


@pytest.fixture
def shaders(tmp_path, monkeypatch):
    """Writes shaders of our own where Program looks for them."""
    from motiongraph.viewer.gl import program

    (tmp_path / "include").mkdir()
    monkeypatch.setattr(program, "resource", lambda name: tmp_path)

    def write(**files):
        for name, text in files.items():
            folder = tmp_path / "include" if name.endswith("_glsl") else tmp_path
            (folder / name.replace("_", ".")).write_text(text)

    return write


GOOD_VERTEX = "void main() { gl_Position = vec4(0.0); }\n"


def test_a_mistake_is_shown_with_its_file_and_line(shaders):
    from motiongraph.viewer.gl.context import live
    from motiongraph.viewer.gl.program import Program, ShaderError

    before = live()
    shaders(
        a_vert=GOOD_VERTEX,
        a_frag='out vec4 pixel;\n#include "one.glsl"\n\nvoid main() { pixel = one(); }\n',
        one_glsl="vec4 one() {\n    return vec4(wrong);\n}\n",
    )
    with pytest.raises(ShaderError, match=r"(?s)shader a.frag does not compile: .*one.glsl:2:"):
        Program("a")
    shaders(a_frag='out vec4 pixel;\n#include "one.glsl"\n\nvoid main() { pixel = two(); }\n', one_glsl="// nothing\n")
    with pytest.raises(ShaderError, match=r"a.frag:4:"):
        Program("a")
    shaders(a_frag='#include "none.glsl"\n')
    with pytest.raises(ShaderError, match=r"a.frag:1: there is no .*none.glsl"):
        Program("a")
    assert live() == before


def test_includes_come_once_and_defines_count(shaders):
    from motiongraph.viewer.gl.program import Program

    shaders(
        b_vert=GOOD_VERTEX,
        b_frag='#include "x.glsl"\n#include "y.glsl"\n#ifndef RED\n#error no red\n#endif\n'
        "out vec4 pixel;\nvoid main() { pixel = vec4(x()); }\n",
        x_glsl="float x() { return 1.0; }\n",
        y_glsl='#include "x.glsl"\nfloat y() { return x(); }\n',
    )
    Program("b", ("RED",)).release()


def test_what_a_job_brought_is_given_back_once_it_goes():
    """Clips that stood in a ring of references when a job ended were kept for good."""
    import gc
    from types import SimpleNamespace
    from weakref import ref

    from motiongraph.viewer.loop import Viewer

    class Ring:
        def __init__(self):
            self.itself = self

    viewer = object.__new__(Viewer)
    viewer.state = SimpleNamespace(jobs=SimpleNamespace(running=[]))
    viewer.ui, viewer.sceneries = SimpleNamespace(timings=SimpleNamespace(count=0)), {}
    viewer._busy, viewer._uncollected, viewer._frozen, viewer._looked = True, 0, False, float("inf")
    try:
        ring = Ring()
        kept = ref(ring)
        viewer._collect(1.0)  # the job is over
        del ring
        viewer._collect(1.0)
        assert kept() is not None, "what was there then is not looked through in every frame"
        viewer.look_through()
        assert kept() is None
        viewer._looked, viewer._busy, ring = float("-inf"), True, Ring()
        kept = ref(ring)
        viewer._collect(1.0)
        del ring
        viewer._busy, viewer._looked = True, float("-inf")
        viewer._collect(1.0)  # without a rest between jobs
        assert kept() is None
    finally:
        gc.unfreeze()


def test_panels_and_scenes_do_not_keep_what_is_gone():
    """Each row of a table that was ever in sight kept the result it was of, with its graph and clips."""
    import gc
    from functools import lru_cache
    from weakref import ref

    from motiongraph.viewer.loop import Viewer
    from motiongraph.viewer.panels.walk_report import judged

    class Thing:
        pass

    viewer, made, scene = object.__new__(Viewer), Thing(), Thing()
    row = lru_cache(lambda thing: 0)
    row.__module__ = judged.__module__  # as those of panels are
    row(made)
    viewer.sceneries, viewer._frozen = {0: scene}, True
    known = ref(made), ref(scene)
    del made, scene
    assert all(one() is not None for one in known)
    try:
        viewer.look_through()
        assert [one() for one in known] == [None, None]
    finally:
        gc.unfreeze()


def test_pictures_that_nobody_looks_at_are_given_back():
    from motiongraph.viewer.draw.frame import Sheet
    from motiongraph.viewer.draw.graph_canvas import Canvases
    from motiongraph.viewer.draw.heat_map import Heats
    from motiongraph.viewer.gl.context import live

    heats, canvases, before = Heats(), Canvases(), live()
    levels = [np.ones((600, 300), np.float32)]
    rows, picks = np.zeros((4, 8), np.float32), np.arange(4, dtype=np.float32) * 4
    sheet = Sheet((64, 64), (1.0, 1.0, 0.0, 0.0), rows, picks, rows, 1.0, 1.0, (0.0, 0.0, 0.0, 1.0))
    for _ in range(2):
        heats["matrix"].show(levels, (0.0, 0.0, 300.0, 600.0), (64, 64), 0.5, 1.0)
        canvases["graph"].show(sheet)
        held = live()
        assert held["texture"] > before.get("texture", 0)
        assert held["buffer texture"] > before.get("buffer texture", 0)
        for _ in range(80):  # another tab, for a moment
            heats.turn()
            canvases.turn()
        assert live() == held
        for _ in range(20):
            heats.turn()
            canvases.turn()
        for kind in ("texture", "framebuffer", "buffer texture"):
            assert live().get(kind, 0) == before.get(kind, 0), kind
    heats.release()
    canvases.release()
    assert live() == before
