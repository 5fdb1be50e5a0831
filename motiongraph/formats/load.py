"""From files to clips: the only place where a file's record becomes a runtime clip."""

import os
import warnings
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path

import numpy as np

from motiongraph import rotations as rot
from motiongraph.errors import FormatError, FormatWarning, MotionError
from motiongraph.formats import guess
from motiongraph.formats.amc import read_amc
from motiongraph.formats.asf import Asf, read_asf
from motiongraph.formats.bvh import read_bvh
from motiongraph.formats.scanner import Text
from motiongraph.formats.source import UPRIGHT, Source
from motiongraph.model import kinematics
from motiongraph.model.clip import Clip
from motiongraph.model.skeleton import Skeleton
from motiongraph.progress import SILENT

EXTENSIONS = (".bvh", ".amc")
AMC_RATE = 120.0  # CMU's; an AMC seldom says
_SAMPLED = 64  # poses looked at to guess unit and up axis


def load(path, units="auto", up="auto", skeleton=None, fps=None) -> Clip:
    """Load a .bvh or .amc file as a Clip: metres, y up.

    units: "auto", one of "m", "cm", "mm", "inch", "cmu", or metres per unit of the file. up: "auto", "y", "z".
    skeleton: the .asf of an .amc; else the one of the same name, of the same subject (16.asf for 16_15.amc), or the
    only one in the folder. fps: overrules the file's rate. Raises FormatError with file, line and column.
    """
    path = Path(path)
    kind = path.suffix.lower()
    if isinstance(units, str) and units != "auto" and units not in guess.UNITS:
        raise MotionError(f"units must be auto, {', '.join(guess.UNITS)} or metres per unit, not {units!r}")
    if not isinstance(units, str) and not (np.isfinite(units) and units > 0):
        raise MotionError(f"metres per unit must be a positive number, not {units!r}")
    if up not in ("auto", "y", "z"):
        raise MotionError(f"the up axis must be auto, y or z, not {up!r}")
    if path.is_dir():
        raise FormatError(path, "is a folder; expected a .bvh or .amc file")
    if kind == ".bvh":
        return _load_bvh(path, units, up, fps)
    if kind == ".amc":
        return _load_amc(path, units, up, skeleton, fps)
    known = "an .asf holds no motion; load an .amc" if kind == ".asf" else "expected a .bvh or .amc file"
    raise FormatError(path, known)


def load_all(paths, progress=SILENT, on_error=None, **options) -> list[Clip]:
    """Load many files and folders (searched for .bvh and .amc) side by side, in order; options as for `load`.

    on_error(path, error) is called for a file that fails, which is then left out; without it the error is raised.
    """
    files = find_files(paths)

    def attempt(file):
        try:
            return load(file, **options)
        except MotionError as error:
            return error

    clips: list[Clip] = []
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        jobs = [pool.submit(attempt, file) for file in files]
        try:
            for done, (file, job) in enumerate(zip(files, jobs)):
                progress(done, len(files), file.name)
                outcome = job.result()
                if isinstance(outcome, Clip):
                    clips.append(outcome)
                elif on_error is None:
                    raise outcome
                else:
                    on_error(file, outcome)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    progress(len(files), len(files), "")
    return clips


def find_files(paths) -> list[Path]:
    """The motion files among files and folders; folders are searched to the bottom, each in order of names."""
    if isinstance(paths, str | os.PathLike):
        paths = [paths]
    found: list[Path] = []
    for path in map(Path, paths):
        if path.is_dir():
            inside = sorted(f for f in path.rglob("*") if f.suffix.lower() in EXTENSIONS and f.is_file())
            if not inside:
                raise FormatError(path, "this folder holds no .bvh or .amc file")
            found += inside
        else:
            found.append(path)
    return found


