"""What is told of a walk along a path beside how far off it is: where it could not do what was asked, and why."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from motiongraph.elementary import cos
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.walks.curve import Curve, progress_along
from motiongraph.walks.floor_path import floor_graph
from motiongraph.walks.label_passages import why_misplaced
from motiongraph.walks.path_goal import STANDS, Goal, behaviour_changes
from motiongraph.walks.sharp_turns import corners, sharp_stretches, tightest_turn, turn_near
from motiongraph.walks.turn_table import NEVER, room_to_turn
from motiongraph.walks.walk import Walk, called

FAR = 0.5  # m off the path that is worth a word
NEARLY = 0.25  # m more than must be
LATE = 0.5  # m before or after its place from which a label begins early or late
_OFTEN = 5  # changes of behaviour that are worth one
_SAME = 0.02  # m of labels lacking that are none
_BESIDE = 1.0  # m along the path from a place that is still there
_HELD = 0.8  # share of a stretch
_OTHER = 0.3  # share by which it goes faster or slower than asked for
_ENDS = 0.6  # m/s at which it ends
_STANDING = 0.01  # share of the places at which clips can be joined that stand, from which on one expects a stop
_MANY = 500  # clips beyond which the tightest turn of all of them is not looked for
_TABLE = 200_000  # transitions beyond which the table of turns takes too long for a word
_WIDE = 1.0  # m to turn round in that are worth one


def least_off(graph: MotionGraph, curve: Curve) -> float:
    """Metres by which any walk leaves a path at its sharpest corner, as far as the table of turns tells; 0 where no
    corner is sharp."""
    # A circle through the corner bulges over both legs by r (1 − cos(turn / 2)).
    most = max((1.0 - abs(float(cos(0.5 * turn))) for _, turn in corners(curve)), default=0.0)
    return 0.5 * room_to_turn(graph) * most if most else 0.0


def behaviour_count(graph: MotionGraph, taken: Sequence[int]) -> int:
    """How many of these transitions, as `Floor` counts them, lead to other behaviour."""
    other = behaviour_changes(graph.candidates.labelling.sets).ravel()
    return int(other[graph.candidates.set_pairs[floor_graph(graph).rows[np.array(taken, int)]]].sum())


def said(graph: MotionGraph, goal: Goal, walk: Walk) -> str:
    """One sentence on where the walk could not do what was asked, or ""."""
    facts, curve, words = walk.facts, goal.curve, [walk.note] if walk.note else []
    worst, often = facts.get("path_error_worst", 0.0), facts["behaviour_changes"]
    if worst > FAR:
        at = facts["path_error_worst_at"]
        words.append(f"it leaves the path by {worst:.1f} m at {at:.1f} m: {_why_off(graph, curve, worst, at)}")
    if often >= _OFTEN and (sharp := _too_sharp(graph, curve)):
        metres = sum(b - a for a, b in sharp)
        words.append(
            f"{metres:.0f} of {curve.length:.0f} m turn more sharply than any clip does on its way, by "
            f"{np.degrees(tightest_turn(graph)):.0f}° within a metre: to keep near the path there it stops and turns, "
            f"or steps aside, and changes what it does {often} times"
        )
    for switch in facts.get("switches", ()):
        begins, asked = switch["begins"], switch["asked"]
        if begins is None or abs(begins - asked) > LATE:
            when = "nowhere"
            if begins is not None:
                when = f"{abs(begins - asked):.1f} m {'later' if begins > asked else 'earlier'}"
            k = int(np.searchsorted(goal.changes, asked))
            words.append(f"{switch['label']} begins {when}: {why_misplaced(graph, goal, k)}")
        elif switch["held"] < _HELD:
            words.append(
                f"only {100 * switch['held']:.0f} % of the stretch asked for as {switch['label']} is that: no way near "
                "the path was found that keeps to it"
            )
    return "; ".join([*words, *_haste(graph, goal, facts)])


def _why_off(graph: MotionGraph, curve: Curve, worst: float, at: float) -> str:
    """Why a walk leaves a path by so many metres at a place."""
    if worst <= least_off(graph, curve) + NEARLY:
        return f"to turn round, walks on this graph need {room_to_turn(graph):.1f} m from side to side"
    # Who is far off has left the path where it turned too sharply, before that place.
    far = max(_BESIDE, worst)
    sharp = [(a, b) for a, b in _too_sharp(graph, curve) if at - 2.0 * far < b + _BESIDE and a - _BESIDE < at]
    if turns := [turn_near(curve, 0.5 * (a + b), 0.5 * (b - a)) for a, b in sharp]:
        return (
            f"the path turns by {max(turns):.0f}° within a metre there, no clip by more than "
            f"{np.degrees(tightest_turn(graph)):.0f}°, and no way was found that stops to turn so near to it"
        )
    why = "no way through the graph was found that turns or stops as sharply there"
    if len(floor_graph(graph).rows) > _TABLE or (room := room_to_turn(graph)) < _WIDE:
        return why
    if room >= NEVER:
        return f"{why}, and no walk on it turns round"
    return f"{why}; to turn round, walks on it need {room:.1f} m from side to side"


def _haste(graph: MotionGraph, goal: Goal, facts: dict[str, Any]) -> Iterator[str]:
    """Where a walk does not go at the speed asked for, or does not come to stand though others on the graph do."""
    rules, speed, ground = goal.rules, facts.get("path_speed", 0.0), floor_graph(graph)
    if rules.hurry > 0.0 and abs(speed - rules.speed) > _OTHER * rules.speed:
        least, most = np.percentile(ground.pace[ground.nodes], (5.0, 95.0)).tolist()
        why = "no way along the path was found that is " + ("slower" if speed > rules.speed else "faster")
        if not least <= rules.speed <= most:
            why = f"nearly all motion of the graph goes at {least:.1f} to {most:.1f} m/s"
        yield f"it goes at {speed:.1f} m/s on average, not {rules.speed:.1f}: {why}"
    stands = float((ground.pace[ground.nodes] < STANDS).mean())
    if rules.end_rest > 0.0 and facts["end_speed"] > _ENDS and stands >= _STANDING:
        yield f"it ends at {facts['end_speed']:.1f} m/s: no way near the path was found that comes to stand there"


def _too_sharp(graph: MotionGraph, curve: Curve) -> list[tuple[float, float]]:
    """Where a path turns more sharply than any clip; nowhere in graphs of so many clips that this takes long."""
    return sharp_stretches(curve, tightest_turn(graph)) if len(graph.clips) <= _MANY else []


def label_facts(graph: MotionGraph, goal: Goal, walk: Walk) -> None:
    """Where each stretch's motion really begins, and how much of the walk has the label asked for."""
    along = progress_along(walk, goal.curve)
    source = np.concatenate(list(_frames_played(graph, walk)))
    stretch = np.searchsorted(goal.changes, along, side="right") - 1
    fits = np.ones(len(along), bool)
    for k, need in enumerate(goal.needs):
        if need is not None:
            fits[stretch == k] = need[source[stretch == k]]
    walk.facts["labels_held"] = float(fits.mean())
    switches = []
    for k, need in enumerate(goal.needs[1:], 1):
        if need is not None:
            held = float(fits[stretch == k].mean()) if (stretch == k).any() else 0.0
            asked = {"label": called(graph, goal.asked[k]), "asked": float(goal.changes[k])}
            switches.append({**asked, "begins": _begins(goal, k, along, source), "held": held})
    walk.facts["switches"] = switches


