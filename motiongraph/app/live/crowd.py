"""A crowd in the scene: where its characters start and where they go, and the `Crowd` of the package that moves them.

What is asked for is plain data (`Asked`), which undo and projects keep; `advance` sees to it that the crowd on stage is
the one asked for. With the same data on the same graph the same crowd sets off.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from motiongraph.app.command import SavedPart, command
from motiongraph.app.graph.graph_state import being_built
from motiongraph.app.jobs import JobKind
from motiongraph.app.library.entries import Entry, Prepared
from motiongraph.app.live.around_props import things_of
from motiongraph.app.live.lead import prepare_graph
from motiongraph.app.playback import play
from motiongraph.app.scene.camera_moves import overlook
from motiongraph.app.scene.cast import Cast, record_of
from motiongraph.errors import MotionError
from motiongraph.formats.record import Record, checked_like
from motiongraph.kernels import compile_all
from motiongraph.model.clip import Clip
from motiongraph.progress import stretch
from motiongraph.synthesis.crowd import Crowd
from motiongraph.walks.crowd_goals import LAYOUTS, layout, opposite

if TYPE_CHECKING:
    from motiongraph.app.scene.props import Prop
    from motiongraph.app.state import AppState
    from motiongraph.graph.motion_graph import MotionGraph

GOALS = ("opposite side", "wander", "one place", "path")
CHOICES = {"layout": LAYOUTS, "goals": GOALS}
LIMITS: dict[str, tuple[float, float]] = {"count": (1, 200), "apart": (0.8, 5.0), "seed": (0, 2**31 - 1)}
_LONGEST = 0.25  # s that pass in a frame at the most, however long it took
_BODY = 0.35  # m about the root of a character that is driven


@dataclass(frozen=True)
class Asked:
    """The crowd that is asked for."""

    count: int = 30  # characters
    layout: str = "circle"  # where they start
    goals: str = "opposite side"  # where they go
    apart: float = 1.2  # metres between starts
    seed: int = 0  # the same one gives the same crowd
    on: bool = False  # whether it is in the scene


@dataclass(eq=False)
class Moving:
    """A crowd on stage."""

    crowd: Crowd
    asked: Asked  # as what it set off
    starts: np.ndarray  # (N, 3) heading, x, z
    root: np.ndarray  # (N, 1, 3), of the clips on stage, written every frame
    turns: np.ndarray  # (N, 1, J, 4), likewise
    cast: Cast
    ends: Any = None  # the place or path that all go to
    things: tuple[Prop, ...] = ()  # the props that its obstacles are
    obstacles: tuple = ()  # those

    def show(self) -> None:
        """Write the poses of this moment into the clips on stage."""
        self.root[:, 0], self.turns[:, 0] = self.crowd.poses()
        self.cast.pose()


@dataclass(eq=False)
class CrowdState:
    asked: Asked = field(default_factory=Asked)
    going: bool = True  # time passes for it while the scene plays
    moving: Moving | None = None  # the one on stage
    tried: Asked | None = None  # what was last set off, or tried to

    @property
    def moves(self) -> bool:
        """Whether there is one that was not stopped."""
        return self.asked.on and self.going


def change(state: AppState, name: str, value: Any) -> None:
    """Ask for another crowd."""
    if name not in {part.name for part in fields(Asked)} - {"on"}:
        raise MotionError(f"a crowd has no {name!r} that could be set")
    if name in CHOICES and value not in CHOICES[name]:
        raise MotionError(f"the {name} of a crowd can be {', '.join(CHOICES[name])}, not {value!r}")
    if name in LIMITS:
        low, high = LIMITS[name]
        if not np.isfinite(value):
            raise MotionError(f"the {name} of a crowd must be a number")
        value = type(getattr(state.crowd.asked, name))(min(max(value, low), high))
    if name == "goals" and value == "path" and state.path.line is None:
        state.say("there is no path yet: draw one on the floor, and they follow it", "warning")
    state.crowd.asked = replace(state.crowd.asked, **{name: value})


def advance(state: AppState, dt: float) -> None:
    """Have the crowd that is asked for on stage, `dt` seconds later."""
    room, graph = state.crowd, state.graph.graph
    if not room.asked.on or (graph is None and room.moving is None):
        if room.tried is not None:
            room.moving, room.tried = None, None
            state.jobs.call_off(JobKind.CROWD)
            state.scene.version += 1
        return
    if room.tried != room.asked and graph is not None:
        room.tried = room.asked
        _set_off(state, graph)
    moving = room.moving
    if moving is None:
        return
    _redirect(state, moving)
    if state.playback.playing and room.going:
        moving.crowd.advance(min(dt, _LONGEST) * state.playback.speed)
        moving.show()


def _ends(state: AppState, asked: Asked) -> Any:
    """The place or path that all go to, or None."""
    if asked.goals == "path":
        return state.path.line
    return (state.path.goal or (0.0, 0.0)) if asked.goals == "one place" else None


def _redirect(state: AppState, moving: Moving) -> None:
    """Pass on a goal or path that has changed, and what stands in the way."""
    ends = _ends(state, moving.asked)
    if ends is not None and (ends is not moving.ends if moving.asked.goals == "path" else ends != moving.ends):
        for i in range(len(moving.crowd)):
            moving.crowd.goals.set(i, ends)
    moving.ends = ends
    props = state.scene.props
    if props is not moving.things:
        moving.things, moving.obstacles = props, tuple(things_of(props))
        moving.crowd.obstacles = moving.obstacles
    if state.live is not None:
        x, _, z = state.live.root[0].tolist()
        moving.crowd.obstacles = (*moving.obstacles, np.array((x, z, _BODY)))


def _set_off(state: AppState, graph: MotionGraph) -> None:
    asked, entries, props, ends = (
        state.crowd.asked,
        state.graph.entries,
        state.scene.props,
        _ends(state, state.crowd.asked),
    )

    def work(progress, deliver):
        compile_all(stretch(progress, 0.0, 0.5), ("motiongraph.walks", "motiongraph.synthesis"))
        progress(1, 2, "looking at the graph")
        starts = layout(asked.layout, asked.count, asked.apart, asked.seed)
        goals = None if asked.goals == "wander" or ends is None else [ends] * asked.count
        if asked.goals == "opposite side":
            goals = opposite(starts)
        things = tuple(things_of(props))
        crowd = Crowd(graph, starts, goals, asked.seed, obstacles=things)
        deliver(_staged(crowd, asked, starts, entries[0].prepared.lift if entries else 0.0, ends, props, things))

    def then(moving):
        if state.crowd.asked is asked:
            first, state.crowd.moving = state.crowd.moving is None, moving
            state.scene.version += 1
            if first and state.camera is not None:
                overlook(state, moving.starts[:, 1:], margin=0.95)

    state.jobs.start(JobKind.CROWD, "setting a crowd off", work, then)


def _staged(crowd: Crowd, asked: Asked, starts: np.ndarray, lift: float, *rest: Any) -> Moving:
    """A crowd with a clip of one frame for each, which is written over as they go."""
    first, count = crowd.graph.clips[0], len(crowd)
    root, turns = np.zeros((count, 1, 3)), np.zeros((count, 1, len(first.skeleton), 4))
    turns[..., 0] = 1.0
    prepared = Prepared(lift, np.zeros((1, 4)), np.zeros((1, 0), bool), np.zeros(0, np.int64), np.zeros((0, 5)))
    members = []
    for i in range(count):
        # Views become read-only, what they look at does not.
        clip = Clip(first.skeleton, root[i][:], turns[i][:], first.fps, f"crowd {i + 1}")
        entry = Entry(-1 - i, clip, prepared, stop=1)
        members.append((entry, record_of(entry), i))
    moving = Moving(crowd, asked, starts, root, turns, Cast(members), *rest)
    moving.show()
    return moving


# What undo and projects keep: what is asked for


def _write(state: AppState, asked: Asked) -> None:
    state.crowd.asked, state.crowd.going = asked, True


def _from_plain(saved: Record, state: AppState) -> Asked:
    given, found = saved.record("crowd"), Asked()
    for name in given.values.keys() & asdict(found).keys():
        value = checked_like(given.get(name), getattr(found, name), name)
        if name in CHOICES:
            value = given.word(name, CHOICES[name])
        if name in LIMITS:
            value = type(value)(min(max(value, LIMITS[name][0]), LIMITS[name][1]))
        found = replace(found, **{name: value})
    return found


CROWD: SavedPart[Asked] = SavedPart(
    "crowd",
    lambda state: state.crowd.asked,
    _write,
    to_plain=lambda asked: ({"crowd": asdict(asked)}, {}),
    from_plain=_from_plain,
    optional="crowd",
)


# Commands


@command(undo=CROWD, edit="crowd")
class SetCrowd:
    """The count, layout, goals, apart (metres) or seed of the crowd; one that is in the scene sets off anew."""

    name: str
    value: Any

    def apply(self, state: AppState) -> None:
        change(state, self.name, self.value)


@command(undo=CROWD, edit="crowd")
class StartCrowd:
    """Put the crowd into the scene, or let one that was stopped go on; builds the graph first where there is none."""

    def apply(self, state: AppState) -> None:
        if state.graph.graph is None and not being_built(state):
            prepare_graph(state)
        state.crowd.asked, state.crowd.going = replace(state.crowd.asked, on=True), True
        play(state)


@command
class StopCrowd:
    """The crowd stays as it is in this moment."""

    def apply(self, state: AppState) -> None:
        state.crowd.going = False


@command(undo=CROWD, edit="crowd")
class ClearCrowd:
    """Take the crowd out of the scene."""

    def apply(self, state: AppState) -> None:
        state.crowd.asked = replace(state.crowd.asked, on=False)
