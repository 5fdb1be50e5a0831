"""The byte scanner: every number is float()'s to the last bit, every complaint names its line and column."""

import math
import os
import re
import struct
import warnings

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from motiongraph.errors import FormatError, FormatWarning
from motiongraph.formats.scanner import LARGEST, Text, decoded, quoted, read_rows


def rows(data, width=1, expected=1, position=0):
    """The numbers of bare bytes, in rows."""
    data = data.encode() if isinstance(data, str) else data
    return read_rows(Text("numbers.bvh", data), position, width, expected)


def bits(value):
    return struct.pack("<d", value)


DIGITS = st.text("0123456789", max_size=25)


@st.composite
def decimals(draw):
    """Numbers as people and programs write them: long or short, with zeros in front, with or without exponent."""
    whole, fraction = draw(DIGITS), draw(DIGITS)
    if not whole and not fraction:
        whole = draw(st.text("0123456789", min_size=1, max_size=40))
    dot = "." if fraction or draw(st.booleans()) else ""
    power = draw(st.one_of(st.just(""), st.integers(-400, 60).map(lambda n: f"{draw(st.sampled_from('eE'))}{n:+d}")))
    return draw(st.sampled_from(["", "-", "+"])) + whole + dot + fraction + power


@given(st.lists(decimals(), min_size=1, max_size=8))
@example(["-0"])
@example(["0.0", "-0.000", "-.0e5"])
@example([".5", "5.", "-.5e1", "+5.e-1"])
@example(["1e-310", "5e-324", "2e-324", "-1e-400"])
@example(["9007199254740991", "9007199254740992", "9007199254740993", "9007199254740993.0"])
@example(["90071992547409930000000", "1e22", "1e23", "123456789012345678e-22", "123e-22", "123e-23"])
@example(["0.1", "0.30000000000000004", "2.2250738585072011e-308", "1.7976931348623157e-300"])
@example(["18446744073709551616", "18446744073709551617", "00000000000000000000000000001", "1" * 38])
@example(["1.16413e-014", "-2.38542e-014", "7.62852e-016"])
@example(["1e5", "1E5", "1e+05", "1e0000000000000000005", "0e999999999"])
@settings(max_examples=300, deadline=None)
def test_numbers_are_those_of_float(words):
    expected = [float(w) for w in words]
    for word, value in zip(words, expected):
        if abs(value) > LARGEST:
            with pytest.raises(FormatError, match=r"at most 1e\+38"):
                Text("n", word.encode()).number(0)
            return
    got, left = rows("\n".join(words))
    assert left == 0
    assert got.shape == (len(words), 1)
    for word, value, reference in zip(words, got[:, 0], expected):
        assert bits(value) == bits(reference), word
    # the slow path, which reads headers and offsets, says the same
    for word, reference in zip(words, expected):
        assert bits(Text("n", word.encode()).number(0)[0]) == bits(reference), word


@given(st.lists(st.floats(-1e38, 1e38), min_size=1, max_size=20))
@settings(max_examples=200, deadline=None)
def test_what_python_writes_is_read_back_to_the_bit(values):
    got, _ = rows(" ".join(map(repr, values)), width=len(values))
    assert got[0].tobytes() == np.array(values).tobytes()


@pytest.mark.parametrize(
    "word",
    [
        "nan",
        "NaN",
        "inf",
        "-inf",
        "Infinity",
        "0x10",
        "1_000",
        "1,5",
        "--1",
        "+-1",
        "1e",
        "1e+",
        "e5",
        ".",
        "-",
        "+",
        "-.",
        ".e5",
        "1.2.3",
        "1e5.0",
        "1e5e5",
        "1-2",
        "abc",
        "1f",
        "1d5",
        "#IND",
        "1.#QNAN",
        "{",
        "1{",
        "1}",
        "٣",
        "1٣",
        "½",
        "1e400",
        "-1e39",
        "1000000000000000000000000000000000000000",
    ],
)
def test_what_is_no_number_is_told_and_the_frame_before_kept(word):
    with pytest.warns(FormatWarning, match=r"numbers.bvh:2:3: expected a number.* the frame before was kept") as caught:
        got, left = rows(f"1 2\n3 {word}\n5 6\n", width=2)
    assert (got.tolist(), left) == ([[1, 2], [3, 2], [5, 6]], 0)
    assert repr(word) in str(caught[0].message)
    with pytest.warns(FormatWarning, match=r"numbers.bvh:1:1: expected a number"):
        assert rows(f"{word} 2\n3 4\n", width=2)[0].tolist() == [[3, 2], [3, 4]], "or else the next"
    if not re.search("nan|inf", word, re.IGNORECASE):
        with pytest.raises(FormatError, match="expected a number"):
            rows(f"{word} 2\n", width=2)
    if word not in ("1{", "1}"):  # in a hierarchy a brace ends a number, as in `OFFSET 0 0 1}`
        with pytest.raises(FormatError) as caught:
            Text("n", f"\n\n  {word}".encode()).number(0)
        assert (caught.value.line, caught.value.column) == (3, 3)


