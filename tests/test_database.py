"""Many clips in one graph: packed poses, files read when needed, a ceiling from a sample, the cheapest kept."""

from dataclasses import replace

import numpy as np
import pytest
from bodies import random_skeleton
from test_graph_build import swing
from walkers import walking

import motiongraph as mg
from motiongraph.graph import limits, store
from motiongraph.graph.limits import Limits, automatic_ceiling, cheapest
from motiongraph.graph.structure import TRANSITION
from motiongraph.metric import tape
from motiongraph.model import poses

METRIC = mg.Metric(window=0.25)


@pytest.fixture(autouse=True)
def no_cache(monkeypatch):
    monkeypatch.setenv("MOTIONGRAPH_CACHE", "off")


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture(scope="module")
def clips():
    return [swing(seed) for seed in range(4)]


@pytest.fixture
def all_later(monkeypatch):
    """Every file is a large one."""
    monkeypatch.setattr(store, "_AT_ONCE", 0)


def test_packed_poses_are_the_same_to_what_can_be_seen(rng):
    clip = walking(rng, random_skeleton(rng, 12), 90)
    back = replace(clip, rotations=-clip.rotations)  # the same turns
    packed = clip.packed()
    assert packed.is_packed
    assert packed.packed() is packed
    np.testing.assert_allclose(packed.positions(), clip.positions(), atol=2e-6)
    np.testing.assert_allclose(np.linalg.norm(packed.rotations, axis=2), 1.0, atol=1e-15)
    np.testing.assert_array_equal(back.packed().rotations, packed.rotations)
    again = replace(packed, name="again").packed()
    assert again.poses.same(packed.poses), "packing what was packed changes nothing"
    assert (packed.root.dtype, packed.poses.root.dtype) == (np.float64, np.float32)
    assert not packed.rotations.flags.writeable


def test_joints_that_keep_still_are_held_once(rng):
    clip = walking(rng, random_skeleton(rng, 12), 40)
    rotations = clip.rotations.copy()
    rotations[:, 3:6] = rotations[:1, 3:6]
    packed = replace(clip, rotations=rotations).packed()
    assert not set(packed.poses.moving.tolist()) & {3, 4, 5}
    np.testing.assert_allclose(packed.rotations[:, 3], np.sign(rotations[:, 3, :1]) * rotations[:, 3], atol=2e-7)


def test_half_turns_are_no_special_case():
    turns = np.array([[0.0, 1.0, 0.0, 0.0], [1e-9, 0.0, 1.0, 0.0], [-1e-9, 0.0, 0.0, 1.0], [-1.0, 0.0, 0.0, 0.0]])
    packed = poses.Packed.of(np.zeros((4, 3)), turns[:, None])
    back = packed.unpacked()[1][:, 0]
    np.testing.assert_allclose(np.abs(np.sum(back * turns, axis=1)), 1.0, atol=1e-12)


def test_the_shelf_forgets_what_was_used_least(rng, monkeypatch):
    skeleton = random_skeleton(rng, 12)
    some = [walking(rng, skeleton, 60).packed() for _ in range(4)]
    size = some[0].root.nbytes + 3 * some[0].rotations.nbytes
    shelf = poses._Shelf(2 * size)
    monkeypatch.setattr(poses, "_shelf", shelf)
    for clip in (some[0], some[1], some[0], some[2]):
        assert clip.positions().shape == (60, len(skeleton), 3)
    assert list(shelf.rows) == [id(clip.later) for clip in (some[0], some[2])]
    some[3].keep_poses()
    where = some[3].rotations.ctypes.data
    for clip in some[:3]:
        assert len(clip.rotations)
    assert some[3].rotations.ctypes.data == where
    del some[0], clip
    assert shelf.bytes == sum(size for size, _ in shelf.rows.values()) <= 2 * size


def test_another_name_needs_no_poses(clips):
    def never():
        raise AssertionError

    packed = clips[0].packed()
    packed.later.load = never
    other = packed.described(name="other", labels=["walk"])
    assert (other.name, list(other.labels), len(other), other.duration) == ("other", ["walk"], 160, 4.0)


