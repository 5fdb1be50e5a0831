"""A driven character: it never ends, does what it is asked, and leaves its clip as soon as it can."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from naive import steering as naive
from naive import turning as naive_turning
from test_walks_planning import ring
from walking import sample, sample_graph

import motiongraph as mg
from motiongraph.model.placement import place
from motiongraph.synthesis import carry_over
from motiongraph.synthesis.course import Course
from motiongraph.synthesis.driven_walk import DrivenWalk
from motiongraph.synthesis.footplant import cleaned
from motiongraph.synthesis.live import FIXED, Live
from motiongraph.synthesis.requests import Request
from motiongraph.synthesis.synthesize import ground, stitched
from motiongraph.synthesis.turning import STILL, turn_frames
from motiongraph.walks.curve import Curve, nearest_on
from motiongraph.walks.floor_path import floor_graph
from motiongraph.walks.gaits import Gait
from motiongraph.walks.obstacles import checked, distance_to
from motiongraph.walks.plan_search import best_plan, plan_cost
from motiongraph.walks.steering import Steering, frames_away, frames_stayed


@pytest.fixture(scope="module")
def graph():
    names = ("idle", "walk", "walk_left_90", "walk_right_90", "run", "walk_run", "turn_in_place")
    return mg.MotionGraph.build([sample(name).resampled(30) for name in names], mirror=True)


def plain(record):
    """A named tuple of arrays as a dictionary of lists."""
    return {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in record._asdict().items()}


def last_exit(character):
    """The frame of the motion at which the clip now played can be left for the last time."""
    ground, live = character._steering.ground, character._driven.live
    clip, entered, earliest = live.now
    exits = ground.exits(int(ground.starts[clip]) + earliest)
    return live.entered + int(ground.floor.leave[exits[-1]]) - int(ground.starts[clip]) - entered if len(exits) else -1


def ask_something(character, rng, labels=("walk", "run", None)):
    """A random request."""
    kind, label = rng.integers(5), labels[rng.integers(len(labels))]
    if kind == 0:
        character.go_to(character.root[[0, 2]] + rng.uniform(-5, 5, 2), label)
    elif kind == 1:
        character.follow(character.root[[0, 2]] + rng.uniform(-2, 2, (4, 2)).cumsum(axis=0), label)
    elif kind == 2:
        character.steer(None)
    else:
        way = rng.normal(size=2)
        character.steer(way / np.linalg.norm(way) * rng.uniform(0.2, 1.0), label)


def task(seed):
    """A small graph on the floor and something random to aim at."""
    rng = np.random.default_rng(seed)
    steering = Steering(ring([-1.0, 0.0, 1.2]), (0.0, 1.5)[seed // 2])
    steering.horizon = round(0.8 * steering.ground.fps)
    need = rng.random(len(steering.open)) < 0.6
    others = rng.uniform(-2, 2, (seed % 3, 4, 2))
    points, speed, arriving = rng.uniform(-3, 3, (5, 2)), rng.uniform(0.2, 2.0), bool(seed % 2)
    aim = steering.aim(points, speed, steering.kind(need), arriving, others, 2.0, 0.7 * seed)
    frame = int(rng.choice(steering.ground.nodes[steering.ground.floor.run_end[steering.ground.nodes] >= 0]))
    return steering, aim, frame, tuple(rng.uniform(-2, 2, 3).tolist())


@pytest.mark.parametrize("seed", range(4))
def test_plans_cost_what_plain_loops_say_and_the_best_of_all_is_found(seed):
    steering, aim, frame, state = task(seed)
    floor, told, asked = steering.ground.floor, plain(steering.ground.floor), plain(aim)
    costs = {}
    for plan in naive.plans(told, asked, frame):
        costs[plan] = naive.plan_cost(told, asked, frame, state, plan)
        comp = plan_cost(floor, aim, frame, *state, np.array(plan, np.int32))
        assert comp == pytest.approx(costs[plan], rel=1e-9)
    plan, error, firsts, seen = best_plan(floor, aim, frame, *state, 3, 500, 10**6)
    assert error == pytest.approx(min(costs.values()), rel=1e-9)
    assert plan_cost(floor, aim, frame, *state, plan) == pytest.approx(error, rel=1e-9)
    assert firsts.min() == pytest.approx(error)
    narrow = best_plan(floor, aim, frame, *state, 6, 2, 10**6)
    assert error - 1e-9 <= narrow[1] < np.inf
    bounded = best_plan(floor, aim, frame, *state, 3, 500, 40)
    assert error - 1e-9 <= bounded[1] < np.inf
    assert bounded[3] <= min(seen, 80)


@pytest.mark.parametrize("seed", range(4))
def test_kinds_of_motion_against_plain_loops(seed):
    graph = ring([-1.0, 0.0, 1.2])
    ground = floor_graph(graph)
    need = np.random.default_rng(seed).random(len(ground.floor.path)) < (0.1, 0.5, 0.9, 1.0)[seed]
    told = plain(ground.floor)
    ref = naive.frames_away(told, need.tolist(), ground.window)
    np.testing.assert_array_equal(frames_away(ground.floor, need, ground.window), ref)
    ref = naive.frames_stayed(told, need.tolist(), ground.window, 90.0)
    np.testing.assert_array_equal(frames_stayed(ground.floor, need, ground.window, 90.0), ref)


def drive(graph, requests):
    """Random requests, three seconds each. Whatever is made, the clip can still be left after it."""
    character, rng = mg.LiveCharacter(graph, rng=3, cleanup=False), np.random.default_rng(1)
    for _ in range(requests):
        ask_something(character, rng)
        for dt in rng.uniform(0.0, 0.2, 30):
            root, rotations = character.advance(dt)
            assert root.shape == (3,)
            assert np.isfinite(root).all()
            assert np.isfinite(rotations).all()
            assert last_exit(character) >= character._driven.live._fixed
    assert character.seconds > 2.75 * requests
    assert len(character.decisions) > 0.75 * requests


@pytest.mark.long
def test_it_never_ends(graph):
    """Three minutes; tests/whole drives it for twenty."""
    drive(graph, 60)


@pytest.mark.long
def test_what_is_decided_covers_what_a_stretch_fixes(graph):
    """With feet held, too, and in stretches of any length."""
    for stretch in (0.1, 0.4, 0.75):
        character, rng = mg.LiveCharacter(graph, rng=1), np.random.default_rng(2)
        character._driven.live.stretch = round(stretch * graph.fps)
        for _ in range(12):
            ask_something(character, rng)
            for _ in range(30):
                character.advance(1 / 30)
                assert last_exit(character) >= character._driven.live._fixed
                assert (
                    character._driven.live.sees - character._driven.live.ready
                    >= (stretch + FIXED - 0.75) * graph.fps - 1
                )


def test_motion_is_smooth_where_requests_change(graph):
    character, rng = mg.LiveCharacter(graph, rng=2), np.random.default_rng(5)
    roots, turns = [], []
    for n in range(1200):
        if n % 20 == 0:
            ask_something(character, rng)
        root, rotations = character.advance(1 / 60)
        roots.append(root)
        turns.append(rotations)
    speed = np.linalg.norm(np.diff(roots, axis=0), axis=1) * 60
    assert speed.max() < 6.0
    turned = 2 * np.arccos(np.clip(np.abs((np.array(turns)[1:] * np.array(turns)[:-1]).sum(axis=-1)), 0, 1)) * 60
    captured = max(_quickest(clip) for clip in graph.clips)
    assert turned.max() < 1.5 * captured


def _quickest(clip):
    same = np.abs((clip.rotations[1:] * clip.rotations[:-1]).sum(axis=-1))
    return float(2 * np.arccos(np.clip(same, 0, 1)).max() * clip.fps)


def test_it_is_placed_steered_and_stopped(graph):
    character = mg.LiveCharacter(graph, (0.5, 1.0, 2.0), rng=0, looser=2.2)
    np.testing.assert_allclose(character.root[[0, 2]], (1.0, 2.0), atol=0.1)
    assert character.heading == pytest.approx(0.5, abs=0.05)
    character.steer((1, 0), "walk")
    character.advance(6.0)
    before = character.root.copy()
    character.advance(4.0)
    gone = character.root - before
    assert gone[0] > 2.0
    assert abs(gone[2]) < 0.4 * gone[0]
    assert abs(character.heading - np.pi / 2) < 0.6
    character.steer(None)
    character.advance(8.0)
    before = character.root.copy()
    character.advance(20.0)
    assert np.linalg.norm(character.root - before) < 0.3
    assert character.problem is None
    assert character.seconds == pytest.approx(38.0)


def test_it_arrives_and_stays(graph):
    character, rng = mg.LiveCharacter(graph, rng=0, looser=2.2, cleanup=False), np.random.default_rng(0)
    off, last = [], []
    for _ in range(6):
        goal = character.root[[0, 2]] + rng.uniform(-4, 4, 2)
        character.go_to(goal)
        character.advance(25.0)
        places = np.array([character.advance(0.25)[0][[0, 2]] for _ in range(20)])
        off.append(np.linalg.norm(places - goal, axis=1).max())
        last.append(np.linalg.norm(places - places[0], axis=1).max())
    assert np.median(off) < 0.5
    assert np.median(last) < 0.2  # it stands


def test_a_path_is_followed(graph):
    character = mg.LiveCharacter(graph, rng=0, looser=2.2)
    path = mg.Curve.of([[0, 0], [0, 5], [5, 5]])
    character.follow(path, "walk")
    places = np.array([character.advance(0.1)[0][[0, 2]] for _ in range(250)])
    gaps = np.linalg.norm(places[:, None] - path.places[None], axis=2).min(axis=1)
    assert gaps.mean() < 0.5
    assert np.linalg.norm(places - path.places[-1], axis=1).min() < 0.7


def test_odd_input(graph):
    character = mg.LiveCharacter(graph)
    for dt in (float("nan"), float("inf"), -1.0, 0.0):
        root, _ = character.advance(dt)
        assert np.isfinite(root).all()
    assert character.seconds == 0.0
    for wrong in ((1, 2, 3), "north", (np.nan, 0)):
        with pytest.raises(mg.MotionError, match="is a pair x, z"):
            character.steer(wrong)
    with pytest.raises(mg.MotionError, match="no clip or label"):
        character.steer((0, 1), "fly")
    with pytest.raises(mg.MotionError, match="placed at"):
        mg.LiveCharacter(graph, (0.0, np.nan, 0.0))
    character.steer((0, 1))
    assert np.isfinite(character.advance(1.0)[0]).all()


def test_decisions_say_what_else_there_was(graph):
    runs = []
    for _ in range(2):
        character = mg.LiveCharacter(graph, rng=4, cleanup=False)
        character.steer((1, 0))
        character.advance(5.0)
        character.steer((-1, 0))
        character.advance(5.0)
        runs.append(character.decisions)
    assert [d.transition.tolist() for d in runs[0]] == [d.transition.tolist() for d in runs[1]]
    seconds = [decision.seconds for decision in runs[0]]
    assert seconds == sorted(seconds)
    assert any(decision.others for decision in runs[0])
    for decision in runs[0]:
        errors = [choice.error for choice in decision.others]
        assert errors == sorted(errors)
    assert len(character.walk().transitions) == len(runs[1])


def test_a_graph_without_standing_says_so_and_stops():
    graph = mg.MotionGraph.build([sample(name).resampled(30) for name in ("walk", "walk_left_90")], mirror=True)
    character = mg.LiveCharacter(graph)
    assert not character._steering.can_stand
    character.go_to((2, 2))
    assert "no clip stands still" in str(character.problem)
    character.advance(20.0)
    assert np.linalg.norm(character.root[[0, 2]] - 2.0) < 0.5
    before = character.root
    np.testing.assert_array_equal(character.advance(5.0)[0], before)
    assert character.played < character.seconds
    character.steer((1, 0))
    assert np.linalg.norm(character.advance(5.0)[0] - before) > 2.0


def test_a_path_that_ends_where_it_begins_is_begun():
    graph = mg.MotionGraph.build([sample(name).resampled(30) for name in ("walk", "walk_left_90")], mirror=True)
    character = mg.LiveCharacter(graph)
    character.follow([(0, 0), (0, 6), (6, 6), (6, 0), (0.1, 0)])
    assert not character._steering.can_stand
    places = np.array([character.advance(0.2)[0][[0, 2]] for _ in range(50)])
    assert np.linalg.norm(places, axis=1).max() > 4.0


def test_a_kind_that_no_way_leads_to_is_said():
    """Walking and running that never meet: both go on for ever, and neither leads to the other."""
    graph = mg.MotionGraph.build([sample(name).resampled(30) for name in ("walk", "run")])
    character = mg.LiveCharacter(graph.at(threshold=1.0), start="walk")
    character.steer((0.0, 1.0), "walk")
    assert character.problem is None
    character.steer((0.0, 1.0), Gait.RUN)
    assert "no way leads from here to a clip that runs" in character.problem
    character.advance(2.0)
    character.steer((0.0, 1.0), "walk")
    assert character.problem is None


@pytest.mark.parametrize("seed", range(4))
def test_turning_against_plain_loops(seed):
    rng = np.random.default_rng(seed)
    track = np.cumsum(rng.normal(0, 0.02, (40, 9)), axis=0)
    for unit in (track[:, 2:4], track[:, 6:8]):
        unit[:] = rng.normal(size=(40, 2))
        unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    points, before = rng.normal(size=(5, 2)) * 3, rng.normal(size=5) * [2, 1, 1, 0.5, 5.0]
    if seed % 2:  # with feet: one that stands and was shown so, one that lands and leaves again
        stands = np.repeat([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.4, 0.4]], 10, axis=0)
        track = np.hstack([track, rng.normal(size=(40, 2)), stands])
        before = np.concatenate([before, before[0] + [-0.05, 0.05], [np.nan, np.nan]])
    share, out = seed / 3.0, np.empty((40, len(before)))
    turn_frames(track, points, 6, 30.0, 2.0, share, before, out)
    ref = naive_turning.turn_frames(track.tolist(), points.tolist(), 6, 30.0, 2.0, share, before.tolist())
    np.testing.assert_allclose(out, ref, atol=1e-9)


@pytest.mark.parametrize("fps", [60.0, 120.0])
def test_turning_begins_and_ends_softly(fps):
    """A body that is turned at once as hard as can be jolts its hands."""
    frames, most = int(fps), 2.0
    track = np.zeros((frames, 9))
    track[:, 1], track[:, 3], track[:, 7] = np.arange(frames) * 1.3 / fps, 1.0, 1.0
    out, rest = np.empty((frames, 5)), np.empty((frames, 5))
    turn_frames(track, np.array([[100.0, 0.0]]), 1, fps, most, 1.0, np.zeros(5), out)
    turn_frames(track, np.array([[100.0, 0.0]]), 1, fps, most, 0.0, out[frames // 2].copy(), rest)
    rates = np.concatenate([[0.0, 0.0], out[: frames // 2 + 1, 3], rest[:, 3]])
    assert rates.max() < most + 1e-9
    assert np.argmax(rates > 0.99 * most) <= 0.2 * fps + 2
    assert (rest[round(STILL * fps) :, 3] == 0.0).all()
    hardest = most / 0.12
    assert np.abs(np.diff(rates)).max() < hardest / fps + 1e-9
    assert np.abs(np.diff(rates, 2)).max() < 2.0 * hardest / fps / (0.05 * fps)


def test_clips_that_turn_by_themselves_are_held_to_the_way():
    """Who only answers to what is left of a clip's own turn, or faces off the way it goes, goes along beside it."""
    fps, frames = 30.0, np.arange(240)
    for turn, aslant in ((0.5, 0.0), (0.0, 0.15)):
        heading = turn * frames / fps
        way = np.stack([np.sin(heading), np.cos(heading)], axis=1)
        face = np.stack([np.sin(heading + aslant), np.cos(heading + aslant)], axis=1)
        places = np.cumsum(way / fps, axis=0)
        track = np.column_stack([places, face, places, way, np.full(len(frames), turn)])
        out = np.zeros((1, 5))
        for frame in frames[:-12:3]:  # a tenth of a second at a time, to 0.6 m ahead on the z axis
            here = place(tuple(out[-1, :3]), places[frame])
            points, more = np.array([[0.0, here[1] + 0.6]]), np.empty((3, 5))
            turn_frames(track[frame : frame + 3], points, 3, fps, 2.0, 1.0, out[-1].copy(), more)
            out = more
        assert abs(here[0]) < 0.02, (turn, aslant)


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_who_has_to_turn_about_is_turned_as_the_clip_turns(side):
    """The point to turn to is straight behind, a hair to the other side. Turned against its clip the body hardly turns
    at all."""
    fps, frames = 60.0, np.arange(60)
    heading = side * frames / fps
    way = np.stack([np.sin(heading), np.cos(heading)], axis=1)
    places = np.cumsum(way / fps, axis=0)
    track, out = np.column_stack([places, way, places, way, np.full(60, side)]), np.empty((60, 5))
    turn_frames(track, np.array([[-side * 0.05, -9.0]]), 60, fps, 2.0, 1.0, np.zeros(5), out)
    assert (out[1:, 0] * side > 0.0).all()
    assert abs(heading[-1] + out[-1, 0]) > 2.5


