"""Walks in graphs of captured motion: subject 16 walking and running, subject 69 turning, the dissertation's clips."""

import json

import numpy as np
import pytest

import motiongraph as mg
from motiongraph.cli import main
from motiongraph.walks.curve import trace

WALKS = (11, 13, 15, 17, 19, 21, 23, 25, 27, 29)
RUNS = (35, 37, 39, 41, 43)


def subject_16(mocap, numbers, label):
    folder = mocap / "cmu/asf_amc/16"
    return [mg.load(folder / f"16_{n:02d}.amc").resampled(30).labelled(label) for n in numbers]


@pytest.fixture(scope="module")
def walking(mocap):
    return mg.MotionGraph.build(subject_16(mocap, WALKS, "walk"), mirror=True)


@pytest.fixture(scope="module")
def both(mocap):
    clips = subject_16(mocap, WALKS[:5], "walk") + subject_16(mocap, RUNS, "run")
    # Nothing in between was captured, so that the way from walking to running is a dear one.
    return mg.MotionGraph.build(clips, mirror=True, threshold={("walk", "run"): 30.0, "default": 8.0})


T = np.linspace(0, 1, 200)
PATHS = {
    "straight": [[0, 0], [0, 10]],
    "circle": np.stack([3 * np.cos(2 * np.pi * T), 3 * np.sin(2 * np.pi * T)], axis=1),
    "eight": np.stack([3 * np.sin(4 * np.pi * T), 4 * np.sin(2 * np.pi * T)], axis=1),
    "square": [[0, 0], [6, 0], [6, 6], [0, 6], [0, 0]],
}


@pytest.mark.parametrize("name", PATHS)
def test_paths_are_followed(walking, name):
    walk = mg.follow_path(walking, PATHS[name])
    assert walk.complete
    assert walk.facts["path_error_mean"] < 0.25
    assert walk.facts["facing_along"] > 0.8
    assert walk.report()["cost_max"] <= np.max(walking.thresholds.limits(walking.candidates))


def test_subject_69_turns(mocap):
    files = [mocap / f"cmu/bvh/69_{n:02d}.bvh" for n in (1, 20, 24, 28, 31)]
    clips = [mg.load(file).resampled(30).labelled("walk") for file in files]
    graph = mg.MotionGraph.build(clips, mirror=True)
    walk = mg.follow_path(graph, PATHS["circle"])
    assert walk.complete
    assert walk.facts["path_error_mean"] < 0.25


def test_a_million_transitions(walking):
    walk = mg.random_walk(walking.pruned(), transitions=1_000_000, rng=0)
    assert walk.complete
    assert len(walk.transitions) == 1_000_000


def test_walk_then_run(both):
    walk = mg.follow_path(both, [[0, 0], [0, 6], [0, 14]], labels=["walk", "run"])
    assert walk.facts["labels_held"] > 0.8
    assert abs(walk.facts["switches"][0]["begins"] - 6.0) < 1.5
    speed = np.linalg.norm(np.diff(trace(walk)[0], axis=0), axis=1) * walk.fps
    assert np.median(speed[-30:]) > 1.5 * np.median(speed[:60])


def test_walk_to_run_is_out_of_reach_of_cheap_transitions(both):
    with pytest.raises(mg.MotionError, match=r"run cannot be reached from walk below 8\.0 cm; it can at") as said:
        mg.connect(both.at(8.0), "walk", "run")
    enough = float(str(said.value).split()[-1])
    assert mg.connect(both.at(enough), "walk", "run").transitions["cost"].max() <= enough


def test_a_place_is_reached(walking):
    walk = mg.reach(walking, (3.0, 4.0), np.pi / 2)
    assert walk.facts["end_distance"] < 0.3
    assert walk.facts["end_turn"] < 30.0


def test_the_order_of_the_dissertation(mocap):
    folder = mocap / "cmu/asf_amc/dissertation"
    graph = mg.MotionGraph.build([mg.load(file) for file in sorted(folder.glob("*.amc"))], threshold=60.0)
    order = [
        next(clip.name for clip in graph.clips if clip.name.startswith(word))
        for word in ("run", "walk", "sneak", "duck", "jump_up", "jump_one")
    ]
    walk = mg.sequential_walk(graph, order)
    assert [walk.clips[c].name for c in dict.fromkeys(walk.steps["clip"].tolist())] == order
    trials = mg.sequential_walk(graph, order, method="trials", trials=200)
    assert trials.complete
    assert walk.transitions["cost"].sum() <= trials.transitions["cost"].sum()
    # One threshold below the dearest transition of the cheapest bottleneck, there is none, and the sentence is true.
    with pytest.raises(mg.MotionError, match="the whole order can be covered at") as said:
        mg.sequential_walk(graph.at(10.0), order, detours=False)
    enough = float(str(said.value).split()[-1])
    assert mg.sequential_walk(graph.at(enough), order).complete
    with pytest.raises(mg.MotionError):
        mg.sequential_walk(graph.at(enough - 0.1), order, detours=False)


def test_the_command_line(walking, tmp_path, capsys):
    graph, points, out = tmp_path / "g.mgraph", tmp_path / "path.csv", tmp_path / "out.bvh"
    walking.save(graph)
    points.write_text("x,z\n0,0\n0,3\n2,5  # a bend\n")

    def run(*words):
        with pytest.raises(SystemExit) as ended:
            main(["walk", str(graph), *map(str, words)])
        return ended.value.code or 0, *capsys.readouterr()

    status, said, warned = run("path", "--points", points, "--labels", "walk", "--curve", "spline", "-o", out, "--json")
    assert status == 0, warned
    report = json.loads(said)
    assert report["complete"]
    assert report["path_error_mean"] < 0.25
    assert len(mg.load(out).captured()) == report["frames"]
    status, _, warned = run("path", "--points", points, "-o", out)
    assert status == 1
    assert "is there already" in warned
    status, _, warned = run("connect", "--from", "16_15", "-o", tmp_path / "x.bvh")
    assert status == 2
    assert "needs --to" in " ".join(warned.split())
    status, _, warned = run("sequential", "--order", "walk,crawl", "-o", tmp_path / "x.bvh")
    assert status == 1
    assert "no clip or label 'crawl'" in warned
    points.write_text("0,0\n1,2,3\n")
    status, _, warned = run("path", "--points", points, "-o", tmp_path / "x.bvh")
    assert status == 1
    assert "path.csv:2: expected x and z" in warned
    assert not (tmp_path / "x.bvh").exists()
    for words in (
        ["greedy", "--transitions", 3, "--start", "16_15"],
        ["random", "--seconds", 2, "--seed", 4, "--log", tmp_path / "log.txt"],
        ["sequential", "--order", "16_15,16_17"],
        ["connect", "--from", "16_15:10", "--to", "16_17", "--cheapest"],
        ["reach", "--position", "1,2", "--facing", 90, "--no-cleanup"],
    ):
        status, said, warned = run(*words, "-o", tmp_path / f"{words[0]}.bvh")
        assert status == 0, warned
        assert "transitions" in said
        assert (tmp_path / f"{words[0]}.bvh").stat().st_size > 1000
    assert (tmp_path / "log.txt").read_text().startswith("   1  16_")
