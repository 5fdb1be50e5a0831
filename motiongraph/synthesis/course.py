"""Where a driven character is to go: its request as it looks from a place, as points to head for at a speed."""

import numpy as np

from motiongraph.model.placement import Placement
from motiongraph.synthesis.requests import Label, Request
from motiongraph.synthesis.route import Route, route
from motiongraph.walks.avoidance import choose_ways
from motiongraph.walks.curve import Curve, distance
from motiongraph.walks.gaits import Gait
from motiongraph.walks.plan_search import Aim
from motiongraph.walks.sharp_turns import corners
from motiongraph.walks.steering import Kind, Steering
from motiongraph.walks.turn_table import turn_table

ARRIVED, LEFT = 0.4, 0.7  # m from a goal: nearer is being there; it is left again when farther away
_CARROT = 0.6  # m ahead that are headed for on a path
_LEAD = 0.25  # m of these along the path, walked until a body has turned; the others straight on from there
_ENDING = 2.5  # m before its end from which on a path is gone along so as to stop there
_TURN, _ABOUT = 2.6, 0.5  # rad of a corner at which a path turns about; m from there at which it is gone on along
_SOON, _LATE = 3.0, 1.0  # m before such a corner from which on, and up to which, a route round it is looked for
# m before it from which on any route is taken, with the body turned if need be; also farther away, where the walk goes
# on past that before it decides again
_PRESSED = 2.0
# The same where few transitions lead on, and before the end of a path: who stands nearer has no step that ends there.
_SOON_SPARSE = 6.0
_OFF = 0.5  # m: a route that leaves the path by more is none
_PATIENCE = 3.0  # s without getting on along a path; after as many again a corner nearby is given up
_SLOW = 0.3  # share of the usual speed: who is slower in that time is to travel, and no longer to sidle along
_ON, _LEFT_OUT = 0.6, 2.5  # m in that time that are getting on; m before a corner from which it may be given up
_ROUTED = 200_000  # transitions of a graph up to which that is done: 1.3 s before the first one; on all of CMU 14
_GONE, _BEYOND = 1.0, 3.0  # m after it up to which the route is gone, and to which it leads
_TWIST = 1.0  # what a second of turning a body on a path as fast as can be counts
_LOOK = 6.0  # m that are looked ahead for what stands in the way
_CLEAR = 0.8  # m, twice what is kept from it
_ASIDE = 0.966  # cosine of a change of direction that is acted on
_FARTHEST = 1e4  # m: so far away is the point that a direction heads for


