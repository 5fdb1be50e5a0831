"""Feet that are held, legs that reach them, and corrections that come and go; against plain loops."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from bodies import smooth_clip
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import synthesis as naive
from walking import joined, sample, sample_graph

import motiongraph as mg
from motiongraph import rotations as rot
from motiongraph.synthesis import _kernels
from motiongraph.synthesis.feet import Foot, eased, envelope, foot_of, keep_lift, nearness, plants, runs, toe_hinge
from motiongraph.synthesis.footplant import cleaned
from motiongraph.synthesis.legs import Knees, hinge_axis, legs_of, root_shift


def random_leg(rng, frames):
    hip = rng.normal(size=(frames, 3))
    knee = hip + 0.42 * unit(rng.normal(size=(frames, 3)))
    ankle = knee + 0.40 * unit(rng.normal(size=(frames, 3)))
    return hip, knee, ankle


def unit(v):
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


def knees_of(hip, knee, ankle, turns=None, fps=1e-6):
    """One leg whose hinge is taken from every pose for itself: at a very low rate nothing is averaged."""
    turns = np.tile(rot.IDENTITY, (len(hip), 1)) if turns is None else turns
    return Knees.of(*(part[None] for part in (hip, knee, ankle, turns)), fps)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6))
def test_reach_is_the_law_of_cosines(seed):
    rng = np.random.default_rng(seed)
    hip, knee, ankle = random_leg(rng, 1)
    target = hip + unit(rng.normal(size=(1, 3))) * rng.uniform(0.2, 0.8, (1, 1))
    knees = knees_of(hip, knee, ankle)
    bend = knees.bend_at(np.linalg.norm(target - hip, axis=1)[None])
    thigh, shin, foot = (part[0] for part in knees.reach(bend, (target - hip)[None]))
    np.testing.assert_allclose(hip + foot, target, atol=1e-9)
    new_knee = hip + rot.rotate(thigh, knee - hip)
    np.testing.assert_allclose(new_knee + rot.rotate(shin, ankle - knee), target, atol=1e-9)
    ref = [naive.two_bones(*each) for each in zip(hip, knee, ankle, target)]
    np.testing.assert_allclose(new_knee, ref, atol=1e-6)


def bending(angles, axis=(1.0, 0.0, 0.0), turns=None):
    """A leg that hangs down, bent by `angles` (F,) about an axis of the thigh, which is turned by turns (F, 4)."""
    frames = len(angles)
    turns = np.tile(rot.IDENTITY, (frames, 1)) if turns is None else turns
    fold = rot.multiply(turns, rot.about(np.array(axis), angles))
    hip = np.zeros((frames, 3))
    knee = rot.rotate(turns, np.array([0.0, -0.42, 0.0]))
    return hip, knee, knee + rot.rotate(fold, np.array([0.0, -0.40, 0.0])), turns


def test_reach_does_nothing_where_nothing_is_asked():
    """Whatever the pose: bent, straight or overstretched."""
    angles = np.radians(np.linspace(-25.0, 90.0, 200))
    hip, knee, ankle, turns = bending(angles)
    knees = knees_of(hip, knee, ankle, turns, 120.0)
    np.testing.assert_allclose(knees.bend[0], angles, atol=1e-9)
    wanted = knees.wanted(knees.span(knees.bend), 120.0)
    np.testing.assert_allclose(wanted, knees.bend, atol=1e-9)
    thigh, shin, foot = knees.reach(wanted, (ankle - hip)[None])
    assert max(np.abs(rot.to_vector(turn)).max() for turn in (thigh, shin)) < 1e-7
    np.testing.assert_allclose(foot[0], ankle - hip, atol=1e-9)


def test_span_and_bend_undo_each_other():
    hip, knee, ankle = random_leg(np.random.default_rng(3), 1)
    knees = knees_of(hip, knee, ankle)
    for angle in np.linspace(0.01, 3.0, 50):
        assert knees.bend_at(knees.span(np.array([[angle]])))[0, 0] == pytest.approx(angle, abs=1e-7)
    assert knees.bend_at(np.array([[2.0]]))[0, 0] == 0.0


def test_a_target_too_far_is_reached_for():
    hip, knee, ankle, turns = bending(np.full(30, 0.6))
    knees = knees_of(hip, knee, ankle, turns, 120.0)
    target = 3.0 * unit(ankle - hip)
    _, _, foot = knees.reach(knees.wanted(np.full((1, 30), 3.0), 120.0), target[None])
    np.testing.assert_allclose(unit(foot[0]), unit(target), atol=1e-9)
    assert (np.linalg.norm(foot[0], axis=1) > np.linalg.norm(ankle, axis=1)).all()
    assert (np.linalg.norm(foot[0], axis=1) < 0.82).all()  # not quite straight: it keeps most of its bend


def test_the_hinge_is_fixed_to_the_thigh():
    """Found while the knee is bent, kept while it is straight and its pose says nothing about it but noise."""
    rng, fps = np.random.default_rng(5), 120.0
    angles = np.radians(20.0) * (1.0 + np.sin(np.arange(600) / 40.0)) + rng.normal(0.0, 0.004, 600)
    turns = rot.multiply(rot.about("Y", 0.5 * np.sin(np.arange(600) / 90.0)), rot.about("X", np.arange(600) / 900.0))
    axis = unit(np.array([1.0, 0.0, 0.2]))
    hip, knee, ankle, turns = bending(angles, axis, turns)
    ankle = ankle + rng.normal(0.0, 0.001, ankle.shape)
    assert (angles < np.radians(0.5)).sum() > 20
    found = hinge_axis((knee - hip)[None], (ankle - knee)[None], turns[None], fps)[0]
    true = rot.rotate(turns, axis)
    assert np.sum(found * true, axis=1).min() > np.cos(np.radians(3.0))
    noise = unit(np.cross(knee - hip, ankle - knee))
    assert np.sum(noise * true, axis=1).min() < 0.0  # one pose alone would let the knee flip


@pytest.mark.parametrize("fps", [30.0, 60.0, 120.0])
def test_a_knee_that_becomes_straight_does_not_flip(fps):
    """Bent, straight, overstretched and back, while the foot should be nearer than the leg lets it."""
    time = np.arange(round(4 * fps)) / fps
    angles = np.radians(8.0 + 14.0 * np.cos(2.0 * np.pi * time / 2.0))
    swaying = rot.about("X", 0.3 * np.sin(2.0 * np.pi * time / 1.5))
    hip, knee, ankle, turns = bending(angles, turns=swaying)
    knees = knees_of(hip, knee, ankle, turns, fps)
    target = 0.99 * (ankle - hip)
    bend = knees.wanted(np.linalg.norm(target, axis=1)[None], fps)
    thigh, _, _ = knees.reach(bend, knees.trembling(bend, target[None]))
    moved = rot.rotate(thigh[0], knee)
    assert np.linalg.norm(np.diff(moved, 2, axis=0), axis=1).max() * fps**2 < 15.0  # m/s² at any rate: no step
    assert (bend[0][angles < 0] >= angles[angles < 0] - 1e-9).all()  # never more overstretched than it was


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 12))
def test_eased_is_the_quintics_it_says(seed, length):
    rng = np.random.default_rng(seed)
    known = np.repeat(rng.random(12) < 0.4, rng.integers(1, 14, 12))
    values = rng.normal(size=(len(known), 3))
    for fps, steady in ((120.0, 4), (60.0, 2), (30.0, 1)):
        ref = naive.eased(known, values, length, steady)
        np.testing.assert_allclose(eased(known, values, length / fps, fps), ref, atol=1e-9)


def test_eased_leaves_without_a_jolt():
    known = np.zeros(200, bool)
    known[50:100] = True
    values = np.sin(np.arange(200) / 40.0)[:, None]
    curve = eased(known, values, 0.2, 120.0)[:, 0]
    assert curve[:26].max() == 0.0
    assert curve[124:].max() == 0.0
    assert np.abs(np.diff(curve, 2)).max() < 0.02


def test_runs():
    assert runs(np.array([1, 1, 0, 1, 0, 0, 1], bool)).tolist() == [[0, 2], [3, 4], [6, 7]]
    assert runs(np.zeros(3, bool)).tolist() == []


def test_envelope_is_smooth_and_never_below():
    rng = np.random.default_rng(3)
    values = np.where(rng.random(400) < 0.02, rng.uniform(0, 1, 400), 0.0)
    curve = envelope(values, 12)
    assert (curve >= values).all()
    assert np.abs(np.diff(curve, 2)).max() < 0.1
    assert envelope(np.zeros(5), 3).tolist() == [0.0] * 5


def test_nearness_falls_from_one_to_nothing():
    mask = np.zeros(60, bool)
    mask[30] = True
    near = nearness(mask, 10)
    assert near[30] == 1.0
    assert near[20] == near[40] == 0.0
    assert (np.diff(near[20:31]) > 0).all()
    assert not nearness(np.zeros(4, bool), 3).any()


def test_contacts_of_one_foot_are_a_foot_apart():
    """Heel first, then both, then the toe: the places keep the foot's length, though it slides as captured."""
    frames = 60
    time = np.arange(frames)[:, None]
    heel = np.array([0.0, 0.08, 0.0]) + time * [0.001, 0.0, 0.0005]
    toe = heel + np.array([0.0, -0.06, 0.13])
    heel_down, toe_down = (time[:, 0] >= 5) & (time[:, 0] < 40), (time[:, 0] >= 20) & (time[:, 0] < 55)
    places = np.zeros((2, frames, 3))
    _kernels.settle(heel_down, toe_down, heel, toe, np.zeros((2, 0, 3)), 0.05, *places)
    np.testing.assert_allclose(places[0][5:40], np.broadcast_to(heel[5:40].mean(axis=0), (35, 3)))
    np.testing.assert_allclose(places[1][20:55] - places[0][20], np.broadcast_to(toe[0] - heel[0], (35, 3)))
    # Carried no farther than allowed: then it stands where it was captured.
    _kernels.settle(heel_down, toe_down, heel, toe, np.zeros((2, 0, 3)), 0.001, *places)
    np.testing.assert_allclose(places[1][20:55], np.broadcast_to(toe[20:55].mean(axis=0), (35, 3)))


