"""The same motion with left and right exchanged, as in a mirror.

Mirroring twice gives the clip back: every step below is its own inverse.
"""

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from motiongraph import rotations as rot
from motiongraph.errors import MotionError
from motiongraph.model import sides
from motiongraph.model.labels import Labels
from motiongraph.model.retarget import corrected, corrections

if TYPE_CHECKING:
    from motiongraph.model.clip import Clip
    from motiongraph.model.skeleton import Skeleton

_SUFFIX = "_mirrored"
_SNAP = np.cos(np.radians(5.0))
_ACROSS = 0.7  # share of the spine that points sideways where a rest pose is none
_NEAR = np.cos(np.radians(25.0))  # nearly an axis

# "left" and "right" as words: turn-left, walk_left, "left turn", turnLeft; not the ones in "upright" or "cleft".
_WORD = re.compile(
    r"(?<![A-Za-z])(?:left|right|Left|Right)(?![a-z])|(?<=[a-z])(?:Left|Right)(?![a-z])"
    r"|(?<![A-Za-z])(?:LEFT|RIGHT)(?![A-Za-z])"
)
_EXCHANGED = {"left": "right", "Left": "Right", "LEFT": "RIGHT"}
_EXCHANGED |= {b: a for a, b in _EXCHANGED.items()}


def mirrored(clip: "Clip") -> "Clip":
    """`clip` with left and right exchanged: joints, path, and the words left and right in its labels.

    With M the reflection, j* the joint opposite to j and A_j the turn from j's bone at rest to the mirrored bone
    of j* at rest (real bodies are not quite symmetric), the global orientation of j becomes M·G_j*·M·A_j: bone
    directions are exactly those in the mirror, and bone lengths stay on their side.
    """
    skeleton = clip.skeleton
    partner = sides.partners(skeleton)
    normal = _plane(clip)
    if clip.offsets is None and _lies_across(skeleton, normal, partner):
        about = mirrored_words(clip) | {"source": clip._layout()}
        return replace(clip, root=clip.root * np.array([-1.0, 1.0, 1.0]), rotations=_by_frames(clip, partner), **about)
    bones = sides.bone_directions(skeleton)
    across = _reflected(bones[partner], normal)
    # A direction counts only where both sides have one, so that the turns of a pair are each other's reflection.
    known = bones.any(axis=1, keepdims=True) & across.any(axis=1, keepdims=True)
    ends = sides.ends(skeleton)
    turns = corrections(skeleton, bones * known, across * known, ends & ends[partner])

    # Reflection M·R·M keeps the angle and sends the axis v to −Mv.
    rotations = clip.rotations[:, partner]
    rotations[..., 1:] = -_reflected(rotations[..., 1:], normal)
    rotations = corrected(skeleton, rotations, turns)
    # The body's plane need not stand upright in the world (a rest pose may lie), but the world's mirror must.
    upright = _upright(normal)
    rotations[:, 0] = rot.multiply(_turn_between_mirrors(normal, upright), rotations[:, 0])

    offsets = None
    if clip.offsets is not None:
        away = _reflected((clip.offsets - skeleton.offsets)[:, partner], normal)
        parents = np.maximum(skeleton.parents, 0)
        offsets = skeleton.offsets + rot.rotate(rot.conjugate(turns)[parents], away)
    return replace(
        clip,
        root=_reflected(clip.root, upright),
        rotations=rotations,
        offsets=offsets,
        **mirrored_words(clip),
        source=clip._layout(),
    )


def _lies_across(skeleton: "Skeleton", normal: np.ndarray, partner: np.ndarray) -> bool:
    """Whether the bones in the middle of the body point to its side at rest: then the rest pose is none."""
    index = np.arange(len(skeleton))
    middle = (partner == index) & (skeleton.parents >= 0)
    middle &= partner[skeleton.parents] == skeleton.parents
    spine = skeleton.offsets[middle]
    return float(np.abs((spine * normal).sum(axis=1)).sum()) > _ACROSS * float(
        np.sqrt((spine * spine).sum(axis=1)).sum()
    )


