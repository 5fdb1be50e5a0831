"""What a file does not say: its unit of length, its up axis, its exact frame rate, whether it opens with a T-pose.

Every guess is reported by `motiongraph info` and can be overruled when loading.
"""

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

import numpy as np

from motiongraph.kernels import F64, I64, kernel, read, types
from motiongraph.model import sides
from motiongraph.model.skeleton import SPAN_OF_STATURE, Skeleton

# Metres in one unit. "cmu": the number of an ASF with `length 0.45`, which the 2010 BVH conversion kept.
UNITS = {"m": 1.0, "dm": 0.1, "cm": 0.01, "mm": 0.001, "inch": 0.0254, "cmu": 0.0254 / 0.45}
STATURE = 1.65  # metres: a body that fits no unit is scaled to this
_PEOPLE = (1.25, 2.25)  # metres from sole to crown, children and tall puppets included
_ANIMALS = (0.2, 6.0)  # metres along the bones from hind foot to head
_ABOVE_ANKLE = 1.08  # sole to hip over ankle to hip
_CROWN = 0.25  # head joint to crown over pelvis to head joint
_ANIMAL = re.compile(r"tail(?!or)|wing|paw(?!n)|hoof|beak|claw(?!icle)", re.I)
_HEAD = re.compile(r"head|skull", re.I)
_NECK = re.compile(r"neck", re.I)

# The axis that points up, and how often it does: y in most programs, z in some, −y in images.
_PRIOR = {"x": -0.3, "y": 0.2, "z": 0.1, "-x": -0.3, "-y": 0.0, "-z": -0.3}
UP_AXES, _PRIORS = tuple(_PRIOR), np.array(list(_PRIOR.values()))
MOST_POSES = 64  # poses that are looked at; in 5,500 files 256 say nothing else

_CUSTOMARY = (24, 25, 30, 48, 50, 60, 90, 100, 120, 144, 150, 180, 200, 240, 250, 300, 480, 500, 1000)
_TELEVISION = (24, 30, 60, 120, 240)


@dataclass(frozen=True)
class Unit:
    """How long one unit of a file is."""

    name: str  # a key of UNITS, or "" where none fits and the body was scaled to STATURE
    metres: float  # in one unit of the file


def unit_of(skeleton: Skeleton) -> Unit:
    """The unit in which a skeleton's offsets are written, from the lengths of its bones alone.

    So every clip of a rig, and every part of a clip, gets the same unit, whatever its poses are.
    """
    height = stature(skeleton)
    if not height > 0.0:
        return _nearest(skeleton.span / SPAN_OF_STATURE) if skeleton.span > 0.0 else Unit("m", 1.0)
    if any(_ANIMAL.search(name) for name in skeleton.names):
        for name in ("m", "cm", "mm"):
            if _ANIMALS[0] <= height * UNITS[name] <= _ANIMALS[1]:
                return Unit(name, UNITS[name])
    unit = _nearest(height)
    if _PEOPLE[0] <= height * unit.metres <= _PEOPLE[1]:
        return unit
    return Unit("", STATURE / height)


def _nearest(height: float) -> Unit:
    name = min(UNITS, key=lambda n: abs(np.log(height * UNITS[n] / STATURE)))
    return Unit(name, UNITS[name])


@lru_cache(maxsize=256)  # a folder has many clips of a few skeletons
def stature(skeleton: Skeleton) -> float:
    """Height of a standing person along the bones, in the skeleton's unit; 0 where names show no legs or head.

    1.08 × hip to ankle (median of the legs) + pelvis to crown. Where the file has no crown, or draws it too far off to
    be one, the head is taken to be as high as heads are against the trunk.
    """
    legs = _legs(skeleton)
    top = _head(skeleton)
    if not legs or top is None:
        return 0.0
    lengths = skeleton.bone_lengths
    leg = float(np.median([lengths[chain[:-1]].sum() for chain in legs]))
    shared = set.intersection(*(set(sides.ancestors(skeleton, chain[0])) for chain in legs))
    pelvis = max(shared - {joint for chain in legs for joint in chain}, default=0)
    # A spine is nearly straight at rest. One that doubles back, as MediaPipe exports it, is shorter than its bones.
    straight = float(np.linalg.norm(skeleton.rest[top] - skeleton.rest[pelvis]))
    trunk = min(_way(skeleton, pelvis, top), 1.5 * straight)
    crown = max((_way(skeleton, top, j) for j in sides.below(skeleton, top)), default=0.0)
    return _ABOVE_ANKLE * leg + trunk + (crown if 0.0 < crown < 0.5 * trunk else _CROWN * trunk)