def test_contacts_that_begin_together_are_a_foot_apart_too():
    heel, toe = np.zeros((10, 3)), np.tile([0.0, 0.0, 0.2], (10, 1))
    toe[5:, 2] = 0.3
    down, places = np.ones(10, bool), np.zeros((2, 10, 3))
    _kernels.settle(down, down, heel, toe, np.zeros((2, 0, 3)), 1.0, *places)
    np.testing.assert_allclose(places[1] - places[0], np.tile([0.0, 0.0, 0.2], (10, 1)))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6))
def test_settle_is_what_it_says(seed):
    rng = np.random.default_rng(seed)
    downs = [np.repeat(rng.random(9) < 0.6, rng.integers(1, 9, 9)) for _ in range(2)]
    frames = min(map(len, downs))
    downs = [down[:frames].copy() for down in downs]
    heel = np.cumsum(rng.normal(0.0, 0.004, (frames, 3)), axis=0)
    toe = heel + np.array([0.0, -0.05, 0.15]) + rng.normal(0.0, 0.004, (frames, 3))
    for farthest, before in ((0.02, 0), (1.0, 0), (1.0, int(rng.integers(frames)))):
        places, shown = np.full((2, frames, 3), np.nan), rng.normal(size=(2, before, 3))
        _kernels.settle(*downs, heel, toe, shown, farthest, *places)
        refs = naive.settled(*downs, heel.tolist(), toe.tolist(), farthest, shown.tolist())
        for place, ref, down in zip(places, refs, downs):
            assert [each is not None for each in ref] == down.tolist()
            np.testing.assert_allclose(place[down], np.array([each for each in ref if each]).reshape(-1, 3), atol=1e-12)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6))
