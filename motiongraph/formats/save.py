"""From clips to files, in the layout of the file a clip came from where that can hold the motion."""

import os
import re
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.files import write_together
from motiongraph.formats import guess
from motiongraph.formats.amc import Amc, format_amc
from motiongraph.formats.asf import Asf, format_asf
from motiongraph.formats.bvh import Bvh, format_bvh
from motiongraph.formats.gltf import write_glb
from motiongraph.formats.motion import AmcMotion, BvhMotion
from motiongraph.formats.new_layout import new_asf, new_hierarchy, same_skeleton, widened_asf
from motiongraph.formats.source import UPRIGHT
from motiongraph.formats.usd import write_usd
from motiongraph.model.clip import Clip

Motion = TypeVar("Motion", BvhMotion, AmcMotion)


def files_written(path: str | os.PathLike) -> tuple[Path, ...]:
    """The files that `save` writes for a name: an .amc has its .asf beside it."""
    path = Path(path)
    return (path, path.with_suffix(".asf")) if path.suffix.lower() == ".amc" else (path,)


def save(clip: Clip, path: str | os.PathLike) -> None:
    """Write a clip as .bvh, .amc (and the .asf of the same name beside it), .glb, .usda or .usdc.

    The file appears whole or not at all. A clip as loaded is written with the numbers it was read with; a changed
    one in the channels of its file where those can hold it, and otherwise in a full set of channels.
    """
    path = Path(path)
    kind = path.suffix.lower()
    if kind == ".bvh":
        write_together({path: format_bvh(bvh_of(clip))})
    elif kind == ".amc":
        asf, amc = amc_of(clip)
        name = re.sub(r"[\s\0- :#]", "_", clip.name)
        write_together({path.with_suffix(".asf"): format_asf(asf, name), path: format_amc(amc, asf, clip.fps)})
    elif kind == ".glb":
        write_glb(clip, path)
    elif kind in (".usda", ".usdc"):
        write_usd(clip, path)
    else:
        raise MotionError(f"{path}: expected a name that ends in .bvh, .amc, .glb, .usda or .usdc")


def bvh_of(clip: Clip) -> Bvh:
    """The BVH record of a clip."""
    own, source = _in_its_own_channels(clip, BvhMotion), clip.source
    if own is None or source is None:
        unit = _unit(clip)
        record, written = new_hierarchy(clip, unit)
        motion = BvhMotion(record, record.layout(), 0, np.zeros(sum(map(len, record.channels))))
        return Bvh(record, _frame_time(clip), motion.values(written, UPRIGHT["y"], unit))
    motion, values = own
    return Bvh(motion.record, str(source.timing) if clip.fps == source.fps else _frame_time(clip), values)


def _unit(clip: Clip) -> float:
    """Metres in a unit of a new BVH: centimetres as is customary, metres where a reader would take those for inches.

    A body that no person has is written so that its reader sees that no unit fits, and not in a unit that seems to.
    """
    body, units = clip.skeleton, (0.01, 1.0)
    read = [guess.unit_of(replace(body, offsets=body.offsets / unit)) for unit in units]
    right = [unit for unit, seen in zip(units, read) if seen.metres == unit]
    unknown = [unit for unit, seen in zip(units, read) if not seen.name]
    return [*right, *unknown, 0.01][0]


def _frame_time(clip: Clip) -> str:
    return f"{1.0 / clip.fps:.12f}"  # all digits: "0.003" alone could be 1/300 cut short


def amc_of(clip: Clip) -> tuple[Asf, Amc]:
    """The ASF and AMC records of a clip."""
    own, source = _in_its_own_channels(clip, AmcMotion), clip.source
    if own is not None and source is not None:
        motion, values = own
        return motion.record, replace(motion.amc, values=values, number=int(source.timing))
    asf = widened_asf(clip)
    if asf is not None and source is not None:
        written, basis, scale = clip, UPRIGHT[source.up], source.scale
    else:
        asf, written = new_asf(clip)
        basis, scale = UPRIGHT["y"], asf.metres
    motion = AmcMotion.of(asf, Amc(np.zeros((0, 0)), 1, True, tuple(b for b, dof in enumerate(asf.dofs) if dof)))
    return asf, replace(motion.amc, values=motion.values(written, basis, scale))


def _in_its_own_channels(clip: Clip, kind: type[Motion]) -> tuple[Motion, np.ndarray] | None:
    """The channels of the clip's own file, if it is of this kind, with the numbers (F, C) of the clip's frames; None
    where they cannot hold it."""
    source = clip.source
    if source is None or not isinstance(source.motion, kind):
        return None
    basis, motion = UPRIGHT[source.up], source.motion
    if source.values is not None and len(source.values) == len(clip):
        skeleton, root, rotations, sliding = motion.build(source.values, basis, source.scale)
        pairs = [(root, clip.root), (rotations, clip.rotations), (sliding, clip.offsets)]
        if same_skeleton(clip, skeleton) and all(_equal(a, b) for a, b in pairs):
            return motion, source.values
    try:
        values = motion.values(clip, basis, source.scale)
    except MotionError:
        return None
    return (motion, values) if same_skeleton(clip, motion.build(values[:1], basis, source.scale)[0]) else None


def _equal(a: np.ndarray | None, b: np.ndarray | None) -> bool:
    return a is b if a is None or b is None else np.allclose(a, b, rtol=0, atol=1e-9)
