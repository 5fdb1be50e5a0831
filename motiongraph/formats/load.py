"""From files to clips: the only place where a file's record becomes a runtime clip."""

import os
import re
import warnings
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from motiongraph.errors import FormatError, FormatWarning, MotionError, SkeletonError
from motiongraph.files import borrowed_bytes, read_bytes, unreadable
from motiongraph.formats import guess
from motiongraph.formats.amc import first_frame, read_amc
from motiongraph.formats.asf import Asf
from motiongraph.formats.asf_parser import read_asf
from motiongraph.formats.bvh import Bvh, read_bvh
from motiongraph.formats.descriptions import label_of
from motiongraph.formats.gltf_clips import has_animation, read_gltf
from motiongraph.formats.labels_file import NAME as LABELS
from motiongraph.formats.labels_file import labels_beside
from motiongraph.formats.motion import UPRIGHT, AmcMotion, Built, BvhMotion, Source
from motiongraph.formats.rate_check import rate_note
from motiongraph.formats.scanner import Text, quoted
from motiongraph.formats.smpl import holds_motion, read_smpl
from motiongraph.model import kinematics
from motiongraph.model.clip import Clip
from motiongraph.model.labels import Span

GLTF = (".glb", ".gltf", ".vrm", ".vrma")
EXTENSIONS = (".bvh", ".amc", *GLTF, ".npz")
KINDS = ".bvh, .amc, .glb, .gltf, .vrm or .npz"
AMC_RATE = 120.0  # CMU's; an AMC seldom says

_NAME_PARTS = re.compile(r"[^\W\d_]+|\d+|[\W_]+")  # letters, digits, what stands between them


def load(
    path: str | os.PathLike,
    units: str | float = "auto",
    up: str = "auto",
    skeleton: str | os.PathLike | None = None,
    fps: float | None = None,
    animation: str | int | None = None,
) -> Clip:
    """Load a .bvh, .amc, .glb, .gltf, .vrm or .npz (AMASS) file as a Clip: metres, y up.

    units: "auto", one of "m", "dm", "cm", "mm", "inch", "cmu", or metres per unit of the file. up: "auto", or the axis
    of the file that points up: "x", "y", "z", "-x", "-y", "-z". skeleton: the .asf of an .amc; else the one of the
    same name, of the same subject (16.asf for 16_15.amc), or the only one in the folder. fps: overrules the file's
    rate. animation: which motion of a file that holds several (`load_clips` gives them all), by its number or by how
    the clip's name ends. Labels come from a labels.toml beside the file, if any.
    Raises FormatError with file, line and column.
    """
    clips = load_clips(path, units, up, skeleton, fps)
    if animation is None and len(clips) > 1:
        others = ", ".join(clip.name for clip in clips[1:4]) + (", …" if len(clips) > 4 else "")
        said = f"{path}: holds {len(clips)} motions; only {clips[0].name} was loaded, not {others}"
        warnings.warn(said, FormatWarning, stacklevel=2)
    if isinstance(animation, str):
        found = [clip for clip in clips if clip.name.endswith(animation)]
    else:
        found = clips[animation or 0 :][:1]
    if not found:
        there = ", ".join(clip.name for clip in clips)
        raise MotionError(f"{path}: there is no animation {animation!r}; there are {there}")
    return found[0]


