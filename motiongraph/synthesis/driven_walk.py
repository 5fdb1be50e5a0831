"""A walk that is decided while it is made: transitions are taken as they come up, and motion is made of them.

`walks.steering` chooses transitions, `synthesis.live` makes motion of them.
"""

from collections import deque

import numpy as np

from motiongraph.model.placement import IDENTITY, Placement, compose, heading_of, place
from motiongraph.synthesis.course import Course
from motiongraph.synthesis.live import Live
from motiongraph.synthesis.requests import Choice, Decision
from motiongraph.synthesis.route import Route
from motiongraph.synthesis.turning import STILL
from motiongraph.walks.curve import distance
from motiongraph.walks.steering import Steering
from motiongraph.walks.walk import Walk

_OTHERS = 8  # alternatives kept of a decision


class DrivenWalk:
    """A walk from a frame of the floor, with its clip at a placement, that goes where a course leads.

    begun: the second of motion at which it begins; decisions: what it decides is added to these; options: of `Live`.
    """

    def __init__(
        self, steering: Steering, course: Course, frame: int, placed: Placement, begun: float,
        decisions: deque[Decision], **options: float,
    ):  # fmt: skip
        self._steering, self._course, self._placed = steering, course, placed
        self._start = steering.ground.place(frame)
        self.live = Live(steering.graph, self._start, placed, **options)  # pyright: ignore[reportArgumentType]
        self.begun, self.decisions = begun, decisions
        self._plan: list[int] = []  # transitions to take next, as `Floor` counts them
        self.taken: list[int] = []  # those taken
        self._route: Route | None = None  # the way that is gone, whatever the course asks for,
        self._bound = 0  # before this frame of the motion
        self._begin, self._from = 0, IDENTITY  # the frame at which it begins, and by how much that is turned

    def at(self, seconds: float) -> float:
        """The frame, with a fraction, that is shown after so many seconds of motion."""
        return max(seconds - self.begun, 0.0) * self._steering.graph.fps

    def heading(self, frame: int) -> float:
        """Radians about y that the body faces; in a transition, of the motions blended."""
        track = self.live.track(frame, frame + 1)
        return float(heading_of(track[0, 2:4]) + self.live.turning.at(frame)[0])

    def way(self, first: int, frames: int) -> np.ndarray:
        """(N, 2) x, z metres of the root from a frame on, ten times a second: what is decided, then the clip played
        on."""
        live, step = self.live, self._steering.stride
        last = max(min(first + frames, live.decided), first + 1)
        track = live.track(first, last)[::step, :2]
        return np.stack([place(live.turning.at(first + n * step), point) for n, point in enumerate(track)])

    def walk(self) -> Walk:
        """What was decided so far, up to the end of the last clip."""
        graph, ground = self._steering.graph, self._steering.ground
        rows = graph.candidates.table[ground.rows[np.array(self.taken, int)]]
        return Walk.of(graph, self._start, rows, placed=self._placed, method="live")

    def forget(self, frames: int) -> None:
        """Throw away what follows so many frames, unless it is shown already or a transition is under way."""
        self._route, self._bound, gone = None, 0, self.live.rewind(frames)
        if gone:
            self._plan = self.taken[-gone:] + self._plan
            del self.taken[-gone:]
            for _ in range(min(gone, len(self.decisions))):
                self.decisions.pop()

    def make(self, frames: int) -> None:
        """See to it that so many frames of motion are made, and the walk decided beyond what that fixes."""
        live = self.live
        while live.ready < frames:
            while self._decide(live.sees):
                pass
            self._turn(min(live.sees, live.decided))
            live.prepare(live.ready + 1)

    def _decide(self, until: int) -> bool:
        """Take the next transition if it begins before frame `until` of the motion, or must, as the clip can no longer
        be left after that (see `synthesis.live.FIXED`)."""
        live, ground = self.live, self._steering.ground
        clip, entered, earliest = live.now
        if live.entered >= until:
            return False
        first, floor, firsts, error = int(ground.starts[clip]), ground.floor, np.empty(0), 0.0
        shown = live.entered - first - entered  # added to a frame of the floor: that of the motion
        frame, latest = first + earliest, until - shown
        if frame + shown < self._bound and not (self._plan and floor.leave[self._plan[0]] + shown < self._bound):
            if self._bound >= until:
                return False
            frame = self._bound - shown
        if frame + shown >= self._bound:
            self._turn(frame + shown + 1)
            placement = compose(live.turning.at(frame + shown), live.placement)
            aim = self._course.aim(place(placement, floor.path[frame]))
            plan, strays, ways = self._steering.plan(frame, placement, aim, self._plan)
            after = min(int(floor.leave[plan[0]]) + live.graph.window, int(floor.run_end[frame])) if plan else frame
            if not self._new_route(frame, frame + shown, distance(floor.path[frame], floor.path[after])):
                self._plan, error, firsts = plan, strays, ways
        plan = self._plan
        last_exit = int(floor.leave[floor.next_out[floor.run_end[frame] + 1] - 1])
        if (not plan or floor.leave[plan[0]] >= latest) and last_exit >= latest:
            return False
        if not plan:  # the search saw no reason to leave before it must
            ways = ground.exits(frame)
            plan = [int(ways[np.argmin(floor.jump[ways, 3])])]
        k, table = plan[0], self._steering.graph.candidates.table
        exits = ground.exits(frame)
        order = np.argsort(firsts, kind="stable")
        others = tuple(
            Choice(None if n == len(exits) else table[ground.rows[exits[n]]], float(firsts[n]))
            for n in order[: _OTHERS + 1].tolist()
            if np.isfinite(firsts[n]) and (n == len(exits) or exits[n] != k)
        )
        begins = self.begun + (int(floor.leave[k]) + shown) / self._steering.graph.fps
        self.decisions.append(Decision(begins, table[ground.rows[k]], error, others[:_OTHERS]))
        live.take(table[ground.rows[k]])
        self.taken.append(k)
        self._plan = plan[1:]
        return True

    def _new_route(self, frame: int, at: int, until_next: float) -> bool:
        """Look for a route from a frame of the floor on, shown as frame `at`, that begins when turning has ceased;
        without one, so many metres are gone before it can be looked for again."""
        turning, rest = self.live.turning, round(STILL * self._steering.graph.fps)
        if not self._course.routes or self._steering.ground.floor.run_end[frame] < frame + rest:
            return False
        turning.rewind(at + 1)
        self._route, self._bound = None, at + rest + 1
        self._turn(self._bound)
        found = self._course.route(frame + rest, compose(turning.at(at + rest), self.live.placement), until_next)
        if found is None:
            turning.rewind(at + 1)
            self._bound = 0
            return False
        self._route, self._plan, self._bound = found, found.taken, at + rest + found.frames
        self._begin, self._from = at + rest, turning.at(at + rest)
        return True

    def _turn(self, until: int) -> None:
        """See to it that the turns of so many frames are known. On a route the body is turned as planned, if at all."""
        turning, begun = self.live.turning, self.live.turning.until
        if begun < min(until, self._bound):
            end = min(until, self._bound)
            if self._route is not None and self._route.turns is not None:
                turning.go_along(self._route.turns[begun - self._begin : end - self._begin], self._from)
            else:
                track = self.live.track(begun, end)
                turning.go_on(track, track[:1, :2], 1, 0.0)
            if self._route is not None:
                self._course.go_on(self._route.along, (end - begun) / (self._bound - begun))
        if turning.until < until:
            track = self.live.track(turning.until, until)
            aim = self._course.aim(place(turning.at(turning.until), track[0, :2]))
            if self._course.request.path is None:  # who is steered answers by where he faces
                track[:, 6:8], track[:, 8] = track[:, 9:11], 0.0
            turning.go_on(track, aim.points, aim.stride, float(aim.speed > 0.0))
