"""The .mgraph file: a graph with its clips, or with their content hashes, in one file (see `formats.container`)."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.formats.collection import load_collection
from motiongraph.formats.container import Kind, read_container, write_container
from motiongraph.formats.record import Record, about_file
from motiongraph.graph.candidates import fitted
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.graph.stored import (
    StoredClip,
    StoredGraph,
    checked_skeleton,
    checked_thresholds,
    clip_arrays,
    clip_to_plain,
    graph_to_plain,
    skeleton_to_plain,
)
from motiongraph.model.clip import Clip
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
        "window": c.window,
        **graph_to_plain(c),
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
                    arrays |= {f"{kind}/{i}/{name}": array for name, array in clip_arrays(clip).items()}
    head["skeletons"] = [skeleton_to_plain(skeleton) for skeleton in skeletons]
    write_container(path, _KIND, head, arrays)


def _described(clip: Clip, skeletons: dict[Skeleton, int]) -> dict[str, Any]:
    """What a clip is besides its arrays. The path of its file is only information."""
    return clip_to_plain(clip, skeletons) | {"path": clip.file}


def load(path: str | Path, clips: AnyClips | None = None) -> MotionGraph:
    """Read an .mgraph file. clips: for a graph that only references its clips, those clips, or files and folders."""
    path = Path(path)
    values, arrays = read_container(path, _KIND)
    with about_file(path):
        head = Record(values, "the graph", arrays)
        skeletons = [checked_skeleton(saved) for saved in head.records("skeletons")]
        wanted = [StoredClip.of(saved, skeletons, "path") for saved in head.records("originals")]
        if not wanted:
            raise MotionError("it has no clips")
        stored = StoredGraph.of(head)
        table, thresholds = stored.table("table", wanted), checked_thresholds(head.record("thresholds"))
        auto, pruned, least = head.flag("auto"), head.flag("pruned"), head.number("least", 0.0)
        included = head.word("clips_are", ("included", "referenced")) == "included"
        originals = [one.clip(f"originals/{i}") for i, one in enumerate(wanted)] if included else []
        used = _used(head, originals, skeletons) if included else ()
    if not included:
        originals = _referenced(path, wanted, clips)
        used = fitted(originals, stored.mirror, bones=stored.bones)
    with about_file(path):
        graph = MotionGraph(stored.candidates(originals, used, table), thresholds, pruned, least)
    graph.is_auto = auto
    return graph


def _used(head: Record, originals: Sequence[Clip], skeletons: Sequence[Skeleton]) -> list[Clip]:
    """The clips on one skeleton that an .mgraph file holds."""
    return [
        originals[saved.whole("same", 0, len(originals) - 1)]
        if "same" in saved
        else StoredClip.of(saved, skeletons, "path").clip(f"clips/{i}")
        for i, saved in enumerate(head.records("clips"))
    ]


def _referenced(path: Path, wanted: Sequence[StoredClip], clips: AnyClips | None) -> list[Clip]:
    """The clips of these descriptions, found among `clips` by their content."""
    if clips is None:
        files = ", ".join(one.file or one.name for one in wanted[:3])
        more = f" and {len(wanted) - 3} more" if len(wanted) > 3 else ""
        raise MotionError(f"{path} names its clips but does not hold them; give them as well: {files}{more}")
    clips = [clips] if isinstance(clips, Clip | str | Path) else list(clips)
    given = [clip for clip in clips if isinstance(clip, Clip)]
    if files := [file for file in clips if not isinstance(file, Clip)]:
        given += [clip.resampled(wanted[0].fps) for clip in load_collection(files)]
    known = {content_hash(clip): clip for clip in given}
    found = []
    for one in wanted:
        clip = known.get(one.record.word("hash"))
        if clip is None or (len(clip), clip.first) != (one.frames, one.first):
            other = any(clip.name == one.name for clip in given)
            why = "is not the one the graph was built from" if other else "is not among the clips given"
            raise MotionError(f"{path}: {one.name!r} {why}")
        found.append(replace(clip, **one.words(len(clip))))
    return found
