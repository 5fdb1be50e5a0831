"""Plots with pillow alone: lines, points, bars and lanes with axes and a legend, and sheets of pictures.

Drawn at twice the size and made smaller, so that everything is smooth.
"""

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from motiongraph.files import writing

COLOURS = ((31, 105, 175), (224, 123, 36), (48, 150, 80), (196, 57, 62), (128, 92, 170), (110, 110, 110))
INK, FAINT, GRID = (25, 25, 25), (110, 110, 110), (226, 226, 226)
_FINE = 2


def font(size):
    """The one font there always is, antialiased."""
    return ImageFont.load_default(size)


class Plot:
    """One pair of axes. Everything is collected first, so that the axes fit; `save` draws it.

    size: (width, height) pixels; equal: one metre is as long on both axes; ticks_x, ticks_y: {value: words} instead of
    numbers.
    """

    def __init__(
        self, title, x="", y="", size=(900, 540), log_x=False, log_y=False, equal=False, ticks_x=None, ticks_y=None
    ):
        self.title, self.names, self.size = title, (x, y), size
        self.log, self.equal, self.ticks = (log_x, log_y), equal, (ticks_x, ticks_y)
        self.marks, self.legend = [], []
        self.range = [None, None]

    def limits(self, x=None, y=None) -> "Plot":
        """Fix the ends (low, high) of an axis."""
        self.range = [x or self.range[0], y or self.range[1]]
        return self

    def _add(self, kind, xs, ys, label, colour, **options):
        colour = COLOURS[len(self.legend) % len(COLOURS)] if colour is None else colour
        xs, ys = np.broadcast_arrays(np.asarray(xs, float), np.asarray(ys, float))
        self.marks.append((kind, xs, ys, colour, options))
        if label:
            self.legend.append((kind, label, colour))
        return self

    def line(self, xs, ys, label=None, colour=None, width=2.5, dashed=False) -> "Plot":
        return self._add("line", xs, ys, label, colour, width=width, dashed=dashed)

    def scatter(self, xs, ys, label=None, colour=None, radius=3.0, opacity=0.6) -> "Plot":
        return self._add("dot", xs, ys, label, colour, radius=radius, opacity=opacity)

    def bars(self, xs, ys, label=None, colour=None, width=0.8) -> "Plot":
        """Upright bars from the axis; width in units of x."""
        return self._add("bar", xs, ys, label, colour, width=width)

    def rule(self, label, x=None, y=None, colour=FAINT) -> "Plot":
        """A dashed line across the plot at one x or y, with words beside it."""
        self.marks.append(("rule", np.array([x], float), np.array([y], float), colour, {"label": label}))
        return self

    def save(self, path) -> None:
        write(self.drawn(), path)

    def drawn(self) -> Image.Image:
        k = _FINE
        width, height = self.size[0] * k, self.size[1] * k
        page = Image.new("RGB", (width, height), "white")
        self._draw = ImageDraw.Draw(page, "RGBA")
        longest = max((font(13 * k).getlength(words) for words in (self.ticks[1] or {}).values()), default=0)
        box = [max(78 * k, longest + 20 * k), 44 * k, width - 22 * k, height - 58 * k]
        self._fit(box)
        self._axes(box)
        for kind, xs, ys, colour, options in self.marks:
            getattr(self, f"_{kind}")(xs, ys, colour, box, **options)
        self._draw.rectangle(box, outline=INK, width=k)
        self._names(page, box)
        self._key(box)
        return page.resize(self.size, Image.Resampling.LANCZOS)

    def _fit(self, box):
        """Low and high end of both axes, in what is drawn (logarithms where asked for)."""
        self.ends = []
        for axis in (0, 1):
            values = [m[1 + axis][np.isfinite(m[1 + axis])] for m in self.marks]
            if axis == 1 and any(m[0] == "bar" for m in self.marks) and not self.log[1]:
                values.append(np.zeros(1))
            values = np.concatenate(values) if values else np.zeros(1)
            if self.log[axis]:
                values = np.log10(values[values > 0])
            low, high = (values.min(), values.max()) if len(values) else (0.0, 1.0)
            margin = 0.05 * (high - low) or 0.5
            if any(m[0] == "bar" for m in self.marks):
                margin = 0.12 * (high - low) or 0.5
                low = low - (0.7 if axis == 0 else margin if self.log[1] else 0.0)
                high = high + (0.7 if axis == 0 else margin)
            elif not self.log[axis] and axis == 1 and 0 <= low < 0.35 * high and not self.equal:
                low, high = 0.0, high + margin
            else:
                low, high = low - margin, high + margin
            fixed = self.range[axis]
            if fixed:
                low, high = np.log10(fixed) if self.log[axis] else fixed
            self.ends.append([low, high])
        if self.equal:
            room = (box[2] - box[0], box[3] - box[1])
            span = [e[1] - e[0] for e in self.ends]
            scale = min(r / s for r, s in zip(room, span))
            for axis in (0, 1):
                middle, half = sum(self.ends[axis]) / 2, room[axis] / scale / 2
                self.ends[axis] = [middle - half, middle + half]

    def _at(self, axis, values, box):
        """Pixels of values along an axis."""
        values = np.asarray(values, float)
        if self.log[axis]:
            values = np.log10(np.maximum(values, 1e-300))
        low, high = self.ends[axis]
        share = (values - low) / (high - low)
        return box[0] + share * (box[2] - box[0]) if axis == 0 else box[3] - share * (box[3] - box[1])

    def _axes(self, box):
        k = _FINE
        for axis in (0, 1):
            ticks = self.ticks[axis] or _ticks(*self.ends[axis], self.log[axis])
            for value, words in ticks.items():
                at = float(self._at(axis, value, box))
                if axis == 0:
                    self._draw.line((at, box[1], at, box[3]), GRID, k)
                    self._draw.text((at, box[3] + 6 * k), words, INK, font(13 * k), "mt")
                else:
                    self._draw.line((box[0], at, box[2], at), GRID, k)
                    self._draw.text((box[0] - 7 * k, at), words, INK, font(13 * k), "rm")

    def _line(self, xs, ys, colour, box, width, dashed):
        points = np.stack([self._at(0, xs, box), self._at(1, ys, box)], axis=1)
        fine = round(width * _FINE)
        for run in _runs(np.isfinite(points).all(axis=1)):
            piece = points[run]
            if dashed:
                for a, b in _dashes(piece, 7 * _FINE):
                    self._draw.line([tuple(a), tuple(b)], colour, fine)
            elif len(piece) > 1:
                piece = _thinned(piece, max(1.0, 0.6 * fine))  # joints closer than a pen is wide come out ragged
                self._draw.line([tuple(p) for p in piece], colour, fine, joint="curve")

    def _dot(self, xs, ys, colour, box, radius, opacity):
        r = radius * _FINE
        fill = (*colour, round(255 * opacity))
        for x, y in zip(self._at(0, xs, box), self._at(1, ys, box)):
            if box[0] <= x <= box[2] and box[1] <= y <= box[3]:
                self._draw.ellipse((x - r, y - r, x + r, y + r), fill)

    def _bar(self, xs, ys, colour, box, width):
        for x, y in zip(xs, ys):
            if np.isfinite(y):
                left, right = (float(self._at(0, x + side * width / 2, box)) for side in (-1, 1))
                self._draw.rectangle((left, float(self._at(1, y, box)), right, box[3]), colour)

    def _rule(self, xs, ys, colour, box, label):
        k, upright = _FINE, np.isfinite(xs[0])
        at = float(self._at(0 if upright else 1, xs[0] if upright else ys[0], box))
        ends = np.array([(at, box[1]), (at, box[3])] if upright else [(box[0], at), (box[2], at)], float)
        for a, b in _dashes(ends, 6 * k):
            self._draw.line([tuple(a), tuple(b)], colour, k + 1)
        place, anchor = ((at + 5 * k, box[1] + 6 * k), "la") if upright else ((box[2] - 6 * k, at - 4 * k), "rs")
        self._draw.text(place, label, colour, font(12 * k), anchor)

    def _names(self, page, box):
        k = _FINE
        self._draw.text((box[0], 14 * k), self.title, INK, font(17 * k), "la")
        self._draw.text(((box[0] + box[2]) / 2, page.height - 10 * k), self.names[0], INK, font(14 * k), "ms")
        if self.names[1]:
            upright(page, (16 * k, (box[1] + box[3]) / 2), self.names[1], 14 * k)

    def _key(self, box):
        """The legend, in the corner of the four with the fewest marks under it."""
        if not self.legend:
            return
        k = _FINE
        width = max(font(13 * k).getlength(label) for _, label, _ in self.legend) + 44 * k
        height = (len(self.legend) * 20 + 10) * k
        crowd = np.concatenate(
            [np.stack([self._at(0, m[1], box), self._at(1, m[2], box)], axis=1) for m in self.marks if m[0] != "rule"]
        )
        corners = [
            (x, y) for y in (box[1] + 8 * k, box[3] - height - 8 * k) for x in (box[2] - width - 8 * k, box[0] + 8 * k)
        ]

        def covered(corner):
            x, y = corner
            return np.sum(
                (crowd[:, 0] > x) & (crowd[:, 0] < x + width) & (crowd[:, 1] > y) & (crowd[:, 1] < y + height)
            )

        left, top = min(corners, key=covered)
        self._draw.rectangle((left, top, left + width, top + height), (255, 255, 255, 225), GRID, k)
        for row, (kind, label, colour) in enumerate(self.legend):
            y = top + (15 + 20 * row) * k
            if kind == "line":
                self._draw.line((left + 8 * k, y, left + 30 * k, y), colour, 3 * k)
            elif kind == "bar":
                self._draw.rectangle((left + 13 * k, y - 6 * k, left + 25 * k, y + 6 * k), colour)
            else:
                self._draw.ellipse((left + 15 * k, y - 4 * k, left + 23 * k, y + 4 * k), colour)
            self._draw.text((left + 36 * k, y), label, INK, font(13 * k), "lm")


