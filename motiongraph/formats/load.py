"""From files to clips: the only place where a file's record becomes a runtime clip."""

import os
import warnings
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from motiongraph.errors import FormatError, FormatWarning, MotionError
from motiongraph.formats import guess
from motiongraph.formats.amc import first_frame, read_amc
from motiongraph.formats.amc_skeleton import find_asf, read_skeleton
from motiongraph.formats.bvh import read_bvh
from motiongraph.formats.gltf_clips import has_animation, read_gltf
from motiongraph.formats.labels_file import labels_beside
from motiongraph.formats.motion import AmcMotion, BvhMotion
from motiongraph.formats.scanner import Text, quoted
from motiongraph.formats.smpl import holds_motion, read_smpl
from motiongraph.formats.source import UPRIGHT, Source
from motiongraph.model import kinematics
from motiongraph.model.clip import Clip
from motiongraph.model.skeleton import Skeleton
from motiongraph.progress import SILENT, Progress

Paths = str | os.PathLike | Iterable[str | os.PathLike]

GLTF = (".glb", ".gltf", ".vrm", ".vrma")
EXTENSIONS = (".bvh", ".amc", *GLTF, ".npz")
_KINDS = ".bvh, .amc, .glb, .gltf, .vrm or .npz"
AMC_RATE = 120.0  # CMU's; an AMC seldom says


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
    rate. animation: which one of a file that holds several (`load_clips` gives them all), by its number or by how the
    clip's name ends. Labels come from a labels.toml beside the file, if any.
    Raises FormatError with file, line and column.
    """
    clips = load_clips(path, units, up, skeleton, fps)
    if animation is None and len(clips) > 1:
        others = ", ".join(clip.name for clip in clips[1:4]) + (", …" if len(clips) > 4 else "")
        said = f"{path}: holds {len(clips)} animations; only {clips[0].name} was loaded, not {others}"
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
    """All clips of a file: several where a glTF holds several animations; options as for `load`."""
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
        raise FormatError(path, f"is a folder; expected a {_KINDS} file")
    if kind == ".bvh":
        clips = [_load_bvh(path, units, up, fps)]
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
            path, "an .asf holds no motion; load an .amc" if kind == ".asf" else f"expected a {_KINDS} file"
        )
    try:
        labels = labels_beside(path)
    except FormatError as problem:  # words about a motion are not worth losing the motion
        warnings.warn(f"{problem}; {path.name} was loaded without labels", FormatWarning, stacklevel=2)
        labels = None
    return [clip.labelled(labels) for clip in clips] if labels else clips


def load_all(
    paths: Paths,
    progress: Progress = SILENT,
    on_error: Callable[[Path, MotionError], None] | None = None,
    **options: Any,
) -> list[Clip]:
    """Load all clips of many files and folders (searched for motion) side by side, in order; options as for `load`.

    on_error(path, error) is called for a file that fails, which is then left out; without it the error is raised.
    """
    files = find_files(paths)
    loaded = load_each(files, progress, on_error, **options)
    return [clip for file in files for clip in loaded.get(file, ())]


def load_each(
    files: list[Path],
    progress: Progress = SILENT,
    on_error: Callable[[Path, MotionError], None] | None = None,
    **options: Any,
) -> dict[Path, list[Clip]]:
    """The clips of every file, loaded side by side; those that fail are left out, as for `load_all`."""

    def attempt(file: Path) -> list[Clip] | MotionError:
        try:
            return load_clips(file, **options)
        except MotionError as error:
            return error

    clips: dict[Path, list[Clip]] = {}
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        jobs = [pool.submit(attempt, file) for file in files]
        try:
            for done, (file, job) in enumerate(zip(files, jobs)):
                progress(done, len(files), file.name)
                outcome = job.result()
                if isinstance(outcome, list):
                    clips[file] = outcome
                elif on_error is None:
                    raise outcome
                else:
                    on_error(file, outcome)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    progress(len(files), len(files), "")
    return clips


def find_files(paths: Paths) -> list[Path]:
    """The motion files among files and folders; folders are searched to the bottom, each in order of names.

    Of files in folders that need hold no motion, such as glTF, those that do are taken.
    """
    if isinstance(paths, str | os.PathLike):
        paths = [paths]
    found: list[Path] = []
    for path in map(Path, paths):
        if os.path.isdir(path):
            inside = sorted(f for f in path.rglob("*") if f.suffix.lower() in EXTENSIONS and f.is_file())
            inside = [file for file in inside if _may_hold_motion(file)]
            if not inside:
                raise FormatError(path, f"this folder holds no {_KINDS} file with motion")
            found += inside
        else:
            found.append(path)
    return found


def _may_hold_motion(file: Path) -> bool:
    kind = file.suffix.lower()
    return holds_motion(file) if kind == ".npz" else kind not in GLTF or has_animation(file)


def _load_bvh(path, units, up, fps) -> Clip:
    text = Text(path)
    bvh = read_bvh(text)
    motion = BvhMotion.of(bvh.hierarchy, bvh.values)
    axis, body = _standing(motion, bvh.values, up)
    unit = guess.unit_of(body) if units == "auto" else _given(units)
    skeleton, root, rotations, sliding = motion.build(bvh.values, UPRIGHT[axis], unit.metres)
    turns = motion.channels.turns[motion.folded + 1 :]
    opening = kinematics.positions(skeleton, root[:64], rotations[:64], None if sliding is None else sliding[:64])
    added = guess.opens_with_t_pose(bvh.values, turns[turns >= 0], rotations[0, 0]) or guess.opens_with_a_jump(opening)
    rate = guess.frame_rate(bvh.frame_time)
    still = [f"root {quoted(name)} stands still and was left out" for name in bvh.hierarchy.names[: motion.folded]]
    notes = (*text.warned, *still)
    return Clip(
        skeleton,
        root,
        rotations,
        fps=_rate(path, fps, rate),
        name=path.stem,
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


def _load_amc(path, units, up, skeleton, fps) -> Clip:
    text = Text(path)
    asf_path = find_asf(path, first_frame(text)) if skeleton is None else Path(skeleton)
    asf, oddities = read_skeleton(asf_path)
    amc, asf = read_amc(text, asf, str(asf_path))
    motion = AmcMotion.of(asf, amc)
    axis, _ = _standing(motion, amc.values, up)
    unit = guess.Unit(f"{asf.length_unit:g} per inch", asf.metres) if units == "auto" else _given(units)
    body, root, rotations, sliding = motion.build(amc.values, UPRIGHT[axis], unit.metres)
    rate, notes = amc.rate or AMC_RATE, (*oddities, *text.warned)
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
        ),
    )


def _standing(motion: BvhMotion | AmcMotion, values: np.ndarray, up: str) -> tuple[str, Skeleton]:
    """The axis that points up in a file, given or guessed from some of its poses, and its skeleton as written."""
    chosen = values[guess.sampled(len(values))]
    skeleton, root, rotations, sliding = motion.build(chosen, UPRIGHT["y"], 1.0)
    if up != "auto":
        return up, skeleton
    return guess.up_axis(skeleton, kinematics.positions(skeleton, root, rotations, sliding)), skeleton


def _given(units: str | float) -> guess.Unit:
    if isinstance(units, str):
        return guess.Unit(units, guess.UNITS[units])
    return guess.Unit(f"{units:g} m", float(units))


def _rate(path, asked, found) -> float:
    if asked is None:
        return found
    if not (np.isfinite(asked) and asked > 0):
        raise MotionError(f"{path}: the frame rate must be a positive number, not {asked!r}")
    return float(asked)
