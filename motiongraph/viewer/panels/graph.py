"""The graph: clips as lanes, transitions as curves."""

from motiongraph.viewer.panels.widgets import note


def graph_panel(state, ui) -> None:
    note("Build a graph.")
