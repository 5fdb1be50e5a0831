"""The modules that need the compiler, imported when they are first used.

Importing numba takes about half a second, and some of these modules as long again. The window is shown before that:
`warm_up` imports them on a worker while it is already open. Nothing else in `app` is imported late, so this is the one
place to look. Use them as `deferred.distance.distance_matrix(...)`; type checkers see ordinary imports.
"""

# ruff: noqa: F401 - these names are the module's content
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from motiongraph.app import cast, making, prepared, project, project_reader, stage
    from motiongraph.formats import collection, load, save
    from motiongraph.graph import candidates, export, motion_graph, picture, thresholds, transitions
    from motiongraph.metric import distance
    from motiongraph.model import clip, placement
    from motiongraph.synthesis import live, quality, synthesize
    from motiongraph.walks import curve, follow_path, walk
    from motiongraph.walks import live as live_walk

_WHERE = {
    "app": ("cast", "making", "prepared", "project", "project_reader", "stage"),
    "formats": ("collection", "load", "save"),
    "graph": ("candidates", "export", "motion_graph", "picture", "thresholds", "transitions"),
    "metric": ("distance",),
    "model": ("clip", "placement"),
    "synthesis": ("live", "quality", "synthesize"),
    "walks": ("curve", "follow_path", "walk"),
}
MODULES = {name: f"motiongraph.{part}.{name}" for part, names in _WHERE.items() for name in names}
MODULES["live_walk"] = "motiongraph.walks.live"


def __getattr__(name: str) -> ModuleType:
    if name not in MODULES:
        raise AttributeError(f"{__name__} has no {name!r}")
    return import_module(MODULES[name])
