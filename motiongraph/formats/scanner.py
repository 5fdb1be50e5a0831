"""Reading text files of numbers at the speed of memory, with every complaint placed at its line and column.

The compiled scanner reads decimal numbers exactly or not at all: a mantissa below 2^53 times a power of ten up
to 10^±22 needs one correctly rounded operation (Clinger 1990), so the result is the one `float()` gives. Any
other number is left to `float()` itself.
"""

import os
import re
import stat
import warnings
from os import PathLike, fspath

import numpy as np
from numba import njit, types

from motiongraph.errors import FormatError, FormatWarning

# What a kernel stopped at. END: the text is over. FULL: no room left in the output. SLOW: no room left in the
# list of numbers for Python. BAD: the token at `position` is no number. LONG: a frame did not end with its line.
END, FULL, SLOW, BAD, LONG = range(5)
_POWERS = np.array([10.0**n for n in range(23)])
_BYTES = types.Array(types.uint8, 1, "C", readonly=True)
_DOUBLES = types.Array(types.float64, 1, "C", readonly=True)
_WORD = re.compile(rb"[^\0- ]*")
_TOKEN = re.compile(rb"[\0- ]*([{}]|[^\0- {}]+)")  # what the kernels call a word, too
# Python's float() also takes "1_000", "nan", "infinity" and the digits of every script.
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_CUT_OFF = re.compile(r"[+-]?\d*(\.\d*)?(e[+-]?)?", re.ASCII | re.IGNORECASE)  # where a file may be cut off
# No coordinate is that large (single precision ends there), and what is smaller can be squared and summed. The
# compiled scanner leaves everything above 2^53·10^22 to Python, so the bound is looked at in one place only.
LARGEST = 1e38
_CELLS = 5_000_000
_SIGNATURES = {b"\x89PNG": "a PNG picture", b"\xff\xd8\xff": "a JPEG picture", b"GIF8": "a GIF picture"}
_SIGNATURES |= {b"PK\x03\x04": "a zip archive", b"\x1f\x8b": "a gzip archive", b"%PDF": "a PDF", b"glTF": "a GLB"}


# Positions are unsigned in the kernels: numba then need not ask of every byte whether its index is negative, which
# is two thirds of the time. Mixed with signed numbers they would turn into floats, hence the named constants.
_U = np.uint64
_0, _1, _10, _19 = _U(0), _U(1), _U(10), _U(19)
_EXACT = _U(2**53)


@njit(inline="always", error_model="numpy")
def scan_number(text, i, powers):
    """Read the number at byte i: (where its token stops, how it went, value).

    How it went: 0 exact, 1 a number for Python's `float`, 2 not a number.
    """
    end = _U(text.shape[0])
    negative = text[i] == 45  # -
    if negative or text[i] == 43:  # +
        i += _1
    start = i
    mantissa = _0
    while i < end:
        digit = np.uint8(text[i] - np.uint8(48))
        if digit > 9:
            break
        mantissa = mantissa * _10 + _U(digit)
        i += _1
    digits, fraction, power = i - start, _0, 0
    if i < end and text[i] == 46:  # .
        i += _1
        start = i
        while i < end:
            digit = np.uint8(text[i] - np.uint8(48))
            if digit > 9:
                break
            mantissa = mantissa * _10 + _U(digit)
            i += _1
        fraction = i - start
        digits += fraction
    good = digits > _0
    if i < end and text[i] > 32:
        if good and (text[i] == 101 or text[i] == 69):  # e E
            i += _1
            down = i < end and text[i] == 45
            if down or (i < end and text[i] == 43):
                i += _1
            start = i
            while i < end and 48 <= text[i] <= 57:
                power = min(power * 10 + np.int64(text[i]) - 48, 100000)
                i += _1
            good = i > start
            power = -power if down else power
        while i < end and text[i] > 32:
            good = False
            i += _1
    if not good:
        return i, 2, 0.0
    # 19 digits fit 64 bits; 2^53 and 10^22 are the last of their kind that a double holds exactly.
    scale = power - np.int64(fraction)
    if digits > _19 or mantissa > _EXACT or scale < -22 or scale > 22:
        return i, 1, 0.0
    value = np.float64(mantissa)
    value = value / powers[_U(-scale)] if scale < 0 else value * powers[_U(scale)]
    return i, 0, -value if negative else value


@njit(
    types.UniTuple(types.int64, 4)(
        _BYTES, types.int64, types.int64, types.float64[::1], types.int64, types.int64[:, ::1], _DOUBLES
    ),
    cache=True,
    nogil=True,
    error_model="numpy",
)
def scan_rows(text, position, count, out, width, slow, powers):
    """Read numbers into out[count:], rows of `width`, each row starting on a line of its own.

    A row may go on over several lines. Numbers for Python's `float` are noted in slow as (index, start, stop).
    Returns (position, count, how many slow, what it stopped at).
    """
    i, end, n, room = _U(position), _U(text.shape[0]), _U(count), _U(out.shape[0])
    column, last = _U(count % width), _U(width - 1)
    fresh = True
    pending = 0
    while True:
        while i < end and text[i] <= 32:
            fresh |= (text[i] == 10) | (text[i] == 13)
            i += _1
        if i == end:
            return np.int64(i), np.int64(n), pending, END
        if column == _0 and not fresh:
            return np.int64(i), np.int64(n), pending, LONG
        if n == room:
            return np.int64(i), np.int64(n), pending, FULL
        stop, kind, value = scan_number(text, i, powers)
        if kind != 0:
            if kind == 2:
                return np.int64(i), np.int64(n), pending, BAD
            if pending == slow.shape[0]:
                return np.int64(i), np.int64(n), pending, SLOW
            slow[pending, 0], slow[pending, 1], slow[pending, 2] = n, i, stop
            pending += 1
        out[n] = value
        n += _1
        column = _0 if column == last else column + _1
        fresh = False
        i = stop


