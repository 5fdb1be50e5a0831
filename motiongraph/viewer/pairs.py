"""Two motions brought together as the metric does: a pose of each, on request their whole windows and point clouds."""

from collections.abc import Callable
from typing import Any

import numpy as np

from motiongraph.app.library.entries import Entry
from motiongraph.app.scene.cast import Cast, record_of
from motiongraph.app.scene.pair import Pair, place_of
from motiongraph.model.placement import Placement, compose
from motiongraph.model.skeleton import Skeleton
from motiongraph.viewer.draw.characters import Look
from motiongraph.viewer.draw.frame import CHARACTERS, Batch, polyline
from motiongraph.viewer.draw.layers import Cloud
from motiongraph.viewer.matrices import dvec3

_ALPHA = 0.66  # of b, which is seen through to a
_FAINT = 0.75, 0.25  # of the second and of the last pose of a window
_POSES = 9  # of a window in a flow picture


class _Side:
    """One of the two motions: member f of its cast is f frames into the window.

    Windows are drawn as lines and points, which unlike flesh hide nothing of each other.
    """

    def __init__(self, entry: Entry, look: Look, which: int, pair: Pair):
        frames = max(pair.window, 1) if pair.clouds or pair.windows else 1
        bones = len(entry.clip.skeleton) - 1
        self.which, self.look, self.rgb = which, look, np.array(CHARACTERS[which])
        self.cast = Cast([(entry, record_of(entry), which)] * frames)
        self.body = look.bones(1, groups=look.groups(1) if which else None)
        self.shown = np.zeros(1, int)  # frames of the window whose bones are drawn as lines
        if pair.windows:
            self.shown = np.unique(np.linspace(0, frames - 1, min(_POSES, frames)).round().astype(int))
        count = len(self.shown)
        alphas = np.concatenate([[1.0], np.linspace(*_FAINT, count - 1)]).repeat(2 * bones)
        colours = np.column_stack([np.tile(self.rgb, (len(alphas), 1)), alphas])
        joined = np.arange(len(alphas)) % 2
        self.lines = polyline(np.zeros((len(alphas), 3)), colours, joined, width=2.0)
        self.cloud = self._cloud(frames) if pair.clouds else None
        self.batches: list[Batch] = [self.body, *([self.lines] if pair.windows else [])]
        if self.cloud is not None:
            self.batches = [self.lines, self.cloud.batch]

    def _cloud(self, frames: int) -> Cloud:
        """Of all frames of the window, fainter with time, the first one larger."""
        radii, colours = np.full(frames, 0.005), np.empty((frames, 4))
        radii[0] = 0.010
        colours[:, :3], colours[:, 3] = 0.8 * self.rgb, np.linspace(1.0, 0.35, frames)
        return Cloud(self.look.skeleton, radii, colours, pixels=1.5)

    def put(self, frame: int, placement: Placement) -> None:
        """Show the window that opens at `frame`, moved by a placement."""
        group = self.cast.groups[0]
        records = group.records
        ahead = frame + np.arange(len(records))
        records["frame"] = records["root_frame"] = np.minimum(ahead, len(group.entries[0].clip) - 1)
        records["theta"], records["x"], records["z"] = placement
        self.cast.pose()
        colour = (*self.rgb, _ALPHA)
        self.look.fill_bones(self.body, group.positions[:1], group.orientations[:1], colour)
        ends, starts = group.positions[:, 1:], group.positions[:, group.skeleton.parents[1:]]
        if self.lines in self.batches:
            rows = self.lines.rows.reshape(len(self.shown), -1, 2, 8)
            rows[:, :, 0, :3], rows[:, :, 1, :3] = starts[self.shown], ends[self.shown]
            self.lines.touch()
        if self.cloud is not None:
            self.cloud.fill(group.positions)


class Pairs:
    """The pair of a view, its batches kept while only frames and places change."""

    def __init__(self):
        self._key: tuple[Any, ...] | None = None  # what the sides depend on
        self._shown: tuple[Any, ...] | None = None  # the frames and places they show
        self._sides: tuple[_Side, ...] = ()

    def batches(self, pair: Pair, target: dvec3, look: Callable[[Skeleton], Look]) -> list[Batch]:
        """What shows a pair; target: where the camera looks."""
        key = pair.a, pair.b, pair.window, pair.clouds, pair.windows
        if key != self._key:
            sides = enumerate((pair.a, pair.b))
            self._sides = tuple(_Side(e, look(e.clip.skeleton), i, pair) for i, e in sides)
            self._key, self._shown = key, None
        place = place_of(pair, target.to_list())
        shown = pair.frame_a, pair.frame_b, pair.alignment, place
        if shown != self._shown:
            self._shown = shown
            a, b = self._sides
            a.put(pair.frame_a, place)
            b.put(pair.frame_b, compose(place, pair.alignment))
        return [batch for side in self._sides for batch in side.batches]
