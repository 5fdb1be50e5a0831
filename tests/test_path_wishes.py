"""What is asked of walks along a path besides keeping to it: variety, speed, an end at rest, bending, a word."""

import os
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from naive import paths as naive

import motiongraph as mg
from motiongraph.walks import follow_path
from motiongraph.walks.curve import Curve, distance_from, nearest_on, trace
from motiongraph.walks.floor_path import floor_graph
from motiongraph.walks.label_passages import passages
from motiongraph.walks.path_goal import DIRECTIONS, Effort, Goal, Weights, behaviour_changes
from motiongraph.walks.path_searches import searches
from motiongraph.walks.sharp_turns import tightest_turn
from motiongraph.walks.walk import as_label, frames_named

CAPTURED = Path(__file__).resolve().parent.parent / "assets/captured"
SLALOM = [(0, 0), (0, 4), (3, 7), (0, 10), (3, 13)]


@pytest.fixture(scope="module")
def graph():
    clips = [mg.load(file) for file in sorted(CAPTURED.glob("*.bvh"))]
    return mg.MotionGraph.build(clips).pruned()


def played_once(walk):
    """Share of the frames of a walk that are not played twice."""
    frames = [(clip, f) for clip, start, stop in walk.steps.tolist() for f in range(start, stop)]
    return len(set(frames)) / len(frames)


def test_a_long_way_repeats_itself_less(graph):
    line = [(0, 0), (0, 20)]
    plain = mg.follow_path(graph, line, weights=mg.Weights(repeat=0.0))
    usual = mg.follow_path(graph, line)
    assert played_once(usual) > played_once(plain) + 0.1
    assert usual.facts["path_error_mean"] < 0.1


def test_the_speed_that_is_asked_for(graph):
    speeds = [
        mg.follow_path(graph, [(0, 0), (0, 12)], weights=mg.Weights(speed=speed)).facts["path_speed"]
        for speed in (0.8, 3.0)
    ]
    assert speeds[0] < 1.2 < 1.8 < speeds[1]


def test_a_walk_comes_to_stand_where_it_can(graph):
    speeds = []
    for weights in (mg.Weights(rest=0.0), mg.Weights()):
        walk = mg.follow_path(graph, [(0, 0), (0, 6)], weights=weights)
        places = trace(walk, smooth=True)[0][-round(0.2 * walk.fps) :]
        speeds.append(np.linalg.norm(places[-1] - places[0]) / 0.2)
        assert np.linalg.norm(places[-1] - (0, 6)) < 0.4
    assert speeds[1] < 0.7 * speeds[0]


def test_bending_comes_nearer_and_feet_still_hold(graph):
    walk, curve = mg.follow_path(graph, SLALOM), Curve.of(SLALOM)
    errors, slides = [], []
    for bend in (0.0, 0.2):
        motion = mg.synthesize(walk, bend=bend)
        errors.append(nearest_on(motion.root[:, [0, 2]], curve)[0].mean())
        said = distance_from(curve.places, motion.root[:, [0, 2]])
        assert said["path_error_mean"] == pytest.approx(errors[-1], abs=1e-3)
        slides.append(mg.quality(motion)["slide_mean"])
    assert errors[1] < 0.7 * errors[0]
    assert slides[1] < slides[0] + 1.0
    with pytest.raises(mg.MotionError, match="by a share of 0 to"):
        mg.synthesize(walk, bend=0.5)


@pytest.fixture(scope="module")
def samples():
    return mg.MotionGraph.build(
        [mg.load(file) for file in sorted((CAPTURED.parent / "samples").glob("*.bvh"))]
    ).pruned()


def test_round_a_sharp_corner_by_turning_on_the_spot(samples):
    walk = mg.follow_path(samples, [(0, 0), (0, 6), (0.05, 0)])
    assert walk.facts["path_error_worst"] < 0.5
    assert "turn_in_place" in {walk.clips[clip].name for clip in walk.steps["clip"]}


def test_a_steadier_walk_keeps_within_half_a_metre_all_the_same(samples):
    """Where a walk is known that keeps so near to its path, one that changes less may not be farther off."""
    at = np.linspace(0.0, 1.0, 300)
    walk = mg.follow_path(samples, np.stack([np.sin(6.0 * np.pi * at), 15.0 * at], axis=1))
    assert walk.facts["path_error_worst"] < 0.5
    assert walk.facts["behaviour_changes"] <= 3


