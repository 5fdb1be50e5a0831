"""Reading text files of numbers at the speed of memory, with every complaint placed at its line and column.

The compiled scanner reads decimal numbers exactly or not at all: a mantissa below 2^53 times a power of ten up
to 10^±22 needs one correctly rounded operation (Clinger 1990), so the result is the one `float()` gives. Any
other number is left to `float()` itself. What is no number does not spoil a file: it becomes NaN, is warned of,
and takes the number of the frame before.
"""

import re
import warnings
from os import PathLike, fspath

import numpy as np

from motiongraph.errors import FormatError, FormatWarning
from motiongraph.files import read_bytes
from motiongraph.kernels import B1, F64, FAST, I64, U1, kernel, njit, read, types

# What a kernel stopped at. END: the text is over. FULL: no room left in the output. SLOW: no room left in the
# list of numbers for Python. SHORT, LONG: the row at `position` has too few or too many numbers.
END, FULL, SLOW, SHORT, LONG = range(5)
POWERS = np.array([10.0**n for n in range(23)])
_TOKEN = re.compile(rb"[\0- ]*([{}]|[^\0- {}]+)")  # what the kernels call a word, too
_WORD = re.compile(rb"[^\0- ]+")
_SOMETHING = re.compile(rb"\S")
_LINE_END = re.compile(rb"[\r\n]")
# Python's float() also takes "1_000", "nan", "infinity" and the digits of every script.
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
# How programs write what is no number: nan, -nan(ind), inf, -1.#IND, 1.#QNAN00.
_NOT_A_NUMBER = re.compile(r"[+-]?(nan(\(\w*\))?|inf(inity)?|\d\.#\w+)", re.ASCII | re.IGNORECASE)
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
_EXACT, _ZERO = _U(2**53), np.uint8(48)


@njit(inline="always", **FAST)
def scan_number(text, i, powers):
    """Read the number at byte i: (where its token stops, how it went, value). The last byte of the text is a blank.

    How it went: 0 exact, 1 a number for Python's `float`, 2 not a number.
    """
    negative = text[i] == 45  # -
    if negative or text[i] == 43:  # +
        i += _1
    start, mantissa = i, _0
    digit = np.uint8(text[i] - _ZERO)
    while digit <= 9:
        mantissa = mantissa * _10 + _U(digit)
        i += _1
        digit = np.uint8(text[i] - _ZERO)
    digits, fraction, power = i - start, _0, 0
    if text[i] == 46:  # .
        i += _1
        start = i
        digit = np.uint8(text[i] - _ZERO)
        while digit <= 9:
            mantissa = mantissa * _10 + _U(digit)
            i += _1
            digit = np.uint8(text[i] - _ZERO)
        fraction = i - start
        digits += fraction
    good = digits > _0
    if text[i] > 32:
        if good and (text[i] == 101 or text[i] == 69):  # e E
            i += _1
            down = text[i] == 45
            if down or text[i] == 43:
                i += _1
            start = i
            while 48 <= text[i] <= 57:
                power = min(power * 10 + np.int64(text[i]) - 48, 100000)
                i += _1
            good = i > start
            power = -power if down else power
        while text[i] > 32:
            good = False
            i += _1
    if not good:
        return i, 2, 0.0
    # 19 digits fit 64 bits; 2^53 and 10^22 are the last of their kind that a double holds exactly.
    scale = power - np.int64(fraction)
    if digits > _19 or mantissa > _EXACT or scale < -22 or scale > 22:
        return i, 1, 0.0
    value = np.float64(np.int64(mantissa))
    value = value / powers[_U(-scale)] if scale < 0 else value * powers[_U(scale)]
    return i, 0, -value if negative else value


