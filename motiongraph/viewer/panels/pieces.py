"""Made motion in the timeline: pieces in the colour of where they came from, transitions hatched in that of their
cost. What is drawn is worked out once for an entry and a width, not in every frame."""

from functools import lru_cache

import numpy as np
from imgui_bundle import imgui

from motiongraph.viewer import theme
from motiongraph.viewer.panels.steps import dearest, source_colour
from motiongraph.viewer.panels.widgets import colour32

_MOST = 600  # bars; where there are more, what no eye can tell apart is joined
_HATCH = 5.0  # points between the lines of a transition
_INK, _LINES = colour32(theme.INK, 0.95), colour32((0.05, 0.05, 0.06), 0.45)


@lru_cache(maxsize=8)
def _strip(made, first: float, last: float, high: float, scale: float):
    """Bars (x, x, colour), hatching lines (x, y, x, y) and words (x, text), from 0, 0 at the top left of the lane."""
    walk = made.walk
    width, top = last - first, dearest(made)
    begins = np.asarray(walk.begins, float)
    ends = begins + (walk.steps["stop"] - walk.steps["start"])
    frames = max(len(walk) - 1, 1)
    x = [first + width * at / frames for at in (begins, ends, ends + walk.window)]
    pieces = [colour32(source_colour(walk.clips[clip]), 0.5) for clip in walk.steps["clip"].tolist()]
    costs = [colour32(theme.cost_colour(cost / top), 0.9) for cost in walk.transitions["cost"].tolist()]
    bars = [(*span, colour) for span, colour in zip(zip(x[0].tolist(), x[1].tolist()), pieces)]
    seams = [(*span, colour) for span, colour in zip(zip(x[1].tolist(), x[2].tolist()), costs)]
    if len(bars) + len(seams) > _MOST:
        return _joined(bars, seams, first, last), [], []
    lines = []
    for left, right, _ in seams:
        for at in np.arange(left, right, _HATCH * scale).tolist():
            far = min(0.6 * high, right - at)
            lines.append((at, high, at + far, high - far / 0.6))
    words = []
    for (left, right, _), clip in zip(bars, walk.steps["clip"].tolist()):
        text = walk.clips[clip].name
        if right - left > imgui.calc_text_size(text).x + 8 * scale:
            words.append((left + 5 * scale, text))
    return bars + seams, lines, words


def _joined(bars, seams, first, last):
    """A bar for every two pixels at most, in the colour of what is played there."""
    spans = sorted(bars + seams)
    edges, colours = np.array([span[0] for span in spans]), np.array([span[2] for span in spans])
    columns = np.arange(first, last, 2.0)
    shown = colours[np.maximum(np.searchsorted(edges, columns, side="right") - 1, 0)]
    cuts = np.flatnonzero(np.diff(shown, prepend=-1))
    stops = np.append(columns[cuts[1:]], last)
    return list(zip(columns[cuts].tolist(), stops.tolist(), shown[cuts].tolist()))


def pieces(draw, entry, span: tuple[float, float], top: float, high: float, ui) -> None:
    """Draw them between `span` (x of the first frame and the last), `high` from y `top` down."""
    bars, lines, words = _strip(entry.made, span[0], span[1], high, ui.scale)
    bottom = top + high
    for left, right, colour in bars:
        draw.add_rect_filled((left, top), (max(right, left + 1.0), bottom), colour)
    for x, y, to, end in lines:
        draw.add_line((x, top + y), (to, top + end), _LINES)
    below = top + 0.5 * (high - imgui.get_font_size())
    for x, text in words:
        draw.add_text((x, below), _INK, text)


def told(entry, frame: float) -> str:
    """What is played at a frame, for a tooltip."""
    made, walk = entry.made, entry.made.walk
    step = int(np.clip(np.searchsorted(walk.begins, frame, side="right") - 1, 0, len(walk.steps) - 1))
    clip, start, stop = walk.steps[step].tolist()
    into = int(frame - walk.begins[step])
    if into < stop - start or step >= len(walk.transitions):
        return f"step {step + 1}: {walk.clips[clip].name}, frame {made.file_frame(clip, start + into)}"
    jump = walk.transitions[step]
    names = walk.clips[jump["src"]].name, walk.clips[jump["dst"]].name
    frames = (made.file_frame(int(jump[end]), int(jump[f"{end}_frame"])) for end in ("src", "dst"))
    ends = " to ".join(f"{name} {frame}" for name, frame in zip(names, frames))
    return f"transition {step + 1}: {ends}, {jump['cost']:.2f} {made.unit}"