def upright(page, at, words, size) -> None:
    """Words that read from bottom to top, centred on `at`."""
    left, up, right, down = font(size).getbbox(words)
    strip = Image.new("L", (round(right - left) + 4, round(down - up) + 4), 0)
    ImageDraw.Draw(strip).text((2 - left, 2 - up), words, 255, font(size))
    strip = strip.rotate(90, expand=True)
    page.paste(
        Image.new("RGB", strip.size, INK), (round(at[0] - strip.width / 2), round(at[1] - strip.height / 2)), strip
    )


def sheet(pictures, columns, title="", width=1500, gap=14) -> Image.Image:
    """Pictures with words above each, [(words, picture), …], in rows of `columns`."""
    each = (width - gap * (columns + 1)) // columns
    scaled = [(w, p.resize((each, round(p.height * each / p.width)), Image.Resampling.LANCZOS)) for w, p in pictures]
    rows = [scaled[i : i + columns] for i in range(0, len(scaled), columns)]
    head, label = (44 if title else 0), (30 if any(words for words, _ in pictures) else 0)
    heights = [max(p.height for _, p in row) + label for row in rows]
    page = Image.new("RGB", (width, head + sum(heights) + gap * (len(rows) + 1)), "white")
    draw = ImageDraw.Draw(page)
    draw.text((gap, 14), title, INK, font(22), "la")
    y = head + gap
    for row, height in zip(rows, heights):
        for c, (words, picture) in enumerate(row):
            x = gap + c * (each + gap)
            draw.text((x, y), words, INK, font(17), "la")
            page.paste(picture, (x, y + label))
        y += height + gap
    return page