class Text:
    """A file's bytes with its name, so that any place in it can be named to a person."""

    def __init__(self, path: str | PathLike, data: bytes | None = None):
        self.path = fspath(path)
        data = _read(self.path) if data is None else data
        data = data[3:] if data.startswith(b"\xef\xbb\xbf") else data
        # Lines of old Macs end with CR alone; a file has one kind of line end, so that places stay what they are.
        self.data = data if b"\n" in data else data.replace(b"\r", b"\n")
        if not self.data.strip():
            raise FormatError(self.path, "the file is empty")
        for signature, what in _SIGNATURES.items():
            if self.data.startswith(signature):
                raise FormatError(self.path, f"this is {what}, not motion capture", 1, 1)
        zero = self.data.find(b"\0")
        if zero >= 0:
            raise self.error("a zero byte: this is not a text file", zero)
        self.bytes = np.frombuffer(self.data, np.uint8)
        self.warned: list[str] = []

    @property
    def most_cells(self) -> int:
        """How many joints of frames a file may mean: joints that never move cost it no bytes, but memory here."""
        return max(len(self.data), _CELLS)

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column, from 1 and in letters, of a byte offset."""
        start = self.data.rfind(b"\n", 0, offset) + 1
        return self.data.count(b"\n", 0, offset) + 1, len(decoded(self.data[start:offset])) + 1

    def error(self, message: str, offset: int) -> FormatError:
        return FormatError(self.path, message, *self.place(offset))

    def warn(self, message: str, offset: int | None = None):
        """Say once that something was odd and what was done about it."""
        if message not in self.warned:
            self.warned.append(message)
            place = "" if offset is None else ":{}:{}".format(*self.place(offset))
            warnings.warn(f"{self.path}{place}: {message}", FormatWarning, stacklevel=2)

    def token(self, position: int) -> tuple[str, int, int]:
        """The next word or brace: (text, where it starts, where it stops); "" at the end of the file."""
        match = _TOKEN.match(self.data, position)
        if not match:
            return "", len(self.data), len(self.data)
        return decoded(match[1]), match.start(1), match.end(1)

    def word(self, position: int) -> str:
        """Everything from a byte on up to the next blank, braces too: what a kernel takes for one number."""
        return decoded(_WORD.match(self.data, position)[0])

    def number(self, position: int, expected: str = "a number") -> tuple[float, int]:
        """The next word as a finite number: (value, where it stops)."""
        word, start, stop = self.token(position)
        return self.value(word, start, expected), stop

    def value(self, word: str, start: int, expected: str = "a number") -> float:
        """A word that starts at byte `start` as a finite number."""
        if not _NUMBER.fullmatch(word):
            raise self.error(f"expected {expected}, found {quoted(word)}", start)
        value = float(word)
        if abs(value) > LARGEST:
            raise self.error(f"expected {expected} of at most {LARGEST:g}, found {quoted(word)}", start)
        return value

    def exactly(self, numbers: np.ndarray, slow: np.ndarray):
        """Let Python read the numbers that the compiled scanner would not; numbers: flat, slow: (n, 3)."""
        for index, start, stop in slow.tolist():
            numbers[index] = self.value(decoded(self.data[start:stop]), start)


def read_rows(text: Text, position: int, width: int, expected: int) -> tuple[np.ndarray, int]:
    """All numbers from `position` on in rows of `width`: (rows (n, width), numbers left over at the end).

    `expected` rows are made room for, but never more than the bytes that are left could hold.
    """
    room = min(expected * width, (len(text.data) - position) // 2 + 1)
    out, slow, count = np.empty(max(room, width)), np.empty((4096, 3), np.int64), 0
    while True:
        position, count, pending, stopped = scan_rows(text.bytes, position, count, out, width, slow, _POWERS)
        text.exactly(out, slow[:pending])
        if stopped == END:
            return out[: count // width * width].reshape(-1, width), count % width
        if stopped == FULL:
            more = min(len(out) + width * 1024, (len(text.data) - position) // 2 + 1)
            out = np.concatenate([out[:count], np.empty(max(more, width))])
        elif stopped == BAD:
            word = text.word(position)
            if position + len(word) < len(text.data) or not _CUT_OFF.fullmatch(word):
                raise text.error(f"expected a number, found {quoted(word)}", position)
            return out[: count // width * width].reshape(-1, width), count % width + 1
        elif stopped == LONG:
            row = count // width
            raise text.error(f"frame {row - 1} does not end here: expected a new line after {width} numbers", position)


def _read(path: str) -> bytes:
    try:
        # Not to wait for a pipe that nobody writes to, nor to read a device that never ends.
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | getattr(os, "O_NONBLOCK", 0))) as file:
            regular = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            data = file.read() if regular else b""
    except (OSError, ValueError) as problem:
        raise unreadable(path, problem) from problem
    if not regular:
        raise FormatError(path, "is a pipe or a device; expected a file")
    return data


def unreadable(path: str | PathLike, problem: Exception) -> FormatError:
    """For what the file system says of a path, or Python of its letters."""
    return FormatError(path, f"cannot be read: {getattr(problem, 'strerror', None) or problem}")


def decoded(raw: bytes) -> str:
    """Text in UTF-8, or else in Latin-1, which takes anything."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def quoted(word: str) -> str:
    """A word as it may stand in a message."""
    if not word:
        return "the end of the file"
    return repr(word if len(word) <= 40 else word[:37] + "...")