def test_a_large_file_is_read_when_it_is_needed(clips, tmp_path, all_later, monkeypatch):
    labelled = [clip.labelled(["left"]) for clip in clips[:3]]
    graph = mg.MotionGraph.build(labelled, METRIC, ceiling=40.0, mirror=True)
    graph.save(tmp_path / "g.mgraph")
    unpacked = []
    of = poses.Packed.unpacked
    monkeypatch.setattr(poses.Packed, "unpacked", lambda self: unpacked.append(self) or of(self))
    found = mg.MotionGraph.load(tmp_path / "g.mgraph")
    assert [list(clip.labels) for clip in found.clips[:2]] == [["left"], ["right"]]
    assert "table" not in found.candidates.__dict__
    assert found.candidates.table.tobytes() == graph.candidates.table.tobytes()
    assert found.report() == graph.report()
    assert not unpacked
    assert len(mg.random_walk(found, seconds=2, rng=0).steps)
    for a, b in zip(found.clips, graph.clips):
        assert a.rotations.tobytes() == b.rotations.tobytes()
    (tmp_path / "g.mgraph").unlink()
    mg.MotionGraph.build(clips[3], METRIC).save(tmp_path / "g.mgraph")  # another of its name
    grown = found.add(clips[3])
    whole = mg.MotionGraph.build([*labelled, clips[3]], METRIC, ceiling=40.0, mirror=True)
    assert grown.candidates.table.tobytes() == whole.candidates.table.tobytes()


