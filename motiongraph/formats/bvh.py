"""BVH files as they are written: hierarchy, channels, frame time, numbers. `load.py` makes clips of them."""

import re
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from motiongraph import rotations as rot
from motiongraph.formats.channels import Channels
from motiongraph.formats.scanner import Text, decoded, quoted, read_rows

MAX_JOINTS = 10_000
_SHORTEST = 1e-9  # seconds of a frame
_NAME_END = re.compile(rb"[\r\n{}]")
_FRAMES = re.compile(rb"\s*frames\s*:\s*", re.IGNORECASE)
_FRAME_TIME = re.compile(rb"\s*frame[ \t]*time\s*:\s*", re.IGNORECASE)
_KINDS = ("position", "rotation")
_CHANNELS = {f"{a}{name}": (kind, axis) for kind, name in enumerate(_KINDS) for axis, a in enumerate("xyz")}


@dataclass(frozen=True)
class Hierarchy:
    """What a BVH says of its J joints, in its own order and units."""

    names: tuple[str, ...]  # J unique names; an end site is "<parent>_end"
    parents: np.ndarray  # (J,) int, root −1
    offsets: np.ndarray  # (J, 3) file units
    channels: tuple[tuple[tuple[int, int], ...], ...]  # (kind, axis) of each: 0 position, 1 rotation; () for end sites
    ends: np.ndarray  # (J,) bool, which joints are end sites

    def layout(self) -> Channels:
        """Which column of a frame belongs to which joint and axis."""
        joints = len(self.names)
        turns, axes, places = (np.full((joints, 3), fill, np.int64) for fill in (-1, 0, -1))
        column = 0
        for j, channels in enumerate(self.channels):
            turn = 0
            for kind, axis in channels:
                if kind:
                    turns[j, turn], axes[j, turn] = column, axis
                    turn += 1
                else:
                    places[j, axis] = column
                column += 1
        return Channels(turns, axes, places, np.tile(rot.IDENTITY, (joints, 1)))


@dataclass(frozen=True)
class Bvh:
    """One ROOT of a file, with its motion."""

    hierarchy: Hierarchy
    frame_time: str  # as written, such as ".0083333"
    values: np.ndarray  # (F, C) file units and degrees


def read_bvh(text: Text) -> list[Bvh]:
    """Parse a whole BVH file: its ROOTs, usually one. A FormatError says where and what was expected."""
    word, start, position = text.token(0)
    if word.upper() != "HIERARCHY":
        raise text.error(f"expected HIERARCHY at the start of a BVH file, found {quoted(word)}", start)
    hierarchies, position = _read_hierarchies(text, position)
    frames, frame_time, position = _read_motion_header(text, position)
    widths = [sum(map(len, hierarchy.channels)) for hierarchy in hierarchies]
    total, joints = sum(widths), sum(len(hierarchy.names) for hierarchy in hierarchies)
    if total == 0:
        raise text.error("no joint has channels, so nothing can move", position)
    values, left = read_rows(text, position, total, frames)
    found = len(values)
    if found == 0:
        raise text.error(f"no whole frame: expected {total} numbers, found {left}", len(text.data))
    if found * joints > text.most_cells:
        raise text.error(f"{found:,} frames of {joints:,} joints are too many for a file of this size", position)
    if found != frames or left:
        cut = f" and {left} of {total} numbers of one more" if left else ""
        text.warn(f"says {frames} frames but holds {found}{cut}; the {found} whole frames were loaded", position)
    parts = np.split(values, np.cumsum(widths)[:-1], axis=1)
    return [
        Bvh(hierarchy, frame_time, np.ascontiguousarray(part))
        for hierarchy, part, width in zip(hierarchies, parts, widths)
        if width
    ]


def _read_hierarchies(text: Text, position: int) -> tuple[list[Hierarchy], int]:
    """Everything up to the word MOTION: (the joints of every ROOT, where to go on).

    Nested braces are kept on a list, not on Python's stack, so that depth costs nothing.
    """
    names: list[str] = []
    parents: list[int] = []
    offsets: list[list[float] | None] = []
    channels: list[tuple[tuple[int, int], ...] | None] = []
    ends: list[bool] = []
    taken: dict[str, int] = {}
    renamed: list[tuple[str, str, int]] = []
    open_joints: list[int] = []
    roots: list[int] = []  # the joints they are
    while True:
        word, start, position = text.token(position)
        keyword = word.upper()
        if keyword in ("ROOT", "JOINT", "END") and (keyword == "ROOT") == (not open_joints):
            if keyword == "ROOT":
                roots.append(len(names))
                taken = {}
            stop = _NAME_END.search(text.data, position)
            stop = stop.start() if stop else len(text.data)
            name, position = decoded(text.data[position:stop]).strip(), stop
            if keyword == "END":
                name = names[open_joints[-1]] + "_end"
            elif not name:
                raise text.error(f"expected a name after {word}", start)
            brace, at, position = text.token(position)
            if brace != "{":
                raise text.error(f"expected '{{' after {word} {quoted(name)}, found {quoted(brace)}", at)
            if len(names) == MAX_JOINTS:
                raise text.error(f"more than {MAX_JOINTS:,} joints", start)
            names.append(_unique(name, taken, keyword == "END"))
            if names[-1] != name and keyword != "END":
                renamed.append((name, names[-1], start))
            parents.append(open_joints[-1] if open_joints else -1)
            offsets.append(None)
            channels.append(None)
            ends.append(keyword == "END")
            open_joints.append(len(names) - 1)
        elif keyword == "}" and open_joints:
            j = open_joints.pop()
            if offsets[j] is None:
                raise text.error(f"joint {quoted(names[j])} closes without an OFFSET", start)
            channels[j] = channels[j] or ()
        elif keyword == "OFFSET" and open_joints and offsets[open_joints[-1]] is None:
            offset = []
            for _ in range(3):
                value, position = text.number(position, "a number of the OFFSET")
                offset.append(value)
            offsets[open_joints[-1]] = offset
        elif keyword == "CHANNELS" and open_joints and channels[open_joints[-1]] is None and not ends[open_joints[-1]]:
            channels[open_joints[-1]], position = _read_channels(text, position)
        elif keyword == "MOTION" and names and not open_joints:
            break
        else:
            raise text.error(_expected(open_joints, names, word), start)
    if renamed:
        name, unique, start = renamed[0]
        more = f"; {len(renamed) - 1} more were renamed" if len(renamed) > 1 else ""
        text.warn(f"has two joints named {quoted(name)}; the second is called {quoted(unique)} here{more}", start)
    hierarchies = []
    for start, stop in pairwise([*roots, len(names)]):
        above = np.array(parents[start:stop], np.int64)
        above[1:] -= start
        own = tuple(each or () for each in channels[start:stop])
        places = np.array(offsets[start:stop], float).reshape(-1, 3)
        hierarchies.append(Hierarchy(tuple(names[start:stop]), above, places, own, np.array(ends[start:stop])))
    return hierarchies, position


