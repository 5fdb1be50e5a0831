"""The pose of one character at a moment, with 4×4 matrices and one case after the other; imports nothing of ours."""

import math

import numpy as np
from naive.rotations import slerp

CAPTURED, IN_PLACE, STRAIGHT, FIXED = 0, 1, 2, 3
LOOP, PING_PONG, ONCE = 0, 1, 2


def frame_at(elapsed, start, stop, fps, loop):
    """The frame, between start and stop − 1, that is shown after `elapsed` seconds."""
    last, ahead = stop - 1 - start, elapsed * fps
    if loop == LOOP:
        while ahead >= last + 1:
            ahead -= last + 1
        while ahead < 0:
            ahead += last + 1
        ahead = min(ahead, last)  # the last frame stands until the first comes again
    elif loop == PING_PONG:
        lap = math.floor(ahead / last) if last else 0
        ahead = ahead - lap * last if lap % 2 == 0 else (lap + 1) * last - ahead
    return start + min(max(ahead, 0.0), last)


def _mixed(values, frame):
    """The value at a frame between two, on the straight line."""
    low = min(math.floor(frame), len(values) - 1)
    high = min(low + 1, len(values) - 1)
    return values[low] + (frame - low) * (values[high] - values[low])


def about_y(theta):
    c, s = math.cos(theta), math.sin(theta)
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])


def pose(parents, offsets, root, rotations, path, frame, root_frame, start, stop, laps, mode, direction, placed, lift):
    """(J, 3) positions and (J, 3, 3) orientations; path (F, 4): x, z, metres gone and heading of the way."""
    frames, joints = rotations.shape[:2]
    if mode == FIXED:
        root_frame = start
    local = np.empty((joints, 3, 3))
    for j in range(joints):
        at = root_frame if j == 0 else frame
        low = min(math.floor(at), frames - 1)
        local[j] = slerp(rotations[low, j], rotations[min(low + 1, frames - 1), j], at - low)
    here = np.array(_mixed(root, root_frame), float)
    straighten = 0.0
    if mode == IN_PLACE:
        here[0], here[2] = root[start, 0], root[start, 2]
    if mode == STRAIGHT:
        x, z, gone, heading = _mixed(path, root_frame)
        straighten = direction - heading
        ahead = gone - path[start, 2] + laps * (path[stop - 1, 2] - path[start, 2])
        aside = about_y(straighten) @ [here[0] - x, 0.0, here[2] - z]
        here[0] = path[start, 0] + ahead * math.sin(direction) + aside[0]
        here[2] = path[start, 1] + ahead * math.cos(direction) + aside[2]
    slid = offsets if offsets.ndim == 2 else _mixed(offsets, frame)
    theta, x, z = placed
    positions, orientations = np.empty((joints, 3)), np.empty((joints, 3, 3))
    positions[0] = about_y(theta) @ here + [x, lift, z]
    orientations[0] = about_y(theta) @ about_y(straighten) @ local[0]
    for j in range(1, joints):
        positions[j] = positions[parents[j]] + orientations[parents[j]] @ slid[j]
        orientations[j] = orientations[parents[j]] @ local[j]
    return positions, orientations
