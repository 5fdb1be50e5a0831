"""The .mgraph file: everything comes back to the last bit, and what is not a whole graph is refused in a sentence."""

import os
import struct
from dataclasses import replace

import numpy as np
import pytest
from bodies import person
from conftest import ROOT
from test_graph_build import assert_same, build, swing

import motiongraph as mg
from motiongraph.errors import MotionError
from motiongraph.formats import container
from motiongraph.formats.save import save as save_clip
from motiongraph.graph import store
from motiongraph.metric.metric import Metric

DATA = ROOT / "tests/data"


@pytest.fixture(autouse=True, scope="module")
def no_cache():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOTIONGRAPH_CACHE", "off")
        yield


@pytest.fixture(scope="module")
def clips():
    """Of two bodies, with labels on ranges, one with an added first frame."""
    body = person()
    other = replace(body, offsets=body.offsets * 1.05)
    made = [swing(0), swing(1, labels=["walk"]), swing(2, other, labels={"run": [(0, 9), (30, 160)], "ü": (5, 50)})]
    return [
        replace(made[0], first=1),
        made[1],
        replace(made[2], file="run.bvh", file_frames=3.0 + np.arange(len(made[2]))),
    ]


@pytest.fixture(scope="module")
def graph(clips):
    return build(clips, mirror=True, threshold={"within": 15.0, ("walk", "run"): 30.0, "between": 20.0}).pruned(1.5)


@pytest.fixture(scope="module")
def content(graph, tmp_path_factory):
    path = tmp_path_factory.mktemp("store") / "g.mgraph"
    graph.save(path)
    return path.read_bytes()


def read(content, tmp_path):
    path = tmp_path / "g.mgraph"
    path.write_bytes(content)
    return mg.MotionGraph.load(path)


def test_everything_comes_back(graph, content, tmp_path):
    back = read(content, tmp_path)
    assert_same(back, graph)
    assert (back.is_pruned, back.least, back.is_auto) == (True, 1.5, False)
    assert back.metric == graph.metric
    assert back.transitions.tobytes() == graph.transitions.tobytes()
    assert not back.candidates.table.flags.writeable
    assert all(array.ctypes.data % 8 == 0 for clip in back.clips for array in (clip.root, clip.rotations))
    for a, b in zip(back.clips, graph.clips):
        assert (a.file, a.file_frame(9)) == (b.file, b.file_frame(9))
    for a, b in zip(back.candidates.originals, graph.candidates.originals):
        assert (a.name, a.first, a.labels, a.skeleton) == (b.name, b.first, b.labels, b.skeleton)
        assert a.rotations.tobytes() == b.packed().rotations.tobytes()
    back.save(tmp_path / "again.mgraph")
    assert_same(mg.MotionGraph.load(tmp_path / "again.mgraph"), graph)


def test_sliding_joints_and_every_setting_of_the_metric(tmp_path):
    clip = swing(0)
    clip = replace(clip, offsets=np.tile(clip.skeleton.offsets, (len(clip), 1, 1)) * 1.01)
    metric = Metric(0.2, "in-place", 0, {"root": 2.0, "head": 0.5}, np.linspace(1, 0.5, 8), 20.0)
    graph = mg.MotionGraph.build([clip], metric, 30.0)
    graph.save(tmp_path / "g.mgraph")
    back = mg.MotionGraph.load(tmp_path / "g.mgraph")
    assert back.metric == metric
    np.testing.assert_array_equal(back.clips[0].offsets, clip.offsets)
    assert_same(back, graph)
    angles = mg.MotionGraph.build([clip], Metric(kind="angle", order=1))
    angles.at(np.inf).save(tmp_path / "g.mgraph")
    back = mg.MotionGraph.load(tmp_path / "g.mgraph")
    assert (back.candidates.ceiling, back.thresholds.highest, back.metric.order) == (np.inf, np.inf, 1)


def test_a_loaded_graph_can_grow_and_shrink(graph, content, clips, tmp_path):
    back = read(content, tmp_path)
    options = {"mirror": True, "threshold": graph.thresholds}
    more = swing(7)
    assert_same(back.add(more), build([*clips, more], **options).pruned(1.5))
    assert_same(back.remove("clip1", "clip7"), build([clips[0], clips[2]], **options).pruned(1.5))


def test_auto_is_chosen_anew_after_loading(clips, tmp_path):
    build(clips[:2], threshold="auto").save(tmp_path / "g.mgraph")
    assert_same(mg.MotionGraph.load(tmp_path / "g.mgraph").add(clips[2]), build(clips, threshold="auto"))


def test_clips_by_reference(graph, clips, tmp_path):
    path = tmp_path / "g.mgraph"
    graph.save(path, clips="referenced")
    assert path.stat().st_size < 100_000
    renamed = [replace(clip, name=f"other{i}", labels=()) for i, clip in enumerate(clips)]
    assert_same(mg.MotionGraph.load(path, clips=renamed[::-1]), graph)
    with pytest.raises(mg.MotionError, match="names its clips but does not hold them; give them as well: clip0, clip1"):
        mg.MotionGraph.load(path)
    with pytest.raises(mg.MotionError, match="'clip2' is not among the clips given"):
        mg.MotionGraph.load(path, clips=clips[:2])
    nudged = clips[2].root.copy()
    nudged[7, 1] += 1e-9
    with pytest.raises(mg.MotionError, match="'clip2' is not the one the graph was built from"):
        mg.MotionGraph.load(path, clips=[*clips[:2], replace(clips[2], root=nudged)])
    with pytest.raises(mg.MotionError, match="'included' or 'referenced', not 'none'"):
        graph.save(path, clips="none")


