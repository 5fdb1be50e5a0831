"""The graph at a glance: rows, clusters, cells and their picture."""

import json

import naive.overview as naive
import numpy as np
import pytest
from graphs import graph_of, random_graph, still
from PIL import Image
from typer.testing import CliRunner

from motiongraph.graph.clusters import Clusters, nearest, silhouette
from motiongraph.graph.overview import Overview, save_overview


def blocks(sizes, names=None, words=None, seed=1):
    """Clips in blocks: cheap transitions within them, none or dear ones between, and the order of clips shuffled."""
    rng = np.random.default_rng(seed)
    block = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    names = names or [f"b{b}_{i}" for i, b in enumerate(block)]
    clips = [still(30, names[i], () if words is None else words[b]) for i, b in enumerate(block)]
    rows = []
    for i in range(len(block)):
        for j in range(len(block)):
            near = block[i] == block[j]
            if i != j and (near or rng.random() < 0.2):
                cost = rng.uniform(1.0, 2.0) if near else rng.uniform(8.0, 9.0)
                rows.append((i, int(rng.integers(5, 25)), j, int(rng.integers(0, 10)), float(cost)))
    return graph_of(clips, rows, 3), block


def test_cells_are_what_loops_count():
    rng = np.random.default_rng(11)
    for _ in range(20):
        graph = random_graph(rng, clips=5, transitions=40).at(float(rng.uniform(2.0, 9.0)))
        seen, row = Overview.of(graph), graph.candidates.clusters.row
        plain = [(int(t["src"]), int(t["dst"]), float(t["cost"])) for t in graph.transitions]
        count, lowest = naive.cells(plain, row, 5)
        assert seen.count.tolist() == count
        assert seen.lowest.tolist() == lowest
        near = np.full((5, 5), 15.0)
        nearest(*graph.candidates.ends, graph.candidates.cost, row, near)
        table = [(int(t["src"]), int(t["dst"]), float(t["cost"])) for t in graph.candidates.table]
        assert near.tolist() == naive.nearest(table, row, 5, 15.0)


def test_strong_parts_are_those_of_loops():
    rng = np.random.default_rng(12)
    for _ in range(20):
        graph = random_graph(rng, clips=4, transitions=20, least=6)
        seen, s = Overview.of(graph), graph.structure
        edges = [(n, n + 1) for n in np.flatnonzero(s.goes_on)]
        edges += [(int(a), int(b)) for a, b, on in zip(s.leaves, s.arrives, graph.taken) if on]
        parts = naive.strong_parts(edges, len(s))
        for k, clip in enumerate(graph.candidates.clusters.row.argsort()):
            frames = {}
            for n in np.flatnonzero((s.clip == clip) & s.goes_on):
                if n + 1 in parts[n]:
                    frames[frozenset(parts[n])] = frames.get(frozenset(parts[n]), 0) + int(s.piece[n])
            captured = len(graph.clips[clip]) - graph.clips[clip].first
            assert seen.share[k] == pytest.approx(max(frames.values(), default=0) / captured)
            assert (seen.part[k] >= 0) == bool(frames)


def test_silhouettes():
    rng = np.random.default_rng(13)
    for _ in range(10):
        points = rng.normal(size=(9, 2))
        apart = np.linalg.norm(points[:, None] - points, axis=-1)
        cluster = np.append([0, 1, 2], rng.integers(0, 3, 6))
        assert silhouette(apart, cluster) == pytest.approx(naive.silhouette(apart.tolist(), cluster.tolist()))


def test_what_belongs_together_is_together():
    graph, block = blocks([5, 3, 6])
    found = graph.candidates.clusters
    assert len(found.each) == 3
    for cluster in found.each:
        inside = np.flatnonzero((found.row >= cluster.first) & (found.row < cluster.stop))
        assert len(set(block[inside])) == 1
        assert cluster.name == f"b{block[inside[0]]}…"
    assert sorted(found.row.tolist()) == list(range(14))
    assert [found.names[r] for r in found.row] == [clip.name for clip in graph.clips]
    # The threshold changes the cells, not where they are.
    assert graph.at(1.5).candidates.clusters is found
    assert Overview.of(graph.at(1.5)).count.sum() < Overview.of(graph).count.sum()


def test_clusters_are_named_by_what_tells_them_apart():
    graph, _ = blocks([4, 4, 4], words=[("moves", "walk"), ("moves", "run"), ("moves", "run")])
    names = sorted(cluster.name for cluster in graph.candidates.clusters.each)
    assert names == ["run", "run (2)", "walk"]
    plain = graph.report()["clusters"]
    assert {row for cluster in plain for row in cluster["rows"]} == {clip.name for clip in graph.clips}
    assert all(cluster["labels"]["moves"] == 1.0 for cluster in plain)
    json.dumps(plain)


def test_groups_stand_in_for_many_clips():
    names = [f"{subject}_{trial}" for subject in ("07", "16", "35") for trial in range(4)]
    graph, _ = blocks([12], names=names)
    grouped = Clusters.of(graph.candidates, most=6)
    assert sorted(grouped.names) == ["07", "16", "35"]
    assert all(grouped.names[row] == clip.name[:2] for row, clip in zip(grouped.row, graph.clips))
    assert Overview.of(graph, grouped).count.sum() == len(graph.transitions)
    # Names that tell nothing: clips that are alike are one row.
    graph, block = blocks([4, 5, 3], names=[f"x{i:02d}" for i in range(12)])
    grouped = Clusters.of(graph.candidates, most=3)
    assert len(grouped.names) == 3
    assert all(len(set(block[grouped.row == r])) == 1 for r in range(3))


@pytest.mark.parametrize("clips", [1, 2, 3])
def test_few_clips(clips, tmp_path):
    graph = graph_of([still(20, f"c{i}") for i in range(clips)], [(0, 5, clips - 1, 2, 1.0)], 3)
    assert len(graph.candidates.clusters.names) == clips
    save_overview(graph, tmp_path / "few.png", width=600)
    assert graph_of([still(20)], [], 3).candidates.clusters.each[0].stop == 1


def test_the_picture_has_a_square_for_every_cell(tmp_path):
    graph, _ = blocks([3, 3], words=[("walk",), ("run",)])
    save_overview(graph, tmp_path / "o.png", width=900)
    picture = np.asarray(Image.open(tmp_path / "o.png").convert("RGB")).astype(int)
    assert picture.shape[1] == 900
    coloured = (picture.max(axis=-1) - picture.min(axis=-1)) > 40
    assert 0.1 < coloured.mean() < 0.8


def test_from_the_command_line(tmp_path):
    from motiongraph.cli import app

    graph, _ = blocks([3, 3], words=[("walk",), ("run",)])
    graph.save(tmp_path / "g.mgraph")
    run = CliRunner().invoke(app, ["graph", str(tmp_path / "g.mgraph"), "--overview", str(tmp_path / "o.png")])
    assert run.exit_code == 0, run.output
    assert "cluster" in run.output
    assert Image.open(tmp_path / "o.png").size[0] == 2400
    run = CliRunner().invoke(app, ["graph", str(tmp_path / "g.mgraph"), "--overview", str(tmp_path / "o.txt")])
    assert run.exit_code == 1
