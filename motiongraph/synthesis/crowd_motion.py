"""What a crowd does, recorded: a clip for each character, with planted feet held."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.model.clip import Clip
from motiongraph.progress import Progress, stretch
from motiongraph.synthesis.footplant import cleaned
from motiongraph.synthesis.synthesize import Origin, contacts_of
from motiongraph.walks.floor_path import floor_graph
from motiongraph.walks.walk import clip_of

if TYPE_CHECKING:
    from motiongraph.graph.motion_graph import MotionGraph
    from motiongraph.synthesis.crowd import Crowd

_STAYS = 1.0  # s that are recorded after the last has arrived
_MOST = 2**31  # bytes of rotations


def recorded(crowd: Crowd, seconds: float, cleanup: bool, progress: Progress) -> list[Clip]:
    """As `Crowd.motions`."""
    graph = crowd.graph
    if not 0.0 < seconds <= 3600.0:
        raise MotionError(f"a crowd is recorded for up to an hour, not for {seconds!r} seconds")
    frames, count, joints = max(round(seconds * graph.fps), 2), len(crowd), len(graph.clips[0].skeleton)
    if frames * count * joints * 16 > _MOST:
        raise MotionError(f"{seconds:g} s of {count:,} characters need too much memory; record fewer, or less")
    root, turns = np.empty((count, frames, 3)), np.empty((count, frames, joints, 4), np.float32)
    states, spins = np.empty((count, frames, 2)), np.zeros((count, frames), bool)
    made, arrived = 0, 0
    while made < frames and arrived < _STAYS * graph.fps:
        if made % 30 == 0:
            progress(0.5 * made, frames, "walking")
        root[:, made], turns[:, made], now = crowd.poses_and_states()
        states[:, made], spins[:, made] = now[:, :2], crowd.sliding
        arrived, made = arrived + 1 if crowd.arrived.all() else 0, made + 1
        crowd.advance(1.0 / graph.fps)
    found, whole = [], stretch(progress, 0.5, 1.0)
    joints_down, contacts = contacts_of(graph.clips)
    planted = np.concatenate(contacts)
    for i in range(count):
        whole(i, count, "holding planted feet" if cleanup else "writing down")
        origin = _origin(graph, states[i, :made], planted, joints_down, spins[i, :made])
        clip = Clip(
            graph.clips[0].skeleton, root[i, :made], turns[i, :made].astype(float), graph.fps, f"crowd_{i + 1:03d}",
            origin=origin,
        )  # fmt: skip
        found.append(cleaned(clip) if cleanup else clip)
    return found


def _origin(
    graph: MotionGraph, states: np.ndarray, planted: np.ndarray, joints: tuple[int, ...], spins: np.ndarray
) -> Origin:
    """Where each frame came from; states: (F, 2) transition and frame. Feet of who turns on the spot slide."""
    ground = floor_graph(graph)
    jump, at = states[:, 0].astype(np.int64), states[:, 1]
    within = jump >= 0
    out = np.where(within, ground.floor.leave[np.maximum(jump, 0)], 0) + at
    into = np.where(within, ground.floor.arrive[np.maximum(jump, 0)] - graph.window, 0) + at
    u = np.where(within, at / graph.window, 0.0)
    frame, other = out.astype(np.int64), into.astype(np.int64)
    clip, to = clip_of(ground.starts, frame), clip_of(ground.starts, other)
    step = np.cumsum(np.diff(jump, prepend=jump[:1]) != 0)
    return Origin(
        tuple(clip.name for clip in graph.clips), clip.astype(np.int32), (frame - ground.starts[clip]).astype(np.int32),
        np.where(within, to, -1).astype(np.int32),
        np.where(within, other - ground.starts[to], -1).astype(np.int32), 2.0 * u**3 - 3.0 * u**2 + 1.0,
        step.astype(np.int32), planted[np.where(u < 0.5, frame, other)] & ~spins[:, None], joints,
        floor=graph.clips[0].floor,
    )  # fmt: skip
