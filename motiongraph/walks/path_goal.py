"""What to search for and how hard: a path, the label asked for on each stretch, what counts how much, the effort."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.walks.curve import Curve
from motiongraph.walks.floor_path import FloorGraph, floor_graph
from motiongraph.walks.path_cost import Rules, TargetPath
from motiongraph.walks.sharp_turns import near_corners
from motiongraph.walks.shortest_paths import network_of, shortest, unreachable
from motiongraph.walks.turn_table import NONE, turn_table
from motiongraph.walks.walk import Name, Seed, as_label, called, fixed, frames_named

# One label for the whole path; one, or None for any, for each stretch between points; or pairs of (metres, label).
Labels: TypeAlias = str | set[str] | frozenset[str] | Sequence[Any]
# Where a path ends, unless more is asked of it. A sharp corner costs some error before it pays: that is spared.
_PLAIN_END: dict[str, float] = {
    "early": 0.0, "late": 0.0, "end_place": 0.0, "end_facing": 0.0, "end_x": 0.0, "end_z": 1.0,
    "end_rest": 0.0, "strict": 0, "strip": 0.0, "inside": 0.2, "turning": 0.0, "spare": 1.0,
}  # fmt: skip
# Where it ends by standing still: a little before or after the path's end, near to it.
STANDING_END: dict[str, float] = {"early": 0.3, "late": 0.3, "end_place": 2.0}
STANDS = 0.15  # m/s; slower is standing
_HOUR = 3600.0  # s, of the longest walk
_NEVER = 60.0  # s, taken for the time to a label that cannot be reached
_NOWHERE = 100.0  # m, taken for the way to it
_NO_TURNS = np.zeros((0, 8)), *NONE
_NO_TURNS[0].flags.writeable = False
# Labels that tell where motion goes and not what it is.
DIRECTIONS = frozenset({"straight", "left", "right", "turn-left", "turn-right"})
METHODS = ("beam", "branch and bound")


@dataclass(frozen=True)
class Effort:
    """How hard to search. Without `seconds` and `expansions` a search runs until it is done."""

    method: str = "beam"  # or "branch and bound" (Kovar 2002, 4.2)
    width: int = 64  # states in a cell of the beam
    kinds: bool = False  # keep places in the beam for states that slow down or turn
    again: bool = True  # whether to search again, by the table of turns and wider, where a walk leaves the path
    cell: float = 0.15  # m along the path in which they compete
    seconds: float | None = None  # to compute, at most; the beam widens until they are used
    expansions: int | None = None  # states expanded, at most, for the whole walk
    error: float = np.inf  # m²s from which on the beam drops a walk
    plan: float = 3.0  # n: seconds that branch and bound looks ahead
    keep: float = 1.0  # m: seconds of such a plan that are kept, before planning again
    turning: float = 120.0  # degrees a second by which bodies may be turned where no steady walk keeps near; 0: not
    best: int = 1  # r: take one of this many walks that differ, chosen by `rng`
    tolerance: float = 0.5  # share by which the error of such a walk, a sum of squares, may exceed the best
    rng: Seed = field(default=0, compare=False)  # seed 0 … r − 1 picks the best, the next …

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise MotionError(f"a planner is one of {', '.join(METHODS)}, not {self.method!r}")
        if min(self.width, self.best) < 1 or min(self.plan, self.keep, self.cell) <= 0:
            raise MotionError("width, best, cell, plan and keep must be above zero")
        if not 0.0 <= self.turning <= 720.0:
            raise MotionError(f"a body turns by 0 to 720 degrees a second, not {self.turning!r}")
        if self.tolerance < 0:
            raise MotionError(f"the tolerance is a share of at least 0, not {self.tolerance:g}")

    @classmethod
    def kovar(cls, plan: float = 100 / 30, keep: float = 28 / 30, **fields: float) -> "Effort":
        """Branch and bound as Kovar et al. ran it (2002, 4.2): n of 80 to 120 frames and m of 25 to 30 at 30 Hz."""
        return cls("branch and bound", plan=plan, keep=keep, **fields)  # pyright: ignore[reportArgumentType]

    @classmethod
    def mao(cls, **fields: float) -> "Effort":
        """Branch and bound as Mao ran it (2011, 4.4): N = 90 frames and M = 40 at 120 Hz."""
        return cls("branch and bound", plan=90 / 120, keep=40 / 120, **fields)  # pyright: ignore[reportArgumentType]

    @property
    def limited(self) -> bool:
        """Whether the search ends before it is done."""
        return self.seconds is not None or self.expansions is not None

    def share(self, share: float) -> "Effort":
        """With so much of the time and expansions allowed."""
        seconds = None if self.seconds is None else share * self.seconds
        expansions = None if self.expansions is None else max(int(share * self.expansions), 1)
        return replace(self, seconds=seconds, expansions=expansions)

    def pick(self) -> int:
        """Which of the `best` walks is meant, 0 for the best."""
        if isinstance(self.rng, int | np.integer):
            return int(self.rng) % self.best
        return int(np.random.default_rng(self.rng).integers(self.best))


@dataclass(frozen=True, eq=False)
class Found:
    """A way through the graph, and what it took to find it."""

    start: int  # which of the starts
    taken: tuple[int, ...]  # transitions, as `Floor` counts them
    last: int  # frame to end at
    error: float  # m²s
    complete: bool  # whether it serves the goal to its end
    expansions: int
    note: str = ""  # one sentence on how the search ended, if there is something to say
    limited: bool = False  # whether a limit ended the search
    gap: float | None = None  # share of the error by which a search without limit could lower it; None: not known
    facts: dict[str, float] = field(default_factory=dict)  # further figures for the report

    @property
    def merit(self) -> tuple[bool, float]:
        """Greater is better."""
        return self.complete, -self.error


@dataclass(frozen=True)
class Weights:
    """What counts how much, beside the squared distance from the path (m², over every second)."""

    facing: float = 0.05  # m² for facing a quarter turn away
    cost: float = 0.0006  # m²s for each cm² of a transition's cost
    label: float = 4.0  # m² for motion of another label than asked for
    near: float = 0.75  # m around a change of label where that matters less
    gamma: float = 0.1  # m/s of least progress, so that standing still does not pay (Kovar 2002, 5.1)
    slack: float = 0.3  # share by which progress may differ from the length walked; 0 is equal arc length
    stay: float = 0.0  # s between transitions
    change: float = 0.05  # m²s for a transition to motion of other labels, or by 1 m/s faster or slower
    repeat: float = 0.02  # m²s for coming again to where the walk was a few transitions before
    speed: float = 0.0  # m/s to go at; 0: any
    hurry: float = 0.1  # m² for going 1 m/s faster or slower than that
    rest: float = 0.5  # m²s for ending a path at 1 m/s where the walk could stand

    def __post_init__(self) -> None:
        if not all(np.isfinite(value) and value >= 0 for value in vars(self).values()):
            raise MotionError("weights are numbers of at least 0")

    @classmethod
    def equation_9(cls, gamma: float = 0.1) -> "Weights":
        """Kovar's equation 9 and nothing else: the squared distance at equal arc length."""
        return cls(facing=0.0, cost=0.0, slack=0.0, gamma=gamma, change=0.0, repeat=0.0, rest=0.0)


