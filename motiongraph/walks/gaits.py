"""Walking and running in a graph, found by what clips are labelled, else by how fast their roots go."""

from enum import Enum

import numpy as np

from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.walks.steering import Steering
from motiongraph.walks.walk import frames_named

# m/s at which people begin to run: a Froude number of 0.5 with legs of 0.9 m (Alexander 1989).
RUNNING = 2.1
_WORDS = {"walk": ("walk",), "run": ("run", "jog", "sprint")}
_LEAST = 0.5  # s of motion that travels, without which there is no such gait


class Gait(Enum):
    """How someone goes."""

    WALK = "walk"
    RUN = "run"


def gait_frames(graph: MotionGraph, steering: Steering, gait: Gait) -> np.ndarray | None:
    """(F,) bool: the frames of a gait, None where the graph has no such motion that goes on for ever."""
    labels = {label for clip in graph.clips for label in clip.labels}
    named = [frames_named(graph, {label}) for label in labels if label.lower().startswith(_WORDS[gait.value])]
    fast = steering.speeds >= RUNNING
    for need in (np.any(named, axis=0) if named else None, fast if gait is Gait.RUN else ~fast):
        if need is not None and steering.travels(need).sum() >= _LEAST * graph.fps:
            return need
    return None
