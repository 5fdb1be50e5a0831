"""The clips at hand: opened, grouped by skeleton, labelled, trimmed, mirrored, ticked for the graph, removed."""

import itertools
import os
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from motiongraph.app import commands as do
from motiongraph.app.commands import apply
from motiongraph.app.playback import RESULT, frame_of, seek
from motiongraph.errors import MotionError
from motiongraph.model.clip import Clip
from motiongraph.model.labels import Labels


@dataclass(frozen=True, eq=False)
class Entry:
    """A clip in the library. number: its own for good; prepared: see `prepared.Prepared`; path: its file, if any;
    start, stop: the frames in use; used: in graphs and crowds; made: a `results.Made` where it was made here."""

    number: int
    clip: Clip
    prepared: object
    path: Path | None = None
    start: int = 0
    stop: int = 0
    used: bool = True
    made: object = None

    @property
    def name(self) -> str:
        return self.clip.name

    @property
    def trimmed(self) -> bool:
        return (self.start, self.stop) != (self.clip.first, len(self.clip))

    @cached_property
    def part(self) -> Clip:
        """The frames in use as a clip of their own."""
        return self.clip[self.start : self.stop]

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
        return f"{self.name}\n{self.words}".lower()

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
    """entries: number → Entry, in the order they came. version grows with every change."""

    entries: dict[int, Entry] = field(default_factory=dict)
    version: int = 0
    _numbers: itertools.count = field(default_factory=lambda: itertools.count(1))

    def __len__(self):
        return len(self.entries)

    def __iter__(self):
        return iter(self.entries.values())

    def __getitem__(self, number: int) -> Entry:
        try:
            return self.entries[number]
        except KeyError:
            raise MotionError(f"there is no clip number {number} in the library") from None

    def get(self, number: int | None) -> Entry | None:
        return self.entries.get(number)

    def add(self, clip: Clip, prepared, path: Path | None = None, **fields) -> Entry:
        """A new entry; a clip of a file, or of a part of it, that is in the library already takes its place there."""
        span = {"start": clip.first, "stop": len(clip)} | fields
        same = next((e for e in self if path is not None and (e.path, e.name) == (path, clip.name)), None)
        entry = Entry(same.number if same else next(self._numbers), clip, prepared, path, **span)
        self.put(entry)
        return entry

    def put(self, entry: Entry) -> None:
        self.entries[entry.number] = entry
        self.version += 1

    def remove(self, number: int) -> None:
        del self.entries[self[number].number]
        self.version += 1

    def clear(self) -> None:
        self.entries.clear()
        self.version += 1

    def begin_at(self, number: int) -> None:
        """New entries are counted from here: after entries were put in with numbers of their own."""
        self._numbers = itertools.count(number)

    @property
    def used(self) -> int:
        """How many entries are ticked."""
        if self._used[0] != self.version:
            self._used = self.version, sum(entry.used for entry in self)
        return self._used[1]

    def groups(self) -> list[tuple[str, list[Entry]]]:
        """(what the skeleton is, its entries) for every skeleton, in the order they came; then what was made here."""
        if self._grouped[0] != self.version:
            found: dict = {}
            for entry in self:
                if entry.made is None:
                    found.setdefault(entry.clip.skeleton, []).append(entry)
            groups = [(_described(s, entries), entries) for s, entries in found.items()]
            made = [entry for entry in self if entry.made and not entry.made.live]
            self._grouped = self.version, groups + ([("made here", made)] if made else [])
        return self._grouped[1]

    _grouped: tuple = (-1, [])
    _used: tuple = (-1, 0)


def _described(skeleton, entries) -> str:
    """A skeleton in a few words: the subject of CMU names where all agree, joints and height."""
    subjects = {e.name.partition("_")[0] for e in entries}
    subject = subjects.pop() if len(subjects) == 1 else ""
    subject = f"subject {subject} · " if subject.isdigit() else ""
    return f"{subject}{len(skeleton)} joints · {skeleton.height:.2f} m"


def labels_of(library: Library, folder: Path) -> list:
    """The library as entries of a labels.toml in `folder`: each stretch of frames with the same words is one."""
    from motiongraph.formats.labels_file import Entry as Line

    lines = []
    for entry in library:
        if entry.path is None or not entry.used:
            continue
        try:
            file = Path(os.path.relpath(entry.path, folder)).as_posix()
        except ValueError:  # on another drive
            file = entry.path.as_posix()
        edges = {entry.start, entry.stop}
        for _, start, stop in entry.spans:
            edges |= {min(max(edge, entry.start), entry.stop) for edge in (start, stop)}
        edges = sorted(edges)
        whole = len(edges) == 2 and not entry.trimmed
        labels = entry.clip.labels
        for start, stop in itertools.pairwise(edges):
            words = tuple(word for word in labels if labels.at(word)[start])
            lines.append(Line(file, None if whole else (start, stop), words))
    return lines


# Commands


@apply.register
def _(command: do.SelectClip, state):
    entry = state.library[command.clip]
    number = command.track
    if number is None:  # made motion has a track of its own, which captured clips leave alone
        number = RESULT if entry.made else state.active if state.active != RESULT else 0
        apply(do.TakeTrack(number), state)
    track = state.tracks[number]
    if track.clip != entry.number:
        track.clip, track.elapsed = entry.number, 0.0


