"""Reading ASF files, with every complaint placed at its line and column."""

import re
from itertools import islice
from typing import Any

import numpy as np

from motiongraph.errors import FormatError
from motiongraph.formats.asf import Asf
from motiongraph.formats.scanner import LARGEST, Text, decoded, quoted

MAX_BONES = 10_000
_WORD = re.compile(rb"#[^\r\n]*|[()]|[^\s()#]+")
_BEGIN = re.compile(rb"\bbegin\b", re.IGNORECASE)
_DOF = ("tx", "ty", "tz", "rx", "ry", "rz", "l")
_FIELDS = ("id", "name", "direction", "length", "axis", "dof", "limits", "bodymass", "cofmass")


class _Words:
    """The words of an ASF, comments left out, each with its place in the file."""

    def __init__(self, text: Text):
        self.text, self.at = text, 0
        self.words: list[str] = []
        self.places: list[int] = []
        for match in _WORD.finditer(text.data):
            if match[0][0] != 35:  # a comment
                self.words.append(decoded(match[0]))
                self.places.append(match.start())

    def peek(self) -> str:
        return self.words[self.at] if self.at < len(self.words) else ""

    def next(self) -> str:
        word = self.peek()
        self.at += 1
        return word

    def error(self, message: str, back: int = 0) -> FormatError:
        """A complaint about the next word, or about one `back` before it."""
        at = self.at - back
        return self.text.error(message, self.places[at] if at < len(self.places) else len(self.text.data))

    def number(self, what: str) -> float:
        place = self.places[self.at] if self.at < len(self.places) else len(self.text.data)
        value = self.text.value(self.peek(), place, what)
        self.at += 1
        return value

    def vector(self, what: str) -> list[float]:
        return [self.number(what) for _ in range(3)]

    def opens_line(self) -> bool:
        """Whether the next word is the first of its line; documentation may have a colon anywhere else."""
        return self.text.data.find(b"\n", self.places[self.at - 1], self.places[self.at]) >= 0

    def line(self) -> list[str]:
        """The words left on the line of the next word."""
        start = self.at
        stop = self.text.line_end(self.places[start])
        while self.at < len(self.words) and self.places[self.at] < stop:
            self.at += 1
        return self.words[start : self.at]


def read_asf(text: Text) -> Asf:
    """Parse a whole ASF file, or raise a FormatError that says where and what was expected."""
    # One for every bone, and one for the hierarchy: known before a file of a million bones takes memory.
    if excess := next(islice(_BEGIN.finditer(text.data), MAX_BONES + 1, None), None):
        raise text.error(f"more than {MAX_BONES:,} bones", excess.start())
    words = _Words(text)
    if not words.peek().startswith(":"):
        raise words.error(
            f"expected a section such as :version at the start of an ASF file, found {quoted(words.peek())}"
        )
    units: dict[str, Any] = {"mass": 1.0, "length": 1.0, "angle": "deg"}
    root: dict[str, Any] = {
        "order": ("tx", "ty", "tz", "rx", "ry", "rz"),
        "axis": "XYZ",
        "position": [0.0] * 3,
        "orientation": [0.0] * 3,
    }
    bones: list[dict[str, Any]] | None = None
    parents: dict[str, str] | None = None
    while words.peek():
        section = words.next().lower()
        if section == ":units":
            _read_units(words, units)
        elif section == ":root":
            _read_root(words, root)
        elif section == ":bonedata":
            bones = bones or []
            _read_bones(words, bones)
        elif section == ":hierarchy":
            parents = _read_hierarchy(words, {b["name"] for b in bones or ()})
        else:
            while words.peek() and not (words.peek().startswith(":") and words.opens_line()):
                words.next()
    if bones is None:
        raise words.error("expected a :bonedata section")
    if parents is None:
        raise words.error("expected a :hierarchy section")
    return _assembled(words, units, root, bones, parents)


def _read_units(words: _Words, units: dict[str, Any]) -> None:
    while words.peek() and not words.peek().startswith(":"):
        key = words.next().lower()
        if key == "angle":
            units["angle"] = words.next().lower()
            if units["angle"][:3] not in ("deg", "rad"):
                raise words.error(f"expected angle deg or rad, found {quoted(units['angle'])}", back=1)
        else:
            value = words.number(f"the unit of {key[:40]}")
            if key == "length" and value < 1 / LARGEST:
                raise words.error(f"expected a unit of length above zero, found {value:g}", back=1)
            units[key] = value


def _read_root(words: _Words, root: dict[str, Any]) -> None:
    while words.peek() and not words.peek().startswith(":"):
        key = words.next().lower()
        if key == "order":
            root["order"] = _read_dof(words)
        elif key == "axis":
            root["axis"] = _read_order(words)
        elif key in ("position", "orientation"):
            root[key] = words.vector(f"a number of the root's {key}")
        else:
            raise words.error(f"expected order, axis, position or orientation, found {quoted(key)}", back=1)


def _read_order(words: _Words) -> str:
    order = words.next().upper()
    if sorted(order) != ["X", "Y", "Z"]:
        raise words.error(f"expected an order of axes such as XYZ, found {quoted(order)}", back=1)
    return order


def _read_dof(words: _Words) -> tuple[str, ...]:
    dof: list[str] = []
    while words.peek().lower() in _DOF:
        word = words.next().lower()
        if word in dof:
            raise words.error(f"degree of freedom {word} is listed twice", back=1)
        dof.append(word)
    return tuple(dof)