def test_nobody_walks_straight_on_instead_of_turning(samples):
    """Few changes are no excuse: a walk may be no farther off than the nearest one."""
    clips = [clip for clip in samples.clips if clip.name in ("walk", "run", "turn_in_place", "idle")]
    graph = mg.MotionGraph.build(clips).pruned()
    at = np.linspace(0.0, 1.0, 200)
    walk = mg.follow_path(graph, np.stack([np.sin(6.0 * np.pi * at), 15.0 * at], axis=1))
    assert walk.facts["path_error_worst"] < 0.7


def test_who_is_lost_is_searched_for_among_walks_of_every_kind(samples):
    goal, kinds = Goal.of(samples, Curve.of([(0, 0), (0, 6)])), []

    def made(far, at_last):
        """The searches, where a walk is so far off until walks of every kind are kept."""
        kinds.clear()
        now = lambda: at_last if kinds and kinds[-1][0] else far  # noqa: E731
        for effort, towards in searches(samples, goal, Effort(), None, Weights(), {}, now):
            kinds.append((effort.kinds, towards.rules.strip))
        return kinds

    assert made(3.0, 0.4) == [(False, 0.0), (False, 2.0), (True, 2.0)]
    assert made(0.1, 0.1) == [(False, 0.0)]
    assert (True, 2.0) not in made(0.8, 0.8)


@pytest.mark.skipif("MOTIONGRAPH_CMU" not in os.environ, reason="MOTIONGRAPH_CMU names no folder of all CMU trials")
def test_steps_of_a_dance_go_round_a_slalom():
    """On subject 49 only hops and dances turn, and slowly; whoever walks goes straight on, 15 m away from the path."""
    files = sorted((Path(os.environ["MOTIONGRAPH_CMU"]) / "data/049").glob("*.bvh"))
    graph = mg.MotionGraph.build([mg.load(file) for file in files]).pruned()
    at = np.linspace(0.0, 1.0, 300)
    walk = mg.follow_path(graph, np.stack([np.sin(6.0 * np.pi * at), 15.0 * at], axis=1))
    assert walk.facts["path_error_worst"] < 0.6


def test_a_path_that_turns_more_sharply_than_any_clip(samples):
    """A spiral from 0.6 to 1.6 m: between walls a walk is found that keeps to it, and the note says at what price."""
    turn = np.linspace(0.0, 4.0 * np.pi, 200)
    radius = 0.6 + turn / (4.0 * np.pi)
    spiral = np.stack([radius * np.cos(turn), radius * np.sin(turn)], axis=1)
    walk = mg.follow_path(samples, spiral, effort=mg.Effort(turning=0.0))
    assert walk.complete
    assert walk.facts["path_error_worst"] < 0.5
    names = [set(walk.clips[clip].labels) - DIRECTIONS for clip in walk.steps["clip"]]
    often = sum(not a & b for a, b in pairwise(names))
    assert walk.facts["behaviour_changes"] == often >= 5
    assert (
        f"m turn more sharply than any clip does on its way, by {np.degrees(tightest_turn(samples)):.0f}°" in walk.note
    )
    assert f"changes what it does {often} times" in walk.note


def test_what_is_a_change_of_behaviour():
    sets = [
        frozenset(words.split()) for words in ("walk left", "walk straight", "run straight", "walk run", "left", "")
    ]
    assert behaviour_changes(sets).astype(int).tolist() == [
        [0, 0, 1, 0, 1, 1],
        [0, 0, 1, 0, 1, 1],
        [1, 1, 0, 0, 1, 1],
        [0, 0, 0, 0, 1, 1],
        [1, 1, 1, 1, 0, 1],
        [1, 1, 1, 1, 1, 0],
    ]


def test_good_walks_are_not_turned(graph):
    assert mg.follow_path(graph, SLALOM).turns is None
    with pytest.raises(mg.MotionError, match="a body turns by 0 to 720"):
        mg.Effort(turning=-1.0)


def test_turns_are_of_every_frame(graph):
    walk = mg.follow_path(graph, [(0, 0), (0, 4)])
    with pytest.raises(mg.MotionError, match="cannot have turns for 3"):
        replace(walk, turns=np.zeros((3, 3)))


def test_walks_beyond_an_error_are_dropped(graph):
    line = [(0, 0), (0, 6)]
    least = mg.follow_path(graph, line).facts["error"]
    assert mg.follow_path(graph, line, effort=mg.Effort(error=1.001 * least, again=False)).facts["error"] == least
    assert not mg.follow_path(graph, line, effort=mg.Effort(error=0.5 * least, again=False)).complete


def test_a_word_where_a_corner_is_too_sharp(graph):
    line = [(0, 0), (0, 6), (0.05, 0)]
    walk = mg.follow_path(graph, line, effort=mg.Effort(turning=0.0))
    quick = mg.follow_path(graph, line, effort=mg.Effort(again=False))
    assert quick.facts["path_error_worst"] > walk.facts["path_error_worst"]  # while someone waits with the mouse held
    assert walk.facts["path_error_worst"] > 0.5
    assert f"leaves the path by {walk.facts['path_error_worst']:.1f} m" in walk.note
    assert "need 1.3 m from side to side" in walk.note