def test_give_is_damped_least_squares(seed):
    rng = np.random.default_rng(seed)
    legs, frames = int(rng.integers(1, 4)), 4
    hip = rng.normal(0.0, 0.1, (legs, frames, 3)) + np.array([0.0, 0.9, 0.0])
    goal = rng.normal(0.0, 0.2, (legs, frames, 3))
    wanted = np.linalg.norm(goal - hip, axis=-1) + rng.normal(0.0, 0.03, (legs, frames))
    firm = rng.random((legs, frames)) * (rng.random((legs, frames)) < 0.8)
    shift = np.empty((frames, 3))
    _kernels.give(hip, goal, wanted, firm, 0.1, 4, shift)
    ref = [naive.given(*(part[:, f].tolist() for part in (hip, goal, wanted, firm)), 0.1, 4) for f in range(frames)]
    np.testing.assert_allclose(shift, ref, atol=1e-12)


def test_the_root_moves_no_more_than_it_must():
    hip = np.array([[[0.0, 1.0, 0.0]], [[0.2, 1.0, 0.0]]])
    goal = np.array([[[0.0, 0.0, 0.0]], [[0.2, 0.0, 0.0]]])
    wanted = np.array([[0.9], [1.0]])
    alone = root_shift(hip, goal, wanted, np.array([[1.0], [0.0]]))
    np.testing.assert_allclose(alone, [[0.0, -0.1, 0.0]], atol=1e-5)
    assert not root_shift(hip, goal, wanted, np.zeros((2, 1))).any()
    both = root_shift(hip, goal, wanted, np.ones((2, 1)))
    np.testing.assert_allclose(both, [[0.0, -0.05, 0.0]], atol=2e-3)  # side by side: in the middle


