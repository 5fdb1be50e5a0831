"""Props as batches: one of each shape, one of each mesh."""

from math import cos, sin

import numpy as np

from motiongraph.app.props import ROUND, Prop
from motiongraph.viewer.draw.frame import Batch, Capsules, solids, spheres

_LIFT = 0.0015  # metres that a plane lies above its place, below all that is drawn on the floor


def prop_batches(props: tuple[Prop, ...], floor: float = 0.0) -> list[Batch]:
    """All that is needed to draw props on a floor at this height."""
    alike: dict[object, list[Prop]] = {}
    for prop in props:
        alike.setdefault(prop.mesh or prop.shape, []).append(prop)
    found = []
    for same in alike.values():
        batch = _batch(same, floor)
        # The renderer would take a box large enough for any turn, and the shadow be coarser for it.
        boxes = np.array([corners(prop, floor) for prop in same])
        batch.box = np.stack([boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)])
        found.append(batch)
    return found


def _batch(props: list[Prop], floor: float) -> Batch:
    """The batch of props of one shape or mesh."""
    shape, mesh = props[0].shape, props[0].mesh
    colours = np.array([(*prop.colour, 1.0) for prop in props])
    sizes = np.array([prop.size for prop in props])
    feet = np.array([(prop.x, floor + prop.height, prop.z) for prop in props])
    turns = np.array([(cos(0.5 * prop.turn), 0.0, sin(0.5 * prop.turn), 0.0) for prop in props])
    up = np.array([0.0, 1.0, 0.0])
    if shape == "sphere":
        return spheres(feet + 0.5 * sizes[:, :1] * up, 0.5 * sizes[:, 0], colours)
    if shape == "capsule":
        radii = 0.5 * sizes[:, :1]
        return Capsules(
            np.hstack([feet + radii * up, radii, feet + (sizes[:, 1:2] - radii) * up, radii, colours], dtype=np.float32)
        )
    if mesh is not None:
        # It keeps its proportions: one edge says how much larger than its file it is.
        return solids(mesh, feet, sizes.max(axis=1, keepdims=True) / np.ptp(mesh.box, axis=0).max(), colours, turns)
    if shape == "plane":
        return solids(shape, feet + _LIFT * up, np.maximum(sizes, 1e-3), colours, turns)
    return solids(shape, feet + 0.5 * sizes[:, 1:2] * up, sizes, colours, turns)


def corners(prop: Prop, floor: float = 0.0) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The lowest and the highest corner of a box around a prop as it stands."""
    wide, high, deep = prop.size
    turn, low = 0.0 if prop.shape in ROUND else prop.turn, floor + prop.height
    cosine, sine = abs(cos(turn)), abs(sin(turn))
    x, z = 0.5 * (cosine * wide + sine * deep), 0.5 * (sine * wide + cosine * deep)
    return (prop.x - x, low, prop.z - z), (prop.x + x, low + high + _LIFT, prop.z + z)