def test_a_path_that_turns_about_is_gone_along_by_a_route(graph):
    """A search of two seconds stops at such a corner and may swing round it; the route is planned as whole paths are,
    and the body not turned besides."""
    curve, character = Curve.of([(0, 0), (0, 5), (0.05, 0)]), mg.LiveCharacter(graph, start="walk", cleanup=False)
    character.follow(curve)
    places, turns = [], []
    while character.seconds < 30.0 and (character._course.left or 0.0) > 1.0:
        places.append(character.advance(0.1)[0][[0, 2]].astype(float))
        if character._driven.live.turning.until <= character._driven._bound:
            turns.append(character._driven.live.turning.at(character._driven.live.turning.until)[0])
    assert len(turns) > 20
    assert np.ptp(turns) < 1e-9
    assert character._course.left <= 1.0
    assert nearest_on(np.array(places), curve)[0].max() < 0.25


def test_the_body_is_turned_on_a_route_where_none_is_narrow_enough():
    """Captured walks need 1.3 m to turn round: as captured, nobody keeps within half a metre of such a path."""
    files = sorted((Path(__file__).resolve().parent.parent / "assets/captured").glob("*.bvh"))
    graph = mg.MotionGraph.build([mg.load(file) for file in files]).pruned()
    curve = Curve.of([(0, 0), (0, 6), (0.05, 0)])
    character = mg.LiveCharacter(graph, start="walk", cleanup=False)
    character.follow(curve)
    turning, places, routed = character._driven.live.turning, [], False
    while character.seconds < 30.0 and (character._course.left or 0.0) > 1.0:
        places.append(character.advance(1.0 / 30.0)[0][[0, 2]].astype(float))
        routed |= character._driven._route is not None and character._driven._route.turns is not None
    assert routed
    assert character._course.left <= 1.0
    assert nearest_on(np.array(places), curve)[0].max() < 0.4
    # It begins, goes on and ends softly: nowhere is the body turned harder than `turn_frames` would.
    rates = np.diff(turning._rows[: turning.until, 0]) * graph.fps
    assert np.degrees(np.abs(rates).max()) < 121.0
    assert np.abs(np.diff(rates)).max() * graph.fps < np.radians(120.0) / 0.12 + 1e-6


