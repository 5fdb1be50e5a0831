"""Pictures of distance matrices as the papers print them: light is close, green dots are local minima."""

import os
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from motiongraph.errors import MotionError
from motiongraph.files import writing

if TYPE_CHECKING:
    from motiongraph.metric.distance import DistanceMatrix

_GREEN = (0, 200, 60)
_INK, _FAINT = (20, 20, 20), (120, 120, 120)
# Above the threshold the greys end well below those under it.
_DARK = 0.38


def save(
    matrix: "DistanceMatrix",
    path: str | os.PathLike[str],
    threshold: float | None = None,
    minima: bool = True,
    annotated: bool = False,
    percentile: float = 100.0,
    **options: Any,
) -> None:
    """Write a picture: one pixel a cell, row a downwards and column b to the right, or a figure with axes and legend.

    threshold: cells above it are dark and only minima up to it are shown; percentile: of the costs that gets the
    darkest grey, so that a few outliers do not leave the rest white (de Chenu 2006, 4.4). options go to
    `DistanceMatrix.minima`.
    """
    if not 0.0 < percentile <= 100.0:
        raise MotionError(f"a percentile is above 0 and at most 100, not {percentile:g}")
    path = Path(path)
    kind = Image.registered_extensions().get(path.suffix.lower())
    if kind not in ("PNG", "TIFF", "BMP", "WEBP", "JPEG", "PPM"):
        raise MotionError(f"{path}: pictures are written as .png, .tif, .bmp, .webp, .jpg or .ppm")
    dots = matrix.minima(threshold, **options) if minima else None
    picture = (figure if annotated else pixels)(matrix, threshold, dots, percentile)
    if kind in ("WEBP", "JPEG", "PPM"):
        picture = picture.convert("RGB")
    # Large matrices of noise hardly shrink any further, and take five times as long about it.
    how = {"compress_level": 2} if kind == "PNG" and not annotated else {}
    how |= {"dpi": (300, 300)} if annotated and kind in ("PNG", "TIFF", "JPEG") else {}
    with writing(path) as file:
        picture.save(cast(IO[bytes], _InPieces(file)), kind, **how)


class _InPieces:
    """A file without a number: Pillow then writes a large picture piece by piece, and Ctrl-C is heard in between."""

    def __init__(self, file):
        self.write, self.flush, self.tell, self.seek, self.read = (
            file.write,
            file.flush,
            file.tell,
            file.seek,
            file.read,
        )


def pixels(
    matrix: "DistanceMatrix", threshold: float | None = None, dots: np.ndarray | None = None, percentile: float = 100.0
) -> Image.Image:
    """One pixel a cell, in a palette of 255 greys and the green of the dots."""
    cells = _greys(matrix.cost, threshold, *_range(matrix.cost, percentile), steps=254)
    if dots is not None:
        cells[dots["a"], dots["b"]] = 255
    picture = Image.fromarray(cells).convert("P")
    greys = np.repeat(np.rint(np.arange(255) * (255 / 254)).astype(int), 3)
    picture.putpalette([*greys.tolist(), *_GREEN])
    return picture


def _range(cost, percentile):
    high = cost.max() if percentile == 100.0 else np.percentile(cost, percentile)
    return float(cost.min()), float(high)


def _greys(cost, threshold, low, high, steps=255):
    """uint8, `steps` at the lowest cost and 0 at the highest (dissertation 4.3.1)."""
    light = 1.0 - (cost - np.float32(low)) / np.float32(max(high - low, 1e-12))
    if threshold is not None:
        light = np.where(cost > np.float32(threshold), _DARK * light, light)
    return np.rint(steps * np.clip(light, 0.0, 1.0)).astype(np.uint8)


