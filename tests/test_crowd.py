"""A crowd: nobody touches, all arrive, neighbours do not move in step, and nothing depends on threads or frame rate."""

import json

import numpy as np
import pytest
from naive import crowd as naive
from walking import sample

import motiongraph as mg
from motiongraph.cli import main
from motiongraph.synthesis.crowd_poses import ground_of, pose_all
from motiongraph.walks.avoidance import choose_ways, move
from motiongraph.walks.courses import STATE, from_here, look_ahead
from motiongraph.walks.crowd_goals import LAYOUTS, layout, opposite
from motiongraph.walks.floor_path import floor_graph, without_dead_ends


@pytest.fixture(scope="module")
def graph():
    names = ("walk", "walk_left_90", "walk_right_90", "walk_left", "idle")
    return mg.MotionGraph.build([sample(name).resampled(30) for name in names])


def gaps(roots):
    """(N, N) metres on the floor between roots (N, 3), infinity on the diagonal."""
    places = roots[:, [0, 2]]
    off = np.sqrt(((places[:, None] - places) ** 2).sum(axis=2))
    np.fill_diagonal(off, np.inf)
    return off


def until_all_arrive(crowd, seconds=120.0, dt=1 / 20):
    nearest = np.inf
    while crowd.seconds < seconds and not crowd.arrived.all():
        nearest = min(nearest, gaps(crowd.advance(dt)).min())
    return nearest


@pytest.mark.long
def test_twenty_cross_a_circle(graph):
    starts = layout("circle", 20)
    crowd = mg.Crowd(graph, starts, opposite(starts))
    np.testing.assert_allclose(crowd.roots[:, [0, 2]], starts[:, 1:], atol=0.1)
    nearest = until_all_arrive(crowd)
    assert crowd.arrived.all()
    assert nearest >= 0.35
    off = crowd.roots[:, [0, 2]] - opposite(starts)
    assert np.linalg.norm(off, axis=1).max() < 0.5
    still = crowd.roots
    assert np.linalg.norm(crowd.advance(5.0) - still, axis=1).max() < 0.5  # they stay


def test_it_is_the_same_whatever_the_frame_rate(graph):
    starts = layout("scattered", 8, rng=3)
    found = []
    for dt in (1 / 20, 1 / 60, 1.0):
        crowd = mg.Crowd(graph, starts, opposite(starts), rng=5)
        for _ in range(round(6 / dt)):
            crowd.advance(dt)
        crowd._left = round(crowd._left * 600) / 600  # of seconds that do not add up exactly
        found.append(crowd._states.copy())
    np.testing.assert_array_equal(found[0], found[2])
    np.testing.assert_array_equal(found[0], found[1])


def test_obstacles_are_gone_round(graph):
    crowd = mg.Crowd(graph, [(0, 0, -4), (0, 1, -4)], [(0, 5), (1, 5)], obstacles=[(0.3, 0.5, 0.8)])
    nearest = np.inf
    while crowd.seconds < 60 and not crowd.arrived.all():
        places = crowd.advance(1 / 20)[:, [0, 2]]
        nearest = min(nearest, np.linalg.norm(places - (0.3, 0.5), axis=1).min())
    assert crowd.arrived.all()
    assert nearest >= 0.8 - 0.02


def test_neighbours_do_not_move_in_step(graph):
    """Two with the same wish, seen after a few seconds: they are at different frames, and differ with the seed."""
    starts = np.array([(0, x, 0) for x in range(6)], float)
    found = []
    for seed in (0, 1):
        crowd = mg.Crowd(graph, starts, starts[:, 1:] + [0, 30], rng=seed)
        crowd.advance(6.0)
        found.append(crowd._states[:, :2].copy())
        assert len(np.unique(crowd._states[:, :2], axis=0)) >= 5
    assert (found[0] != found[1]).any()


def test_paths_wandering_and_a_shared_goal(graph):
    path = mg.Curve.of([(0, 0), (0, 4), (4, 4)])
    crowd = mg.Crowd(graph, [(0, 0, 0), (0, 3, 0), (0, -3, -3), (0, -4, -3)], [path, None, (-3, 3), (-3, 3)], rng=1)
    places = []
    while crowd.seconds < 45:
        places.append(crowd.advance(0.1)[:, [0, 2]])
    places = np.array(places)
    off = np.linalg.norm(places[:, 0, None] - path.places[None], axis=2).min(axis=1)
    assert off.mean() < 0.6
    assert crowd.arrived.tolist() == [True, False, True, True]
    assert np.linalg.norm(np.diff(places[:, 1], axis=0), axis=1).sum() > 15  # it goes on
    assert np.linalg.norm(places[-1, 2:] - (-3, 3), axis=1).max() < 1.6


