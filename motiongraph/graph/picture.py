"""A picture of a graph as in the dissertation's figures 4.5 and 5.6: clips as lanes in time, transitions as curves.

What survives pruning is bright, the rest dim; the colour of a transition is its cost, the cheapest on top.
The window draws the same curves; shaders/curves.vert repeats their formula for the graphics card.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from motiongraph.errors import MotionError
from motiongraph.files import writing
from motiongraph.graph.motion_graph import MotionGraph

_OVER = 3  # times the size at which curves are drawn, then smoothed
_BINS = 12  # layers of curves by cost, each a little transparent
_INK, _FAINT, _LANE, _DIM = (24, 28, 38), (120, 126, 138), (214, 218, 226), (224, 226, 231)
# From cheap to expensive: dark to light, so that it reads in print without colour too.
_COSTS = np.array([(18, 18, 110), (96, 20, 158), (186, 48, 120), (232, 104, 62), (250, 176, 66)], float)


def arc_height(across: Any) -> Any:
    """How many lanes a curve that stays in its clip rises, by the seconds between its ends; never a whole lane."""
    return 0.25 + 0.6 * np.minimum(np.abs(across) / 3.0, 1.0)


def along(x0: Any, y0: Any, x1: Any, y1: Any, t: Any) -> tuple[Any, Any]:
    """(x, y), seconds and lanes downwards, a share t of the way from (x0, y0) to (x1, y1).

    Numbers, or arrays that broadcast. Between lanes an S with upright ends: x eases while y runs evenly. Within a
    lane an arc above it.
    """
    rise = np.where(np.equal(y0, y1), arc_height(np.subtract(x1, x0)), 0.0)
    return x0 + (x1 - x0) * t * t * (3.0 - 2.0 * t), y0 + (y1 - y0) * t - rise * 4.0 * t * (1.0 - t)


def bent(points: int) -> np.ndarray:
    """(points,) shares from 0 to 1, closer to each other where curves bend."""
    return 0.5 - 0.5 * np.cos(np.linspace(0.0, np.pi, points))


def cost_colour(cost: np.ndarray | float, max_cost: float) -> np.ndarray:
    """(…, 3) 0 … 255: the colour of costs between 0 and `max_cost`."""
    at = np.clip(np.asarray(cost, float) / max(max_cost, 1e-9), 0.0, 1.0) * (len(_COSTS) - 1)
    below = np.minimum(at.astype(int), len(_COSTS) - 2)
    share = (at - below)[..., None]
    return (1 - share) * _COSTS[below] + share * _COSTS[below + 1]


def curves(graph: MotionGraph, transitions: np.ndarray, points: int = 33) -> np.ndarray:
    """(T, points, 2): every transition as a curve, x in seconds of its clips and y in lanes, clip 0 at 0, downwards.

    Between the middles of its two windows; within a clip an arc above its lane, no higher than the lane above.
    """
    middle = 0.5 * graph.window
    firsts = np.array([clip.first for clip in graph.clips])
    ends = [
        ((transitions[f"{end}_frame"] - firsts[transitions[end]] + middle) / graph.fps, transitions[end].astype(float))
        for end in ("src", "dst")
    ]
    (x0, y0), (x1, y1) = ([axis[:, None] for axis in end] for end in ends)
    return np.stack(along(x0, y0, x1, y1, bent(points)), axis=-1)


def picture_kind(path: str | Path) -> str:
    """The format that the ending of a picture's name says."""
    kind = Image.registered_extensions().get(Path(path).suffix.lower())
    if kind not in ("PNG", "TIFF", "BMP", "WEBP", "JPEG"):
        raise MotionError(f"{path}: pictures are written as .png, .tif, .bmp, .webp or .jpg")
    return kind


def save_picture(graph: MotionGraph, path: str | Path, width: int = 2400) -> None:
    """Write the picture; the ending says the format."""
    kind = picture_kind(path)
    picture = draw(graph, width)
    with writing(Path(path)) as file:
        picture.save(file, kind, **({"dpi": (300, 300)} if kind in ("PNG", "TIFF", "JPEG") else {}))


def draw(graph: MotionGraph, width: int = 2400) -> Image.Image:
    """The picture, `width` pixels wide and as high as its lanes need."""
    page = _Page(graph, width)
    page.axis()
    page.transitions(~graph.kept.transitions & graph.taken, dim=True)
    page.transitions(graph.kept.transitions, dim=False)
    page.lanes()
    page.words()
    return page.image


