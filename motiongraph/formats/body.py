"""The body of `model.body` as one triangle mesh, every vertex fixed to one joint: what a skinned file shows."""

from dataclasses import dataclass

import numpy as np

from motiongraph.model.body import Body

SIDES = 12  # vertices around a capsule
RINGS = 3  # circles of each rounded end, the last of them where the straight part begins


@dataclass(frozen=True, eq=False)
class Mesh:
    """positions: (V, 3) metres and normals: (V, 3), both in the axes of each vertex's joint; joints: (V,) int;
    triangles: (T, 3) vertex numbers, counter-clockwise seen from outside."""

    positions: np.ndarray
    normals: np.ndarray
    joints: np.ndarray
    triangles: np.ndarray


def mesh_of(body: Body) -> Mesh:
    """All capsules at once: a sphere's surface, cut where the cone between both ends touches them tangentially,
    its lower part around the start and its upper around the end. Normals are those of the exact surface."""
    axis = body.ends - body.starts
    length = np.linalg.norm(axis, axis=1)
    axis = np.where(length[:, None] > 0.0, axis / np.maximum(length, 1e-300)[:, None], [0.0, 1.0, 0.0])
    # Sine of the cone's slope. Where one end holds the other there is no cone: stay short of the pole.
    slope = (body.radii[:, 0] - body.radii[:, 1]) / np.maximum(length, 1e-9)
    seam = np.arcsin(np.clip(slope, -0.9, 0.9))
    part = np.arange(1, RINGS + 1) / RINGS
    lower = -np.pi / 2 + (seam[:, None] + np.pi / 2) * part
    upper = np.pi / 2 - (np.pi / 2 - seam[:, None]) * part[::-1]
    latitude = np.concatenate([lower, upper], axis=1)[:, :, None, None]
    around = np.arange(SIDES) * (2 * np.pi / SIDES)
    least = np.eye(3)[np.argmin(np.abs(axis), axis=1)]
    side = np.cross(axis, least)
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    front = np.cross(axis, side)
    circle = np.cos(around)[:, None] * side[:, None] + np.sin(around)[:, None] * front[:, None]
    rings = np.cos(latitude) * circle[:, None] + np.sin(latitude) * axis[:, None, None]
    normals = np.concatenate([-axis[:, None], rings.reshape(len(body), -1, 3), axis[:, None]], axis=1)
    half = 1 + RINGS * SIDES
    positions = normals * np.repeat(body.radii, half, axis=1)[..., None]
    positions += np.repeat(np.stack([body.starts, body.ends], axis=1), half, axis=1)
    triangles = _triangles()[None] + np.arange(len(body))[:, None, None] * (2 * half)
    joints = np.repeat(body.joints, 2 * half)
    return Mesh(positions.reshape(-1, 3), normals.reshape(-1, 3), joints, triangles.reshape(-1, 3))


def _triangles():
    """(T, 3) of one capsule: the pole at the start, 2·RINGS circles, the pole at the end."""
    here = np.arange(SIDES)
    after = (here + 1) % SIDES
    first, last = 1, 1 + (2 * RINGS - 1) * SIDES
    pieces = [np.stack([np.zeros_like(here), first + after, first + here], axis=1)]
    for start in range(first, last, SIDES):
        low, low_after, high, high_after = start + here, start + after, start + SIDES + here, start + SIDES + after
        pieces += [np.stack([low, low_after, high_after], axis=1), np.stack([low, high_after, high], axis=1)]
    pieces.append(np.stack([last + here, last + after, np.full(SIDES, last + SIDES)], axis=1))
    return np.concatenate(pieces)