@pytest.mark.parametrize("seed", [0, 1])
def test_a_path_that_turns_about_is_gone_along_from_standing(graph, seed):
    """Whoever is near the corner before a route is looked for stops short of it, and has no step that ends there."""
    character = mg.LiveCharacter(graph, rng=seed, cleanup=False)
    character.follow(Curve.of([(0, 0), (0, 5), (0.05, 0)]))
    while character.seconds < 40.0 and (character._course.left or 0.0) > 1.5:
        character.advance(0.1)
    assert not character.messages
    assert character._course.left <= 1.5


def test_who_does_not_get_on_along_a_path_is_to_travel():
    """Whoever hops a little nearer would go on hopping: after a while only frames that travel are of the kind asked
    for."""
    steering = Steering(ring([0.0]))
    course = Course(steering)
    course.take(Request(share=1.0, path=mg.Curve.of([(0, 0), (0, 9)])))
    for n in range(3):
        aim = course.aim(np.array([0.0, 0.1 * n]))
        assert (aim.need == steering.any.need).all()
        course.wait(1.5)
    aim = course.aim(np.array([0.0, 0.3]))
    assert (aim.need == steering.travels(steering.any.need)).all()
    course.aim(np.array([0.0, 1.0]))
    course.wait(0.1)
    assert (course.aim(np.array([0.0, 1.1])).need == steering.any.need).all()


