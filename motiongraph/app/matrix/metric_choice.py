"""Parts of the matrix's metric that are more than one value: weights of parts of the body, shares of error functions,
and what comes from files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from motiongraph.app.command import command
from motiongraph.errors import MotionError
from motiongraph.formats.labels_file import read_weights
from motiongraph.formats.obj import read_obj
from motiongraph.metric.cloud import PARTS
from motiongraph.metric.metric import Metric

if TYPE_CHECKING:
    from motiongraph.app.state import AppState

SLIDERS = ("trunk", "head", "left arm", "right arm", "left leg", "right leg", "hands", "feet")
SHARES = {"cloud": 1.0, "angle": 0.2}  # of a combined metric at first


def with_field(metric: Metric, name: str, value: object) -> Metric:
    """A metric with one field changed; a combined one begins with usual shares, the others have none."""
    if name not in Metric.__dataclass_fields__:
        raise MotionError(f"a metric has no {name!r}")
    more = {"shares": metric.shares or SHARES if value == "combined" else None} if name == "kind" else {}
    return replace(metric, **{name: value}, **more)


def weight_of(metric: Metric, part: str) -> float:
    """What a part of the body weighs."""
    return metric.joint_weights.get(part, 1.0) if isinstance(metric.joint_weights, Mapping) else 1.0


@command
class SetPartWeight:
    """What a part of the body weighs in the matrix's metric, one of `cloud.PARTS`."""

    part: str
    weight: float

    def apply(self, state: AppState) -> None:
        if self.part not in PARTS:
            raise MotionError(f"parts of the body are {', '.join(PARTS)}, not {self.part!r}")
        metric = state.matrix.metric
        known = dict(metric.joint_weights) if isinstance(metric.joint_weights, Mapping) else {}
        known[self.part] = min(max(float(self.weight), 0.0), 100.0)
        state.matrix.metric = replace(metric, joint_weights=known)


@command
class SetShare:
    """What the cost of one error function is multiplied with in a combined metric; 0 leaves it out."""

    kind: str
    share: float

    def apply(self, state: AppState) -> None:
        metric = state.matrix.metric
        shares = {**(metric.shares or SHARES), self.kind: float(self.share)}
        shares = {kind: share for kind, share in shares.items() if share > 0.0}
        if not shares:
            raise MotionError("at least one error function must count")
        state.matrix.metric = replace(metric, kind="combined", shares=shares)


@command
class LoadWeights:
    """Weights of joints and parts of the body from the [weights] of a TOML file."""

    path: Path

    def apply(self, state: AppState) -> None:
        state.matrix.metric = replace(state.matrix.metric, joint_weights=read_weights(self.path))


@command
class LoadMesh:
    """Compare by the points of an .obj that stands as the rest pose does."""

    path: Path

    def apply(self, state: AppState) -> None:
        state.matrix.metric = replace(state.matrix.metric, kind="cloud", shares=None, mesh=read_obj(self.path))
