"""The motion graph: one table of candidates, seen at a threshold, pruned or not.

`graph.build` and `graph.store` make graphs, so that they are imported within the methods that need them.
"""

import warnings
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.graph.candidates import RADIUS, Candidates
from motiongraph.graph.prune import Kept, prune
from motiongraph.graph.report import report, warnings_of
from motiongraph.graph.rules import Rules
from motiongraph.graph.structure import Structure
from motiongraph.graph.thresholds import AnyThreshold, Thresholds, automatic, half_as_many, trade_off
from motiongraph.graph.views import ChoiceView, ClipView, SegmentView, choice_view, clip_view, segment_view
from motiongraph.metric.metric import Metric
from motiongraph.model.clip import Clip
from motiongraph.progress import SILENT, Progress

if TYPE_CHECKING:
    from distributed import Client

    from motiongraph.graph.build import Built, Options
    from motiongraph.graph.store import AnyClips


class MotionGraph:
    """Clips and the transitions between them. A graph is a view: `at` and `pruned` give others of the same
    candidates at once, `add` and `remove` change the clips and compute only what is new."""

    def __init__(
        self,
        candidates: Candidates,
        threshold: AnyThreshold = "auto",
        is_pruned: bool = False,
        least: float = 0.0,
        progress: Progress = SILENT,
    ):
        """threshold: as for `build`; least: see `pruned`; progress: of finding the automatic threshold."""
        self.candidates, self.is_auto = candidates, isinstance(threshold, str) and threshold == "auto"
        if self.is_auto:
            self.thresholds = Thresholds.automatic(automatic(candidates, progress))
        elif isinstance(threshold, str) and threshold == "half":
            self.thresholds = Thresholds.of(half_as_many(candidates))
        else:
            self.thresholds = Thresholds.of(threshold)
        self.is_pruned, self.least = is_pruned, least

    @classmethod
    def build(
        cls,
        clips: Clip | Iterable[Clip],
        metric: Metric | None = None,
        threshold: AnyThreshold = "auto",
        *,
        ceiling: float | str = "auto",
        radius: float = RADIUS,
        mirror: bool = False,
        fps: float | None = None,
        bones: Mapping[str, str] | None = None,
        border: bool = True,
        every_cell: bool = False,
        same_feet: bool = False,
        per_window: int | None = None,
        search: str = "pruned",
        client: "Client | None" = None,
        progress: Progress = SILENT,
    ) -> "MotionGraph":
        """Compare all clips and keep every transition up to `ceiling`: "auto" is 15 cm for a few minutes of motion and
        lower for a database (`graph.limits`), more if a threshold asks for it.

        threshold: cm; "auto", see `graph.thresholds`; "half", the lowest at which there are half as many transitions as
        steps from frame to frame (Hoang and Truong 2014, 2.2); {"within": 4, "between": 6}; {("walk", "run"): 8,
        "default": 5}.
        radius: seconds; of minima nearer than this only the cheapest is kept. mirror: every clip's mirror image takes
        part as well (Kovar 2002, figure 6). fps: the rate of the graph, by default the one that most clips have; others
        are resampled. Clips of other bodies are retargeted to the skeleton most have; bones: corrections of which joint
        leads which, as `bone_map` takes them. What cannot take part is left out with a warning. client: of a Dask
        cluster whose workers compare the clips (`dask.distributed.Client`). border: whether minima where a clip begins
        or ends count. every_cell: a transition at every cell up to the ceiling instead of at minima alone, so that
        frames are vertices. same_feet: compare only windows in whose middle the same feet stand (Mao 2011, 6).
        per_window: how many of the cheapest transitions every stretch of `radius` keeps; 0: all, None: all, or 32 from
        half a million frames on. search: "pruned" leaves out what must lie above the ceiling, "exhaustive" looks at
        every pair; the table is the same.
        """
        from motiongraph.graph.build import Options

        metric = Metric() if metric is None else metric
        return _built(
            _several(clips),
            Options(
                metric,
                mirror,
                fps,
                ceiling,
                radius,
                threshold,
                bones or {},
                Rules(border, every_cell, same_feet),
                per_window,
                search,
            ),
            None,
            progress,
            client,
        ).graph

    def __repr__(self):
        kind = "pruned " if self.is_pruned else ""
        many = f"{len(self.clips)} clips, {len(self.transitions):,} transitions"
        return f"MotionGraph({kind}{many}, threshold {self.thresholds} {self.metric.unit})"

    @property
    def clips(self) -> tuple[Clip, ...]:
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
    def structure(self) -> Structure:
        """The choice points of all candidates; `open` says which transitions and pieces this graph has."""
        return self.candidates.structure

    def at(self, threshold: AnyThreshold) -> "MotionGraph":
        """The same graph at another threshold, as for `build`: a view, nothing is computed again."""
        graph = MotionGraph(self.candidates, threshold, self.is_pruned, self.least)
        highest, ceiling = graph.thresholds.highest, self.candidates.ceiling
        if np.isfinite(highest) and highest > ceiling:
            raise MotionError(
                f"candidates are known up to {ceiling:g} {self.metric.unit}; build again with ceiling={highest:g} "
                "for a threshold that high"
            )
        return graph

    def pruned(self, least: float = 0.0) -> "MotionGraph":
        """Only what motion can go on in for ever, for every set of labels (see `graph.prune`).

        least: seconds; a set of labels that keeps less is named in `warnings`.
        """
        return self._view(is_pruned=True, least=least)

    def whole(self) -> "MotionGraph":
        """The same graph with what pruning takes away."""
        return self._view(is_pruned=False, least=self.least)

    def _view(self, is_pruned: bool, least: float) -> "MotionGraph":
        view = MotionGraph(self.candidates, self.thresholds, is_pruned, least)
        view.is_auto = self.is_auto
        view.__dict__.update({name: self.__dict__[name] for name in ("taken", "kept") if name in self.__dict__})
        return view

    def add(self, clips: Clip | Iterable[Clip], progress: Progress = SILENT) -> "MotionGraph":
        """Add a clip, or several; computes only the new pairs. Returns the graph itself, exactly as `build` would make
        it from all its clips at the same rate, with the ceiling that it has: an automatic threshold is chosen anew, an
        automatic ceiling stays."""
        return self._become([*self.candidates.originals, *_several(clips)], progress)

    def remove(self, *names: str, progress: Progress = SILENT) -> "MotionGraph":
        """Remove clips by name, with their mirror images. Returns the graph itself, as `add` does."""
        known = [clip.name for clip in self.candidates.originals]
        for name in names:
            if name not in known:
                raise MotionError(f"the graph has no clip {name!r}; it has {', '.join(known)}")
        return self._become([clip for clip in self.candidates.originals if clip.name not in names], progress)

    def _become(self, clips: list[Clip], progress: Progress) -> "MotionGraph":
        from motiongraph.graph.build import Options

        c = self.candidates
        threshold = "auto" if self.is_auto else self.thresholds
        built = _built(
            clips,
            Options(c.metric, c.mirror, self.fps, c.ceiling, c.radius, threshold, c.bones, c.rules, c.per_window),
            self,
            progress,
        )
        new = MotionGraph(built.graph.candidates, built.graph.thresholds, self.is_pruned, self.least)
        # The same object: it knows what was worked out for it.
        new.candidates.__dict__["left_out"] = (*c.left_out, *built.left_out)
        new.is_auto = self.is_auto
        self.__dict__.clear()
        self.__dict__.update(new.__dict__)
        return self

    @cached_property
    def taken(self) -> np.ndarray:
        """(T,) bool: the candidates that are cheap enough."""
        return self.candidates.cost <= self.thresholds.limits(self.candidates)

    @cached_property
    def kept(self) -> Kept:
        """What pruning leaves of this graph, whether or not it is the pruned one."""
        c = self.candidates
        return prune(c.structure, c.layers, self.taken)

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
        """Structured array src, src_frame, dst, dst_frame, cost, theta, x0, z0; see `graph.structure`."""
        chosen = self.candidates.table[self.open]
        chosen.flags.writeable = False
        return chosen

    def report(self, connections: int = 0, coverage: int = 0) -> dict[str, Any]:
        """Plain numbers about this graph; see `graph.report`."""
        return report(self, connections, coverage)

    @property
    def warnings(self) -> list[str]:
        """Sentences about clips left out, and about what pruning loses or leaves apart."""
        return warnings_of(self)

    def clip_view(self) -> ClipView:
        """Clips as vertices and transitions as edges; see `graph.views`."""
        return clip_view(self)

    def choice_view(self) -> ChoiceView:
        """Choice points as nodes, pieces of clips and transitions as edges; see `graph.views`."""
        return choice_view(self)

    def segment_view(self) -> SegmentView:
        """Pieces of clips as nodes; see `graph.views`."""
        return segment_view(self)

    def trade_off(self, points: int = 33, progress: Progress = SILENT) -> np.ndarray:
        """Threshold against share of frames kept, transitions and mean cost; see `graph.thresholds`."""
        return trade_off(self.candidates, points, progress)

    def save(self, path: str | Path, clips: str = "included") -> None:
        """Write an .mgraph file, whole or not at all; see `graph.store`."""
        from motiongraph.graph.store import save

        save(self, path, clips)

    @classmethod
    def load(cls, path: str | Path, clips: "AnyClips | None" = None) -> "MotionGraph":
        """Read an .mgraph file; clips: where it only names its clips, those clips or files."""
        from motiongraph.graph.store import load

        return load(path, clips)


def _several(clips: Clip | Iterable[Clip]) -> list[Clip]:
    return [clips] if isinstance(clips, Clip) else list(clips)


def _built(
    clips: list[Clip],
    options: "Options",
    previous: MotionGraph | None,
    progress: Progress,
    client: "Client | None" = None,
) -> "Built":
    """The graph of these clips; what there is to say about them is said as warnings to whoever called `build`."""
    from motiongraph.graph.build import build_graph

    built = build_graph(clips, options, previous, progress, client)
    for sentence in built.sentences:
        warnings.warn(sentence, stacklevel=3)
    return built
