"""What playing and drawing a clip needs to know of it beforehand; worked out on a worker when the clip is loaded."""

from dataclasses import dataclass, replace

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.model.body import body_of
from motiongraph.model.clip import Clip
from motiongraph.synthesis.root import path_of


@dataclass(frozen=True, eq=False)
class Prepared:
    """What is worked out once for every clip."""

    lift: float  # metres that put the soles of the drawn feet on a floor at 0
    path: np.ndarray  # (F, 4), see `synthesis.root.path_of`
    planted: np.ndarray  # (F, n) bool, whether each foot stands
    feet: np.ndarray  # (n,) int, their joints
    prints: np.ndarray  # (k, 5) x, z, foot, first frame and end of every footprint


def prepare(clip: Clip) -> Prepared:
    """Look a clip over; takes about as long as its forward kinematics."""
    # On a copy, whose cached positions go with it: drawing samples poses itself, and long clips are large.
    clip = replace(clip)
    try:
        contacts = clip.contacts()
        planted, feet = np.asarray(contacts), np.array(contacts.joints, np.int64)
    except MotionError:  # no feet to be found by name: nothing is planted
        planted, feet = np.zeros((len(clip), 0), bool), np.zeros(0, np.int64)
    return Prepared(
        lift=_sole(clip, feet) - clip.floor,
        path=path_of(clip.root, clip.fps),
        planted=planted,
        feet=feet,
        prints=_prints(clip, planted, feet),
    )


def _sole(clip: Clip, feet: np.ndarray) -> float:
    """Metres from the lowest joint of a standing foot down to the skin of the body drawn there."""
    body = body_of(clip.skeleton)
    below = set(feet.tolist()) or set(range(len(clip.skeleton)))
    radii = [end for joint, (_, end) in zip(body.joints.tolist(), body.radii) if joint in below]
    return float(min(radii, default=0.0))


def _prints(clip: Clip, planted: np.ndarray, feet: np.ndarray) -> np.ndarray:
    """(k, 5): where each foot joint stood, which it was, and from when to when."""
    rows = []
    for foot, joint in enumerate(feet):
        edges = np.flatnonzero(np.diff(planted[:, foot].astype(np.int8), prepend=0, append=0)).reshape(-1, 2)
        for start, stop in edges:
            x, _, z = clip.positions()[start:stop, joint].mean(axis=0)
            rows.append((x, z, foot, start, stop))
    return np.array(rows, np.float64).reshape(-1, 5)
