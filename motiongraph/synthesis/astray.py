"""Notices a driven character that does not get where it is asked to, and says what its clips lack."""

import numpy as np

from motiongraph.model.placement import heading_of, wrapped
from motiongraph.synthesis.course import LEFT
from motiongraph.synthesis.requests import Request
from motiongraph.walks.curve import distance
from motiongraph.walks.steering import Steering

_OFF, _TURN = np.radians(60.0), np.radians(45.0)  # rad: facing so far off is astray, unless it turns by so much
_LONG, _LONGEST = 6.0, 15.0  # s in which it has to turn, and in which it has to come nearer to a goal
_NEARER = 0.3  # m
_MORE = "no way was found that leads on; raise the threshold, or add clips that turn"
_WITHIN = 2.0  # s in which a clip turns by _TURN if it turns at all


class Astray:
    """How a character fares with its present request."""

    def __init__(self, steering: Steering):
        self._steering = steering
        self._sides: dict[str, bool] | None = None  # whether any clip turns there
        self.forget()

    def forget(self) -> None:
        """A new request."""
        self._since, self._towards, self._nearest, self._heading = 0.0, 0.0, np.inf, None

    def look(self, dt: float, request: Request, place: np.ndarray, heading: float, left: float | None) -> str | None:
        """Call as time passes, with where (2,) the character is, the radians it faces and the metres of a path that are
        left; a sentence once it is clear that it does not get there."""
        goal = request.goal
        if left is not None:
            return f"{left:.1f} m of the path are out of reach: {_MORE}" if self._stays(dt, left) else None
        way = request.direction if goal is None else goal - place
        if way is None:
            return None
        off = wrapped(float(heading_of(way)) - heading)
        before, self._heading = self._heading, heading
        if goal is not None:
            return self._sentence(off) if self._stays(dt, distance(place, goal)) else None
        if abs(off) < _OFF or before is None:
            self._since = self._towards = 0.0
            return None
        self._since += dt
        self._towards += wrapped(heading - before) * (1.0 if off > 0.0 else -1.0)
        if self._since < _LONG:
            return None
        turned, self._since, self._towards = self._towards, 0.0, 0.0
        return self._sentence(off) if turned < _TURN else None

    def _stays(self, dt: float, far: float) -> bool:
        """Whether it has come no nearer to where it is to go, now `far` metres away, for a long time."""
        if far < max(self._nearest - _NEARER, LEFT):
            self._nearest, self._since = far, 0.0
        self._since += dt
        return self._since > _LONGEST

    def _sentence(self, off: float) -> str:
        side = "left" if off > 0.0 else "right"
        if not self._steering.travels(self._steering.open).any():
            return "no clip goes anywhere, so that it stays where it is: add a walk"
        if not self._turns()[side]:
            return f"no clip turns {side}, so that it stops instead of circling: add one that does, or mirror images"
        return (
            f"no way leads to a turn to the {side} from here, so that it stops instead of circling: raise the "
            f"threshold, or add clips that turn {side} while they walk"
        )

    def _turns(self) -> dict[str, bool]:
        if self._sides is None:
            ground, most, least = self._steering.ground, 0.0, 0.0
            for clip, begin in zip(self._steering.graph.clips, ground.starts):
                frames = np.arange(int(begin), int(begin) + len(clip))
                heading = np.unwrap(ground.heading(frames))
                reach = min(round(_WITHIN * clip.fps), len(clip) - 1)
                turn = (heading[reach:] - heading[: len(heading) - reach])[
                    self._steering.open[frames[: len(frames) - reach]]
                ]
                most, least = max(most, turn.max(initial=0.0)), min(least, turn.min(initial=0.0))
            self._sides = {"left": most > _TURN, "right": least < -_TURN}
        return self._sides
