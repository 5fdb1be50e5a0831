"""An ASF/AMC reader and its kinematics with 4×4 matrices, line by line and bone by bone; imports nothing of ours.

It takes well-made files only, and keeps the file's units and axes. A bone is parent · offset · C · T · R · C⁻¹, where
rotations are applied in the order in which they are listed; the three angles of an `axis` are those about x, y and z,
whatever the order.
"""

import math
from pathlib import Path

import numpy as np
from naive.rotations import axis_matrix


def _turns(angles, order):
    """Rotations applied one after the other: the last one listed stands leftmost."""
    m = np.eye(4)
    for angle, axis in zip(angles, order):
        step = np.eye(4)
        step[:3, :3] = axis_matrix(axis.upper(), angle)
        m = step @ m
    return m


def _shift(vector):
    m = np.eye(4)
    m[:3, 3] = vector
    return m


def read_asf(path):
    """name → dict(direction, length, axis, order, dof, parent), with "root"; units: dict."""
    bones = {"root": {"direction": [0, 0, 0], "length": 0.0, "dof": [], "parent": None}}
    units, section, bone = {"length": 1.0, "angle": "deg"}, "", None
    for line in Path(path).read_text("utf-8").splitlines():
        words = line.split("#")[0].lower().split()
        if not words:
            continue
        key, rest = words[0], words[1:]
        if key[0] == ":":
            section = key
        elif section == ":units":
            units[key] = rest[0] if key == "angle" else float(rest[0])
        elif section == ":root":
            root = bones["root"]
            if key == "order":
                root["dof"] = rest
            elif key == "axis":
                root["order"] = rest[0]
            elif key == "position":
                root["position"] = [float(w) for w in rest]
            elif key == "orientation":
                root["axis"] = [float(w) for w in rest]
        elif section == ":bonedata":
            if key == "begin":
                bone = {"dof": []}
            elif key == "end":
                bones[bone["name"]] = bone
            elif key == "name":
                bone["name"] = rest[0]
            elif key == "direction":
                bone["direction"] = [float(w) for w in rest]
            elif key == "length":
                bone["length"] = float(rest[0])
            elif key == "axis":
                bone["axis"], bone["order"] = [float(w) for w in rest[:3]], rest[3]
            elif key == "dof":
                bone["dof"] = rest
        elif section == ":hierarchy" and key not in ("begin", "end"):
            for child in rest:
                bones[child]["parent"] = key
    return bones, units


def read_amc(path):
    """A list of frames, each a dict of bone name → numbers; and the words of the header."""
    frames, header = [], []
    for line in Path(path).read_text("utf-8").splitlines():
        words = line.split("#")[0].lower().split()
        if not words:
            continue
        if words[0][0] == ":":
            header.append(words[0])
        elif len(words) == 1 and words[0].lstrip("-").isdigit():
            frames.append({})
        else:
            frames[-1][words[0]] = [float(w) for w in words[1:]]
    return frames, header


def positions(bones, units, frame, degrees=True):
    """Joint name → (3,) global position, file units; a joint is where its bone begins, "<name>_end" where it ends."""
    asf_unit = 1.0 if units["angle"].startswith("rad") else math.pi / 180
    amc_unit = math.pi / 180 if degrees else 1.0
    starts, ends, tips = {}, {}, {}

    def pose(name):
        if name in starts:
            return
        bone = bones[name]
        turns, order, shift, stretch = [], [], [0.0] * 3, 0.0
        for dof, value in zip(bone["dof"], frame.get(name, [0.0] * len(bone["dof"]))):
            if dof == "l":
                stretch = value
            elif dof[0] == "t":
                shift["xyz".index(dof[1])] = value
            else:
                turns.append(value * amc_unit)
                order.append(dof[1])
        c = _turns([bone["axis"]["xyz".index(a)] * asf_unit for a in bone["order"]], bone["order"])
        if name == "root":
            above = _shift(np.array(bone["position"]) + shift)
            shift = [0.0] * 3
        else:
            pose(bone["parent"])
            above = ends[bone["parent"]]
        start = above @ c @ _shift(shift) @ _turns(turns, order) @ np.linalg.inv(c)
        direction = np.array(bone["direction"], float)
        size = np.linalg.norm(direction)
        along = direction / size if size else direction
        starts[name], ends[name] = start, start @ _shift(along * (bone["length"] + stretch))

    for name in bones:
        pose(name)
    tips = {f"{name}_end": ends[name][:3, 3] for name in bones}
    return {name: m[:3, 3] for name, m in starts.items()} | tips