@pytest.mark.parametrize(("share", "sidles"), [(0.5, True), (0.2, False)])
def test_who_is_much_slower_than_asked_along_a_path_is_to_travel(share, sidles):
    """Whoever sidesteps gets on, a little, and would go on sidestepping."""
    steering = Steering(ring([0.0]))
    course = Course(steering)
    course.take(Request(share=1.0, path=mg.Curve.of([(0, 0), (0, 90)])))
    kind = course.kinds[None]
    for n in range(80):
        aim = course.aim(np.array([0.0, share * kind.cruising * 0.1 * n]))
        course.wait(0.1)
    assert course._since < 3.0 or not sidles
    assert (aim.need == kind.need).all() == sidles


def test_a_plan_costs_the_same_wherever_the_world_faces():
    """Fifty turns of a plan of five seconds: what rounding adds to one must not grow with the next."""
    graph = sample_graph("walk", "walk_left_90")
    steering = Steering(graph, 6.0)  # fast enough to face there every time
    steering.horizon = round(5.0 * graph.fps)
    floor = steering.ground.floor
    frame = int(np.argmax(floor.run_end - np.arange(len(floor.run_end))))
    assert floor.run_end[frame] - frame > steering.horizon
    costs = []
    for angle in np.linspace(0.0, 6.0, 40):
        way = 30.0 * np.array([np.sin(angle + 0.3), np.cos(angle + 0.3)])
        aim = steering.aim(way[None], 1.3, steering.any)
        costs.append(plan_cost(floor, aim, frame, angle, 0.0, 0.0, np.zeros(0, np.int32)))
    np.testing.assert_allclose(costs, costs[0], rtol=1e-9)


