"""Opening files, folders, the bundled samples and clips from the network, beside the loop and one file at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from motiongraph.app.command import command
from motiongraph.app.graph.graph_files import open_graph
from motiongraph.app.jobs import JobKind
from motiongraph.app.library.clips import trim
from motiongraph.app.library.entries import prepare_for
from motiongraph.app.library.reading import Reading, described, reading_for
from motiongraph.app.playback import play, show_clip
from motiongraph.app.project.session import open_project
from motiongraph.app.scene.props import open_prop
from motiongraph.errors import FormatError, MotionError, SkeletonError
from motiongraph.fetch import fetch_cmu
from motiongraph.files import resource
from motiongraph.formats.collection import MUCH, find_parts, named
from motiongraph.formats.load import check_capture
from motiongraph.progress import Progress

if TYPE_CHECKING:
    from motiongraph.app.state import AppState
    from motiongraph.model.skeleton import Skeleton

_OFTEN = 0.25  # s: panels look all clips over after a change, not for every one of thousands
# Files that are no clips.
_WHOLE = {".mgproj": open_project, ".mgraph": open_graph, ".obj": open_prop}


def open_files(
    paths: Sequence[Path],
    progress: Progress,
    deliver: Callable[[Any], None],
    readings: Mapping[str, Reading],
    skeleton: Path | None = None,
) -> None:
    """The work of opening what `find_parts` finds: clips are delivered as (path, clip, prepared, trim) and what cannot
    be opened as a MotionError; nothing else is disturbed by it.
    readings: what was said about folders; skeleton: the .asf of all AMC files, whatever was said."""

    skeletons: dict[Skeleton, Skeleton] = {}

    def fail(path, problem):
        wrong = isinstance(problem, MotionError)
        deliver(problem if wrong else FormatError(path, problem.strerror or str(problem)))

    for path in paths:
        if not os.path.exists(path):  # says no to any text; Path.exists raises where a name is too long
            fail(path, MotionError(f"{path}: there is no such file or folder"))
    parts, size = find_parts([path for path in paths if os.path.exists(path)], on_error=fail), 0
    for index, part in enumerate(parts):
        progress(index, len(parts), part.file.name)
        try:
            how = reading_for(readings, part.file)
            for clip in (how if skeleton is None else replace(how, skeleton=str(skeleton))).clips(part.file):
                # One skeleton for all clips that have it: panels group them by it.
                clip = named(clip, part)
                clip = clip.described(skeleton=skeletons.setdefault(clip.skeleton, clip.skeleton))
                size += clip.root.nbytes + clip.rotations.nbytes
                # Poses of a database do not fit into memory: they are unpacked when they are first shown. What others
                # keep of their files is as large again.
                clip = clip if size <= MUCH // 4 else clip.packed()
                deliver((part.file.absolute(), clip, prepare_for(clip), part.frames))
        except (MotionError, OSError) as problem:
            fail(part.file, problem)


def _take_in(state: AppState, result: Any, first: list[int], lead: str = "") -> None:
    """What opening delivered, into the library; the first clip is shown and played, or the one called `lead`."""
    if isinstance(result, MotionError):
        state.say(str(result), "error")
        if isinstance(result, SkeletonError):
            state.library.orphans = tuple(dict.fromkeys((*state.library.orphans, Path(result.path))))
        return
    path, clip, prepared, frames = result
    source = clip.source
    if source is not None and source.scaled and all(clip.skeleton != other.clip.skeleton for other in state.library):
        state.say(
            f"{path.name}: no unit fits its bones; it was {source.units}, which the clip panel can change", "warning"
        )
    entry = state.library.add(clip, prepared, path)
    if frames is not None:
        trim(state, entry.number, *frames)
    for note in source.notes if source else ():
        state.say(f"{path.name}: {note}", "warning")
    if not first or (entry.name == lead and state.tracks[state.active].clip == first[0]):
        first[:] = [entry.number]
        show_clip(state, entry.number)
        state.frame_camera = True
        if source is not None and not lead and "guess" in (source.unit_from, source.up_from):
            state.say(f"{entry.name}: {described(clip)}")
        if state.settings.autoplay:
            play(state)


@command
class OpenPaths:
    """Files, folders or a labels.toml."""

    paths: tuple[Path, ...]

    def apply(self, state: AppState) -> None:
        paths = tuple(Path(path) for path in self.paths)
        for path in paths:
            if path.suffix.lower() in _WHOLE:
                _WHOLE[path.suffix.lower()](state, path)
        paths = tuple(path for path in paths if path.suffix.lower() not in _WHOLE)
        if not paths:
            return
        for path in reversed(paths):
            if os.path.exists(path):
                state.settings.opened(path.absolute())
        _open(state, paths, f"opening {paths[0].name}" if len(paths) == 1 else f"opening {len(paths)} files")


def _open(state: AppState, paths: tuple[Path, ...], title: str, lead: str = "", skeleton: Path | None = None) -> None:
    first: list[int] = []
    readings = state.library.readings
    state.jobs.start(
        JobKind.OPEN,
        title,
        lambda progress, deliver: open_files(paths, progress, deliver, readings, skeleton),
        lambda result: _take_in(state, result, first, lead),
        of=object(),  # a thing of its own each: files opened one after the other all come in
        every=_OFTEN,
    )


@command
class GiveSkeleton:
    """Open the AMC files whose skeleton was not found with this .asf; None: leave them."""

    skeleton: Path | None

    def apply(self, state: AppState) -> None:
        files, state.library.orphans = state.library.orphans, ()
        if self.skeleton is not None and files:
            _open(state, files, f"opening {len(files)} files with {self.skeleton.name}", skeleton=self.skeleton)


@command
class OpenSamples:
    """Open the clips that came with the program."""

    def apply(self, state: AppState) -> None:
        files = sorted(resource("assets/captured").glob("*.bvh"))
        if not files:
            raise MotionError("no samples came with this installation of motiongraph; install it again")
        _open(state, tuple(files), "opening the samples", lead="walk")


@command
class FetchCmu:
    """Download clips of a subject from the CMU site, all of them where no trials are named, and open them."""

    subject: int
    trials: tuple[int, ...] = ()
    folder: Path | None = None

    def apply(self, state: AppState) -> None:
        first: list[int] = []
        readings = state.library.readings

        def work(progress, deliver):
            fetched = fetch_cmu(self.subject, self.trials, self.folder, progress, check=check_capture)
            found = [path for path in (*fetched.new, *fetched.kept) if path.suffix.lower() == ".amc"]
            open_files(sorted(found), progress, deliver, readings)

        title = f"fetching CMU subject {self.subject:02d}"
        state.jobs.start(
            JobKind.FETCH, title, work, lambda result: _take_in(state, result, first), of=self.subject, every=_OFTEN
        )
