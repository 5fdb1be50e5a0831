"""Searching for a walk that serves a person's own goal g(w, e) (Kovar 2002, 4.2).

g is given the walk so far and an edge that may be appended to it. A search makes hundreds of both for every step, so
they are plain objects whose figures are computed when asked for.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import floor, pi
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from motiongraph.elementary import atan2, sincos
from motiongraph.errors import MotionError
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.model.placement import Placement, composed, place, placed, turn
from motiongraph.progress import SILENT, Progress
from motiongraph.walks.floor_path import FloorGraph, floor_graph, without_dead_ends
from motiongraph.walks.follow_path import find, placed_at, starting_frames
from motiongraph.walks.found_walk import finished
from motiongraph.walks.path_goal import Effort, Goal
from motiongraph.walks.walk import Name, Seed, Walk


@dataclass(eq=False)
class Edge:
    """One clip played from `start` to `stop` (exclusive), as captured, and the transition that then leaves it."""

    ground: FloorGraph
    clip: int  # its index in the graph
    start: int
    stop: int
    number: int  # the transition, as `Floor` counts them
    placement: Placement  # of the clip played

    @property
    def transition(self) -> int:
        """Row of the transition in the graph's table of candidates."""
        return int(self.ground.rows[self.number])

    @property
    def cost(self) -> float:
        """Of the transition, cm."""
        return float(self.ground.floor.jump[self.number, 3])

    @property
    def frames(self) -> int:
        """How long all of it is, transition included."""
        return self.stop - self.start + self.ground.window

    @cached_property
    def after(self) -> Placement:
        """Placement of the clip arrived in."""
        return composed(*self.placement, *self.ground.floor.jump[self.number, :3].tolist())

    @cached_property
    def places(self) -> np.ndarray:
        """(n, 2) x, z on the floor along the edge, metres: a sample a frame for the clip, four for the transition."""
        first = self.ground.starts[self.clip]
        own = self.ground.floor.path[first + self.start : first + self.stop]
        return place(self.placement, np.concatenate([own, self.ground.floor.way[self.number, :, :2]]))

    @cached_property
    def facing(self) -> np.ndarray:
        """(n, 2) unit vectors x, z the body faces at those places."""
        first = self.ground.starts[self.clip]
        own = self.ground.floor.face[first + self.start : first + self.stop]
        return turn(self.placement[0], np.concatenate([own, self.ground.floor.way[self.number, :, 3:]]))

    @cached_property
    def length(self) -> float:
        """Metres walked."""
        first, floor = self.ground.starts[self.clip], self.ground.floor
        return float(floor.arc[first + self.stop] - floor.arc[first + self.start] + floor.jump[self.number, 4])


@dataclass(eq=False)
class PartialWalk:
    """The walk so far."""

    ground: FloorGraph
    frame: int  # where it has arrived, counted over all clips
    placement: Placement  # of the clip it is in
    error: float = 0.0  # of all edges together
    frames: int = 0
    length: float = 0.0  # metres
    before: "PartialWalk | None" = None  # the walk without its last edge, None at the start
    edge: Edge | None = None  # the last edge

    @property
    def clip(self) -> int:
        """Index of the clip it is in."""
        return self.ground.place(self.frame)[0]

    @property
    def place(self) -> np.ndarray:
        """(2,) x, z where the body is."""
        return np.array(self.stand[:2])

    @property
    def heading(self) -> float:
        """Radians about y that the body faces, 0 along z."""
        return self.stand[2]

    @cached_property
    def stand(self) -> tuple[float, float, float]:
        """x, z, and the heading."""
        theta, x, z = self.placement
        (a, b), (fx, fz) = self.ground.floor.path[self.frame].tolist(), self.ground.floor.face[self.frame].tolist()
        s, c = sincos(theta)
        return *placed(c, s, x, z, a, b), atan2(fx, fz) + theta

    @property
    def edges(self) -> list[Edge]:
        """All edges, first to last."""
        found: list[Edge] = []
        walk: PartialWalk | None = self
        while walk is not None and walk.edge is not None:
            found.append(walk.edge)
            walk = walk.before
        return found[::-1]

    def choices(self) -> list[Edge]:
        """Every edge that may be appended."""
        clip, start = self.ground.place(self.frame)
        first, exits = int(self.ground.starts[clip]), self.ground.exits(self.frame)
        leave = (self.ground.floor.leave[exits] - first).tolist()
        return [Edge(self.ground, clip, start, at, k, self.placement) for at, k in zip(leave, exits.tolist())]

    def plus(self, edge: Edge, more: float) -> "PartialWalk":
        """With one more edge, which adds `more` to the error."""
        arrive = int(self.ground.floor.arrive[edge.number])
        frames, length = self.frames + edge.frames, self.length + edge.length
        return PartialWalk(self.ground, arrive, edge.after, self.error + more, frames, length, self, edge)