def figure(
    matrix: "DistanceMatrix", threshold: float | None = None, dots: np.ndarray | None = None,
    percentile: float = 100.0, size: int = 1400,
) -> Image.Image:  # fmt: skip
    """With title, axes in frames and seconds, colour bar and legend; the longer side of the matrix is about `size`
    pixels, for 300 dots an inch."""
    n, m = matrix.cost.shape
    low, high = _range(matrix.cost, percentile)
    scale = size / max(n, m)
    scale = min(24, round(scale)) if scale >= 1 else scale
    width, height = max(1, round(m * scale)), max(1, round(n * scale))
    grey = Image.fromarray(_greys(matrix.cost, threshold, low, high))
    grey = grey.resize((width, height), Image.Resampling.NEAREST if scale >= 1 else Image.Resampling.BOX)

    text = _Text(size)
    e = text.em
    left, top = round(5.6 * e), round(6.2 * e)
    right, bottom = round(11.5 * e), round(6.8 * e)
    page = Image.new("RGB", (max(left + width + right, 36 * e), top + max(height, 12 * e) + bottom), "white")
    draw = ImageDraw.Draw(page)
    page.paste(grey, (left, top))
    draw.rectangle((left - 2, top - 2, left + width + 1, top + height + 1), outline=_INK, width=2)
    if dots is not None:
        _dots(page, dots, left, top, scale, e)

    title = f"{matrix.a} against itself" if matrix.own else f"{matrix.a} against {matrix.b}"
    text.write(page, (left, round(0.7 * e)), title, 1.35)
    text.write(page, (left, round(2.35 * e)), _subtitle(matrix), 0.85, _FAINT)
    _axis(page, text, matrix, left, top, width, height, scale, down=False)
    _axis(page, text, matrix, left, top, width, height, scale, down=True)
    _colour_bar(page, text, matrix, threshold, low, high, left + width + round(5.4 * e), top, max(height, 12 * e))
    _legend(page, text, matrix, threshold, dots, left, page.height - round(1.6 * e))
    return page


class _Text:
    """Writing in sizes relative to the figure's, placed by anchor."""

    def __init__(self, size):
        self.em = max(14, round(size / 50))

    def font(self, factor=1.0):
        return ImageFont.load_default(self.em * factor)

    def write(self, page, at, words, factor=1.0, ink=_INK, anchor="la"):
        ImageDraw.Draw(page).text(at, words, ink, self.font(factor), anchor)

    def upwards(self, page, at, words, factor=1.0, ink=_INK):
        """Words that read from bottom to top, centred on `at`."""
        left, up, right, down = self.font(factor).getbbox(words)
        strip = Image.new("L", (round(right - left) + 4, round(down - up) + 4), 0)
        ImageDraw.Draw(strip).text((2 - left, 2 - up), words, 255, self.font(factor))
        strip = strip.rotate(90, expand=True)
        place = round(at[0] - strip.width / 2), round(at[1] - strip.height / 2)
        page.paste(Image.new("RGB", strip.size, ink), place, strip)


def _subtitle(matrix):
    metric = matrix.metric
    frames = f"{matrix.window} frame{'s' if matrix.window != 1 else ''} ({matrix.window / matrix.fps:.2f} s)"
    if metric.kind == "dissertation":
        return f"windows of {frames}, sums of fourth powers, in place, {matrix.fps:g} Hz"
    if metric.shares:
        words = " + ".join(f"{share:g} × {kind.replace('-', ' ')}" for kind, share in metric.shares.items())
        return f"{words}, {matrix.fps:g} Hz"
    if metric.kind != "cloud":
        return f"{metric.kind.replace('-', ' ')}, L{metric.order} norm, {matrix.fps:g} Hz"
    aligned = {"planar": "aligned on the floor", "in-place": "in place", "none": "as they stand"}[metric.align]
    tapered = "" if metric.taper is None else ", tapered"
    return f"windows of {frames}{tapered}, {aligned}, {matrix.fps:g} Hz"


def _dots(page, dots, left, top, scale, e):
    """Round dots with a thin dark rim, smoothed."""
    radius = max(0.26 * e, 0.5 * scale)
    span = round(2 * radius) + 5
    disc, rim = (Image.new("L", (8 * span, 8 * span), 0) for _ in range(2))
    middle = 4 * span
    for image, r in ((disc, radius), (rim, radius + 1.4)):
        ImageDraw.Draw(image).ellipse([middle - 8 * r, middle - 8 * r, middle + 8 * r, middle + 8 * r], fill=255)
    disc, rim = (i.resize((span, span), Image.Resampling.LANCZOS) for i in (disc, rim))
    ink, green = Image.new("RGB", disc.size, (0, 60, 20)), Image.new("RGB", disc.size, _GREEN)
    for dot in dots[::-1]:  # the best last, on top
        at = round(left + (dot["b"] + 0.5) * scale - span / 2), round(top + (dot["a"] + 0.5) * scale - span / 2)
        page.paste(ink, at, rim)
        page.paste(green, at, disc)


