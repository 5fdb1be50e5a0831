"""How good a walk and its motion are, in words: every figure beside what the captured clips have."""

from functools import lru_cache

from motiongraph.viewer import theme

_LIKE, _MORE = 1.25, 2.0  # times what the captured clips have: as good, and noticeably worse


@lru_cache(maxsize=16)
def judged(made) -> tuple[tuple[str, tuple, str], ...]:
    """(what, colour, sentence) for a `results.Made`."""
    report = {"unit": made.unit, **made.report}
    return tuple(line for part in (_way, _path, _seams, _feet, _knees, _rest) for line in part(report))


def _compared(value: float, captured: float) -> tuple:
    """Green where it is like the captured clips or better, yellow, red."""
    return theme.GOOD if value <= _LIKE * captured else theme.WARN if value <= _MORE * captured else theme.BAD


def _way(report):
    count = report.get("transitions", 0)
    costs = (
        f", {report['cost_mean']:.2f} {report['unit']} on average, {report['cost_max']:.2f} at worst" if count else ""
    )
    many = "1 transition" if count == 1 else f"{count} transitions"
    clips = "1 clip" if report.get("clips") == 1 else f"{report.get('clips', 0)} clips"
    yield "walk", theme.INK, f"{many} through {clips}{costs}"


def _path(report):
    if "path_error_mean" in report:
        mean, worst = 100 * report["path_error_mean"], 100 * report["path_error_worst"]
        colour = theme.GOOD if mean < 20 else theme.WARN if mean < 50 else theme.BAD
        walked = f"{report['path_walked']:.1f} of {report['path_length']:.1f} m"
        yield "path", colour, f"{walked}, {mean:.0f} cm beside it on average, {worst:.0f} at worst"
        along = report["facing_along"]
        colour = theme.GOOD if along > 0.9 else theme.WARN if along > 0.6 else theme.BAD
        yield "facing", colour, f"along the path {100 * along:.0f} % of the time"
    if "labels_held" in report:
        held = report["labels_held"]
        colour = theme.GOOD if held > 0.9 else theme.WARN if held > 0.6 else theme.BAD
        yield "labels", colour, f"as painted {100 * held:.0f} % of the time"
    if report.get("end_distance") is not None:
        far = 100 * report["end_distance"]
        turn = f", turned {report['end_turn']:.0f}° away" if report.get("end_turn") is not None else ""
        colour = theme.GOOD if far < 15 else theme.WARN if far < 50 else theme.BAD
        yield "end", colour, f"{far:.0f} cm from the place{turn}"


def _seams(report):
    ratio = report.get("seam_ratio")
    if ratio is None:
        return
    if ratio <= _LIKE:
        said = "as smooth as the motion around them"
    else:
        said = "a little rougher than the motion around them" if ratio <= _MORE else "they jolt"
    yield "seams", _compared(ratio, 1.0), f"{said} (accelerations × {ratio:.2f})"


def _feet(report):
    if "slide_mean" not in report:
        return
    mean, worst = report["slide_mean"], report["slide_worst"]
    captured = report.get("captured", {}).get("slide_mean")
    colour = _compared(mean, max(captured, 1.0)) if captured is not None else theme.INK
    beside = f"; captured {captured:.1f}" if captured is not None else ""
    said = "stand still" if mean < 0.5 else "slide"
    yield "feet", colour, f"{said}: {mean:.1f} cm/s, {worst:.1f} at worst{beside}"
    if report.get("penetration", 0.0) > 0.5:
        yield "floor", theme.WARN, f"a foot is {report['penetration']:.1f} cm below it at worst"


def _knees(report):
    if "knee_pop_p99" not in report:
        return
    value, captured = report["knee_pop_p99"], report.get("captured", {}).get("knee_pop_p99")
    if captured is None:
        yield "knees", theme.INK, f"bend with jumps of {value:.1f} rad/s a frame"
        return
    colour = _compared(value, captured)
    said = "bend as captured" if colour == theme.GOOD else "bend a little suddenly" if colour == theme.WARN else "pop"
    yield "knees", colour, f"{said} ({value:.1f} rad/s a frame; captured {captured:.1f})"


def _rest(report):
    if report.get("glitches"):
        yield "capture", theme.WARN, f"{report['glitches']} frames came with errors of the capture; trim them away"
    if "compute_seconds" in report:
        yield "found in", theme.INK, f"{report['compute_seconds']:.2f} s"
