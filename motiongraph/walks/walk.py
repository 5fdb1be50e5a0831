"""A walk: which pieces of which clips are played, and the transitions between them; and the frames of a graph by name.

Frames are counted over all clips, one after the other, as in `walks.floor_path`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.graph.structure import TRANSITION
from motiongraph.kernels import F64, kernel
from motiongraph.metric.metric import Metric
from motiongraph.model.clip import Clip
from motiongraph.model.placement import IDENTITY, Placement, composed
from motiongraph.progress import SILENT, Progress

Seed: TypeAlias = int | np.random.Generator  # what random choices are drawn from
# Frames start … stop − 1 of a clip are played as captured; stop is where the next transition's window opens.
STEP = np.dtype([("clip", np.int32), ("start", np.int32), ("stop", np.int32)])
# A clip by name or index, (clip, frame), a label, or labels that hold at the same time: {"walk", "fast"}, "walk+fast".
Name: TypeAlias = str | int | tuple[str | int, int] | frozenset[str] | set[str]


def frames_named(graph: MotionGraph, asked: Name | None) -> np.ndarray:
    """(F,) bool: the frames meant by a clip's name or index, (clip, frame), a label or a set of labels; all for None.

    A text with plus signs is a set of labels, unless a clip or label has that very name.
    """
    starts = np.cumsum([0, *map(len, graph.clips)])
    mask = np.zeros(starts[-1], bool)
    if asked is None:
        for clip, begin in zip(graph.clips, starts):
            mask[begin + clip.first : begin + len(clip)] = True
        return mask
    if isinstance(asked, tuple) and len(asked) == 2:
        clip, frame = _clip_named(graph, asked[0]), asked[1]
        length = len(graph.clips[clip])
        if not isinstance(frame, int | np.integer) or not 0 <= frame < length:
            raise MotionError(f"{graph.clips[clip].name!r} has frames 0 to {length - 1}, not {frame!r}")
        mask[starts[clip] + frame] = True
        return mask
    if isinstance(asked, set | frozenset) or (isinstance(asked, str) and all(c.name != asked for c in graph.clips)):
        words, labelling = _words(graph, asked), graph.candidates.labelling
        mask = np.array([own.issuperset(words) for own in labelling.sets])[labelling.frames]
        for clip, begin in zip(graph.clips, starts):
            mask[begin : begin + clip.first] = False
        if not mask.any():
            what = f"clip or label {asked!r}" if len(words) == 1 else f"motion that is {' and '.join(words)} at once"
            raise MotionError(f"the graph has no {what}; it has {known_names(graph)}")
        return mask
    clip = _clip_named(graph, asked)
    mask[starts[clip] + graph.clips[clip].first : starts[clip + 1]] = True
    return mask


def as_label(graph: MotionGraph, asked: Name | None) -> Name | None:
    """What is meant by a name where labels are asked for: a word that is a label is that, though a clip may be called
    so too; of all walks only the clip "walk" would be meant otherwise."""
    if isinstance(asked, str) and any(asked in own for own in graph.candidates.labelling.sets):
        return frozenset({asked})
    return fixed(asked)


def fixed(asked: Name | None) -> Name | None:
    """The same name, one that can be a key: a set of labels is frozen."""
    return frozenset(asked) if isinstance(asked, set) else asked


def _words(graph: MotionGraph, asked: str | set[str] | frozenset[str]) -> list[str]:
    """The labels that must hold at the same time."""
    if not isinstance(asked, str):
        if not asked:
            raise MotionError("a set of labels needs at least one label")
        return sorted(asked)
    parts = [part.strip() for part in asked.split("+")]
    whole = len(parts) == 1 or not all(parts) or any(asked in clip.labels for clip in graph.clips)
    return [asked] if whole else parts


def _clip_named(graph: MotionGraph, asked: object) -> int:
    if isinstance(asked, int | np.integer) and 0 <= asked < len(graph.clips):
        return int(asked)
    for index, clip in enumerate(graph.clips):
        if clip.name == asked:
            return index
    raise MotionError(f"the graph has no clip {asked!r}; it has {known_names(graph)}")


def known_names(graph: MotionGraph, most: int = 8) -> str:
    """The labels and clips of a graph, for a sentence."""
    labels = sorted({label for clip in graph.clips for label in clip.labels.take(slice(clip.first, None))})
    clips = [clip.name for clip in graph.clips]
    words = [f"the labels {', '.join(labels)}"] if labels else []
    shown = ", ".join(clips[:most]) + (", …" if len(clips) > most else "")
    return " and ".join([*words, f"the clips {shown}"])


def called(graph: MotionGraph, asked: Name | None) -> str:
    """A name as it is written in a sentence."""
    if asked is None:
        return "any motion"
    if isinstance(asked, tuple):
        return f"frame {asked[1]} of {called(graph, asked[0])}"
    if isinstance(asked, int | np.integer):
        return str(graph.clips[asked].name)
    return " + ".join(sorted(asked)) if isinstance(asked, set | frozenset) else str(asked)


class Stretches(NamedTuple):
    """The unbroken stretches of some frames, in order; none leads from one clip into the next."""

    begin: np.ndarray  # (n,) first frame of each
    end: np.ndarray  # (n,) its end, exclusive

    @classmethod
    def of(cls, starts: np.ndarray, mask: np.ndarray) -> "Stretches":
        """starts: (clips + 1,) where each clip's frames begin; mask: (F,) bool, the frames."""
        opens, closes = mask.copy(), mask.copy()
        opens[1:] &= ~mask[:-1]
        closes[:-1] &= ~mask[1:]
        opens[starts[:-1]], closes[starts[1:] - 1] = mask[starts[:-1]], mask[starts[1:] - 1]
        return cls(np.flatnonzero(opens), np.flatnonzero(closes) + 1)

    def around(self, frames: int | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """First frame and end of the stretch that each of these frames is in."""
        which = np.searchsorted(self.begin, frames, side="right") - 1
        return self.begin[which], self.end[which]

    def last_before(self, frames: np.ndarray, begin: np.ndarray) -> np.ndarray:
        """(n,) the last frame of any stretch at or before each of `frames` (n,), −1 for none since `begin` (n,)."""
        which = np.searchsorted(self.begin, frames, side="right") - 1
        last = np.minimum(frames, self.end[which] - 1)
        return np.where((which >= 0) & (last >= begin), last, -1)

    def first_after(self, frames: np.ndarray, end: np.ndarray) -> np.ndarray:
        """(n,) the first frame of any stretch at or after each of `frames` (n,), −1 for none before `end` (n,)."""
        which = np.searchsorted(self.end, frames, side="right")
        first = np.maximum(frames, np.append(self.begin, self.end[-1:])[which])
        return np.where((which < len(self.end)) & (first < end), first, -1)


def clip_of(starts: np.ndarray, frames: int | np.ndarray) -> np.ndarray:
    """The clip that frames counted over all clips belong to."""
    return np.searchsorted(starts, frames, side="right") - 1


@dataclass(frozen=True, eq=False)
class Walk:
    """Pieces of clips and the transitions between them; the k-th transition leads from step k to step k + 1."""

    clips: tuple[Clip, ...]  # those of the graph
    window: int  # L, frames of a transition
    fps: float
    steps: np.ndarray  # (n,) rows of STEP
    transitions: np.ndarray  # (n − 1,) rows of TRANSITION
    method: str = "walk"  # how it was found
    complete: bool = True  # False for the best found so far when a limit was reached
    note: str = ""  # one sentence on how it ended, if there is something to say
    seconds: float = 0.0  # spent computing
    # Figures of the method, such as path error; or functions of progress= that give some when the report is asked for
    # (`synthesize` adds the quality of the motion).
    facts: dict[str, Any] = field(default_factory=dict)
    placed: Placement = IDENTITY  # where the first step's clip is put on the floor
    path: np.ndarray | None = None  # (M, 2) x, z metres of the path it was to follow, at equal steps
    turns: np.ndarray | None = None  # (F, 3) theta, x, z by which every frame is turned after it is placed, if any is
    metric: Metric = field(default_factory=Metric)  # by which the costs of its transitions are measured

    def __post_init__(self) -> None:
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
        count = int(np.sum(steps["stop"] - steps["start"])) + self.window * len(jumps)
        if self.turns is not None and np.shape(self.turns) != (count, 3):
            raise MotionError(f"a walk of {count} frames cannot have turns for {len(self.turns)}")
        for array in (steps, jumps):
            array.flags.writeable = False
        object.__setattr__(self, "steps", steps)
        object.__setattr__(self, "transitions", jumps)

    @classmethod
    def of(
        cls, graph: MotionGraph, start: tuple[int, int], transitions: np.ndarray, stop: int | None = None, **fields: Any
    ) -> "Walk":
        """The walk that starts at (clip, frame), takes these transitions in turn and then plays on to frame `stop`.

        stop: of the last clip, exclusive; by default as far as the clip goes. fields: other fields of the walk.
        """
        jumps = np.asarray(transitions, TRANSITION)
        steps = np.empty(len(jumps) + 1, STEP)
        steps["clip"][0], steps["clip"][1:] = start[0], jumps["dst"]
        steps["start"][0], steps["start"][1:] = start[1], jumps["dst_frame"] + graph.window
        last = len(graph.clips[steps["clip"][-1]])
        steps["stop"][:-1], steps["stop"][-1] = jumps["src_frame"], last if stop is None else stop
        return cls(graph.clips, graph.window, graph.fps, steps, jumps, metric=graph.metric, **fields)

    def __len__(self) -> int:
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
        for column, name in enumerate(("theta", "x0", "z0")):
            out[1:, column] = self.transitions[name]
        _compose_all(out)
        return out

    def report(self, progress: Progress = SILENT) -> dict[str, Any]:
        """Plain numbers: what was played, what it cost, how long it took to find; once motion was made of it, also how
        good that is (foot slide, seams, knees: see `synthesis.quality`)."""
        facts: dict[str, Any] = {}
        for name, fact in self.facts.items():
            if callable(fact):
                compute: Any = fact
                facts |= compute(progress=progress)
            else:
                facts[name] = fact
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

    def log(self, frame_of: Callable[[int, int], int] = lambda clip, frame: frame) -> str:
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


@kernel((F64[:, ::1],))
def _compose_all(placements):
    """Compose each of placements (n, 3) with all before it, in place."""
    for k in range(1, placements.shape[0]):
        theta, x, z = placements[k - 1]
        turn, u, w = placements[k]
        placements[k] = composed(theta, x, z, turn, u, w)
