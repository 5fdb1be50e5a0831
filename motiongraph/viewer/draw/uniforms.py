"""What every program knows of a frame: camera, light, floor and backdrop as one uniform block."""

from functools import lru_cache

import numpy as np

from motiongraph.viewer.draw.frame import SceneFrame, View

POINT = 0  # where programs look for the block

Point = tuple[float, float, float]
Axes = tuple[Point, Point, Point]

_MATRIX, _VECTOR = ("<f4", (4, 4)), ("<f4", 4)
# In the order of shaders/include/frame.glsl; matrices lie column by column.
FRAME = np.dtype(
    [(name, *_MATRIX) for name in ("view_projection", "to_world", "to_shadow")]
    + [
        (name, *_VECTOR)
        for name in (
            "eye",
            "viewport",
            "sun",
            "zenith",
            "horizon",
            "floor_colour",
            "floor_other",
            "floor_shape",
            "shadow",
        )
    ]
)
# Shares of full daylight; on the level floor they add up to 1.2, by which its shader divides.
_SUN, _SKY = 0.74, 0.60


@lru_cache(maxsize=256)
def linear(colour: tuple[float, ...]) -> tuple[float, ...]:
    """Linear light of an sRGB colour, 0 … 1."""
    return tuple(c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour)


@lru_cache(maxsize=256)
def light_axes(towards: Point) -> Axes:
    """Right, up and the direction to a sun that shines from there, all of length one."""
    back = np.array(towards, np.float64)
    back /= max(np.linalg.norm(back), 1e-9)
    pole = np.array([0.0, 0.0, 1.0]) if abs(back[1]) > 0.95 else np.array([0.0, 1.0, 0.0])
    right = np.cross(pole, back)
    right /= np.linalg.norm(right)
    return tuple(tuple(axis.tolist()) for axis in (right, np.cross(back, right), back))


def seen_from_sun(matrix) -> tuple[float, ...]:
    """The numbers of FRAME for drawing a shadow map, by rows of world to clip space; nothing else is asked for."""
    return (*_columns(matrix), *_NOTHING_ELSE)


def seen(scene: SceneFrame, view: View, shadow) -> tuple[float, ...]:
    """The numbers of FRAME for a scene and its camera; shadow: a `shadow.Fitted`, or None where none falls.

    Plain numbers: arrays as small as these cost more to handle than to work out, and this is done every frame.
    """
    (r, u, b), (p, q, m, n), (x, y, z) = view.rows, view.lens, view.eye
    floor, (_, _, width, height) = scene.floor, view.rect
    return (
        # World to clip space, projection · view.
        *(p * r[0], q * u[0], m * b[0], -b[0]),
        *(p * r[1], q * u[1], m * b[1], -b[1]),
        *(p * r[2], q * u[2], m * b[2], -b[2]),
        *(p * r[3], q * u[3], m * b[3] + n, -b[3]),
        # And back: the camera's axes and place, times the inverse of the projection.
        *(r[0] / p, r[1] / p, r[2] / p, 0.0),
        *(u[0] / q, u[1] / q, u[2] / q, 0.0),
        *(x / n, y / n, z / n, 1.0 / n),
        *(m * x / n - b[0], m * y / n - b[1], m * z / n - b[2], m / n),
        *(_to_map(*shadow.matrix) if shadow else _NOWHERE),
        *(x, y, z, 0.5 * height * q),
        *(width, height, view.scale, y < floor.height),
        *_surroundings(scene.light, scene.backdrop, floor.style, floor.height),
        *(*floor.centre, floor.reach, floor.tile),
        *((shadow.texel, shadow.depth, scene.light.softness, 1.0) if shadow else (1.0, 1.0, 0.0, 0.0)),
    )


def _to_map(right, up, back, _) -> tuple[float, ...]:
    """World to a shadow map, of which place and depth go from 0 to 1, by the rows of world to the sun's clip space."""
    (a, b, c, d), (e, f, g, h), (i, j, k, l) = right, up, back
    return (
        *(0.5 * a, 0.5 * e, 0.5 * i, 0.0, 0.5 * b, 0.5 * f, 0.5 * j, 0.0, 0.5 * c, 0.5 * g, 0.5 * k, 0.0),
        *(0.5 * d + 0.5, 0.5 * h + 0.5, 0.5 * l + 0.5, 1.0),
    )


@lru_cache(maxsize=64)
def _surroundings(light, backdrop, style: str, height: float) -> tuple[float, ...]:
    """What changes with somebody's wishes only: sun, zenith, horizon and the floor's colours."""
    return (
        *(*light_axes(light.towards)[2], _SUN * light.sun),
        *(*linear(backdrop.zenith), _SKY * light.sky),
        *(*linear(backdrop.horizon), style != "none"),
        *(*linear(backdrop.floor), height),
        *(*linear(backdrop.floor_other), style == "grid"),
    )


def _columns(rows) -> tuple[float, ...]:
    """A matrix given by its rows, as it lies in a block."""
    (a, b, c, d), (e, f, g, h), (i, j, k, l), (m, n, o, p) = rows
    return a, e, i, m, b, f, j, n, c, g, k, o, d, h, l, p


_NOWHERE = (0.0,) * 16
_NOTHING_ELSE = (0.0,) * (FRAME.itemsize // 4 - 16)
