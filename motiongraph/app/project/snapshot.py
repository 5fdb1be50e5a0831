"""The state as a project, and a project as the state: the clips, the graph, and every part that is worth keeping."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from motiongraph.app.command import History, SavedPart, as_plain
from motiongraph.app.graph.build_graph import drop_graph
from motiongraph.app.graph.graph_view import GRAPH, drawn_again, notes_from_plain
from motiongraph.app.library.entries import Entry
from motiongraph.app.library.reading import READINGS
from motiongraph.app.live.live_character import LIVE
from motiongraph.app.matrix.comparison import MATRIX
from motiongraph.app.path.draw_path import set_tool
from motiongraph.app.path.path_state import PATH
from motiongraph.app.playback import PLAYBACK
from motiongraph.app.scene.camera_moves import CAMERA
from motiongraph.app.scene.layers import GHOSTS, PLACES, VIEW
from motiongraph.app.scene.props import PROPS
from motiongraph.app.walk import why
from motiongraph.app.walk.results import results
from motiongraph.app.walk.walk_options import WALK
from motiongraph.formats.record import Record
from motiongraph.progress import Progress

if TYPE_CHECKING:
    from motiongraph.app.graph.lanes import Drawn
    from motiongraph.app.library.entries import Prepared
    from motiongraph.app.state import AppState
    from motiongraph.graph.motion_graph import MotionGraph

SUFFIX = ".mgproj"
# In the order in which they are put back: what is played depends on the views, the camera is set last.
PARTS: tuple[SavedPart, ...] = (
    *(VIEW, PLACES, GHOSTS, PROPS, PLAYBACK, GRAPH, MATRIX, WALK, PATH, LIVE, READINGS, CAMERA),
)


@dataclass(frozen=True, eq=False)
class Project:
    """What a project file holds, and what there is to say after reading one."""

    entries: tuple[Entry, ...] = ()  # of the library, results among them
    graph: MotionGraph | None = None
    plain: dict[str, Any] = field(default_factory=dict)  # the parts, as JSON can hold them
    arrays: dict[str, np.ndarray] = field(default_factory=dict)  # numbers of the parts
    notes: tuple[str, ...] = ()  # sentences for the person
    ready: dict[int, Prepared] = field(default_factory=dict)  # id of a graph's clip → what is prepared of it


def mark(state: AppState) -> tuple:
    """Changes with everything that a project would be saved for; not with what is only looked at. Compare marks with
    `part.unchanged`."""
    clips = tuple((e.number, id(e.clip), e.start, e.stop, e.used) for e in _kept(state))
    return clips, state.graph.version, *(part.read(state) for part in PARTS if part.is_work)


def has_work(state: AppState) -> bool:
    """Whether there is more than opened clips: what would be a pity to lose."""
    edited = any(not entry.made and entry.trimmed for entry in state.library) or bool(state.history.done)
    return edited or bool(results(state)) or state.graph.graph is not None or state.path.line is not None


def _kept(state: AppState) -> tuple[Entry, ...]:
    """The library without previews."""
    return tuple(entry for entry in state.library if not (entry.made and entry.made.preview))


def snapshot(state: AppState) -> Project:
    """The state as a project, whose parts nobody changes any more."""
    plain: dict[str, Any] = {}
    arrays: dict[str, np.ndarray] = {}
    for part in PARTS:
        values, more = part.to_plain(part.read(state))
        plain |= as_plain(values)
        arrays |= more
    return Project(_kept(state), state.graph.graph, plain, arrays)


def upgraded(plain: dict[str, Any]) -> dict[str, Any]:
    """The plain data of a project as this version writes it; files of the first version had two things elsewhere."""
    plain = dict(plain)
    choices, path = plain.pop("choices", None), plain.get("path")
    if isinstance(choices, dict):
        plain |= choices
    if isinstance(path, dict) and "lead_label" in path:
        plain.setdefault("live", {"label": path["lead_label"]})
    return plain


def redrawn(project: Project, progress: Progress) -> Drawn | None:
    """What is needed to show the graph of a project."""
    saved = Record(project.plain, "the project", project.arrays)
    notes = notes_from_plain(saved) if "graph" in saved.values else None
    return drawn_again(project.graph, project.entries, notes, project.ready, progress)


def take_in(state: AppState, project: Project, drawn: Drawn | None) -> None:
    """Make the state what the project says. Raises a MotionError where the project makes no sense."""
    why.forget(state)
    set_tool(state, "off")
    drop_graph(state)
    state.live, state.scene.pair, state.history = None, None, History()
    state.path.stroke = []
    state.graph.waiting.clear()
    state.library.clear()
    for entry in project.entries:
        state.library.put(entry)
    state.library.begin_at(1 + max((entry.number for entry in project.entries), default=0))
    state.graph.take(project.graph, drawn)
    saved, blank = Record(project.plain, "the project", project.arrays), type(state)()
    for part in PARTS:
        known = not part.optional or part.optional in saved.values
        part.write(state, part.from_plain(saved, state) if known else part.read(blank))


def rehearse(state: AppState, project: Project, drawn: Drawn | None) -> None:
    """Take a project into a state that nobody sees, so that one which makes no sense disturbs nothing; and all that is
    worked out then is there when it is needed."""
    take_in(type(state)(inline=True, camera=state.camera and state.camera.copy()), project, drawn)
