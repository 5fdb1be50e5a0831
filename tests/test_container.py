"""Files of our own from strangers: whatever the head says, with right checksums, is checked before it is believed."""

import json
import os
import zlib

import numpy as np
import pytest

from motiongraph.errors import FormatError
from motiongraph.formats.container import _FIXED, Kind, read_container, write_container

KIND = Kind(b"TESTED", 1, "a test", ".test")


def crafted(path, head, body=b""):
    """A file with this head (bytes, or what JSON can hold) and right checksums."""
    text = head if isinstance(head, bytes) else json.dumps(head).encode()
    path.write_bytes(KIND.magic + _FIXED.pack(1, len(text), zlib.crc32(text)) + text + body)
    return path


def test_arrays_and_names_come_back(tmp_path):
    name = os.fsdecode(b"caf\xe9.bvh")  # not UTF-8
    arrays = {"a": np.arange(6.0).reshape(2, 3), "none": np.zeros((0, 4), np.float32), "flags": np.array([True, False])}
    record = np.array([(1, 2.5)], [("n", "<i4"), ("x", "<f8")])
    write_container(tmp_path / "x.test", KIND, {"name": name}, arrays | {"record": record})
    head, back = read_container(tmp_path / "x.test", KIND)
    assert head["name"] == name
    for key, array in (arrays | {"record": record}).items():
        assert np.array_equal(back[key], array)
        assert not back[key].flags.writeable


BODY = np.arange(8.0).tobytes()
CHECK = zlib.crc32(BODY)


@pytest.mark.parametrize(
    "head",
    [
        b"[" * 100_000,
        b"not json",
        b"\xff\xfe",
        [],
        {},
        {"bytes": "64", "arrays": []},
        {"bytes": -1, "arrays": []},
        {"bytes": True, "arrays": []},
        {"bytes": 64, "arrays": {}},
        {"bytes": 64, "arrays": [1]},
        {"bytes": 64, "arrays": [["a", "<f8", [8], 0]]},
        {"bytes": 64, "arrays": [["a", "|O", [8], 0, CHECK]]},
        {"bytes": 64, "arrays": [["a", "f8", [8], 0, CHECK]]},
        {"bytes": 64, "arrays": [["a", "<f8", "8", 0, CHECK]]},
        {"bytes": 64, "arrays": [["a", "<f8", [8.0], 0, CHECK]]},
        {"bytes": 64, "arrays": [["a", "<f8", [-8], 0, CHECK]]},
        {"bytes": 64, "arrays": [["a", "<f8", [2**62, 4], 0, CHECK]]},
        {"bytes": 64, "arrays": [["a", "<f8", [0, 2**62], 0, 0]]},
        {"bytes": 64, "arrays": [["a", "<f8", [8], 64, CHECK]]},
        {"bytes": 64, "arrays": [["a", "<f8", [8], 8, CHECK]]},
        {"bytes": 64, "arrays": [["a", "<f8", [8], 0, CHECK], ["a", "<f8", [8], 0, CHECK]]},
        {"bytes": 64, "arrays": [["a", [["x", "<f8"], ["x", "<f8"]], [4], 0, CHECK]]},
        {"bytes": 64, "arrays": [["a", [["x", "<f8", [2]]], [4], 0, CHECK]]},
        {"bytes": 64, "arrays": [["a", [["", "<f8"]], [8], 0, CHECK]]},
        {"bytes": 64, "arrays": [["a", "<f8", [8], 0, CHECK + 1]]},
        {"bytes": 2**40, "arrays": []},
    ],
)
def test_crafted_heads_are_refused_in_one_sentence(tmp_path, head):
    with pytest.raises(FormatError) as caught:
        read_container(crafted(tmp_path / "x.test", head, BODY), KIND)
    assert str(caught.value).startswith(str(tmp_path / "x.test"))
    assert "\n" not in str(caught.value)


def test_a_head_longer_than_the_file_allocates_nothing(tmp_path):
    path = tmp_path / "x.test"
    path.write_bytes(KIND.magic + _FIXED.pack(1, 2**60, 0) + b"{}")
    with pytest.raises(FormatError, match="cut short"):
        read_container(path, KIND)


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "x.test")
    with pytest.raises(FormatError, match="pipe"):
        read_container(tmp_path / "x.test", KIND)
