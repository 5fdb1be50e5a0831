"""A walk: which pieces of which clips are played, and the transitions between them."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.graph.transitions import TRANSITION
from motiongraph.metric.metric import Metric
from motiongraph.progress import SILENT

# Frames start … stop − 1 of a clip are played as captured; stop is where the next transition's window opens.
STEP = np.dtype([("clip", np.int32), ("start", np.int32), ("stop", np.int32)])


@dataclass(frozen=True, eq=False)
class Walk:
    """clips: those of the graph; window: L, the frames of a transition; fps; steps: n rows of STEP;
    transitions: n − 1 rows of TRANSITION, the k-th from step k to step k + 1; method: how it was found;
    complete: False for the best found so far when time ran out; note: what there is to say about how it ended;
    seconds: spent computing; facts: figures of the method, such as path error, or functions of progress= that give
    some when the report is asked for (`synthesize` leaves the quality of the motion it made); placed: theta, x, z,
    where the first step's clip is put on the floor; metric: what the costs of its transitions are measured by."""

    clips: tuple
    window: int
    fps: float
    steps: np.ndarray
    transitions: np.ndarray
    method: str = "walk"
    complete: bool = True
    note: str = ""
    seconds: float = 0.0
    facts: dict = field(default_factory=dict)
    placed: tuple[float, float, float] = (0.0, 0.0, 0.0)
    metric: Metric = field(default_factory=Metric)

    def __post_init__(self):
        steps, jumps = np.asarray(self.steps, STEP), np.asarray(self.transitions, TRANSITION)
        if not len(steps) or len(jumps) != len(steps) - 1:
            raise MotionError(f"a walk of {len(steps)} steps cannot have {len(jumps)} transitions")
        fits = (
            (jumps["src"] == steps["clip"][:-1])
            & (jumps["src_frame"] == steps["stop"][:-1])
            & (jumps["dst"] == steps["clip"][1:])
            & (jumps["dst_frame"] + self.window == steps["start"][1:])
        )
        lengths = np.array([len(clip) for clip in self.clips])
        inside = (steps["start"] >= 0) & (steps["start"] <= steps["stop"]) & (steps["stop"] <= lengths[steps["clip"]])
        if not fits.all() or not inside.all():
            k = int(np.argmin(np.append(fits, True) & inside))
            raise MotionError(f"step {k} of the walk does not join the next: {steps[k : k + 2].tolist()}")
        for array in (steps, jumps):
            array.flags.writeable = False
        object.__setattr__(self, "steps", steps)
        object.__setattr__(self, "transitions", jumps)

    @classmethod
    def of(cls, graph, start, transitions, stop=None, **facts) -> "Walk":
        """The walk that starts at (clip, frame), takes these transitions in turn and then plays on to frame `stop`.

        stop: of the last clip, exclusive; by default as far as the clip goes.
        """
        jumps = np.asarray(transitions, TRANSITION)
        steps = np.empty(len(jumps) + 1, STEP)
        steps["clip"][0], steps["clip"][1:] = start[0], jumps["dst"]
        steps["start"][0], steps["start"][1:] = start[1], jumps["dst_frame"] + graph.window
        last = len(graph.clips[steps["clip"][-1]])
        steps["stop"][:-1], steps["stop"][-1] = jumps["src_frame"], last if stop is None else stop
        return cls(graph.clips, graph.window, graph.fps, steps, jumps, metric=graph.metric, **facts)

    def __len__(self):
        """Frames of the motion: pieces as captured, and a window for every transition."""
        return int(np.sum(self.steps["stop"] - self.steps["start"])) + self.window * len(self.transitions)

    @property
    def duration(self) -> float:
        """Seconds."""
        return len(self) / self.fps

    @cached_property
    def begins(self) -> np.ndarray:
        """(n,) the frame of the motion at which each step's own frames begin."""
        lengths = self.steps["stop"] - self.steps["start"] + self.window
        return np.concatenate([[0], np.cumsum(lengths[:-1])])

    @cached_property
    def placements(self) -> np.ndarray:
        """(n, 3) theta, x, z: where each step's clip is put on the floor (Kovar 2002, 4.1).

        The first is where `placed` says, which is where it was captured unless the walk was asked to go somewhere;
        every transition multiplies its alignment onto the placement before.
        """
        out = np.empty((len(self.steps), 3))
        out[0] = self.placed
        for k, jump in enumerate(self.transitions):
            out[k + 1] = compose(out[k], (jump["theta"], jump["x0"], jump["z0"]))
        return out

    def report(self, progress=SILENT) -> dict:
        """Plain numbers: what was played, what it cost, how long it took to find; once there is a motion made of it,
        also how good that is (foot slide, seams, knees: see `synthesis.quality`)."""
        facts = {}
        for name, fact in self.facts.items():
            facts |= fact(progress=progress) if callable(fact) else {name: fact}
        cost = self.transitions["cost"]
        return {
            "method": self.method,
            "complete": self.complete,
            "note": self.note,
            "frames": len(self),
            "seconds": self.duration,
            "transitions": len(self.transitions),
            "cost_mean": float(cost.mean()) if len(cost) else 0.0,
            "cost_max": float(cost.max()) if len(cost) else 0.0,
            "unit": self.metric.unit,
            "clips": len(set(self.steps["clip"].tolist())),
            "compute_seconds": self.seconds,
            **facts,
        }

    def log(self, frame_of=lambda clip, frame: frame) -> str:
        """The pieces played, one line each, as de Chenu 2006 (3.10) writes them.

        frame_of: clip, frame → the number to write for a frame of one of the clips, where that is not its own.
        """
        lines = []
        for k, (clip, start, stop) in enumerate(self.steps.tolist()):
            played = f"frames {frame_of(clip, start)} to {frame_of(clip, stop - 1)}" if stop > start else "no frames"
            line = f"{k + 1:4d}  {self.clips[clip].name}  {played}"
            if k < len(self.transitions):
                jump = self.transitions[k]
                to, at = jump["dst"], frame_of(int(jump["dst"]), int(jump["dst_frame"]))
                line += f", then {self.clips[to].name} {at} at {jump['cost']:.2f} {self.metric.unit}"
            lines.append(line)
        return "\n".join(lines) + "\n"


def compose(outer, inner):
    """The placement that first applies `inner` and then `outer`; each theta, x, z (radians, metres)."""
    theta, x, z = outer
    turn, u, w = inner
    c, s = np.cos(theta), np.sin(theta)
    return theta + turn, x + c * u + s * w, z - s * u + c * w
