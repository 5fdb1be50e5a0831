"""The graph in hand: built from the ticked clips beside the loop, seen at the threshold that is set."""

from dataclasses import dataclass, field

from motiongraph.app import commands as do
from motiongraph.app.commands import apply
from motiongraph.app.library import Entry
from motiongraph.errors import MotionError


@dataclass(eq=False)
class GraphState:
    """graph: a pruned view at the present threshold, or None; report: its figures; entries: one for each of the
    graph's clips, in their order, for drawing poses of them: not in the library, `number` is that of the entry the
    clip is from, also for its mirror image; offsets: what to add to a clip's frames to have those of its file.
    version grows with every change, built with every new table of candidates."""

    graph: object = None
    report: dict = field(default_factory=dict)
    entries: tuple[Entry, ...] = ()
    offsets: tuple[int, ...] = ()
    version: int = 0
    built: int = 0

    def see(self, graph) -> None:
        """Show another view of the same candidates."""
        self.graph = graph
        self.report = graph.report() if graph is not None else {}
        self.version += 1

    def take(self, graph, drawn) -> None:
        """A new graph, or none; drawn: what `drawable` gives for it."""
        self.entries, self.offsets = drawn or ((), ())
        self.built += 1
        self.see(graph)


def drawable(graph, library_entries, fps: float | None = None):
    """(entries, offsets) as in GraphState for a graph built of the parts of these entries; takes as long as looking
    at all its clips. fps: the rate it was built at, None for the clips' own."""
    from motiongraph.app.prepared import prepare

    if graph is None:
        return (), ()
    names = {entry.name: entry for entry in library_entries if not entry.made}
    entries, offsets = [], []
    for clip in graph.clips:
        origin = names.get(clip.name) or names.get(clip.name.removesuffix("_mirrored"))
        number = origin.number if origin else -1
        entries.append(Entry(number, clip, prepare(clip), start=clip.first, stop=len(clip)))
        offsets.append(origin.start if origin and fps is None else 0)
    return tuple(entries), tuple(offsets)


def taking_part(state) -> list[Entry]:
    """The ticked clips, without what was made here."""
    return [entry for entry in state.library if entry.used and not entry.made]


def need_graph(state):
    """The graph, or a sentence that says what to do."""
    if state.graphs.graph is None:
        raise MotionError("there is no graph yet: tick clips in the library and build one")
    return state.graphs.graph


@apply.register
def _(command: do.BuildGraph, state):
    chosen = taking_part(state)
    if not chosen:
        raise MotionError("no clip is ticked in the library: tick those that are to take part in the graph")
    parts = [entry.part for entry in chosen]

    def work(progress, deliver):
        from motiongraph.graph.motion_graph import MotionGraph

        clips = parts if command.fps is None else [part.resampled(command.fps) for part in parts]
        graph = MotionGraph.build(clips, mirror=command.mirror, progress=progress).pruned()
        graph.kept  # noqa: B018 - here, beside the loop
        deliver((graph, drawable(graph, chosen, command.fps)))

    def then(result):
        state.graphs.take(*result)

    state.jobs.start("graph", f"building a graph of {len(parts)} clips", work, then)


@apply.register
def _(command: do.SetThreshold, state):
    state.graphs.see(need_graph(state).at(command.threshold))


@apply.register
def _(command: do.DropGraph, state):
    state.graphs.take(None, None)
