"""AMC motion as it is written: for every frame a number, then a line for each bone that moves."""

import re
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numba import njit, types

from motiongraph.formats.asf import Asf
from motiongraph.formats.scanner import _BYTES, _DOUBLES, _POWERS, END, FULL, Text, decoded, quoted, scan_number

# What the kernel may stop at, besides END and FULL of the scanner.
_BAD, _UNKNOWN, _FEW, _MANY, _TWICE, _LOST, _SLOW = range(10, 17)
_RATE = re.compile(rb"^(?::SAMPLES-PER-SECOND|#\s*frame rate:?)\s+(\d+(?:\.\d*)?)(?:\s|$)", re.IGNORECASE)
_FASTEST = 1e9  # frames a second
_FRAME_NUMBER = re.compile(rb"^[ \t]*-?\d+[ \t]*\r?$", re.MULTILINE)


@dataclass(frozen=True)
class Amc:
    """values: (F, C) columns as `Asf.channels` has them; number: of the first frame; degrees: or radians;
    order: the bones in the order of the file; rate: frames a second where the file says so, else None."""

    values: np.ndarray
    number: int
    degrees: bool
    order: tuple[int, ...]
    rate: float | None = None


@njit(
    types.UniTuple(types.int64, 4)(
        _BYTES,
        types.int64,
        types.int64,
        types.float64[:, ::1],
        types.int64[::1],
        types.int64[::1],
        _BYTES,
        types.Array(types.int64, 2, "C", readonly=True),
        types.int64[:, ::1],
        _DOUBLES,
    ),
    cache=True,
    nogil=True,
    error_model="numpy",
)
def _scan_frames(text, position, frame, values, numbers, found, names, bones, slow, powers):
    """Read frames from `position` on, going on after frame − 1.

    names: all bone names in lower case, one after the other; bones: (n, 4) where each name starts, its length,
    its first column, how many columns it has. found: (frames,) how many bones that can move each frame has.
    Returns (position, frame, slow numbers, what it stopped at).
    """
    end = text.shape[0]
    met = np.full(bones.shape[0], -1, np.int64)  # the frame in which a bone was last met
    after = np.zeros(bones.shape[0] + 1, np.int64)  # the bone that followed each, last time: tried first
    last, pending, current = bones.shape[0], 0, frame - 1
    while True:
        while position < end and text[position] <= 32:
            position += 1
        if position == end:
            return position, current + 1, pending, END
        c = text[position]
        if c == 35 or c == 58:  # a comment, or a stray key word
            while position < end and text[position] != 10 and text[position] != 13:
                position += 1
            continue
        if 48 <= c <= 57 or c == 45:
            if current + 1 == values.shape[0]:
                return position, current + 1, pending, FULL
            after_number, kind, value = scan_number(text, np.uint64(position), powers)
            if kind != 0 or value != np.floor(value) or abs(value) > 1e15:
                return position, current + 1, pending, _BAD
            if pending + values.shape[1] > slow.shape[0]:
                return position, current + 1, pending, _SLOW
            current += 1
            numbers[current] = np.int64(value)
            found[current] = 0
            position, last = np.int64(after_number), bones.shape[0]
            continue
        stop = position
        while stop < end and text[stop] > 32:
            stop += 1
        bone = after[last]
        for attempt in range(bones.shape[0] + 1):
            if bones[bone, 1] == stop - position:
                k = 0
                while k < stop - position:
                    letter = text[position + k]
                    if 65 <= letter <= 90:
                        letter += 32
                    if letter != names[bones[bone, 0] + k]:
                        break
                    k += 1
                if k == stop - position:
                    break
            bone = attempt
        else:
            return position, current + 1, pending, _UNKNOWN
        if current < 0:
            return position, 0, pending, _LOST
        if met[bone] == current:
            return position, current + 1, pending, _TWICE
        met[bone] = current
        found[current] += bones[bone, 3] > 0
        after[last] = bone
        last = bone
        position = stop
        for k in range(bones[bone, 3]):
            while position < end and text[position] <= 32 and text[position] != 10 and text[position] != 13:
                position += 1
            if position == end or text[position] == 10 or text[position] == 13:
                return position, current + 1, pending, _FEW
            after_number, kind, value = scan_number(text, np.uint64(position), powers)
            if kind == 2:
                return position, current + 1, pending, _BAD
            if kind == 1:
                slow[pending, 0] = current * values.shape[1] + bones[bone, 2] + k
                slow[pending, 1], slow[pending, 2] = position, after_number
                pending += 1
            values[current, bones[bone, 2] + k] = value
            position = np.int64(after_number)
        while position < end and text[position] <= 32 and text[position] != 10 and text[position] != 13:
            position += 1
        if position < end and text[position] > 32 and text[position] != 35:
            return position, current + 1, pending, _MANY


