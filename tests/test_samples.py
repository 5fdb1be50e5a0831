"""The bundled sample clips, measured from the files alone: planted feet, sound knees, a real gait, joinable ends."""

import tomllib
from pathlib import Path

import numpy as np
import pytest

import motiongraph as mg
from motiongraph import rotations as rot

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "assets" / "samples"
LISTED = tomllib.loads((SAMPLES / "labels.toml").read_text(encoding="utf-8"))["clip"]
NAMES = [Path(entry["file"]).stem for entry in LISTED]
WORDS = {Path(entry["file"]).stem: entry["labels"] for entry in LISTED}

# The foot's own measures: height of the joints with the sole flat, and the heel (no joint) from the ankle.
BALL_HEIGHT, TIP_HEIGHT = 0.02, 0.01
HEEL = np.array([0.0, -0.075, -0.055])
TOUCHING = 0.0005  # metres above the floor that still count as standing on it


@pytest.fixture(scope="module")
def clips():
    return {name: mg.load(SAMPLES / f"{name}.bvh") for name in NAMES}


def joint(clip, name):
    return clip.positions()[:, clip.skeleton.index(name)]


def soles(clip, side):
    """{part of the sole: (F, 3)} relative to the height it has when it stands on the floor."""
    ankle = clip.skeleton.index(side + "foot")
    heel = clip.positions()[:, ankle] + rot.rotate(clip.orientations()[:, ankle], HEEL)
    lifted = {"ball": BALL_HEIGHT, "tip": TIP_HEIGHT}
    parts = {"ball": joint(clip, side + "toes"), "tip": joint(clip, side + "toes_end")}
    return {"heel": heel} | {part: p - [0.0, lifted[part], 0.0] for part, p in parts.items()}


def level_speed(clip, point):
    """(F,) m/s along the floor of a point (F, 3)."""
    return np.linalg.norm(np.gradient(point[:, [0, 2]], axis=0), axis=1) * clip.fps


def planted(clip, side):
    """(F,) bool: some part of that sole touches the floor and rests there."""
    resting = np.zeros(len(clip), bool)
    for point in soles(clip, side).values():
        resting |= (point[:, 1] < TOUCHING) & (level_speed(clip, point) < 0.1)
    return resting