@apply.register
def _(command: do.SelectNext, state):
    numbers = list(state.library.entries)
    if numbers:
        here = numbers.index(state.entry.number) if state.entry else -min(command.step, 0)
        apply(do.SelectClip(numbers[(here + command.step) % len(numbers)]), state)


@apply.register
def _(command: do.RemoveClip, state):
    made = state.library[command.clip].made is not None
    numbers = [entry.number for entry in state.library if (entry.made is not None) == made]
    state.library.remove(command.clip)
    here = numbers.index(command.clip)
    beside = numbers[here + 1 : here + 2] or numbers[max(here - 1, 0) : here]
    for track in state.tracks:  # the neighbour takes its place on screen
        if track.clip == command.clip:
            track.clip, track.elapsed = beside[0] if beside else None, 0.0
    if made and not beside and state.active == RESULT and state.scene.views == 1:
        apply(do.TakeTrack(0), state)  # the last result is gone: back to what was captured
    state.scene.places.pop(command.clip, None)


@apply.register
def _(command: do.RemoveAll, state):
    state.jobs.call_off_all()
    state.library.clear()
    state.scene.places.clear()
    state.scene.ghosts.clear()
    state.scene.version += 1
    for track in state.tracks:
        track.clip, track.elapsed = None, 0.0


@apply.register
def _(command: do.UseClip, state):
    numbers = [e.number for e in state.library] if command.clip is None else [command.clip]
    for number in numbers:
        state.library.put(replace(state.library[number], used=command.used))


@apply.register
def _(command: do.SetLabels, state):
    entry = state.library[command.clip]
    words = sorted({word.strip() for word in command.labels} - {""})
    frames = len(entry.clip)
    start = 0 if command.start is None else min(max(command.start, 0), frames)
    stop = frames if command.stop is None else min(max(command.stop, start), frames)
    ranges: dict[str, list] = {word: [(start, stop)] for word in words}
    for word, a, b in entry.spans:  # what holds outside of the range stays
        inside = (max(a, start), min(b, stop))
        part = [inside] if command.keep and inside != (start, stop) else []
        ranges.setdefault(word, []).extend([(a, min(b, start)), (max(a, stop), b), *part])
    _label(entry, ranges, state)


@apply.register
def _(command: do.RemoveLabel, state):
    entry = state.library[command.clip]
    ranges: dict[str, list] = {}
    for word, a, b in entry.spans:
        gone = (command.start, command.stop) if word == command.label else (b, b)
        ranges.setdefault(word, []).extend([(a, min(b, gone[0])), (max(a, gone[1]), b)])
    _label(entry, ranges, state)


def _label(entry, ranges, state) -> None:
    """Give an entry these labels, word → ranges of frames, of which some may be empty."""
    ranges = {word: [(a, b) for a, b in spans if b > a] for word, spans in ranges.items()}
    labels = Labels.of(len(entry.clip), {word: spans for word, spans in ranges.items() if spans})
    state.library.put(replace(entry, clip=entry.clip.labelled(labels)))


@apply.register
def _(command: do.Trim, state):
    entry = state.library[command.clip]
    start = min(max(command.start, entry.clip.first), len(entry.clip) - 1)
    stop = min(max(command.stop, start + 1), len(entry.clip))
    if (start, stop) != (entry.start, entry.stop):
        shown = [t for t, track in enumerate(state.tracks) if track.clip == entry.number]
        frames = [frame_of(state, t) for t in shown]
        state.library.put(replace(entry, start=start, stop=stop))
        for t, frame in zip(shown, frames):  # the frame on screen stays, where it is still in use
            seek(state, frame, t)


@apply.register
def _(command: do.MirrorClip, state):
    entry = state.library[command.clip]

    def work(progress, deliver):
        from motiongraph.app.prepared import prepare

        progress(0, 1, entry.name)
        clip = entry.clip.mirrored()
        deliver((clip, prepare(clip)))

    def then(result):
        mirrored = state.library.add(*result, start=entry.start, stop=entry.stop)
        apply(do.SelectClip(mirrored.number), state)

    state.jobs.start(f"mirror {entry.number}", f"mirroring {entry.name}", work, then)


@apply.register
def _(command: do.SaveLabels, state):
    from motiongraph.formats.labels_file import write_labels

    path = Path(command.path)
    if os.path.exists(path) and not command.force:
        raise MotionError(f"{path} is there already; choose another name, or say that it may be replaced")
    lines = labels_of(state.library, path.parent.absolute())
    if not lines:
        raise MotionError("there is no ticked clip from a file whose labels could be saved")
    write_labels(lines, path)
    state.say(f"labels of {len({line.file for line in lines})} clips are in {path}")


@apply.register
def _(command: do.SaveClip, state):
    part, path = state.library[command.clip].part, Path(command.path)

    def work(progress, deliver):
        from motiongraph.formats.save import save

        progress(0, 1, path.name)
        save(part, path)
        deliver(path)

    then = lambda done: state.say(f"wrote {done}")  # noqa: E731
    state.jobs.start(f"save {path}", f"writing {path.name}", work, then, needed=True)
