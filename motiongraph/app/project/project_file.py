"""The project file: clips, graph, results and whatever else is plain, in one file; see `formats.container`.

Captured clips are stored with the path and content hash of their file and how it was read: where that file is still
the same, or is found elsewhere, it is read again, so that it can be written back as it came; otherwise the copy in the
project serves. An autosave leaves the
copies out where there is much of them and the files are there. `project_reader` reads it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from motiongraph.app.command import History, SavedPart, as_plain
from motiongraph.app.graph.build_graph import drop_graph
from motiongraph.app.graph.graph_view import GRAPH, drawn_again, notes_from_plain
from motiongraph.app.library.entries import Entry
from motiongraph.app.library.reading import READINGS, Reading
from motiongraph.app.live.crowd import CROWD
from motiongraph.app.live.live_character import LIVE
from motiongraph.app.matrix.comparison import MATRIX
from motiongraph.app.path.draw_path import set_tool
from motiongraph.app.path.path_state import PATH
from motiongraph.app.playback import PLAYBACK
from motiongraph.app.scene.camera_moves import CAMERA
from motiongraph.app.scene.layers import GHOSTS, PLACES, VIEW
from motiongraph.app.scene.props import PROPS
from motiongraph.app.walk import why
from motiongraph.app.walk.results import Made, results
from motiongraph.app.walk.walk_options import WALK
from motiongraph.formats.container import Kind, write_container
from motiongraph.formats.record import Record
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.graph.store import content_hash
from motiongraph.graph.stored import clip_arrays, clip_to_plain, graph_to_plain, skeleton_to_plain
from motiongraph.model.clip import Clip
from motiongraph.model.skeleton import Skeleton
from motiongraph.progress import SILENT, Progress, stretch

if TYPE_CHECKING:
    from motiongraph.app.graph.lanes import Drawn
    from motiongraph.app.library.entries import Prepared
    from motiongraph.app.state import AppState
    from motiongraph.graph.motion_graph import MotionGraph


SUFFIX = ".mgproj"
KIND = Kind(b"MGPROJ", 1, "a motiongraph project", SUFFIX)
ORIGIN = ("clip", "frame", "other", "other_frame", "step", "weight", "planted")  # arrays of a result's `Origin`
_MUCH = 64 << 20  # bytes of copies that an autosave does without, where it can
# In the order in which they are put back: what is played depends on the views, the camera is set last.
PARTS: tuple[SavedPart, ...] = (
    *(VIEW, PLACES, GHOSTS, PROPS, PLAYBACK, GRAPH, MATRIX, WALK, PATH, LIVE, CROWD, READINGS, CAMERA),
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
    `command.unchanged`."""
    clips = tuple((e.number, id(e.clip), e.start, e.stop, e.used) for e in _kept(state))
    return clips, state.graph.version, *(part.read(state) for part in PARTS if part.is_work)


def has_work(state: AppState) -> bool:
    """Whether there is more than opened clips: what would be a pity to lose."""
    edited = state.library.trimmed or bool(state.history.done)
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
    state.crowd.moving = state.crowd.tried = None
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


class _Clips:
    """Every clip once, and stretches of another as such; light: without copies of files that are there."""

    def __init__(self, light: bool):
        self.light = light
        self.arrays: dict[str, np.ndarray] = {}
        self.rows: list[dict] = []
        self.skeletons: dict[Skeleton, int] = {}
        self._known: dict[int, int] = {}
        self._held: list[Clip] = []

    def number(self, clip: Clip, path: Path | None = None) -> int:
        if id(clip) not in self._known:
            self._known[id(clip)] = len(self.rows)
            self._held.append(clip)
            self.rows.append(self._row(clip, path))
        return self._known[id(clip)]

    def _row(self, clip: Clip, path: Path | None) -> dict:
        row = clip_to_plain(clip, self.skeletons) | {"file": clip.file}
        for i, whole in enumerate(self._held[:-1]):
            start = _stretch(clip, whole)
            if start is not None and "stretch" not in self.rows[i]:
                return row | {"stretch": [i, start]}
        if path is not None:
            reading = Reading.of(clip)
            row |= {"path": str(path), "hash": content_hash(clip), "reading": reading.to_plain()}
            if os.path.exists(path):
                row["bytes"] = os.path.getsize(path)
                if self.light:
                    return row
        prefix = f"clips/{len(self.rows)}"
        self.arrays |= {f"{prefix}/{name}": array for name, array in clip_arrays(clip).items()}
        return row