def load_clips(
    path: str | os.PathLike,
    units: str | float = "auto",
    up: str = "auto",
    skeleton: str | os.PathLike | None = None,
    fps: float | None = None,
) -> list[Clip]:
    """All clips of a file: a glTF may hold several animations, a BVH several ROOTs; options as for `load`."""
    path = Path(path)
    kind = path.suffix.lower()
    if isinstance(units, str) and units != "auto" and units not in guess.UNITS:
        raise MotionError(f"units must be auto, {', '.join(guess.UNITS)} or metres per unit, not {units!r}")
    if not isinstance(units, str) and not (np.isfinite(units) and units > 0):
        raise MotionError(f"metres per unit must be a positive number, not {units!r}")
    up = str(up).removeprefix("+")
    if up not in ("auto", *guess.UP_AXES):
        raise MotionError(f"the up axis must be auto, x, y, z, -x, -y or -z, not {up!r}")
    if os.path.isdir(path):
        raise FormatError(path, f"is a folder; expected a {KINDS} file")
    if kind == ".bvh":
        with borrowed_bytes(path) as content:
            text = Text(path, content)
            roots, odd = read_bvh(text), tuple(text.warned)
            del text, content
        clips = [_bvh_clip(path, odd, bvh, name, units, up, fps) for name, bvh in zip(_names(path.stem, roots), roots)]
    elif kind == ".amc":
        clips = [_load_amc(path, units, up, skeleton, fps)]
    elif kind in GLTF:
        found = read_gltf(path, None if units == "auto" else _given(units), "y" if up == "auto" else up)
        clips = [replace(clip, fps=_rate(path, fps, clip.fps)) for clip in found]
    elif kind == ".npz":
        found = read_smpl(path, None if units == "auto" else _given(units), "z" if up == "auto" else up)
        clips = [replace(found, fps=_rate(path, fps, found.fps))]
    else:
        raise FormatError(
            path, "an .asf holds no motion; load an .amc" if kind == ".asf" else f"expected a {KINDS} file"
        )
    if fps is None:
        clips = [_doubted(clip, path) for clip in clips]
    try:
        labels, contacts = labels_beside(path)
        if not labels and not (path.parent / LABELS).is_file() and (label := label_of(path)):
            labels = {label: [(0, 1 << 62)]}
    except FormatError as problem:  # words about a motion are not worth losing the motion
        warnings.warn(f"{problem}; {path.name} was loaded without labels", FormatWarning, stacklevel=2)
        labels, contacts = {}, None
    if labels:
        clips = [clip.labelled(labels) for clip in clips]
    return clips if contacts is None else [annotated(clip, contacts, path) for clip in clips]


def _doubted(clip: Clip, path: Path) -> Clip:
    """With a note, and a warning, where its rate looks too high."""
    note = rate_note(clip)
    if clip.source is None or not note:
        return clip
    warnings.warn(f"{path}: {note}", FormatWarning, stacklevel=4)
    return replace(clip, source=replace(clip.source, notes=(*clip.source.notes, note)))


def annotated(clip: Clip, contacts: dict[str, list[Span]], file: Path) -> Clip:
    """With the contacts that a labels.toml gives; what it says of no foot is warned of and left out."""
    ranges = {joint: [(min(a, len(clip)), min(b, len(clip))) for a, b in spans] for joint, spans in contacts.items()}
    try:
        return clip.with_contacts(ranges)
    except MotionError as problem:
        warnings.warn(f"{file}: {problem}; contacts are found in the motion", FormatWarning, stacklevel=3)
        return clip


def may_hold_motion(file: Path) -> bool:
    """Whether a file found in a folder is motion: by its name, or, where such files need not hold any, by a look."""
    kind = file.suffix.lower()
    if kind not in EXTENSIONS or not os.path.isfile(file):
        return False
    return holds_motion(file) if kind == ".npz" else kind not in GLTF or has_animation(file)


def _names(stem: str, roots: list[Bvh]) -> list[str]:
    """What the clips of a BVH are called: as the file, with the name of the ROOT where there are several."""
    if len(roots) == 1:
        return [stem]
    names: list[str] = []
    for root in roots:
        name = unique = f"{stem}_{root.hierarchy.names[0]}"
        number = 2
        while unique in names:
            unique, number = f"{name}_{number}", number + 1
        names.append(unique)
    return names