def test_a_damaged_part_is_named_when_it_is_reached(clips, tmp_path, all_later):
    file = tmp_path / "g.mgraph"
    mg.MotionGraph.build(clips[:2], METRIC, ceiling=40.0).save(file)
    content = bytearray(file.read_bytes())
    for place in (-200, -20000):
        broken = content.copy()
        broken[place] ^= 255
        file.write_bytes(broken)
        with pytest.raises(mg.MotionError, match=r"g.mgraph.* is damaged: its .* does not match its checksum"):
            assert [clip.rotations for clip in mg.MotionGraph.load(file).clips]
    file.write_bytes(content[:-500])
    with pytest.raises(mg.MotionError, match="is cut short"):
        mg.MotionGraph.load(file)
    file.write_bytes(content)
    found = mg.MotionGraph.load(file)
    with open(file, "r+b") as half:
        half.truncate(len(content) // 2)
    with pytest.raises(mg.MotionError, match="was cut short while it was open"):
        assert [clip.rotations for clip in found.clips]


def rows(*values):
    """src, src_frame, dst, dst_frame, cost."""
    table = np.zeros(len(values), TRANSITION)
    for k, name in enumerate(("src", "src_frame", "dst", "dst_frame", "cost")):
        table[name] = [row[k] for row in values]
    return table


def test_the_cheapest_of_every_stretch(rng):
    table = rows(*((int(s), int(f), int(d), int(g), float(c)) for s, f, d, g, c in zip(
        rng.integers(0, 3, 400), rng.integers(0, 40, 400), rng.integers(0, 3, 400), rng.integers(0, 40, 400),
        rng.integers(1, 90, 400),
    )))  # fmt: skip
    kept = cheapest(table, 3, 8)
    expected = []
    for row in table:
        for end in ("src", "dst"):
            there = (table[end] == row[end]) & (table[f"{end}_frame"] // 8 == row[f"{end}_frame"] // 8)
            if np.sum(table["cost"][there] < row["cost"]) < 3:
                expected.append(row)
                break
    assert 0 < len(kept) < 400
    assert kept.tobytes() == np.array(expected, TRANSITION).tobytes()
    # One after the other is like all at once.
    grown = cheapest(np.concatenate([cheapest(table[:150], 3, 8), table[150:]]), 3, 8)
    assert grown.tobytes() == kept.tobytes()
    assert cheapest(table, 0, 8) is table


def test_a_graph_of_the_cheapest(clips):
    whole = mg.MotionGraph.build(clips, METRIC, 25.0, ceiling=40.0)
    few = mg.MotionGraph.build(clips, METRIC, 25.0, ceiling=40.0, per_window=1)
    assert 0 < len(few.candidates.table) < len(whole.candidates.table)
    assert (whole.report()["per_window"], few.report()["per_window"]) == (None, 1)
    grown = mg.MotionGraph.build(clips[:2], METRIC, 25.0, ceiling=40.0, per_window=1).add(clips[2:])
    assert grown.candidates.table.tobytes() == few.candidates.table.tobytes()
    shrunk = grown.remove("clip3")
    fresh = mg.MotionGraph.build(clips[:3], METRIC, 25.0, ceiling=40.0, per_window=1)
    assert shrunk.candidates.table.tobytes() == fresh.candidates.table.tobytes()


def test_an_automatic_ceiling_leaves_what_can_be_searched(clips, monkeypatch):
    laid = tape.Tape.of([METRIC.prepare(clip) for clip in clips]).bodies
    assert automatic_ceiling(laid) == limits.CEILING
    monkeypatch.setattr(limits, "_FEW", 0)
    monkeypatch.setattr(limits, "_SAMPLE", 300)
    found = []
    for pairs in (40, 400, 4000, 40000):
        monkeypatch.setattr(limits, "_PAIRS", pairs)
        found.append(automatic_ceiling(laid))
    assert 0.1 <= found[0] < found[1] < found[2] <= found[3] <= limits.CEILING
    monkeypatch.setattr(limits, "_PAIRS", 4000)
    graph = mg.MotionGraph.build(clips, METRIC)
    assert graph.report()["ceiling"] == found[2]
    assert mg.MotionGraph.build(clips, METRIC, 14.5).report()["ceiling"] == 14.5
    with pytest.raises(mg.MotionError, match="a ceiling is a cost or 'auto', not 'high'"):
        mg.MotionGraph.build(clips, METRIC, ceiling="high")
    with pytest.raises(mg.MotionError, match="a whole number of transitions, or 0 for all, not -1"):
        Limits(per_window=-1)


def test_the_report_says_what_was_looked_at(clips, monkeypatch):
    monkeypatch.setattr(tape, "FEW", 0)
    pruned, whole = (mg.MotionGraph.build(clips, METRIC, 5.0, ceiling=5.0, search=s) for s in tape.SEARCHES)
    assert pruned.candidates.table.tobytes() == whole.candidates.table.tobytes()
    looked = pruned.report()["search"]
    coarse, fine = looked["share_kept_by_level"]
    assert 0.0 < fine <= coarse <= 1.0
    assert looked["share_compared"] < 1.0 == whole.report()["search"]["share_compared"]
    with pytest.raises(mg.MotionError, match="'pruned' or 'exhaustive', not 'quick'"):
        mg.MotionGraph.build(clips, METRIC, search="quick")


def test_packed_poses_beyond_a_limit_lie_in_a_file(rng, monkeypatch):
    skeleton = random_skeleton(rng, 12)
    some = [walking(rng, skeleton, 60) for _ in range(4)]
    size = some[0].packed().poses.nbytes
    stock = poses._Stock(2 * size)
    monkeypatch.setattr(poses, "_stock", stock)
    packed = [clip.packed() for clip in some]
    gone = packed[2].poses
    assert isinstance(gone.turns.base.base, np.memmap) or isinstance(gone.turns.base, np.memmap)
    assert stock.file is not None
    assert stock.room == 0
    for clip, one in zip(some, packed):
        assert one.poses.same(poses.Packed.of(clip.root, clip.rotations))
        np.testing.assert_allclose(one.positions(), clip.positions(), atol=2e-6)
    del packed, one
    assert stock.room == 2 * size, "what goes makes room again"


def test_packed_poses_stay_in_memory_where_no_file_can_be_written(rng, monkeypatch):
    clip = walking(rng, random_skeleton(rng, 12), 60)
    monkeypatch.setattr(poses, "_stock", poses._Stock(0))
    monkeypatch.setattr(poses, "_folder", lambda: "/nowhere")
    assert clip.packed().poses.same(poses.Packed.of(clip.root, clip.rotations))


def test_the_report_lists_which_subjects_connect(clips):
    names = ("01_01", "01_02", "16_01", "35_01")
    g = mg.MotionGraph.build([clip.described(name=name) for clip, name in zip(clips, names)], METRIC, 15.0)
    rows = {row["subject"]: row for row in g.report()["subjects"]}
    assert list(rows) == ["01", "16", "35"]
    assert rows["01"]["clips"] == 2
    pruned = g.pruned()
    assert len(pruned.transitions)
    leads = {(names[t["src"]][:2], names[t["dst"]][:2]) for t in pruned.transitions}
    assert {(a, b) for a in rows for b in rows[a]["leads_to"]} == {(a, b) for a, b in leads if a != b}
    assert mg.MotionGraph.build(clips, METRIC, 15.0).report()["subjects"] == [], "clips are not named by subjects"