@pytest.mark.parametrize("aside", [0.05, -0.05])
def test_a_body_is_turned_about_where_no_clip_is_narrow_enough(graph, aside):
    """To whichever side of the way there the way back lies."""
    walk = mg.follow_path(graph, [(0, 0), (0, 6), (aside, 0)])
    assert walk.turns is not None
    assert walk.facts["path_error_worst"] < 0.5


def test_a_word_where_speed_and_labels_cannot_be_kept(samples):
    fast = mg.follow_path(samples, [(0, 0), (0, 8)], weights=mg.Weights(speed=6.0))
    assert f"it goes at {fast.facts['path_speed']:.1f} m/s on average, not 6.0: nearly all motion" in fast.note
    as_captured = mg.Effort(turning=0.0)
    sharp = mg.follow_path(samples, [(0, 0), (0, 8), (7, 4)], [(0.0, "run"), (8.0, "walk")], effort=as_captured)
    (switch,) = sharp.facts["switches"]
    assert abs(switch["begins"] - 8.0) <= 0.5
    assert switch["held"] < 0.8
    assert f"only {100 * switch['held']:.0f} % of the stretch asked for as walk is that" in sharp.note


def test_a_word_on_the_path_is_a_label_before_it_is_a_clip(samples):
    """Of the samples the clip that walks straight on is called walk; left and right turns are walks too."""
    walk = mg.follow_path(samples, [(0, 0), (0, 4), (4, 8)], "walk")
    assert {"walk_left", "walk_right", "walk_left_90", "walk_right_90"} & {
        walk.clips[clip].name for clip in walk.steps["clip"]
    }
    assert as_label(samples, "walk") == {"walk"}
    assert as_label(samples, "turn_in_place") == "turn_in_place"  # which no label is
    ends = mg.reach(samples, (0, 5), clip="walk")  # a clip is asked for by name
    assert ends.clips[ends.steps["clip"][-1]].name == "walk"


def test_labels_begin_where_they_were_painted(samples):
    for order in ("walk run", "run walk", "walk sneak", "sneak walk"):
        first, second = order.split()
        walk = mg.follow_path(samples, [(0, 0), (0, 16)], [(0.0, first), (8.0, second)])
        (switch,) = walk.facts["switches"]
        assert abs(switch["begins"] - 8.0) < 0.3
        assert "begins" not in walk.note


def test_a_word_where_a_label_begins_late(samples):
    line, labels = [(0, 0), (0, 8), (8, 8)], [(0.0, "walk"), (8.0, "run")]
    turned = mg.follow_path(samples, line, labels)
    assert abs(turned.facts["switches"][0]["begins"] - 8.0) < 0.5
    corner = mg.follow_path(samples, line, labels, effort=mg.Effort(turning=0.0))
    (switch,) = corner.facts["switches"]
    assert 0.5 < switch["begins"] - 8.0 < 2.0
    assert corner.facts["path_error_worst"] < 0.5
    running = frames_named(samples, {"run"})
    turn = np.degrees(tightest_turn(samples, running))
    assert turn < np.degrees(tightest_turn(samples))
    late = (
        f"run begins {switch['begins'] - 8.0:.1f} m later: the path turns by 90° within a metre there, run by no more"
    )
    assert f"{late} than {turn:.0f}°" in corner.note


def test_how_labels_pass_into_each_other(samples):
    floor = floor_graph(samples).floor
    walk, run = (frames_named(samples, {word}) for word in ("walk", "run"))
    for before, need in ((walk, run), (run, walk), (None, frames_named(samples, {"jump"}))):
        found = passages(samples, before, need)
        ref = naive.passages(floor, None if before is None else before.tolist(), need.tolist())
        assert len(found.metres) == len(ref) > 0
        np.testing.assert_allclose(sorted(zip(*found)), sorted(ref), atol=1e-6)


def test_a_calmer_end_is_looked_for(samples, monkeypatch):
    """Where a walk hurries past the end, another one that slows down is taken, at little cost."""
    line = [(0, 0), (0, 5.5), (3.73, 6.95)]
    calm = mg.follow_path(samples, line).facts
    monkeypatch.setattr(follow_path, "_HASTY", np.inf)
    hasty = mg.follow_path(samples, line).facts
    assert calm["end_speed"] < 0.5 * hasty["end_speed"]
    assert calm["path_error_mean"] < hasty["path_error_mean"] + 0.03