def test_looking_for_another_route_does_not_lead_back_along_the_path(graph):
    character = mg.LiveCharacter(graph, rng=2, cleanup=False)
    character.follow(Curve.of([(0, 0), (0, 6), (0.05, 0)]))
    left = []
    while character.seconds < 40.0 and (character._course.left or 0.0) > 0.7:
        character.advance(0.1)
        left.append(character._course.left)
    assert left[-1] <= 0.7
    assert np.diff(left).max() < 0.3


def test_a_corner_that_is_not_reached_is_left_out_with_a_word():
    course = Course(Steering(ring([0.0])))
    course.take(Request(share=1.0, path=mg.Curve.of([(0, 0), (0, 6), (0.05, 0)])))
    for z in np.arange(0.0, 4.6, 0.9):
        course.aim(np.array([0.0, z]))
        assert course.wait(1.0) is None
    assert [course.wait(1.0) for _ in range(5)] == [None] * 5
    assert "turns about 1.5 m before the corner at 6.0 m" in course.wait(1.0)
    assert course.aim(np.array([0.0, 4.5])).points[0, 1] < 4.4


def test_it_answers_at_once(graph):
    """From a steady walk, 45° towards a new direction within a second, and only as captured where that is asked for."""
    found = {}
    for turning in (0.0, 120.0):
        character = mg.LiveCharacter(graph, rng=0, cleanup=False, turning=turning)
        times = []
        for n in range(6):
            way = character.heading + (2.0 if n % 2 else -2.0)
            before = character.heading
            character.steer((np.sin(way), np.cos(way)), "walk")
            began = character.seconds
            while (
                abs(np.angle(np.exp(1j * (character.heading - before)))) < np.pi / 4 and character.seconds < began + 6
            ):
                character.advance(1 / 30)
            times.append(character.seconds - began)
            character.advance(3.0)
        found[turning] = np.median(times[1:])
    assert found[120.0] < 1.0
    assert found[120.0] < 0.7 * found[0.0]


