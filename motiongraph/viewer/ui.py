"""What belongs to the window's surface and to nobody else: fonts, text being typed, open dialogs, timings."""

import math
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np

from motiongraph.viewer.dialogs import Dialogs
from motiongraph.viewer.panels.graph_view import GraphView
from motiongraph.viewer.panels.messages import Seen
from motiongraph.viewer.theme import Fonts

PHASES = ("poll", "update", "upload", "draw", "panels", "swap", "sleep")
OWN = ("poll", "update", "upload", "draw", "panels")


class Timings:
    """Milliseconds of every phase in the last frames: a ring, the newest at `last`."""

    def __init__(self, frames: int = 300):
        self.ring = np.zeros((len(PHASES), frames), np.float32)
        self.numbers = np.arange(frames, dtype=np.float32)
        self.count = 0
        self._summary = (-1, 0.0, 0.0, 0.0)
        self._stack, self._stacked = np.zeros((len(OWN), frames), np.float32), 0
        self._means = (0.0,) * len(OWN)

    def add(self, milliseconds) -> None:
        self.ring[:, self.count % self.ring.shape[1]] = milliseconds
        self.count += 1

    @property
    def offset(self) -> int:
        """Where the oldest frame is."""
        return self.count % self.ring.shape[1]

    def means(self) -> tuple[float, ...]:
        """Mean of each phase of our own work, ms; as old as the summary."""
        self.summary()
        return self._means

    def stacked(self) -> np.ndarray:
        """(phases, frames): each phase of our own work on top of those before it, ms."""
        if self.count - self._stacked == 1:  # as a rule there is one new frame
            last = self._stacked % self.ring.shape[1]
            self._stack[:, last] = list(accumulate(self.ring[: len(OWN), last].tolist()))
        elif self.count != self._stacked:
            np.cumsum(self.ring[: len(OWN)], axis=0, out=self._stack)
        self._stacked = self.count
        return self._stack

    def ceiling(self) -> float:
        """A height for a graph of them, ms, that does not change all the time."""
        worst = self.summary()[2]
        return 2.0 ** max(math.ceil(math.log2(max(worst, 1e-3) / 0.9)), 1)

    def summary(self) -> tuple[float, float, float]:
        """Frames a second, and median and 99th percentile of our own work in ms; worked out four times a second."""
        if self.count < 30 or self.count - self._summary[0] > 30:
            recent = self.ring[:, : max(min(self.count, self.ring.shape[1]), 1)]
            own = recent[: len(OWN)].sum(axis=0)
            total = float(recent.sum(axis=0).mean())
            median, worst = np.percentile(own, (50, 99))
            self._means = tuple(recent[: len(OWN)].mean(axis=1).tolist())
            self._summary = (self.count, 1000.0 / total if total > 0 else 0.0, float(median), float(worst))
        return self._summary[1:]


@dataclass(eq=False)
class Ui:
    """scene: x, y, width, height in screen coordinates of where the scene shows; panes: the same for every view;
    typed: digits of a frame to go to; texts: what is being typed in fields, by their name; labels: number of a clip,
    the labels it had, and those typed for it; seen: which messages were; recorder: a video in the making; heats: the
    heat maps of panels (`draw.heat_map.Heats`); canvases, graph_view: what the graph is drawn on, a
    `draw.graph_canvas.Canvases`, and what is known of its picture; software: the processor draws."""

    fonts: Fonts
    timings: Timings = field(default_factory=Timings)
    dialogs: Dialogs = field(default_factory=Dialogs)
    scale: float = 1.0
    scene: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 1.0)
    panes: list[tuple[float, float, float, float]] = field(default_factory=list)
    flying: bool = False
    drag: tuple[str, int] | None = None
    resume: bool = False
    typed: str = ""
    typed_at: float = 0.0
    texts: dict[str, str] = field(default_factory=dict)
    labels: tuple[int, str, str] = (0, "", "")
    renderer: str = ""
    seen: Seen = field(default_factory=Seen)
    recorder: object = None
    heats: object = None
    canvases: object = None
    graph_view: GraphView = field(default_factory=GraphView)
    software: bool = False

    def px(self, points: float) -> float:
        """Points on an ordinary display as screen coordinates here."""
        return points * self.scale