def slide(clip, planted, joints):
    speed = np.linalg.norm(np.diff(clip.positions()[:, joints][..., [0, 2]], axis=0), axis=-1) * clip.fps * 100.0
    return speed[planted[1:] & planted[:-1]]


@pytest.mark.parametrize("name", ["walk", "run", "walk_left_90", "sidestep", "turn_in_place", "jump"])
def test_planted_feet_stay_where_they_are(name):
    clip = sample(name)
    # A capture that slides: the whole body drifts.
    drift = clip.root + np.linspace(0, 0.5, len(clip))[:, None] * [1.0, 0.0, 0.0]
    clip = replace(clip, root=drift, source=None)
    contacts = plants(clip)
    planted, joints = np.asarray(contacts), list(contacts.joints)
    made = cleaned(clip)
    assert slide(clip, planted, joints).mean() > 4.0
    # In motion this smooth not all of it can be made up for without a jolt: least where both feet land at once.
    assert slide(made, planted, joints).mean() < (1.1 if name == "jump" else 0.8)
    feet = [j for leg in legs_of(clip.skeleton, joints) for j in (leg.ankle, leg.ball, *leg.tips)]
    assert made.positions()[:, feet, 1].min() >= clip.floor - 1e-6
    pops = [mg.quality(each)["knee_pop"] for each in (clip, made)]
    assert pops[1] < pops[0] + 8.0
    # Not the body: only legs and, a little, the root.
    legs = {j for leg in legs_of(clip.skeleton, joints) for j in (leg.hip, leg.knee, leg.ankle, leg.ball)}
    others = [j for j in range(len(clip.skeleton)) if j not in legs]
    np.testing.assert_array_equal(made.rotations[:, others], clip.rotations[:, others])


def test_toes_that_point_down_are_bent_to_where_the_foot_points():
    """Their own direction is none: it turned round within a frame (CMU's 141_19, frame 213)."""
    foot, angle = np.array([0.0, 0.0, 0.15]), np.linspace(0.0, 2.0 * np.pi, 60)
    toes = np.stack([0.004 * np.cos(angle), np.full(60, -0.05), 0.004 * np.sin(angle)], axis=1)
    still, none = np.tile([1.0, 0.0, 0.0, 0.0], (60, 1)), np.zeros(60)
    parts = np.stack([np.tile(foot, (60, 1)), foot + toes])
    bent = Foot(np.zeros((60, 3)), still, none, none, parts, 1, toe_hinge(parts[0], still)).bent
    tip = rot.rotate(bent(still, np.zeros((60, 3)), 0.0, 60.0), toes)
    assert tip[:, 1].min() > -1e-9
    assert tip[:, 2].min() > 0.02
    # High above the ground they are left alone.
    np.testing.assert_array_equal(bent(still, np.full((60, 3), 0.06), 0.0, 60.0), still)