class Course:
    """The present request, and how far it has been carried out."""

    def __init__(self, steering: Steering):
        self.kinds: dict[Label, Kind] = {None: steering.any}  # of the labels asked for so far
        self._steering = steering
        self.obstacles = np.zeros((0, 3))  # (n, 3) x, z, radius of what stands in the way
        self.take(Request())

    def take(self, request: Request) -> None:
        """Go on with another request."""
        self.request = request
        self._noticed: np.ndarray | None = None  # (2,) the direction that `turns_aside` found last
        self._along, self._there = 0.0, False  # metres of the path that are done; whether it is at its goal
        self._since, self._before = 0.0, 0.0  # s since it has got on along the path, and metres that were done then
        self._pace, self._last = self._steering.any.cruising, 0.0  # m/s of late; metres that were done a moment ago
        turns = corners(request.path) if request.path is not None and not request.path.closed else []
        self._abouts = [at for at, turn in turns if abs(turn) > _TURN]  # samples of the path at which it turns about
        self._routed = len(self._steering.ground.rows) < _ROUTED
        if self._abouts and self._routed:
            turn_table(self._steering.graph)  # which takes a moment, once

    @property
    def nearly_done(self) -> bool:
        """Whether no more of a path is left than its end; a path may end where it begins."""
        path = self.request.path
        return path is None or (not path.closed and self._along + _ENDING >= path.length)

    @property
    def left(self) -> float | None:
        """Metres of a path that are left; None where there is no path, or one that has no end."""
        path = self.request.path
        return None if path is None or path.closed else path.length - self._along

    def wait(self, dt: float) -> str | None:
        """Time passes. A corner at which the path turns about and that it does not get to is left out, with a word."""
        path = self.request.path
        done, self._last = max(self._along - self._last, 0.0), self._along
        self._pace = (self._pace + done / _PATIENCE) / (1.0 + dt / _PATIENCE)
        if path is None or self.nearly_done or self._along > self._before + _ON:
            self._since, self._before = 0.0, self._along
            return None
        self._since += dt
        end = next((at * path.spacing for at in self._abouts if at * path.spacing > self._along), np.inf)
        if self._since < 2.0 * _PATIENCE or end - self._along > _LEFT_OUT:
            return None
        short, self._along, self._since = end - self._along, end, 0.0
        return f"it turns about {short:.1f} m before the corner at {end:.1f} m: no step was found that ends there"

    def lacking(self, frame: int) -> str | None:
        """Which kind of motion asked for no way leads to from a frame of the floor, in words."""
        for label in self.request.labels:
            if label in self.kinds and not self.kinds[label].reached[frame]:
                what = f"a clip that {label.value}s" if isinstance(label, Gait) else f"{label!r}"
                return f"no way leads from here to {what} at this threshold: it goes on as it can"
        return None

    def aim(self, here: np.ndarray) -> Aim:
        """What to head for from a place (2,) x, z."""
        steering, request = self._steering, self.request
        kind = self.kinds.get(request.labels[0], steering.any)
        if request.direction is not None:
            speed = request.share * max(kind.speed, kind.cruising)
            way = self._around(here, here + _LOOK * request.direction)
            return steering.aim((here + _FARTHEST * way)[None], speed, kind)
        goal, points = request.goal, None
        if request.path is not None:
            points, stops, kind = self._on_path(request, request.path, here)
            if not self.nearly_done:
                if self._since > _PATIENCE or self._pace < _SLOW * kind.cruising:
                    kind = self._steering.travelling(kind)
                return steering.aim(points, kind.cruising, kind, stops, twist=_TWIST)
            goal = request.path.places[-1]
        if goal is None:
            return steering.aim(here[None], 0.0, steering.standing)
        far = distance(here, goal)
        self._there = far < (LEFT if self._there else ARRIVED)
        if self._there:
            return steering.aim(goal[None], 0.3, steering.standing if steering.can_stand else steering.any, True)
        if request.path is None and len(self.obstacles) and far > ARRIVED:
            way = self._around(here, goal)
            if float(way @ (goal - here)) < 0.99 * far:
                return steering.aim((here + _FARTHEST * way)[None], kind.cruising, kind)
        return steering.aim(goal[None] if points is None else points, kind.cruising, kind, True)

    def _around(self, here: np.ndarray, goal: np.ndarray) -> np.ndarray:
        """(2,) unit vector in which to go from a place to another, past what stands in the way."""
        way, ahead = np.zeros((1, 3)), np.zeros((1, 1, 4))
        if not len(self.obstacles):
            return (goal - here) / max(distance(here, goal), 1e-9)
        ahead[0, 0, :2], one = here, np.zeros(1)
        choose_ways(
            ahead, goal[None].copy(), one, one, self.obstacles, _CLEAR, 0.5 * _CLEAR, 0.1, np.zeros(1, int), way
        )
        return way[0, :2].copy()

    def turns_aside(self, here: np.ndarray) -> bool:
        """Whether what stands in the way asks for another direction than it did last time."""
        request, before = self.request, self._noticed
        goal = request.goal if request.direction is None else here + _LOOK * request.direction
        if not len(self.obstacles) or goal is None:
            return False
        way = self._around(here, goal)
        aside = before is not None and float(way @ before) < _ASIDE
        self._noticed = way if before is None or aside else before
        return aside

    def _on_path(self, request: Request, path: Curve, here: np.ndarray) -> tuple[np.ndarray, bool, Kind]:
        """Points to head for over the next seconds, whether to stop at the last, and the kind of motion asked for.

        They lie ahead in the direction that the path has: a point of the path itself is headed for across its bends.
        Where the path turns about, that place is gone to first.
        """
        spacing, last = path.spacing, len(path.places) - 1
        first = int(self._along / spacing)
        end = next((at for at in self._abouts if at > first), last)
        index = np.arange(first, first + max(round(1.5 / spacing), 2))
        index = index % last if path.closed else np.minimum(index, end)
        gaps = path.places[index] - here
        nearest = first + int(np.argmin((gaps * gaps).sum(axis=1)))
        nearest = nearest % last if path.closed else min(nearest, end)
        if end < last and max((end - nearest) * spacing, distance(here, path.places[end])) < _ABOUT:
            nearest, end = end, next((at for at in self._abouts if at > end), last)
        self._along = nearest * spacing
        changes = np.zeros(1) if request.changes is None else request.changes
        name = request.labels[int(np.searchsorted(changes, self._along + _CARROT, side="right")) - 1]
        kind = self.kinds.get(name, self._steering.any)
        samples = self._steering.horizon // self._steering.stride + 1
        step = self._steering.stride / self._steering.ground.fps * kind.cruising
        along = self._along + _LEAD + np.arange(samples) * step
        ahead = (along / spacing).astype(int)
        if path.closed:
            return path.places[ahead % last] + (_CARROT - _LEAD) * path.tangents[ahead % last], False, kind
        ahead, far = np.minimum(ahead, end), np.clip(end * spacing - along, 0.0, _CARROT - _LEAD)
        points = path.places[ahead] + far[:, None] * path.tangents[ahead]
        stops = (end - nearest) * spacing <= _ENDING
        if stops:
            points[-1] = path.places[end]
        return points, stops, kind

    @property
    def routes(self) -> bool:
        """Whether a route is to be looked for: the path soon turns about or ends."""
        return self._routed_to() is not None

    def _routed_to(self) -> int | None:
        """The sample of the path at which it soon turns about, or ends where few ways lead to a stop."""
        path = self.request.path
        if path is None or path.closed or not self._routed:
            return None
        sparse, end = self._steering.sparse, len(path.places) - 1
        soon = _SOON_SPARSE if sparse or self._since > _PATIENCE else _SOON
        ends = [end] if sparse and self._steering.can_stand else []
        abouts = [] if self.nearly_done else self._abouts
        near = (at for at in (*abouts, *ends) if _LATE < at * path.spacing - self._along < soon)
        return next(near, None)

    def route(self, frame: int, placement: Placement, until_next: float) -> Route | None:
        """The way round a corner at which the path soon turns about, or to its end, from a frame with its clip at a
        placement; until_next: metres that are gone until this can be asked again."""
        path, at = self.request.path, self._routed_to()
        if path is None or at is None:
            return None
        bound, last = (min(at + round(far / path.spacing), len(path.places) - 1) for far in (_GONE, _BEYOND))
        pressed = at * path.spacing - self._along - until_next < _PRESSED
        off = _OFF if pressed else 0.5 * _OFF  # there is time to find a better one
        first = int(self._along / path.spacing)
        return route(self._steering, self.request, first, bound, last, frame, placement, off, pressed)

    def go_on(self, along: float, share: float) -> None:
        """This share of what is left of the path up to so many metres is done."""
        self._along += share * (along - self._along)

    def wanted(self, here: np.ndarray, seconds: float) -> np.ndarray:
        """(N, 2) x, z metres where the request would have it from a place on, ten times a second."""
        kept = self._along, self._there
        aim, every, fps = self.aim(here), self._steering.stride, self._steering.ground.fps
        self._along, self._there = kept
        step, out = aim.speed * every / fps, [here]
        for n in range(round(seconds * fps / every)):
            gap = aim.points[min(n, len(aim.points) - 1)] - out[-1]
            far = distance(np.zeros(2), gap)
            out.append(out[-1] + gap * min(step / max(far, 1e-9), 1.0))
        return np.array(out)
