"""Motion that was made here: clips of the library like any other, which remember the walk they were made of."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from motiongraph.app import commands as do
from motiongraph.app.commands import apply
from motiongraph.app.playback import RESULT, seek
from motiongraph.errors import MotionError


@dataclass(frozen=True, eq=False)
class Made:
    """walk: the `Walk`; method and options (name → value) it was asked with, and seed; report: its figures, plain
    numbers, with those of the clips played as "captured", and as "files" (offset, ratio) from the frames of
    the graph's clips to those of their files; asked: (n, 2) x, z
    metres of the path that was to be followed, or None; entries: those of the graph's clips (see
    `graphs.GraphState`), for showing where frames came from; graph: the graph walked, or None; preview: only to look
    at, the next one takes its place."""

    walk: object
    method: str
    options: dict = field(default_factory=dict)
    seed: int = 0
    report: dict = field(default_factory=dict)
    asked: np.ndarray | None = None
    entries: tuple = ()
    graph: object = None
    preview: bool = False

    @property
    def live(self) -> bool:
        """Still being made: a character that is led."""
        return self.preview and self.method == "live"

    @property
    def unit(self) -> str:
        """What its costs are counted in."""
        return self.walk.metric.unit

    def file_frame(self, clip: int, frame: int) -> int:
        """The frame of its file that a frame of one of the walk's clips is."""
        files = self.report.get("files")
        offset, ratio = files[clip] if files else (0, 1.0)
        return round(offset + ratio * frame)


def show_made(state, clip, prepared, made: Made):
    """Take made motion into the library and play it from its start in the result's track; the entry. A preview makes
    room for it; a character that is led stops, and what it walked is kept."""
    if state.leading is not None:
        apply(do.Lead(False), state)
    old = next((e for e in state.library if e.made and e.made.preview), None)
    entry = state.library.add(clip, prepared, used=False, made=made)
    if old is not None:
        take_place(state, entry, old)
    apply(do.ReplayResult(entry.number), state)
    return entry


def take_place(state, entry, old) -> None:
    """Remove an old entry; where it was shown, the other one is."""
    state.library.remove(old.number)
    state.scene.places.pop(old.number, None)
    for track in state.tracks:
        if track.clip == old.number:
            track.clip, track.elapsed = entry.number, 0.0


def results(state) -> list:
    """Entries of made motion worth keeping, oldest first."""
    return [entry for entry in state.library if entry.made and not entry.made.preview]


def in_hand(state):
    """The entry of made motion that is looked at: that of the track in hand, or else of the result's track."""
    for track in (state.active, RESULT):
        entry = state.library.get(state.tracks[track].clip)
        if entry is not None and entry.made and not entry.made.preview:
            return entry
    return None


def opening(walk) -> np.ndarray:
    """(n,) the frame of the motion at which each step begins, with the transition that leads to it."""
    return np.maximum(walk.begins - walk.window, 0)


def made_entry(state, number: int):
    """A result by its number, or a sentence."""
    entry = state.library[number]
    if entry.made is None:
        raise MotionError(f"{entry.name} was not made here")
    return entry


# Commands


@apply.register
def _(command: do.ReplayResult, state):
    entry = made_entry(state, command.entry)
    track = RESULT if command.track is None else command.track
    if state.scene.views > 1 or track != RESULT:
        apply(do.Split(max(state.scene.views, track + 1, 2)), state)  # where it can be seen
    apply(do.SelectClip(entry.number, track), state)
    apply(do.TakeTrack(track), state)
    seek(state, entry.start, track)
    apply(do.Play(), state)


@apply.register
def _(command: do.SeekStep, state):
    entry = made_entry(state, command.entry)
    begins = opening(entry.made.walk)
    if not 0 <= command.step < len(begins):
        raise MotionError(f"{entry.name} has steps 0 to {len(begins) - 1}, not {command.step}")
    shown = [t for t in (state.active, RESULT) if state.tracks[t].clip == entry.number]
    if not shown:
        apply(do.SelectClip(entry.number), state)
    track = shown[0] if shown else RESULT
    if track != state.active:
        apply(do.TakeTrack(track), state)
    seek(state, int(begins[command.step]), track)


@apply.register
def _(command: do.RenameResult, state):
    entry, name = made_entry(state, command.entry), " ".join(command.name.split())
    if not name:
        raise MotionError("a result needs a name")
    if any(other.name == name and other is not entry for other in state.library):
        raise MotionError(f"there is a clip called {name} already")
    state.library.put(replace(entry, clip=replace(entry.clip, name=name)))


@apply.register
def _(command: do.TakeOptions, state):
    made = made_entry(state, command.entry).made
    if made.method not in state.walking.options:
        raise MotionError(f"there are no options for {made.method}")
    apply(do.SetWalk(made.method), state)
    apply(do.SetSeed(made.seed), state)
    for method in (made.method, "motion"):
        for name, value in made.options.items():
            if name in state.walking.options[method]:
                apply(do.SetWalkOption(method, name, value), state)


@apply.register
def _(command: do.ClearResults, state):
    for entry in results(state):
        apply(do.RemoveClip(entry.number), state)


@apply.register
def _(command: do.SaveLog, state):
    from motiongraph.files import writing

    entry, path = made_entry(state, command.entry), Path(command.path)
    with writing(path, "w", encoding="utf-8") as file:
        file.write(entry.made.walk.log(entry.made.file_frame))
    state.say(f"wrote {path}")
