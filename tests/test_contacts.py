"""Foot contacts and the floor: on steps whose truth is known, and on captured ones."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from naive import contacts as naive

from motiongraph.errors import MotionError
from motiongraph.model import contacts as ours
from motiongraph.model.clip import Clip
from motiongraph.model.skeleton import Skeleton

NAMES = ["Hips", "LeftFoot", "LeftToeBase", "LeftToeBase_end", "RightFoot", "RightToeBase", "RightToeBase_end", "Head"]
FOOT_JOINTS = ("LeftFoot", "LeftToeBase", "RightFoot", "RightToeBase")
ANKLE, PERIOD, STANCE, STRIDE = 0.08, 1.1, 0.62, 1.3


def body(names=NAMES):
    """Hips, two feet on invisible legs, a head; ankles are 8 cm above the toe tips."""
    offsets = [[0, 0, 0], [0.1, -0.9, 0], [0, -0.07, 0.13], [0, -0.01, 0.06]]
    offsets += [[-0.1, -0.9, 0], [0, -0.07, 0.13], [0, -0.01, 0.06], [0, 0.7, 0]]
    return Skeleton(names, [-1, 0, 1, 2, 0, 4, 5, 0], offsets)


def clip_of(left, right, fps, skeleton=None, **fields):
    """A clip whose ankles are where they are told to be, (F, 3) metres: the feet slide on the hips."""
    skeleton = skeleton or body()
    hips = (left + right) / 2 + [0, 0.9, 0]
    hips[:, 1] = np.median(hips[:, 1])
    offsets = np.tile(body().offsets, (len(left), 1, 1))
    offsets[:, 1], offsets[:, 4] = left - hips, right - hips
    rotations = np.tile([1.0, 0, 0, 0], (len(left), len(skeleton), 1))
    return Clip(skeleton, hips, rotations, fps, offsets=offsets, **fields)


def steps(fps, seconds=5.0, floor=0.0, slope=0.0):
    """Ankles (F, 3) of two walking feet, and (F, 2) their phases, 0 … STANCE while they truly stand."""
    time = np.arange(round(seconds * fps)) / fps
    feet, phases = [], []
    for side, shift in ((0.1, 0.0), (-0.1, 0.5)):
        turn = time / PERIOD + shift
        phase = turn % 1.0
        s = np.clip((phase - STANCE) / (1 - STANCE), 0, 1)
        z = STRIDE * (np.floor(turn) + s**3 * (10 - 15 * s + 6 * s**2))
        y = floor + ANKLE + slope * z + 0.12 * np.sin(np.pi * s) ** 2
        feet.append(np.stack([np.full_like(z, side), y, z], axis=1))
        phases.append(phase)
    return *feet, np.stack(phases, axis=1)


def assert_true_to(contacts, phases, fps, margin=0.05):
    """Planted in stance and not in swing, but for `margin` seconds and a frame about each change."""
    margin = (margin + 1 / fps) / PERIOD
    standing = (phases > margin) & (phases < STANCE - margin)
    swinging = (phases > STANCE + margin) & (phases < 1 - margin)
    assert standing.any()
    assert swinging.any()
    for foot in (0, 1):
        for joint in (2 * foot, 2 * foot + 1):
            assert contacts[standing[:, foot], joint].all()
            assert not contacts[swinging[:, foot], joint].any()


@pytest.mark.parametrize("fps", [15, 24, 29.97, 60, 120, 240])
def test_steps_are_found_at_any_rate(fps):
    left, right, phases = steps(fps)
    contacts = clip_of(left, right, fps).contacts()
    assert contacts.names == FOOT_JOINTS
    assert contacts.shape == (len(left), 4)
    assert contacts.dtype == bool
    assert_true_to(contacts, phases, fps)


@pytest.mark.parametrize("floor", [-0.7, 0.0, 0.3, 12.0])
def test_the_floor_may_be_anywhere(floor):
    left, right, phases = steps(120, floor=floor)
    clip = clip_of(left, right, 120)
    assert clip.floor == pytest.approx(floor, abs=0.005)
    assert_true_to(clip.contacts(), phases, 120)


def test_noise_does_not_matter():
    rng = np.random.default_rng(0)
    left, right, phases = steps(120)
    left, right = (foot + rng.normal(0, 0.002, foot.shape) for foot in (left, right))
    clip = clip_of(left, right, 120)
    assert clip.floor == pytest.approx(0.0, abs=0.01)
    assert_true_to(clip.contacts(), phases, 120)


def test_a_sloping_floor_is_stood_on_too():
    left, right, phases = steps(120, slope=0.012)  # 1 : 80, as captured floors have been seen to be
    assert_true_to(clip_of(left, right, 120).contacts(), phases, 120)


def test_frames_below_the_floor_do_not_lower_it():
    rng = np.random.default_rng(4)
    left, right, phases = steps(120)
    wrong = rng.choice(len(left), 12, replace=False)
    left[wrong, 1] -= rng.uniform(0.2, 0.6, 12)
    right[200:205, 1] -= 0.3
    clip = clip_of(left, right, 120)
    assert clip.floor == pytest.approx(0.0, abs=0.005)
    sound = np.ones(len(left), bool)
    for frame in [*wrong, *range(200, 205)]:
        sound[max(frame - 5, 0) : frame + 6] = False
    assert_true_to(clip.contacts()[sound], phases[sound], 120)


def test_a_body_in_the_air_touches_nothing():
    time = np.arange(360) / 120
    air = (time > 1.0) & (time < 1.6)
    high = np.where(air, 0.5 * 9.81 * (time - 1.0) * (1.6 - time), 0.0)
    place = np.stack([0.1 + 0 * time, ANKLE + high, 0 * time], axis=1)
    clip = clip_of(place, place * [-1, 1, 1], 120)
    contacts = clip.contacts()
    assert high.max() > 0.4
    surely = (time > 1.05) & (time < 1.55)
    assert not contacts[surely].any()  # nor at the top, where the feet are slow
    assert contacts[(time < 0.95) | (time > 1.65)].all()
    assert clip.floor == pytest.approx(0.0, abs=0.005)


def test_a_foot_held_up_is_not_planted():
    still = np.tile([0.1, ANKLE, 0.0], (240, 1))
    contacts = clip_of(still, still * [-1, 1, 1] + [0, 0.25, 0], 120).contacts()
    assert contacts[:, :2].all()
    assert not contacts[:, 2:].any()


def test_a_heel_that_rises_leaves_before_the_toes():
    # The left foot turns about its toe base: the ankle climbs 10 cm while the toes stay.
    clip = clip_of(*(np.tile([x, ANKLE, 0.0], (240, 1)) for x in (0.1, -0.1)), 120)
    offsets = clip.offsets.copy()
    rise = 0.10 * np.clip((np.arange(240) - 120) / 24, 0, 1)
    offsets[:, 1, 1] += rise
    offsets[:, 2, 1] -= rise
    contacts = replace(clip, offsets=offsets).contacts()
    assert contacts[:, 1:].all()
    assert contacts[:115, 0].all()
    assert not contacts[150:, 0].any()


def test_a_shuffling_foot_is_not_planted_while_it_moves():
    # The right foot glides 20 cm along the floor, at no time faster than 0.65 m/s.
    time = np.arange(360) / 120
    s = np.clip((time - 1.0) / 0.5, 0, 1)
    right = np.stack([-0.1 - 0.1 * 2 * s**2 * (3 - 2 * s), np.full(360, ANKLE), 0 * time], axis=1)
    assert np.abs(np.diff(right[:, 0])).max() * 120 < 0.65
    contacts = clip_of(np.tile([0.1, ANKLE, 0.0], (360, 1)), right, 120).contacts()
    assert contacts[:, :2].all()
    assert not contacts[(time > 1.2) & (time < 1.3), 2:].any()
    assert contacts[(time < 1.0) | (time > 1.5), 2:].all()


def test_feet_are_judged_beside_how_fast_they_swing():
    """A walk captured with feet that glide at 0.2 m/s, and the same with its rate said to be twice as high."""
    left, right, phases = steps(120)
    glide = np.outer(np.arange(len(left)) / 120 * 0.2, [1, 0, 0])
    assert_true_to(clip_of(left + glide, right + glide, 120).contacts(), phases, 120)
    assert_true_to(clip_of(left + glide, right + glide, 240).contacts(), phases, 120)


def test_feet_that_slide_as_quick_steps_end_are_not_planted():
    # Steps three times as quick as a walk's; then both feet slide along, and the body with them, slower and slower.
    left, right, _ = steps(120)
    speed = 1.2 * (1.0 - np.arange(180) / 180)
    slide = np.outer(np.cumsum(speed) / 360, [0, 0, 1])
    feet = [np.concatenate([foot, foot[-1] * [1, 0, 1] + [0, ANKLE, 0] + slide]) for foot in (left, right)]
    contacts = clip_of(*feet, 360).contacts()
    assert contacts[:600].any(axis=1).mean() > 0.5
    assert not contacts[640:680].any()  # from 0.9 to 0.7 m/s
    assert contacts[600:][speed < 0.2].all()


def test_frames_before_the_capture_never_count():
    left, right, _ = steps(120)
    aside = np.tile([0.0, 5.0, 0.0], (40, 1))
    clip = clip_of(np.concatenate([aside, left]), np.concatenate([aside, right]), 120, first=40)
    contacts = clip.contacts()
    assert not contacts[:40].any()
    np.testing.assert_array_equal(contacts[40:], clip_of(left, right, 120).contacts())
    assert clip.floor == pytest.approx(0.0, abs=0.005)


def test_feet_without_names_are_the_lowest():
    left, right, phases = steps(120)
    clip = clip_of(left, right, 120, body([f"joint{j}" for j in range(8)]))
    contacts = clip.contacts()
    assert contacts.names == ("joint1", "joint3", "joint4", "joint6")
    assert_true_to(contacts, phases, 120)


def test_a_rest_pose_that_does_not_stand_is_not_asked():
    # Some files draw every bone along x; how high an ankle sits is then to be seen in the motion alone.
    left, right, phases = steps(120)
    lying = Skeleton(NAMES, body().parents, np.linalg.norm(body().offsets, axis=1)[:, None] * [1.0, 0.0, 0.0])
    clip = clip_of(left, right, 120, lying)
    assert clip.floor == pytest.approx(0.0, abs=0.005)
    assert_true_to(clip.contacts(), phases, 120)


def test_nothing_like_feet_gives_no_columns():
    snake = Skeleton(["a", "b", "c"], [-1, 0, 1], [[0, 0, 0], [0.3, 0, 0], [0.3, 0, 0]])
    clip = Clip(snake, np.ones((7, 3)), np.tile([1.0, 0, 0, 0], (7, 3, 1)))
    assert clip.contacts().shape == (7, 0)
    assert clip.contacts().names == ()
    assert clip.floor == pytest.approx(1.0)


def test_a_single_pose_stands():
    left, right, _ = steps(120)
    contacts = clip_of(left[30:31], right[30:31], 120).contacts()
    assert contacts.shape == (1, 4)
    assert contacts[0, :2].all()


def test_moving_the_clip_changes_nothing():
    left, right, _ = steps(120)
    clip = clip_of(left, right, 120)
    np.testing.assert_array_equal(clip.moved(0.7, 30.0, -4.0).contacts(), clip.contacts())


def test_mirroring_the_clip_exchanges_the_feet():
    left, right, _ = steps(120)
    clip = clip_of(left, right, 120)
    np.testing.assert_array_equal(clip.mirrored().contacts(), clip.contacts()[:, [2, 3, 0, 1]])


def test_thresholds_do_what_they_say():
    left, right, _ = steps(120)
    drift = np.arange(len(left)) / 120 * 0.2  # a treadmill: every foot moves at 0.2 m/s
    clip = clip_of(left + np.outer(drift, [1, 0, 0]), right + np.outer(drift, [1, 0, 0]), 120)
    assert clip.contacts().mean() > 0.5
    assert not clip.contacts(enter_speed=0.1).any()
    assert clip.contacts(leave_speed=0.35).mean() < clip.contacts(leave_speed=1.2).mean()
    assert clip.contacts(shortest=0.5)[100:500].all()  # steps of 0.42 s are too short to be noticed
    with pytest.raises(MotionError, match="contact thresholds"):
        clip.contacts(enter_speed=0.9)
    with pytest.raises(MotionError, match="contact thresholds"):
        clip.contacts(enter_height=-1)
    with pytest.raises(TypeError):
        clip.contacts(speed=1)


@pytest.mark.parametrize("shortest", [0.0, 1.0, 3.0, 3.5, 8.0])
def test_hysteresis_and_debouncing_match_plain_loops(shortest):
    rng = np.random.default_rng(9)
    for share in (0.2, 0.6, 0.9):
        loose = np.repeat(rng.random(60) < share, rng.integers(1, 6, 60))
        sure = loose & (rng.random(len(loose)) < 0.3)
        for linger in (0, 2, 7, 1000):
            ref = naive.steady(loose, sure, linger, shortest)
            assert ours._steady(loose, sure, linger, shortest).tolist() == ref


def test_names_follow_the_columns():
    left, right, _ = steps(120)
    contacts = clip_of(left, right, 120).contacts()
    assert contacts.joints == (1, 2, 4, 5)
    for part in (contacts[10:90], contacts[::4], contacts[np.array([3, 5])], contacts[contacts.any(axis=1)], ~contacts):
        assert part.names == FOOT_JOINTS
        assert part.joints == (1, 2, 4, 5)
    assert contacts[:, 2:].names == FOOT_JOINTS[2:]
    assert contacts[5:9, [3, 0]].names == ("RightToeBase", "LeftFoot")
    assert contacts[5:9, [3, 0]].joints == (5, 1)
    assert contacts[:, ::-1].names == FOOT_JOINTS[::-1]
    assert contacts[:, 0].names == ()
    assert contacts.any(axis=1).names == ()


def cycle_shares(planted):
    """The planted share of every whole cycle, from one touch-down to the next; planted: (F,) bool."""
    down = np.flatnonzero(planted[1:] & ~planted[:-1]) + 1
    return [planted[a:b].mean() for a, b in pairwise(down)]


def feet_of(clip):
    """(F, 2) bool: left and right foot planted, by heel or toe."""
    contacts = np.asarray(clip.contacts())
    return np.stack([contacts[:, :2].any(axis=1), contacts[:, 2:].any(axis=1)], axis=1)[clip.first :]


@pytest.fixture
def trial(mocap):
    import motiongraph as mg

    return lambda n: mg.load(mocap / "cmu" / "asf_amc" / "16" / f"16_{n:02d}.amc")


@pytest.mark.parametrize("n", [15, 17, 21, 58])
def test_walkers_stand_on_each_foot_for_over_half_of_a_cycle(trial, n):
    feet = feet_of(trial(n))
    shares = [share for foot in feet.T for share in cycle_shares(foot)]
    assert len(shares) >= 3
    assert all(0.48 < share < 0.70 for share in shares), shares
    assert feet.any(axis=1).mean() > 0.98  # someone who walks has always a foot on the ground
    landings = sorted((f, side) for side in (0, 1) for f in np.flatnonzero(np.diff(feet[:, side].astype(int)) == 1))
    assert len(landings) >= 4
    assert all(a[1] != b[1] for a, b in pairwise(landings)), "feet should alternate"


@pytest.mark.parametrize("n", [35, 36, 37])
def test_runners_fly(trial, n):
    feet = feet_of(trial(n))
    shares = [share for foot in feet.T for share in cycle_shares(foot)]
    assert shares
    assert all(0.2 < share < 0.45 for share in shares), shares
    assert 0.25 < (~feet.any(axis=1)).mean() < 0.6
    assert not feet.all(axis=1).any()


@pytest.mark.parametrize("n", [1, 2, 5])
def test_jumpers_leave_the_ground_once(trial, n):
    clip = trial(n)
    air = ~feet_of(clip).any(axis=1)
    (span,) = np.flatnonzero(np.diff(air.astype(int), prepend=0, append=0)).reshape(-1, 2)
    assert 0.3 < (span[1] - span[0]) / clip.fps < 0.8
    height = clip.root[span[0] : span[1], 1]
    assert 0 < np.argmax(height) < len(height) - 1
    assert height.max() == clip.root[:, 1].max()


@pytest.mark.parametrize("n", [1, 15, 17, 35, 41])
def test_captured_contacts_hold_through_changes_of_place_rate_and_floor(trial, n):
    clip = trial(n)
    contacts = np.asarray(clip.contacts())
    for changed in (clip.moved(1.1, 3.0, -4.0), replace(clip, root=clip.root + np.array([0, 0.3, 0]))):
        assert (np.asarray(changed.contacts()) != contacts).mean() < 0.002
    for fps in (60, 30):
        coarse = np.asarray(clip.resampled(fps).contacts())
        assert (coarse != contacts[:: 120 // fps][: len(coarse)]).mean() < 0.05


def test_both_forms_of_a_trial_have_the_same_contacts(trial, mocap):
    import motiongraph as mg

    bvh = mg.load(mocap / "cmu" / "bvh" / "16_15.bvh")
    assert bvh.contacts().names == FOOT_JOINTS
    assert (np.asarray(bvh.contacts())[1:] != np.asarray(trial(15).contacts())).mean() < 0.002
