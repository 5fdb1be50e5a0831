"""What graphs and projects store of skeletons, clips and transitions: how it is written, and checked on its way back.

Everything a file says is checked before it is allocated or reaches a kernel: kinds, limits, every index against what
it points into. What is not as it should be is a MotionError with a sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from functools import partial
from typing import Any

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.formats.record import Record, checked_number, checked_rows, checked_whole, checked_word, shown
from motiongraph.graph.candidates import Candidates, LeftOut
from motiongraph.graph.rules import Rules
from motiongraph.graph.structure import TRANSITION
from motiongraph.graph.thresholds import Thresholds
from motiongraph.metric.levels import LEVELS
from motiongraph.metric.metric import Metric
from motiongraph.metric.pruned import Kept
from motiongraph.model.clip import Clip
from motiongraph.model.labels import Labels
from motiongraph.model.poses import Later, Packed
from motiongraph.model.skeleton import Skeleton

_MOST_FRAMES = 2**31 - 1
_MOST_JOINTS = 10_000
_RATES = 1e-38, 1e9  # frames a second; of text files the same
_UNIT = 1e-3  # how far a stored rotation may be from one


def skeleton_to_plain(skeleton: Skeleton) -> dict[str, Any]:
    return {"names": skeleton.names, "parents": skeleton.parents.tolist(), "offsets": skeleton.offsets.tolist()}


def checked_skeleton(saved: Record) -> Skeleton:
    names = saved.words("names")
    if len(names) > _MOST_JOINTS:
        raise MotionError(f"a skeleton has {len(names):,} joints; {_MOST_JOINTS:,} are the most that make sense")
    parents = [checked_whole(parent, "a parent", -1, len(names) - 1) for parent in saved.rows("parents")]
    offsets = [[checked_number(x, "an offset") for x in row] for row in saved.rows("offsets", 3)]
    return Skeleton(names, np.array(parents, np.int64), np.array(offsets, np.float64).reshape(-1, 3))


def clip_to_plain(clip: Clip, skeletons: dict[Skeleton, int]) -> dict[str, Any]:
    """What a clip is besides its arrays; skeletons: those met so far, by number."""
    return {
        "name": clip.name,
        "skeleton": skeletons.setdefault(clip.skeleton, len(skeletons)),
        "frames": len(clip),
        "fps": clip.fps,
        "first": clip.first,
        "labels": clip.labels.spans(),
        "contacts": clip.planted and clip.planted.spans(),
    }


def packed_arrays(clip: Clip) -> dict[str, np.ndarray]:
    """The arrays of a clip as graphs hold it, by name."""
    poses = clip.packed().poses
    if poses is None:
        return clip_arrays(clip)
    arrays = {"root": poses.root, "turns": poses.turns, "moving": poses.moving, "still": poses.still}
    return arrays | ({} if clip.file_frames is None else {"file_frames": clip.file_frames})


def clip_arrays(clip: Clip) -> dict[str, np.ndarray]:
    """The arrays of a clip, by name."""
    arrays = {"root": clip.root, "rotations": clip.rotations, "offsets": clip.offsets, "file_frames": clip.file_frames}
    return {name: array for name, array in arrays.items() if array is not None}


@dataclass(frozen=True, eq=False)
class StoredClip:
    """What a file says of a clip, checked."""

    record: Record
    name: str
    skeleton: Skeleton
    frames: int  # what it says: only its arrays, or the file it names, tell
    fps: float
    first: int
    labels: dict[str, list[tuple[int, int]]]  # word → start and stop of each stretch
    contacts: dict[str, list[tuple[int, int]]] | None  # of feet likewise, where they were given
    file: str | None  # the path of the file it was read from; only information

    @classmethod
    def of(cls, saved: Record, skeletons: Sequence[Skeleton], file: str) -> StoredClip:
        """file: the key of the path."""
        frames = saved.whole("frames", 1, _MOST_FRAMES)
        given = "contacts" in saved and saved.has("contacts")
        return cls(
            saved,
            saved.word("name"),
            skeletons[saved.whole("skeleton", 0, len(skeletons) - 1)],
            frames,
            saved.number("fps", *_RATES),
            saved.whole("first", 0, frames - 1),
            _stretches(saved, "labels", frames),
            _stretches(saved, "contacts", frames) if given else None,
            saved.word(file) if file in saved and saved.has(file) else None,
        )

    def has_arrays(self, prefix: str) -> bool:
        return f"{prefix}/root" in self.record.arrays

    def clip(self, prefix: str) -> Clip:
        """With the arrays of this prefix; packed ones are read when they are asked for."""
        shape = self.frames, len(self.skeleton)
        if f"{prefix}/turns" in self.record.arrays:
            read = partial(self._poses, prefix)
            about = {"fps": self.fps, "first": self.first, "file": self.file} | self.words(self.frames)
            if f"{prefix}/file_frames" in self.record.arrays:
                about["file_frames"] = self.record.array(f"{prefix}/file_frames", "f", (self.frames,))
            if isinstance(self.record.arrays, dict):
                poses = read()
                return Clip.of_later(Later.of(poses), self.skeleton, **about)
            return Clip.of_later(Later.of(read), self.skeleton, **about)
        root = self.record.array(f"{prefix}/root", "f", (self.frames, 3))
        rotations = self.record.array(f"{prefix}/rotations", "f", (*shape, 4))
        if not (np.abs(np.einsum("fjk,fjk->fj", rotations, rotations) - 1.0) < _UNIT).all():
            raise MotionError(f"rotations of {self.record.name} are none")
        forms = {"offsets": (*shape, 3), "file_frames": (self.frames,)}
        offsets, file_frames = (
            self.record.array(f"{prefix}/{name}", "f", form) if f"{prefix}/{name}" in self.record.arrays else None
            for name, form in forms.items()
        )
        return Clip(
            self.skeleton, root, rotations, self.fps, first=self.first, offsets=offsets,
            file=self.file, file_frames=file_frames, **self.words(self.frames),
        )  # fmt: skip

    def _poses(self, prefix: str) -> Packed:
        moving = self.record.array(f"{prefix}/moving", "i", (None,))
        if len(moving) and (moving[0] < 0 or moving[-1] >= len(self.skeleton) or (np.diff(moving) <= 0).any()):
            raise MotionError(f"{self.record.name} moves joints that it does not have")
        forms = {"root": (self.frames, 3), "turns": (self.frames, len(moving), 3), "still": (len(self.skeleton), 3)}
        arrays = {name: self.record.array(f"{prefix}/{name}", "f", form) for name, form in forms.items()}
        return Packed(moving=moving, **arrays)

    def labels_of(self, frames: int) -> Labels:
        """frames: of the clip as it was found."""
        if frames != self.frames:
            raise MotionError(f"{self.record.name} has {frames} frames, not {self.frames}")
        return Labels.of(frames, self.labels)

    def words(self, frames: int) -> dict[str, Any]:
        """What was said of a clip, as it was found with so many frames: name, labels and contacts."""
        planted = None if self.contacts is None else Labels.of(frames, self.contacts)
        return {"name": self.name, "labels": self.labels_of(frames), "planted": planted}


def _stretches(saved: Record, key: str, frames: int) -> dict[str, list[tuple[int, int]]]:
    """Word → start and stop of each stretch."""
    found: dict[str, list[tuple[int, int]]] = {}
    for word, start, stop in saved.rows(key, 3):
        start = checked_whole(start, "the start of a stretch", 0, frames)
        stretch = start, checked_whole(stop, "the end of a stretch", start, frames)
        found.setdefault(checked_word(word, "a word"), []).append(stretch)
    return found


def metric_to_plain(metric: Metric | None) -> dict[str, Any] | None:
    return metric and {f.name: getattr(metric, f.name) for f in fields(metric)}


def checked_metric(value: Any) -> Metric:
    """A metric from its fields, of which the missing ones are as usual."""
    saved, found = Record(value, "the metric"), dict[str, Any]()
    for name, value in saved.values.items():
        if name == "window" or (name == "search_fps" and value is not None):
            found[name] = saved.number(name)
        elif name in ("samples_per_bone", "order"):
            found[name] = saved.whole(name, 0, 2**31)
        elif name == "joint_weights" and isinstance(value, dict):
            found[name] = {joint: checked_number(weight, "a joint's weight") for joint, weight in value.items()}
        elif name == "shares" and isinstance(value, dict):
            found[name] = {kind: checked_number(share, "a share") for kind, share in value.items()}
        elif name == "mesh" and isinstance(value, list):
            rows = checked_rows(value, "mesh", 4)
            found[name] = tuple(tuple(checked_number(x, "a point of the mesh") for x in row) for row in rows)
        elif name == "taper" and isinstance(value, list):
            found[name] = [checked_number(weight, "a frame's weight") for weight in value]
        elif name in ("search_fps", "joint_weights", "taper", "shares", "mesh") and value is None:
            found[name] = None
        elif name in Metric.__dataclass_fields__:
            found[name] = saved.word(name)
        else:
            raise MotionError(f"a metric has no {shown(name)}")
    return Metric(**found)


def checked_thresholds(saved: Record) -> Thresholds:
    def number(value: Any) -> float:
        return np.inf if value is None else checked_number(value, "a threshold", 0.0)

    pairs = [
        ((checked_word(a, "a label"), checked_word(b, "a label")), number(value))
        for a, b, value in saved.rows("pairs", 3)
    ]
    return Thresholds(
        number(saved.get("within")),
        number(saved.get("between")),
        tuple(pairs),
        "paced" in saved and saved.flag("paced"),
    )


def graph_to_plain(c: Candidates) -> dict[str, Any]:
    """What a graph is besides its clips, its table and how it is seen."""
    return {
        "metric": metric_to_plain(c.metric),
        "ceiling": c.ceiling if np.isfinite(c.ceiling) else None,
        "radius": c.radius,
        "mirror": c.mirror,
        "left_out": list(c.left_out),
        "bones": dict(c.bones),
        "rules": asdict(c.rules),
        "per_window": c.per_window,
        "looked": [c.looked.pairs, *c.looked.levels, c.looked.compared],
    }


def checked_bones(saved: Record) -> dict[str, str]:
    """Corrections of bone maps; older files have none."""
    bones = saved.record("bones") if "bones" in saved else None
    return {joint: bones.word(joint) for joint in bones.values} if bones else {}


def checked_rules(saved: Record) -> Rules:
    """Which pairs of windows became transitions; older files have the usual rules."""
    if "rules" not in saved:
        return Rules()
    rules = saved.record("rules")
    return Rules(**{f.name: rules.flag(f.name) for f in fields(Rules) if f.name in rules})


@dataclass(frozen=True, eq=False)
class StoredGraph:
    """What a file says of a graph, checked."""

    record: Record
    metric: Metric
    ceiling: float
    radius: float
    mirror: bool
    left_out: tuple[LeftOut, ...]
    bones: dict[str, str]
    rules: Rules
    per_window: int
    looked: Kept

    @classmethod
    def of(cls, saved: Record) -> StoredGraph:
        left_out = []
        for one in saved.rows("left_out"):  # older files have only names
            one = [one, "it is shorter than a transition"] if isinstance(one, str) else one
            ((clip, reason),) = checked_rows([one], "left_out", 2)
            left_out.append(LeftOut(checked_word(clip, "left_out"), checked_word(reason, "left_out")))
        ceiling = saved.number("ceiling", 0.0) if saved.has("ceiling") else np.inf
        metric = checked_metric(saved.get("metric"))
        limits = saved.number("radius"), saved.flag("mirror"), tuple(left_out), checked_bones(saved)
        # Older files say nothing of these.
        per_window = saved.whole("per_window", 0, 2**31) if "per_window" in saved else 0
        looked = saved.rows("looked") if "looked" in saved else []
        counts = [checked_whole(n, "looked", 0, 2**62) for n in looked]
        kept = Kept(counts[0], counts[1:-1], counts[-1]) if len(counts) == len(LEVELS) + 2 else Kept()
        return cls(saved, metric, ceiling, *limits, checked_rules(saved), per_window, kept)

    def candidates(
        self, originals: Sequence[Clip], used: Sequence[Clip], table: np.ndarray | Callable[[], np.ndarray]
    ) -> Candidates:
        """Of these clips, used: on one skeleton, and of a table that was checked, or is when it is asked for."""
        each = 2 if self.mirror else 1
        fits = len(used) == each * len(originals) and all(
            (len(clip), clip.first) == (len(originals[i // each]), originals[i // each].first)
            and (clip.fps, clip.skeleton) == (used[0].fps, used[0].skeleton)
            for i, clip in enumerate(used)
        )
        if not fits:
            raise MotionError("its clips do not fit each other")
        rest = self.ceiling, self.radius, self.mirror, self.left_out, self.bones, self.rules
        rest = *rest, self.per_window, self.looked
        given = table if isinstance(table, np.ndarray) else np.empty(0, TRANSITION)
        candidates = Candidates(tuple(originals), tuple(used), self.metric, given, *rest)
        if not isinstance(table, np.ndarray):
            candidates.__dict__.pop("table")
            candidates.__dict__["later"] = table
        return candidates

    def table(self, key: str, clips: Sequence[StoredClip]) -> np.ndarray:
        """(T,) rows of TRANSITION, in order, between these originals of the graph or their mirror images."""
        window, each = self.metric.frames(clips[0].fps), 2 if self.mirror else 1
        if any(clip.frames - clip.first < window for clip in clips):
            raise MotionError("it has clips that are shorter than a transition")
        clips = [clip for clip in clips for _ in range(each)]
        table = transitions_between(self.record, key, clips, window)
        here, there = (table[end].astype(np.int64) << 32 | table[f"{end}_frame"] for end in ("src", "dst"))
        later = (here[1:] > here[:-1]) | (here[1:] == here[:-1]) & (there[1:] >= there[:-1])
        if not later.all():
            raise MotionError(f"{key} is not in order")
        return table


def transitions_between(saved: Record, key: str, clips: Sequence[StoredClip], window: int) -> np.ndarray:
    """(T,) rows of TRANSITION that lead from clips to clips and leave something to go on with."""
    table = saved.table(key, TRANSITION)
    first = np.array([clip.first for clip in clips], np.int64)
    last = np.array([clip.frames for clip in clips], np.int64) - window
    for end, spare in (("src", 0), ("dst", 1)):
        clip, at = table[end], table[f"{end}_frame"]
        inside = (clip >= 0) & (clip < len(clips))
        if not inside.all() or not ((at >= first[clip]) & (at <= last[clip] - spare)).all():
            raise MotionError(f"{key} has transitions that lead out of the clips")
    if not (table["cost"] >= 0.0).all():
        raise MotionError(f"{key} has costs below 0")
    return table
