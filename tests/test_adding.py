"""Clips that are added to a graph from a file: only what can be near them is prepared, and the table is the same."""

from dataclasses import replace

import numpy as np
import pytest
from bodies import smooth_clip
from test_graph_build import swing

import motiongraph as mg
from motiongraph.graph import compare, store
from motiongraph.metric import tape


@pytest.fixture(autouse=True)
def as_a_database(monkeypatch):
    """Bounds are worked out however little there is, and every file is a large one."""
    monkeypatch.setenv("MOTIONGRAPH_CACHE", "off")
    monkeypatch.setattr(tape, "FEW", 0)
    monkeypatch.setattr(store, "_AT_ONCE", 0)


@pytest.fixture(scope="module")
def clips():
    """Of three bodies with the same joints; some are nowhere near the others."""
    rng = np.random.default_rng(5)
    found = [swing(seed, frames=100) for seed in range(6)]
    for i, size in ((1, 1.1), (4, 0.9)):
        skeleton = mg.Skeleton(found[i].skeleton.names, found[i].skeleton.parents, size * found[i].skeleton.offsets)
        found[i] = replace(found[i], skeleton=skeleton, root=size * found[i].root)
    wild = smooth_clip(rng, found[0].skeleton, 100)
    return [*found, replace(wild, name="wild", fps=found[0].fps)]


def saved(tmp_path, clips, **options):
    mg.MotionGraph.build(clips, ceiling=12.0, **options).save(tmp_path / "g.mgraph")
    return mg.MotionGraph.load(tmp_path / "g.mgraph")


def same(graph, whole):
    assert graph.candidates.table.tobytes() == whole.candidates.table.tobytes()
    assert graph.thresholds == whole.thresholds
    np.testing.assert_array_equal(graph.candidates.paces, whole.candidates.paces)
    np.testing.assert_array_equal(graph.candidates.paths, whole.candidates.paths)
    assert len(whole.candidates.table)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"mirror": True},
        {"per_window": 2},
        {"metric": mg.Metric(window=0.2, taper="gaussian")},
        {"metric": mg.Metric(window=0.0)},
        {"border": False, "radius": 0.2},
        {"same_feet": True},
    ],
)
def test_added_to_a_file_it_is_what_building_anew_gives(clips, tmp_path, options):
    graph = saved(tmp_path, clips[:4], **options)
    graph.add(clips[5]).save(tmp_path / "more.mgraph")
    grown = mg.MotionGraph.load(tmp_path / "more.mgraph").add([clips[4], clips[6]])
    same(grown, mg.MotionGraph.build([*clips[:4], clips[5], clips[4], clips[6]], ceiling=12.0, **options))
    same(grown.remove("clip1"), mg.MotionGraph.build([clips[i] for i in (0, 2, 3, 5, 4, 6)], ceiling=12.0, **options))


@pytest.mark.filterwarnings("ignore")
def test_only_what_can_be_near_is_prepared(clips, tmp_path, monkeypatch):
    graph, parts = saved(tmp_path, [*clips[:3], clips[6]]), []
    prepare = compare.Bodies.of

    def noted(metric, clip, like=None, part=None):
        parts.append((clip.name, len(clip) if part is None else len(part.frames)))
        return prepare(metric, clip, like, part)

    monkeypatch.setattr(compare.Bodies, "of", noted)
    graph.add(clips[3])
    named = dict(parts)
    assert "wild" not in named
    assert named["clip3"] == len(clips[3])
    assert 0 < sum(named[name] for name in named if name != "clip3") < sum(map(len, clips[:3]))


@pytest.mark.filterwarnings("ignore")
def test_files_without_cells_are_added_to_as_well(clips, tmp_path):
    graph = saved(tmp_path, clips[:4])
    graph.candidates.__dict__["cells"] = lambda: None
    whole = mg.MotionGraph.build([*clips[:4], clips[5]], ceiling=12.0)
    same(graph.add(clips[5]), whole)
    assert graph.candidates.cells().digests == whole.candidates.cells().digests


@pytest.mark.filterwarnings("ignore")
def test_cells_of_other_clips_are_not_believed(clips, tmp_path):
    cells = saved(tmp_path, clips[:4]).candidates.cells()
    lengths = [len(clip) - clip.first for clip in clips[:4]]
    window = len(cells.directions.path)
    assert cells.fits(window, lengths)
    assert not cells.fits(window + 1, lengths)
    assert not cells.fits(window, [*lengths[:3], lengths[3] - 1])
    assert not cells.fits(window, lengths[:3])
    assert not replace(cells, first=cells.first + 1).fits(window, lengths)
    assert not replace(cells, clip=cells.clip[::-1]).fits(window, lengths)


def test_the_automatic_threshold_is_where_the_share_bends(clips):
    """Found with few steps, it is the one that all steps would give."""
    from motiongraph.graph.thresholds import _STEPS, ENOUGH, _kept_at, automatic

    for seed in range(6):
        rng = np.random.default_rng(seed)
        c = mg.MotionGraph.build([swing(seed + k, frames=90) for k in range(3)], ceiling=30.0).candidates
        chosen = rng.random(len(c.table)) < rng.choice([0.1, 0.5, 1.0])
        c = replace(c, table=c.table[chosen])
        steps = np.linspace(0.0, (c.cost / c.leeway).max(), _STEPS)[1:]
        kept = np.array([_kept_at(c, step) for step in steps])
        gain = np.where(kept >= ENOUGH * kept[-1], kept / max(kept[-1], 1) - steps / steps[-1], -np.inf)
        best = int(np.argmax(gain))
        tenths = np.arange(1, int(10 * c.max_cost) + 2) / 10.0
        expected = next(t for t in tenths if _kept_at(c, t) >= kept[best]) if kept[-1] else 0.0
        assert automatic(c) == min(expected, c.max_cost)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("gone", [("clip1",), ("clip5", "clip0"), ("wild",)])
@pytest.mark.parametrize("count", [1, 3])
def test_what_removed_clips_had_pushed_out_comes_back(clips, tmp_path, gone, count):
    graph = saved(tmp_path, clips, per_window=count)
    left = [clip for clip in clips if clip.name not in gone]
    same(graph.remove(*gone), mg.MotionGraph.build(left, ceiling=12.0, per_window=count))
