"""Pictures of motion by our own renderer, without a window: flow pictures as in the dissertation's chapter 5."""

import tempfile
from pathlib import Path

from PIL import Image

from motiongraph.viewer.render import Shot, render_picture


def flow(clip, every, camera="top", size=(900, 520), offset=0.0, path=False) -> Image.Image:
    """The pose every so many frames, all at once; offset: metres between what comes before and after (see `Shot`)."""
    shot = Shot(size=size, camera=camera, flow=every, offset=offset, path=path)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "flow.png"
        render_picture(clip, file, shot=shot)
        with Image.open(file) as picture:
            return picture.convert("RGB")