def _read_bones(words: _Words, bones: list[dict[str, Any]]) -> None:
    names: set[str] = {"root"}
    while words.peek() and not words.peek().startswith(":"):
        if words.next().lower() != "begin":
            raise words.error("expected 'begin' of a bone", back=1)
        bone = _read_bone(words)
        if bone["name"].lower() in names:
            raise words.error(f"bone {quoted(bone['name'])} is there twice", back=1)
        if len(bones) == MAX_BONES:
            raise words.error(f"more than {MAX_BONES:,} bones")
        names.add(bone["name"].lower())
        bones.append(bone)


def _read_bone(words: _Words) -> dict[str, Any]:
    bone: dict[str, Any] = {
        "name": "",
        "direction": [0.0] * 3,
        "length": 0.0,
        "axis": [0.0] * 3,
        "order": "XYZ",
        "dof": (),
        "limits": (),
    }
    while (key := words.next().lower()) != "end":
        if key == "name":
            bone["name"] = words.next()
        elif key == "direction":
            bone["direction"] = words.vector("a number of the direction")
        elif key == "length":
            bone["length"] = words.number("the length")
        elif key == "axis":
            bone["axis"] = words.vector("a number of the axis")
            bone["order"] = _read_order(words) if words.peek().upper().strip("XYZ") == "" and words.peek() else "XYZ"
        elif key == "dof":
            bone["dof"] = _read_dof(words)
        elif key == "limits":
            bone["limits"] = _read_limits(words)
        elif key in _FIELDS:
            while words.peek() and words.peek().lower() not in (*_FIELDS, "end"):
                words.next()
        else:
            found = quoted(key)
            raise words.error(f"expected a field of a bone ({', '.join(_FIELDS)}) or 'end', found {found}", back=1)
    if not bone["name"]:
        raise words.error("this bone has no name", back=1)
    return bone


def _read_limits(words: _Words) -> tuple[tuple[float, float], ...]:
    limits = []
    while words.peek() == "(":
        words.next()
        pair = []
        for _ in range(2):
            if words.peek().lower().strip("+-") in ("inf", "infinity"):
                pair.append(float(words.next()))
            else:
                pair.append(words.number("a limit"))
        limits.append((pair[0], pair[1]))
        if words.next() != ")":
            raise words.error("expected ')' after two limits", back=1)
    return tuple(limits)


def _read_hierarchy(words: _Words, names: set[str]) -> dict[str, str]:
    known = {n.lower(): n for n in names} | {"root": "root"}
    parents: dict[str, str] = {}
    if words.next().lower() != "begin":
        raise words.error("expected 'begin' of the hierarchy", back=1)
    while words.peek().lower() != "end":
        if not words.peek():
            raise words.error("the hierarchy has no 'end'")
        line = words.line()
        for i, word in enumerate(line):
            if word.lower() not in known:
                raise words.error(f"the hierarchy names a bone {quoted(word)} that is not in :bonedata", len(line) - i)
        parent = known[line[0].lower()]
        for i, child in enumerate((known[w.lower()] for w in line[1:]), start=1):
            if child in parents or child in ("root", parent):
                raise words.error(f"bone {quoted(child)} has two parents or is its own", back=len(line) - i)
            parents[child] = parent
    words.next()
    return parents


def _assembled(
    words: _Words,
    units: dict[str, Any],
    root: dict[str, Any],
    bones: list[dict[str, Any]],
    parents: dict[str, str],
) -> Asf:
    """The bones in the order of the tree, root first."""
    children: dict[str, list[str]] = {}
    for child, parent in parents.items():
        children.setdefault(parent, []).append(child)
    order, stack = [], ["root"]
    while stack:
        order.append(stack.pop())
        stack += reversed(children.get(order[-1], []))
    placed = set(order)
    lost = [b["name"] for b in bones if b["name"] not in placed]
    if any(name in parents for name in lost):
        circle = next(name for name in lost if name in parents)
        words.at = len(words.words) - 1 - words.words[::-1].index(circle)
        raise words.error(f"the hierarchy runs in a circle: bone {quoted(circle)} cannot be reached from the root")
    if lost:
        words.text.warn(f"bone {quoted(lost[0])} is not in the hierarchy; it was left out")
    by_name = {b["name"]: b for b in bones}
    by_name["root"] = {"direction": [0.0] * 3, "length": 0.0, "axis": root["orientation"], "order": root["axis"]}
    by_name["root"] |= {"dof": root["order"], "limits": ()}
    index = {name: i for i, name in enumerate(order)}
    picked = [by_name[name] for name in order]
    directions = np.array([b["direction"] for b in picked], float)
    norms = np.linalg.norm(directions, axis=1, keepdims=True)
    return Asf(
        names=tuple(order),
        parents=np.array([-1, *(index[parents[n]] for n in order[1:])], np.int64),
        directions=np.divide(directions, norms, out=np.zeros_like(directions), where=norms > 0),
        lengths=np.array([b["length"] for b in picked], float),
        axes=np.array([b["axis"] for b in picked], float),
        orders=tuple(b["order"] for b in picked),
        dofs=tuple(b["dof"] for b in picked),
        limits=tuple(b["limits"] for b in picked),
        position=np.array(root["position"], float),
        length_unit=units["length"],
        mass_unit=units["mass"],
        degrees=units["angle"].startswith("deg"),
    )
