"""motiongraph: turns motion capture into new motion.

    import motiongraph as mg
    clip = mg.load("walk.bvh")

Names are loaded when first used, so that `import motiongraph` is quick and needs neither numba nor OpenGL.
`__init__.pyi` lists the same names for editors and type checkers.
"""

from importlib import import_module as _import_module
from typing import Any as _Any

__version__ = "0.1.0"

_WHERE = {
    "Skeleton": "motiongraph.model.skeleton",
    "Clip": "motiongraph.model.clip",
    "Labels": "motiongraph.model.labels",
    "BoneMap": "motiongraph.model.bone_map",
    "bone_map": "motiongraph.model.bone_map",
    "load": "motiongraph.formats.load",
    "load_all": "motiongraph.formats.collection",
    "load_clips": "motiongraph.formats.load",
    "save": "motiongraph.formats.save",
    "MotionGraph": "motiongraph.graph.motion_graph",
    "Metric": "motiongraph.metric.metric",
    "DistanceMatrix": "motiongraph.metric.distance",
    "distance_matrix": "motiongraph.metric.distance",
    "find_minima": "motiongraph.metric.search",
    "synthesize": "motiongraph.synthesis.synthesize",
    "quality": "motiongraph.synthesis.quality",
    "Live": "motiongraph.synthesis.live",
    "LiveCharacter": "motiongraph.synthesis.live_character",
    "Crowd": "motiongraph.synthesis.crowd",
    "bridge": "motiongraph.synthesis.bridge",
    "bridged": "motiongraph.synthesis.bridge",
    "rooted": "motiongraph.synthesis.root",
    "propose_labels": "motiongraph.walks.auto_labels",
    "choose_clips": "motiongraph.walks.auto_labels",
    "Walk": "motiongraph.walks.walk",
    "greedy_walk": "motiongraph.walks.random_walk",
    "random_walk": "motiongraph.walks.random_walk",
    "sequential_walk": "motiongraph.walks.sequential",
    "connect": "motiongraph.walks.connect",
    "connection_table": "motiongraph.walks.connect",
    "search": "motiongraph.walks.search",
    "follow_path": "motiongraph.walks.follow_path",
    "reach": "motiongraph.walks.reach",
    "Curve": "motiongraph.walks.curve",
    "Goal": "motiongraph.walks.path_goal",
    "Weights": "motiongraph.walks.path_goal",
    "Effort": "motiongraph.walks.path_goal",
    "trace": "motiongraph.walks.curve",
    "MotionError": "motiongraph.errors",
    "Unreachable": "motiongraph.errors",
    "FormatError": "motiongraph.errors",
    "FormatWarning": "motiongraph.errors",
    "Cancelled": "motiongraph.progress",
}

__all__ = ["__version__", *_WHERE]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> _Any:
    if name in _WHERE:
        value = getattr(_import_module(_WHERE[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'motiongraph' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_WHERE])
