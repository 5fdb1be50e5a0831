"""The one state of the program: everything that panels show and commands change, and nothing of how it is drawn."""

from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from time import strftime

import numpy as np

from motiongraph.app.graphs import GraphState
from motiongraph.app.history import History
from motiongraph.app.jobs import Jobs
from motiongraph.app.library import Entry, Library
from motiongraph.app.matrix import MatrixState
from motiongraph.app.path import PathState
from motiongraph.app.playback import TRACKS, Playback, Track
from motiongraph.app.scene import Scene, visible_tracks
from motiongraph.app.session import Session
from motiongraph.app.settings import Settings
from motiongraph.app.walks import WalkState
from motiongraph.app.why import WhyState

FLOATING = ("why", "shortcuts", "fetch", "film")  # of which the next start knows nothing
PANELS = (
    *("library", "clip", "scene", "camera", "matrix", "graph", "walk", "path", "stats", "messages"),
    *FLOATING,
)


@dataclass(frozen=True)
class Message:
    """level: "info", "warning" or "error"; when: the time of day; age: the clock when it came, seconds."""

    text: str
    level: str
    when: str
    age: float


@dataclass(eq=False)
class Wishes:
    """What the window is asked for; the loop looks here and does it. shown: panels that are open; front: the one that
    is to come to the front."""

    panels: bool = True
    shown: set[str] = field(
        default_factory=lambda: {"library", "clip", "scene", "camera", "matrix", "graph", "walk", "path", "stats"}
    )
    front: str = ""
    full_screen: bool = False
    reset_layout: bool = False
    quit: bool = False
    screenshots: list[tuple[Path, bool]] = field(default_factory=list)
    recording: object = None


@dataclass(eq=False)
class AppState:
    """tracks: A, B and the result, each with its own clip and time; active: the one controls work on.
    camera: a `viewer.camera.Camera`; goal: one it glides to, if any; follow: it goes with the character.
    matrix: of two clips; why: what explains a transition; graphs: the graph in hand; walking: the walk that is asked
    of it; path: the one on the floor; leading: a character that is led there (`leading.Leading`), or None.
    casts: the characters of each view, posed for this moment. clock: seconds since the start.
    ready: the compiled parts are there. frame_camera: the next pose is to be looked at as a whole."""

    settings: Settings = field(default_factory=Settings)
    inline: bool = False
    library: Library = field(default_factory=Library)
    playback: Playback = field(default_factory=Playback)
    tracks: tuple[Track, ...] = field(default_factory=lambda: tuple(Track() for _ in TRACKS))
    active: int = 0
    scene: Scene = field(default_factory=Scene)
    matrix: MatrixState = field(default_factory=MatrixState)
    why: WhyState = field(default_factory=WhyState)
    graphs: GraphState = field(default_factory=GraphState)
    path: PathState = field(default_factory=PathState)
    leading: object = None
    history: History = field(default_factory=History)
    session: Session = field(default_factory=Session)
    walking: WalkState = field(default_factory=WalkState)
    camera: object = None
    goal: object = None
    follow: bool = True
    wishes: Wishes = field(default_factory=Wishes)
    messages: deque[Message] = field(default_factory=lambda: deque(maxlen=500))
    casts: list = field(default_factory=list)
    clock: float = 0.0
    ready: bool = False
    frame_camera: bool = False
    hint: str = ""
    stage_key: object = None

    def __post_init__(self):
        self.queue: deque = deque()
        if self.settings.shown is not None:
            self.wishes.shown = set(self.settings.shown).intersection(PANELS)
        self.jobs = Jobs(self.say, self.inline)

    def issue(self, command) -> None:
        """Ask for something; it is done at the next update."""
        self.queue.append(command)

    def say(self, text: str, level: str = "info") -> None:
        """A message to the person, newest first."""
        self.messages.appendleft(Message(" ".join(text.split()), level, strftime("%H:%M:%S"), self.clock))

    @property
    def entry(self) -> Entry | None:
        """The clip of the track in hand."""
        return self.library.get(self.tracks[self.active].clip)

    def focus(self, track: int) -> np.ndarray:
        """(3,) metres: where the root of a track's character is now; the origin's where there is none."""
        for shown, cast in zip(visible_tracks(self), self.casts):
            if shown == track and cast.groups:
                return cast.groups[0].positions[0, 0].copy()
        return np.array([0.0, 0.9, 0.0])
