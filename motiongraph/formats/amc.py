"""AMC motion as it is written: for every frame a number, then a line for each bone that moves."""

import re
from dataclasses import dataclass, replace

import numpy as np

from motiongraph.errors import FormatError, SkeletonError
from motiongraph.formats.asf import Asf
from motiongraph.formats.scanner import (
    END,
    FULL,
    LONG,
    POWERS,
    SHORT,
    SLOW,
    Gaps,
    Text,
    decoded,
    quoted,
    scan_number,
    words,
)
from motiongraph.kernels import F64, FAST, I64, U1, kernel, njit, read, types

# What the kernel may stop at, besides what the scanner's may.
_UNKNOWN, _TWICE, _LOST, _NO_NUMBER = range(10, 14)
_RATE = re.compile(rb"^(?::SAMPLES-PER-SECOND|#\s*frame rate:?)\s+(\d+(?:\.\d*)?)(?:\s|$)", re.IGNORECASE)
_FASTEST = 1e9  # frames a second
_FRAME_NUMBER = re.compile(rb"^[ \t]*-?\d+[ \t]*\r?$", re.MULTILINE)
_BONE_LINE = re.compile(rb"^[ \t]*([^\s#:0-9-]\S*)([^#\r\n]*)", re.MULTILINE)
# Degrees of freedom of a bone that has numbers in the motion but none in the skeleton.
_UNSAID = {3: ("rx", "ry", "rz"), 6: ("tx", "ty", "tz", "rx", "ry", "rz")}
_U = np.uint64  # as in the scanner: indices that cannot be negative are read faster
_0, _1 = _U(0), _U(1)


@dataclass(frozen=True)
class Amc:
    """The numbers of an AMC and how they were written."""

    values: np.ndarray  # (F, C), columns as `Asf.channels` has them
    number: int  # of the first frame
    degrees: bool  # or radians
    order: tuple[int, ...]  # the bones in the order of the file
    rate: float | None = None  # frames a second, where the file says so


@njit(**FAST)
def _compare(text, start, length, names, at, size):
    """Whether a word of the file, in lower case, comes before (−1), is (0) or comes after (1) a name."""
    for k in range(min(length, size)):
        letter, other = np.int64(text[start + _U(k)]), np.int64(names[at + k])
        if 65 <= letter <= 90:
            letter += 32
        if letter != other:
            return -1 if letter < other else 1
    return 0 if length == size else -1 if length < size else 1


@kernel(
    types.UniTuple(I64, 4)(
        read(U1), I64, I64, F64[:, ::1], I64[::1], I64[::1], read(U1), read(I64, 2), I64[:, ::1], read(F64)
    )
)
def _scan_frames(text, position, frame, values, numbers, found, names, bones, slow, powers):
    """Read frames from `position` on, going on after frame − 1.

    names: all bone names in lower case, one after the other; bones: (n, 5) where each name starts, its length,
    its first column, how many columns it has; and the bones sorted by name. found: (frames,) how many bones that can
    move each frame has. Returns (position, frame, slow words, what it stopped at).
    """
    i, end = _U(position), _U(text.shape[0])
    count, width = bones.shape[0], values.shape[1]
    met = np.full(count, -1, np.int64)  # the frame in which a bone was last met
    after = np.zeros(count + 1, np.int64)  # the bone that followed each, last time: tried first
    last, pending, current = count, 0, frame - 1
    while True:
        while i < end and text[i] <= 32:
            i += _1
        if i == end:
            return np.int64(i), current + 1, pending, END
        c = text[i]
        if c == 35 or c == 58:  # a comment, or a stray key word
            while i < end and text[i] != 10 and text[i] != 13:
                i += _1
            continue
        if 48 <= c <= 57 or c == 45:
            if current + 1 == values.shape[0]:
                return np.int64(i), current + 1, pending, FULL
            if pending + width > slow.shape[0]:
                return np.int64(i), current + 1, pending, SLOW
            stop, kind, value = scan_number(text, i, powers)
            if kind != 0 or value != np.floor(value) or abs(value) > 1e15:
                return np.int64(i), current + 1, pending, _NO_NUMBER
            current += 1
            numbers[current], found[current] = np.int64(value), 0
            i, last = stop, count
            continue
        stop = i
        while stop < end and text[stop] > 32:
            stop += _1
        length, bone = np.int64(stop - i), after[last]
        if _compare(text, i, length, names, bones[bone, 0], bones[bone, 1]) != 0:
            low, high = 0, count  # a binary search among the sorted names
            while low < high:
                middle = (low + high) >> 1
                bone = bones[middle, 4]
                side = _compare(text, i, length, names, bones[bone, 0], bones[bone, 1])
                if side == 0:
                    break
                if side < 0:
                    high = middle
                else:
                    low = middle + 1
            else:
                return np.int64(i), current + 1, pending, _UNKNOWN
        if current < 0:
            return np.int64(i), 0, pending, _LOST
        if met[bone] == current:
            return np.int64(i), current + 1, pending, _TWICE
        met[bone] = current
        after[last] = last = bone
        line, before = i, pending
        i = stop
        if bones[bone, 3] == 0:  # it cannot move, whatever the line says
            while i < end and text[i] != 10 and text[i] != 13:
                i += _1
            continue
        found[current] += 1
        for column in range(bones[bone, 2], bones[bone, 2] + bones[bone, 3]):
            while i < end and text[i] <= 32 and text[i] != 10 and text[i] != 13:
                i += _1
            if i == end or text[i] <= 32:
                return np.int64(line), current + 1, before, SHORT
            stop, kind, value = scan_number(text, i, powers)
            if kind != 0:
                slow[pending, 0], slow[pending, 1], slow[pending, 2] = current * width + column, i, stop
                pending += 1
            values[current, column] = value
            i = stop
        while i < end and text[i] <= 32 and text[i] != 10 and text[i] != 13:
            i += _1
        if i < end and text[i] > 32 and text[i] != 35:
            return np.int64(line), current + 1, before, LONG


