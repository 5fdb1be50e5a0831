"""Which pairs of windows become transitions: the border, every cell, the same feet, half as many."""

import numpy as np
import pytest
from sessions import begin, said, tell
from typer.testing import CliRunner
from walking import sample

import motiongraph as mg
from motiongraph.app import commands as do
from motiongraph.cli import app
from motiongraph.errors import MotionError
from motiongraph.graph.build import Options, build_graph
from motiongraph.graph.rules import Rules
from motiongraph.model import sides


@pytest.fixture(scope="module")
def clips():
    return [sample(name)[:300].resampled(30) for name in ("walk", "walk_left")]


def pairs_of(graph, src, dst):
    t = graph.candidates.table
    rows = t[(t["src"] == src) & (t["dst"] == dst)]
    return {(int(r["src_frame"]), int(r["dst_frame"])) for r in rows}


@pytest.mark.parametrize("radius", [0.0, 0.1])
@pytest.mark.parametrize("kind", ["cloud", "angle"])
def test_the_border_is_the_same_in_matrix_and_graph(clips, kind, radius):
    metric = mg.Metric(kind=kind)
    matrix = mg.distance_matrix(*clips, metric, cache=False)
    counts = []
    for border in (True, False):
        graph = mg.MotionGraph.build(
            clips, metric, ceiling=np.inf if kind == "angle" else 15.0, radius=radius, border=border
        )
        minima = matrix.minima(None if kind == "angle" else 15.0, radius=round(radius * 30) or None, border=border)
        wanted = {(int(m["a"]), int(m["b"])) for m in minima if m["b"] + graph.window < len(clips[1])}
        assert pairs_of(graph, 0, 1) == wanted
        counts.append(len(wanted))
    assert counts[0] > counts[1] > 0


def test_every_cell_below_a_threshold(clips):
    graph = mg.MotionGraph.build(clips, ceiling=5.0, every_cell=True)
    matrix = mg.distance_matrix(*clips, cache=False)
    exact = matrix.pair.exact(*np.indices(matrix.cost.shape).reshape(2, -1))[0].astype(np.float32)
    cells = np.argwhere(exact.reshape(matrix.cost.shape) <= 5.0)
    wanted = {(int(a), int(b)) for a, b in cells if b + graph.window < len(clips[1])}
    assert pairs_of(graph, 0, 1) == wanted
    own = pairs_of(graph, 0, 0)
    assert own
    assert all(abs(a - b) >= graph.window for a, b in own)
    assert len(graph.candidates.table) > 5 * len(mg.MotionGraph.build(clips, ceiling=5.0).candidates.table)
    mg.synthesize(mg.random_walk(graph.at(5.0).pruned(), seconds=3, rng=0))
    with pytest.raises(MotionError, match="needs a ceiling"):
        mg.MotionGraph.build(clips, mg.Metric(kind="angle"), every_cell=True)


def test_half_as_many_as_the_steps_there_are(clips):
    graph = mg.MotionGraph.build(clips, threshold="half", ceiling=6.0, every_cell=True)
    steps = sum(len(clip) - 1 for clip in clips)
    count = int(graph.taken.sum())
    assert count >= steps / 2
    below = graph.at(np.nextafter(graph.thresholds.within, 0.0))
    assert below.taken.sum() < steps / 2
    assert graph.at("half").thresholds == graph.thresholds
    with pytest.raises(MotionError, match="build with every cell, or with a higher ceiling"):
        mg.MotionGraph.build(clips, threshold="half", ceiling=1.0)


def test_only_windows_with_the_same_feet_down(clips):
    everything = mg.MotionGraph.build(clips, radius=0.0)
    graph = mg.MotionGraph.build(clips, radius=0.0, same_feet=True)
    down = []
    for clip in clips:
        contacts, column, feet = np.asarray(clip.contacts()), 0, []
        for foot in sides.feet(clip):
            feet.append(contacts[:, column : column + len(foot)].any(axis=1))
            column += len(foot)
        down.append(np.stack(feet, axis=1))
    half = graph.window // 2

    def alike(row):
        return (down[row["src"]][row["src_frame"] + half] == down[row["dst"]][row["dst_frame"] + half]).all()

    assert len(graph.candidates.table)
    assert all(map(alike, graph.candidates.table))
    # They are the minima of everything whose feet are alike.
    ends = ("src", "src_frame", "dst", "dst_frame")
    kept = {tuple(r[n] for n in ends) for r in graph.candidates.table}
    assert kept == {tuple(r[n] for n in ends) for r in everything.candidates.table if alike(r)}
    built = build_graph(clips, Options(rules=Rules(same_feet=True)))
    assert any("same feet down were compared: " in sentence for sentence in built.warnings)
    again = build_graph(
        [*clips, sample("walk_right")[:200].resampled(30)], Options(rules=Rules(same_feet=True)), built.graph
    )
    fresh = build_graph([*clips, sample("walk_right")[:200].resampled(30)], Options(rules=Rules(same_feet=True)))
    assert again.compared < again.total
    np.testing.assert_array_equal(again.graph.candidates.table, fresh.graph.candidates.table)


def test_files_and_commands_know_them(clips, tmp_path):
    graph = mg.MotionGraph.build(clips, border=False, same_feet=True)
    graph.save(tmp_path / "g.mgraph")
    assert mg.MotionGraph.load(tmp_path / "g.mgraph").candidates.rules == Rules(border=False, same_feet=True)
    for clip in clips:
        mg.save(clip, tmp_path / f"{clip.name}.bvh")
    words = ["--no-border", "--every-cell", "--ceiling", "5", "--threshold", "half"]
    run = CliRunner().invoke(app, ["build", str(tmp_path), "-o", str(tmp_path / "h.mgraph"), *words])
    assert run.exit_code == 0, run.output
    assert mg.MotionGraph.load(tmp_path / "h.mgraph").candidates.rules == Rules(border=False, every_cell=True)


@pytest.mark.usefixtures("config")
def test_the_window_builds_by_them(tmp_path):
    state = begin(("walk",))
    tell(state, do.Trim(1, 0, 240), do.SetGraphOption("same_feet", True), do.BuildGraph())
    assert state.graph.graph.candidates.rules == Rules(same_feet=True)
    tell(state, do.SetGraphOption("same_feet", False), do.SetGraphOption("every_cell", True), do.BuildGraph())
    assert state.graph.graph.candidates.rules == Rules(every_cell=True)
    assert state.graph.graph.candidates.ceiling == 4.0
    tell(state, do.SetThreshold("half"))
    assert state.graph.graph.taken.sum() >= 239 / 2 or "half as many" in said(state)[0]
    tell(state, do.SaveProject(tmp_path / "p.mgproj"))
    again = begin()
    tell(again, do.OpenProject(tmp_path / "p.mgproj"))
    assert again.graph.options == state.graph.options
    tell(state, do.SetGraphOption("every_cell", False))
    assert state.graph.options.ceiling is None
