"""The distance matrix of two clips."""

from motiongraph.viewer.panels.widgets import note


def matrix_panel(state, ui) -> None:
    note("Choose two clips.")
