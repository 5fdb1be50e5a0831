"""How files are read that do not say everything: unit, up axis, the skeleton of an AMC; and reading them again.

What was said for a folder also holds for files that are opened from it later. Projects and undo keep it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from motiongraph.app.command import Part, SavedPart, command, edit
from motiongraph.app.jobs import JobKind
from motiongraph.app.library.clips import put_in_place
from motiongraph.app.library.entries import Entry, Prepared, prepare
from motiongraph.errors import MotionError
from motiongraph.formats.guess import UNITS, UP_AXES
from motiongraph.formats.load import load_clips
from motiongraph.formats.record import Record, checked_number, checked_rows, checked_word
from motiongraph.model.clip import Clip

if TYPE_CHECKING:
    from motiongraph.app.state import AppState


@dataclass(frozen=True)
class Reading:
    """What a person said about files; "auto" and None: as the program finds it."""

    units: str | float = "auto"  # of length, or metres per unit
    up: str = "auto"  # the axis that points up
    skeleton: str | None = None  # the .asf of AMC files

    @classmethod
    def of(cls, clip: Clip) -> Reading:
        """What was said when a clip was read."""
        return cls(**clip.source.given) if clip.source else cls()  # pyright: ignore[reportArgumentType]

    def to_plain(self) -> list[str | float]:
        """As JSON can hold it."""
        return [self.units, self.up, self.skeleton or ""]

    @classmethod
    def from_plain(cls, plain: Any) -> Reading:
        """From `to_plain`, checked."""
        ((units, up, skeleton),) = checked_rows([plain], "how a file is read", 3)
        if isinstance(units, str):
            units = checked_word(units, "a unit", ("auto", *UNITS))
        else:
            units = checked_number(units, "a unit", 1e-9, 1e9)
        return cls(units, checked_word(up, "an up axis", ("auto", *UP_AXES)), checked_word(skeleton, "an .asf") or None)

    def clips(self, file: Path) -> list[Clip]:
        """The clips of a file, read so; what is said about skeletons is for AMC files alone."""
        skeleton = self.skeleton if file.suffix.lower() == ".amc" else None
        return load_clips(file, self.units, self.up, skeleton)


def reading_for(readings: Mapping[str, Reading], file: Path) -> Reading:
    """What was said about the folder of a file."""
    return readings.get(str(file.parent.absolute()), Reading())


def described(clip: Clip) -> str:
    """What was found out about a clip's file, in a few words: "cm (guessed) · y up (guessed) · 1.72 m tall"."""
    source = clip.source
    if source is None:
        return ""
    up = f"{source.up} up{' (guessed)' if source.up_from == 'guess' else ''}"
    return f"{source.units} · {up} · {source.stature or clip.skeleton.height:.2f} m tall"


def read_again(file: Path, entry: Entry, reading: Reading) -> tuple[Clip, Prepared]:
    """The clip of an entry as `reading` has it, under the entry's name and labels."""
    clips = reading.clips(file)
    like = [clip for clip in clips if len(clip) == len(entry.clip) and entry.name.startswith(clip.name)]
    if not like:
        raise MotionError(
            f"{file} is no longer what it was: there is no {entry.name} of {len(entry.clip)} frames in it"
        )
    found = replace(max(like, key=lambda clip: len(clip.name)), name=entry.name, labels=entry.clip.labels)
    return found, prepare(found)


# What undo and projects keep


def _readings_to_plain(readings: dict[str, Reading]) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    return {"readings": [[folder, *reading.to_plain()] for folder, reading in readings.items()]}, {}


def _readings_from_plain(saved: Record, _: AppState) -> dict[str, Reading]:
    rows = checked_rows(saved.get("readings"), "readings", 4)
    return {checked_word(folder, "a folder"): Reading.from_plain(reading) for folder, *reading in rows}


def _set_readings(state: AppState, readings: dict[str, Reading]) -> None:
    state.library.readings = dict(readings)


READINGS = SavedPart(
    "readings",
    lambda state: state.library.readings,
    _set_readings,
    to_plain=_readings_to_plain,
    from_plain=_readings_from_plain,
    optional="readings",
)


def _reading_part(numbers: tuple[int, ...]) -> Part:
    """The clips of these entries, and what was said about folders."""

    def read(state: AppState) -> tuple[Any, ...]:
        entries = [state.library.get(number) for number in numbers]
        return state.library.readings, *((e.number, e.clip, e.prepared, e.start, e.stop) for e in entries if e)

    def write(state: AppState, value: tuple[Any, ...]) -> None:
        readings, *clips = value
        state.library.readings = readings
        for number, clip, prepared, start, stop in clips:
            if (entry := state.library.get(number)) is not None:
                put_in_place(state, replace(entry, clip=clip, prepared=prepared, start=start, stop=stop))
        state.frame_camera = True

    return Part("reading", read, write, key=numbers)


# Commands


@command
class ReadAgain:
    """Read a clip's file again with another unit, up axis or skeleton; None: as it was read before.

    folder: all clips that are from its folder, and files that are opened from there later, are read so too.
    """

    clip: int
    units: str | float | None = None
    up: str | None = None
    skeleton: Path | None = None
    folder: bool = False

    def apply(self, state: AppState) -> None:
        entry, said = state.library[self.clip], {"units": self.units, "up": self.up}
        said |= {"skeleton": None if self.skeleton is None else str(self.skeleton)}
        said = {name: value for name, value in said.items() if value is not None}
        path = entry.path
        if path is None:
            raise MotionError(f"{entry.name} was not read from a file")
        chosen = [
            (e, e.path, replace(Reading.of(e.clip), **said))
            for e in state.library
            if e.path is not None
            and e.made is None
            and (e.path.parent == path.parent if self.folder else e.path == path)
        ]
        reading = next(reading for e, _, reading in chosen if e is entry)

        def work(progress, deliver):
            found = []
            for done, (e, file, how) in enumerate(chosen):
                progress(done, len(chosen), e.name)
                found.append((e.number, e.clip, *read_again(file, e, how)))
            deliver(found)

        def then(found):
            with edit(state, _reading_part(tuple(number for number, *_ in found)), "reading of files"):
                if self.folder:
                    state.library.readings = state.library.readings | {str(path.parent.absolute()): reading}
                for number, before, clip, prepared in found:
                    now = state.library.get(number)
                    if now is not None and now.clip.motion is before.motion:
                        clip = clip.labelled(now.clip.labels)
                        start = max(now.start, clip.first)
                        stop = max(now.stop, start + 1)
                        put_in_place(state, replace(now, clip=clip, prepared=prepared, start=start, stop=stop))
            state.frame_camera = True
            many = f"{len(found)} clips of {path.parent.name}" if len(found) > 1 else entry.name
            state.say(f"{many}: {described(state.library[self.clip].clip)}")

        state.jobs.start(JobKind.OPEN, f"reading {entry.name} again", work, then, of=entry.number)