def _begins(goal: Goal, k: int, along: np.ndarray, source: np.ndarray) -> float | None:
    """Metres along the path at which the label of stretch k begins, None where it never does: the moment before which
    the label of the stretch before, and after which its own, is lacking on the fewest metres; where several are as
    good, as of motion with both labels, the one nearest to where it was asked for.

    along: (F,) metres along the path of every frame, source: (F,) the frame it is of.
    """
    before, need, asked = goal.needs[k - 1], goal.needs[k], goal.changes[k]
    end = goal.changes[k + 1] if k + 1 < len(goal.changes) else goal.curve.length
    both = np.flatnonzero((along >= goal.changes[k - 1]) & (along <= end))
    assert need is not None
    has = need[source[both]]
    if not has[along[both] >= asked].any():
        return None
    gone = np.abs(np.diff(along[both], append=along[both[-1]])) + 1e-9
    lacked = np.zeros(len(both)) if before is None else gone * ~before[source[both]]
    # Of every moment, from before the first frame to after the last, what is lacking on either side of it.
    wrong = np.append(0.0, np.cumsum(lacked)) + np.append(np.cumsum((gone * ~has)[::-1])[::-1], 0.0)
    places = np.append(along[both], end)
    best = np.flatnonzero(wrong <= wrong.min() + _SAME)
    return float(places[best[np.argmin(np.abs(places[best] - asked))]])


def _frames_played(graph: MotionGraph, walk: Walk) -> Iterator[np.ndarray]:
    """Of every frame of the walk, the captured frame it mostly is, counted over all clips."""
    starts, half = floor_graph(graph).starts, walk.window // 2
    for k, (clip, start, stop) in enumerate(walk.steps.tolist()):
        yield starts[clip] + np.arange(start, stop)
        if k < len(walk.transitions):
            jump = walk.transitions[k]
            yield starts[jump["src"]] + jump["src_frame"] + np.arange(half)
            yield starts[jump["dst"]] + jump["dst_frame"] + np.arange(half, walk.window)
