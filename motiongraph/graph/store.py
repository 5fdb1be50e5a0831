"""The .mgraph file: a graph with its clips, or with their content hashes, in one file (see `formats.container`).

Since version 2 motion is packed (`poses.Packed`), and only the clips as they were given are in the file: what they
become on one skeleton, and their mirror images, are worked out again when they are shown or walked. Of a large file
only the head is read at first.
"""

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.formats.collection import load_collection
from motiongraph.formats.container import Kind, read_container, write_container
from motiongraph.formats.record import Record, about_file
from motiongraph.graph.fitting import fitted, heights_of
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.graph.stored import (
    StoredClip,
    StoredGraph,
    checked_skeleton,
    checked_thresholds,
    clip_to_plain,
    graph_to_plain,
    packed_arrays,
    skeleton_to_plain,
)
from motiongraph.graph.stored_cells import cells_to_arrays, checked_cells
from motiongraph.metric.cells import Cells
from motiongraph.model.clip import Clip
from motiongraph.model.poses import Later
from motiongraph.model.retarget import Heights
from motiongraph.model.skeleton import Skeleton

AnyClips: TypeAlias = Clip | str | Path | Iterable[Clip | str | Path]  # clips, or files and folders of them
VERSION = 2
_AT_ONCE = 64 << 20  # bytes up to which a file is read and checked at once
_KIND = Kind(b"MGRAPH", VERSION, "a motion graph", ".mgraph")


_hashes: WeakKeyDictionary[Later, str] = WeakKeyDictionary()  # of clips that came from files or went into them


def content_hash(clip: Clip) -> str:
    """Of the motion itself: skeleton, frames and rate; neither name nor labels. A packed clip has another than the
    clip it was made from."""
    later = clip.__dict__.get("later")
    if later is not None and later in _hashes:
        return _hashes[later]
    digest = blake2b(repr((clip.skeleton.names, clip.fps, clip.first)).encode(), digest_size=16)
    poses = clip.poses
    motion = (clip.root, clip.rotations, clip.offsets) if poses is None else (poses.root, poses.still, poses.turns)
    for array in (clip.skeleton.parents, clip.skeleton.offsets, *motion):
        digest.update(b"-" if array is None else np.ascontiguousarray(array).data)
    if later is not None:
        _hashes[later] = digest.hexdigest()
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
        for i, clip in enumerate(c.originals):
            arrays |= {f"originals/{i}/{name}": array for name, array in packed_arrays(clip).items()}
    arrays["paths"] = c.paths
    if c.metric.unit == "cm":
        arrays["pace"] = c.paces
    heights = list(map(heights_of, c.originals, c.clips[:: 2 if c.mirror else 1]))
    if all(height is not None for height in heights):
        arrays["heights"] = np.array(heights)
    if (cells := c.cells()) is not None:
        arrays |= cells_to_arrays(cells)
    head["skeletons"] = [skeleton_to_plain(skeleton) for skeleton in skeletons]
    write_container(path, _KIND, head, arrays)


def _described(clip: Clip, skeletons: dict[Skeleton, int]) -> dict[str, Any]:
    """What a clip is besides its arrays. The path of its file is only information."""
    return clip_to_plain(clip, skeletons) | {"path": clip.file}


def load(path: str | Path, clips: AnyClips | None = None) -> MotionGraph:
    """Read an .mgraph file. clips: for a graph that only references its clips, those clips, or files and folders."""
    path = Path(path)
    values, arrays = read_container(path, _KIND, _AT_ONCE)
    with about_file(path):
        head = Record(values, "the graph", arrays)
        skeletons = [checked_skeleton(saved) for saved in head.records("skeletons")]
        wanted = [StoredClip.of(saved, skeletons, "path") for saved in head.records("originals")]
        if not wanted:
            raise MotionError("it has no clips")
        stored = StoredGraph.of(head)
        thresholds = checked_thresholds(head.record("thresholds"))
        auto, pruned, least = head.flag("auto"), head.flag("pruned"), head.number("least", 0.0)
        included = head.word("clips_are", ("included", "referenced")) == "included"
        originals = [one.clip(f"originals/{i}") for i, one in enumerate(wanted)] if included else []
        for one, clip in zip(wanted, originals):
            if clip.is_packed:
                _hashes[clip.__dict__["later"]] = one.record.word("hash")
        used = _used(head, originals, skeletons) if included and "clips" in head else ()
    if not included:
        originals = _referenced(path, wanted, clips)

    def table() -> np.ndarray:
        with about_file(path):
            return stored.table("table", wanted)

    def cells() -> Cells | None:
        with about_file(path):
            lengths = [len(clip) - clip.first for clip in candidates.clips]
            return checked_cells(head, candidates.window, lengths)

    with about_file(path):
        heights = head.array("heights", "f", (len(wanted), 2)) if "heights" in arrays else None
        heights = None if heights is None else [Heights(*row) for row in heights.tolist()]
        used = used or fitted(originals, stored.mirror, bones=stored.bones, heights=heights)
        candidates = stored.candidates(originals, used, table() if isinstance(arrays, dict) else table)
        candidates.__dict__["cells"] = cells
        frames = sum(map(len, used))
        if "pace" in arrays:
            candidates.__dict__["paces"] = _paces(head, frames)
        if "paths" in arrays:
            candidates.__dict__["paths"] = head.array("paths", "f", (frames, 4))
        graph = MotionGraph(candidates, thresholds, pruned, least)
    graph.is_auto = auto
    return graph


def _paces(head: Record, frames: int) -> np.ndarray:
    """See `Candidates.paces`."""
    paces = head.array("pace", "f", (frames,))
    if len(paces) and paces.min() < 0.0:
        raise MotionError("its pace is below 0")
    return paces


def _used(head: Record, originals: Sequence[Clip], skeletons: Sequence[Skeleton]) -> list[Clip]:
    """The clips on one skeleton that an .mgraph file of version 1 holds."""
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
    known = {content_hash(form): clip for clip in given for form in (clip, clip.packed())}
    found = []
    for one in wanted:
        clip = known.get(one.record.word("hash"))
        if clip is None or (len(clip), clip.first) != (one.frames, one.first):
            other = any(clip.name == one.name for clip in given)
            why = "is not the one the graph was built from" if other else "is not among the clips given"
            raise MotionError(f"{path}: {one.name!r} {why}")
        found.append(clip.described(**one.words(len(clip))))
    return found
