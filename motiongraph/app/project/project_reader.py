"""Reading a project file (see `project`): everything that can be had is, and a sentence names the clips that cannot."""

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np

from motiongraph.app.library.entries import Entry, Prepared, prepare
from motiongraph.app.project.project_file import KIND, ORIGIN, STORED
from motiongraph.app.project.snapshot import Project, upgraded
from motiongraph.app.walk.results import Made
from motiongraph.errors import FormatError, MotionError
from motiongraph.formats.container import read_container
from motiongraph.formats.load import load
from motiongraph.graph.candidates import Candidates, among, fitted
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.graph.store import content_hash
from motiongraph.graph.thresholds import Thresholds
from motiongraph.metric.metric import Metric
from motiongraph.model.clip import Clip
from motiongraph.model.labels import Labels
from motiongraph.model.skeleton import Skeleton
from motiongraph.progress import SILENT, Progress
from motiongraph.synthesis.synthesize import Origin
from motiongraph.walks.walk import Walk


def load_project(path: Path, progress: Progress = SILENT) -> Project:
    """Read it; entries come prepared for drawing."""
    head, arrays = read_container(path, KIND)
    try:
        return _Reader(head, arrays, progress).project()
    except (KeyError, TypeError, IndexError, AttributeError, ValueError) as problem:
        raise FormatError(Path(path), f"is not a project this version can read: {problem!r}") from problem