@dataclass(frozen=True, eq=False)
class Goal:
    """A path to follow and its cost."""

    curve: Curve
    target: TargetPath  # path and labels as the kernels read them
    rules: Rules  # weights as the kernels read them
    needs: tuple[np.ndarray | None, ...]  # (F,) bool: frames asked for on each stretch, None for any
    asked: tuple[Name | None, ...]  # their names
    changes: np.ndarray  # (S,) metres at which the stretches begin
    # `sharp_turns.near_corners` and the two of `TurnTable`, empty where the search does not go by it
    turns: tuple[np.ndarray, ...] = _NO_TURNS

    @classmethod
    def of(
        cls, graph: MotionGraph, curve: Curve, labels: Labels | None = None, weights: Weights | None = None,
        check: bool = True, turns: str = "", **ends: float,
    ) -> "Goal":  # fmt: skip
        """labels: as for `follow_path`; check: that they can be reached; turns: where the search goes
        by the table of turns, "everywhere" or at sharp "corners" only; ends: fields of `Rules` on the path's end."""
        ground, weights = floor_graph(graph), weights or Weights()
        not_too_far(ground, curve.length)
        asked, changes = stretches(labels, curve)
        asked = tuple(as_label(graph, name) for name in asked)
        needs = tuple(None if name is None else _frames_and_ways(graph, name)[0] for name in asked)
        if check:
            _check(graph, needs, asked)
        values: dict[str, Any] = {
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
            "speed": weights.speed,
            "hurry": weights.hurry if weights.speed > 0 else 0.0,
            "repeat": weights.repeat,
            "quickest": ground.quickest,
            **_PLAIN_END,
            **ends,
        }
        # Kernels take each field as the one type it was compiled for.
        rules = Rules(**{name: kind(values[name]) for name, kind in Rules.__annotations__.items()})
        target = _target(graph, ground, curve, asked, changes, weights)
        by_turns = (near_corners(curve, turns == "everywhere"), *turn_table(graph)) if turns else _NO_TURNS
        return cls(curve, target, rules, needs, asked, changes, by_turns)

    @property
    def longest(self) -> float:
        """Metres along the path at which every walk has ended."""
        return self.rules.length + self.rules.late


def not_too_far(ground: FloorGraph, metres: float) -> None:
    """A sentence where no walk through the graph gets so far within an hour."""
    most = _HOUR * ground.quickest
    if not metres <= most:
        raise MotionError(f"{metres:,.0f} m are more than these clips could walk in an hour, {most:,.0f} m")


def stretches(labels: Labels | None, curve: Curve) -> tuple[tuple[Name | None, ...], np.ndarray]:
    """The names asked for on the stretches of a path, and the metres at which those begin; equal neighbours joined."""
    if labels is None or isinstance(labels, str | set | frozenset):
        return (fixed(labels),), np.zeros(1)
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
    names = list(map(fixed, names))
    first = [k for k in range(len(names)) if k == 0 or names[k] != names[k - 1]]
    return tuple(names[k] for k in first), np.asarray(begins)[first]


