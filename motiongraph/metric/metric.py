"""What "close" means: the window, the points, their weights, and how the floor may be turned before comparing."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from hashlib import blake2b
from reprlib import repr as brief
from typing import Any

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.metric.angles import Angles
from motiongraph.metric.bodies import Bodies
from motiongraph.metric.cloud import joint_weights
from motiongraph.metric.combined import Combined
from motiongraph.metric.dissertation import Segments
from motiongraph.metric.samples import Samples, Surface, surface_of
from motiongraph.model.clip import Clip
from motiongraph.model.mesh import Mesh
from motiongraph.model.skeleton import Skeleton

_LONGEST = 60.0  # seconds of a window
_MOST_SAMPLES = 1000
KINDS = ("cloud", "angle", "angle-velocity", "angle-acceleration", "dissertation", "euler", "combined")
_COMBINED = KINDS[:4]  # what can be added up
ALIGNMENTS = ("planar", "in-place", "none")


@dataclass(frozen=True)
class Metric:
    """How two pieces of motion are compared; see METRIC.md.

    window: seconds (default a third, Kovar 2002, 3.1); the length of a transition.
    align: "planar" (the best turn about y and shift on the floor), "in-place" (every frame's root x, z removed,
        heading kept; dissertation 4.3) or "none".
    samples_per_bone: points along every bone; 0 for one on each joint. However many, the time is the same.
    joint_weights: name of a joint or of a part of the body ("left arm", "legs", "head", "trunk", see `cloud.PARTS`) →
        weight, for those that do not weigh 1; or "mao" for Mao's table 4.1, "length" or "children": by the length of
        the bones that a joint turns, or by how many joints hang on it (de Chenu 2006, 6).
    taper: None (all frames of a window weigh the same), "gaussian" (falling off from the window's first frame,
        σ half a window; Mao 2011, 4.2.1) or one weight per frame of the window.
    search_fps: look for minima at this lower rate first, then refine each at the full rate. Quicker, and may miss
        minima that the lower rate does not show; matrices are always computed at the full rate.
    kind: "cloud", or joint angles (de Chenu 2006, 3.7) one frame against one frame: "angle" in degrees,
        "angle-velocity" in degrees a second, "angle-acceleration" in degrees a second²; or "dissertation", the sum of
        fourth powers that the Manchester dissertation's program takes (see `metric.dissertation`); or "euler", de
        Chenu's own: the sum over all Euler channels of every joint but the root, in degrees, in the order of the file's
        channels (BVH); or "combined", the sum of several as `shares` says.
    order: 1, 2 or 4, the norm over the joints of an angle metric.
    shares: for "combined", kind → what its cost is multiplied with, as in {"cloud": 1, "angle": 0.2}.
    mesh: points on a surface instead of on the bones: "body", the body that is drawn around the skeleton, or a `Mesh`
        that stands as the rest pose does.
    """

    window: float = 1 / 3
    align: str = "planar"
    samples_per_bone: int = 5
    joint_weights: Mapping[str, float] | str | None = None
    taper: str | Sequence[float] | None = None
    search_fps: float | None = None
    kind: str = "cloud"
    order: int = 2
    shares: Mapping[str, float] | None = None
    mesh: "Surface | Mesh | str | None" = None

    def __post_init__(self) -> None:
        _one_of("kind", self.kind, KINDS)
        _one_of("align", self.align, ALIGNMENTS)
        _one_of("order", self.order, (1, 2, 4))
        if not 0 <= self.window <= _LONGEST:
            raise MotionError(f"a metric's window is a number of seconds from 0 to {_LONGEST:g}, not {self.window!r}")
        if not 0 <= self.samples_per_bone <= _MOST_SAMPLES or self.samples_per_bone != int(self.samples_per_bone):
            most = f"{_MOST_SAMPLES:,}"
            raise MotionError(f"samples_per_bone is a whole number from 0 to {most}, not {self.samples_per_bone!r}")
        if self.search_fps is not None and not (np.isfinite(self.search_fps) and self.search_fps > 0):
            raise MotionError(f"search_fps is a positive number of frames a second, not {self.search_fps!r}")
        if isinstance(self.taper, str):
            _one_of("taper", self.taper, ("gaussian",))
        elif self.taper is not None:
            taper = tuple(float(g) for g in self.taper)
            if not taper or not np.isfinite(taper).all() or min(taper) < 0 or max(taper) == 0:
                raise MotionError("a taper is a list of weights from 0 up, not all of them 0")
            object.__setattr__(self, "taper", taper)
        if isinstance(self.joint_weights, Mapping):
            weights = sorted((str(k), float(v)) for k, v in self.joint_weights.items())
            object.__setattr__(self, "joint_weights", _Hashable(weights))
        if (self.kind == "combined") != bool(self.shares):
            raise MotionError("a combined metric has shares of several kinds, as in {'cloud': 1, 'angle': 0.2}")
        for kind, share in (self.shares or {}).items():
            _one_of("a share's kind", kind, _COMBINED)
            if not (np.isfinite(share) and share > 0):
                raise MotionError(f"the share of {brief(kind)} is a number above 0, not {brief(share)}")
        if self.shares:
            ordered = {kind: float(self.shares[kind]) for kind in _COMBINED if kind in self.shares}
            object.__setattr__(self, "shares", _Hashable(ordered))
        if isinstance(self.mesh, Mesh):
            object.__setattr__(self, "mesh", surface_of(self.mesh))
        elif isinstance(self.mesh, str):
            _one_of("mesh", self.mesh, ("body",))

    @property
    def unit(self) -> str:
        """What a cost is counted in."""
        return ("cm", "°", "°/s", "°/s²", "m^4", "°", "Σ")[KINDS.index(self.kind)]

    def frames(self, fps: float) -> int:
        """L, the frames of a window at this rate; at least one."""
        return max(1, round(self.window * fps))

    def samples(self, skeleton: Skeleton) -> Samples:
        """The points of a skeleton that a cloud metric compares; those of no weight are left out."""
        own, mesh = joint_weights(skeleton, self.joint_weights), self.mesh
        assert not isinstance(mesh, Mesh), "its points are kept instead"
        return Samples.of(skeleton, own, int(self.samples_per_bone), mesh).weighing(own)

    def frame_weights(self, frames: int) -> np.ndarray:
        """(L,) weights of a window's frames."""
        if self.taper is None:
            return np.ones(frames)
        if self.taper == "gaussian":
            # Decimal's exponential is the same on every processor.
            return np.array([float(Decimal(-2.0 * (t / frames) ** 2).exp()) for t in range(frames)])
        if len(self.taper) != frames:
            raise MotionError(f"the taper has {len(self.taper)} weights, but the window has {frames} frames")
        g = np.array(self.taper)
        return g if (g != g[0]).any() else np.ones(frames)

    @property
    def key(self) -> str:
        """The same for metrics that measure the same."""
        measured = [self.window, self.align, int(self.samples_per_bone), self.joint_weights, self.taper, self.kind]
        if self.kind != "cloud":
            measured.append(self.order)
        measured += [more for more in (self.shares, self.mesh) if more is not None]
        return blake2b(repr(measured).encode(), digest_size=16).hexdigest()

    def prepare(
        self, clip: "Clip", like: "Clip | Iterable[Clip] | None" = None
    ) -> "Bodies | Segments | Angles | Combined":
        """What the metric needs of a clip, for any number of comparisons; frames before `clip.first` are left out.

        like: the clip's partner or partners, where they have other proportions: bones then weigh by the mean of
        their lengths. Only clips prepared alike can be compared.
        """
        if self.kind == "cloud":
            return Bodies.of(self, clip, like)
        if self.kind == "dissertation":
            return Segments.of(self, clip, like)
        if self.kind == "combined":
            return Combined.of(self, clip, like)
        return Angles.of(self, clip, like)


class _Hashable(dict):
    """A mapping as part of a frozen metric, which is never changed."""

    def __hash__(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]
        return hash(tuple(self.items()))


def _one_of(what: str, value: Any, allowed: Sequence[Any]) -> None:
    if value not in allowed:
        raise MotionError(f"{what} is one of {', '.join(map(repr, allowed))}, not {brief(value)}")
