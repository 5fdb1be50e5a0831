"""The graph at a glance: which clips lead to which, how often and how cheaply, in numbers and as a picture.

Rows and columns are those of `graph.clusters`: clips, or groups of them. A cell is coloured by its lowest cost, and the
larger the more transitions it stands for.
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from motiongraph.files import writing
from motiongraph.graph.clusters import Clusters
from motiongraph.graph.picture import cost_colour, picture_kind
from motiongraph.graph.structure import strong_components
from motiongraph.kernels import B1, F64, I32, I64, VOID, kernel, read

if TYPE_CHECKING:
    from motiongraph.graph.motion_graph import MotionGraph

_INK, _FAINT, _GRID = (24, 28, 38), (120, 126, 138), (222, 225, 231)
# Of strong parts, the largest first.
PARTS = ((70, 110, 190), (226, 140, 50), (90, 165, 110), (190, 90, 150), (150, 120, 60), (110, 110, 120))
_SMALLEST = 0.35  # side of a cell with one transition, of that with the most


@dataclass(frozen=True, eq=False)
class Overview:
    """Numbers of G rows at one threshold; row i leads to column j."""

    clusters: Clusters
    count: np.ndarray  # (G, G) int64, transitions
    lowest: np.ndarray  # (G, G) their lowest cost, inf where there is none
    part: np.ndarray  # (G,) the strong part that has most of a row's frames, the largest part is 0; −1 for none
    share: np.ndarray  # (G,) of a row's frames that are in it

    @classmethod
    def of(cls, graph: "MotionGraph", clusters: Clusters | None = None) -> "Overview":
        """What a view of the graph has; clusters: those of its candidates where None."""
        found = clusters or graph.candidates.clusters
        rows = len(found.names)
        count, lowest = np.zeros((rows, rows), np.int64), np.full((rows, rows), np.inf)
        tally(graph.open, *graph.candidates.ends, graph.candidates.cost, found.row, count, lowest)
        return cls(found, count, lowest, *_parts(graph, found.row, rows))

    @cached_property
    def dear(self) -> float:
        """The cost from which cells have the last colour: nearly all are below it."""
        known = self.lowest[np.isfinite(self.lowest)]
        return float(np.percentile(known, 95)) or 1.0 if len(known) else 1.0

    @cached_property
    def size(self) -> np.ndarray:
        """(G, G) the side of every cell's square, 0 … 1: by the logarithm of how many there are."""
        most = int(self.count.max(initial=0))
        share = np.log(np.maximum(self.count, 1)) / np.log(most) if most > 1 else 1.0
        side = _SMALLEST + (1.0 - _SMALLEST) * share
        return np.where(self.count > 0, side, 0.0)


@kernel(VOID(read(B1), read(I32), read(I32), read(F64), read(I32), I64[:, ::1], F64[:, ::1]))
def tally(open_, src, dst, cost, row, count, lowest):
    """Counts the open transitions (T,) from row to row into count (G, G), and their lowest cost into lowest (G, G)."""
    for t in range(open_.shape[0]):
        if open_[t]:
            i, j = row[src[t]], row[dst[t]]
            count[i, j] += 1
            if cost[t] < lowest[i, j]:
                lowest[i, j] = cost[t]