def _check(graph: MotionGraph, needs: Sequence[np.ndarray | None], asked: Sequence[Name | None]) -> None:
    """Every label must have motion in the graph, and be in reach of the one before."""
    at = network_of(graph).at
    busy = np.zeros(len(graph.structure), bool)
    busy[graph.structure.leaves[graph.open]] = True
    busy |= graph.open_pieces
    for need, name in zip(needs, asked):
        if need is not None and not need[at[busy]].any():
            raise unreachable(graph, frames_named(graph, None) & ~need, need, "other motion", called(graph, name))
    for (source, a), (target, b) in pairwise(zip(needs, asked)):
        if source is not None and target is not None and not _leads(graph, source, target):
            raise unreachable(graph, source, target, called(graph, a), called(graph, b))


def _leads(graph: MotionGraph, source: np.ndarray, target: np.ndarray) -> bool:
    network = network_of(graph)
    begin = np.where(source[network.at], 0.0, np.inf)
    return bool(np.isfinite(shortest(network, network.frames, begin)[0][target[network.at]]).any())


def _target(
    graph: MotionGraph, ground: FloorGraph, curve: Curve, asked: Sequence[Name | None], changes: np.ndarray,
    weights: Weights,
) -> TargetPath:  # fmt: skip
    along, frames = curve.along, len(ground.floor.path)
    stretch = (np.searchsorted(changes, along, side="right") - 1).astype(np.int32)
    line = np.zeros((len(along), 6))
    line[:, :2], line[:, 2:4] = curve.places, curve.tangents
    ends = np.append(changes[1:], np.inf)
    line[:, 5] = ends[stretch] - along
    if any(name is not None for name in asked):
        off = np.abs(along[:, None] - changes[None, 1:]).min(axis=1, initial=np.inf)
        line[:, 4] = weights.label * np.minimum(1.0, off / max(weights.near, 1e-9))
    need = np.ones((len(asked), frames), np.uint8)
    away, metres = np.zeros((2, len(asked), frames), np.float32)
    for k, name in enumerate(asked):
        if name is not None:
            need[k], away[k], metres[k] = _frames_and_ways(graph, name)
    pace = ground.pace
    target = TargetPath(line, stretch, need, away, metres, weights.change * change_of(graph), pace)
    for array in target:
        array.flags.writeable = False
    return target


def can_stop(graph: MotionGraph) -> bool:
    """Whether a walk on the graph may come to stand."""
    ground = floor_graph(graph)
    return bool((ground.pace[ground.nodes] < STANDS).any())


def change_of(graph: MotionGraph, turning: bool = True) -> np.ndarray:
    """(T,) how much of a change each transition is: 1 for other labels, and the square of its change of speed, m/s.

    turning: whether that is a change too, else only other behaviour is.
    """
    ground, sets = floor_graph(graph), graph.candidates.labelling.sets
    other = ~np.eye(len(sets), dtype=bool) if turning else behaviour_changes(sets)
    more = ground.pace[ground.floor.arrive] - ground.pace[ground.floor.leave]
    return other.ravel()[graph.candidates.set_pairs[ground.rows]] + more**2


def behaviour_changes(sets: Sequence[frozenset[str]]) -> np.ndarray:
    """(S, S) bool: whether motion with the labels of one set does something else than motion with those of another.

    It does not where both have a label in common that is no direction: who turns left instead of going straight on
    still walks.
    """
    words = [labels - DIRECTIONS or labels for labels in sets]
    return np.array([[a != b and not a & b for b in words] for a in words], bool)


_Found: TypeAlias = dict[Name, tuple[np.ndarray, np.ndarray, np.ndarray]]
_known: WeakKeyDictionary[MotionGraph, tuple[object, _Found]] = WeakKeyDictionary()


def _frames_and_ways(graph: MotionGraph, name: Name) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(F,) bool the frames of a name, (F,) the seconds and (F,) the metres to it; computed once for each view of a
    graph."""
    found = _known.get(graph)
    if found is None or found[0] is not graph.candidates:
        found = _known[graph] = (graph.candidates, {})
    if name not in found[1]:
        found[1][name] = (mask := frames_named(graph, name)), *ways_to(graph, mask)
    return found[1][name]


def ways_to(graph: MotionGraph, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(F,) seconds and (F,) metres from each choice point to the nearest frame of `mask` that is one; 0 elsewhere."""
    ground, network = floor_graph(graph), network_of(graph)
    back = network.reversed()
    begin = np.where(mask[back.at], 0.0, np.inf)
    walked = np.abs(np.diff(ground.floor.arc[back.at[np.stack([back.tail, back.to])]], axis=0))[0]
    jumps = back.row >= 0
    walked[jumps] = ground.floor.jump[np.searchsorted(ground.rows, back.row[jumps]), 4]
    out = np.zeros((2, len(mask)), np.float32)
    for way, lengths, never in zip(out, (back.frames / graph.fps, walked), (_NEVER, _NOWHERE)):
        way[network.at] = np.minimum(shortest(back, lengths, begin)[0], never)
    return out[0], out[1]