def test_a_foot_that_stands_is_not_wrung_by_a_body_that_turns():
    """By 45° it stays as it stood, by more it is taken along: no ankle turns by 120°."""
    clip = sample("idle")
    feet = plants(clip)
    leg = next(leg for leg in legs_of(clip.skeleton, feet.joints) if leg.ball >= 0)
    stands = dict.fromkeys(feet.joints, np.ones(len(clip), bool))
    for most, expected in ((20.0, 20.0), (120.0, 60.0)):
        turn = rot.about("Y", np.radians(most) * np.linspace(0.0, 1.0, len(clip)))
        ankle = clip.positions()[:1, [leg.ankle]]
        places = ankle + rot.rotate(turn[:, None], clip.positions()[:1] - ankle)
        # Shown in its first frame as it stood: there it stays.
        foot = foot_of(places, np.tile(turn[:, None], (1, len(clip.skeleton), 1)), leg, stands, clip.fps, places[:1])
        wrung = np.degrees(np.linalg.norm(rot.to_vector(foot.turn), axis=1)).max()
        assert wrung == pytest.approx(expected, abs=3.0)


def test_an_added_t_pose_does_not_tug_at_what_was_captured():
    clip = sample("walk")
    posed = clip.root[0] - [0.0, 0.5, 0.0]  # standing straight, in the floor
    root = np.concatenate([[posed], clip.root])
    turns = np.concatenate([np.tile(rot.IDENTITY, (1, len(clip.skeleton), 1)), clip.rotations])
    made = cleaned(replace(clip, root=root, rotations=turns, first=1, labels=(), source=None))
    np.testing.assert_allclose(made.positions()[1:], cleaned(clip).positions(), atol=1e-3)
    np.testing.assert_array_equal(made.root[0], posed)


def test_a_body_without_legs_is_left_alone():
    snake = mg.Skeleton(["root", "a", "b", "c"], [-1, 0, 1, 2], [[0, 0, 0], [0, 0.3, 0], [0.1, 0.3, 0], [0, 0.2, 0]])
    clip = smooth_clip(np.random.default_rng(4), snake, 60)
    assert cleaned(clip) is clip
    walk = joined([clip], 10, (0, 0), [(0, 30, 0, 10, 1, 0, 0, 0)], 50)
    np.testing.assert_array_equal(mg.synthesize(walk).rotations, mg.synthesize(walk, cleanup=False).rotations)


def without_toes(clip):
    """The same clip on a body whose feet end at the ankle."""
    s = clip.skeleton
    stays = [j for j, name in enumerate(s.names) if "toe" not in name.lower()]
    stays = [j for j in stays if s.parents[j] in stays or j == 0]
    new = {old: j for j, old in enumerate(stays)}
    skeleton = mg.Skeleton(
        [s.names[j] for j in stays], [new.get(int(s.parents[j]), -1) for j in stays], s.offsets[stays]
    )
    return mg.Clip(skeleton, clip.root, clip.rotations[:, stays], clip.fps, clip.name)


def test_feet_without_toes_are_held_too():
    clip = without_toes(sample("walk"))
    legs = legs_of(clip.skeleton, plants(clip).joints)
    assert len(legs) == 2
    assert all(leg.ball == -1 and leg.toe == -1 for leg in legs)
    planted, joints = np.asarray(plants(clip)), list(plants(clip).joints)
    assert planted.any()
    # Stopped within a frame, ankles would have 1.5 times their jerk; so the first frame of a stance slides a little.
    assert slide(cleaned(clip), planted, joints).mean() < 0.3
    assert slide(cleaned(clip), planted, joints).max() < 12.0


def test_feet_that_rise_and_sink_flat_while_they_stand_are_held():
    """Some captures bend the floor: here all of it goes 3 cm up and down in two seconds."""
    flat = sample("walk")
    wave = 0.03 * np.sin(np.pi * np.arange(len(flat)) / flat.fps)
    bent = replace(flat, root=flat.root + wave[:, None] * np.array([0.0, 1.0, 0.0]), source=None)
    assert np.asarray(plants(bent))[np.asarray(plants(flat))].mean() > 0.8


@pytest.mark.skipif("MOTIONGRAPH_CMU" not in os.environ, reason="MOTIONGRAPH_CMU names no folder of all CMU trials")
@pytest.mark.parametrize(("trial", "deepest"), [("113/113_25", 0.01), ("138/138_01", 0.01)])
def test_feet_come_out_of_the_floor_as_far_as_that_jolts_nothing(trial, deepest):
    """What would jolt is mended by a part: all or nothing left feet up to 5 cm in the floor, and put some into it."""
    file = Path(os.environ["MOTIONGRAPH_CMU"]) / f"data/{trial}.bvh"
    if not file.is_file():
        pytest.skip(f"there is no {file}")
    clip = mg.load(file)
    made = cleaned(clip)
    feet = [j for leg in legs_of(clip.skeleton, plants(clip).joints) for j in (leg.ankle, leg.ball, *leg.tips)]
    assert made.positions()[clip.first :, feet, 1].min() > clip.floor - deepest