def steered_to_and_fro(graph, seed, asking):
    """A character that is asked for something else every third of a second."""
    character, rng = mg.LiveCharacter(graph, rng=seed), np.random.default_rng(asking)
    for _ in range(40):
        ask_something(character, rng)
        for _ in range(20):
            character.advance(1 / 60)
    return character


WALKS = (2, 5), (1, 1), (3, 3), (0, 3), (4, 4), (5, 5), (6, 6), (7, 7)  # of a graph's seed and of what is asked for


@pytest.mark.parametrize(("seed", "asking"), WALKS)
def test_planted_feet_stay_where_motion_is_thrown_away(graph, monkeypatch, seed, asking):
    """Exactly, before they are let go softly where they would jolt a joint. In the first three walks the body was
    turned by up to 80° above a foot that stood, whose toes slid by up to 44 cm/s."""
    monkeypatch.setattr(carry_over, "soothed", lambda stance, moved, turns, account: (moved, turns))
    character = steered_to_and_fro(graph, seed, asking)
    motion = character.recorded()[0]
    assert motion.duration == pytest.approx(character.played, abs=1.5)
    figures, worst = mg.quality(motion), {"slide_mean": 0.01, "slide_worst": 1.0, "penetration": 0.1}  # cm/s, cm
    assert {name: figures[name] for name in worst if figures[name] > worst[name]} == {}


