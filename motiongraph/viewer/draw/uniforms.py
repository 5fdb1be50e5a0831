"""What every program knows of a frame: camera, light, floor and backdrop as one uniform block."""

from functools import lru_cache

import numpy as np

from motiongraph.viewer.draw.frame import SceneFrame, View

POINT = 0  # where programs look for the block

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
def light_axes(towards: tuple[float, float, float]) -> np.ndarray:
    """(3, 3) rows: right, up and the direction to a sun that shines from there, all of length one."""
    back = np.array(towards, np.float64)
    back /= max(np.linalg.norm(back), 1e-9)
    pole = np.array([0.0, 0.0, 1.0]) if abs(back[1]) > 0.95 else np.array([0.0, 1.0, 0.0])
    right = np.cross(pole, back)
    right /= np.linalg.norm(right)
    axes = np.array([right, np.cross(back, right), back])
    axes.flags.writeable = False
    return axes


def fill_frame(values: np.ndarray, scene: SceneFrame, view: View) -> None:
    """Write camera and surroundings into a record of FRAME; the shadow is filled by whoever drew it."""
    width, height = view.rect[2:]
    view_projection = view.projection @ view.view
    floor, backdrop = scene.floor, scene.backdrop
    eye = view.eye
    values["view_projection"] = view_projection.T
    values["to_world"] = np.linalg.inv(view_projection).T
    values["eye"] = *eye, 0.5 * height * view.projection[1, 1]
    values["viewport"] = width, height, view.scale, eye[1] < floor.height
    values["sun"] = *light_axes(scene.light.towards)[2], _SUN * scene.light.sun
    values["zenith"] = *linear(backdrop.zenith), _SKY * scene.light.sky
    values["horizon"] = *linear(backdrop.horizon), floor.style != "none"
    values["floor_colour"] = *linear(backdrop.floor), floor.height
    values["floor_other"] = *linear(backdrop.floor_other), floor.style == "grid"
    values["floor_shape"] = *floor.centre, floor.reach, floor.tile
