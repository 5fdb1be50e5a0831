"""Many clips at once: chosen with Ctrl and Shift, ticked, labelled, trimmed and removed together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from motiongraph.app.command import Part, command
from motiongraph.app.jobs import JobKind
from motiongraph.app.library.clips import UseClip, clip_state, put_clip_state, put_labels, remove_clip, trim
from motiongraph.errors import MotionError
from motiongraph.walks.auto_labels import choose_clips

if TYPE_CHECKING:
    from motiongraph.app.library.entries import Entry
    from motiongraph.app.state import AppState


def chosen_clips(state: AppState) -> tuple[int, ...]:
    """The clips that commands for many are about: those chosen in the library, as long as the active one is among
    them; otherwise the active one alone."""
    active = state.tracks[state.active].clip
    chosen = state.library.chosen
    if active in chosen:
        return tuple(entry.number for entry in state.library if entry.number in chosen)
    return () if active is None else (active,)


def _clips_part(command: LabelClips | TrimClips, _: AppState) -> Part:
    """What undo keeps of many clips: the frames in use and the labels of each."""
    numbers = command.clips

    def read(state: AppState) -> tuple:
        return tuple(clip_state(state, number) for number in numbers)

    def write(state: AppState, values: tuple) -> None:
        missing = 0
        for number, value in zip(numbers, values):
            try:
                if value is not None:
                    put_clip_state(state, number, value)
            except MotionError:
                missing += 1
        if missing:
            raise MotionError(f"{missing} of the clips of that edit are no longer in the library")

    return Part("clips", read, write, key=numbers)


@command
class ChooseClip:
    """Choose clips in the library. how: "only" this one, "add" it (or take it away), or the "range" from the one chosen
    last; among: the clips that are shown, in order."""

    clip: int
    how: str = "only"
    among: tuple[int, ...] = ()

    def apply(self, state: AppState) -> None:
        library, number = state.library, state.library[self.clip].number
        if self.how == "range" and library.anchor in self.among and number in self.among:
            library.chosen = frozenset(_between(self.among, library.anchor, number))
            return
        if self.how == "add":
            library.chosen = (library.chosen or frozenset(chosen_clips(state))) ^ {number}
        else:
            library.chosen = frozenset((number,))
        library.anchor = number


@command
class ChooseClips:
    """Choose these clips and no others."""

    clips: tuple[int, ...]

    def apply(self, state: AppState) -> None:
        state.library.chosen = frozenset(number for number in self.clips if state.library.get(number))


def _between(among: tuple[int, ...], one: int, other: int) -> tuple[int, ...]:
    first, last = sorted((among.index(one), among.index(other)))
    return among[first : last + 1]


@command
class TickClip:
    """Tick a clip or not; range: all of those shown (`among`, in order) from the one ticked last; a clip that is one of
    several chosen stands for all of them."""

    clip: int
    used: bool
    among: tuple[int, ...] = ()

    def apply(self, state: AppState) -> None:
        library = state.library
        numbers: Iterable[int] = (self.clip,)
        if library.ticked in self.among and self.clip in self.among:
            numbers = _between(self.among, library.ticked, self.clip)
        elif not self.among and self.clip in library.chosen:
            numbers = library.chosen
        library.ticked = self.clip
        use_clips(state, numbers, self.used)


@command
class UseClips:
    """Tick these clips or not; only: and the others the other way round."""

    clips: tuple[int, ...]
    used: bool
    only: bool = False

    def apply(self, state: AppState) -> None:
        if self.only:
            UseClip(None, not self.used).apply(state)
        use_clips(state, self.clips, self.used)


@command
class TickBest:
    """Of these clips tick those, so many at most, that cover speeds and turns best, and no others."""

    clips: tuple[int, ...]
    count: int

    def apply(self, state: AppState) -> None:
        entries = [entry for entry in map(state.library.get, self.clips) if entry is not None]

        def work(progress, deliver):
            parts = []
            for done, entry in enumerate(entries):
                progress(done, len(entries), entry.name)
                parts.append(entry.part)
            deliver(choose_clips(parts, self.count))

        def then(chosen):
            UseClips(tuple(entries[k].number for k in chosen), True, only=True).apply(state)
            state.say(f"{len(chosen)} clips that cover speeds and turns best are ticked")

        state.jobs.start(JobKind.LABELS, "choosing clips", work, then)


def use_clips(state: AppState, numbers: Iterable[int], used: bool) -> None:
    for number in numbers:
        entry = state.library.get(number)
        if entry is not None and entry.used != used:
            state.library.put(replace(entry, used=used))


def _each(state: AppState, numbers: Iterable[int], change: Callable[[Entry], Any]) -> None:
    for number in numbers:
        entry = state.library.get(number)
        if entry is not None:
            change(entry)


@command(undo=_clips_part, edit="labels")
class LabelClips:
    """Give all frames of these clips a word, or take it off them."""

    clips: tuple[int, ...]
    label: str
    held: bool = True

    def apply(self, state: AppState) -> None:
        word = self.label.strip()
        if not word:
            raise MotionError("a label needs at least one letter")

        def change(entry: Entry) -> None:
            ranges: dict[str, list[tuple[int, int]]] = {word: [(0, len(entry.clip))] if self.held else []}
            for other, start, stop in entry.spans:
                if other != word:
                    ranges.setdefault(other, []).append((start, stop))
            put_labels(state, entry, ranges)

        _each(state, self.clips, change)


@command(undo=_clips_part, edit="trim")
class TrimClips:
    """Leave so many seconds out at the start and the end of these clips; 0 and 0: use all of them."""

    clips: tuple[int, ...]
    start: float = 0.0
    stop: float = 0.0

    def apply(self, state: AppState) -> None:
        def change(entry: Entry) -> None:
            fps, last = entry.clip.fps, len(entry.clip)
            first = entry.clip.first + round(max(self.start, 0.0) * fps)
            trim(state, entry.number, first, last - round(max(self.stop, 0.0) * fps))

        _each(state, self.clips, change)


@command
class RemoveClips:
    """Take these clips out of the library."""

    clips: tuple[int, ...]

    def apply(self, state: AppState) -> None:
        _each(state, self.clips, lambda entry: remove_clip(state, entry.number))
