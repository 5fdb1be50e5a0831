"""The goal of following a path, put together: the path, what is asked for on each stretch, and what counts how much."""

from dataclasses import dataclass
from itertools import pairwise
from weakref import WeakKeyDictionary

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.walks.curve import Curve
from motiongraph.walks.floor_path import Ground, ground_of
from motiongraph.walks.frames import called, frames_named
from motiongraph.walks.path_cost import Road, Rules
from motiongraph.walks.shortest_paths import choices_of, shortest, unreachable

# Where a path ends, unless more is asked of it. A sharp corner costs some error before it pays: that is spared.
_PLAIN_END = {
    "early": 0.0, "late": 0.0, "end_place": 0.0, "end_facing": 0.0, "end_x": 0.0, "end_z": 1.0, "strict": 0,
    "spare": 1.0,
}  # fmt: skip
_NEVER = 60.0  # s, taken for the way to a label that cannot be had


@dataclass(frozen=True)
class Weights:
    """What counts how much beside the squared distance from the path (m², over every second).

    facing: m² for facing a quarter turn away; cost: m²s for each cm² of a transition; label: m² for motion of
    another label than asked for; near: metres around a change of label where that matters less; gamma: m/s of least
    progress; slack: share by which progress may differ from the length walked (0 is Kovar's equation 9); stay:
    seconds between transitions.
    """

    facing: float = 0.05
    cost: float = 0.0006
    label: float = 4.0
    near: float = 0.75
    gamma: float = 0.1
    slack: float = 0.3
    stay: float = 0.0


@dataclass(frozen=True, eq=False)
class Goal:
    """curve: the path; road, rules: it and the weights as the kernels read them; needs: the frames (F,) bool asked for
    on each stretch, None for any; asked: their names; changes: metres at which the stretches begin."""

    curve: Curve
    road: Road
    rules: Rules
    needs: tuple
    asked: tuple
    changes: np.ndarray

    @classmethod
    def of(cls, graph, curve: Curve, labels=None, weights: Weights | None = None, check=True, **ends) -> "Goal":
        """labels: as for `follow_path`; check: that these can be had; ends: fields of `Rules` about the path's end."""
        ground, weights = ground_of(graph), weights or Weights()
        asked, changes = stretches(labels, curve)
        needs = tuple(None if name is None else _wanted(graph, name)[0] for name in asked)
        if check:
            _check(graph, needs, asked)
        rules = {
            "length": curve.length,
            "spacing": curve.spacing,
            "fps": ground.fps,
            "stride": ground.stride,
            "least": round(weights.stay * ground.fps),
            "window": ground.window,
            "gamma": weights.gamma,
            "slack": weights.slack,
            "facing": weights.facing,
            "cost": weights.cost,
            "quickest": ground.quickest,
            **_PLAIN_END,
            **ends,
        }
        # Kernels take each field as the one type it was compiled for.
        rules = Rules(**{name: kind(rules[name]) for name, kind in Rules.__annotations__.items()})
        return cls(curve, _road(graph, ground, curve, asked, changes, weights), rules, needs, asked, changes)

    @property
    def longest(self) -> float:
        """Metres along the path at which every walk has ended."""
        return self.rules.length + self.rules.late


def stretches(labels, curve: Curve) -> tuple[tuple, np.ndarray]:
    """The names asked for on the stretches of a path, and the metres at which those begin; equal neighbours joined."""
    if labels is None or isinstance(labels, str):
        return (labels,), np.zeros(1)
    labels = list(labels)
    if labels and all(
        isinstance(entry, tuple) and len(entry) == 2 and not isinstance(entry[0], str) for entry in labels
    ):
        begins, names = np.array([float(entry[0]) for entry in labels]), [entry[1] for entry in labels]
        if begins[0] > 0:
            begins, names = np.append(0.0, begins), [None, *names]
        if (np.diff(begins) <= 0).any() or begins[-1] >= curve.length or begins[0] < 0:
            raise MotionError(f"labels must begin one after the other within the {curve.length:.1f} m of the path")
    else:
        if len(labels) == 1:
            labels *= len(curve.knots) - 1
        if len(labels) != len(curve.knots) - 1:
            raise MotionError(
                f"{len(labels)} labels for the {len(curve.knots) - 1} stretches between the points of the path; give "
                "one for each, or pairs of metres and label"
            )
        begins, names = curve.knots[:-1], labels
    first = [k for k in range(len(names)) if k == 0 or names[k] != names[k - 1]]
    return tuple(names[k] for k in first), np.asarray(begins)[first]


def _check(graph, needs, asked):
    """Every label must have motion in the graph, and be in reach of the one before."""
    at = choices_of(graph).at
    busy = np.zeros(len(graph.structure), bool)
    busy[graph.structure.leaves[graph.open]] = True
    busy |= graph.open_pieces
    for need, name in zip(needs, asked):
        if need is not None and not need[at[busy]].any():
            raise unreachable(graph, frames_named(graph, None) & ~need, need, "other motion", called(graph, name))
    for (source, a), (target, b) in pairwise(zip(needs, asked)):
        if source is not None and target is not None and not _leads(graph, source, target):
            raise unreachable(graph, source, target, called(graph, a), called(graph, b))


def _leads(graph, source, target):
    network = choices_of(graph)
    begin = np.where(source[network.at], 0.0, np.inf)
    return np.isfinite(shortest(network, network.frames, begin)[0][target[network.at]]).any()


def _road(graph, ground: Ground, curve: Curve, asked, changes, weights) -> Road:
    along, frames = curve.along, len(ground.terrain.path)
    stretch = (np.searchsorted(changes, along, side="right") - 1).astype(np.int32)
    line = np.zeros((len(along), 6))
    line[:, :2], line[:, 2:4] = curve.places, curve.tangents
    ends = np.append(changes[1:], np.inf)
    line[:, 5] = ends[stretch] - along
    if any(name is not None for name in asked):
        off = np.abs(along[:, None] - changes[None, 1:]).min(axis=1, initial=np.inf)
        line[:, 4] = weights.label * np.minimum(1.0, off / max(weights.near, 1e-9))
    need = np.ones((len(asked), frames), np.uint8)
    away = np.zeros((len(asked), frames), np.float32)
    for k, name in enumerate(asked):
        if name is not None:
            need[k], away[k] = _wanted(graph, name)
    road = Road(line, stretch, need, away)
    for array in road:
        array.flags.writeable = False
    return road


_asked_before: WeakKeyDictionary = WeakKeyDictionary()


def _wanted(graph, name):
    """(F,) bool the frames of a name, and (F,) the seconds to it; worked out once for each view of a graph."""
    candidates, known = _asked_before.get(graph, (None, None))
    if candidates is not graph.candidates:
        known = {}
        _asked_before[graph] = graph.candidates, known
    if name not in known:
        mask = frames_named(graph, name)
        known[name] = mask, seconds_to(graph, mask)
    return known[name]


def seconds_to(graph, mask) -> np.ndarray:
    """(F,) seconds from each choice point to the nearest frame of `mask` that is one; 0 elsewhere."""
    network = choices_of(graph)
    back = network.reversed()
    seconds, _ = shortest(back, back.frames / graph.fps, np.where(mask[back.at], 0.0, np.inf))
    away = np.zeros(len(mask), np.float32)
    away[network.at] = np.minimum(seconds, _NEVER)
    return away