def read_amc(text: Text, asf: Asf, skeleton_path: str) -> tuple[Amc, Asf]:
    """Parse a whole AMC file whose bones are those of `asf`, or raise a FormatError that says where.

    Also the skeleton: `asf`, with degrees of freedom for bones that it gives none and that have numbers all the same.
    """
    degrees, rate, position = _read_header(text)
    asf, order, length = _as_in_the_first_frame(text, asf, position)
    counts = np.array([len(d) for d in asf.dofs])
    width, most = int(counts.sum()), max(text.most_cells // max(int(counts.sum()), len(counts)), 1)
    if width == 0:
        raise text.error(f"no bone of {skeleton_path} has degrees of freedom, so nothing can move", position)
    if all(map(str.isascii, asf.names)):
        names, letters, bones = asf.plain_table
    else:
        names, letters, bones = asf.table([_as_written(name, text) for name in asf.names])
    room = min((len(text.data) - position) // length + 2, most)
    values, numbers, found = np.zeros((room, width)), np.zeros(room, np.int64), np.zeros(room, np.int64)
    slow, frame, cut, gaps = np.empty((width + 4096, 3), np.int64), 0, False, Gaps(text)
    while True:
        position, frame, pending, stopped = _scan_frames(
            text.bytes, position, frame, values, numbers, found, letters, bones, slow, POWERS
        )
        gaps.read_slow(values.reshape(-1), slow[:pending], frame)
        if stopped == END:
            break
        if stopped == FULL:
            if frame >= most:
                raise text.error(f"more than {most:,} frames of {len(counts):,} bones in a file of this size", position)
            values = np.concatenate([values, np.zeros_like(values)])
            numbers, found = (np.concatenate([x, np.zeros_like(x)]) for x in (numbers, found))
        elif stopped in (SHORT, LONG):
            line_end = text.line_end(position)
            cut = stopped == SHORT and not text.token(line_end)[0]
            if cut:
                break
            name, *numbers_there = words(text.data[position:line_end])
            count = next((k for k, word in enumerate(numbers_there) if word[:1] == b"#"), len(numbers_there))
            bone = names.index(bytes(name.lower()))
            dof = f"{len(asf.dofs[bone])} numbers ({' '.join(asf.dofs[bone])})"
            who = f"bone {quoted(asf.names[bone])} in frame {numbers[frame - 1]}"
            gaps.add(f"expected {dof} for {who}, found {count}", position, frame)
            values[frame - 1, bones[bone, 2] : bones[bone, 2] + bones[bone, 3]] = np.nan
            position = line_end
        elif stopped == _NO_NUMBER:
            word, start, stop = text.token(position)
            gaps.add(f"expected the number of a frame, found {quoted(word)}", start, frame)
            numbers[frame] = numbers[frame - 1] + 1 if frame else 1
            position, frame = stop, frame + 1
        elif stopped != SLOW:
            raise _complaint(text, position, stopped, skeleton_path)
    frame = _without_cut_frame(text, numbers, found, frame, cut or gaps.cut)
    gaps.fill(values[:frame])
    _check_frames(text, numbers[:frame], found[:frame], int((counts > 0).sum()))
    return Amc(values[:frame], int(numbers[0]), degrees, order, rate), asf


def first_frame(text: Text) -> dict[str, int]:
    """Bone, in lower case → how many numbers it has, of the first frame, in the order of the file."""
    return _first_frame(text, _read_header(text)[2])[0]


def _first_frame(text: Text, position: int) -> tuple[dict[str, int], int]:
    """The same, and roughly how many bytes a frame has: up to the second line that is nothing but a number."""
    start = _FRAME_NUMBER.search(text.data, position)
    stop = _FRAME_NUMBER.search(text.data, start.end()) if start else None
    end = stop.start() if stop else len(text.data)
    bones: dict[str, int] = {}
    for line in _BONE_LINE.finditer(text.data, position, end):
        name = decoded(line[1]).lower()
        if name in bones:
            break
        bones[name] = len(line[2].split())
    return bones, max(end - (start.start() if start and stop else position), 8)


def _as_in_the_first_frame(text: Text, asf: Asf, position: int) -> tuple[Asf, tuple[int, ...], int]:
    """The skeleton with the degrees of freedom that only the motion tells, its bones in the order of the file, and
    roughly how many bytes a frame has."""
    dofs, order = list(asf.dofs), []
    found, length = _first_frame(text, position)
    for name, count in found.items():
        bone = asf.bones.get(name)
        if bone is None:
            break
        order.append(bone)
        if count and not dofs[bone]:
            dofs[bone] = _UNSAID.get(count, ())
            meant = f"were taken as {' '.join(dofs[bone])}" if dofs[bone] else "were left out"
            text.warn(f"bone {quoted(name)} has no degrees of freedom in its skeleton; its {count} numbers {meant}")
    if tuple(dofs) != asf.dofs:
        asf = replace(asf, dofs=tuple(dofs))
    listed = set(order)
    return asf, (*order, *(bone for bone, dof in enumerate(dofs) if dof and bone not in listed)), length


def _as_written(name: str, text: Text) -> bytes:
    """A bone's name in the letters of this file, which need not be those of the ASF."""
    raw = name.encode()
    return raw if name.isascii() or raw in text.data else name.encode("latin-1", "replace")


def _without_cut_frame(text: Text, numbers: np.ndarray, found: np.ndarray, frames: int, cut: bool) -> int:
    """How many frames are whole: the last is not where the file ends within it."""
    cut = cut or (frames > 1 and found[frames - 1] < found[frames - 2] and not _ends_with_last_bone(text))
    if not cut or frames == 0:
        return frames
    if frames == 1:
        raise text.error("the file ends within its first frame", len(text.data))
    text.warn(f"the file ends within frame {numbers[frames - 1]}, which was left out", len(text.data))
    return frames - 1


def _ends_with_last_bone(text: Text) -> bool:
    """Whether the last line is of the bone that comes last in the first frame."""
    lines = _BONE_LINE.findall(text.data, max(text.data.rstrip().rfind(b"\n"), 0))
    bones = list(first_frame(text))
    return bool(lines and bones) and decoded(lines[-1][0]).lower() == bones[-1]


def _check_frames(text: Text, numbers: np.ndarray, found: np.ndarray, moving: int) -> None:
    """moving: how many bones can move."""
    if len(numbers) == 0:
        raise text.error("no frames", len(text.data))
    if (found == 0).any():
        empty = int(np.argmin(found))
        places = [m.start() for m, _ in zip(_FRAME_NUMBER.finditer(text.data), range(empty + 1))]
        place = places[empty] if len(places) > empty else len(text.data)
        raise text.error(f"frame {numbers[empty]} has no bones", place)
    if (np.diff(numbers) != 1).any():
        odd = int(np.argmax(np.diff(numbers) != 1))
        text.warn(f"frame {numbers[odd + 1]} follows frame {numbers[odd]}; frames were taken as they stand")
    if (found < moving).any():
        first = int(np.argmax(found < moving))
        text.warn(f"frame {numbers[first]} has {found[first]} of {moving} bones; missing ones keep the rest pose")


def _read_header(text: Text) -> tuple[bool, float | None, int]:
    """Comments and key words before the first frame: (degrees, rate, where the frames start)."""
    degrees, rate, position = True, None, 0
    while position < len(text.data):
        stop = text.data.find(b"\n", position)
        stop = len(text.data) if stop < 0 else stop
        line = text.data[position:stop].strip()
        if line and not line.startswith((b"#", b":")):
            break
        if line.upper().startswith(b":RADIANS"):
            degrees = False
        match = _RATE.match(line)
        if match and 0 < float(match[1]) < _FASTEST:
            rate = float(match[1])
        position = stop + 1
    return degrees, rate, min(position, len(text.data))


def _complaint(text: Text, position: int, stopped: int, skeleton_path: str) -> FormatError:
    word, start, _ = text.token(position)
    if stopped == _UNKNOWN:
        return SkeletonError(
            text.path, f"bone {quoted(word)} is not in the skeleton {skeleton_path}", *text.place(start)
        )
    if stopped == _LOST:
        return text.error(f"expected a frame number before the first bone, found {quoted(word)}", start)
    return text.error(f"bone {quoted(word)} is there twice in one frame", start)


def format_amc(amc: Amc, asf: Asf, fps: float) -> str:
    """The text of an AMC file; numbers in their shortest exact form, the rate in a comment unless it is CMU's."""
    lines = [] if fps == 120.0 else [f"# frame rate: {fps!r}"]
    lines += [":FULLY-SPECIFIED", ":DEGREES" if amc.degrees else ":RADIANS"]
    starts = np.cumsum([0, *(len(d) for d in asf.dofs)]).tolist()
    parts = [(f"{asf.names[b]} ", starts[b], starts[b + 1]) for b in amc.order if asf.dofs[b]]
    for number, row in enumerate(amc.values.tolist(), start=amc.number):
        words = [repr(v) for v in row]
        lines.append(str(number))
        lines += [name + " ".join(words[a:b]) for name, a, b in parts]
    return "\n".join(lines) + "\n"
