"""What belongs to the window's surface and to nobody else: fonts, text being typed, open dialogs, timings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from motiongraph.app.window import SeenMessages
from motiongraph.viewer.dialogs import Dialogs
from motiongraph.viewer.draw.frame import Rect
from motiongraph.viewer.panels.graph_overview import OverviewView
from motiongraph.viewer.panels.graph_view import GraphView
from motiongraph.viewer.theme import Fonts

if TYPE_CHECKING:  # they need OpenGL
    from motiongraph.viewer.draw.graph_canvas import Canvases
    from motiongraph.viewer.draw.heat_map import Heats
    from motiongraph.viewer.recorder import Recorder

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

    def add(self, milliseconds: Sequence[float]) -> None:
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
    """What panels share and nobody else needs."""

    fonts: Fonts
    heats: Heats  # the heat maps of panels
    canvases: Canvases  # what the graph is drawn on
    renderer: str = ""  # the driver's name for itself
    software: bool = False  # the processor draws, not a graphics card
    timings: Timings = field(default_factory=Timings)
    dialogs: Dialogs = field(default_factory=Dialogs)
    scale: float = 1.0
    scene: Rect = (0.0, 0.0, 1.0, 1.0)  # where the scene shows, in screen coordinates
    panes: list[Rect] = field(default_factory=list)  # the same for every view
    flying: bool = False
    drag: tuple[str, int] | None = None
    resume: bool = False
    seam: tuple[str, int, int, float] | None = None  # being dragged: how, track, transition, frames from its first
    contact: tuple[str, int, list[tuple[int, int]], bool] | None = (
        None  # being dragged: joint, frame, stretches, opposite
    )
    typed: str = ""  # digits of a frame to go to
    typed_at: float = 0.0  # the clock at the last of them
    rebinding: str = ""  # the action for which a key is being chosen
    pressed: str = ""  # the chord that was pressed for it
    texts: dict[str, str] = field(default_factory=dict)  # what is being typed in fields, by their name
    labels: tuple[int, str, str] = (0, "", "")  # number of a clip, the labels it had, and those typed for it
    seen: SeenMessages = field(default_factory=SeenMessages)  # which messages were
    failures: dict[str, tuple[str, str]] = field(default_factory=dict)  # panel → its failure, and the sentence about it
    recorder: Recorder | None = None  # of the video that is being recorded
    graph_view: GraphView = field(default_factory=GraphView)  # what is known of the graph's picture
    overview: OverviewView = field(default_factory=OverviewView)  # and of its overview

    def px(self, points: float) -> float:
        """Points on an ordinary display as screen coordinates here."""
        return points * self.scale