@pytest.mark.parametrize("highest", [0.15, 0.5, 0.8])
def test_a_step_is_as_high_as_it_was_wherever_it_is_highest(highest):
    """Its goal sags where most is added: that alone would not make it as high."""
    down = np.ones(60, bool)
    down[10:50] = False
    u = np.clip((np.arange(60) - 9) / 41, 0.0, 1.0)
    ankle = 0.1 + 0.02 * np.maximum(1.0 - np.abs(u - highest) / 0.15, 0.0)
    goal = 0.13 - 0.01 * np.sin(np.pi * u)
    was = goal.copy()
    keep_lift(goal, ankle, down)
    np.testing.assert_array_equal(goal[down], was[down])
    assert goal.max() - 0.13 == pytest.approx(ankle.max() - 0.1, rel=1e-9)
    lower = goal.copy()
    keep_lift(lower, 0.5 * ankle, down)  # who is high enough stays
    np.testing.assert_array_equal(lower, goal)


@pytest.mark.parametrize("name", ["walk", "walk_left_90", "sneak"])
def test_feet_captured_below_the_floor_still_swing_as_high(name):
    clip = sample(name)
    made, contacts = cleaned(clip, floor=np.full(len(clip), clip.floor + 0.04)), plants(clip)
    for leg in legs_of(clip.skeleton, contacts.joints):
        own = [contacts.joints.index(joint) for joint in (leg.ankle, leg.ball)]
        for start, stop in runs(~np.asarray(contacts)[:, own].any(axis=1)):
            if start > 0 and stop < len(clip):
                line = np.linspace(0.0, 1.0, stop - start + 2)
                heights = [each.positions()[start - 1 : stop + 1, leg.ankle, 1] for each in (clip, made)]
                was, now = ((h - (1.0 - line) * h[0] - line * h[-1]).max() for h in heights)
                assert now > 0.97 * was


def test_floors_that_differ_become_one():
    low = sample("walk")
    high = replace(low, root=low.root + np.array([0.0, 0.07, 0.0]), name="high", source=None)
    graph = mg.MotionGraph.build([low, high], threshold=12.0)
    found = graph.transitions[graph.transitions["src"] != graph.transitions["dst"]]
    jump = found[(found["src"] == 0) & (found["src_frame"] > 100) & (found["dst_frame"] < 600)][0]
    walk = mg.Walk.of(graph, (0, 50), [jump], int(jump["dst_frame"]) + 300)
    motion = mg.synthesize(walk)
    assert motion.floor == pytest.approx(low.floor, abs=1e-6)  # graphs keep motion as float32
    assert abs(high.floor - low.floor - 0.07) < 1e-9
    late = motion[len(motion) - 200 :].positions()
    feet = [j for j, name in enumerate(motion.skeleton.names) if "toe" in name]
    assert abs(late[:, feet, 1].min() - low.floor) < 0.01
    assert mg.quality(motion)["penetration"] < 0.1


def test_nothing_pops_through_many_transitions():
    graph = sample_graph("walk", "walk_left_90")
    captured = max(mg.quality(clip)["knee_pop"] for clip in graph.clips)
    for seed in range(3):
        figures = mg.quality(mg.synthesize(mg.random_walk(graph, 10, rng=seed)))
        assert figures["knee_pop"] < captured + 4.0
        assert figures["slide_mean"] < 0.5


def test_a_captured_glitch_does_not_make_a_knee_snap(mocap):
    """16_17 jumps aside by 7 cm for a single frame, 474, with a foot on the floor."""
    clip = mg.load(mocap / "cmu/asf_amc/16/16_17.amc")
    assert mg.quality(cleaned(clip))["knee_pop"] < 1.1 * mg.quality(clip)["knee_pop"]


def sudden(places, order, fps):
    """(J,) the 99th percentile of the size of each joint's derivative of this order."""
    return np.percentile(np.linalg.norm(np.diff(places, order, axis=0), axis=-1), 99, axis=0) * fps**order