def _parts(graph: "MotionGraph", row: np.ndarray, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """(G,) the strong part of every row and (G,) how much of the row is in it, whether the graph is pruned or not."""
    s = graph.structure
    found = strong_components(s.first, s.arrives, graph.taken, s.goes_on)
    after = np.append(found[1:], -1)[: len(found)]
    inside = np.flatnonzero(s.goes_on & (found == after) & (found >= 0))  # the pieces that stay in their part
    part, at = found[inside], row[s.clip[inside]]
    total = np.bincount(part, s.piece[inside])
    rank = np.empty(len(total), np.int64)
    rank[np.argsort(-total, kind="stable")] = np.arange(len(total))
    keys, index = np.unique(at.astype(np.int64) * max(len(total), 1) + rank[part], return_inverse=True)
    frames = np.bincount(index, s.piece[inside], len(keys))
    number, most = np.full(rows, -1), np.zeros(rows)
    for key, count in zip(keys.tolist(), frames.tolist()):
        of, which = divmod(key, max(len(total), 1))
        if count > most[of]:
            number[of], most[of] = which, count
    captured = np.bincount(row, [len(clip) - clip.first for clip in graph.clips], rows)
    return number, most / np.maximum(captured, 1.0)


def save_overview(graph: "MotionGraph", path: str | Path, overview: Overview | None = None, width: int = 2400) -> None:
    """Write the picture; the ending says the format."""
    kind = picture_kind(path)
    image = draw_overview(graph, overview or Overview.of(graph), width)
    with writing(Path(path)) as file:
        image.save(file, kind, **({"dpi": (300, 300)} if kind in ("PNG", "TIFF", "JPEG") else {}))


def draw_overview(graph: "MotionGraph", overview: Overview, width: int = 2400) -> Image.Image:
    """The picture, `width` pixels wide: rows lead to columns; clusters framed, named at the right, with strong parts
    at the left and what the graph is above."""
    clusters, rows, em = overview.clusters, len(overview.clusters.names), width / 90
    label = _font(min(0.9 * em, 24.0 * em / max(rows, 1) * 2.2))
    names = min(max(label.getlength(name) for name in clusters.names), 0.2 * width)
    told = _font(0.95 * em)
    words = [", ".join(row[:2]) for row in clusters.labels]
    wide = min(max(map(label.getlength, words)), 9.0 * em)
    side = max(told.getlength(c.name) for c in clusters.each) + wide + 4.0 * em
    left = names + 3.4 * em
    cell = min((width - left - side - 1.2 * em) / rows, 7.0 * em)
    top, field = 6.4 * em + min(names, 9.0 * em), cell * rows
    image = Image.new("RGB", (width, round(top + field + 3.4 * em)), "white")
    pen = ImageDraw.Draw(image)
    most = overview.dear
    _words(graph, overview, pen, em, most)
    for k in range(rows + 1) if cell > 0.6 * em else (0, rows):
        at = k * cell
        pen.line((left, top + at, left + field, top + at), _GRID, 1)
        pen.line((left + at, top, left + at, top + field), _GRID, 1)
    for i, j in np.argwhere(overview.count > 0).tolist():
        half = 0.5 * cell * float(overview.size[i, j])
        x, y = left + (j + 0.5) * cell, top + (i + 0.5) * cell
        colour = tuple(int(c) for c in cost_colour(float(overview.lowest[i, j]), most))
        pen.rectangle((x - half, y - half, x + half, y + half), colour)
        if cell > 2.6 * em:
            ink = "white" if sum(colour) < 400 else _INK
            pen.text((x, y - 0.45 * em), f"{overview.count[i, j]:,}", ink, _font(0.75 * em), "mm")
            pen.text((x, y + 0.45 * em), f"{overview.lowest[i, j]:.1f}", ink, _font(0.65 * em), "mm")
    step = max(1, int(np.ceil(1.15 * label.size / cell)))
    for k, name in enumerate(clusters.names):
        y = top + (k + 0.5) * cell
        part, share = int(overview.part[k]), float(overview.share[k])
        if part >= 0:
            colour = PARTS[min(part, len(PARTS) - 1)]
            pen.rectangle((left - (0.3 + 0.9 * share) * em, y - 0.4 * cell, left - 0.3 * em, y + 0.4 * cell), colour)
        if k % step == 0:
            pen.text((left - 1.5 * em, y), _fitting(name, label, names), _INK, label, "rm")
            pen.text((left + field + 0.6 * em, y), _fitting(words[k], label, wide), _FAINT, label, "lm")
            _upright(image, (left + (k + 0.5) * cell, top - 0.5 * em), name, label, min(names, 9.0 * em))
    x, last = left + field + wide + 1.6 * em, 0.0
    for cluster in clusters.each:
        a, b = cluster.first * cell, cluster.stop * cell
        pen.rectangle((left + a, top + a, left + b, top + b), None, _INK, max(2, round(0.1 * em)))
        pen.rectangle((x, top + a + 0.08 * cell, x + 0.25 * em, top + b - 0.08 * cell), _INK)
        last = max(0.5 * (a + b), last + 1.2 * em)  # names of small clusters do not lie on each other
        pen.text((x + 0.8 * em, top + last), cluster.name, _INK, told, "lm")
    return image


def _fitting(text: str, font: ImageFont.FreeTypeFont, room: float) -> str:
    while font.getlength(text) > room and len(text) > 1:
        text = f"{text.rstrip('…')[:-1]}…"
    return text


def _font(size: float) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size)
    assert isinstance(font, ImageFont.FreeTypeFont)
    return font


def _upright(image: Image.Image, at: tuple[float, float], text: str, font: ImageFont.FreeTypeFont, room: float) -> None:
    """Text that reads upwards, ending above a place."""
    long, high = round(min(font.getlength(text), room)), round(1.3 * font.size)
    strip = Image.new("RGB", (max(long, 1), high), "white")
    ImageDraw.Draw(strip).text((0, high / 2), text, _INK, font, "lm")
    turned = strip.rotate(90, expand=True)
    image.paste(turned, (round(at[0] - high / 2), round(at[1] - long)))


def _words(graph: "MotionGraph", overview: Overview, pen: ImageDraw.ImageDraw, em: float, most: float) -> None:
    total, unit = int(overview.count.sum()), graph.metric.unit
    rows, clips = len(overview.clusters.names), len(graph.candidates.originals)
    groups = f" in {rows} groups" if rows < clips else ""
    title = f"{clips} clips{groups}, {total:,} transitions up to {graph.thresholds} {unit}"
    pen.text((1.2 * em, 1.1 * em), title, _INK, _font(1.25 * em))
    note = "rows lead to columns; larger: more transitions; bars at the left: strong parts, and how much is in them"
    pen.text((1.2 * em, 3.0 * em), note, _FAINT, _font(0.85 * em))
    x = 1.2 * em
    pen.text((x, 4.9 * em), "lowest cost", _FAINT, _font(0.75 * em), "lm")
    for step in range(60):
        colour = tuple(int(c) for c in cost_colour(step / 59, 1.0))
        pen.rectangle((x + (5.2 + 0.16 * step) * em, 4.55 * em, x + (5.36 + 0.16 * step) * em, 5.2 * em), colour)
    pen.text((x + 15.2 * em, 4.9 * em), f"{most:.3g} {unit}", _FAINT, _font(0.75 * em), "lm")
