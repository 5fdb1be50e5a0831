"""Opening files, folders, the bundled samples and clips from the network, beside the loop and one file at a time."""

import os
from pathlib import Path

from motiongraph.app import commands as do
from motiongraph.app.commands import apply
from motiongraph.errors import FormatError, MotionError


def open_files(paths, progress, deliver) -> None:
    """The work of opening what `find_parts` finds: everything is delivered one by one, clips as (path, clip, prepared,
    trim) and what cannot be opened as a MotionError; nothing else is disturbed by it."""
    from motiongraph.app.prepared import prepare
    from motiongraph.formats.collection import find_parts, named
    from motiongraph.formats.load import load_clips

    def fail(path, problem):
        wrong = isinstance(problem, MotionError)
        deliver(problem if wrong else FormatError(path, problem.strerror or str(problem)))

    for path in paths:
        if not os.path.exists(path):  # says no to any text; Path.exists raises where a name is too long
            fail(path, MotionError(f"{path}: there is no such file or folder"))
    parts = find_parts([path for path in paths if os.path.exists(path)], on_error=fail)
    for index, part in enumerate(parts):
        progress(index, len(parts), part.file.name)
        try:
            for clip in load_clips(part.file):
                clip = named(clip, part)
                deliver((part.file.absolute(), clip, prepare(clip), part.frames))
        except (MotionError, OSError) as problem:
            fail(part.file, problem)


def _take_in(state, result, first: list, lead: str = "") -> None:
    """What opening delivered, into the library; the first clip is shown and played, or the one called `lead`."""
    if isinstance(result, MotionError):
        state.say(str(result), "error")
        return
    path, clip, prepared, frames = result
    entry = state.library.add(clip, prepared, path)
    if frames is not None:
        apply(do.Trim(entry.number, *frames), state)
    for note in clip.source.notes if clip.source else ():
        state.say(f"{path.name}: {note}", "warning")
    if not first or (entry.name == lead and state.tracks[state.active].clip == first[0]):
        first[:] = [entry.number]
        apply(do.SelectClip(entry.number), state)
        state.frame_camera = True
        if state.settings.autoplay:
            apply(do.Play(), state)


# Files that are no clips.
_WHOLE = {".mgproj": do.OpenProject, ".mgraph": do.OpenGraph, ".obj": do.OpenProp}


@apply.register
def _(command: do.OpenPaths, state):
    paths = tuple(Path(path) for path in command.paths)
    for path in paths:
        if path.suffix.lower() in _WHOLE:
            apply(_WHOLE[path.suffix.lower()](path), state)
    paths = tuple(path for path in paths if path.suffix.lower() not in _WHOLE)
    if not paths:
        return
    for path in reversed(paths):
        if os.path.exists(path):
            state.settings.opened(path.absolute())
    _open(state, paths, f"opening {paths[0].name}" if len(paths) == 1 else f"opening {len(paths)} files")


def _open(state, paths, title, lead: str = "") -> None:
    first: list[int] = []
    # Its own kind each: files opened one after the other all come in.
    kind = f"open {len(state.jobs.running)} {paths}"
    state.jobs.start(
        kind,
        title,
        lambda progress, deliver: open_files(paths, progress, deliver),
        lambda result: _take_in(state, result, first, lead),
    )


@apply.register
def _(command: do.OpenSamples, state):
    from motiongraph.files import resource

    # As BVH: some are there as ASF and AMC too, and would come twice.
    files = sorted(resource("assets/samples").glob("*.bvh"))
    if not files:
        raise MotionError("no samples came with this installation of motiongraph; install it again")
    _open(state, tuple(files), "opening the samples", lead="walk")


@apply.register
def _(command: do.FetchCmu, state):
    first: list[int] = []

    def work(progress, deliver):
        from motiongraph.fetch import fetch_cmu

        fetched = fetch_cmu(command.subject, command.trials, command.folder, progress)
        wanted = [path for path in (*fetched.new, *fetched.kept) if path.suffix.lower() == ".amc"]
        open_files(sorted(wanted), progress, deliver)

    title = f"fetching CMU subject {command.subject:02d}"
    state.jobs.start(f"fetch {command.subject}", title, work, lambda result: _take_in(state, result, first))