_NEAR, _TURN, _MOMENT, _CELL = 0.2, pi / 12, 0.15, 0.25  # m, radians, s, s: states this near are one
_EXPANSIONS = 4000  # of a beam, where no limit is given
_STAGES = 40  # into which branch and bound divides its limits
Cost: TypeAlias = Callable[[PartialWalk, Edge], float]
Test: TypeAlias = Callable[[PartialWalk], bool]


def search(
    graph: MotionGraph, g: Cost | Goal, halt: Test | None = None, *, start: Name | None = None,
    at: ArrayLike = (0.0, 0.0), heading: float = 0.0, bound: Callable[[PartialWalk], float] | None = None,
    allowed: Callable[[PartialWalk, Edge], bool] | None = None, good_enough: float = 0.0, effort: Effort | None = None,
    rng: Seed | None = None, progress: Progress = SILENT,
) -> Walk:  # fmt: skip
    """The walk that minimises the sum of g(w, e) over its edges.

    g(w, e): the error, not negative, of appending the `Edge` e to the `PartialWalk` w; halt(w): whether w is complete.
    bound(w): what is surely still to come, to order the search by (0 by default); allowed(w, e): whether e may be
    appended; good_enough: an error at which to stop. start: a clip, (clip, frame) or label, by default one at random;
    it stands at `at` (x, z), facing `heading`. effort: `Effort`; its method is "beam", which keeps the best of the
    walks that are equally long and merges those in nearly the same state, or "branch and bound". A `Goal` in place of
    g is searched by the compiled planners, with the same choice between them.
    """
    began = time.perf_counter()
    graph = without_dead_ends(graph)
    effort = effort or Effort(rng=0 if rng is None else rng, width=16)
    generator = np.random.default_rng(effort.rng)
    frames = starting_frames(graph, start)
    if not len(frames):
        raise MotionError("there is no frame to start from in the pruned graph; name another start")
    frames = generator.choice(frames, 1)
    states = placed_at(floor_graph(graph), frames, np.asarray(at, float), float(heading))
    if isinstance(g, Goal):
        found = find(graph, g, frames, states, effort, progress)
        return finished(graph, g, found, frames, states, "search", began)
    if halt is None:
        raise MotionError("a search needs halt(w), which says when a walk is complete")
    theta, x, z = (float(v) for v in states[0, :3])
    root = PartialWalk(floor_graph(graph), int(frames[0]), (theta, x, z))
    task = _Task(g, halt, bound or (lambda w: 0.0), allowed, good_enough, effort, generator, progress)
    best, partial = (task.beam if effort.method == "beam" else task.branches)(root)
    walk, note = best or partial, task.note if best is None else ""
    if best is None and not note:
        note = f"every way ends, the longest after {walk.frames / graph.fps:.1f} s, before the goal is complete"
    rows = graph.candidates.table[[edge.transition for edge in walk.edges]]
    place, stop = root.ground.place(root.frame), root.ground.place(walk.frame)[1]
    return Walk.of(
        graph, place, rows, stop=stop, placed=root.placement, method="search", complete=best is not None, note=note,
        seconds=time.perf_counter() - began, facts=task.facts(walk),
    )  # fmt: skip


# The walk found, None for none, and the one that came furthest.
_Result: TypeAlias = tuple[PartialWalk | None, PartialWalk]


