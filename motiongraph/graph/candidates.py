"""All that is computed once and for any threshold: the clips and every transition between them up to a ceiling."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from motiongraph.graph.clusters import Clusters
from motiongraph.graph.floor import floor_rows
from motiongraph.graph.prune import Labelling, Layers
from motiongraph.graph.rules import USUAL, Rules
from motiongraph.graph.structure import Structure, renumbered
from motiongraph.kernels import F64, I64, kernel, read
from motiongraph.metric.cells import Cells
from motiongraph.metric.metric import Metric
from motiongraph.metric.pruned import Kept
from motiongraph.metric.stream import ahead
from motiongraph.model.clip import Clip
from motiongraph.model.kinematics import positions

# Seconds; an expensive minimum this near to a cheaper one adds nothing. Of all CMU BVH files (644,714 candidates up to
# the ceiling) radii of 2, 4, 8 and 16 frames at 120 Hz leave 95, 89, 84 and 80 %, while the share of frames kept falls
# from 86.00 % to 85.98 (8) and 85.97 (16) and the mean connection stays at 1.6 s (scripts/bench.py graph).
RADIUS = 8 / 120
STROLL = 1.2  # m/s; how fast the joints of a person move who walks slowly
_PACE = 30.0  # Hz at which that is measured


class LeftOut(NamedTuple):
    """A clip that cannot be in a graph."""

    clip: str  # its name
    reason: str  # "its 0.20 s are shorter than a transition"

    def __str__(self) -> str:
        return f"{self.clip} is left out: {self.reason}"


@dataclass(frozen=True, eq=False)
class Candidates:
    """Clips and all transitions between them; see `graph.build` for how they are found."""

    originals: tuple[Clip, ...]  # the clips as given, at the rate of the graph
    clips: tuple[Clip, ...]  # the same on one skeleton, each followed by its mirror image if `mirror`
    metric: Metric
    table: np.ndarray  # every transition up to `ceiling`, see `graph.structure`
    ceiling: float  # cm, or the metric's unit
    radius: float  # seconds; of minima nearer than this only the cheapest is kept
    mirror: bool
    left_out: tuple[LeftOut, ...] = ()  # clips that were given and cannot take part
    bones: Mapping[str, str] = field(default_factory=dict)  # corrections of bone maps, see `model.bone_map`
    rules: Rules = USUAL  # which pairs of windows became transitions
    per_window: int = 0  # cheapest transitions that every stretch of `radius` keeps, see `graph.limits`; 0: all
    looked: Kept = field(default_factory=Kept)  # at how many pairs of windows the search looked
    cells: Callable[[], Cells | None] = lambda: None  # of all clips, with which others are soon added

    def __getattr__(self, name: str) -> Any:
        """The table of a large file is read when it is first asked for."""
        if name != "table" or "later" not in self.__dict__:
            raise AttributeError(f"candidates have no {name!r}")
        self.__dict__["table"] = self.__dict__.pop("later")()
        return self.__dict__["table"]

    @property
    def window(self) -> int:
        """L, the frames of a transition."""
        return self.metric.frames(self.clips[0].fps)

    @cached_property
    def frames(self) -> int:
        """Captured frames of all clips together."""
        return sum(len(clip) - clip.first for clip in self.clips)

    @property
    def max_cost(self) -> float:
        """Highest cost worth choosing as a threshold: the ceiling, or where there is none, that of the candidates."""
        if np.isfinite(self.ceiling):
            return self.ceiling
        return float(self.cost.max(initial=0.0))

    @cached_property
    def cost(self) -> np.ndarray:
        """(T,) of the table, in one piece: a hundred thousand of them are compared while a slider moves."""
        return np.ascontiguousarray(self.table["cost"])

    @cached_property
    def pace(self) -> np.ndarray:
        """(T,) how fast the joints move on average in the two windows of each transition, as a share of a stroll."""
        first, flat, rows = np.cumsum([0, *map(len, self.clips)]), self.paces, self.table
        both = flat[first[rows["src"]] + rows["src_frame"]] + flat[first[rows["dst"]] + rows["dst_frame"]]
        return 0.5 * both / STROLL

    @cached_property
    def leeway(self) -> np.ndarray:
        """(T,) by how much each transition may cost more than one in slow motion, for being faster: from 1 up.

        Faster by a factor, accelerations are larger by its square, and hide as much more."""
        if self.metric.unit != "cm":
            return np.ones(len(self.table))
        faster = np.maximum(self.pace, 1.0)
        return faster * faster

    @cached_property
    def paces(self) -> np.ndarray:
        """m/s at every frame of all clips, one after the other; see `pace`."""
        return np.concatenate(list(ahead(partial(pace, window=self.window), self.clips)))

    @cached_property
    def paths(self) -> np.ndarray:
        """(F, 4) float32: `graph.floor` at every frame of all clips, one after the other."""
        return np.concatenate(list(ahead(floor_rows, self.clips)))

    @cached_property
    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """(T,), (T,): the clips every transition leaves and enters."""
        return np.ascontiguousarray(self.table["src"]), np.ascontiguousarray(self.table["dst"])

    @cached_property
    def structure(self) -> Structure:
        return Structure.of(self.table, [len(clip) for clip in self.clips], self.window)

    @cached_property
    def labelling(self) -> Labelling:
        return Labelling.of(self.clips)

    @cached_property
    def piece_sets(self) -> np.ndarray:
        return self.labelling.pieces(self.structure)

    @cached_property
    def transition_sets(self) -> np.ndarray:
        return self.labelling.transitions(self.table, self.window)

    @cached_property
    def set_pairs(self) -> np.ndarray:
        """(T,) the sets of labels of the frames every transition leaves and enters: first times their number, plus
        second."""
        rows, at = self.table, self.labelling.at
        out, into = (at(rows[end], rows[f"{end}_frame"]).astype(np.intp) for end in ("src", "dst"))
        return out * len(self.labelling.sets) + into

    @cached_property
    def clusters(self) -> Clusters:
        """Which clips belong together, for overviews."""
        return Clusters.of(self)

    @cached_property
    def layers(self) -> Layers:
        return Layers.of(self.structure, self.piece_sets, self.transition_sets, len(self.labelling.sets))


def pace(clip: Clip, window: int) -> np.ndarray:
    """(F,) m/s: how fast joints move on average over the window that begins at each frame."""
    step = max(round(clip.fps / _PACE), 1)
    frames = slice(None, None, step)
    offsets = None if clip.offsets is None else clip.offsets[frames]
    places = positions(clip.skeleton, clip.root[frames], clip.rotations[frames], offsets)
    out = np.empty(len(clip))
    _pace(places, step, window, clip.fps, out)
    return out


@kernel((read(F64, 3), I64, I64, F64, F64[::1]))
def _pace(places, step, window, fps, out):
    """Into out (F,): mean speed over the window at each frame, of joints (n, J, 3) known at every step-th frame."""
    count, joints = places.shape[0], places.shape[1]
    total = np.zeros(count)  # metres that joints moved, on average, up to each known frame
    for n in range(1, count):
        square = 0.0
        for j in range(joints):
            for k in range(3):
                square += (places[n, j, k] - places[n - 1, j, k]) ** 2
        total[n] = total[n - 1] + np.sqrt(square / joints)
    for f in range(out.shape[0]):
        start = min(f // step, max(count - 2, 0))
        stop = min(max((f + window) // step, start + 1), count - 1)
        out[f] = (total[stop] - total[start]) * fps / (step * max(stop - start, 1))


def among(table: np.ndarray, stays: np.ndarray) -> np.ndarray:
    """The transitions of a table between the clips that stay, (C,) bool, whose numbers close the gaps."""
    return renumbered(table, np.where(stays, np.cumsum(stays) - 1, -1))