@kernel(types.UniTuple(I64, 5)(read(U1), I64, I64, F64[:, ::1], B1, I64[:, ::1], read(F64)))
def scan_rows(text, position, row, out, wrapped, slow, powers):
    """Read rows of numbers into out[row:], each starting on a line of its own; wrapped: it may go on over several.

    Words for Python, numbers or not, are noted in slow as (index, start, stop). Returns (position, row, how many
    slow, what it stopped at, numbers read of the row it stopped in); position is where that row starts.
    """
    i, end = _U(position), _U(text.shape[0])
    rows, width, pending = out.shape[0], out.shape[1], 0
    while True:
        while i < end and text[i] <= 32:
            i += _1
        if i == end:
            return np.int64(i), row, pending, END, 0
        if row == rows:
            return np.int64(i), row, pending, FULL, 0
        if pending + width > slow.shape[0]:
            return np.int64(i), row, pending, SLOW, 0
        start, before = i, pending
        for column in range(width):
            while i < end and text[i] <= 32:
                if not wrapped and (text[i] == 10 or text[i] == 13):
                    return np.int64(start), row, before, SHORT, column
                i += _1
            if i == end:
                return np.int64(start), row, before, SHORT, column
            stop, kind, value = scan_number(text, i, powers)
            if kind != 0:
                slow[pending, 0], slow[pending, 1], slow[pending, 2] = row * width + column, i, stop
                pending += 1
            out[row, column] = value
            i = stop
        while i < end and text[i] <= 32 and text[i] != 10 and text[i] != 13:
            i += _1
        if i < end and text[i] > 32:
            return np.int64(start), row, before, LONG, width
        row += 1


class Text:
    """A file's bytes with its name, so that any place in it can be named to a person."""

    def __init__(self, path: str | PathLike, data: bytes | bytearray | None = None):
        self.path = fspath(path)
        data = read_bytes(self.path) if data is None else data
        data = data[3:] if data.startswith(b"\xef\xbb\xbf") else data
        # Lines of old Macs end with CR alone; a file has one kind of line end, so that places stay what they are.
        self.data = data if b"\n" in data else data.replace(b"\r", b"\n")
        if not _SOMETHING.search(self.data):
            raise FormatError(self.path, "the file is empty")
        for signature, what in _SIGNATURES.items():
            if self.data.startswith(signature):
                raise FormatError(self.path, f"this is {what}, not motion capture", 1, 1)
        zero = self.data.find(b"\0")
        if zero >= 0:
            raise self.error("a zero byte: this is not a text file", zero)
        # Kernels go on to the next blank without asking where the text ends.
        self.bytes = np.frombuffer(self.data if self.data[-1] <= 32 else self.data + b"\n", np.uint8)
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

    def warn(self, message: str, offset: int | None = None) -> None:
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

    def line_end(self, position: int) -> int:
        """Where the line of a byte ends."""
        found = _LINE_END.search(self.data, position)
        return found.start() if found else len(self.data)

    def number(self, position: int, expected: str = "a number") -> tuple[float, int]:
        """The next word as a finite number: (value, where it stops)."""
        word, start, stop = self.token(position)
        return self.value(word, start, expected), stop

    def value(self, word: str, start: int, expected: str = "a number") -> float:
        """A word that starts at byte `start` as a finite number."""
        try:
            return _finite(word, expected)
        except ValueError as problem:
            raise self.error(str(problem), start) from None


def _finite(word: str, expected: str = "a number") -> float:
    """A word as a finite number, or a ValueError that says what was expected."""
    if not _NUMBER.fullmatch(word):
        raise ValueError(f"expected {expected}, found {quoted(word)}")
    value = float(word)
    if abs(value) > LARGEST:
        raise ValueError(f"expected {expected} of at most {LARGEST:g}, found {quoted(word)}")
    return value


