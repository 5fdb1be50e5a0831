"""How good walks on the present graph are: the figures of `motiongraph quality`, in the Walk panel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from motiongraph.app.command import command
from motiongraph.app.graph.graph_state import need_graph
from motiongraph.app.jobs import JobKind
from motiongraph.synthesis.assess import assess

if TYPE_CHECKING:
    from motiongraph.app.state import AppState

WALKS, SECONDS = 12, 30.0  # made to measure them


def measured(state: AppState) -> dict[str, Any] | None:
    """The figures of the present graph at its threshold, where they were measured; see `assess`."""
    graph, found = state.graph.measured
    return found if graph is state.graph.graph else None


@command
class MeasureQuality:
    """Make random walks on the graph, beside the loop, and measure their motion beside the clips."""

    walks: int = WALKS
    seconds: float = SECONDS

    def apply(self, state: AppState) -> None:
        graph = need_graph(state)

        def work(progress, deliver):
            deliver((graph, assess(graph, self.walks, self.seconds, progress=progress)))

        def then(found):
            state.graph.measured = found

        state.jobs.start(JobKind.MEASURE, "measuring motion", work, then)