class _Task:
    """One search and its limits."""

    def __init__(
        self, g: Cost, halt: Test, bound: Callable[[PartialWalk], float],
        allowed: Callable[[PartialWalk, Edge], bool] | None, good_enough: float, effort: Effort,
        rng: np.random.Generator, progress: Progress,
    ):  # fmt: skip
        self.g, self.halt, self.bound, self.allowed, self.good_enough = g, halt, bound, allowed, good_enough
        self.effort, self.rng, self.progress = effort, rng, progress
        self.began, self.expanded, self.note = time.perf_counter(), 0, ""
        self.limited, self.gap = False, 0.0
        endless = effort.seconds is not None or effort.method == "branch and bound"
        self.most: float = effort.expansions or (np.inf if endless else _EXPANSIONS)

    def facts(self, walk: PartialWalk) -> dict[str, Any]:
        """Figures for the report; only branch and bound knows how much better a walk could be."""
        gap = None if self.effort.method == "beam" else self.gap
        return {"error": walk.error, "expansions": self.expanded, "limited": self.limited, "gap": gap}

    def over(self) -> bool:
        """Whether a limit is reached; reports progress."""
        if not self.expanded % 16:
            self.progress(self.expanded, max(self.most if np.isfinite(self.most) else 0, self.expanded), "searching")
        late = self.effort.seconds is not None and time.perf_counter() - self.began > self.effort.seconds
        if late or self.expanded >= self.most:
            allowed = f"{self.effort.seconds:g} s" if late else f"{self.most:,} expansions"
            self.note = f"the {allowed} allowed ran out before the goal was complete"
            self.limited = True
        return bool(self.note)

    def children(self, walk: PartialWalk, ceiling: float) -> list[PartialWalk]:
        """The walks that go on from one, below an error, cheapest edge first."""
        self.expanded += 1
        found = []
        for edge in walk.choices():
            if self.allowed is not None and not self.allowed(walk, edge):
                continue
            more = float(self.g(walk, edge))
            if not more >= 0:
                raise MotionError(f"g(w, e) must not be negative, and was {more!r}")
            if walk.error + more < ceiling:
                found.append((more / edge.frames, walk.plus(edge, more)))
        return [child for _, child in sorted(found, key=lambda pair: pair[0])]

    def beam(self, root: PartialWalk) -> _Result:
        """One sweep; with a time limit, wider and wider ones until it is reached."""
        if self.effort.seconds is None:
            return self.sweep(root, self.effort.width)
        best, furthest, width = None, root, 1
        while True:
            found, reached = self.sweep(root, width)
            if found is not None and (best is None or found.error < best.error):
                best = found
            furthest, width = max(furthest, reached, key=lambda t: t.frames), 2 * width
            if self.note or self.over() or width > 1024:
                return best, furthest

    def sweep(self, root: PartialWalk, width: int) -> _Result:
        """Layers of equally long walks, each the best `width` of states that differ."""
        size = _CELL * root.ground.fps
        layers: dict[int, dict[tuple[int, ...], tuple[float, PartialWalk]]] = {0: {(): (0.0, root)}}
        complete: list[PartialWalk] = []
        furthest = root
        while layers and not self.over():
            where = min(layers)
            walks = sorted(layers.pop(where).values(), key=lambda pair: pair[0])[:width]
            for value, walk in walks:
                ceiling = complete[-1].error if len(complete) == self.effort.best else np.inf
                if value >= ceiling or self.over():
                    continue
                furthest = max(furthest, walk, key=lambda t: t.frames)
                for child in self.children(walk, ceiling):
                    if self.halt(child):
                        complete = sorted([*complete, child], key=lambda t: t.error)[: self.effort.best]
                        if complete[0].error <= self.good_enough:
                            return self.chosen(complete), furthest
                        continue
                    layer = layers.setdefault(max(int(child.frames / size), where + 1), {})
                    key, whole = self.state(child), child.error + float(self.bound(child))
                    if key not in layer or whole < layer[key][0]:
                        layer[key] = whole, child
        return (self.chosen(complete) if complete else None), furthest

    def state(self, walk: PartialWalk) -> tuple[int, int, int, int]:
        """What walks in nearly the same state have in common."""
        x, z, heading = walk.stand
        moment = int(walk.frame / (_MOMENT * walk.ground.fps))
        return moment, floor(x / _NEAR), floor(z / _NEAR), int(heading % (2 * pi) / _TURN)

    def chosen(self, complete: list[PartialWalk]) -> PartialWalk:
        """One of the best whose error is within tolerance of the best."""
        good = [t for t in complete if t.error <= complete[0].error * (1.0 + self.effort.tolerance) + 1e-12]
        return good[int(self.rng.integers(len(good)))]

    def branches(self, root: PartialWalk) -> _Result:
        """Depth first over the next n seconds, of which m are kept, until the goal is complete."""
        fps, here = root.ground.fps, root
        while not self.over():
            until = here.frames + self.effort.plan * fps
            plans = self.plans(here, until)
            if not plans:
                return None, here
            plan = self.chosen(plans)
            if self.halt(plan):
                return plan, plan
            kept = here.frames + self.effort.keep * fps
            while plan.before is not None and plan.before is not here and plan.before.frames >= kept:
                plan = plan.before
            here = plan
        return None, here

    def plans(self, root: PartialWalk, until: float) -> list[PartialWalk]:
        """The r best walks from one that last until a frame or are complete; as many as its share of limits finds."""
        best: list[PartialWalk] = []
        stack = [root]
        most = self.expanded + max(self.most // _STAGES, 8)
        late = np.inf if self.effort.seconds is None else time.perf_counter() + self.effort.seconds / _STAGES
        while stack and not (best and (self.expanded >= most or time.perf_counter() > late)) and not self.over():
            walk = stack.pop()
            ceiling = best[-1].error if len(best) == self.effort.best else np.inf
            if walk.error >= ceiling:
                continue
            going_on = []
            for child in self.children(walk, ceiling):
                if child.frames >= until or self.halt(child):
                    best = sorted([*best, child], key=lambda t: t.error)[: self.effort.best]
                    if best[0].error <= self.good_enough and self.halt(best[0]):
                        return best[:1]
                else:
                    going_on.append(child)
            stack += going_on[::-1]
        if stack and best:
            open_error = min(walk.error for walk in stack)
            gap = max(best[0].error - open_error, 0.0) / max(best[0].error - root.error, 1e-12)
            self.limited, self.gap = True, max(self.gap, gap)
        return best
