"""The poses of a crowd: captured frames, blended in transitions, of all characters in one compiled call."""

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from motiongraph.elementary import sincos
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.kernels import F64, FAST, I32, kernel, njit, read
from motiongraph.synthesis.turning import pivots
from motiongraph.walks.courses import GROUND, Ground, blend, frames_of, gone, read_state, spun, where, write_state
from motiongraph.walks.floor_path import FLOOR

_known: WeakKeyDictionary[MotionGraph, tuple[Any, Ground, np.ndarray]] = WeakKeyDictionary()


def ground_of(graph: MotionGraph) -> tuple[Ground, np.ndarray]:
    """What courses need of a graph, and the rotations (F, J, 4) of all its clips; put together once."""
    found = _known.get(graph)
    if found is None or found[0] is not graph.candidates:
        # All clips stand on one floor, that of the first.
        up = [clip.root + np.array([0.0, graph.clips[0].floor - clip.floor, 0.0]) for clip in graph.clips]
        root, about = np.concatenate(up), np.concatenate([pivots(clip) for clip in graph.clips])
        turns = np.concatenate([clip.rotations for clip in graph.clips])
        for array in (root, about, turns):
            array.flags.writeable = False
        found = _known[graph] = graph.candidates, Ground(root, about, float(graph.fps), graph.window), turns
    return found[1], found[2]


@njit(**FAST)
def _mixed(a, b, t, out):
    """Unit quaternion between two (4,) near each other, into out (4,)."""
    dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    near, far = 1.0 - t, t if dot >= 0.0 else -t
    size = 0.0
    for n in range(4):
        out[n] = near * a[n] + far * b[n]
        size += out[n] * out[n]
    size = 1.0 / np.sqrt(size)
    for n in range(4):
        out[n] *= size


@njit(**FAST)
def _about_y(c, s, q):
    """Turn a quaternion (4,) by the angle whose cosine and sine are c, s, about y."""
    half_c = np.sqrt(max(0.5 * (1.0 + c), 0.0))
    half_s = np.sqrt(max(0.5 * (1.0 - c), 0.0))
    if s < 0.0:
        half_s = -half_s
    a, b, d, e = q[0], q[1], q[2], q[3]
    q[0], q[1] = half_c * a - half_s * d, half_c * b + half_s * e
    q[2], q[3] = half_c * d + half_s * a, half_c * e - half_s * b


@kernel(
    (
        FLOOR, GROUND, read(F64, 3), read(I32, 2), read(F64, 2), read(F64, 2), read(F64, 2), F64[:, ::1],
        F64[:, :, ::1], F64[:, ::1],
    )
)  # fmt: skip
def pose_all(floor, ground, turns, plans, states, moves, rests, out_root, out_turns, out_states):
    """Fill out_root (N, 3) and out_turns (N, J, 4) with N characters, moves (N, 3) frames, radians about the standing
    foot and about the root from their states (N, STATE); out_states (N, STATE): where that is.

    turns: (F, J, 4) of all clips. rests: (N, 2) share of a pose of rest in each, and the frame of that. Between two
    frames and in transitions quaternions are mixed straight, which for poses so near each other is as good as along
    the arc.
    """
    joints, one, two = turns.shape[1], np.empty(4), np.empty(4)
    for i in range(states.shape[0]):
        state = gone(floor, ground, plans[i], read_state(states, i), moves[i, 0], moves[i, 1])
        state = spun(floor, ground, state, moves[i, 2])
        write_state(out_states, i, state)
        _, jump, at, c, s, _, _ = state
        out_root[i, 0], out_root[i, 2] = where(floor, ground.root, ground.window, state, 0, 2, True)
        share = blend(jump, at, ground.window)
        out, into = frames_of(floor, ground.window, jump, at)
        f, g = int(out), int(into)
        u, v = out - f, into - g
        f2, g2 = min(f + 1, turns.shape[0] - 1), min(g + 1, turns.shape[0] - 1)
        height = ground.root[f, 1] + u * (ground.root[f2, 1] - ground.root[f, 1])
        if jump >= 0:
            other = ground.root[g, 1] + v * (ground.root[g2, 1] - ground.root[g, 1])
            height = share * height + (1.0 - share) * other
            js, jc = sincos(floor.jump[jump, 0])
        out_root[i, 1] = height
        for j in range(joints):
            _mixed(turns[f, j], turns[f2, j], u, one)
            if jump >= 0:
                _mixed(turns[g, j], turns[g2, j], v, two)
                if j == 0:
                    _about_y(jc, js, two)
                _mixed(one, two, 1.0 - share, out_turns[i, j])
            else:
                out_turns[i, j] = one
        _about_y(c, s, out_turns[i, 0])
        if rests[i, 0] > 0.0:  # who waits stands, where it is and facing as it does
            share, f = rests[i, 0], int(rests[i, 1])
            u, g = rests[i, 1] - f, min(f + 1, turns.shape[0] - 1)
            fx, fz = where(floor, floor.face, ground.window, state, 0, 1, False)
            ux, uz = floor.face[f, 0], floor.face[f, 1]
            size = np.sqrt((fx * fx + fz * fz) * (ux * ux + uz * uz))
            c, s = (ux * fx + uz * fz) / size, (uz * fx - ux * fz) / size
            height = ground.root[f, 1] + u * (ground.root[g, 1] - ground.root[f, 1])
            out_root[i, 1] += share * (height - out_root[i, 1])
            for j in range(joints):
                _mixed(turns[f, j], turns[g, j], u, one)
                if j == 0:
                    _about_y(c, s, one)
                two[:] = out_turns[i, j]
                _mixed(two, one, share, out_turns[i, j])
