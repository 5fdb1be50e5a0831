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

_SUFFIX = "_mirrored"
_SNAP = np.cos(np.radians(5.0))

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
