"""Steering a driven character: what the coming seconds are compared with, and the plan for them (Kovar 2002, 5.3)."""

from dataclasses import dataclass

import numpy as np
import scipy  # whose parts are loaded when first used

from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.kernels import B1, F64, I64, kernel, read
from motiongraph.model.placement import Placement
from motiongraph.walks.floor_path import FLOOR, floor_graph
from motiongraph.walks.plan_search import Aim, best_plan, plan_cost

# s that are searched; longer where there are fewer transitions in a second of motion than _SPARSE, as a turn then takes
# several clips. On subject 16, with 43, 3.5 s turned no sooner than 2 s and took twice the time. On samples at 1.6
# times the automatic threshold, 5 s walked in all of five directions asked for in turn, 3.5 s strayed in one of them.
_HORIZON, _HORIZON_SPARSE, _SPARSE = 2.0, 5.0, 25.0
_END = 2.0  # s for which the error of the last moment counts on
_CELL = 0.2  # s; states that arrive within the same one compete
_WIDTH = 16  # states that go on from each
_LOOKS = 6000  # at transitions, for one plan: about 2 ms
_STANDING = 0.2  # m/s: slower is standing
_GOING = 1.5  # s in which who walks gets on, and who sways from foot to foot does not
_BOB = 0.1  # m: a root that rises and falls more than this does not stand
_STAYING = 20.0  # s after which standing counts as lasting for ever
_FAR = 4.0  # s: a label farther away than this is as good as this far
_NOBODY = np.zeros((0, 1, 2))


@kernel(F64[::1](FLOOR, read(B1), I64))
def frames_away(floor, need, window):
    """(F,) frames that pass until a frame of `need` (F,) is reached, infinity where none can be."""
    away = np.where(need & (floor.run_end >= 0), 0.0, np.inf)
    changed = True
    while changed:
        changed = False
        for frame in range(away.shape[0] - 1, -1, -1):
            end = floor.run_end[frame]
            if end < frame:
                continue
            least = away[frame]
            if frame < end:
                least = min(least, away[frame + 1] + 1.0)
            for k in range(floor.next_out[frame], floor.next_out[frame + 1]):
                least = min(least, away[floor.arrive[k]] + window)
            if least < away[frame]:
                away[frame] = least
                changed = True
    return away


@kernel(F64[::1](FLOOR, read(B1), I64, F64))
def frames_stayed(floor, need, window, most):
    """(F,) for how many frames, up to `most`, a walk can stay within the frames of `need` (F,), transitions too."""
    stayed = np.zeros(need.shape[0])
    changed = True
    while changed:
        changed = False
        for frame in range(need.shape[0] - 1, -1, -1):
            end = floor.run_end[frame]
            if end < frame or not need[frame]:
                continue
            longest = stayed[frame]
            if frame < end:
                longest = max(longest, min(stayed[frame + 1] + 1.0, most))
            for k in range(floor.next_out[frame], floor.next_out[frame + 1]):
                to = floor.arrive[k]
                if need[to] and need[to - window] and need[min(frame + window, need.shape[0] - 1)]:
                    longest = max(longest, min(stayed[to] + window, most))
            if longest > stayed[frame]:
                stayed[frame] = longest
                changed = True
    return stayed


def _read_only(array: np.ndarray) -> np.ndarray:
    """As kernels expect the arrays of an `Aim`."""
    array.flags.writeable = False
    return array


@dataclass(frozen=True, eq=False)
class Kind:
    """Frames of one kind: a label, standing, or all."""

    need: np.ndarray  # (F,) bool
    away: np.ndarray  # (F,) seconds until one that travels, if any does, is reached, at most 4
    speed: float  # m/s of the quicker ones
    cruising: float  # m/s usual in those that travel
    reached: np.ndarray  # (F,) bool: whether such a frame can be reached at all


