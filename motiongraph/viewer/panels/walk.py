"""New motion from the graph."""

from motiongraph.viewer.panels.widgets import note


def walk_panel(state, ui) -> None:
    note("Make a walk.")