@lru_cache(maxsize=256)
def _legs(skeleton: Skeleton) -> list[list[int]]:
    """For every foot the joints from ankle up to hip; at least those two.

    The hip is the topmost joint that belongs to one leg alone and does not sit where the body branches.
    """
    chains = [sides.ancestors(skeleton, foot[0]) for foot in sides.feet_by_name(skeleton)]
    chains = list({chain[1]: chain for chain in reversed(chains)}.values())  # a heel beside a foot is no second leg
    sides_of = [{joint for i, other in enumerate(chains) if i != k for joint in other} for k in range(len(chains))]
    legs = []
    for chain, others in zip(chains, sides_of):
        leg = [joint for joint in chain if joint not in others | {0}]
        while len(leg) > 1 and skeleton.bone_lengths[leg[-1]] <= 1e-6 * skeleton.bone_lengths.max():
            leg.pop()
        if len(leg) > 1:
            legs.append(leg)
    return legs


def _head(skeleton: Skeleton) -> int | None:
    """The joint where the head begins, else the last of the neck, else None."""
    heads = [j for j, name in enumerate(skeleton.names) if _HEAD.search(name)]
    necks = [j for j, name in enumerate(skeleton.names) if _NECK.search(name) and not name.endswith("_end")]
    return heads[0] if heads else necks[-1] if necks else None


def _way(skeleton: Skeleton, a: int, b: int) -> float:
    """Length along the bones from one joint to another."""
    apart = set(sides.ancestors(skeleton, a)) ^ set(sides.ancestors(skeleton, b))
    return float(skeleton.bone_lengths[list(apart)].sum())


def sampled(frames: int) -> np.ndarray:
    """Indices of the poses that are looked at."""
    count = min(frames, MOST_POSES)
    return np.arange(count) * (frames - 1) // max(count - 1, 1)


def up_axis(skeleton: Skeleton, positions: np.ndarray) -> str:
    """Which of ±x, ±y, ±z points up, from the rest pose and poses (F, J, 3), all in the file's axes.

    The axis with the highest sum of: the direction from the feet to the rest of the body in the motion, and in the
    rest pose where that stands; a floor, which is where the lowest joint stays and which is often at zero; and how
    customary the axis is. The floor tells a world with z up, whose rest pose has y up, from push-ups and swimming.
    """
    feet, head, standing, size = _standing(skeleton)
    if not len(feet):
        return _up_by_reach(skeleton.rest, positions)
    size = size or float(np.ptp(positions, axis=1).max()) or 1.0
    moving, lowest = _looked_at(positions, feet, head)
    level = _median(lowest)
    steady = np.exp(-((_median(np.abs(lowest - level[:, None])) * 1.5 / (0.08 * size)) ** 2))
    at_zero = np.exp(-((level / (0.05 * size)) ** 2))
    directions = np.concatenate([moving, -moving]) + standing
    return UP_AXES[int((directions + 0.4 * steady + 0.4 * at_zero + _PRIORS).argmax())]