class _Page:
    """The sheet and where things are on it."""

    def __init__(self, graph: MotionGraph, width: int):
        self.graph, self.em = graph, width / 90
        lanes = len(graph.clips)
        gap = np.clip(0.42 * width / lanes, 0.95 * self.em, 4.6 * self.em)
        names = max(self._font(0.85).getlength(clip.name) for clip in graph.clips)
        self.left = min(names, 0.3 * width) + 2.6 * self.em
        self.top, self.gap = 5.6 * self.em + gap, gap
        self.bottom = self.top + gap * (lanes - 1) + max(0.6 * gap, 0.9 * self.em)
        self.right = width - 9.5 * self.em
        longest = max(len(clip) - clip.first for clip in graph.clips) / graph.fps
        self.second = (self.right - self.left) / longest
        self.longest = longest
        # A graph of no limit is coloured up to its most expensive transition.
        limit = graph.thresholds.highest
        self.max_cost = float(limit if np.isfinite(limit) else graph.candidates.max_cost) or 1.0
        self.image = Image.new("RGB", (width, round(self.bottom + 4.2 * self.em)), "white")

    def _font(self, size: float = 1.0):
        return ImageFont.load_default(self.em * size)

    def _write(self, at: tuple, words: str, size: float = 1.0, ink: tuple = _INK, anchor: str = "la") -> None:
        ImageDraw.Draw(self.image).text(at, words, ink, self._font(size), anchor)

    def _at(self, points: np.ndarray) -> np.ndarray:
        """Pixels of points (…, 2) in seconds and lanes."""
        return points * np.array([self.second, self.gap]) + np.array([self.left, self.top])

    def _layer(self) -> Image.Image:
        return Image.new("L", (self.image.width * _OVER, self.image.height * _OVER), 0)

    def _lay(self, layer: Image.Image, colour: Iterable, alpha: float = 1.0) -> None:
        """Put a layer of curves on the sheet in one colour."""
        mask = layer.reduce(_OVER)
        if alpha < 1.0:
            mask = mask.point([round(alpha * v) for v in range(256)])
        self.image.paste(Image.new("RGB", self.image.size, tuple(round(float(c)) for c in colour)), (0, 0), mask)

    def transitions(self, chosen: np.ndarray, dim: bool) -> None:
        """The curves of the candidates `chosen` (T,) bool, the expensive ones first."""
        table = self.graph.candidates.table[chosen]
        # A transition and the one back are the same curve.
        ends = np.sort(np.stack([_places(table, "src"), _places(table, "dst")], axis=1), axis=1)
        table = table[np.unique(ends, axis=0, return_index=True)[1]]
        line = max(1, round((0.9 if len(table) > 3000 else 1.5) * _OVER * self.em / 26))
        bins = np.minimum((table["cost"] / self.max_cost * _BINS).astype(int), 0 if dim else _BINS - 1)
        for b in range(_BINS - 1, -1, -1):
            part = table[bins == b]
            if not len(part):
                continue
            layer = self._layer()
            pen = ImageDraw.Draw(layer)
            for curve in (self._at(curves(self.graph, part)) * _OVER).reshape(len(part), -1).tolist():
                pen.line(curve, 255, line, joint="curve")
            self._lay(layer, _DIM if dim else cost_colour((b + 0.5) / _BINS, 1.0), 1.0 if dim else 0.8)

    def lanes(self) -> None:
        """Every clip as a bar, the frames that are kept dark."""
        graph, s = self.graph, self.graph.structure
        bars, kept = self._layer(), self._layer()
        half = min(0.16 * self.gap, 0.2 * self.em)
        spans = [(i, 0, len(clip) - clip.first) for i, clip in enumerate(graph.clips)]
        self._bars(bars, spans, half)
        pieces = np.flatnonzero(graph.kept.counted)
        starts = s.frame[pieces] - np.array([clip.first for clip in graph.clips])[s.clip[pieces]]
        self._bars(kept, zip(s.clip[pieces], starts, starts + s.piece[pieces]), half)
        self._lay(bars, _LANE)
        self._lay(kept, (64, 74, 98))
        for i, clip in enumerate(graph.clips):
            place = self.left - 0.8 * self.em, self.top + i * self.gap
            self._write(place, clip.name, min(0.85, 0.8 * self.gap / self.em), anchor="rm")

    def _bars(self, layer: Image.Image, spans: Iterable[tuple[int, int, int]], half: float) -> None:
        pen = ImageDraw.Draw(layer)
        for lane, start, stop in spans:
            (x0, y), (x1, _) = self._at(np.array([[start, lane], [stop, lane]]) / [[self.graph.fps, 1.0]])
            pen.rectangle([_OVER * v for v in (x0, y - half, x1, y + half)], 255)

    def axis(self) -> None:
        """Seconds below, with faint lines up through the lanes."""
        pen, e = ImageDraw.Draw(self.image), self.em
        step = next(s for s in (0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 1e4) if self.longest / s <= 16)
        for n in range(int(self.longest / step) + 1):
            x = self.left + n * step * self.second
            pen.line((x, self.top - self.gap, x, self.bottom), (240, 241, 244), max(1, round(e / 18)))
            self._write((x, self.bottom + 0.4 * e), f"{n * step:g}", 0.75, _FAINT, "ma")
        self._write(((self.left + self.right) / 2, self.bottom + 1.7 * e), "seconds", 0.75, _FAINT, "ma")

    def words(self) -> None:
        """Title, figures and the scale of colours."""
        graph, e, unit = self.graph, self.em, self.graph.metric.unit
        count, kept = int(graph.taken.sum()), int(graph.kept.transitions.sum())
        share = graph.kept.frames / graph.candidates.frames
        self._write((1.2 * e, 1.1 * e), f"{len(graph.clips)} clips, {count:,} transitions up to {self._limit()}", 1.25)
        summary = f"bright: {kept:,} transitions and {share:.0%} of all frames, where motion can go on for ever"
        self._write((1.2 * e, 3.0 * e), summary, 0.85, _FAINT)
        height = int(min(self.bottom - self.top + self.gap, 16 * e))
        x, y = int(self.right + 3.0 * e), int(self.top - self.gap)
        costs = cost_colour(np.linspace(1.0, 0.0, height), 1.0)[:, None]
        bar = np.repeat(np.rint(255 - 0.9 * (255 - costs)), round(0.9 * e), axis=1).astype(np.uint8)
        self.image.paste(Image.fromarray(bar), (x, y))
        for share in (0.0, 0.5, 1.0):
            words = f"{share * self.max_cost:.3g}" + (f" {unit}" if share == 1.0 else "")
            self._write((x + bar.shape[1] + 0.4 * e, y + (1.0 - share) * (height - 1)), words, 0.75, anchor="lm")

    def _limit(self) -> str:
        return f"{self.graph.thresholds} {self.graph.metric.unit}"


def _places(table: np.ndarray, end: str) -> np.ndarray:
    return table[end].astype(np.int64) << 32 | table[f"{end}_frame"]
