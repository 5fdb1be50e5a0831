"""Pictures of motion by our own renderer, without a window: flow pictures as in the dissertation's chapter 5."""

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image

from motiongraph.viewer.render import Shot, render_picture

_HALF = np.tan(np.radians(19.0))  # half the camera's vertical angle of view


def flow(study, clip, every, pitch=4.0, size=(900, 400), offset=0.0, path=False, width=None) -> Image.Image:
    """The pose every so many frames, all at once, seen along −z from `pitch` degrees above.

    offset: metres between poses, beyond the way they travel; width: metres that the picture is to show, by default as
    many as the motion needs. A quick study has small pictures of few poses.
    """
    if study.quick:
        every, size = 3 * every, (size[0] // 3, size[1] // 3)
    poses = np.arange(len(clip) - 1, -1, -every)[::-1]
    places = clip.positions()[poses] + layout(clip, poses, offset)[:, None]
    if width is None:
        across = np.ptp(places[..., 0]) + 0.6
        upright = (np.ptp(places[..., 2]) + 0.6) if pitch > 45 else 2.6
        width = max(across, upright * size[0] / size[1])
    nearest = 1.0 if pitch > 45 else places[..., 2].max() - places[..., 2].mean()
    distance = width / (2.0 * _HALF * size[0] / size[1]) + nearest
    shot = Shot(size=size, camera=(0.0, pitch, distance), flow=every, offset=offset, path=path)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "flow.png"
        render_picture(clip, file, shot=shot)
        with Image.open(file) as picture:
            return picture.convert("RGB")


def layout(clip, poses, offset):
    """(n, 3) by how much the renderer pushes the poses apart."""
    from motiongraph.viewer.draw.layers import spread

    return spread(clip.root, poses, offset)


def to_the_right(*clips):
    """The clips turned so that the first one travels along x."""
    way = clips[0].root[-1] - clips[0].root[clips[0].first]
    return [clip.moved(np.arctan2(way[2], way[0])) for clip in clips]


def pushed_apart(motion, metres=1.2):
    """The motion, travelling along x, with what follows each transition pushed on (figures 5.7 and 5.9)."""
    (motion,) = to_the_right(motion)
    root = motion.root.copy()
    root[:, 0] += metres * motion.origin.step
    return replace(motion, root=root, source=None)