class Gaps:
    """What a file lacks or spoils here and there: numbers that are none, rows that are too short or too long.

    A few are warned of, and `fill` takes the numbers of the frame before; many mean that the file is another one than
    it seems, and the first of them is raised.
    """

    def __init__(self, text: "Text"):
        self.text = text
        self.first: tuple[str, int] | None = None  # message and place
        self.count = 0  # all of them
        self.faults = 0  # those that are not plainly "nan"
        self.cut = False  # whether the file ends within a number

    def add(self, message: str, place: int, frames: int, fault: bool = True) -> None:
        """Note one, met after `frames` whole frames."""
        self.first = self.first or (message, place)
        self.count += 1
        self.faults += fault
        if self.faults > 1 + frames // 20:
            raise self.text.error(*self.first)

    def read_slow(self, numbers: np.ndarray, slow: np.ndarray, frames: int) -> None:
        """Let Python read the words that the compiled scanner would not; numbers: flat; slow: (n, 3) as it noted."""
        for index, start, stop in slow.tolist():
            word = decoded(self.text.data[start:stop])
            try:
                numbers[index] = _finite(word)
            except ValueError as problem:
                numbers[index] = np.nan
                if stop == len(self.text.data) and _CUT_OFF.fullmatch(word):
                    self.cut = True
                else:
                    self.add(str(problem), start, frames, _NOT_A_NUMBER.fullmatch(word) is None)

    def fill(self, values: np.ndarray) -> None:
        """Put into every NaN of (F, C) the number of the frame before, or else of the next frame that has one."""
        if self.first is None:
            return
        message, place = self.first
        if self.faults >= len(values) or np.isnan(values).all():  # no frame is left to take them from
            raise self.text.error(message, place)
        more = f", and {self.count - 1} more like it" if self.count > 1 else ""
        self.text.warn(f"{message}{more}; the frame before was kept there", place)
        for column in np.flatnonzero(np.isnan(values.sum(axis=0))):
            known = np.flatnonzero(~np.isnan(values[:, column]))
            if len(known):
                before = np.searchsorted(known, np.arange(len(values)), side="right") - 1
                values[:, column] = values[known[np.maximum(before, 0)], column]
            else:  # "nan" all the way: a joint that was never captured
                values[:, column] = 0.0


def read_rows(text: Text, position: int, width: int, expected: int) -> tuple[np.ndarray, int]:
    """All numbers from `position` on in rows of `width`: (rows (n, width), numbers of one more row at the end).

    `expected` rows are made room for, but never more than the bytes that are left could hold.
    """
    room = min(expected, (len(text.data) - position) // (2 * width) + 1)
    out, slow, row, left = np.empty((max(room, 1), width)), np.empty((width + 4096, 3), np.int64), 0, 0
    wrapped, gaps = _is_wrapped(text, position, width), Gaps(text)
    while True:
        position, row, pending, stopped, column = scan_rows(text.bytes, position, row, out, wrapped, slow, POWERS)
        gaps.read_slow(out.reshape(-1), slow[:pending], row)
        if stopped == END:
            break
        if stopped == FULL:
            more = min(len(out) + 1024, (len(text.data) - position) // (2 * width) + 1)
            out = np.concatenate([out, np.empty((max(more, 1), width))])
        elif stopped in (SHORT, LONG):
            end = text.line_end(position)
            if stopped == SHORT and (wrapped or not text.token(end)[0]):
                left = column  # the file ends within this row
                break
            if stopped == SHORT and (after := _end_of_wrapped_row(text, position, width)):
                *_, pending, _, _ = scan_rows(
                    text.bytes[: after + 1], position, row, out[: row + 1], True, slow, POWERS
                )
                gaps.read_slow(out.reshape(-1), slow[:pending], row)
                position, row = after, row + 1
                continue
            count = len(words(text.data[position:end]))
            gaps.add(f"frame {row} should be a line of {width} numbers, found {count}", position, row)
            out[row] = np.nan
            position, row = end, row + 1
    if gaps.cut:
        row, left = row - 1, width - 1
    gaps.fill(out[:row])
    return out[:row], left


def _end_of_wrapped_row(text: Text, position: int, width: int) -> int:
    """Where a row that goes on over several lines ends; 0 where these lines do not have `width` numbers together."""
    count = 0
    while count < width:
        start = text.token(position)[1]
        position = text.line_end(start)
        found = len(words(text.data[start:position]))
        if not found:
            return 0
        count += found
    return position if count == width else 0


def _is_wrapped(text: Text, position: int, width: int) -> bool:
    """Whether rows of `width` numbers go on over several lines: none of the first few lines holds one."""
    for _ in range(4):
        start = text.token(position)[1]
        position = text.line_end(start)
        if len(words(text.data[start:position])) >= width:
            return False
    return True


def words(raw: bytes | bytearray) -> list[bytes]:
    """The words of a line, parted where the kernels part them: Python takes fewer bytes for blanks."""
    return _WORD.findall(raw)


def decoded(raw: bytes | bytearray) -> str:
    """Text in UTF-8, or else in Latin-1, which takes anything."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def quoted(word: str, longest: int = 40) -> str:
    """A word as it may stand in a message."""
    if not word:
        return "the end of the file"
    return repr(word if len(word) <= longest else word[: longest - 3] + "...")
