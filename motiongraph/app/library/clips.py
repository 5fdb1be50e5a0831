"""What can be done with the clips of the library: removed, ticked, labelled, trimmed, mirrored and saved.

clip: the number of an entry in the library.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

from motiongraph.app.command import Part, command
from motiongraph.app.jobs import JobKind
from motiongraph.app.library.entries import Entry, Library, prepare, prepare_contacts
from motiongraph.app.playback import RESULT, activate_track, frame_of, seek, show_clip
from motiongraph.errors import MotionError
from motiongraph.formats.labels_file import Entry as Line
from motiongraph.formats.labels_file import entries_of, write_labels
from motiongraph.formats.save import save
from motiongraph.model.labels import Labels
from motiongraph.walks.auto_labels import propose_labels

if TYPE_CHECKING:
    from motiongraph.app.state import AppState


def put_in_place(state: AppState, entry: Entry) -> None:
    """Replace an entry by one with other frames in use or other labels; the frame on screen stays."""
    shown = [t for t, track in enumerate(state.tracks) if track.clip == entry.number]
    frames = [frame_of(state, t) for t in shown]
    state.library.put(entry)
    for t, frame in zip(shown, frames):
        seek(state, frame, t)


def trim(state: AppState, number: int, start: int, stop: int) -> None:
    """Use only frames start to stop (not included) of a clip."""
    entry = state.library[number]
    start = min(max(start, entry.clip.first), len(entry.clip) - 1)
    stop = min(max(stop, start + 1), len(entry.clip))
    if (start, stop) != (entry.start, entry.stop):
        put_in_place(state, replace(entry, start=start, stop=stop))


def remove_clip(state: AppState, number: int) -> None:
    """Take a clip out of the library; its neighbour takes its place on screen."""
    made = state.library[number].made is not None
    numbers = [entry.number for entry in state.library if (entry.made is not None) == made]
    state.library.remove(number)
    here = numbers.index(number)
    beside = numbers[here + 1 : here + 2] or numbers[max(here - 1, 0) : here]
    for track in state.tracks:
        if track.clip == number:
            track.clip, track.elapsed = beside[0] if beside else None, 0.0
    if made and not beside and state.active == RESULT and state.scene.views == 1:
        activate_track(state, 0)  # the last result is gone: back to what was captured
    state.scene.places.pop(number, None)


def labels_of(library: Library, folder: Path) -> list[Line]:
    """The library as entries of a labels.toml in `folder`: each stretch of frames with the same words is one."""
    lines = []
    for entry in library:
        if entry.path is not None and entry.used:
            part = entry.start, entry.stop, entry.clip.labels, not entry.trimmed, entry.clip.planted
            lines += entries_of(entry.path, folder, *part)
    return lines


def with_planted(entry: Entry, planted: Labels | None) -> Entry:
    """With other contacts: given ones, or None for those that are found."""
    clip = replace(entry.clip, planted=planted)
    return replace(entry, clip=clip, prepared=prepare_contacts(clip, entry.prepared))


class _OfClip(Protocol):
    """A command for one clip."""

    @property
    def clip(self) -> int: ...


# What undo keeps of a clip: the frames in use, the labels and the contacts

_Kept: TypeAlias = tuple[int, int, Labels, Labels | None]


def clip_state(state: AppState, number: int) -> _Kept | None:
    entry = state.library.get(number)
    return entry and (entry.start, entry.stop, entry.clip.labels, entry.clip.planted)


def put_clip_state(state: AppState, number: int, value: _Kept) -> None:
    entry = state.library.get(number)
    if entry is None:
        raise MotionError("the clip of that edit is no longer in the library")
    start, stop, labels, planted = value
    if len(labels.mask) != len(entry.clip):
        raise MotionError(f"{entry.name} is not the clip it was at that edit")
    if planted is not entry.clip.planted:
        entry = with_planted(entry, planted)
    clip = entry.clip if labels is entry.clip.labels else entry.clip.labelled(labels)
    put_in_place(state, replace(entry, clip=clip, start=start, stop=stop))


def clip_part(command: _OfClip, _: AppState) -> Part:
    """The part of the state that a command for one clip changes."""
    number = command.clip
    return Part(
        "clip",
        lambda state: clip_state(state, number),
        lambda state, value: put_clip_state(state, number, value),
        key=number,
    )


# Commands


@command
class RemoveClip:
    """Take a clip out of the library."""

    clip: int

    def apply(self, state: AppState) -> None:
        remove_clip(state, self.clip)


@command
class RemoveAll:
    """Empty the library."""

    def apply(self, state: AppState) -> None:
        state.jobs.call_off_all()
        state.library.clear()
        state.scene.places.clear()
        state.scene.ghosts.clear()
        state.scene.version += 1
        for track in state.tracks:
            track.clip, track.elapsed = None, 0.0


@command
class UseClip:
    """Whether a clip takes part in graphs and crowds; clip None means all of them."""

    clip: int | None
    used: bool

    def apply(self, state: AppState) -> None:
        numbers = [e.number for e in state.library] if self.clip is None else [self.clip]
        for number in numbers:
            state.library.put(replace(state.library[number], used=self.used))


@command(undo=clip_part, edit="labels")
class SetLabels:
    """Words for frames start to stop (all of the clip where None); `labels` replaces what held there. keep: except for
    words that hold in a part of these frames only."""

    clip: int
    labels: tuple[str, ...]
    start: int | None = None
    stop: int | None = None
    keep: bool = False

    def apply(self, state: AppState) -> None:
        entry = state.library[self.clip]
        words = sorted({word.strip() for word in self.labels} - {""})
        frames = len(entry.clip)
        start = 0 if self.start is None else min(max(self.start, 0), frames)
        stop = frames if self.stop is None else min(max(self.stop, start), frames)
        ranges: dict[str, list[tuple[int, int]]] = {word: [(start, stop)] for word in words}
        for word, a, b in entry.spans:  # what holds outside of the range stays
            inside = (max(a, start), min(b, stop))
            part = [inside] if self.keep and inside != (start, stop) else []
            ranges.setdefault(word, []).extend([(a, min(b, start)), (max(a, stop), b), *part])
        put_labels(state, entry, ranges)


@command(undo=clip_part, edit="labels")
class RemoveLabel:
    """A word holds in frames start to stop no more."""

    clip: int
    label: str
    start: int
    stop: int

    def apply(self, state: AppState) -> None:
        entry = state.library[self.clip]
        ranges: dict[str, list[tuple[int, int]]] = {}
        for word, a, b in entry.spans:
            gone = (self.start, self.stop) if word == self.label else (b, b)
            ranges.setdefault(word, []).extend([(a, min(b, gone[0])), (max(a, gone[1]), b)])
        put_labels(state, entry, ranges)


@command
class ProposeLabels:
    """Look at the motion of a clip, or of all ticked ones (None), and propose labels; see `walks.auto_labels`."""

    clip: int | None

    def apply(self, state: AppState) -> None:
        library = state.library
        entries = [e for e in library if e.used and e.made is None] if self.clip is None else [library[self.clip]]

        def work(progress, deliver):
            found = {}
            for done, entry in enumerate(entries):
                progress(done, len(entries), entry.name)
                found[entry.number] = propose_labels(entry.clip)
            deliver(found)

        def then(found):
            library.proposed |= {number: labels for number, labels in found.items() if library.get(number)}
            clips = f"{len(found)} clips" if len(found) != 1 else "1 clip"
            state.say(f"labels are proposed for {clips}; accept them in the Clip panel")

        state.jobs.start(JobKind.LABELS, "looking at the motion", work, then)


@command(undo=clip_part, edit="labels")
class AcceptLabels:
    """Take over what is proposed for a clip: one word, or all (None); it adds to the labels that are there."""

    clip: int
    label: str | None = None

    def apply(self, state: AppState) -> None:
        entry, proposed = state.library[self.clip], state.library.proposed.get(self.clip)
        if proposed is None or len(proposed.mask) != len(entry.clip):
            raise MotionError(f"no labels are proposed for {entry.name}")
        words = tuple(proposed) if self.label is None else (self.label,)
        ranges: dict[str, list[tuple[int, int]]] = {}
        for word, start, stop in (*entry.spans, *(span for span in proposed.spans() if span[0] in words)):
            ranges.setdefault(word, []).append((start, stop))
        put_labels(state, entry, ranges)
        dismiss_labels(state, self.clip, words)


@command
class DismissLabels:
    """Drop what is proposed for a clip: one word, or all (None)."""

    clip: int
    label: str | None = None

    def apply(self, state: AppState) -> None:
        proposed = state.library.proposed.get(self.clip)
        if proposed is not None:
            dismiss_labels(state, self.clip, tuple(proposed) if self.label is None else (self.label,))


def dismiss_labels(state: AppState, number: int, words: tuple[str, ...]) -> None:
    """Drop these words of what is proposed."""
    proposed = state.library.proposed.pop(number)
    rest: dict[str, list[tuple[int, int]]] = {}
    for word, start, stop in proposed.spans():
        if word not in words:
            rest.setdefault(word, []).append((start, stop))
    if rest:
        state.library.proposed[number] = Labels.of(len(proposed.mask), rest)


def put_labels(state: AppState, entry: Entry, ranges: dict[str, list[tuple[int, int]]]) -> None:
    """Give an entry these labels, word → ranges of frames, of which some may be empty."""
    ranges = {word: [(a, b) for a, b in spans if b > a] for word, spans in ranges.items()}
    labels = Labels.of(len(entry.clip), {word: spans for word, spans in ranges.items() if spans})
    state.library.put(replace(entry, clip=entry.clip.labelled(labels)))


@command(undo=clip_part, edit="trim")
class Trim:
    """Use only frames start to stop (not included)."""

    clip: int
    start: int
    stop: int

    def apply(self, state: AppState) -> None:
        trim(state, self.clip, self.start, self.stop)


@command
class MirrorClip:
    """Add the clip with left and right exchanged."""

    clip: int

    def apply(self, state: AppState) -> None:
        entry = state.library[self.clip]

        def work(progress, deliver):
            progress(0, 1, entry.name)
            clip = entry.clip.mirrored()
            deliver((clip, prepare(clip)))

        def then(result):
            mirrored = state.library.add(*result, start=entry.start, stop=entry.stop)
            show_clip(state, mirrored.number)

        state.jobs.start(JobKind.MIRROR, f"mirroring {entry.name}", work, then, of=entry.number)


@command
class SaveLabels:
    """Write a labels.toml of the ticked clips; force: also over a file that is there."""

    path: Path
    force: bool = False

    def apply(self, state: AppState) -> None:
        path = Path(self.path)
        if os.path.exists(path) and not self.force:
            raise MotionError(f"{path} is there already; choose another name, or say that it may be replaced")
        lines = labels_of(state.library, path.parent.absolute())
        if not lines:
            raise MotionError("there is no ticked clip from a file whose labels could be saved")
        write_labels(lines, path)
        state.say(f"labels of {len({line.file for line in lines})} clips are in {path}")


@command
class SaveClip:
    """Write a clip, as trimmed, as .bvh, .amc or .glb."""

    clip: int
    path: Path

    def apply(self, state: AppState) -> None:
        part, path = state.library[self.clip].part, Path(self.path)

        def work(progress, deliver):
            progress(0, 1, path.name)
            save(part, path)
            deliver(path)

        title = f"writing {path.name}"
        state.jobs.start(JobKind.WRITE, title, work, lambda done: state.say(f"wrote {done}"), path, needed=True)