def dotted(picture, rows, columns, scale=3) -> Image.Image:
    """A picture of one pixel a cell, larger, with a green dot on each of the cells."""
    large = picture.resize((picture.width * scale, picture.height * scale), Image.Resampling.NEAREST)
    draw = ImageDraw.Draw(large)
    for row, column in zip(rows.tolist(), columns.tolist()):
        y, x = scale * (row + 0.5), scale * (column + 0.5)
        draw.ellipse((x - 4, y - 4, x + 4, y + 4), (0, 200, 60), (0, 60, 20))
    return large


def write(picture, path) -> None:
    """A PNG, whole or not at all."""
    with writing(path) as file:
        picture.save(file, "PNG")


def _ticks(low, high, log):
    """{value: words}: round numbers between the ends."""
    if log:
        decades = range(int(np.floor(low)), int(np.ceil(high)) + 1)
        steps = (1,) if high - low > 2.5 else (1, 2, 5)
        values = [s * 10.0**d for d in decades for s in steps]
        return {v: f"{v:,.10g}" for v in values if low - 1e-9 <= np.log10(v) <= high + 1e-9}
    step = 10.0 ** np.floor(np.log10((high - low) / 5))
    step = next(step * f for f in (1, 2, 2.5, 5, 10) if (high - low) / (step * f) <= 8)
    count = np.arange(np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9) + 1)
    return {float(v): f"{v + 0.0:,.10g}" for v in count * step}


def _runs(mask):
    edges = np.flatnonzero(np.diff(mask.astype(int), prepend=0, append=0)).reshape(-1, 2)
    return [slice(a, b) for a, b in edges]


def _thinned(points, least):
    """Without points closer than `least` pixels to the one before; both ends stay."""
    kept = [points[0]]
    for point in points[1:-1]:
        if np.hypot(*(point - kept[-1])) >= least:
            kept.append(point)
    return [*kept, points[-1]]


def _dashes(points, length):
    """Pieces of a polyline, every second one of `length` pixels."""
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    along = np.concatenate([[0.0], np.cumsum(steps)])
    for start in np.arange(0.0, along[-1], 2 * length):
        ends = [start, min(start + length, along[-1])]
        yield np.stack([np.interp(ends, along, points[:, c]) for c in (0, 1)], axis=1)
