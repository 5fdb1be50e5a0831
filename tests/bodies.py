"""Skeletons and clips made up for tests."""

import numpy as np

from motiongraph.model.clip import Clip
from motiongraph.model.skeleton import Skeleton


def random_skeleton(rng, joints=12):
    """Any tree at all, with bones of 0 to 40 cm."""
    parents = [-1, *(int(rng.integers(j)) for j in range(1, joints))]
    offsets = rng.normal(0.0, 0.2, (joints, 3))
    offsets[rng.random(joints) < 0.2] = 0.0
    offsets[0] = 0.0
    return Skeleton([f"joint{j}" for j in range(joints)], parents, offsets)


def random_quaternions(rng, *shape):
    q = rng.normal(size=(*shape, 4))
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def random_clip(rng, skeleton, frames=20, **fields):
    """Every frame another pose: nothing about it is smooth."""
    rotations = random_quaternions(rng, frames, len(skeleton))
    return Clip(skeleton, rng.normal(size=(frames, 3)), rotations, **fields)


def smooth_clip(rng, skeleton, frames=240, fps=120.0, **fields):
    """Joints and root swing slowly, as bodies do."""
    time = np.arange(frames)[:, None] / fps
    angles = np.sin(2 * np.pi * time * rng.uniform(0.3, 1.0, len(skeleton)) + rng.uniform(0, 6, len(skeleton)))
    axes = rng.normal(size=(len(skeleton), 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    half = 0.4 * angles[..., None]
    rotations = np.concatenate([np.cos(half), np.sin(half) * axes], axis=-1)
    root = np.concatenate([np.sin(time), 1.0 + 0.05 * np.sin(9 * time), 1.3 * time], axis=1)
    return Clip(skeleton, root, rotations, fps, **fields)


# name, parent, offset of the left or middle joint; L and R are filled in from a style's two words
_PERSON = [
    ("{}hip", "root", (0.0, 0.0, 0.0)),
    ("{}thigh", "{}hip", (0.09, -0.08, 0.01)),
    ("{}shin", "{}thigh", (0.05, -0.42, 0.0)),
    ("{}foot", "{}shin", (0.04, -0.40, -0.02)),
    ("{}toe", "{}foot", (0.01, -0.06, 0.13)),
    ("{}toe_end", "{}toe", (0.0, -0.01, 0.06)),
    ("lowerback", "root", (0.0, 0.0, 0.0)),
    ("thorax", "lowerback", (0.0, 0.25, -0.02)),
    ("lowerneck", "thorax", (0.0, 0.25, 0.01)),
    ("head", "lowerneck", (0.0, 0.12, 0.02)),
    ("head_end", "head", (0.0, 0.15, 0.0)),
    ("{}arm", "thorax", (0.18, 0.22, 0.0)),
    ("{}forearm", "{}arm", (0.28, 0.0, 0.0)),
    ("{}hand", "{}forearm", (0.25, 0.0, 0.02)),
    ("{}hand_end", "{}hand", (0.15, 0.0, 0.0)),
]


def person(left="l", right="r", uneven=0.0, rng=None):
    """A person of 1.75 m in a T-pose facing z, 26 joints; `uneven` metres of noise spoil its symmetry."""
    names, parents, offsets = ["root"], [-1], [np.zeros(3)]
    for side, sign in ((left, 1.0), (right, -1.0)):
        for name, parent, offset in _PERSON:
            if "{}" not in name and side == right:
                continue
            names.append(name.format(side))
            parents.append(parent.format(side))
            offsets.append(np.array(offset) * ([sign, 1.0, 1.0] if "{}" in name else 1.0))
    # The arms hang on the thorax, which is listed with the left side: parents still come first.
    parents = [-1, *(names.index(p) for p in parents[1:])]
    offsets = np.array(offsets)
    if uneven:
        offsets[1:] += rng.normal(0.0, uneven, offsets[1:].shape) * (np.linalg.norm(offsets[1:], axis=1) > 0)[:, None]
    return Skeleton(names, parents, offsets)
