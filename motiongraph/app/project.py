"""The project file: clips, graph, results and whatever else is plain, in one file; see `formats.container`.

Captured clips are stored with the path and content hash of their file: where that file is still the same it is read
again, so that it can be written back as it came; otherwise the copy in the project serves. An autosave leaves the
copies out where the file is there.
"""

from dataclasses import dataclass, field, fields, replace
from pathlib import Path

import numpy as np

from motiongraph.app.library import Entry
from motiongraph.app.results import Made
from motiongraph.errors import FormatError, MotionError
from motiongraph.formats.container import Kind, read_container, write_container
from motiongraph.graph.store import content_hash
from motiongraph.model.clip import Clip
from motiongraph.model.labels import Labels
from motiongraph.model.skeleton import Skeleton
from motiongraph.progress import SILENT

SUFFIX = ".mgproj"
_KIND = Kind(b"MGPROJ", 1, "a motiongraph project", SUFFIX)


@dataclass(frozen=True, eq=False)
class Project:
    """entries: of the library, results among them; graph: the one in hand, or None; plain: all the rest, by name, as
    JSON can hold it; arrays: what of the rest is numbers; notes: what there is to say after reading."""

    entries: tuple[Entry, ...] = ()
    graph: object = None
    plain: dict = field(default_factory=dict)
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


class _Clips:
    """Every clip once, and stretches of another as such."""

    def __init__(self, light: bool):
        self.light, self.arrays, self.rows, self.skeletons = light, {}, [], {}
        self._known: dict[int, int] = {}
        self._held: list[Clip] = []

    def number(self, clip: Clip, path: Path | None = None) -> int:
        if id(clip) not in self._known:
            self._known[id(clip)] = len(self.rows)
            self._held.append(clip)
            self.rows.append(self._row(clip, path))
        return self._known[id(clip)]

    def _row(self, clip, path):
        row = {
            "name": clip.name,
            "skeleton": self.skeletons.setdefault(clip.skeleton, len(self.skeletons)),
            "frames": len(clip),
            "fps": clip.fps,
            "first": clip.first,
            "labels": clip.labels.spans(),
        }
        for i, whole in enumerate(self._held[:-1]):
            start = _stretch(clip, whole)
            if start is not None and "stretch" not in self.rows[i]:
                return row | {"stretch": [i, start]}
        if path is not None:
            row |= {"path": str(path), "hash": content_hash(clip)}
            if self.light and path.exists():
                return row
        stored = {"root": clip.root, "rotations": clip.rotations, "offsets": clip.offsets}
        prefix = f"clips/{len(self.rows)}"
        self.arrays |= {f"{prefix}/{name}": array for name, array in stored.items() if array is not None}
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


def save_project(path, project: Project, light: bool = False) -> None:
    """Write it, whole or not at all; light: without copies of captured files that are there."""
    clips = _Clips(light)
    graphs: dict[int, int] = {}
    head: dict = {"graphs": [], "entries": [], "plain": project.plain}
    arrays = {f"plain/{name}": array for name, array in project.arrays.items()}
    for entry in project.entries:  # whole clips first, so that the graphs' stretches of them are found
        if not entry.made:
            clips.number(entry.clip, entry.path)

    def graph_number(graph):
        if graph is None:
            return None
        c = graph.candidates
        if id(c) not in graphs:
            graphs[id(c)] = len(head["graphs"])
            arrays[f"graphs/{len(head['graphs'])}/table"] = c.table
            head["graphs"].append(
                {
                    "originals": [clips.number(clip) for clip in c.originals],
                    "metric": {f.name: getattr(c.metric, f.name) for f in fields(c.metric)},
                    "ceiling": c.ceiling if np.isfinite(c.ceiling) else None,
                    "radius": c.radius,
                    "mirror": c.mirror,
                    "left_out": list(c.left_out),
                }
            )
        return {"graph": graphs[id(c)], "thresholds": graph.thresholds.plain(), "auto": graph.is_auto}

    head["graph"] = graph_number(project.graph)
    for entry in project.entries:
        row = {"clip": clips.number(entry.clip, entry.path), "number": entry.number, "used": entry.used}
        row |= {"start": entry.start, "stop": entry.stop, "path": entry.path and str(entry.path)}
        if entry.made:
            row["made"] = _made(entry, graph_number(entry.made.graph), arrays, f"made/{entry.number}")
        head["entries"].append(row)
    head["clips"] = clips.rows
    head["skeletons"] = [
        {"names": s.names, "parents": s.parents.tolist(), "offsets": s.offsets.tolist()} for s in clips.skeletons
    ]
    write_container(path, _KIND, head, arrays | clips.arrays)


def _made(entry, graph, arrays, prefix):
    made, walk, origin = entry.made, entry.made.walk, entry.clip.origin
    arrays |= {f"{prefix}/steps": walk.steps, f"{prefix}/transitions": walk.transitions}
    if made.asked is not None:
        arrays[f"{prefix}/asked"] = np.asarray(made.asked, float)
    for name in _ORIGIN:
        arrays[f"{prefix}/origin/{name}"] = getattr(origin, name)
    return {
        "graph": graph,
        "method": made.method,
        "options": made.options,
        "seed": made.seed,
        "report": made.report,
        "walk": {n: getattr(walk, n) for n in ("method", "complete", "note", "seconds", "placed")},
        "origin": {"names": list(origin.names), "joints": list(map(int, origin.joints)), "floor": origin.floor},
    }


