"""Made clips that lead over from one kind of motion to another."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from swinging import put, said, tell

import motiongraph as mg
from motiongraph import rotations as rot
from motiongraph.app import commands as do
from motiongraph.app.state import AppState
from motiongraph.app.update import update, warm_up
from motiongraph.cli import main
from motiongraph.synthesis.bridge import _over, cycles
from motiongraph.viewer.camera import Camera

CAPTURED = Path(__file__).resolve().parent.parent / "assets/captured"


@pytest.fixture(scope="module")
def clips():
    names = ("walk", "walk_2", "run", "run_2", "jump")
    return {name: mg.load(CAPTURED / f"{name}.bvh").labelled([name.split("_")[0]]) for name in names}


def speed(clip, part):
    return float(np.linalg.norm(np.diff(clip.root[part][:, [0, 2]], axis=0), axis=1).mean() * clip.fps)


def test_cycles_lead_along_z_and_close(clips):
    for name in ("walk", "run"):
        cycle = next(c for foot in (0, 1) for c in cycles(clips[name], foot))
        assert cycle.open < 0.06
        assert abs(cycle.root[-2, 0] - cycle.root[0, 0]) < 1e-6
        assert cycle.stride > 1.0
        (a, turns_a, _), (b, turns_b, _) = cycle.at(np.zeros(1)), cycle.at(np.array([1.0 - 1e-9]))
        np.testing.assert_allclose(a, b, atol=1e-6)
        np.testing.assert_allclose(np.abs((turns_a * turns_b).sum(axis=-1)), 1.0, atol=1e-6)
    assert not cycles(clips["jump"], 0)


def test_a_veering_cycle_closes_without_a_leap():
    """A circle of 2 m run at 3 m/s: the way at the end of a cycle is turned by 1.2 radians, which is taken back."""
    run = mg.load(CAPTURED / "run.bvh")
    turn = np.arange(len(run)) / run.fps * 1.5
    way = np.stack([2.0 * (1.0 - np.cos(turn)), run.root[:, 1], 2.0 * np.sin(turn)], axis=1)
    facing = rot.multiply(rot.about("Y", turn), run.rotations[0, 0])
    turns = run.rotations.copy()
    turns[:, 0] = facing
    clip = replace(run, root=way, rotations=turns, source=None).with_contacts(run.contacts())
    cycle = next(c for foot in (0, 1) for c in cycles(clip, foot))
    phase = np.linspace(0.0, 2.0, 2 * (cycle.stop - cycle.start), endpoint=False)
    root = cycle.at(phase)[0]
    assert np.abs(np.diff(root[:, 0], 2)).max() * run.fps**2 < 3.0  # m/s²; 203 where the loop is only closed


def test_a_bridge_begins_as_one_and_ends_as_the_other(clips):
    made = mg.bridge(clips["walk"], clips["run"])
    assert made.name == "walk to run, made"
    third = len(made) // 5
    assert speed(made, slice(third)) == pytest.approx(speed(clips["walk"], slice(None)), rel=0.15)
    assert speed(made, slice(-third, None)) == pytest.approx(speed(clips["run"], slice(None)), rel=0.15)
    assert made.labels.at("walk")[0]
    assert not made.labels.at("walk")[-1]
    assert made.labels.at("run")[-1]
    figures = [mg.quality(clip) for clip in (made, clips["walk"], clips["run"])]
    assert figures[0]["acceleration_p99"] < max(f["acceleration_p99"] for f in figures[1:])
    with pytest.raises(mg.MotionError, match="no cycles of like structure"):
        mg.bridge(clips["walk"], clips["jump"])


def test_a_bridge_is_come_to_and_left_in_captured_motion(clips):
    """Its ends are those of the clips, so that the way to it costs next to nothing; only feet are held in it."""
    made = mg.bridge(clips["walk"], clips["run"])
    third = len(made) // 3
    ends = (clips["walk"], made[:third]), (clips["run"], made[-third:])
    assert [mg.distance_matrix(*pair).cost.min() for pair in ends] == pytest.approx([0.0, 0.0], abs=0.5)
    jerks = [np.linalg.norm(np.diff(clip.root, 3, axis=0), axis=1).max() for clip in (made, *clips.values())]
    assert jerks[0] < 1.2 * max(jerks[1:])  # nor does anything leap where they join


def test_a_graph_gets_bridges_where_it_needs_them(clips):
    graph = mg.MotionGraph.build([clips[name] for name in ("walk", "walk_2", "run", "run_2")])
    with pytest.raises(mg.Unreachable):
        mg.connect(graph, "walk", "run")
    whole, made = mg.bridged(graph)
    assert made
    assert all(entry["share"] <= 1.0 for entry in made)
    assert mg.connect(whole, "walk", "run").complete
    assert len(graph.clips) == 4  # as it was
    assert len({clip.name for clip in whole.clips}) == 4 + len(made)
    assert not any("made, made" in entry["name"] for entry in mg.bridged(whole)[1])  # nothing is led over twice


def test_the_command_says_what_it_made(tmp_path, capsys):
    files = [str(CAPTURED / f"{name}.bvh") for name in ("walk", "walk_2", "run", "run_2")]
    with pytest.raises(SystemExit, match=r"^0$"):
        main(["build", *files, "-o", str(tmp_path / "g.mgraph"), "--bridge", "--json"])
    out = capsys.readouterr()
    found = json.loads(out.out)["bridges"]
    assert found
    assert f"{found[0]['name']}: leads over at" in out.err
    names = [clip.name for clip in mg.MotionGraph.load(tmp_path / "g.mgraph").clips]
    assert all(entry["name"] in names for entry in found)


def test_the_window_bridges_its_graph(clips):
    """Bridges come into the library, ticked, and the graph is built with them; where there is none to make, it says
    so and nothing changes."""
    state, apart = (AppState(inline=True, camera=Camera()) for _ in range(2))
    warm_up(state)
    for name in ("walk", "walk_2", "run", "run_2"):
        put(state, clips[name], name)
    tell(state, do.BuildGraph())
    with pytest.raises(mg.Unreachable):
        mg.connect(state.graph.graph, "walk", "run")
    tell(state, do.BridgeGraph())
    update(state, 0.0)
    made = [entry for entry in state.library if entry.name.endswith(", made")]
    assert made
    assert all(entry.used and entry.made is None for entry in made)
    assert mg.connect(state.graph.graph, "walk", "run").complete
    assert any(text.startswith(f"{made[0].name}: leads over at") for text in said(state))
    for name in ("walk", "jump"):
        put(apart, clips[name], name)
    tell(apart, do.BuildGraph(), do.BridgeGraph())
    assert (len(apart.library), apart.graph.built) == (2, 1)
    assert any(text.startswith("no bridge was found") for text in said(apart))


def test_ways_over_others_count():
    inf = np.inf
    way = np.array([[inf, 0.4, inf], [inf, inf, 0.6], [inf, inf, inf]])
    np.testing.assert_array_equal(_over(way), [[0.0, 0.4, 0.6], [inf, 0.0, 0.6], [inf, inf, 0.0]])
