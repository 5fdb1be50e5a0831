"""A path on the floor."""

from motiongraph.viewer.panels.widgets import note


def path_panel(state, ui) -> None:
    note("Draw a path.")