def _load_bvh(path, units, up, fps) -> Clip:
    text = Text(path)
    bvh = read_bvh(text)
    record, channels, values = bvh.hierarchy, bvh.hierarchy.layout(), bvh.values
    parents, offsets = record.parents, record.offsets
    folded = _joints_above_the_mover(record, channels, values)
    sample = values[np.unique(np.linspace(0, len(values) - 1, _SAMPLED).astype(int))]

    def build(values, basis, scale):
        """Root (F, 3), rotations (F, J, 4), fixed offsets (J, 3), sliding offsets (F, J, 3) or None."""
        rotations = channels.rotations(values, basis)
        root = rot.rotate(basis, channels.positions(values, folded, offsets[folded]) * scale)
        fixed = rot.rotate(basis, offsets * scale)
        sliding = None
        for j in np.flatnonzero((channels.places >= 0).any(axis=1)):
            if j > folded:
                place = rot.rotate(basis, channels.positions(values, j, offsets[j]) * scale)
                if np.ptp(place, axis=0).max() <= 1e-7:
                    fixed[j] = place[0]
                else:
                    sliding = np.tile(fixed, (len(values), 1, 1)) if sliding is None else sliding
                    sliding[:, j] = place
        for j in range(folded - 1, -1, -1):  # what stands still above the mover is part of where it moves
            place = rot.rotate(basis, channels.positions(values[:1], j, offsets[j]) * scale)
            root = place + rot.rotate(rotations[0, j], root)
            rotations[:, folded] = rot.multiply(rotations[0, j], rotations[:, folded])
        if sliding is not None:
            sliding = np.where(np.ptp(sliding, axis=0).max(axis=1)[:, None] <= 1e-7, fixed, sliding)[:, folded:]
        fixed = fixed[folded:].copy()
        fixed[0] = 0.0
        return root, rotations[:, folded:], fixed, sliding

    names, parents = record.names[folded:], parents[folded:] - folded
    parents[0] = -1

    def posed(basis):
        """Sampled poses (n, J, 3) and the skeleton, in file units."""
        root, rotations, fixed, sliding = build(sample, basis, 1.0)
        body = Skeleton(names, parents, fixed)
        return kinematics.positions(body, root, rotations, sliding), body

    poses, body = posed(rot.IDENTITY)
    axis = guess.up_axis(body.rest, poses) if up == "auto" else up
    if axis != "y":
        poses, body = posed(UPRIGHT[axis])
    scale, unit = _scale(units, guess.stature(poses, body))

    root, rotations, fixed, sliding = build(values, UPRIGHT[axis], scale)
    turns = channels.turns[channels.turns >= 0]
    root_turns = channels.turns[folded][channels.turns[folded] >= 0]
    rate = guess.frame_rate(bvh.frame_time)
    notes = (*text.warned, *([] if not folded else [f"root {record.names[0]!r} stands still and was left out"]))
    source = Source(
        str(path), "bvh", scale, unit, axis, record, values, rate, bvh.frame_time, notes, folded, values[0].copy()
    )
    return Clip(
        Skeleton(names, parents, fixed),
        root,
        rotations,
        fps=_rate(path, fps, rate),
        name=path.stem,
        first=int(guess.opens_with_t_pose(values, turns, root_turns)),
        offsets=sliding,
        source=source,
    )


def _joints_above_the_mover(record, channels, values) -> int:
    """How many joints at the top stand still above the one joint that carries the motion (Bandai-Namco's files)."""
    above = 0
    while True:
        children = np.flatnonzero(record.parents == above)
        if len(children) != 1 or (channels.places[children[0]] < 0).any():
            return above
        columns = np.concatenate([channels.turns[above], channels.places[above]])
        own = values[:, columns[columns >= 0]]
        below = values[:, channels.places[children[0]]]
        still = not own.size or not np.ptp(own, axis=0).any()
        moves = np.ptp(below, axis=0).any() if len(values) > 1 else (below[0] != record.offsets[children[0]]).any()
        if not (still and moves):
            return above
        above += 1


def _load_amc(path, units, up, skeleton, fps) -> Clip:
    text = Text(path)
    asf_path = find_asf(path) if skeleton is None else Path(skeleton)
    asf = _skeleton_record(str(asf_path), _stamp(asf_path))
    amc = read_amc(text, asf, str(asf_path))
    channels, values = asf.layout(amc.degrees), amc.values
    rest_names, rest_parents, rest_offsets = joints_of(asf)
    joints, bones = len(rest_names), len(asf.names)
    rest = Skeleton(rest_names, rest_parents, rest_offsets).rest
    axis = guess.up_axis(rest, rest[None]) if up == "auto" else up
    basis = UPRIGHT[axis]
    scale, unit = (asf.metres, f"{asf.length_unit:g} per inch") if units == "auto" else _scale(units, 0.0)

    rotations = np.tile(rot.IDENTITY, (len(values), joints, 1))
    rotations[:, :bones] = channels.rotations(values, basis)
    root = rot.rotate(basis, (asf.position + channels.positions(values, 0, np.zeros(3))) * scale)
    fixed = rot.rotate(basis, rest_offsets * scale)
    sliding = _sliding(asf, channels, values, rest_parents, rest_offsets)
    if sliding is not None:
        sliding = rot.rotate(basis, sliding * scale)
    order = _depth_first(rest_parents)
    at = np.argsort(order)
    parents = np.array([-1, *at[rest_parents[order[1:]]]])
    source = Source(
        str(path), "amc", scale, unit, axis, asf, values, amc.rate or AMC_RATE, amc.number, tuple(text.warned),
        degrees=amc.degrees, order=amc.order,
    )  # fmt: skip
    return Clip(
        Skeleton([rest_names[j] for j in order], parents, fixed[order]),
        root,
        rotations[:, order],
        fps=_rate(path, fps, source.fps),
        name=path.stem,
        offsets=None if sliding is None else sliding[:, order],
        source=source,
    )