def runs(mask):
    """[(start, stop), …] of the unbroken stretches of a (F,) bool mask."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(int), [0]])))
    return edges.reshape(-1, 2)


def flexion(clip, above, middle, below):
    """(F,) degrees between two bones that meet in `middle`; 0 is straight."""
    u, v = joint(clip, middle) - joint(clip, above), joint(clip, below) - joint(clip, middle)
    cosine = np.sum(u * v, axis=1) / np.linalg.norm(u, axis=1) / np.linalg.norm(v, axis=1)
    return np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))


def facing(clip):
    """(F, 3) unit vectors: where the hips face, level."""
    forward = np.cross(joint(clip, "lfemur") - joint(clip, "rfemur"), [0.0, 1.0, 0.0])
    return forward / np.linalg.norm(forward, axis=1, keepdims=True)


def middle(clip):
    """The steady middle third."""
    return slice(len(clip) // 3, 2 * len(clip) // 3)


def test_enough_of_everything(clips):
    assert len(clips) >= 12
    assert len(set(NAMES)) == len(NAMES)
    assert sum(clip.duration for clip in clips.values()) >= 90.0
    assert all(clip.fps == 120.0 and clip.first == 0 for clip in clips.values())
    assert sum(f.stat().st_size for f in SAMPLES.iterdir()) < 12e6
    words = {word for labels in WORDS.values() for word in labels}
    assert words >= {"idle", "walk", "run", "sneak", "sidestep", "jump", "turn", "turn-left", "turn-right"}
    assert {f.stem for f in SAMPLES.glob("*.bvh")} == set(NAMES)


def test_two_are_asf_amc_as_well_with_the_same_motion(clips):
    twins = sorted(SAMPLES.glob("*.amc"))
    assert len(twins) == 2
    for path in twins:
        twin, clip = mg.load(path), clips[path.stem]
        assert twin.skeleton.names == clip.skeleton.names
        assert np.abs(twin.positions() - clip.positions()).max() < 1e-5


def test_a_person_of_175_alike_on_both_sides(clips):
    skeleton = clips["walk"].skeleton
    assert skeleton.height == pytest.approx(1.75, abs=0.01)
    assert all(clip.skeleton.names == skeleton.names for clip in clips.values())
    assert all(np.allclose(clip.skeleton.offsets, skeleton.offsets, atol=1e-9) for clip in clips.values())
    standing = clips["idle"].positions()[0]
    assert standing[skeleton.index("head_end"), 1] == pytest.approx(1.75, abs=0.01)
    for j, name in enumerate(skeleton.names):
        if name.startswith("l") and "r" + name[1:] in skeleton.names:
            other = skeleton.offsets[skeleton.index("r" + name[1:])]
            assert np.allclose(skeleton.offsets[j], other * [-1.0, 1.0, 1.0], atol=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_feet_do_not_slide_where_they_stand(clips, name):
    """Heel, ball and tip of the toes, each while it is on the floor; only as it lands or leaves may it still move."""
    clip, stances = clips[name], 0
    for side in "lr":
        for part, point in soles(clip, side).items():
            resting = level_speed(clip, point) < 0.1
            for start, stop in runs(point[:, 1] < TOUCHING):
                rests = start + np.flatnonzero(resting[start:stop])
                if not len(rests):
                    assert stop - start <= 3, f"{side} {part} skims the floor in frames {start} to {stop}"
                    continue
                first, last = rests[0], rests[-1] + 1
                assert first - start <= 4, f"{side} {part} skims in from frame {start} to {first}"
                assert stop - last <= 4, f"{side} {part} skims out from frame {last} to {stop}"
                stood = point[first:last, [0, 2]]
                slide = np.linalg.norm(stood - np.median(stood, axis=0), axis=1).max()
                assert slide < 0.001, f"{side} {part} slides {1000 * slide:.2f} mm in frames {first} to {last}"
                stances += 1
    assert stances >= 6


@pytest.mark.parametrize("name", NAMES)
def test_the_floor_is_never_broken(clips, name):
    for side in "lr":
        for part, point in soles(clips[name], side).items():
            assert point[:, 1].min() > -0.0001, part


@pytest.mark.parametrize("name", NAMES)
def test_knees_bend_forward_and_never_snap(clips, name):
    clip = clips[name]
    for side in "lr":
        knee = flexion(clip, side + "femur", side + "tibia", side + "foot")
        assert knee.min() > 3.0
        assert knee.max() < 125.0
        hip, ankle = joint(clip, side + "femur"), joint(clip, side + "foot")
        leg = ankle - hip
        # In front of the leg's line: along the facing made perpendicular to the leg.
        across = facing(clip) - np.sum(facing(clip) * leg, axis=1)[:, None] * leg / np.sum(leg**2, axis=1)[:, None]
        ahead = np.sum((joint(clip, side + "tibia") - hip) * across, axis=1)
        assert ahead.min() > 0.0
        acceleration = np.diff(joint(clip, side + "tibia"), 2, axis=0) * clip.fps**2
        # CMU's captured walk 16_15 reaches 72 m/s², its run 16_35 158 m/s².
        assert np.linalg.norm(acceleration, axis=1).max() < (
            250.0 if name.startswith(("run", "walk_run", "jump")) else 130.0
        )


@pytest.mark.parametrize("name", NAMES)
def test_begins_and_ends_standing_still(clips, name):
    positions = clips[name].positions()
    for end in (positions[:12], positions[-12:]):
        assert np.linalg.norm(np.diff(end, axis=0), axis=2).max() * 120 < 0.1
        assert np.linalg.norm(np.diff(end, 2, axis=0), axis=2).max() * 120**2 < 2.0
    assert planted(clips[name], "l")[[0, -1]].all()
    assert planted(clips[name], "r")[[0, -1]].all()


def test_clips_end_where_others_begin(clips):
    """Brought to the same place and facing, any clip's last pose is within a hand's width of any other's first."""

    def placed(clip, frame):
        pose, ahead = clip.positions()[frame], facing(clip)[frame]
        return rot.rotate(rot.about("Y", -np.arctan2(ahead[0], ahead[2])), pose - pose[0] * [1.0, 0.0, 1.0])

    for a in clips.values():
        for b in clips.values():
            apart = np.linalg.norm(placed(a, -1) - placed(b, 0), axis=1)
            assert np.sqrt(np.mean(apart**2)) < 0.04, (a.name, b.name)
            assert apart.max() < 0.12, (a.name, b.name)