def _bvh_clip(
    path: Path, odd: tuple[str, ...], bvh: Bvh, name: str, units: str | float, up: str, fps: float | None
) -> Clip:
    motion = BvhMotion.of(bvh.hierarchy, bvh.values)
    unit = None if units == "auto" else _given(units)
    axis, unit, (skeleton, root, rotations, sliding) = _upright(motion, bvh.values, up, unit)
    turns = motion.channels.turns[motion.folded + 1 :]
    opening = kinematics.positions(skeleton, root[:64], rotations[:64], None if sliding is None else sliding[:64])
    added = guess.opens_with_t_pose(bvh.values, turns[turns >= 0], rotations[0, 0]) or guess.opens_with_a_jump(opening)
    rate = guess.frame_rate(bvh.frame_time)
    still = [f"root {quoted(name)} stands still and was left out" for name in bvh.hierarchy.names[: motion.folded]]
    notes = (*odd, *still)
    return Clip(
        skeleton,
        root,
        rotations,
        fps=_rate(path, fps, rate),
        name=name,
        first=int(added),
        offsets=sliding,
        file=str(path),
        source=Source(
            path=str(path),
            format="bvh",
            scale=unit.metres,
            unit=unit.name,
            unit_from="guess" if units == "auto" else "given",
            up=axis,
            up_from="guess" if up == "auto" else "given",
            stature=guess.stature(skeleton),
            motion=motion,
            values=bvh.values,
            fps=rate,
            timing=bvh.frame_time,
            notes=notes,
        ),
    )


def _load_amc(path: Path, units: str | float, up: str, skeleton: str | os.PathLike | None, fps: float | None) -> Clip:
    with borrowed_bytes(path) as content:
        text = Text(path, content)
        asf_path = find_asf(path, text) if skeleton is None else Path(skeleton)
        asf, oddities = read_skeleton(asf_path)
        amc, asf = read_amc(text, asf, str(asf_path))
        odd = tuple(text.warned)
        del text, content
    motion = AmcMotion.of(asf, amc)
    unit = guess.Unit(f"{asf.length_unit:g} per inch", asf.metres) if units == "auto" else _given(units)
    axis, unit, (body, root, rotations, sliding) = _upright(motion, amc.values, up, unit)
    rate, notes = amc.rate or AMC_RATE, (*oddities, *odd)
    return Clip(
        body,
        root,
        rotations,
        fps=_rate(path, fps, rate),
        name=path.stem,
        offsets=sliding,
        file=str(path),
        source=Source(
            path=str(path),
            format="amc",
            scale=unit.metres,
            unit=unit.name,
            unit_from="file" if units == "auto" else "given",
            up=axis,
            up_from="guess" if up == "auto" else "given",
            stature=guess.stature(body),
            motion=motion,
            values=amc.values,
            fps=rate,
            timing=amc.number,
            notes=notes,
            skeleton=str(asf_path),
            skeleton_from="name" if skeleton is None else "given",
        ),
    )


def _upright(
    motion: BvhMotion | AmcMotion, values: np.ndarray, up: str, unit: guess.Unit | None
) -> tuple[str, guess.Unit, Built]:
    """The axis that points up in a file, its unit, and the arrays of its clip; "auto" and None are guessed."""
    axis = "y" if up == "auto" else up
    turned, some = motion.turned(values, UPRIGHT[axis]), guess.sampled(len(values))
    built = None
    if unit is None:
        few = motion.build(values[some], UPRIGHT[axis], 1.0, turned[some])
        unit = guess.unit_of(few[0])
    else:
        built = motion.build(values, UPRIGHT[axis], unit.metres, turned)
        skeleton, root, rotations, sliding = built
        few = skeleton, root[some], rotations[some], None if sliding is None else sliding[some]
    if up == "auto":
        axis = guess.up_axis(few[0], kinematics.positions(*few))
        if axis != "y":
            built, turned = None, motion.turned(values, UPRIGHT[axis])
    return axis, unit, built or motion.build(values, UPRIGHT[axis], unit.metres, turned)


def _given(units: str | float) -> guess.Unit:
    if isinstance(units, str):
        return guess.Unit(units, guess.UNITS[units])
    return guess.Unit(f"{units:g} m", float(units))