def _by_frames(clip: "Clip", partner: np.ndarray) -> np.ndarray:
    """(F, J, 4) the rotations of the mirror image of a clip whose rest pose is no pose at all: files baked from rigs
    (Bandai-Namco's) have bones along one axis, to the other side on the right, and leave the rest to the rotations.

    What lies across the body is known for every joint in the middle: from the bones on its sides, or as captured. Its
    mirror image turns by half a turn about that, that of a bone of a pair from where the bone is to the opposite of
    where the other one is; and all of it by half a turn about x, for M = −(half a turn about its normal).
    """
    skeleton, orientations, places = clip.skeleton, clip.orientations(), clip.positions()
    pairs, bones = sides.pairs(skeleton), sides.bone_directions(skeleton)
    across = (places[:, pairs[:, 0]] - places[:, pairs[:, 1]]).mean(axis=1)
    turns = np.tile(rot.IDENTITY, (len(skeleton), 1))
    for joint, other in enumerate(partner.tolist()):
        if joint != other:
            if bones[joint].any() and bones[other].any():
                turns[joint] = rot.between(bones[joint], -bones[other])
            continue
        below = pairs[skeleton.parents[pairs[:, 0]] == joint]
        axis = (skeleton.offsets[below[:, 0]] - skeleton.offsets[below[:, 1]]).sum(axis=0)
        if np.sqrt((axis * axis).sum()) < 0.01:
            axis = rot.rotate(rot.conjugate(orientations[:, joint]), across).mean(axis=0)
        axis = axis - (axis * bones[joint]).sum() * bones[joint]
        axis = axis / max(float(np.sqrt((axis * axis).sum())), 1e-9)
        nearest = int(np.argmax(np.abs(axis)))
        turns[joint, 0] = 0.0
        turns[joint, 1:] = np.eye(3)[nearest] if abs(axis[nearest]) >= _NEAR else axis
    found = rot.multiply(rot.multiply(np.array([0.0, 1.0, 0.0, 0.0]), orientations[:, partner]), turns)
    parents = skeleton.parents[1:]
    return np.concatenate([found[:, :1], rot.multiply(rot.conjugate(found[:, parents]), found[:, 1:])], axis=1)


def mirrored_words(clip: "Clip") -> dict[str, Any]:
    """Name, labels and given contacts of a clip's mirror image."""
    name, names, partner = clip.name, clip.skeleton.names, sides.partners(clip.skeleton)
    opposite = {own: names[partner[j]] for j, own in enumerate(names)}
    return {
        "name": name.removesuffix(_SUFFIX) if name.endswith(_SUFFIX) else name + _SUFFIX,
        "labels": _exchanged(clip.labels),
        "planted": None if clip.planted is None else clip.planted.renamed(opposite),
    }


def _reflected(vectors: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """M·v for vectors (…, 3)."""
    return vectors - 2.0 * np.sum(vectors * normal, axis=-1, keepdims=True) * normal


def _plane(clip: "Clip") -> np.ndarray:
    """(3,) unit normal of the body's plane of symmetry, in the frame of the rest pose."""
    pairs = sides.pairs(clip.skeleton)
    if not len(pairs):
        raise MotionError(f"cannot mirror {clip.name!r}: its skeleton has no left and right joints by name")
    normal = _mean_across(clip.skeleton.rest, pairs)
    if normal is None:
        # A rest pose with both sides in one place says nothing; the first captured pose, seen from the root, does.
        pose = rot.rotate(rot.conjugate(clip.orientations()[clip.first, 0]), clip.positions()[clip.first])
        normal = _mean_across(pose, pairs)
    if normal is None:
        raise MotionError(f"cannot mirror {clip.name!r}: its left and right joints lie in one place")
    axis = np.argmax(np.abs(normal))
    return np.eye(3)[axis] if abs(normal[axis]) >= _SNAP else normal


def _mean_across(pose: np.ndarray, pairs: np.ndarray) -> np.ndarray | None:
    """(3,) unit vector from one side to the other in a pose (J, 3), or None where the sides coincide."""
    across = (pose[pairs[:, 0]] - pose[pairs[:, 1]]).mean(axis=0)
    length = np.sqrt(np.sum(across * across))
    return across / length if length > 1e-6 else None


def _upright(normal: np.ndarray) -> np.ndarray:
    """The horizontal unit vector nearest to `normal`; x where it is vertical."""
    flat = normal * np.array([1.0, 0.0, 1.0])
    length = np.sqrt(np.sum(flat * flat))
    return flat / length if length > 0.1 else np.array([1.0, 0.0, 0.0])


def _turn_between_mirrors(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """(4,) the rotation M₂·M₁ of two reflections with unit normals `first` and `second`, the first applied first."""
    return np.concatenate([[np.sum(first * second)], rot.cross(first, second)])


def _exchanged(labels: Labels) -> Labels:
    """The labels with the words left and right exchanged in them."""
    return labels.renamed({name: _WORD.sub(lambda found: _EXCHANGED[found[0]], name) for name in labels})
