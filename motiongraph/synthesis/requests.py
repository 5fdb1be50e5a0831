"""What a driven character is asked to do, and what it decided: plain records."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from motiongraph.errors import MotionError
from motiongraph.walks.curve import Curve, distance
from motiongraph.walks.gaits import Gait
from motiongraph.walks.walk import Name

Label: TypeAlias = Name | Gait | None  # the kind of motion asked for, None for any
_SAME = 0.998  # cosine between directions that count as the same request


@dataclass(frozen=True, eq=False)
class Choice:
    """One way to go on, and its error over the next seconds."""

    transition: np.ndarray | None  # a row of TRANSITION; None: play on
    error: float


@dataclass(frozen=True, eq=False)
class Decision:
    """A transition that was taken, and what else there was."""

    seconds: float  # of motion, when it begins
    transition: np.ndarray  # a row of TRANSITION
    error: float  # of the plan that begins with it
    others: tuple[Choice, ...]  # other ways to go on, best first


@dataclass(frozen=True, eq=False)
class Request:
    """What a character is asked to do: a direction, a goal or a path; none of them: stand still."""

    direction: np.ndarray | None = None  # (2,) unit vector x, z
    share: float = 0.0  # of full speed, 0 to 1
    goal: np.ndarray | None = None  # (2,) x, z
    path: Curve | None = None
    labels: tuple[Label, ...] = (None,)  # one, or of each stretch of the path
    changes: np.ndarray | None = None  # (S,) metres at which stretches of the path begin

    @property
    def stops(self) -> bool:
        """Whether it ends with standing."""
        return self.direction is None and (self.path is None or not self.path.closed)


def floor_point(value: ArrayLike, what: str) -> np.ndarray:
    try:
        point = np.asarray(value, float)
    except (TypeError, ValueError):
        point = np.empty(0)
    if point.shape != (2,) or not np.isfinite(point).all():
        raise MotionError(f"a {what} is a pair x, z, not {value!r}")
    return point


def same(a: Request, b: Request) -> bool:
    """Whether two requests differ so little that nothing need be planned again."""
    if a.labels != b.labels or a.path is not b.path or abs(a.share - b.share) > 0.1:
        return False
    for one, other in ((a.direction, b.direction), (a.goal, b.goal)):
        if (one is None) != (other is None):
            return False
    if a.direction is not None and b.direction is not None:
        return float(a.direction @ b.direction) >= _SAME
    return a.goal is None or b.goal is None or distance(a.goal, b.goal) < 0.05
