"""Clips that are added to a graph from a file: only what can be near them is prepared, and the table is the same."""

from dataclasses import replace

import numpy as np
import pytest
from bodies import smooth_clip
from test_graph_build import swing

import motiongraph as mg
from motiongraph.graph import store
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
    found = [swing(seed) for seed in range(6)]
    for i, size in ((1, 1.1), (4, 0.9)):
        skeleton = mg.Skeleton(found[i].skeleton.names, found[i].skeleton.parents, size * found[i].skeleton.offsets)
        found[i] = replace(found[i], skeleton=skeleton, root=size * found[i].root)
    wild = smooth_clip(rng, found[0].skeleton, 200)
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
