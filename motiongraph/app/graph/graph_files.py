"""Graphs to and from files, beside the loop."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from motiongraph.app.command import command
from motiongraph.app.graph.graph_state import go_on, leave_transition, need_graph
from motiongraph.app.graph.lanes import Source, drawing, sources_of
from motiongraph.app.jobs import JobKind
from motiongraph.app.library.entries import prepare_for
from motiongraph.app.playback import show_clip
from motiongraph.app.project.project_file import has_work, mark
from motiongraph.errors import MotionError
from motiongraph.graph import export
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.graph.picture import save_picture

if TYPE_CHECKING:
    from motiongraph.app.library.entries import Entry, Prepared
    from motiongraph.app.state import AppState
    from motiongraph.graph.motion_graph import MotionGraph
    from motiongraph.model.clip import Clip

SUFFIX = ".mgraph"
_WRITERS = {".dot": "save_dot", ".graphml": "save_graphml", ".json": "save_json"}
_PICTURES = (".png", ".tif", ".tiff", ".bmp", ".webp", ".jpg", ".jpeg")


def open_graph(state: AppState, path: Path) -> None:
    """Read an .mgraph file beside the loop; its clips come into the library."""
    here = [entry for entry in state.library if not entry.made]

    def work(progress, deliver):
        progress(0, 1, path.name)
        if not path.exists():
            raise MotionError(f"{path}: there is no such file")
        graph = MotionGraph.load(path).pruned()
        graph.kept  # noqa: B018 - here, beside the loop
        originals = graph.candidates.originals
        sources = sources_of(graph, here)
        new = []
        for done, (clip, source) in enumerate(zip(originals, sources)):
            progress(done, len(originals), clip.name)
            new.append(None if source else (clip, prepare_for(clip)))
        deliver((graph, sources, new))

    def then(result):
        _take_in(state, path, *result)

    state.jobs.start(JobKind.GRAPH, f"opening {path.name}", work, then, after=lambda: go_on(state))


@command
class OpenGraph:
    """An .mgraph file; its clips come into the library."""

    path: Path

    def apply(self, state: AppState) -> None:
        open_graph(state, Path(self.path))


def _entry_of(state: AppState, source: Source | None, added: tuple[Clip, Prepared] | None) -> Entry:
    """The entry that a clip of a graph is from; one that is not in the library yet comes into it."""
    if source is not None:
        return state.library[source.number]
    assert added is not None, "a clip without an entry was prepared"
    return state.library.add(*added)


def _take_in(
    state: AppState,
    path: Path,
    graph: MotionGraph,
    sources: list[Source | None],
    new: list[tuple[Clip, Prepared] | None],
) -> None:
    """The clips that are not in the library yet come into it; those of the graph are ticked, and no others."""
    held = {source.number for source in sources if source}
    if held - state.library.entries.keys():
        raise MotionError("a clip of the graph was removed while it was being opened; open it again")
    for entry in list(state.library):
        if not entry.made and entry.used != (entry.number in held):
            state.library.put(replace(entry, used=entry.number in held))
    entries = [_entry_of(state, source, added) for source, added in zip(sources, new)]
    sources = [Source.of(entry) for entry in entries]

    def work(progress, deliver):
        deliver(drawing(graph, entries, sources, progress))

    # The file has it: what is only opened is not kept again, which would take minutes with a whole database.
    untouched = state.project.path is None and not has_work(state)

    def then(drawn):
        leave_transition(state)
        state.graph.take(graph, drawn)
        state.settings.opened(path.absolute())
        state.say(f"graph of {len(graph.clips)} clips from {path.name}, {len(graph.candidates.table):,} candidates")
        if state.entry is None and entries:
            show_clip(state, entries[0].number)
            state.frame_camera = True
        if untouched:
            state.project.saved = mark(state)

    state.jobs.start(JobKind.GRAPH, f"opening {path.name}", work, then, after=lambda: go_on(state))


@command
class SaveGraph:
    """Write an .mgraph file, clips and all."""

    path: Path

    def apply(self, state: AppState) -> None:
        graph, path = need_graph(state), Path(self.path)

        def work(progress, deliver):
            progress(0, 1, path.name)
            graph.save(path)
            deliver(path)

        title = f"writing {path.name}"
        state.jobs.start(JobKind.WRITE, title, work, lambda done: state.say(f"Saved to {done}"), path, needed=True)


@command
class ExportGraph:
    """For other programs: .dot, .graphml, .json, or a picture (.png)."""

    path: Path

    def apply(self, state: AppState) -> None:
        graph, path = need_graph(state), Path(self.path)
        ending = path.suffix.lower()
        if ending not in _WRITERS and ending not in _PICTURES:
            raise MotionError(f"{path}: graphs are exported as {', '.join((*_WRITERS, '.png'))}")

        def work(progress, deliver):
            progress(0, 1, path.name)
            write = getattr(export, _WRITERS[ending]) if ending in _WRITERS else save_picture
            write(graph, path)
            deliver(path)

        title = f"writing {path.name}"
        state.jobs.start(JobKind.WRITE, title, work, lambda done: state.say(f"wrote {done}"), path, needed=True)