@pytest.mark.long
def test_feet_let_go_softly_where_motion_is_thrown_away_slide_little(graph):
    """By 0.59 cm/s more than in motion made as a whole in three of the walks of the test above; in all eight it is up
    to 0.78. It is the price of joints that are hardly more sudden wherever motion is cut off. And no foot is fetched
    back in a frame: in the fourth walk one slid by 52 cm/s. The eighth has the fastest now."""
    more, worst = [], []  # cm/s of slide: mean, more than in the whole; in a frame
    for seed, asking in (2, 5), (0, 3), (4, 4), (5, 5), (7, 7):
        character = steered_to_and_fro(graph, seed, asking)
        motion, walk, _ = character.recorded()
        bare, figures = stitched(walk), mg.quality(motion)
        worst.append(figures["slide_worst"])
        assert figures["penetration"] < 0.1
        if seed < 5:
            whole = cleaned(character._driven.live.turning.turned(bare, 0), ground(walk, bare))
            more.append(figures["slide_mean"] - mg.quality(whole)["slide_mean"])
    assert max(more) < 0.65
    assert max(worst) < 45.0


@pytest.mark.parametrize("broken", ["make", "_set_off"])
def test_whatever_goes_wrong_it_goes_on(graph, monkeypatch, broken):
    character = mg.LiveCharacter(graph, rng=1)
    character.steer((0, 1))
    character.advance(3.0)
    here = character.root.copy()
    make, failures = DrivenWalk.make, iter(range(3))

    def fail(*given):
        if next(failures, None) is not None:
            raise ZeroDivisionError("something unheard of")
        return make(*given)

    monkeypatch.setattr(DrivenWalk, "make", fail)
    if broken == "_set_off":
        monkeypatch.setattr(character, "_set_off", fail)
    root, _ = character.advance(1 / 60)
    assert "something unheard of" in character.messages[-1]
    assert np.linalg.norm(root - here) < 0.1
    monkeypatch.undo()
    roots = [character.advance(1 / 60)[0] for _ in range(240)]
    assert np.linalg.norm(np.diff(roots, axis=0), axis=1).max() < 0.2
    assert np.linalg.norm(roots[-1] - here) > 0.3


def test_what_was_shown_can_be_looked_at_again(graph):
    character = mg.LiveCharacter(graph, rng=1, memory=4.0)
    character.steer((1, 0))
    shown = {n: character.advance(0.1)[0].copy() for n in range(100)}
    for n in (70, 85, 99):
        np.testing.assert_allclose(character.pose((n + 1) * 0.1)[0], shown[n], atol=1e-9)
    assert 3.0 < character.played - character.since < 8.0
    np.testing.assert_array_equal(character.pose(0.0)[0], character.pose(character.since)[0])


def test_planned_and_wanted_ways_begin_where_it_is(graph):
    character = mg.LiveCharacter(graph, rng=1)
    for ask in (lambda: character.steer((1, 0)), lambda: character.go_to((3, 3)), lambda: character.steer(None)):
        ask()
        character.advance(2.0)
        for way in (character.planned(), character.wanted()):
            assert np.linalg.norm(way[0] - character.root[[0, 2]]) < 0.15
            assert np.isfinite(way).all()
    assert np.linalg.norm(character.wanted()[-1] - character.root[[0, 2]]) < 0.1


def test_rewinding_keeps_what_was_shown(graph):
    walk = mg.random_walk(graph, 12, rng=2)
    live = Live(graph, (int(walk.steps["clip"][0]), int(walk.steps["start"][0])), walk.placed)
    for row in walk.transitions:
        live.take(row)
    live.prepare(60)
    shown = np.array([live.pose(n)[0] for n in range(40)])
    count = len(live._jumps)
    gone = live.rewind(40)
    assert gone > 0
    assert live.ready == 40
    for row in walk.transitions[count - gone :]:
        live.take(row)
    again = np.array([live.pose(n)[0] for n in range(60)])
    np.testing.assert_array_equal(again[:40], shown)
    assert np.linalg.norm(np.diff(again, axis=0), axis=1).max() < 0.3


@pytest.mark.parametrize(("turns", "side", "words"), [([0.0], 1.0, "turns left"), ([0.0], -1.0, "turns right")])
def test_it_stops_and_says_what_is_missing_instead_of_circling(turns, side, words):
    """On clips that only go straight on, turned no more than they do."""
    character = mg.LiveCharacter(ring(turns), turning=0.0)
    character.steer((side, 0.0))
    while character.seconds < 12.0:
        character.advance(0.1)
        character.steer((side, 0.0))  # as a key that is held
    assert f"no clip {words}" in str(character.problem)
    here = character.root.copy()
    character.advance(2.0)
    assert np.linalg.norm(character.root - here) < 0.1
    character.steer((0.0, 1.0))
    character.advance(3.0)
    assert np.linalg.norm(character.root - here) > 0.5
    assert character.problem is None


