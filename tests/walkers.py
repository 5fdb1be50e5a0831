"""Clips that wander about, for tests of what compares them."""

from dataclasses import replace

import numpy as np
from bodies import smooth_clip

from motiongraph import rotations as rot


def walking(rng, skeleton, frames, at=(0.0, 0.0), **fields):
    """A swinging body that walks a winding path from `at` (x, z metres)."""
    clip = smooth_clip(rng, skeleton, frames, **fields)
    heading = rng.uniform(0, 6) + np.cumsum(rng.normal(0, 0.03, frames))
    steps = np.stack([np.sin(heading), np.zeros(frames), np.cos(heading)], axis=1) * 1.4 / clip.fps
    root = np.array([at[0], 1.0, at[1]]) + np.cumsum(steps, axis=0)
    turn = np.stack([np.cos(heading / 2), 0 * heading, np.sin(heading / 2), 0 * heading], axis=1)
    rotations = clip.rotations.copy()
    rotations[:, 0] = rot.multiply(turn, rotations[:, 0])
    return replace(clip, root=root, rotations=rotations, file_frames=None)


def joined(*clips):
    """One clip after the other, with a jump in between."""
    return replace(
        clips[0],
        root=np.concatenate([c.root for c in clips]),
        rotations=np.concatenate([c.rotations for c in clips]),
        labels=(),
        file_frames=None,
    )