def test_poses_are_those_of_the_clips(graph):
    """Without transitions or turning a pose is the captured one, placed."""
    pruned = without_dead_ends(graph)
    ground, turns = ground_of(pruned)
    floor, count = floor_graph(pruned), 5
    rng = np.random.default_rng(0)
    states, plans = np.zeros((count, STATE)), np.full((count, 4), -1, np.int32)
    frames = rng.choice(floor.nodes[floor.floor.run_end[floor.nodes] > floor.nodes + 2], count)
    theta = rng.uniform(-3, 3, count)
    states[:, 0], states[:, 1] = -1, frames + 0.25
    states[:, 2], states[:, 3], states[:, 4:] = np.cos(theta), np.sin(theta), rng.normal(size=(count, 2))
    root, out, now = np.empty((count, 3)), np.empty((count, *turns.shape[1:])), np.empty((count, STATE))
    moves = np.tile([0.5, 0.0, 0.0], (count, 1))
    pose_all(floor.floor, ground, turns, plans, states, moves, np.zeros((count, 2)), root, out, now)
    np.testing.assert_allclose(now[:, 1], frames + 0.75)
    for i in range(count):
        ref_root, ref = naive.pose(ground.root, turns, frames[i] + 0.75, theta[i], states[i, 4:])
        np.testing.assert_allclose(root[i], ref_root, atol=1e-9)
        np.testing.assert_allclose(out[i], ref, atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_courses_against_plain_loops(graph, seed):
    """Where a character is after some time on a plan: clips, transitions and turning."""
    pruned = without_dead_ends(graph)
    ground, _ = ground_of(pruned)
    floor, rng = floor_graph(pruned).floor, np.random.default_rng(seed)
    nodes = floor_graph(pruned).nodes
    frame = int(rng.choice(nodes[floor.run_end[nodes] >= 0]))
    plan, at = [], frame
    for _ in range(3):
        exits = np.arange(floor.next_out[at], floor.next_out[floor.run_end[at] + 1])
        plan.append(int(rng.choice(exits)))
        at = int(floor.arrive[plan[-1]])
    state = np.array([[-1, frame, np.cos(0.7), np.sin(0.7), 1.0, -2.0]])
    plans, out = np.array([[*plan, -1]], np.int32), np.empty((1, 60, 4))
    look_ahead(floor, ground, plans, state, np.array([[0.8, 0.9, 0.0]]), 0.1, out)
    told = {name: getattr(floor, name) for name in ("leave", "arrive", "jump", "run_end", "next_out", "face")}
    ref = naive.course(told, ground.root, ground.about, ground.window, ground.fps, plan, frame, (0.7, 1, -2), 0.8, 0.9)
    np.testing.assert_allclose(out[0], ref, atol=1e-9)
    taken, reached, *_, passed = from_here(floor, ground, plans[0], state[0], 0.0)
    assert (taken.tolist(), reached, passed) == ([], frame, 0.0)
    taken, reached, *_ = from_here(floor, ground, plans[0], state[0], float(floor.leave[plan[0]] - frame + 1))
    assert taken.tolist() == plan[:1]
    assert reached == floor.arrive[plan[0]]


@pytest.mark.parametrize("seed", range(4))
def test_ways_against_plain_loops(seed):
    rng = np.random.default_rng(seed)
    ahead = rng.uniform(-3, 3, (9, 1, 4)) + np.arange(20)[:, None] * 0.1 * rng.uniform(-1.5, 1.5, (9, 1, 4))
    goals, speeds, waited = rng.uniform(-6, 6, (9, 2)), rng.uniform(0, 2, 9), rng.uniform(0, 2, 9)
    obstacles, which, out = np.array([[1.0, 1.0, 0.5]]), np.array([0, 3, 8]), np.zeros((3, 3))
    choose_ways(np.ascontiguousarray(ahead), goals, speeds, waited, obstacles, 0.6, 0.42, 0.1, which, out)
    ref = [naive.way(ahead, goals, speeds, waited, obstacles, 0.6, 0.42, 0.1, i) for i in which]
    np.testing.assert_allclose(out, ref, atol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_moving_against_plain_loops(graph, seed):
    """Some seconds of nine on a small place, with something in the way: who goes, slows, waits and turns."""
    pruned, rng, count = without_dead_ends(graph), np.random.default_rng(seed), 9
    ground, _ = ground_of(pruned)
    floor, nodes = floor_graph(pruned).floor, floor_graph(pruned).nodes
    theta, states = rng.uniform(-3, 3, count), np.zeros((count, STATE))
    states[:, 0], states[:, 1] = -1, rng.choice(nodes[floor.run_end[nodes] >= 0], count)
    states[:, 2], states[:, 3] = np.cos(theta), np.sin(theta)
    plans, speeds = np.full((count, 4), -1, np.int32), np.tile([0.6, 0.0, 0.0], (count, 1))
    for i in range(count):  # the second of the plan is found as it would be without one
        exits = np.arange(floor.next_out[int(states[i, 1])], floor.next_out[floor.run_end[int(states[i, 1])] + 1])
        plans[i, 0] = rng.choice(exits)
    told = {name: getattr(floor, name) for name in ("leave", "arrive", "jump", "run_end", "next_out", "face")}
    fixed = told, ground.root, ground.about, ground.window, ground.fps
    states[:, 4:] = rng.uniform(-1.6, 1.6, (count, 2)) - [
        naive.Walker(*fixed, p, s).place() for p, s in zip(plans, states)
    ]
    walkers = [naive.Walker(*fixed, plan, state) for plan, state in zip(plans, states)]
    brakes = np.array([[walker.place()] * 14 for walker in walkers])
    theirs, slow = [list(map(tuple, b)) for b in brakes], [tuple(s) for s in speeds]
    obstacles, moves, done = np.array([[0.3, 0.2, 0.4]]), np.zeros((count, 3)), np.zeros(count, np.int64)
    goals, halted = rng.uniform(-3, 3, (count, 2)), 0
    for _ in range(45):
        way = goals - [walker.place() for walker in walkers]
        wanted = np.column_stack(
            [way / np.linalg.norm(way, axis=1, keepdims=True), rng.choice([1.0, 0.4, -1.0], count)]
        )
        order = rng.permutation(count)
        move(floor, ground, plans, states, speeds, wanted, brakes, order, obstacles, 0.42, 1 / 30, 2.0, moves, done)
        for i in np.flatnonzero(done):
            plans[i] = -1
        ref = naive.move(walkers, slow, wanted, theirs, order, obstacles, 0.42, 1 / 30, 2.0)
        np.testing.assert_allclose(moves, ref, atol=1e-6)
        np.testing.assert_allclose(speeds, slow, atol=1e-6)
        np.testing.assert_allclose(brakes, theirs, atol=1e-6)
        for i, walker in enumerate(walkers):
            assert done[i] == walker.done
            walker.plan, walker.done = [int(k) for k in plans[i] if k >= 0], 0
            np.testing.assert_allclose(states[i, :2], (walker.jump, walker.at), atol=1e-6)
        halted += int((speeds[:, 0] == 0).sum())
    assert halted


def test_who_waits_stands(graph):
    """Someone who can go no further comes to stand where it is, as the clip of standing does, and stays in motion."""
    around = np.linspace(0.0, 2.0 * np.pi, 30)[:-1]
    crowd = mg.Crowd(graph, [(0, 0, 0)], [(0, 8)], obstacles=[(1.2 * np.sin(a), 1.2 * np.cos(a), 0.5) for a in around])
    while crowd.seconds < 30 and crowd._rests[0] < 1.0:
        crowd.advance(1 / 30)
    assert crowd._rests[0] == 1.0
    before, turns = crowd.poses()
    idle = next(clip for clip in crowd.graph.clips if clip.name == "idle")
    pose = mg.Clip(idle.skeleton, before, turns, 30.0).positions()[0] - before
    nearest = min(np.abs(_level(pose) - _level(other)).max() for other in idle.positions() - idle.root[:, None])
    assert nearest < 0.02
    assert np.abs(crowd._resting()[:, 1] - (crowd.advance(0.5), crowd._resting())[1][:, 1]).max() > 1.0


def _level(joints):
    """(J, 2) height and distance from the root of joints (J, 3)."""
    return np.stack([joints[:, 1], np.hypot(joints[:, 0], joints[:, 2])], axis=1)


def test_layouts():
    for kind in LAYOUTS:
        for count in (1, 7, 60):
            starts = layout(kind, count, rng=1)
            assert starts.shape == (count, 3)
            off = np.linalg.norm(starts[:, None, 1:] - starts[None, :, 1:], axis=2) + 9 * np.eye(count)
            assert off.min() > 0.8
    with pytest.raises(mg.MotionError, match="grid, circle, scattered"):
        layout("heap", 3)


def test_motion_of_each(graph):
    starts = layout("circle", 4)
    clips = mg.Crowd(graph, starts, opposite(starts)).motions(40.0)
    assert [clip.name for clip in clips] == ["crowd_001", "crowd_002", "crowd_003", "crowd_004"]
    assert {len(clip) for clip in clips} == {len(clips[0])}
    for clip, goal in zip(clips, opposite(starts)):
        assert np.linalg.norm(clip.root[-1, [0, 2]] - goal) < 0.6
        assert np.linalg.norm(np.diff(clip.root, axis=0), axis=1).max() * clip.fps < 4.0
        assert mg.quality(clip)["slide_mean"] < 1.0


def test_odd_input(graph):
    for starts, goals, fields, said in (
        ([(0, 0)], None, {}, "rows of a heading"),
        ([], None, {}, "1 to 5,000"),
        ([(0, 0, 0)], [(1, 1), (2, 2)], {}, "2 goals for 1"),
        ([(0, 0, np.nan)], None, {}, "finite"),
        ([(0, 0, 0)], [(np.nan, 1)], {}, "a goal is"),
        ([(0, 0, 0)], ["there"], {}, "path needs"),
        ([(0, 0, 0)], None, {"obstacles": [(0, 0, -1)]}, "radius"),
        ([(0, 0, 0)], None, {"labels": "fly"}, "no clip or label"),
        ([(0, 0, 0)], None, {"labels": ["walk", "walk"]}, "2 labels for 1"),
        ([(0, 0, 0)], None, {"clear": 0.0}, "clear is"),
    ):
        with pytest.raises(mg.MotionError, match=said):
            mg.Crowd(graph, starts, goals, **fields)
    crowd = mg.Crowd(graph, [(0, 0, 0), (0, 0, 0)], labels=["walk", None])  # at the same place: they part
    for dt in (np.nan, np.inf, -1.0, 0.0):
        assert np.isfinite(crowd.advance(dt)).all()
    crowd.advance(15.0)
    assert gaps(crowd.roots).min() > 0.3


def run(*arguments):
    """Exit status of a command."""
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    return ended.value.code or 0


@pytest.mark.parametrize("many", [1, 3])
def test_a_crowd_is_written(tmp_path, graph, many, capsys):
    file = tmp_path / "g.mgraph"
    graph.save(file)
    asked = ["crowd", str(file), "-n", str(many), "--seconds", "3", "--no-cleanup", "--json", "-o"]
    assert run(*asked, str(tmp_path / "all.glb")) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["characters"] == many
    clips = mg.load_clips(tmp_path / "all.glb")
    assert len(clips) == many
    assert run(*asked, str(tmp_path / "folder")) == 0
    told = json.loads(capsys.readouterr().out)
    files = sorted((tmp_path / "folder").iterdir())
    assert [str(f) for f in files] == told["files"]
    for one, other in zip(clips, map(mg.load, files)):
        np.testing.assert_allclose(one.positions(), other.positions(), atol=1e-3)
    assert run(*asked, str(tmp_path / "folder")) == 1
    assert "is there already" in capsys.readouterr().err
    assert run(*asked, str(tmp_path / "folder"), "--force", "--format", "glb") == 0
    assert len(list((tmp_path / "folder").iterdir())) == 2 * many
    assert run(*asked, str(tmp_path / "nowhere" / "folder")) == 1
    assert run(*asked, str(tmp_path / "x"), "--obstacle", "1,2") == 2
    assert sorted(p.name for p in tmp_path.iterdir()) == ["all.glb", "folder", "g.mgraph"]
