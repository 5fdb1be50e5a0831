"""From clips to files, in the layout of the file a clip came from where that can hold the motion."""

import os
import re
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.files import writing
from motiongraph.formats import guess
from motiongraph.formats.amc import Amc, format_amc
from motiongraph.formats.asf import Asf, format_asf
from motiongraph.formats.bvh import Bvh, format_bvh
from motiongraph.formats.fresh import new_asf, new_hierarchy, same_skeleton, widened_asf
from motiongraph.formats.gltf import write_glb
from motiongraph.formats.motion import AmcMotion, BvhMotion
from motiongraph.formats.source import UPRIGHT
from motiongraph.formats.usd import write_usd
from motiongraph.model.clip import Clip


def save(clip: Clip, path) -> None:
    """Write a clip as .bvh, .amc (and the .asf of the same name beside it), .glb, .usda or .usdc.

    The file appears whole or not at all. A clip as loaded is written with the numbers it was read with; a changed
    one in the channels of its file where those can hold it, and otherwise in a full set of channels.
    """
    path = Path(path)
    kind = path.suffix.lower()
    if kind == ".bvh":
        _write({path: format_bvh(bvh_of(clip))})
    elif kind == ".amc":
        asf, amc = amc_of(clip)
        name = re.sub(r"[\s\0- :#]", "_", clip.name)
        _write({path.with_suffix(".asf"): format_asf(asf, name), path: format_amc(amc, asf, clip.fps)})
    elif kind == ".glb":
        write_glb(clip, path)
    elif kind in (".usda", ".usdc"):
        write_usd(clip, path)
    else:
        raise MotionError(f"{path}: expected a name that ends in .bvh, .amc, .glb, .usda or .usdc")


def _write(texts: dict[Path, str]):
    """All of the files, or none."""
    with ExitStack() as files:
        for path, text in texts.items():
            if os.path.isdir(path):
                raise MotionError(f"{path}: cannot be written: there is a folder of that name")
            file = files.enter_context(writing(path, "w", encoding="utf-8", errors="replace", newline="\n"))
            file.write(text)
            file.flush()


def bvh_of(clip: Clip) -> Bvh:
    """The BVH record of a clip."""
    values = _in_its_own_channels(clip, "bvh")
    if values is None:
        unit = _unit(clip)
        record, written = new_hierarchy(clip, unit)
        motion = BvhMotion(record, record.layout(), 0, np.zeros(sum(map(len, record.channels))))
        return Bvh(record, _frame_time(clip), motion.values(written, UPRIGHT["y"], unit))
    source = clip.source
    return Bvh(source.motion.record, source.timing if clip.fps == source.fps else _frame_time(clip), values)


def _unit(clip):
    """Metres in a unit of a new BVH: centimetres as is customary, metres where a reader would take those for inches.

    A body that no person has is written so that its reader sees that no unit fits, and not in a unit that seems to.
    """
    body, units = clip.skeleton, (0.01, 1.0)
    read = [guess.unit_of(replace(body, offsets=body.offsets / unit)) for unit in units]
    right = [unit for unit, seen in zip(units, read) if seen.metres == unit]
    unknown = [unit for unit, seen in zip(units, read) if not seen.name]
    return [*right, *unknown, 0.01][0]


def _frame_time(clip):
    return f"{1.0 / clip.fps:.12f}"  # all digits: "0.003" alone could be 1/300 cut short


def amc_of(clip: Clip) -> tuple[Asf, Amc]:
    """The ASF and AMC records of a clip."""
    values = _in_its_own_channels(clip, "amc")
    if values is not None:
        motion = clip.source.motion
        return motion.record, replace(motion.amc, values=values, number=clip.source.timing)
    asf = widened_asf(clip)
    if asf is not None:
        written, basis, scale = clip, UPRIGHT[clip.source.up], clip.source.scale
    else:
        asf, written = new_asf(clip)
        basis, scale = UPRIGHT["y"], asf.metres
    motion = AmcMotion.of(asf, Amc(np.zeros((0, 0)), 1, True, tuple(b for b, dof in enumerate(asf.dofs) if dof)))
    return asf, replace(motion.amc, values=motion.values(written, basis, scale))


def _in_its_own_channels(clip: Clip, kind: str) -> np.ndarray | None:
    """(F, C) numbers in the channels of the clip's own file, or None where it has none or they cannot hold it."""
    source = clip.source
    if source is None or source.format != kind:
        return None
    basis, motion = UPRIGHT[source.up], source.motion
    if source.values is not None and len(source.values) == len(clip):
        skeleton, root, rotations, sliding = motion.build(source.values, basis, source.scale)
        pairs = [(root, clip.root), (rotations, clip.rotations), (sliding, clip.offsets)]
        if same_skeleton(clip, skeleton) and all(_equal(a, b) for a, b in pairs):
            return source.values
    try:
        values = motion.values(clip, basis, source.scale)
    except MotionError:
        return None
    return values if same_skeleton(clip, motion.build(values[:1], basis, source.scale)[0]) else None


def _equal(a, b):
    return a is b if a is None or b is None else np.allclose(a, b, rtol=0, atol=1e-9)
