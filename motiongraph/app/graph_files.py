"""Graphs to and from files, beside the loop."""

from dataclasses import replace
from pathlib import Path

from motiongraph.app import commands as do
from motiongraph.app.building import Source, drawing, sources_of
from motiongraph.app.commands import apply
from motiongraph.app.graphs import need_graph
from motiongraph.errors import MotionError

SUFFIX = ".mgraph"
_WRITERS = {".dot": "save_dot", ".graphml": "save_graphml", ".json": "save_json"}
_PICTURES = (".png", ".tif", ".tiff", ".bmp", ".webp", ".jpg", ".jpeg")


@apply.register
def _(command: do.OpenGraph, state):
    path = Path(command.path)
    here = [entry for entry in state.library if not entry.made]

    def work(progress, deliver):
        from motiongraph.app.prepared import prepare
        from motiongraph.graph.motion_graph import MotionGraph

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
            new.append(None if source else (clip, prepare(clip)))
        deliver((graph, sources, new))

    def then(result):
        _take_in(state, path, *result)

    state.jobs.start("graph", f"opening {path.name}", work, then)


def _take_in(state, path, graph, sources, new) -> None:
    """The clips that are not in the library yet come into it; those of the graph are ticked, and no others."""
    held = {source.number for source in sources if source}
    if held - state.library.entries.keys():
        raise MotionError("a clip of the graph was removed while it was being opened; open it again")
    for entry in list(state.library):
        if not entry.made and entry.used != (entry.number in held):
            state.library.put(replace(entry, used=entry.number in held))
    entries = []
    for i, (source, fresh) in enumerate(zip(sources, new)):
        entry = state.library.get(source.number) if source else state.library.add(*fresh)
        sources[i] = Source.of(entry)
        entries.append(entry)

    def work(progress, deliver):
        deliver(drawing(graph, entries, sources, progress))

    def then(drawn):
        apply(do.PointAtTransition(), state)
        state.graphs.take(graph, drawn)
        state.settings.opened(path.absolute())
        state.say(f"graph of {len(graph.clips)} clips from {path.name}, {len(graph.candidates.table):,} candidates")
        if state.entry is None and entries:
            apply(do.SelectClip(entries[0].number), state)
            state.frame_camera = True

    state.jobs.start("graph", f"opening {path.name}", work, then)


@apply.register
def _(command: do.SaveGraph, state):
    graph, path = need_graph(state), Path(command.path)

    def work(progress, deliver):
        progress(0, 1, path.name)
        graph.save(path)
        deliver(path)

    then = lambda done: state.say(f"the graph is in {done}")  # noqa: E731
    state.jobs.start(f"save {path}", f"writing {path.name}", work, then, needed=True)


@apply.register
def _(command: do.ExportGraph, state):
    graph, path = need_graph(state), Path(command.path)
    ending = path.suffix.lower()
    if ending not in _WRITERS and ending not in _PICTURES:
        raise MotionError(f"{path}: graphs are exported as {', '.join((*_WRITERS, '.png'))}")

    def work(progress, deliver):
        from motiongraph.graph import export, picture

        progress(0, 1, path.name)
        write = getattr(export, _WRITERS[ending]) if ending in _WRITERS else picture.save_picture
        write(graph, path)
        deliver(path)

    then = lambda done: state.say(f"wrote {done}")  # noqa: E731
    state.jobs.start(f"save {path}", f"writing {path.name}", work, then, needed=True)