def _median(rows: np.ndarray) -> np.ndarray:
    """(n,) of rows (n, F)."""
    ordered, count = np.sort(rows, axis=1), rows.shape[1]
    return 0.5 * (ordered[:, (count - 1) // 2] + ordered[:, count // 2])


@lru_cache(maxsize=256)
def _standing(skeleton: Skeleton) -> tuple[np.ndarray, int, np.ndarray, float]:
    """The joints a body stands on, its head or −1, (6,) how far each of UP_AXES points up in its rest pose, zero where
    that does not stand or points down, and the extent of that pose.

    It stands on its ankles; an animal on its hands too; on none where names do not say.
    """
    feet, head = [leg[0] for leg in _legs(skeleton)], _head(skeleton)
    if feet and any(_ANIMAL.search(name) for name in skeleton.names):
        feet += [j for j, name in enumerate(skeleton.names) if re.search(r"hand(?!le)|wrist", name, re.I)]
    size = float(np.ptp(skeleton.rest, axis=0).max())
    on, top = np.array(feet, np.int64), -1 if head is None else head
    way = _looked_at(skeleton.rest[None], on, top, 0.25 * size)[0] if feet else np.zeros(3)
    return on, top, np.maximum(np.concatenate([way, -way]), 0.0), size


def _looked_at(
    positions: np.ndarray, feet: np.ndarray, head: int, shortest: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Of poses (F, J, 3): (3,) the mean direction from the feet to the body's centre, and to the head, if any (−1), at
    half weight, zero where they are no further apart than `shortest`; and (6, F) the lowest joint along UP_AXES."""
    way, lowest = np.empty(3), np.empty((6, len(positions)))
    _look(np.ascontiguousarray(positions), feet, head, max(shortest, 1e-12), way, lowest)
    return way, lowest


@kernel(types.void(read(F64, 3), read(I64), I64, F64, F64[::1], F64[:, ::1]))
def _look(positions, feet, head, shortest, way, lowest):
    """See `_looked_at`."""
    frames, joints = positions.shape[0], positions.shape[1]
    ways = np.empty((2, 3))  # to the centre and to the head
    way[:] = 0.0
    for f in range(frames):
        for a in range(3):
            low = high = total = positions[f, 0, a]
            for j in range(1, joints):
                at = positions[f, j, a]
                total += at
                low, high = min(low, at), max(high, at)
            lowest[a, f], lowest[a + 3, f] = low, -high
            standing = 0.0
            for j in feet:
                standing += positions[f, j, a]
            ground = standing / len(feet)
            ways[0, a], ways[1, a] = total / joints - ground, positions[f, head, a] - ground
        for k in range(1 if head < 0 else 2):
            x, y, z = ways[k, 0], ways[k, 1], ways[k, 2]
            length = math.sqrt(x * x + y * y + z * z)
            if length > shortest:
                for a in range(3):
                    way[a] += ways[k, a] / (length * (k + 1))
    for a in range(3):
        way[a] /= 1.5 * frames


def _up_by_reach(rest: np.ndarray, positions: np.ndarray) -> str:
    """ "y" or "z" for a body whose feet are not known: along which its rest pose (J, 3) stands, or its poses (F, J, 3).

    A standing body reaches far above and far below its root; along a horizontal axis it does not, arms aside.
    """
    score = _reach(rest[None])
    if score.max() < 0.2 * np.ptp(rest, axis=0).max():
        score = _reach(positions)
    return "z" if score[1] > 1.5 * score[0] else "y"


def _reach(positions: np.ndarray) -> np.ndarray:
    """(2,) how far, above and below alike, the typical pose reaches from its root along y and z."""
    relative = positions - positions[:, :1]
    above, below = relative.max(axis=1), -relative.min(axis=1)
    return np.median(np.minimum(above, below), axis=0)[1:]


def frame_rate(frame_time: str) -> float:
    """Frames a second meant by a frame time in seconds, as text: ".0083333" is 120, "0.033333" is 30.

    A rate in customary use whose frame time was rounded or cut to these digits is what was meant ("0.017" is 60,
    not 59), unless they give another whole rate exactly. Then the last digit may be off by one: if a whole rate, or
    a television rate n·1000/1001, lies in that range, it was meant.
    """
    seconds = float(frame_time)
    whole = round(1.0 / seconds)
    if abs(1.0 / seconds - whole) < 1e-6 * whole:
        return float(whole)
    digit = 10.0 ** int(Decimal(frame_time).as_tuple().exponent)
    for rate in sorted(_CUSTOMARY, key=lambda rate: abs(1.0 / rate - seconds)):
        if -0.5 * digit <= 1.0 / rate - seconds < digit:
            return float(rate)
    for rate in (whole, *(rate / 1.001 for rate in _TELEVISION)):
        if rate and abs(1.0 / rate - seconds) <= min(max(digit, 1e-6 * seconds), 0.5 * seconds):
            return float(rate)
    return 1.0 / seconds


def opens_with_t_pose(values: np.ndarray, turns: np.ndarray, root: np.ndarray) -> bool:
    """Whether frame 0 was added by CMU's BVH conversion: whole degrees, mostly 0, root upright, far from what comes.

    values: (F, C) degrees; turns: the columns of all rotations but the root's; root: (4,) the root's rotation in frame
    0, which may face anywhere: clips are turned and written again. Captured angles are never all whole; a file whose
    other frames are whole too was not captured, and proves nothing.
    """
    if len(values) < 3 or len(turns) < 27 or np.hypot(root[1], root[3]) > 1e-6:
        return False
    pose, motion = values[0, turns], values[1:12, turns]
    if np.any(pose != np.round(pose)) or np.mean(pose == 0.0) < 0.5 or np.all(motion == np.round(motion)):
        return False
    away = (np.median(motion, axis=0) - pose + 180.0) % 360.0 - 180.0
    return bool(np.abs(away).mean() > 1.0)


def opens_with_a_jump(positions: np.ndarray) -> bool:
    """Whether frame 0 is no part of the motion, whatever its pose: the body jumps from it into the next frame.

    positions: (F, J, 3) metres, of the first frames at least. A jump is a mean over all joints of more than 3 cm and of
    four times what nine in ten of the following frames move; in files of 49 sources such first poses have 4.4 times and
    more, captured motion at most 3.5. Where frame 1 is far from frames 0 and 2, which are near each other, it is an
    error of the capture, and frame 0 no added pose.
    """
    if len(positions) < 12:
        return False
    steps = np.linalg.norm(np.diff(positions[:64], axis=0), axis=-1).mean(axis=1)
    usual = np.percentile(steps[5:], 90)
    if not steps[0] > max(0.03, 4.0 * usual):
        return False
    return bool(np.linalg.norm(positions[2] - positions[0], axis=-1).mean() > 0.5 * steps[0])
