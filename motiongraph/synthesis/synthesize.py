"""`synthesize`: a walk becomes a clip like any other."""

from functools import partial

import numpy as np

from motiongraph.model.clip import Clip
from motiongraph.progress import SILENT, stretch
from motiongraph.synthesis.footplant import cleaned
from motiongraph.synthesis.quality import quality
from motiongraph.synthesis.stitch import stitched
from motiongraph.walks.walk import Walk


def synthesize(walk: Walk, cleanup: bool = True, *, blend="linear", register=False, name=None, progress=SILENT) -> Clip:
    """The motion of a walk: pieces placed and blended, and, unless cleanup is False, feet held where they are planted.

    blend: "linear" (Kovar 2002, 3.3) or "inertialized"; register: line windows up in time before blending. The clip
    has as many frames as the walk says; `clip.origin` tells where each came from. From now on `walk.report()` has the
    figures of `quality` for this motion.
    """
    clip = stitched(walk, blend, register, name, stretch(progress, 0.0, 0.2 if cleanup else 1.0))
    if cleanup:
        clip = cleaned(clip, ground(walk, clip), progress=stretch(progress, 0.2, 1.0))
    walk.facts["quality"] = partial(quality, clip)
    return clip


def ground(walk: Walk, clip: Clip) -> np.ndarray:
    """(F,) metres: the floor under every frame, that of the clip it came from; blends pass from one to the other."""
    used = set(walk.steps["clip"].tolist())
    floors = np.array([walk.clips[c].floor if c in used else 0.0 for c in range(len(walk.clips))])
    origin = clip.origin
    other = np.where(origin.other >= 0, origin.other, origin.clip)
    return origin.weight * floors[origin.clip] + (1.0 - origin.weight) * floors[other]