@lru_cache(maxsize=64)
def _skeleton_record(path: str, stamp) -> Asf:
    """An ASF parsed once for all the AMC files of its subject, until the file changes."""
    return read_asf(Text(path))


def _stamp(path: Path):
    try:
        status = os.stat(path)
    except OSError as problem:
        raise FormatError(path, f"cannot be read: {problem.strerror or problem}") from problem
    return status.st_mtime_ns, status.st_size


def joints_of(asf: Asf) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Names, parents and offsets (file units) of an ASF's joints: its bones in order, then the ends of its leaves.

    A joint sits where its bone begins, which is where its parent's bone ends.
    """
    tips = asf.directions * asf.lengths[:, None]
    leaves = [b for b in range(1, len(asf.names)) if b not in set(asf.parents.tolist())]
    taken = {n.lower() for n in asf.names}
    ends = [asf.names[b] + ("_end" if f"{asf.names[b]}_end".lower() not in taken else "_end2") for b in leaves]
    parents = np.array([*asf.parents, *leaves], np.int64)
    offsets = np.concatenate([np.zeros((1, 3)), tips[asf.parents[1:]], tips[leaves]])
    return [*asf.names, *ends], parents, offsets


def _sliding(asf, channels, values, parents, offsets):
    """(F, J, 3) offsets of an ASF whose bones stretch (`l`) or shift (`tx ty tz`), in file units, else None."""
    stretches = {b: c for b, c in asf.stretches().items() if b and values[:, c].any()}
    shifts = [b for b in range(1, len(asf.names)) if (channels.places[b] >= 0).any()]
    shifts = [b for b in shifts if values[:, channels.places[b][channels.places[b] >= 0]].any()]
    if not stretches and not shifts:
        return None
    sliding = np.tile(offsets, (len(values), 1, 1))
    for bone, column in stretches.items():
        sliding[:, parents == bone] += (values[:, column, None] * asf.directions[bone])[:, None]
    for bone in shifts:
        sliding[:, bone] += rot.rotate(channels.frames[bone], channels.positions(values, bone, np.zeros(3)))
    return sliding


def _depth_first(parents) -> list[int]:
    children: dict[int, list[int]] = {}
    for j, p in enumerate(parents.tolist()):
        children.setdefault(p, []).append(j)
    order, stack = [], [0]
    while stack:
        order.append(stack.pop())
        stack += reversed(children.get(order[-1], []))
    return order


def find_asf(path: Path) -> Path:
    """The skeleton of an AMC: walk_01.asf, or walk.asf, or the only .asf beside it."""
    path = Path(path)
    beside = sorted(f for f in path.absolute().parent.iterdir() if f.suffix.lower() == ".asf")
    stem = path.stem.lower()
    for wanted in (stem, stem.partition("_")[0]):
        for file in beside:
            if file.stem.lower() == wanted:
                return file
    if len(beside) == 1:
        return beside[0]
    there = "there is none" if not beside else f"there are {len(beside)}: " + ", ".join(f.name for f in beside[:5])
    subject = path.stem.partition("_")[0]
    raise FormatError(path, f"expected its skeleton {subject}.asf, or a single .asf, in the same folder; {there}")


def _scale(units, stature):
    if units == "auto":
        scale, name = guess.metres_per_unit(stature)
        return scale, f"{name} (guessed)"
    return (guess.UNITS[units], units) if isinstance(units, str) else (float(units), f"{units:g} m")


def _rate(path, asked, found) -> float:
    if asked is None:
        return found
    if not (np.isfinite(asked) and asked > 0):
        raise MotionError(f"{path}: the frame rate must be a positive number, not {asked!r}")
    return float(asked)


def silently(function, *arguments, **options):
    """Call without FormatWarnings being shown; they stay in `clip.source.notes`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        return function(*arguments, **options)