def lifts(height, planted):
    """Metres that a joint rises above the line between two contacts, of every step; height: (F,)."""
    found = []
    for start, stop in runs(~planted):
        if start > 0 and stop < len(planted) and stop - start > 3:
            line = np.interp(np.arange(start, stop), [start - 1, stop], height[[start - 1, stop]])
            found.append((height[start:stop] - line).max())
    return np.array(found)


@pytest.mark.parametrize("name", ["walk_left", "sidestep", "turn_in_place", "sneak", "jump"])
def test_smooth_motion_stays_smooth(name):
    """Feet land and leave, toes roll and knees straighten without a jerk that was not there."""
    clip = sample(name)
    for order in (2, 3):
        was, now = (sudden(each.positions(), order, clip.fps) for each in (clip, cleaned(clip)))
        assert (now < 1.2 * was).all()


@pytest.mark.parametrize("fps", [30.0, 60.0, 120.0])
@pytest.mark.parametrize("name", ["16_15", "16_35", "69_01", "69_05"])
def test_captured_motion_is_no_more_sudden_than_it_was(mocap, name, fps):
    """At any rate: no joint jolts, no step drags, the root does not bob, and feet stand."""
    clip = mg.load(mocap / f"cmu/bvh/{name}.bvh").captured().resampled(fps)
    made = cleaned(clip)
    before, after = clip.positions(), made.positions()
    for order in (2, 3):
        was, now = (sudden(places, order, fps) for places in (before, after))
        assert (now < 1.2 * was).all()
    bob = [np.sqrt(np.mean(np.diff(places[:, 0, 1], 2) ** 2)) for places in (before, after)]
    assert bob[1] < 1.2 * bob[0]
    off = [np.linalg.norm(p[1:-1] - 0.5 * (p[:-2] + p[2:]), axis=-1) for p in (before, after)]
    assert (off[1].max(axis=0) < np.maximum(1.01 * off[0].max(axis=0), 0.05)).all()
    contacts = plants(clip)
    planted = np.asarray(contacts)
    if name != "16_35":  # a run
        assert (
            slide(made, planted, list(contacts.joints)).mean()
            < 0.1 * slide(clip, planted, list(contacts.joints)).mean()
        )
    for leg in legs_of(clip.skeleton, contacts.joints):
        stands = planted[:, [contacts.joints.index(joint) for joint in (leg.ankle, leg.ball)]].any(axis=1)
        was, now = (lifts(places[:, leg.ankle, 1], stands) for places in (before, after))
        assert (now > 0.7 * was - 0.002).all()


@pytest.mark.parametrize("order", [2, 3])
def test_sudden_is_the_size_of_differences(order):
    places = np.random.default_rng(order).normal(size=(9, 4, 3))
    np.testing.assert_allclose(_kernels.sudden(places, order), naive.sudden(places.tolist(), order), atol=1e-12)
    assert _kernels.sudden(places[:order], order).shape == (0, 4)


def test_swing_turns_bones_about_the_joints_above():
    rng = np.random.default_rng(3)
    places, moved, turns = rng.normal(size=(4, 5, 3)), rng.normal(size=(4, 3)), unit(rng.normal(size=(4, 2, 4)))
    bones, out = np.array([(2, 1, 0), (3, 2, 1), (4, 2, 1)]), np.empty((4, 6, 3))
    _kernels.swing(places, moved, turns, bones, out)
    ref = [naive.swung(*(part[f].tolist() for part in (places, moved, turns)), bones.tolist()) for f in range(4)]
    np.testing.assert_allclose(out, ref, atol=1e-12)


def test_a_jolt_is_soothed_where_it_is_and_nowhere_else():
    """A foot that the capture throws aside for a moment is let go there; the rest of the motion is as without it."""
    clip = sample("walk")
    root = clip.root.copy()
    root[300:303] += [0.06, 0.0, 0.0]
    far = np.abs(np.arange(len(clip)) - 301) > round(1.3 * clip.fps)
    smooth, thrown = cleaned(clip), cleaned(replace(clip, root=root, source=None))
    np.testing.assert_allclose(thrown.positions()[far], smooth.positions()[far], atol=0.002)
