"""The motion graph: one table of candidates, seen at a threshold, pruned or not."""

from functools import cached_property

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.graph import auto
from motiongraph.graph.candidates import CEILING, RADIUS, Candidates
from motiongraph.graph.prune import Kept, prune
from motiongraph.graph.thresholds import Thresholds
from motiongraph.metric.metric import Metric
from motiongraph.progress import SILENT


class MotionGraph:
    """Clips and the transitions between them. A graph is a view: `at` and `pruned` give others of the same
    candidates at once, `add` and `remove` change the clips and compute only what is new."""

    def __init__(self, candidates: Candidates, thresholds: Thresholds, is_pruned: bool = False, least: float = 0.0):
        self.candidates, self.thresholds, self.is_pruned, self.least = candidates, thresholds, is_pruned, least

    @classmethod
    def build(
        cls, clips, metric=None, threshold="auto", *, ceiling=CEILING, radius=RADIUS, mirror=False, progress=SILENT
    ) -> "MotionGraph":
        """Compare all clips and keep every transition up to `ceiling` cm (more if a threshold asks for it).

        threshold: cm; "auto" (see `graph.auto`); {"within": 4, "between": 6}; or {("walk", "run"): 8, "default": 5}.
        radius: seconds; of minima nearer than this only the cheapest is kept. mirror: every clip's mirror image takes
        part as well (Kovar 2002, figure 6). Clips of other proportions are retargeted to the skeleton most have.
        """
        metric = Metric() if metric is None else metric
        wanted = None if threshold == "auto" else Thresholds.of(threshold)
        ceiling = max(ceiling, wanted.highest if wanted and np.isfinite(wanted.highest) else 0.0)
        clips = [clips] if hasattr(clips, "skeleton") else list(clips)
        candidates = Candidates.of(clips, metric, ceiling, radius, mirror, progress)
        return cls(candidates, wanted or Thresholds.of(auto.threshold(candidates)))

    def __repr__(self):
        kind = "pruned " if self.is_pruned else ""
        many = f"{len(self.clips)} clips, {len(self.transitions):,} transitions"
        return f"MotionGraph({kind}{many}, threshold {self.thresholds.highest:g} cm)"

    @property
    def clips(self):
        """The clips that transitions index, mirror images included."""
        return self.candidates.clips

    @property
    def metric(self) -> Metric:
        return self.candidates.metric

    @property
    def window(self) -> int:
        """L, the frames of a transition."""
        return self.candidates.window

    @property
    def fps(self) -> float:
        return self.clips[0].fps

    @property
    def structure(self):
        """The choice points of all candidates; `open` says which transitions and pieces this graph has."""
        return self.candidates.structure

    def at(self, threshold) -> "MotionGraph":
        """The same graph at another threshold, as for `build`: a view, nothing is computed again."""
        if threshold == "auto":
            threshold = auto.threshold(self.candidates)
        thresholds = Thresholds.of(threshold)
        if np.isfinite(thresholds.highest) and thresholds.highest > self.candidates.ceiling * (1 + 1e-9):
            raise MotionError(
                f"candidates are known up to {self.candidates.ceiling:g} cm; build again with ceiling="
                f"{thresholds.highest:g} for a threshold that high"
            )
        return MotionGraph(self.candidates, thresholds, self.is_pruned, self.least)

    def pruned(self, least: float = 0.0) -> "MotionGraph":
        """Only what motion can go on in for ever, for every set of labels (see `graph.prune`).

        least: seconds; a set of labels that keeps less is named in `warnings`.
        """
        return MotionGraph(self.candidates, self.thresholds, True, least)

    def add(self, clips, progress=SILENT) -> "MotionGraph":
        """Add a clip, or several; computes only the new pairs. Returns the graph itself."""
        clips = [clips] if hasattr(clips, "skeleton") else list(clips)
        return self._with(self.candidates.with_clips(clips, progress))

    def remove(self, *names: str, progress=SILENT) -> "MotionGraph":
        """Remove clips by name, with their mirror images. Returns the graph itself."""
        return self._with(self.candidates.without(names, progress))

    def _with(self, candidates):
        self.candidates = candidates
        for name in ("taken", "kept", "transitions"):
            self.__dict__.pop(name, None)
        return self

    @cached_property
    def taken(self) -> np.ndarray:
        """(T,) bool: the candidates that are cheap enough."""
        table = self.candidates.table
        return table["cost"] <= self.thresholds.limits(table, self.candidates.labelling)

    @cached_property
    def kept(self) -> Kept:
        """What pruning leaves of this graph, whether or not it is the pruned one."""
        c = self.candidates
        return prune(c.structure, self.taken, c.labelling, c.piece_sets, c.transition_sets)

    @property
    def open(self) -> np.ndarray:
        """(T,) bool: the candidates that are transitions of this graph."""
        return self.kept.transitions if self.is_pruned else self.taken

    @property
    def open_pieces(self) -> np.ndarray:
        """(N,) bool: from which choice points the clip may be played on to the next one."""
        return self.kept.pieces if self.is_pruned else self.structure.goes_on

    @cached_property
    def transitions(self) -> np.ndarray:
        """Structured array src, src_frame, dst, dst_frame, cost, theta, x0, z0; see `graph.transitions`."""
        chosen = self.candidates.table[self.open]
        chosen.flags.writeable = False
        return chosen

    def report(self, connections: int = 0) -> dict:
        """Plain numbers about this graph; see `graph.report`."""
        from motiongraph.graph.report import report

        return report(self, connections)

    @property
    def warnings(self) -> list[str]:
        """Sentences about what pruning loses or leaves apart."""
        from motiongraph.graph.report import warnings_of

        return warnings_of(self)

    def trade_off(self, points: int = 33) -> np.ndarray:
        """Threshold against share of frames kept, transitions and mean cost; see `graph.auto.trade_off`."""
        return auto.trade_off(self.candidates, points)

    def save(self, path, clips: str = "included") -> None:
        """Write an .mgraph file, whole or not at all; see `graph.store`."""
        from motiongraph.graph.store import save

        save(self, path, clips)

    @classmethod
    def load(cls, path, clips=None) -> "MotionGraph":
        """Read an .mgraph file; clips: where it only names its clips, those clips or files."""
        from motiongraph.graph.store import load

        return load(path, clips)