def _rate(path: Path, asked: float | None, found: float) -> float:
    if asked is None:
        return found
    if not (np.isfinite(asked) and asked > 0):
        raise MotionError(f"{path}: the frame rate must be a positive number, not {asked!r}")
    return float(asked)


def find_asf(path: str | os.PathLike, text: Text | None = None) -> Path:
    """The skeleton of an AMC: 16_15.asf, or 16.asf, or the one whose name agrees longest with its own.

    A skeleton without the bones of its first frame is passed over as long as another has them; and where names do not
    decide, bones do. text: the file's, where it was read already.
    """
    path = Path(path)
    folder = os.path.dirname(os.path.abspath(path))
    try:  # by names: a path for each of thousands of files takes longer than to read one
        names = sorted(name for name in os.listdir(folder) if name[-4:].lower() == ".asf" and len(name) > 4)
        beside = [Path(folder, name) for name in names]
    except OSError as problem:
        raise unreadable(path.parent, problem) from problem
    subject = path.stem.partition("_")[0]
    if not beside:
        raise SkeletonError(
            path, f"expected its skeleton {subject}.asf, or a single .asf, in the same folder; there is none"
        )
    if len(beside) == 1:
        return beside[0]
    bones = first_frame(text or Text(path))
    ranked = sorted(beside, key=lambda file: _likeness(path.stem, file.stem), reverse=True)
    fitting = [file for file in ranked if _fits(file, bones)] or ranked
    best = [file for file in fitting if _likeness(path.stem, file.stem) == _likeness(path.stem, fitting[0].stem)]
    if len(best) > 1:
        there = f"there are {len(beside)}: {', '.join(file.name for file in beside[:5])}"
        raise SkeletonError(path, f"expected its skeleton {subject}.asf, or a single .asf, in the same folder; {there}")
    return best[0]


def _likeness(motion: str, skeleton: str) -> tuple[int, bool, int]:
    """How far two names agree: letters in whole words and numbers, so that 16_15 is not like 161; whether the
    skeleton's name has nothing else; and letters at all."""
    words, other = (_NAME_PARTS.findall(name.lower()) for name in (motion, skeleton))
    whole, letters = _agreeing(words, other), _agreeing(motion.lower(), skeleton.lower())
    return sum(len(word) for word in words[:whole] if word.isalnum()), whole == len(other), letters


def _agreeing(a: Sequence[str], b: Sequence[str]) -> int:
    """How many items two sequences begin with alike."""
    return next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))


def _fits(file: Path, bones: dict[str, int]) -> bool:
    """Whether a skeleton has these bones, with as many degrees of freedom as each has numbers; one that cannot be read
    may have, and says itself what is wrong with it."""
    try:
        asf, _ = read_skeleton(file)
    except FormatError:
        return True
    freedoms = {name.lower(): len(dof) for name, dof in zip(asf.names, asf.dofs)}
    return all(freedoms.get(name) in (0, count) for name, count in bones.items())


def check_capture(part: Path, path: Path) -> None:
    """Read what is to become the .asf or .amc of that path; a FormatError says what is wrong with it."""
    text = Text(path, read_bytes(part))
    if path.suffix.lower() == ".asf":
        read_asf(text)
    else:
        skeleton = find_asf(path, text)
        read_amc(text, read_skeleton(skeleton)[0], str(skeleton))


def read_skeleton(path: str | os.PathLike) -> tuple[Asf, tuple[str, ...]]:
    """An ASF and what was odd about it, parsed once for all the AMC files of its subject, until the file changes."""
    try:
        status = os.stat(path)
    except (OSError, ValueError) as problem:
        raise unreadable(path, problem) from problem
    return _read(str(path), (status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size))


@lru_cache(maxsize=64)
def _read(path: str, stamp: tuple[int, ...]) -> tuple[Asf, tuple[str, ...]]:
    text = Text(path)
    return read_asf(text), tuple(text.warned)