class _Reader:
    """clips: all of the file's, None where one cannot be had; graphs: (`Candidates` or None, (C,) bool which of its
    clips are left); views: a row of the file → the `MotionGraph` it stands for, so that equal ones are the same;
    missing: names of clips that cannot be had; bare: of results that no longer know how they were made."""

    def __init__(self, head: dict, arrays: dict[str, np.ndarray], progress: Progress):
        self.head, self.arrays, self.progress = head, arrays, progress
        self.skeletons = [Skeleton(s["names"], s["parents"], s["offsets"]) for s in head["skeletons"]]
        self.clips: list[Clip | None] = []
        self.graphs: list[tuple] = []
        self.views: dict[str, MotionGraph] = {}
        self.ready: dict[int, Prepared] = {}
        self.notes: list[str] = []
        self.missing: list[str] = []
        self.bare: list[str] = []

    def project(self) -> Project:
        head, rows = self.head, self.head["clips"]
        for i, row in enumerate(rows):
            self.progress(0.5 * i, len(rows), row["name"])
            self.clips.append(self._clip(row, i))
        self.graphs = [self._candidates(row, i) for i, row in enumerate(head["graphs"])]
        graph = self._graph(head["graph"])
        entries = []
        for i, row in enumerate(head["entries"]):
            clip = self.clips[row["clip"]]
            if clip is not None:
                self.progress(len(head["entries"]) + i, 2 * len(head["entries"]), clip.name)
                entries.append(self._entry(row, clip))
        plain = {n.removeprefix("plain/"): array for n, array in self.arrays.items() if n.startswith("plain/")}
        notes = (*self.notes, *self._losses(graph))
        return Project(tuple(entries), graph, upgraded(head["plain"]), plain, notes, self.ready)

    def _losses(self, graph: MotionGraph | None) -> list[str]:
        """One sentence, if anything is lost."""
        if not self.missing:
            return []
        ways = "their files have" if len(self.missing) > 1 else "its file has"
        said = f"{', '.join(self.missing)} could not be opened again, because {ways} changed or gone"
        if self.head["graph"] is not None and graph is None:
            said += "; there is no graph without them"
        if self.bare:
            said += f"; {', '.join(self.bare)} came back as motion only"
        return [said]

    def _clip(self, row: dict, i: int) -> Clip | None:
        ranges: dict[str, list] = {}
        for word, start, stop in row["labels"]:
            ranges.setdefault(word, []).append((start, stop))
        labels = Labels.of(row["frames"], ranges)
        if "stretch" in row:
            whole, start = self.clips[row["stretch"][0]], row["stretch"][1]
            if whole is None:
                return None
            part = whole[start : start + row["frames"]]
            return replace(part, name=row["name"], labels=labels, first=row["first"])
        file, changed = Path(row["path"]) if "path" in row else None, ""
        if file is not None and os.path.exists(file):
            try:
                clip = load(file)
                if content_hash(clip) == row["hash"]:
                    return replace(clip, name=row["name"], labels=labels)
                changed = f"{file} is no longer what it was"
            except (MotionError, OSError) as problem:
                changed = str(problem)
        stored = {name: self.arrays.get(f"clips/{i}/{name}") for name in STORED}
        if stored["root"] is None:
            self.missing.append(row["name"])
            return None
        if changed:
            self.notes.append(f"{changed}; the project's own copy of {row['name']} is used")
        about = {name: row[name] for name in ("fps", "name", "first")} | {"labels": labels, "file": row.get("file")}
        return Clip(self.skeletons[row["skeleton"]], **stored, **about)

    def _candidates(self, row: dict, i: int) -> tuple[Candidates | None, np.ndarray]:
        """A graph without the clips that are gone, as long as the others are still of the body it was made for."""
        found = [self.clips[n] for n in row["originals"]]
        originals = tuple(clip for clip in found if clip is not None)
        stays = np.repeat([clip is not None for clip in found], 2 if row["mirror"] else 1)
        if not originals:
            return None, stays
        used, table = fitted(originals, row["mirror"]), self.arrays[f"graphs/{i}/table"]
        if not stays.all():
            if used[0].skeleton != self.skeletons[row["body"]]:
                return None, stays
            table = among(table, stays)
        ceiling = np.inf if row["ceiling"] is None else row["ceiling"]
        rest = Metric(**row["metric"]), table, ceiling, row["radius"], row["mirror"]
        return Candidates(originals, used, *rest, tuple(row["left_out"])), stays

    def _graph(self, row: dict | None) -> MotionGraph | None:
        candidates = self.graphs[row["graph"]][0] if row else None
        if row is None or candidates is None:
            return None
        key = json.dumps(row, sort_keys=True)
        if key not in self.views:
            graph = MotionGraph(candidates, Thresholds.from_plain(row["thresholds"]), is_pruned=True)
            graph.is_auto = row["auto"]
            self.views[key] = graph
        return self.views[key]

    def _entry(self, row: dict, clip: Clip) -> Entry:
        made = self._made(row["made"], f"made/{row['number']}") if "made" in row else None
        if made is not None:
            clip = replace(clip, origin=self._origin(row["made"]["origin"], f"made/{row['number']}/origin"))
        elif "made" in row:
            self.bare.append(clip.name)
        file = Path(row["path"]) if row["path"] else None
        return Entry(row["number"], clip, prepare(clip), file, row["start"], row["stop"], row["used"], made)

    def _origin(self, saved: dict, prefix: str) -> Origin:
        arrays = {name: self.arrays[f"{prefix}/{name}"] for name in ORIGIN}
        return Origin(tuple(saved["names"]), **arrays, joints=tuple(saved["joints"]), floor=saved["floor"])

    def _made(self, saved: dict, prefix: str) -> Made | None:
        """How a result was made; None where a clip that it plays is gone."""
        graph = self._graph(saved["graph"])
        if graph is None:
            return None
        stays = self.graphs[saved["graph"]["graph"]][1]
        steps, jumps = self.arrays[f"{prefix}/steps"].copy(), self.arrays[f"{prefix}/transitions"].copy()
        if not stays[steps["clip"]].all():
            return None
        number = np.cumsum(stays) - 1
        steps["clip"], jumps["src"], jumps["dst"] = number[steps["clip"]], number[jumps["src"]], number[jumps["dst"]]
        about = saved["walk"] | {"placed": tuple(saved["walk"]["placed"]), "metric": graph.metric}
        walk = Walk(graph.clips, graph.window, graph.fps, steps, jumps, **about)
        report = dict(saved["report"])
        numbers = [n for n, stay in zip(saved.get("numbers") or [-1] * len(stays), stays, strict=True) if stay]
        entries = tuple(self._shown(n, clip) for n, clip in zip(numbers, graph.clips))
        options = {name: tuple(value) if isinstance(value, list) else value for name, value in saved["options"].items()}
        asked = self.arrays.get(f"{prefix}/asked")
        return Made(walk, saved["method"], options, saved["seed"], report, asked, entries, graph)

    def _shown(self, number: int, clip: Clip) -> Entry:
        """One of a graph's clips, for drawing poses of it."""
        if id(clip) not in self.ready:
            self.progress(1, 2, f"looking at {clip.name}")
            self.ready[id(clip)] = prepare(clip)
        return Entry(number, clip, self.ready[id(clip)], start=clip.first, stop=len(clip))
