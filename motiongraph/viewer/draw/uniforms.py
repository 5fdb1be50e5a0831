"""What every program knows of a frame: camera, light, floor and backdrop as one uniform block."""

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


def linear(colour) -> np.ndarray:
    """Linear light of sRGB colours, any shape, 0 … 1."""
    colour = np.asarray(colour, np.float64)
    return np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)


def unit_towards(light) -> np.ndarray:
    """(3,) direction to the sun, of length one."""
    towards = np.asarray(light.towards, np.float64)
    return towards / max(np.linalg.norm(towards), 1e-9)


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
    values["sun"] = *unit_towards(scene.light), _SUN * scene.light.sun
    values["zenith"] = *linear(backdrop.zenith), _SKY * scene.light.sky
    values["horizon"] = *linear(backdrop.horizon), floor.style != "none"
    values["floor_colour"] = *linear(backdrop.floor), floor.height
    values["floor_other"] = *linear(backdrop.floor_other), floor.style == "grid"
    values["floor_shape"] = *floor.centre, floor.reach, floor.tile
