"""Searching for a walk that serves a person's own goal g(w, e) (Kovar 2002, 4.2)."""

import time
from math import floor, pi

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.progress import SILENT
from motiongraph.walks.floor_path import ground_of, without_dead_ends
from motiongraph.walks.follow_path import finished, placed_at, starting_frames
from motiongraph.walks.partial_walk import Trail
from motiongraph.walks.path_goal import Goal
from motiongraph.walks.planner import Effort, find
from motiongraph.walks.walk import Walk

_NEAR, _TURN, _MOMENT, _CELL = 0.2, pi / 12, 0.15, 0.25  # m, radians, s, s: states this near are one
_EXPANSIONS = 4000  # where no limit is given
_STAGES = 40  # into which branch and bound divides its limits


def search(
    graph, g, halt=None, *, start=None, at=(0.0, 0.0), heading=0.0, bound=None, allowed=None, good_enough=0.0,
    effort=None, rng=None, progress=SILENT,
) -> Walk:  # fmt: skip
    """The walk that minimises the sum of g(w, e) over its edges.

    g(w, e): the error, not negative, of appending the `Edge` e to the `Trail` w; halt(w): whether w is complete.
    bound(w): what is surely still to come, to order the search by (0 by default); allowed(w, e): whether e may be
    appended; good_enough: an error at which to stop. start: a clip, (clip, frame) or label, by default one at random;
    it stands at `at` (x, z), facing `heading`. effort: `Effort`; its method is "beam", which keeps the best of the
    trails that are equally long and merges those in nearly the same state, or "branch and bound". A `Goal` in place of
    g is searched by the compiled planners, with the same choice between them.
    """
    began = time.perf_counter()
    graph = without_dead_ends(graph)
    effort = effort or Effort(rng=0 if rng is None else rng, width=16)
    rng = np.random.default_rng(effort.rng)
    frames = starting_frames(graph, start)
    if not len(frames):
        raise MotionError("there is no frame to start from in the pruned graph; name another start")
    frames = rng.choice(frames, 1)
    states = placed_at(ground_of(graph), frames, np.asarray(at, float), float(heading))
    if isinstance(g, Goal):
        found = find(graph, g, frames, states, effort, progress)
        return finished(graph, g, found, frames, states, "search", began)
    if halt is None:
        raise MotionError("a search needs halt(w), which says when a walk is complete")
    root = Trail(ground_of(graph), int(frames[0]), tuple(float(v) for v in states[0, :3]))
    task = _Task(g, halt, bound or (lambda w: 0.0), allowed, good_enough, effort, rng, progress)
    best, partial = (task.beam if effort.method == "beam" else task.branches)(root)
    trail, note = best or partial, task.note if best is None else ""
    if best is None and not note:
        note = f"every way ends, the longest after {trail.frames / graph.fps:.1f} s, before the goal is complete"
    rows = graph.candidates.table[[edge.transition for edge in trail.edges]]
    place, stop = root.ground.place(root.frame), root.ground.place(trail.frame)[1]
    return Walk.of(
        graph, place, rows, stop=stop, placed=root.placement, method="search", complete=best is not None, note=note,
        seconds=time.perf_counter() - began, facts={"error": trail.error, "expansions": task.expanded},
    )  # fmt: skip


class _Task:
    """One search and its limits."""

    def __init__(self, g, halt, bound, allowed, good_enough, effort, rng, progress):
        self.g, self.halt, self.bound, self.allowed, self.good_enough = g, halt, bound, allowed, good_enough
        self.effort, self.rng, self.progress = effort, rng, progress
        self.began, self.expanded, self.note = time.perf_counter(), 0, ""
        self.most = effort.expansions or (_EXPANSIONS if effort.seconds is None else 1 << 62)

    def over(self) -> bool:
        """Whether a limit is reached; lets the world look in."""
        if not self.expanded % 16:
            self.progress(self.expanded, self.most, "searching")
        late = self.effort.seconds is not None and time.perf_counter() - self.began > self.effort.seconds
        if late or self.expanded >= self.most:
            allowed = f"{self.effort.seconds:g} s" if late else f"{self.most:,} expansions"
            self.note = f"the {allowed} allowed ran out before the goal was complete"
        return bool(self.note)

    def children(self, trail, ceiling):
        """The trails that go on from one, below an error, cheapest edge first."""
        self.expanded += 1
        found = []
        for edge in trail.choices():
            if self.allowed is not None and not self.allowed(trail, edge):
                continue
            more = float(self.g(trail, edge))
            if not more >= 0:
                raise MotionError(f"g(w, e) must not be negative, and was {more!r}")
            if trail.error + more < ceiling:
                found.append((more / edge.frames, trail.plus(edge, more)))
        return [child for _, child in sorted(found, key=lambda pair: pair[0])]

    def beam(self, root):
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

    def sweep(self, root, width):
        """Layers of equally long trails, each the best `width` of states that differ."""
        size = _CELL * root.ground.fps
        layers: dict[int, dict] = {0: {(): (0.0, root)}}
        complete, furthest = [], root
        while layers and not self.over():
            where = min(layers)
            trails = sorted(layers.pop(where).values(), key=lambda pair: pair[0])[:width]
            for value, trail in trails:
                ceiling = complete[-1].error if len(complete) == self.effort.best else np.inf
                if value >= ceiling or self.over():
                    continue
                furthest = max(furthest, trail, key=lambda t: t.frames)
                for child in self.children(trail, ceiling):
                    if self.halt(child):
                        complete = sorted([*complete, child], key=lambda t: t.error)[: self.effort.best]
                        if complete[0].error <= self.good_enough:
                            return self.chosen(complete), furthest
                        continue
                    layer = layers.setdefault(max(int(child.frames / size), where + 1), {})
                    key, whole = self.state(child), child.error + float(self.bound(child))
                    if key not in layer or whole < layer[key][0]:
                        layer[key] = whole, child
        return self.chosen(complete), furthest

    def state(self, trail):
        """What trails in nearly the same state have in common."""
        x, z, heading = trail.stand
        moment = int(trail.frame / (_MOMENT * trail.ground.fps))
        return moment, floor(x / _NEAR), floor(z / _NEAR), int(heading % (2 * pi) / _TURN)

    def chosen(self, complete):
        """One of the best whose error is within tolerance of the best; None of none."""
        if not complete:
            return None
        good = [t for t in complete if t.error <= complete[0].error * (1.0 + self.effort.tolerance) + 1e-12]
        return good[int(self.rng.integers(len(good)))]

    def branches(self, root):
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
            while plan.before is not here and plan.before.frames >= kept:
                plan = plan.before
            here = plan
        return None, here

    def plans(self, root, until):
        """The r best trails from one that last until a frame or are complete; as many as its share of limits finds."""
        best, stack = [], [root]
        most = self.expanded + max(self.most // _STAGES, 8)
        late = np.inf if self.effort.seconds is None else time.perf_counter() + self.effort.seconds / _STAGES
        while stack and not (best and (self.expanded >= most or time.perf_counter() > late)) and not self.over():
            trail = stack.pop()
            ceiling = best[-1].error if len(best) == self.effort.best else np.inf
            if trail.error >= ceiling:
                continue
            going_on = []
            for child in self.children(trail, ceiling):
                if child.frames >= until or self.halt(child):
                    best = sorted([*best, child], key=lambda t: t.error)[: self.effort.best]
                    if best[0].error <= self.good_enough and self.halt(best[0]):
                        return best[:1]
                else:
                    going_on.append(child)
            stack += going_on[::-1]
        return best