def test_a_slow_number_is_one_word_however_odd_the_blanks():
    got, _ = rows(b"1.00000000000000000000001\x012\x1f1e-30\n", width=3)
    assert got.tolist() == [[float("1.00000000000000000000001"), 2.0, 1e-30]]


def test_a_word_of_a_million_digits_takes_no_time():
    got, _ = rows("0." + "1" * 1_000_000 + "\n" + "0" * 1_000_000 + "7")
    assert got[:, 0].tolist() == [1 / 9, 7.0]
    with pytest.raises(FormatError) as caught:
        rows("1" * 1_000_000 + "x")
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_rows_may_go_on_over_lines_but_start_on_one(newline):
    text = newline.join(["1 2 3", "4", "5\t6 ", "", "  7 8 9"])
    got, left = rows(text, width=3)
    assert got.tolist() == [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    assert left == 0
    with pytest.raises(FormatError, match="frame 0 should be a line of 3 numbers, found 4") as caught:
        rows(newline.join(["1 2 3 4", "5 6"]), width=3)
    assert (caught.value.line, caught.value.column) == (1, 1)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("wrong", ["1 2", "1 2 3 4", "1", "1 2 3 4 5 6", "END"])
@pytest.mark.parametrize("at", [0, 1, 7])
def test_a_row_that_is_too_short_or_too_long_is_blamed_on_its_own_line(newline, wrong, at):
    lines = [f"{10 * i} {10 * i + 1} {10 * i + 2}" for i in range(9)]
    lines[at] = wrong
    place = f"numbers.bvh:{at + 1}:1: frame {at} should be a line of 3 numbers, found {len(wrong.split())}"
    with pytest.warns(FormatWarning, match=place) as caught:
        got, left = rows(newline.join(lines), width=3)
    assert (len(caught), left, len(got)) == (1, 0, 9)
    for i in range(9):
        shown = i if i != at else max(at - 1, 0) or int(at == 0)
        assert got[i].tolist() == [10 * shown, 10 * shown + 1, 10 * shown + 2]


def test_many_rows_that_do_not_fit_are_another_file():
    with pytest.raises(FormatError, match=r"numbers.bvh:2:1: frame 1 should be a line of 3 numbers, found 2"):
        rows("\n".join(["1 2 3", "4 5", "7 8 9", "1 2"] * 5), width=3)
    # One in twenty may be wrong.
    lines = ["1 2 3"] * 40
    lines[20] = lines[39] = "1 2"
    with pytest.warns(FormatWarning, match=r"numbers.bvh:21:1: .*found 2; the frame before"):
        got, left = rows("\n".join(lines), width=3)
    assert (len(got), left) == (39, 2)
    lines[30] = "1 2 x"
    with pytest.warns(FormatWarning, match=r"numbers.bvh:21:1: .*found 2, and 1 more like it; the frame before"):
        assert len(rows("\n".join(lines), width=3)[0]) == 39


def test_a_column_of_nan_is_a_joint_that_was_never_captured():
    with pytest.warns(FormatWarning, match=r"numbers.bvh:1:3: expected a number, found 'nan', and 99 more like it"):
        got, _ = rows("\n".join(f"{i} nan" for i in range(100)), width=2)
    assert got.tolist() == [[i, 0] for i in range(100)]
    with pytest.raises(FormatError, match="found 'nan'"):
        rows("nan nan\nnan nan\n", width=2)


def test_a_hundred_thousand_nan_take_no_time():
    text = "\n".join("1 -nan(ind)" for _ in range(100_000))
    with pytest.warns(FormatWarning, match="99999 more like it"):
        assert len(rows(text, width=2)[0]) == 100_000


def test_numbers_left_over_are_counted():
    got, left = rows("1 2 3\n4 5", width=3)
    assert got.tolist() == [[1, 2, 3]]
    assert left == 2


@pytest.mark.parametrize("expected", [0, 1, 7, 300, 10**9, 10**18])
def test_declared_rows_are_only_a_hint(expected):
    values = np.arange(900).reshape(300, 3)
    got, left = rows("\n".join(" ".join(map(str, r)) for r in values), 3, expected)
    assert np.array_equal(got, values)
    assert left == 0


def test_more_slow_numbers_than_the_list_holds():
    words = [f"{i}.12345678901234567890" for i in range(10_000)]
    got, _ = rows("\n".join(words), expected=3)
    assert got[:, 0].tolist() == [float(w) for w in words]


def test_places_count_lines_and_letters_from_one():
    text = Text("x", "aä bc\n  dé f\n".encode())
    assert text.place(0) == (1, 1)
    assert text.place(text.data.index(b"b")) == (1, 4)
    assert text.place(text.data.index(b"f")) == (2, 6)
    assert Text("x", b"a\r\nb c").place(5) == (2, 3)
    assert Text("x", b"a\rb c").place(4) == (2, 3)


def test_byte_order_mark_is_no_letter():
    assert Text("x", b"\xef\xbb\xbfabc").token(0) == ("abc", 0, 3)


@pytest.mark.parametrize("data", [b"", b"  \r\n\t\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf \n"])
def test_nothing_is_called_empty(data):
    with pytest.raises(FormatError, match="x: the file is empty"):
        Text("x", data)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0", "a PNG picture"),
        (b"\xff\xd8\xff\xe0", "a JPEG"),
        (b"PK\x03\x04", "zip"),
        (b"glTF\x02", "a GLB"),
        (b"HIERARCHY\nRO\0OT", "a zero byte"),
        ("HIERARCHY".encode("utf-16-be"), "a zero byte"),
        (b"\0" * 100, "a zero byte"),
    ],
)
def test_other_kinds_of_file_are_told_apart(data, says):
    with pytest.raises(FormatError, match=says) as caught:
        Text("x", data)
    assert caught.value.line is not None