def _stretch(part: Clip, whole: Clip) -> int | None:
    """The frame of `whole` at which `part`, which looks into its memory, begins; None where it does not."""
    frames = [(b.__array_interface__["data"][0] - a.__array_interface__["data"][0], a.nbytes // max(len(a), 1))
              for a, b in ((whole.root, part.root), (whole.rotations, part.rotations))]  # fmt: skip
    starts = {ahead // size for ahead, size in frames if size and ahead >= 0 and ahead % size == 0}
    start = starts.pop() if len(starts) == 1 else None
    same = (
        part.skeleton == whole.skeleton and part.fps == whole.fps and (part.offsets is None) == (whole.offsets is None)
    )
    return start if start is not None and same and start + len(part) <= len(whole) else None


def save_project(path: Path, project: Project, light: bool = False, progress: Progress = SILENT) -> None:
    """Write it, whole or not at all; light: without copies of captured files that are there, if they are large."""
    captured = [entry for entry in project.entries if not entry.made]
    size = sum(len(entry.clip) * (3 + 4 * len(entry.clip.skeleton)) * 8 for entry in captured)  # of poses, unread
    clips = _Clips(light and size > _MUCH)
    graphs: dict[int, int] = {}
    head: dict = {"graphs": [], "entries": [], "plain": project.plain}
    arrays = {f"plain/{name}": array for name, array in project.arrays.items()}
    for done, entry in enumerate(captured):  # whole clips first, so that the graphs' stretches of them are found
        progress(0.5 * done, len(captured), entry.name)
        clips.number(entry.clip, entry.path)

    def graph_number(graph: MotionGraph | None) -> dict | None:
        if graph is None:
            return None
        c = graph.candidates
        if id(c) not in graphs:
            graphs[id(c)] = len(head["graphs"])
            arrays[f"graphs/{len(head['graphs'])}/table"] = c.table
            head["graphs"].append(
                graph_to_plain(c)
                | {
                    "originals": [clips.number(clip) for clip in c.originals],
                    "body": clips.skeletons.setdefault(c.clips[0].skeleton, len(clips.skeletons)),
                }
            )
        return {"graph": graphs[id(c)], "thresholds": graph.thresholds.plain(), "auto": graph.is_auto}

    head["graph"] = graph_number(project.graph)
    for entry in project.entries:
        row = {"clip": clips.number(entry.clip, entry.path), "number": entry.number, "used": entry.used}
        row |= {"start": entry.start, "stop": entry.stop, "path": entry.path and str(entry.path)}
        if entry.made:
            row["made"] = _made(entry, entry.made, graph_number(entry.made.graph), arrays, f"made/{entry.number}")
        head["entries"].append(row)
    head["clips"] = clips.rows
    head["skeletons"] = [skeleton_to_plain(skeleton) for skeleton in clips.skeletons]
    write_container(path, KIND, head, arrays | clips.arrays, stretch(progress, 0.5, 1.0))


def _made(entry: Entry, made: Made, graph: dict | None, arrays: dict[str, np.ndarray], prefix: str) -> dict:
    """How a result was made, as JSON can hold it; its numbers go into `arrays`."""
    walk, origin = made.walk, entry.clip.origin
    assert origin is not None, "synthesized motion knows where its frames came from"
    arrays |= {f"{prefix}/steps": walk.steps, f"{prefix}/transitions": walk.transitions}
    if made.asked is not None:
        arrays[f"{prefix}/asked"] = np.asarray(made.asked, float)
    for name, numbers in (("turns", made.driven), ("path", walk.path), ("turned", walk.turns)):
        if numbers is not None:
            arrays[f"{prefix}/{name}"] = numbers
    for name in ORIGIN:
        arrays[f"{prefix}/origin/{name}"] = getattr(origin, name)
    return {
        "graph": graph,
        "numbers": [shown.number for shown in made.entries],
        "method": made.method,
        "options": made.options,
        "seed": made.seed,
        "report": made.report,
        "walk": {n: getattr(walk, n) for n in ("method", "complete", "note", "seconds", "placed")},
        "origin": {"names": list(origin.names), "joints": list(map(int, origin.joints)), "floor": origin.floor},
    }