def test_clips_by_reference_from_files(tmp_path):
    for n in (0, 1):
        save_clip(swing(n), tmp_path / f"clip{n}.bvh")
    graph = build([clip.resampled(20.0) for clip in mg.load_all(tmp_path)])
    graph.save(tmp_path / "g.mgraph", clips="referenced")
    assert_same(mg.MotionGraph.load(tmp_path / "g.mgraph", clips=tmp_path), graph)
    assert_same(
        mg.MotionGraph.load(tmp_path / "g.mgraph", clips=[str(tmp_path / f"clip{n}.bvh") for n in (1, 0)]), graph
    )


# ---- refused


def test_the_same_graph_is_the_same_file(graph, content, tmp_path):
    graph.save(tmp_path / "g.mgraph")
    assert (tmp_path / "g.mgraph").read_bytes() == content


def test_truncated_anywhere(content, tmp_path):
    lengths = [1, 5, 11, 12, 20, 27, 28, 100, 5000, len(content) // 2, len(content) - 64, len(content) - 1]
    for length in lengths:
        with pytest.raises(mg.FormatError, match="is cut short after") as caught:
            read(content[:length], tmp_path)
        assert "\n" not in str(caught.value)
    with pytest.raises(mg.FormatError, match="is not a motion graph"):
        read(b"", tmp_path)
    with pytest.raises(mg.FormatError, match="is damaged"):
        read(content + b"more", tmp_path)


def test_damaged_anywhere(content, tmp_path):
    rng = np.random.default_rng(3)
    start = len(store._KIND.magic)
    # Everywhere but in the version, which is looked at first, and the gaps between arrays, which hold nothing.
    head = struct.unpack_from("<Q", content, start + 4)[0]
    places = [
        0,
        3,
        start + 12,
        start + 16,
        start + 40,
        start + 16 + head - 700,
        *rng.integers(200, start + 16 + head - 64, 20),
    ]
    places += [start + 16 + head + 5, len(content) // 2, len(content) // 3]
    for place in places:
        spoilt = bytearray(content)
        spoilt[place] ^= 0x10
        with pytest.raises(mg.FormatError) as caught:
            read(bytes(spoilt), tmp_path)
        assert "g.mgraph: is " in str(caught.value)
        assert "\n" not in str(caught.value)


def test_a_file_of_version_1_opens_and_goes_on(tmp_path):
    """Written by motiongraph before motion was packed: two clips of two bodies, with mirror images."""
    graph = mg.MotionGraph.load(DATA / "version1.mgraph")
    assert [clip.name for clip in graph.clips] == ["clip0", "clip0_mirrored", "clip1", "clip1_mirrored"]
    assert (len(graph.candidates.table), graph.candidates.per_window) == (len(graph.transitions), 0)
    assert len(mg.random_walk(graph, seconds=1, rng=0).steps)
    graph.save(tmp_path / "now.mgraph")
    now = mg.MotionGraph.load(tmp_path / "now.mgraph")
    assert now.candidates.table.tobytes() == graph.candidates.table.tobytes()
    for a, b in zip(now.clips, graph.clips):
        np.testing.assert_allclose(a.positions(), b.positions(), atol=2e-6)
    assert os.path.getsize(tmp_path / "now.mgraph") < 0.5 * os.path.getsize(DATA / "version1.mgraph")


def test_newer_and_foreign(content, tmp_path):
    newer = bytearray(content)
    struct.pack_into("<I", newer, len(store._KIND.magic), store.VERSION + 1)
    with pytest.raises(mg.FormatError, match=r"was written by a newer motiongraph \(format 3, this one reads 2\)"):
        read(bytes(newer), tmp_path)
    for foreign in (b"HIERARCHY\nROOT Hips\n", b"\x89PNG\r\n\x1a\n" + bytes(100), bytes(1000)):
        with pytest.raises(mg.FormatError, match=r"is not a motion graph: expected an \.mgraph file"):
            read(foreign, tmp_path)
    with pytest.raises(mg.FormatError, match="cannot be read: No such file"):
        mg.MotionGraph.load(tmp_path / "nowhere.mgraph")
    with pytest.raises(mg.FormatError, match="cannot be read"):
        mg.MotionGraph.load(tmp_path)


def test_a_save_that_fails_leaves_what_was_there(graph, content, tmp_path, monkeypatch):
    path = tmp_path / "g.mgraph"
    path.write_bytes(content)

    def broken(*given):
        yield b"half"
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(container, "_packed", broken)
    with pytest.raises(mg.MotionError, match="No space left"):
        graph.save(path)
    assert path.read_bytes() == content
    assert [p.name for p in tmp_path.iterdir()] == ["g.mgraph"]


def test_names_that_are_no_letters(clips, tmp_path):
    """Files may be called by bytes that are no UTF-8; Python keeps them as surrogates."""
    odd = replace(clips[1], name="w\udce4lk", file="/w\udce4lk.bvh")
    graph = build([odd])
    graph.save(tmp_path / "g.mgraph")
    (clip,) = mg.MotionGraph.load(tmp_path / "g.mgraph").clips
    assert (clip.name, clip.file) == (odd.name, odd.file)


def test_a_pipe_is_no_graph(tmp_path):
    os.mkfifo(tmp_path / "g.mgraph")
    with pytest.raises(MotionError, match="is a pipe or a device"):
        mg.MotionGraph.load(tmp_path / "g.mgraph")
