"""What a clip shows, told from the motion itself: labels for its stretches, and which clips of many cover most.

Labels are proposed as the dissertation (5.2.3) and Mao (2011, 6) wish for.

Speed, turning and posture of the smoothed root and whether feet are in the air are compared with what people of this
leg length do. Speeds are shares of √(g · leg): people pass from walking to running at about 0.7 of it, whatever their
size (Alexander 1989). Proposals may be wrong; a person accepts them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy  # whose parts are loaded when first used

from motiongraph.errors import MotionError
from motiongraph.graph.clusters import Clusters
from motiongraph.graph.floor import floor_path
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.model import sides
from motiongraph.model.clip import Clip
from motiongraph.model.labels import Labels

KINDS = ("walk", "run", "stand", "turn-left", "turn-right", "jump", "sit", "backwards", "sidestep")
_SHORTEST = 0.4  # s; shorter stretches are no motion of their own, shorter gaps do not part one
_STILL, _SLOW, _QUICK = 0.05, 0.1, 0.8  # shares of √(g · leg): stands below, travels above, runs above
_TURNS, _TURNED = np.radians(22.0), np.radians(30.0)  # a second while turning, and in all
_OFF = 0.05  # of a leg that a foot is above the height where it stands
_LEAPS, _STRIDES = 0.22, 0.34  # s in the air: a jump from standing, and one from running
_FALLS = 1.2  # s; a longer flight is none
_RISES, _HIGH = 0.06, 0.16  # of a leg that the root rises in a jump: at least, and surely
_SITS = 0.78  # of the height of the root while standing
_LEG = 0.88  # m, of a body whose legs are not known
# Speeds (share of √(g · leg)) and turns (radians a second) that count as different when clips are chosen.
_SPEEDS = np.array([_STILL, 0.2, 0.35, 0.5, _QUICK, 1.1])
_RATES = np.radians([-90.0, -45.0, -15.0, 15.0, 45.0, 90.0])
_ENOUGH = 2.0  # s of one speed and turn, after which more of it adds nothing


@dataclass(frozen=True, eq=False)
class Motion:
    """What is measured of F captured frames."""

    fps: float
    speed: np.ndarray  # (F,) of the smoothed root on the floor, share of √(g · leg)
    turn: np.ndarray  # (F,) radians a second, to the left positive
    ahead: np.ndarray  # (F,) −1 … 1: whether it travels to where it faces
    height: np.ndarray  # (F,) of the root above the floor, share of that while standing
    rise: np.ndarray  # (F,) of the root above its mean over two seconds, share of the leg
    flight: np.ndarray  # (F,) bool, both feet are in the air

    @classmethod
    def of(cls, clip: Clip) -> "Motion":
        path, face = floor_path(clip)
        path, face, fps = path[clip.first :], face[clip.first :], clip.fps
        feet = sides.feet(clip)
        leg = sides.leg_length(clip.skeleton, feet) or _LEG
        velocity = np.gradient(path, axis=0) * fps if len(path) > 1 else np.zeros_like(path)
        metres = np.hypot(velocity[:, 0], velocity[:, 1])
        heading = np.unwrap(np.arctan2(face[:, 0], face[:, 1]))
        turn = np.gradient(heading) * fps if len(path) > 1 else np.zeros(len(path))
        ahead = (velocity * face).sum(axis=1) / np.maximum(metres, 1e-6)
        root = clip.root[clip.first :, 1] - clip.floor
        mean = scipy.ndimage.uniform_filter1d(root, max(round(2.0 * fps), 1), mode="nearest")
        standing = max(float(np.percentile(root, 90)), leg)
        height = root / standing if feet else np.ones_like(root)  # without legs nobody sits
        speed = metres / np.sqrt(9.81 * leg)
        return cls(fps, speed, turn, ahead, height, (root - mean) / leg, _flight(clip, feet, leg))

    def lasting(self, mask: np.ndarray, least: float = _SHORTEST, gap: float = _SHORTEST) -> np.ndarray:
        """The mask without gaps, and then stretches, that are shorter than so many seconds."""
        for value, seconds in ((False, gap), (True, least)):
            for start, stop in _stretches(mask == value):
                inside = start > 0 and stop < len(mask)
                if stop - start < seconds * self.fps and (inside or value):
                    mask[start:stop] = not value
        return mask


def propose_labels(clip: Clip) -> Labels:
    """Labels of KINDS for the stretches of a clip, as its motion shows them; a frame may have several or none."""
    motion = Motion.of(clip)
    lasting, flight = motion.lasting, motion.flight
    jump = _jumps(motion)
    travels = (motion.speed > _SLOW) & ~jump
    # Several flights within a second are steps of a run; one is a leap.
    airy = scipy.ndimage.uniform_filter1d((flight & ~jump).astype(float), max(round(motion.fps), 1), mode="nearest")
    run = lasting(travels & ((motion.speed > _QUICK) | ((airy > 0.12) & (motion.speed > 0.5 * _QUICK))))
    sit = lasting((motion.height < _SITS) & (motion.speed < _SLOW) & ~jump, 1.0)
    along = np.where(motion.ahead < -0.6, -1, np.where(motion.ahead < 0.6, 0, 1))
    afoot = travels & ~run & ~sit
    found = {
        "walk": lasting(afoot & (along > 0)),
        "run": run,
        "stand": lasting((motion.speed < _STILL) & (np.abs(motion.turn) < _TURNS) & ~jump & ~sit),
        "turn-left": _turns(motion, 1.0),
        "turn-right": _turns(motion, -1.0),
        "jump": jump,
        "sit": sit,
        "backwards": lasting(afoot & (along < 0)),
        "sidestep": lasting(afoot & (along == 0)),
    }
    return Labels.of(
        len(clip), {k: [(a + clip.first, b + clip.first) for a, b in _stretches(mask)] for k, mask in found.items()}
    )


def named_clusters(graph: MotionGraph) -> Clusters:
    """Which clips of a graph belong together, named by their labels; by proposed ones where there are none."""
    candidates = graph.candidates
    if candidates.labelling.words or len(candidates.clusters.each) < 2:
        return candidates.clusters
    return candidates.clusters.named(candidates, [propose_labels(clip) for clip in graph.clips])


def choose_clips(clips: Sequence[Clip], count: int) -> list[int]:
    """Which `count` of the clips cover speeds and turns best, in the order they are chosen.

    Each choice adds most seconds of motion that is not there yet: a few seconds of the same speed, turn and direction
    of travel are enough. Fewer are returned where no clip adds anything.
    """
    if count < 1:
        raise MotionError(f"at least one clip must be chosen, not {count}")
    seconds = np.array([_covered(Motion.of(clip)) for clip in clips]).reshape(len(clips), -1)
    have, chosen = np.zeros(seconds.shape[1]), []
    while len(chosen) < min(count, len(clips)):
        gain = (np.minimum(have + seconds, _ENOUGH) - np.minimum(have, _ENOUGH)).sum(axis=1)
        gain[chosen] = -1.0
        best = int(np.argmax(gain))
        if gain[best] <= 0.0:
            break
        chosen.append(best)
        have += seconds[best]
    return chosen


def _covered(motion: Motion) -> np.ndarray:
    """Seconds at every speed, turn and direction of travel."""
    speed, rate = np.digitize(motion.speed, _SPEEDS), np.digitize(motion.turn, _RATES)
    along = np.where(speed == 0, 1, np.digitize(motion.ahead, [-0.6, 0.6]))
    shape = len(_SPEEDS) + 1, len(_RATES) + 1, 3
    cells = np.ravel_multi_index((speed, rate, along), shape)
    return np.bincount(cells, minlength=int(np.prod(shape))) / motion.fps


def _jumps(motion: Motion) -> np.ndarray:
    """Flights in which the root rises, longer than those of running steps; with what comes just before and after."""
    mask = np.zeros(len(motion.flight), bool)
    around = round(0.15 * motion.fps)
    for start, stop in _stretches(motion.flight):
        seconds, rise = (stop - start) / motion.fps, motion.rise[start:stop].max()
        runs = motion.speed[start:stop].mean() > 0.5 * _QUICK
        if (seconds >= (_STRIDES if runs else _LEAPS) and rise > _RISES) or (seconds >= 0.1 and rise > _HIGH):
            mask[max(start - around, 0) : stop + around] = True
    return mask


def _turns(motion: Motion, side: float) -> np.ndarray:
    """Stretches that turn to one side by enough in all."""
    mask = motion.lasting(side * motion.turn > _TURNS, 0.2)
    for start, stop in _stretches(mask):
        if abs(motion.turn[start:stop].sum()) / motion.fps < _TURNED:
            mask[start:stop] = False
    return mask


def _flight(clip: Clip, feet: list, leg: float) -> np.ndarray:
    """(F,) bool: all joints of both feet are above where they stand, and none is planted."""
    joints = sorted({j for foot in feet for j in foot})
    if not joints:
        return np.zeros(len(clip) - clip.first, bool)
    heights = clip.positions()[clip.first :, joints, 1]
    high = np.all(heights - np.percentile(heights, 10, axis=0) > _OFF * leg, axis=1)
    flight: np.ndarray = high & ~np.any(np.asarray(clip.contacts())[clip.first :], axis=1)
    for start, stop in _stretches(flight):
        if stop - start > _FALLS * clip.fps:  # nobody stays up that long: the floor is elsewhere
            flight[start:stop] = False
    return flight


def _stretches(mask: np.ndarray) -> list[tuple[int, int]]:
    """(start, stop) of every unbroken stretch."""
    edges = np.flatnonzero(np.diff(mask.astype(np.int8), prepend=0, append=0))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]
