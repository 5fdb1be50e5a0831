"""What every program knows of a frame: camera, light, floor and backdrop as one uniform block."""

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from motiongraph.viewer.draw.frame import Backdrop, Light, SceneFrame, View
from motiongraph.viewer.matrices import dmat3, dmat4, dvec3, glm, product

if TYPE_CHECKING:
    from motiongraph.viewer.draw.shadow import Fitted

POINT = 0  # where programs look for the block
ROWS_UNIT, DEPTH_UNIT, COMPARE_UNIT = 0, 1, 2  # texture units of a batch's rows and of the shadow map
LIMBS_UNIT = 3  # and of the capsules that shade a body

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
            "taps",
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
def light_view(towards: dvec3) -> dmat3:
    """Turns the world into the axes (right, up, backward) of a sun in this direction, of length one."""
    pole = dvec3(0.0, 0.0, 1.0) if abs(towards.y) > 0.95 else dvec3(0.0, 1.0, 0.0)
    return dmat3(glm.lookAt(towards, dvec3(0.0), pole))


def seen_from_sun(matrix: dmat4) -> tuple[float, ...]:
    """The numbers of FRAME for drawing a shadow map; matrix: world to clip space. The rest is not used."""
    return (*_numbers(matrix), *_NOTHING_ELSE)


def seen(scene: SceneFrame, view: View, shadow: "Fitted | None", taps: tuple[int, int]) -> tuple[float, ...]:
    """The numbers of FRAME for a scene and its camera; shadow: None where none falls; taps: see `Detail`."""
    floor, eye, matrix = scene.floor, view.eye, view.matrix
    return (
        *_numbers(matrix),
        *_numbers(glm.inverse(matrix)),
        *(_numbers(product(_TO_MAP, shadow.matrix)) if shadow else _NOWHERE),
        *(*eye, view.zoom),
        *(*view.rect[2:], view.scale, eye.y < floor.height),
        *_surroundings(scene.light, scene.backdrop, floor.style, floor.height),
        *(*floor.centre, floor.reach, floor.tile),
        *((shadow.texel, shadow.depth, scene.light.softness, 1.0) if shadow else (1.0, 1.0, 0.0, 0.0)),
        *(*taps, 0.0, 0.0),
    )


def _numbers(matrix: dmat4) -> tuple[float, ...]:
    """A matrix column by column, as it lies in a block."""
    a, b, c, d = matrix.to_tuple()
    return (*a, *b, *c, *d)


@lru_cache(maxsize=64)
def _surroundings(light: Light, backdrop: Backdrop, style: str, height: float) -> tuple[float, ...]:
    """What changes only with the settings: sun, zenith, horizon and the floor's colours."""
    return (
        *(*glm.normalize(dvec3(light.towards)), _SUN * light.sun),
        *(*linear(backdrop.zenith), _SKY * light.sky),
        *(*linear(backdrop.horizon), style != "none"),
        *(*linear(backdrop.floor), height),
        *(*linear(backdrop.floor_other), style == "grid"),
    )


# Clip space, −1 to 1, to the places and depths of a shadow map, 0 to 1.
_TO_MAP = glm.translate(glm.scale(dvec3(0.5)), dvec3(1.0))
_NOWHERE = (0.0,) * 16
_NOTHING_ELSE = (0.0,) * (FRAME.itemsize // 4 - 16)