class Steering:
    """Plans of the coming seconds on one pruned graph; what they need of the graph is computed once."""

    def __init__(self, graph: MotionGraph, turning: float = 0.0):
        """turning: rad/s by which bodies that move are turned towards where they are to face."""
        self.graph, self.ground, self.turning = graph, floor_graph(graph), turning
        floor, fps = self.ground.floor, self.ground.fps
        self.open = floor.run_end >= 0
        self.speeds, self._going = self._speeds(0.5), self._speeds(_GOING)
        self.stride = max(round(0.1 * fps), 1)
        rate = len(floor.leave) * fps / max(int(self.open.sum()), 1)  # transitions in a second of motion
        self.sparse = rate < _SPARSE
        self.horizon = round((_HORIZON_SPARSE if self.sparse else _HORIZON) * fps)
        self._costly = 0.3 / max(graph.thresholds.highest, 1e-6) ** 2
        moving = self.travels(self.open)
        # Standing that can be left again; a jump on the spot is none.
        returns = np.isfinite(frames_away(floor, moving if moving.any() else self.open, self.ground.window))
        self.lasting = self.open & returns
        self.still = (self.speeds < _STANDING) & (self._bobbing() < _BOB)  # whether it can be reached or not
        slow = self.lasting & self.still
        stayed = frames_stayed(floor, slow, self.ground.window, _STAYING * fps) / fps
        self.can_stand = bool((stayed >= _STAYING - 0.5).any())
        standing = stayed >= (_STAYING - 0.5 if self.can_stand else 0.5)
        self.standing = self.kind(standing if standing.any() else slow)
        self.any = self.kind(np.ones(len(self.open), bool))
        self._travelling: dict[Kind, Kind] = {}

    def _speeds(self, seconds: float) -> np.ndarray:
        """(F,) m/s at which the body gets on, over so many seconds around each frame."""
        speeds = []
        for clip, begin in zip(self.graph.clips, self.ground.starts):
            path = self.ground.floor.path[begin : begin + len(clip)]
            reach, index = max(round(0.5 * seconds * clip.fps), 1), np.arange(len(clip))
            before, after = np.maximum(index - reach, clip.first), np.minimum(index + reach, len(clip) - 1)
            before = np.minimum(before, after)
            far = path[after] - path[before]
            speeds.append(np.sqrt((far * far).sum(axis=1)) * clip.fps / np.maximum(after - before, 1))
        return np.concatenate(speeds)

    def _bobbing(self) -> np.ndarray:
        """(F,) metres by which the root rises and falls in the half second around each frame."""
        size, image = 2 * max(round(0.25 * self.ground.fps), 1) + 1, scipy.ndimage
        heights = [clip.root[:, 1] for clip in self.graph.clips]
        return np.concatenate([image.maximum_filter1d(y, size) - image.minimum_filter1d(y, size) for y in heights])

    def travels(self, need: np.ndarray) -> np.ndarray:
        """(F,) bool: those frames of a mask (F,) that get on over the floor and can be gone on from."""
        return need & self.open & (np.minimum(self.speeds, self._going) > 2.0 * _STANDING)

    def kind(self, need: np.ndarray) -> Kind:
        """The frames of a mask (F,) bool."""
        inside, moving = need & self.open, self.travels(need)
        away = frames_away(self.ground.floor, moving if moving.any() else inside, self.ground.window) / self.ground.fps
        speeds, travelling = self.speeds[inside], self.speeds[moving]
        speed = float(np.percentile(speeds, 80)) if len(speeds) else 0.0
        cruising = float(np.median(travelling)) if len(travelling) else 0.3
        near = _read_only(np.minimum(away, _FAR))
        return Kind(_read_only(need.copy()), near, max(speed, 0.3), max(cruising, 0.3), np.isfinite(away))

    def travelling(self, kind: Kind) -> Kind:
        """The frames of a kind that get on: who hops on the spot, or stands and faces away, is a little nearer in some
        seconds than who sets off, and would do so for ever."""
        if kind not in self._travelling:
            need = self.travels(kind.need)
            self._travelling[kind] = self.kind(need) if need.any() else kind
        return self._travelling[kind]

    def aim(
        self, points: np.ndarray, speed: float, kind: Kind, arriving: bool = False, others: np.ndarray = _NOBODY,
        clear: float = 0.0, twist: float = 0.0,
    ) -> Aim:  # fmt: skip
        """points: (N, 2) x, z to head for, one every `stride` frames; speed: m/s; arriving: to stop there; others:
        (M, S, 2) x, z to keep `clear` metres from, every `stride` frames too."""
        return Aim(
            _read_only(np.array(points, float, order="C")), float(speed), 0.6 if arriving else 0.0, kind.need,
            kind.away, self.standing.away, 1.5, self._costly, 0.6, _END, self.horizon, self.stride,
            float(self.ground.fps), self.ground.window, self.turning, twist,
            _read_only(np.array(others, float, order="C")), float(clear),
        )  # fmt: skip

    def plan(
        self, frame: int, placement: Placement, aim: Aim, current: list[int], looks: int = _LOOKS, better: float = 0.0
    ) -> tuple[list[int], float, np.ndarray]:
        """The transitions to take from a frame on, with its clip at a placement: those planned so far, or better ones;
        their error; and of each exit of the run, then of playing on, the least error found. looks: at transitions;
        better: so much better a new plan has to be."""
        theta, x, z = map(float, placement)
        floor, cell = self.ground.floor, min(max(round(_CELL * self.ground.fps), 1), self.ground.window)
        kept = plan_cost(floor, aim, frame, theta, x, z, np.array(current, np.int32))
        plan, error, firsts, _ = best_plan(floor, aim, frame, theta, x, z, cell, _WIDTH, looks)
        if kept <= error + better and kept < np.inf:
            return list(current), kept, firsts
        return plan.tolist(), error, firsts
