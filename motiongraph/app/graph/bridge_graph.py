"""Bridges in the window: made clips that lead over where the graph hardly does. They come into the library."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from motiongraph.app.command import command
from motiongraph.app.graph.build_graph import build_graph
from motiongraph.app.graph.graph_state import go_on, need_graph
from motiongraph.app.jobs import JobKind
from motiongraph.app.library.entries import Prepared, prepare
from motiongraph.progress import Progress, stretch
from motiongraph.synthesis.bridge import bridged, in_words

if TYPE_CHECKING:
    from motiongraph.app.state import AppState
    from motiongraph.model.clip import Clip


@command
class BridgeGraph:
    """Make clips that pass from one motion into another where the graph hardly leads over, and build it with them."""

    def apply(self, state: AppState) -> None:
        graph = need_graph(state)

        def work(progress: Progress, deliver: Callable[[Any], None]) -> None:
            wider, kept = bridged(graph, progress=stretch(progress, 0.0, 0.9))
            made = {clip.name: clip for clip in wider.candidates.originals}
            deliver([(made[each["name"]], prepare(made[each["name"]]), in_words(each)) for each in kept])

        def then(found: list[tuple[Clip, Prepared, str]]) -> None:
            if not found:
                state.say("no bridge was found: parts that do not lead to each other have no steps of like structure")
                return
            for clip, prepared, words in found:
                state.library.add(clip, prepared)
                state.say(words)
            build_graph(state)

        state.jobs.start(JobKind.GRAPH, "bridging clips", work, then, after=lambda: go_on(state))
