"""The one state of the program: everything that panels show and commands change, and nothing of how it is drawn."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from time import strftime
from typing import TYPE_CHECKING

import numpy as np

from motiongraph.app.command import History
from motiongraph.app.graph.graph_state import GraphState
from motiongraph.app.jobs import Jobs
from motiongraph.app.library.entries import Entry, Library
from motiongraph.app.live.crowd import CrowdState
from motiongraph.app.matrix.comparison import MatrixState
from motiongraph.app.path.path_state import PathState
from motiongraph.app.playback import TRACKS, Playback, Track, visible_tracks
from motiongraph.app.project.session import Session
from motiongraph.app.scene.layers import Scene
from motiongraph.app.settings import Settings
from motiongraph.app.walk.walk_options import WalkState
from motiongraph.app.walk.why import WhyState
from motiongraph.app.window import PANELS, Message, WindowState

if TYPE_CHECKING:
    from motiongraph.app.command import Command
    from motiongraph.app.live.live_character import LedCharacter
    from motiongraph.app.scene.camera_moves import Camera
    from motiongraph.app.scene.cast import Cast


@dataclass(eq=False)
class AppState:
    """All that there is. Each room has its own state; what they share is here."""

    settings: Settings = field(default_factory=Settings)
    inline: bool = False  # jobs are carried out at once, as tests do
    library: Library = field(default_factory=Library)
    playback: Playback = field(default_factory=Playback)
    tracks: tuple[Track, ...] = field(default_factory=lambda: tuple(Track() for _ in TRACKS))  # A, B and the result
    active: int = 0  # the track that controls work on
    scene: Scene = field(default_factory=Scene)
    matrix: MatrixState = field(default_factory=MatrixState)
    why: WhyState = field(default_factory=WhyState)
    graph: GraphState = field(default_factory=GraphState)
    path: PathState = field(default_factory=PathState)
    live: LedCharacter | None = None
    crowd: CrowdState = field(default_factory=CrowdState)
    history: History = field(default_factory=History)
    project: Session = field(default_factory=Session)
    walk: WalkState = field(default_factory=WalkState)
    camera: Camera | None = None
    camera_goal: Camera | None = None  # the camera glides to it
    follow: bool = True  # the camera goes with the character
    window: WindowState = field(default_factory=WindowState)
    messages: deque[Message] = field(default_factory=lambda: deque(maxlen=500))
    casts: list[Cast] = field(default_factory=list)  # the characters of each view, posed for this moment
    clock: float = 0.0  # seconds since the start
    ready: bool = False  # what playing needs is compiled
    frame_camera: bool = False  # the next pose is to be looked at as a whole
    hint: str = ""
    stage_key: tuple | None = None  # what the casts depend on

    def __post_init__(self) -> None:
        self.queue: deque[Command] = deque()
        if self.settings.shown is not None:
            self.window.shown = set(self.settings.shown).intersection(PANELS)
        self.jobs = Jobs(self.say, self.inline)

    def issue(self, command: Command) -> None:
        """Ask for something; it is done at the next update."""
        self.queue.append(command)

    def say(self, text: str, level: str = "info") -> None:
        """A message to the person, newest first."""
        self.messages.appendleft(Message(" ".join(text.split()), level, strftime("%H:%M:%S"), self.clock))

    @property
    def entry(self) -> Entry | None:
        """The clip of the active track."""
        return self.library.get(self.tracks[self.active].clip)

    def focus(self, track: int) -> np.ndarray:
        """(3,) metres: where the root of a track's character is now; the origin's where there is none."""
        for shown, cast in zip(visible_tracks(self), self.casts):
            if shown == track and cast.groups:
                return cast.groups[0].positions[0, 0].copy()
        return np.array([0.0, 0.9, 0.0])