def gait(clip):
    """Of the steady middle: stance share of each foot, and the shares of both and of no foot on the floor."""
    left, right = planted(clip, "l"), planted(clip, "r")
    strikes = [start for start, stop in runs(left) if start > 0 and stop - start > 8]
    cycles = slice(strikes[1], strikes[-2])
    left, right = left[cycles], right[cycles]
    return left.mean(), right.mean(), (left & right).mean(), (~left & ~right).mean()


def test_walking_has_double_support_and_no_flight(clips):
    for name in ("walk", "walk_left", "walk_right"):
        left, right, both, none = gait(clips[name])
        assert 0.55 < left < 0.68
        assert 0.55 < right < 0.68
        assert 0.12 < both < 0.32
        assert none == 0.0


def test_running_has_flight_and_no_double_support(clips):
    for name in ("run", "run_left", "run_right"):
        clip = clips[name]
        left, right = planted(clip, "l")[middle(clip)], planted(clip, "r")[middle(clip)]
        assert 0.28 < left.mean() < 0.45
        assert 0.28 < right.mean() < 0.45
        assert (left & right).mean() == 0.0
        assert (~left & ~right).mean() > 0.15


@pytest.mark.parametrize(
    ("name", "speed", "bob", "knee", "cadence"),
    [
        ("walk", (1.25, 1.5), (0.02, 0.06), (55, 75), (105, 120)),
        ("run", (2.5, 3.2), (0.04, 0.1), (90, 120), (155, 175)),
    ],
)
def test_the_figures_of_human_gait(clips, name, speed, bob, knee, cadence):
    clip = clips[name]
    steady = clip[middle(clip)]
    root = joint(steady, "root")
    ahead = np.linalg.norm(np.gradient(root[:, [0, 2]], axis=0), axis=1).mean() * steady.fps
    assert speed[0] < ahead < speed[1]
    assert bob[0] < np.ptp(root[:, 1]) < bob[1]
    for side in "lr":
        bend = flexion(steady, side + "femur", side + "tibia", side + "foot")
        assert knee[0] < bend.max() < knee[1]
    strikes = sorted(
        s for side in "lr" for s, _ in runs(planted(clip, side)) if middle(clip).start < s < middle(clip).stop
    )
    assert cadence[0] < 60 * clip.fps / np.diff(strikes).mean() < cadence[1]
    # Arms swing against the legs.
    for side in "lr":
        arm = np.sum((joint(steady, side + "wrist") - joint(steady, side + "humerus")) * facing(steady), axis=1)
        leg = np.sum((joint(steady, side + "foot") - joint(steady, side + "femur")) * facing(steady), axis=1)
        assert np.corrcoef(arm, leg)[0, 1] < -0.7


def test_turns_turn_the_way_they_say(clips):
    def turned(clip):
        ahead = facing(clip)
        return np.degrees(np.ptp(np.unwrap(np.arctan2(ahead[:, 0], ahead[:, 2]))[[0, -1]])), np.cross(
            ahead[0], ahead[-1]
        )[1]

    for name, (least, most) in {
        "walk_left": (35, 75),
        "walk_right": (35, 75),
        "run_left": (35, 80),
        "run_right": (35, 80),
    }.items():
        angle, way = turned(clips[name])
        assert least < angle < most
        assert (way > 0) == ("left" in name)
    for name in ("walk_left_90", "walk_right_90"):
        angle, way = turned(clips[name])
        assert angle == pytest.approx(90, abs=6)
        assert (way > 0) == ("left" in name)


def test_steps_vary(clips):
    """No two strides of the walk are the same, and none is far from the others."""
    clip = clips["walk"]
    heel = soles(clip, "l")["heel"]
    places = np.array([np.median(heel[a:b], axis=0) for a, b in runs(heel[:, 1] < TOUCHING) if b - a > 10])
    strides = np.linalg.norm(np.diff(places, axis=0), axis=1)[1:-2]
    assert len(strides) >= 3
    assert 0.001 < np.ptp(strides) < 0.15