def _expected(open_joints: list[int], names: list[str], word: str) -> str:
    if open_joints:
        inside = f"OFFSET, CHANNELS, JOINT, End Site or '}}' inside {quoted(names[open_joints[-1]])}"
    else:
        inside = "MOTION" if names else "ROOT"
    return f"expected {inside}, found {quoted(word)}"


def _unique(name: str, taken: dict[str, int], end: bool) -> str:
    """Names must tell joints apart; a second one of the same name gets a number. taken: name → numbers used up."""
    taken[name] = n = taken.get(name, 0) + 1
    if n == 1:
        return name
    joint = "" if end else "_"
    while f"{name}{joint}{n}" in taken:
        n += 1
    taken[name], taken[f"{name}{joint}{n}"] = n, 1
    return f"{name}{joint}{n}"


def _read_channels(text: Text, position: int) -> tuple[tuple[tuple[int, int], ...], int]:
    count, after = text.number(position, "the number of channels")
    if count != int(count) or not 0 <= count <= 6:
        raise text.error(f"expected 0 to 6 channels, found {count:g}", text.token(position)[1])
    channels: list[tuple[int, int]] = []
    position = after
    for _ in range(int(count)):
        word, start, position = text.token(position)
        channel = _CHANNELS.get(word.lower())
        if channel is None:
            raise text.error(f"expected a channel such as Xposition or Zrotation, found {quoted(word)}", start)
        if (channel[0] == 0 and channel in channels) or sum(kind for kind, _ in channels) + channel[0] > 3:
            raise text.error(f"expected each position once and at most three rotations, found {word} again", start)
        channels.append(channel)
    return tuple(channels), position


def _read_motion_header(text: Text, position: int) -> tuple[int, str, int]:
    """Number of frames, frame time as text, where the numbers start."""
    match = _FRAMES.match(text.data, position)
    if not match:
        word, start, _ = text.token(position)
        raise text.error(f"expected 'Frames:' after MOTION, found {quoted(word)}", start)
    frames, position = text.number(match.end(), "the number of frames")
    if frames != int(frames) or frames < 0:
        raise text.error(f"expected a whole number of frames, found {frames:g}", match.end())
    match = _FRAME_TIME.match(text.data, position)
    if not match:
        word, start, _ = text.token(position)
        raise text.error(f"expected 'Frame Time:' after the number of frames, found {quoted(word)}", start)
    word, start, position = text.token(match.end())
    seconds = text.value(word, start, "the frame time in seconds")
    if seconds < _SHORTEST:
        raise text.error(f"expected a frame time above zero, found {seconds:g}", start)
    return int(frames), word, position


def format_bvh(bvh: Bvh) -> str:
    """The text of a BVH file; numbers in their shortest exact form."""
    h = bvh.hierarchy
    lines = ["HIERARCHY"]
    depth: list[int] = []
    for j, name in enumerate(h.names):
        while depth and depth[-1] != h.parents[j]:
            depth.pop()
            lines.append("\t" * len(depth) + "}")
        tab = "\t" * len(depth)
        lines.append(f"{tab}End Site" if h.ends[j] else f"{tab}{'JOINT' if depth else 'ROOT'} {name}")
        lines += [f"{tab}{{", f"{tab}\tOFFSET {' '.join(f'{v:.12g}' for v in h.offsets[j])}"]
        if not h.ends[j]:
            words = [f"{'XYZ'[axis]}{'rotation' if kind else 'position'}" for kind, axis in h.channels[j]]
            lines.append(" ".join([f"{tab}\tCHANNELS", str(len(words)), *words]))
        depth.append(j)
    lines += ["\t" * d + "}" for d in range(len(depth) - 1, -1, -1)]
    lines += ["MOTION", f"Frames: {len(bvh.values)}", f"Frame Time: {bvh.frame_time}"]
    lines += [" ".join(map(repr, row)) for row in bvh.values.tolist()]
    return "\n".join(lines) + "\n"
