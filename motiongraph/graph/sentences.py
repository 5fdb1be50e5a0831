"""What building a graph says about the clips that take part, a list of sentences for each matter."""

from collections.abc import Mapping, Sequence

import numpy as np

from motiongraph.graph.candidates import Candidates
from motiongraph.graph.report import NAMED, alone, listed
from motiongraph.graph.rules import share_compared, stretches
from motiongraph.metric.tape import FEW, prunes
from motiongraph.model.bone_map import bone_map
from motiongraph.model.clip import Clip
from motiongraph.model.retarget import hanging
from motiongraph.model.skeleton import Skeleton

_LARGE = 100_000  # frames


def rates(clips: Sequence[Clip], rate: float) -> list[str]:
    """One sentence where clips have several rates."""
    rates = sorted({clip.fps for clip in clips})
    if len(rates) < 2:
        return []
    words = f"{', '.join(f'{fps:g}' for fps in rates[:-1])} and {rates[-1]:g}"
    return [f"clips have {words} frames a second; all are resampled to {rate:g}"]


def errors(mended: Sequence[tuple[Clip, list[tuple[int, int]]]]) -> list[str]:
    """One sentence where errors of the capture were bridged."""
    found = [(clip.name, stretches) for clip, stretches in mended if stretches]
    if not found:
        return []
    frames = sum(stop - start for _, stretches in found for start, stop in stretches)
    shown = [f"{name} {', '.join(f'{a}–{b - 1}' for a, b in stretches[:3])}" for name, stretches in found[:3]]
    more = " …" if len(found) > 3 or any(len(stretches) > 3 for _, stretches in found) else ""
    clips = "1 clip" if len(found) == 1 else f"{len(found)} clips"
    return [f"errors of the capture were bridged, {frames} frames of {clips}: {'; '.join(shown)}{more}"]


def bodies(clips: Sequence[Clip], body: Skeleton, bones: Mapping[str, str]) -> list[str]:
    """One sentence where clips have other joints than the graph's body, with what nothing moves there."""
    others = [clip for clip in clips if hanging(clip.skeleton) != hanging(body)]
    if not others:
        return []
    still = bone_map(others[0].skeleton, body, bones).without_source
    still = [name for name in still if not name.endswith("_end")]
    names = f"{others[0].name}{f' and {len(others) - 1} more' if len(others) > 1 else ''}"
    kept = f"; {', '.join(still[:5])}{', …' if len(still) > 5 else ''} keep still there" if still else ""
    return [f"{names} moved another body; the motion was put on this one bone by bone{kept}"]


def prepared_anew(known: Candidates | None, candidates: Candidates) -> list[str]:
    """One sentence where adding to a large graph took long because its file does not know what is near what."""
    if known is None or known.frames < _LARGE or known.cells() is not None or candidates.cells() is None:
        return []
    return [
        f"the graph's {len(known.clips)} clips were all prepared once more, since its file was written before cells "
        "were kept; once it is saved, clips are added in seconds"
    ]


def whole(candidates: Candidates, search: str) -> list[str]:
    """One sentence where much was compared although it could not matter, for want of bounds."""
    metric = candidates.metric
    if search == "exhaustive" or candidates.frames < FEW or prunes(metric, candidates.ceiling):
        return []
    what = f"a metric of kind {metric.kind}" if metric.kind != "cloud" else f"alignment {metric.align!r}"
    return [
        f"{what if np.isfinite(candidates.ceiling) else 'no ceiling'}: every pair of windows was compared, "
        "because what cannot matter is only known for point clouds that may turn, up to a ceiling"
    ]


def feet(candidates: Candidates) -> list[str]:
    """One sentence about what is compared where only windows with the same feet down are."""
    if not candidates.rules.same_feet:
        return []
    share = share_compared(stretches(candidates.clips, candidates.window))
    return [f"only windows with the same feet down were compared: {share:.0%} of all pairs"]


def lonely(candidates: Candidates) -> list[str]:
    """A sentence about clips that no transition joins to another, whatever it costs."""
    names = alone(candidates)
    if not names:
        return []
    limit = f"{candidates.max_cost:.3g} {candidates.metric.unit}"
    who = f"{names[0]} is" if len(names) == 1 else f"{listed(names)} are"
    rest = "; the report lists them (alone)" if len(names) > NAMED else ""
    return [f"{who} joined to no other clip: nothing is alike up to {limit}{rest}"]