def read_amc(text: Text, asf: Asf, skeleton_path: str) -> Amc:
    """Parse a whole AMC file whose bones are those of `asf`, or raise a FormatError that says where."""
    degrees, rate, position = _read_header(text)
    names = [_as_written(n, text).lower() for n in asf.names]
    counts = np.array([len(d) for d in asf.dofs])
    bones = np.zeros((len(names), 4), np.int64)
    bones[:, 1] = [len(n) for n in names]
    bones[1:, 0] = np.cumsum(bones[:-1, 1])
    bones[1:, 2] = np.cumsum(counts[:-1])
    bones[:, 3] = counts
    letters = np.frombuffer(b"".join(names), np.uint8)
    width = int(counts.sum())
    if width == 0:
        raise text.error(f"no bone of {skeleton_path} has degrees of freedom, so nothing can move", position)

    most = max(text.most_cells // max(width, len(names)), 1)
    room = min((len(text.data) - position) // _first_frame_bytes(text, position) + 2, most)
    values, numbers, found = np.zeros((room, width)), np.zeros(room, np.int64), np.zeros(room, np.int64)
    slow, frame = np.empty((width + 4096, 3), np.int64), 0
    while True:
        position, frame, pending, stopped = _scan_frames(
            text.bytes, position, frame, values, numbers, found, letters, bones, slow, _POWERS
        )
        text.exactly(values.reshape(-1), slow[:pending])
        if stopped == END:
            break
        if stopped == FULL:
            if frame >= most:
                raise text.error(f"more than {most:,} frames of {len(names):,} bones in a file of this size", position)
            values = np.concatenate([values, np.zeros_like(values)])
            numbers, found = (np.concatenate([x, np.zeros_like(x)]) for x in (numbers, found))
        elif stopped != _SLOW:
            raise _complaint(text, position, stopped, asf, skeleton_path)
    return _checked(text, asf, values[:frame], numbers[:frame], found[:frame], degrees, rate, counts)


def _as_written(name: str, text: Text) -> bytes:
    """A bone's name in the letters of this file, which need not be those of the ASF."""
    raw = name.encode()
    return raw if name.isascii() or raw in text.data else name.encode("latin-1", "replace")


def _first_frame_bytes(text, position):
    """Roughly how long a frame is: up to the second line that is nothing but a number."""
    starts = [m.start() for m, _ in zip(_FRAME_NUMBER.finditer(text.data, position), range(2))]
    return max(starts[1] - starts[0] if len(starts) > 1 else len(text.data) - position, 8)


def _checked(text, asf, values, numbers, found, degrees, rate, counts) -> Amc:
    if len(values) == 0:
        raise text.error("no frames", len(text.data))
    if (found == 0).any():
        empty = int(np.argmin(found))
        starts = (m.start() for m in _FRAME_NUMBER.finditer(text.data))
        place = next(islice(starts, empty, None), len(text.data))
        raise text.error(f"frame {numbers[empty]} has no bones", place)
    if len(numbers) > 1 and (np.diff(numbers) != 1).any():
        odd = int(np.argmax(np.diff(numbers) != 1))
        text.warn(f"frame {numbers[odd + 1]} follows frame {numbers[odd]}; frames were taken as they stand")
    moving = int((counts > 0).sum())
    if (found < moving).any():
        first = int(np.argmax(found < moving))
        text.warn(f"frame {numbers[first]} has {found[first]} of {moving} bones; missing ones keep the rest pose")
    order = _file_order(text, asf)
    return Amc(values, int(numbers[0]), degrees, order, rate)


def _file_order(text, asf):
    """The bones in the order of the first frame, then those it does not have."""
    index = {n.lower(): i for i, n in enumerate(asf.names)}
    order: dict[int, None] = {}
    for match in re.finditer(rb"^[ \t]*([^\s#:0-9-]\S*)", text.data, re.MULTILINE):
        bone = index.get(decoded(match[1]).lower())
        if bone is None or bone in order:
            break
        order[bone] = None
    return (*order, *(b for b, dof in enumerate(asf.dofs) if dof and b not in order))


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


def _complaint(text, position, stopped, asf, skeleton_path):
    word, start, _ = text.token(position)
    if stopped == _UNKNOWN:
        return text.error(f"bone {quoted(word)} is not in the skeleton {skeleton_path}", start)
    if stopped == _LOST:
        return text.error(f"expected a frame number before the first bone, found {quoted(word)}", start)
    if stopped == _TWICE:
        return text.error(f"bone {quoted(word)} is there twice in one frame", start)
    line = decoded(text.data[text.data.rfind(b"\n", 0, position) + 1 : position]).split()
    index = {n.lower(): i for i, n in enumerate(asf.names)}
    dof = asf.dofs[index[line[0].lower()]] if line and line[0].lower() in index else ()
    wanted = (
        f"expected {len(dof)} numbers ({' '.join(dof)}) for bone {quoted(line[0])}"
        if line
        else "expected a frame number"
    )
    if stopped == _FEW:
        return text.error(f"{wanted}, found {len(line) - 1}", position)
    if stopped == _MANY:
        return text.error(f"{wanted}, found more: {quoted(word)}", start)
    return text.error(f"expected a number, found {quoted(word)}", start)


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