@pytest.mark.parametrize("ask", [lambda c: c.steer((0.0, 1.0)), lambda c: c.go_to((0.2, 8.0))])
def test_it_goes_round_what_stands_in_the_way(graph, ask):
    character = mg.LiveCharacter(graph, rng=1)
    character.obstacles = [(0.1, 3.0, 0.5), np.array([(-0.4, 5.5), (0.9, 5.5), (0.9, 6.0), (-0.4, 6.0)])]
    ask(character)
    near, places = np.inf, []
    while character.seconds < 14.0:
        places.append(character.advance(1 / 30)[0][[0, 2]].copy())
        near = min(near, float(distance_to(checked(character.obstacles), places[-1][None])[0]))
    assert max(place[1] for place in places) > 7.0
    assert near > 0.0


def test_who_sways_from_foot_to_foot_does_not_travel():
    """As on CMU's 141, where someone who was to walk swayed for ever, since swaying was quick enough for walking."""
    clip = sample("idle")
    root = clip.root.copy()
    root[:, 0] += 0.25 * np.sin(2 * np.pi * np.arange(len(clip)) / clip.fps / 1.5)  # up to 1 m/s, and nowhere
    steering = Steering(mg.MotionGraph.build([replace(clip, root=root), sample("walk")]))
    sways, walks = (slice(*steering.ground.starts[n : n + 2].tolist()) for n in (0, 1))
    moves = steering.travels(np.ones(len(steering.open), bool))
    assert (steering.speeds[sways] > 0.5).any()
    assert not moves[sways].any()
    assert moves[walks].any()


def test_a_path_is_headed_along_and_not_across_its_bends():
    """On a circle, the point that is headed for from the path lies in the direction of the path a little ahead."""
    steering = Steering(ring([0.0]))
    angle = np.linspace(0.0, np.pi, 200)
    course, path = Course(steering), mg.Curve.of(np.stack([np.cos(angle), np.sin(angle)], axis=1))
    course.take(Request(share=1.0, path=path))
    point = course.aim(path.places[0]).points[0]
    assert np.linalg.norm(point) > 1.03  # not within the circle, where a point of the path would lead
    assert point @ [0.0, 1.0] > 0.5


def test_a_path_that_turns_about_is_gone_to_the_turn_first():
    steering = Steering(ring([0.0]))
    course, path = Course(steering), mg.Curve.of([(0, 0), (0, 6), (0.05, 0)])
    course.take(Request(share=1.0, path=path))
    for z in np.arange(0.0, 5.2, 0.3):
        aim = course.aim(np.array([0.05, z]))  # on the way back, had it been there
    assert 4.9 < course._along < 5.3
    np.testing.assert_allclose(aim.points[-1], (0.0, 6.0), atol=0.05)
    assert aim.slow > 0.0
    aim = course.aim(np.array([0.0, 5.7]))
    assert aim.points[0, 1] < 5.9
    assert course.aim(np.array([0.0, 5.0])).points[-1, 1] < 4.5


def test_a_path_whose_end_is_out_of_reach_is_given_up_with_a_sentence():
    """On clips that only go straight on, turned no more than they do."""
    character = mg.LiveCharacter(ring([0.0]), turning=0.0)
    character.follow([(0, 0), (0, 3), (-6, 3), (-6, 9)])
    while character.seconds < 40.0 and not any("of the path are out of reach" in said for said in character.messages):
        character.advance(0.5)
    assert character.seconds < 40.0
    character.steer((0.0, 1.0))
    assert character.problem is None


def test_who_comes_to_the_end_of_a_path_by_a_route_does_not_run_past_it():
    """At 30 Hz few ways lead on, and the route to the end was gone at a run: it was left by 1.8 m."""
    files = sorted((Path(__file__).resolve().parent.parent / "assets/samples").glob("*.bvh"))
    graph = mg.MotionGraph.build([mg.load(file).resampled(30) for file in files]).pruned()
    curve = Curve.of([(0, 0), (0, 6), (0.05, 0)])
    character = mg.LiveCharacter(graph, start="walk", cleanup=False)
    character.follow(curve)
    places = np.array([character.advance(1.0 / 30.0)[0][[0, 2]].astype(float) for _ in range(25 * 30)])
    assert np.linalg.norm(places[-1] - curve.places[-1]) < 0.5
    assert nearest_on(places, curve)[0].max() < 0.5