_ORIGIN = ("clip", "frame", "other", "other_frame", "weight", "step", "planted")


def load_project(path, progress=SILENT) -> Project:
    """Read it; entries come prepared for drawing."""
    head, arrays = read_container(path, _KIND)
    notes: list[str] = []
    try:
        skeletons = [Skeleton(s["names"], s["parents"], s["offsets"]) for s in head["skeletons"]]
        clips: list[Clip] = []
        for i, row in enumerate(head["clips"]):
            progress(i, len(head["clips"]) + 1, row["name"])
            clips.append(_clip(path, row, i, clips, skeletons, arrays, notes))
        graphs = [_candidates(g, i, clips, arrays) for i, g in enumerate(head["graphs"])]
        graph = _graph(head["graph"], graphs)
        entries = []
        for i, row in enumerate(head["entries"]):
            progress(i, len(head["entries"]), clips[row["clip"]].name)
            entries.append(_entry(row, clips, graphs, arrays))
    except (KeyError, TypeError, IndexError, ValueError) as problem:
        raise FormatError(Path(path), f"is not a project this version can read: {problem!r}") from problem
    plain = {name.removeprefix("plain/"): array for name, array in arrays.items() if name.startswith("plain/")}
    return Project(tuple(entries), graph, head["plain"], plain, tuple(notes))


def _clip(path, row, i, clips, skeletons, arrays, notes) -> Clip:
    ranges: dict[str, list] = {}
    for word, start, stop in row["labels"]:
        ranges.setdefault(word, []).append((start, stop))
    labels = Labels.of(row["frames"], ranges)
    if "stretch" in row:
        whole, start = clips[row["stretch"][0]], row["stretch"][1]
        part = whole[start : start + row["frames"]]
        return replace(part, name=row["name"], labels=labels, first=row["first"])
    file = Path(row["path"]) if "path" in row else None
    if file is not None and file.exists():
        from motiongraph.formats.load import load

        try:
            clip = load(file)
            if content_hash(clip) == row["hash"]:
                return replace(clip, name=row["name"], labels=labels)
            notes.append(f"{file} is no longer what it was; the project's own copy of {row['name']} is used")
        except MotionError as problem:
            notes.append(f"{problem}; the project's own copy of {row['name']} is used")
    stored = {n: arrays.get(f"clips/{i}/{n}") for n in ("root", "rotations", "offsets")}
    if stored["root"] is None:
        raise FormatError(Path(path), f"names {file}, which has changed or is gone, and holds no copy of it")
    motion = stored["root"], stored["rotations"]
    return Clip(skeletons[row["skeleton"]], *motion, row["fps"], row["name"], labels, row["first"], stored["offsets"])


def _candidates(row, i, clips, arrays):
    from motiongraph.graph.candidates import Candidates, fitted
    from motiongraph.metric.metric import Metric

    originals = tuple(clips[n] for n in row["originals"])
    ceiling = np.inf if row["ceiling"] is None else row["ceiling"]
    rest = Metric(**row["metric"]), arrays[f"graphs/{i}/table"], ceiling, row["radius"], row["mirror"]
    return Candidates(originals, fitted(originals, row["mirror"]), *rest, tuple(row["left_out"]))


def _graph(row, graphs):
    from motiongraph.graph.motion_graph import MotionGraph
    from motiongraph.graph.thresholds import Thresholds

    if row is None:
        return None
    graph = MotionGraph(graphs[row["graph"]], Thresholds.from_plain(row["thresholds"]), is_pruned=True)
    graph.is_auto = row["auto"]
    return graph


def _entry(row, clips, graphs, arrays) -> Entry:
    from motiongraph.app.prepared import prepare
    from motiongraph.synthesis.origin import Origin
    from motiongraph.walks.walk import Walk

    clip, made = clips[row["clip"]], None
    if "made" in row:
        told, prefix = row["made"], f"made/{row['number']}"
        graph = _graph(told["graph"], graphs)
        about = told["walk"] | {"placed": tuple(told["walk"]["placed"])}
        steps, jumps = arrays[f"{prefix}/steps"].copy(), arrays[f"{prefix}/transitions"].copy()
        walk = Walk(graph.clips, graph.window, graph.fps, steps, jumps, **about)
        origin = told["origin"]
        parts = (arrays[f"{prefix}/origin/{name}"] for name in _ORIGIN)
        clip = replace(clip, origin=Origin(tuple(origin["names"]), *parts, tuple(origin["joints"]), origin["floor"]))
        asked = arrays.get(f"{prefix}/asked")
        made = Made(walk, told["method"], told["options"], told["seed"], told["report"], asked, graph=graph)
    file = Path(row["path"]) if row["path"] else None
    return Entry(row["number"], clip, prepare(clip), file, row["start"], row["stop"], row["used"], made)