def _steps(low, high, room):
    """Round numbers from low to high, at most about `room` of them."""
    step = 10.0 ** np.floor(np.log10(max(high - low, 1e-9) / max(room, 1)))
    step = next(step * f for f in (1, 2, 5, 10) if (high - low) / (step * f) <= room)
    return np.arange(np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9) + 1) * step


def _number(value):
    return f"{value + 0.0:.10g}"  # not "-0"


def _axis(page, text, matrix, left, top, width, height, scale, down):
    """Frames on the near side and seconds on the far side: of a downwards, or of b to the right."""
    e, draw = text.em, ImageDraw.Draw(page)
    length = height if down else width
    first = matrix.first_a if down else matrix.first_b
    cells = matrix.cost.shape[0 if down else 1]
    room = max(2, length / (4.0 * e))
    tick = round(0.35 * e)
    for far, unit in ((False, 1.0), (True, matrix.fps)):
        for value in _steps(first / unit, (first + cells - 1) / unit, room):
            if not far and value != round(value):
                continue
            at = (value * unit - first + 0.5) * scale
            if down:
                x = left + width + 1 if far else left - 2
                y = round(top + at)
                draw.line((x, y, x + (tick if far else -tick), y), _INK, 2)
                place = (x + (1.5 * tick if far else -1.5 * tick), y)
                text.write(page, place, _number(value), 0.8, anchor="lm" if far else "rm")
            else:
                x = round(left + at)
                y = top - 2 if far else top + height + 1
                draw.line((x, y, x, y + (-tick if far else tick)), _INK, 2)
                place = (x, y + (-1.5 * tick if far else 1.5 * tick))
                text.write(page, place, _number(value), 0.8, anchor="mb" if far else "mt")
    name = matrix.a if down else matrix.b
    middle = (top + height / 2) if down else (left + width / 2)
    if down:
        text.upwards(page, (round(1.1 * e), middle), f"{name}: frame where the window begins", 0.9)
        text.upwards(page, (left + width + round(3.6 * e), middle), "seconds", 0.8, _FAINT)
    else:
        text.write(
            page, (middle, top + height + round(2.0 * e)), f"{name}: frame where the window begins", 0.9, anchor="mt"
        )
        text.write(page, (middle, top - round(1.75 * e)), "seconds", 0.8, _FAINT, anchor="mb")


def _colour_bar(page, text, matrix, threshold, low, high, x, top, height):
    """What a grey stands for."""
    e, draw = text.em, ImageDraw.Draw(page)
    height = min(height, 34 * e)
    costs = np.linspace(low, high, height, dtype=np.float32)[:, None]
    bar = np.repeat(_greys(costs, threshold, low, high), round(1.1 * e), axis=1)
    page.paste(Image.fromarray(bar), (x, top))
    draw.rectangle((x - 2, top - 2, x + bar.shape[1] + 1, top + height + 1), outline=_INK, width=2)
    edge = x + bar.shape[1] + 1
    for value in _steps(low, high, max(2, height / (3.0 * e))):
        y = round(top + (value - low) / max(high - low, 1e-12) * (height - 1))
        draw.line((edge, y, edge + round(0.35 * e), y), _INK, 2)
        text.write(page, (edge + round(0.55 * e), y), _number(value), 0.8, anchor="lm")
    if threshold is not None and low < threshold < high:
        y = round(top + (threshold - low) / (high - low) * (height - 1))
        draw.line((x - 2, y, edge, y), _GREEN, 4)
    text.write(page, (x, top - round(0.7 * e)), f"cost, {matrix.metric.unit}", 0.8, anchor="lb")


def _legend(page, text, matrix, threshold, dots, x, y):
    e = text.em
    parts = [f"lowest {matrix.cost.min():.2f} {matrix.metric.unit}"]
    if dots is not None:
        spot = np.array([(0, 0, 0.0)], dots.dtype)
        spot["a"], spot["b"] = y, x + 0.4 * e
        _dots(page, spot, 0, 0, 1.0, e)
        x += round(1.1 * e)
        words = f"{len(dots)} local {'minimum' if len(dots) == 1 else 'minima'}"
        parts.insert(0, words if threshold is None else f"{words} up to {_number(threshold)} {matrix.metric.unit}")
    if threshold is not None:
        parts.append(f"dark: above {_number(threshold)} {matrix.metric.unit}")
    text.write(page, (x, y), ",  ".join(parts), 0.9, anchor="lm")
