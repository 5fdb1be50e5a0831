"""A BVH reader and its kinematics, word by word and joint by joint; imports nothing of ours.

It takes well-made files only, and keeps the file's units and axes.
"""

import math
from pathlib import Path

import numpy as np
from naive.rotations import axis_matrix


def read(path):
    """joints: list of (name, parent, offset, channels); frames: list of lists of numbers; frame time in seconds."""
    words = Path(path).read_text("utf-8").split()
    joints, stack, at = [], [], words.index("ROOT")
    while words[at] != "MOTION":
        word = words[at]
        if word in ("ROOT", "JOINT"):
            joints.append((words[at + 1], stack[-1] if stack else -1, [], []))
            at += 2
        elif word == "End":
            joints.append((joints[stack[-1]][0] + "_end", stack[-1], [], []))
            at += 2
        elif word == "{":
            stack.append(len(joints) - 1)
            at += 1
        elif word == "}":
            stack.pop()
            at += 1
        elif word == "OFFSET":
            joints[stack[-1]][2].extend(float(w) for w in words[at + 1 : at + 4])
            at += 4
        elif word == "CHANNELS":
            count = int(words[at + 1])
            joints[stack[-1]][3].extend(words[at + 2 : at + 2 + count])
            at += 2 + count
        else:
            raise AssertionError(word)
    count, seconds = int(words[at + 2]), float(words[at + 5])
    numbers = [float(w) for w in words[at + 6 :]]
    width = sum(len(j[3]) for j in joints)
    assert len(numbers) == count * width
    return joints, [numbers[i * width : (i + 1) * width] for i in range(count)], seconds


def positions(joints, frame):
    """Joint name → (3,) global position for one frame's numbers, in file units."""
    places, turns, numbers = [], [], iter(frame)
    for _, parent, offset, channels in joints:
        place, turn = list(offset), np.eye(3)
        for channel in channels:
            value = next(numbers)
            if channel[1:] == "position":
                place["XYZ".index(channel[0])] = value
            else:
                turn = turn @ axis_matrix(channel[0], math.radians(value))
        if parent >= 0:
            place, turn = places[parent] + turns[parent] @ place, turns[parent] @ turn
        places.append(np.array(place, float))
        turns.append(turn)
    return {joint[0]: place for joint, place in zip(joints, places)}