def test_unreadable_paths(tmp_path):
    cases = {
        tmp_path / "none.bvh": "cannot be read: No such file or directory",
        tmp_path: "cannot be read: Is a directory",
        "a\0b.bvh": "cannot be read: embedded null byte",
        "a" * 300: "cannot be read: File name too long",
        "/dev/zero": "is a pipe or a device",
    }
    os.mkfifo(tmp_path / "pipe.bvh")
    cases[tmp_path / "pipe.bvh"] = "is a pipe or a device"
    for path, says in cases.items():
        with pytest.raises(FormatError, match=re.escape(says)):
            Text(path)


def test_warnings_are_said_once_with_their_place():
    text = Text("odd.bvh", b"one\n two")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        text.warn("this is odd", 5)
        text.warn("this is odd", 1)
        text.warn("and this")
    assert [str(w.message) for w in caught] == ["odd.bvh:2:2: this is odd", "odd.bvh: and this"]
    assert all(w.category is FormatWarning for w in caught)
    assert text.warned == ["this is odd", "and this"]


def test_words_of_any_encoding_and_length_fit_a_message():
    assert decoded("Hüfte".encode()) == decoded("Hüfte".encode("latin-1")) == "Hüfte"
    assert quoted("") == "the end of the file"
    assert quoted("a\nb") == r"'a\nb'"
    assert len(quoted("x" * 1000)) == 42


def test_every_value_is_finite_and_small_enough_to_square():
    assert math.isfinite(LARGEST**2 * 1e6)
    assert rows("1e38")[0][0, 0] == 1e38
