"""The library: clips that were opened or made here, grouped by skeleton."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.formats.descriptions import description_of
from motiongraph.formats.guess import stature
from motiongraph.model.body import body_of
from motiongraph.model.clip import Clip
from motiongraph.model.labels import Labels
from motiongraph.synthesis.root import path_of

if TYPE_CHECKING:
    from motiongraph.app.library.reading import Reading
    from motiongraph.app.walk.results import Made
    from motiongraph.model.clip import Clip
    from motiongraph.model.skeleton import Skeleton


Known = TypeVar("Known")


@dataclass(frozen=True, eq=False)
class Prepared:
    """What is worked out once for every clip."""

    lift: float  # metres that put the soles of the drawn feet on a floor at 0
    path: np.ndarray  # (F, 4), see `synthesis.root.path_of`
    planted: np.ndarray  # (F, n) bool, whether each foot stands
    feet: np.ndarray  # (n,) int, their joints
    prints: np.ndarray  # (k, 5) x, z, foot, first frame and end of every footprint

    @classmethod
    def later(cls, clip: Clip) -> Prepared:
        """What `prepare` gives, worked out when something of it is first asked for."""
        found = object.__new__(cls)
        found.__dict__["later"] = clip
        return found

    def __getattr__(self, name: str) -> Any:
        if name not in Prepared.__dataclass_fields__ or "later" not in self.__dict__:
            raise AttributeError(f"what is prepared of a clip has no {name!r}")
        self.__dict__.update(prepare(self.__dict__["later"]).__dict__)
        return self.__dict__[name]


def prepare(clip: Clip) -> Prepared:
    """Look a clip over; takes about as long as its forward kinematics."""
    # On a copy, whose cached positions go with it: drawing samples poses itself, and long clips are large.
    clip = replace(clip)
    planted, feet = _feet(clip)
    return Prepared(
        lift=_sole(clip, feet) - clip.floor,
        path=path_of(clip.root, clip.fps),
        planted=planted,
        feet=feet,
        prints=_prints(clip, planted, feet),
    )


def prepare_for(clip: Clip) -> Prepared:
    """The same; of a clip whose poses are read when they are shown, then too: there may be thousands."""
    return prepare(clip) if clip.__dict__.get("later") is None else Prepared.later(clip)


def prepare_contacts(clip: Clip, prepared: Prepared) -> Prepared:
    """The same for a clip of which only the contacts have changed."""
    clip = replace(clip)
    planted, feet = _feet(clip)
    return replace(prepared, planted=planted, feet=feet, prints=_prints(clip, planted, feet))


def _feet(clip: Clip) -> tuple[np.ndarray, np.ndarray]:
    """(F, n) whether each foot joint stands, and (n,) which they are."""
    try:
        contacts = clip.contacts()
    except MotionError:  # no feet to be found by name: nothing is planted
        return np.zeros((len(clip), 0), bool), np.zeros(0, np.int64)
    return np.asarray(contacts), np.array(contacts.joints, np.int64)


def _sole(clip: Clip, feet: np.ndarray) -> float:
    """Metres from the lowest joint of a standing foot down to the skin of the body drawn there."""
    body = body_of(clip.skeleton)
    below = set(feet.tolist()) or set(range(len(clip.skeleton)))
    radii = [end for joint, (_, end) in zip(body.joints.tolist(), body.radii) if joint in below]
    return float(min(radii, default=0.0))


def _prints(clip: Clip, planted: np.ndarray, feet: np.ndarray) -> np.ndarray:
    """(k, 5): where each foot joint stood, which it was, and from when to when."""
    rows = []
    for foot, joint in enumerate(feet):
        edges = np.flatnonzero(np.diff(planted[:, foot].astype(np.int8), prepend=0, append=0)).reshape(-1, 2)
        for start, stop in edges:
            x, _, z = clip.positions()[start:stop, joint].mean(axis=0)
            rows.append((x, z, foot, start, stop))
    return np.array(rows, np.float64).reshape(-1, 5)


@dataclass(frozen=True, eq=False)
class Entry:
    """A clip in the library."""

    number: int  # its own for good
    clip: Clip
    prepared: Prepared  # for drawing it
    path: Path | None = None  # its file, if any
    start: int = 0  # first frame in use
    stop: int = 0  # frame after the last in use
    used: bool = True  # ticked: takes part in graphs and crowds
    made: Made | None = None  # the walk it was made of, where it was made here

    @property
    def name(self) -> str:
        return self.clip.name

    @property
    def trimmed(self) -> bool:
        return (self.start, self.stop) != (self.clip.first, len(self.clip))

    @cached_property
    def part(self) -> Clip:
        """The frames in use as a clip of their own."""
        part = self.clip[self.start : self.stop]
        return part.packed() if self.clip.is_packed else part

    @cached_property
    def spans(self) -> list[tuple[str, int, int]]:
        """(word, start, stop) of every stretch that has a label."""
        return self.clip.labels.spans()

    @cached_property
    def bars(self) -> list[tuple[tuple[str, ...], int, int, int]]:
        """(words, start, stop, row) of every stretch with the same labels, in rows in which none overlap."""
        stretches: dict[tuple[int, int], list[str]] = {}
        for word, start, stop in self.spans:
            stretches.setdefault((start, stop), []).append(word)
        found, ends = [], []
        for (start, stop), words in sorted(stretches.items(), key=lambda item: (item[0][0], -item[0][1])):
            row = next((row for row, end in enumerate(ends) if end <= start), len(ends))
            ends[row : row + 1] = [stop]
            found.append((tuple(words), start, stop, row))
        return found

    @cached_property
    def everywhere(self) -> str:
        """The labels that hold for all frames, as one line."""
        return ", ".join(word for word, start, stop in self.spans if (start, stop) == (0, len(self.clip)))

    @cached_property
    def findable(self) -> str:
        """What it can be found by."""
        return f"{self.name}\n{self.words}\n{self.description}".lower()

    @cached_property
    def description(self) -> str:
        """What the index of its collection says of it, or ""."""
        return description_of(self.path) if self.path is not None else ""

    def words_at(self, frame: int) -> list[str]:
        """The labels of a frame."""
        return [word for word, start, stop in self.spans if start <= frame < stop]

    @cached_property
    def lasting(self) -> str:
        """How long the frames in use last, in words."""
        return f"{(self.stop - self.start) / self.clip.fps:.1f} s"

    @cached_property
    def words(self) -> str:
        """The labels that hold everywhere, then those that hold somewhere, as one line."""
        return ", ".join(self.clip.labels)


@dataclass(eq=False)
class Library:
    """All entries, and what panels ask of them in every frame."""

    entries: dict[int, Entry] = field(default_factory=dict)  # by number, in the order they came
    version: int = 0  # grows with every change
    readings: dict[str, Reading] = field(default_factory=dict)  # folder → how its files are to be read
    orphans: tuple[Path, ...] = ()  # AMC files whose skeleton was not found
    proposed: dict[int, Labels] = field(default_factory=dict)  # by number of entry: labels that nobody accepted yet
    chosen: frozenset[int] = frozenset()  # numbers of entries: what commands for many are about
    anchor: int | None = None  # where a range of chosen entries begins
    ticked: int | None = None  # where a range of ticks begins
    _numbers: itertools.count = field(default_factory=lambda: itertools.count(1))
    _files: dict[tuple[Path, str], int] = field(default_factory=dict)  # which entry was last of a file, by its name
    _once: dict[str, tuple[int, Any]] = field(default_factory=dict)  # see `once`: the version, and what was worked out

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries.values())

    def __getitem__(self, number: int) -> Entry:
        try:
            return self.entries[number]
        except KeyError:
            raise MotionError(f"there is no clip number {number} in the library") from None

    def get(self, number: int | None) -> Entry | None:
        return None if number is None else self.entries.get(number)

    def add(self, clip: Clip, prepared: Prepared, path: Path | None = None, **fields: Any) -> Entry:
        """A new entry; a clip of a file, or of a part of it, that is in the library already takes its place there."""
        span: dict[str, Any] = {"start": clip.first, "stop": len(clip)} | fields
        same = None if path is None else self.get(self._files.get((path, clip.name)))
        same = same if same and (same.path, same.name) == (path, clip.name) else None
        entry = Entry(same.number if same else next(self._numbers), clip, prepared, path, **span)
        self.put(entry)
        return entry

    def put(self, entry: Entry) -> None:
        self.entries[entry.number] = entry
        if entry.path is not None:
            self._files[entry.path, entry.name] = entry.number
        self.version += 1

    def remove(self, number: int) -> None:
        del self.entries[self[number].number]
        self.proposed.pop(number, None)
        self.chosen -= {number}
        self.version += 1

    def clear(self) -> None:
        self.entries.clear()
        self.proposed.clear()
        self.chosen = frozenset()
        self.version += 1

    def begin_at(self, number: int) -> None:
        """New entries are counted from here: after entries were put in with numbers of their own."""
        self._numbers = itertools.count(number)

    def once(self, what: str, work: Callable[[], Known]) -> Known:
        """What work() gives, under a name; worked out again only after a change: there may be thousands of entries."""
        if self._once.get(what, (-1, None))[0] != self.version:
            self._once[what] = self.version, work()
        return self._once[what][1]

    @property
    def used(self) -> int:
        """How many entries are ticked."""
        return self.once("used", lambda: sum(entry.used for entry in self))

    @property
    def taking_part(self) -> list[Entry]:
        """The ticked clips, without what was made here."""
        return self.once("taking part", lambda: [entry for entry in self if entry.used and not entry.made])

    @property
    def trimmed(self) -> bool:
        """Whether any clip that was opened is trimmed."""
        return self.once("trimmed", lambda: any(not entry.made and entry.trimmed for entry in self))

    @property
    def results(self) -> list[Entry]:
        """Motion that was made here and is worth keeping, oldest first."""
        return [entry for entry in self if entry.made and not entry.made.preview]

    def groups(self) -> list[tuple[str, list[Entry]]]:
        """(what the skeleton is, its entries) for every skeleton, in the order they came; then what was made here."""
        return self.once("groups", self._groups)

    def _groups(self) -> list[tuple[str, list[Entry]]]:
        found: dict[Skeleton, list[Entry]] = {}
        for entry in self:
            if entry.made is None:
                found.setdefault(entry.clip.skeleton, []).append(entry)
        groups = [(_described(s, entries), entries) for s, entries in found.items()]
        made = [entry for entry in self if entry.made and not entry.made.live]
        return groups + ([("made here", made)] if made else [])

    def found(self, text: str) -> list[tuple[str, list[Entry]]]:
        """The groups with the entries whose name or labels contain a text; all where it is empty."""
        if not text:
            return self.groups()
        if self._found[0] != (self.version, text):
            groups = [(title, [e for e in entries if text in e.findable]) for title, entries in self.groups()]
            self._found = (self.version, text), [group for group in groups if group[1]]
        return self._found[1]

    _found: tuple = (None, [])


def _described(skeleton: Skeleton, entries: list[Entry]) -> str:
    """A skeleton in a few words: the subject of CMU names where all agree, joints and height."""
    subjects = {e.name.partition("_")[0] for e in entries}
    subject = subjects.pop() if len(subjects) == 1 else ""
    subject = f"subject {subject} · " if subject.isdigit() else ""
    return f"{subject}{len(skeleton)} joints · {stature(skeleton) or skeleton.height:.2f} m"
