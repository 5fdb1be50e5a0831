"""Writing a clip as USD (.usda, .usdc): a UsdSkel skeleton and its animation, in metres, y up.

The library is optional: `pip install motiongraph[usd]`. Joints are named by their path, as UsdSkel asks, in letters
that USD allows; the skeleton's `jointNames` keep the names they have here.
"""

import tempfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from motiongraph import rotations as rot
from motiongraph.errors import MotionError
from motiongraph.files import writing
from motiongraph.model.clip import Clip
from motiongraph.model.skeleton import Skeleton


def write_usd(clip: Clip, path: str | Path) -> None:
    """Write `clip` to `path`; its ending, .usda or .usdc, says whether as text or binary. One time code a frame."""
    try:
        sdf, tf, usd, geom, skel = map(_part, ("Sdf", "Tf", "Usd", "UsdGeom", "UsdSkel"))
    except ImportError as problem:
        raise MotionError(f"{path}: writing USD needs the package usd-core: pip install motiongraph[usd]") from problem
    if max(np.abs(array).max() for array in (clip.root, clip.skeleton.offsets)) > 1e30:
        raise MotionError(f"clip {clip.name!r} holds a number that does not fit the 32-bit floats of a USD file")
    layer = sdf.Layer.CreateAnonymous()
    stage = usd.Stage.Open(layer)
    geom.SetStageMetersPerUnit(stage, 1.0)
    geom.SetStageUpAxis(stage, geom.Tokens.y)
    stage.SetTimeCodesPerSecond(clip.fps)
    stage.SetFramesPerSecond(clip.fps)
    stage.SetStartTimeCode(clip.first)
    stage.SetEndTimeCode(len(clip) - 1)
    top = f"/{tf.MakeValidIdentifier(clip.name)}"
    root = skel.Root.Define(stage, top)
    stage.SetDefaultPrim(root.GetPrim())
    body = skel.Skeleton.Define(stage, f"{top}/skeleton")
    motion = skel.Animation.Define(stage, f"{top}/motion")
    joints = _paths(clip.skeleton, tf.MakeValidIdentifier)
    body.CreateJointsAttr(joints)
    body.CreateJointNamesAttr(list(clip.skeleton.names))
    body.CreateBindTransformsAttr(_shifts(clip.skeleton.rest))
    body.CreateRestTransformsAttr(_shifts(clip.skeleton.offsets))
    skel.BindingAPI.Apply(body.GetPrim()).CreateAnimationSourceRel().SetTargets([motion.GetPath()])
    motion.CreateJointsAttr(joints)
    _animate(clip, motion)
    with tempfile.TemporaryDirectory() as folder:
        # USD writes to a path of its own; the file that was asked for appears whole or not at all.
        part = Path(folder) / f"clip{Path(path).suffix.lower()}"
        if not layer.Export(str(part)):
            raise MotionError(f"{path}: cannot be written as USD")
        with writing(path) as file:
            file.write(part.read_bytes())


def _part(name: str) -> Any:
    """A module of the optional library, whose types no checker knows; slow to load, so only when it is needed."""
    return import_module(f"pxr.{name}")


def _animate(clip: Clip, motion: Any) -> None:
    """Translations and rotations of every joint, one sample a frame; joints that do not slide keep their offset."""
    arrays = _part("Vt")
    motion.CreateScalesAttr(arrays.Vec3hArray(len(clip.skeleton), _part("Gf").Vec3h(1.0)))
    places, turns = motion.CreateTranslationsAttr(), motion.CreateRotationsAttr()
    offsets = np.tile(clip.skeleton.offsets, (len(clip), 1, 1)) if clip.offsets is None else clip.offsets.copy()
    offsets[:, 0] = clip.root
    # USD keeps the imaginary part first; signs are chosen so that programs that mix samples take the short way.
    rotations = rot.continuous(rot.normalized(clip.rotations))[..., [1, 2, 3, 0]]
    offsets, rotations = offsets.astype(np.float32), rotations.astype(np.float32)
    for frame in range(len(clip)):
        places.Set(arrays.Vec3fArray.FromNumpy(offsets[frame]), frame)
        turns.Set(arrays.QuatfArray.FromNumpy(rotations[frame]), frame)


def _paths(skeleton: Skeleton, valid: Callable[[str], str]) -> list[str]:
    """The path of every joint, such as "Hips/Spine", each of its parts a name that USD allows."""
    paths: list[str] = []
    taken: set[str] = set()
    for name, parent in zip(skeleton.names, skeleton.parents.tolist()):
        above = f"{paths[parent]}/" if parent >= 0 else ""
        path, n = above + valid(name), 2
        while path in taken:
            path, n = f"{above}{valid(name)}_{n}", n + 1
        taken.add(path)
        paths.append(path)
    return paths


def _shifts(places: np.ndarray) -> Any:
    """A matrix for each of (J, 3) places. USD multiplies row vectors, so that a place is in the last row."""
    matrices = np.tile(np.eye(4), (len(places), 1, 1))
    matrices[:, 3, :3] = places
    return _part("Vt").Matrix4dArray.FromNumpy(matrices)
