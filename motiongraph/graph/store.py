"""The .mgraph file: a graph with its clips, or with their content hashes, in one file (see `formats.container`)."""

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from motiongraph.errors import FormatError, MotionError
from motiongraph.formats.collection import load_collection
from motiongraph.formats.container import Kind, read_container, write_container
from motiongraph.graph.candidates import Candidates, fitted
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.graph.structure import TRANSITION
from motiongraph.graph.thresholds import Thresholds
from motiongraph.metric.metric import Metric
from motiongraph.model.clip import Clip
from motiongraph.model.labels import Labels
from motiongraph.model.skeleton import Skeleton

AnyClips: TypeAlias = Clip | str | Path | Iterable[Clip | str | Path]  # clips, or files and folders of them
VERSION = 1
_KIND = Kind(b"MGRAPH", VERSION, "a motion graph", ".mgraph")


def content_hash(clip: Clip) -> str:
    """Of the motion itself: skeleton, frames and rate; neither name nor labels."""
    digest = blake2b(repr((clip.skeleton.names, clip.fps, clip.first)).encode(), digest_size=16)
    for array in (clip.skeleton.parents, clip.skeleton.offsets, clip.root, clip.rotations, clip.offsets):
        digest.update(b"-" if array is None else np.ascontiguousarray(array).data)
    return digest.hexdigest()


def save(graph: MotionGraph, path: str | Path, clips: str = "included") -> None:
    """Write `graph` to an .mgraph file, whole or not at all.

    clips: "included", so that the file needs nothing else, or "referenced": only their names and content hashes, and
    `load` has to be given the clips.
    """
    if clips not in ("included", "referenced"):
        raise MotionError(f"clips are 'included' or 'referenced', not {clips!r}")
    c = graph.candidates
    arrays = {"table": c.table}
    skeletons: dict[Skeleton, int] = {}
    head = {
        "clips_are": clips,
        "metric": {f.name: getattr(c.metric, f.name) for f in fields(c.metric)},
        "window": c.window,
        "ceiling": c.ceiling if np.isfinite(c.ceiling) else None,
        "radius": c.radius,
        "mirror": c.mirror,
        "left_out": list(c.left_out),
        "thresholds": graph.thresholds.plain(),
        "auto": graph.is_auto,
        "pruned": graph.is_pruned,
        "least": graph.least,
        "originals": [_described(clip, skeletons) | {"hash": content_hash(clip)} for clip in c.originals],
    }
    if clips == "included":
        # A clip that fits as it is stands only once in the file.
        same = {id(clip): i for i, clip in enumerate(c.originals)}
        head["clips"] = [{"same": same[id(k)]} if id(k) in same else _described(k, skeletons) for k in c.clips]
        for kind, motions in (("originals", c.originals), ("clips", c.clips)):
            for i, clip in enumerate(motions):
                if kind == "originals" or "same" not in head["clips"][i]:
                    arrays |= {f"{kind}/{i}/{name}": array for name, array in _motion(clip).items()}
    head["skeletons"] = [
        {"names": s.names, "parents": s.parents.tolist(), "offsets": s.offsets.tolist()} for s in skeletons
    ]
    write_container(path, _KIND, head, arrays)


def load(path: str | Path, clips: AnyClips | None = None) -> MotionGraph:
    """Read an .mgraph file. clips: for a graph that only references its clips, those clips, or files and folders."""
    path = Path(path)
    head, arrays = read_container(path, _KIND)
    if arrays["table"].dtype != TRANSITION:
        raise FormatError(path, "is damaged: its table is not one of transitions")
    try:
        skeletons = [Skeleton(s["names"], s["parents"], s["offsets"]) for s in head["skeletons"]]
        if head["clips_are"] == "included":
            originals = [_clip(d, skeletons, arrays, f"originals/{i}") for i, d in enumerate(head["originals"])]
            used = [
                originals[d["same"]] if "same" in d else _clip(d, skeletons, arrays, f"clips/{i}")
                for i, d in enumerate(head["clips"])
            ]
        else:
            originals = _referenced(path, head["originals"], clips)
            used = fitted(originals, head["mirror"])
        candidates = Candidates(
            tuple(originals),
            tuple(used),
            Metric(**head["metric"]),
            arrays["table"],
            np.inf if head["ceiling"] is None else head["ceiling"],
            head["radius"],
            head["mirror"],
            tuple(head["left_out"]),
        )
        graph = MotionGraph(candidates, Thresholds.from_plain(head["thresholds"]), head["pruned"], head["least"])
        graph.is_auto = head["auto"]
    except (KeyError, TypeError, IndexError) as problem:
        raise FormatError(path, f"is not a motion graph this version can read: {problem!r}") from problem
    return graph


def _described(clip: Clip, skeletons: dict[Skeleton, int]) -> dict[str, Any]:
    """What a clip is besides its arrays. The path of its file is only information."""
    return {
        "name": clip.name,
        "path": clip.file,
        "skeleton": skeletons.setdefault(clip.skeleton, len(skeletons)),
        "frames": len(clip),
        "fps": clip.fps,
        "first": clip.first,
        "labels": clip.labels.spans(),
    }


def _motion(clip: Clip) -> dict[str, np.ndarray]:
    arrays = {"root": clip.root, "rotations": clip.rotations, "offsets": clip.offsets, "file_frames": clip.file_frames}
    return {name: array for name, array in arrays.items() if array is not None}


def _labels(described: dict[str, Any]) -> Labels:
    ranges: dict[str, list] = {}
    for word, start, stop in described["labels"]:
        ranges.setdefault(word, []).append((start, stop))
    return Labels.of(described["frames"], ranges)


def _clip(described: dict[str, Any], skeletons: Sequence[Skeleton], arrays: dict[str, np.ndarray], prefix: str) -> Clip:
    return Clip(
        skeletons[described["skeleton"]],
        arrays[f"{prefix}/root"],
        arrays[f"{prefix}/rotations"],
        described["fps"],
        described["name"],
        _labels(described),
        described["first"],
        arrays.get(f"{prefix}/offsets"),
        file=described["path"],
        file_frames=arrays.get(f"{prefix}/file_frames"),
    )


def _referenced(path: Path, wanted: Sequence[dict[str, Any]], clips: AnyClips | None) -> list[Clip]:
    """The clips of these descriptions, found among `clips` by their content."""
    if clips is None:
        files = ", ".join(str(d["path"] or d["name"]) for d in wanted[:3])
        more = f" and {len(wanted) - 3} more" if len(wanted) > 3 else ""
        raise MotionError(f"{path} names its clips but does not hold them; give them as well: {files}{more}")
    clips = [clips] if isinstance(clips, Clip | str | Path) else list(clips)
    given = [clip for clip in clips if isinstance(clip, Clip)]
    if files := [file for file in clips if not isinstance(file, Clip)]:
        given += [clip.resampled(wanted[0]["fps"]) for clip in load_collection(files)]
    known = {content_hash(clip): clip for clip in given}
    found = []
    for described in wanted:
        clip = known.get(described["hash"])
        if clip is None:
            name = described["name"]
            other = any(clip.name == name for clip in given)
            why = "is not the one the graph was built from" if other else "is not among the clips given"
            raise MotionError(f"{path}: {name!r} {why}")
        found.append(replace(clip, name=described["name"], labels=_labels(described)))
    return found
