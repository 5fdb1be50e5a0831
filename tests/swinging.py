"""A state with clips that swing forth and back, for tests of the graph in hand."""

from dataclasses import replace

import numpy as np
from bodies import person, smooth_clip

from motiongraph import rotations as rot
from motiongraph.app.library.entries import prepare
from motiongraph.app.state import AppState
from motiongraph.app.update import update, warm_up
from motiongraph.viewer.camera import Camera


def three_clips():
    """Three clips, 60 frames a second, of which two are ticked."""
    state = AppState(inline=True, camera=Camera())
    warm_up(state)
    for seed, name in enumerate(("one", "two", "three")):
        put(state, swinging(seed), name, used=name != "three")
    return state


def swinging(seed, frames=300, fps=60.0):
    """Forth and back through the same second of motion, never quite alike: transitions at all costs."""
    base = smooth_clip(np.random.default_rng(7), person(), frames=60, fps=60.0)
    time, rng = np.arange(frames), np.random.default_rng(seed)
    at = np.abs((time + rng.integers(118)) % 118 - 59)
    sway = 0.5 * np.sin(2 * np.pi * time / rng.uniform(70, 130) + rng.uniform(0, 6))
    rotations = base.rotations[at]
    half = 0.5 * sway
    turn = np.stack([np.cos(half), np.sin(half), 0 * half, 0 * half], axis=1)
    for joint in range(1, len(base.skeleton), 2):
        rotations[:, joint] = rot.multiply(rotations[:, joint], turn)
    return replace(base, root=base.root[at], rotations=rotations, fps=fps, labels=())


def put(state, clip, name, used=True):
    clip = replace(clip, name=name)
    return state.library.add(clip, prepare(clip), used=used)


def tell(state, *commands):
    for command in commands:
        state.issue(command)
        update(state, 0.0)


def said(state, level="info"):
    return [m.text for m in state.messages if m.level == level]


def numbers(state):
    return {entry.name: entry.number for entry in state.library}
