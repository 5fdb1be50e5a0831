"""The project file: clips, graph, results and whatever else is plain, in one file; see `formats.container`.

Captured clips are stored with the path and content hash of their file and how it was read: where that file is still
the same, or is found elsewhere, it is read again, so that it can be written back as it came; otherwise the copy in the
project serves. An autosave leaves the
copies out where there is much of them and the files are there. `project_reader` reads it.
"""

import os
from pathlib import Path

import numpy as np

from motiongraph.app.library.entries import Entry
from motiongraph.app.library.reading import Reading
from motiongraph.app.project.snapshot import SUFFIX, Project
from motiongraph.app.walk.results import Made
from motiongraph.formats.container import Kind, write_container
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.graph.store import content_hash
from motiongraph.graph.stored import clip_arrays, clip_to_plain, graph_to_plain, skeleton_to_plain
from motiongraph.model.clip import Clip
from motiongraph.model.skeleton import Skeleton
from motiongraph.progress import SILENT, Progress, stretch

KIND = Kind(b"MGPROJ", 1, "a motiongraph project", SUFFIX)
ORIGIN = ("clip", "frame", "other", "other_frame", "step", "weight", "planted")  # arrays of a result's `Origin`
_MUCH = 64 << 20  # bytes of copies that an autosave does without, where it can


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
    size = sum(entry.clip.root.nbytes + entry.clip.rotations.nbytes for entry in captured)
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
