"""What the next walk is to be like, and making it: found and synthesized beside the loop, kept as a result."""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from motiongraph.app.command import SavedPart, command
from motiongraph.app.graph.build_graph import build_graph
from motiongraph.app.graph.graph_state import being_built, taking_part, when_built
from motiongraph.app.jobs import JobKind
from motiongraph.app.scene.camera_moves import facing
from motiongraph.app.scene.props import footprint
from motiongraph.app.walk.make_walk import DrawnPath, Request, make
from motiongraph.app.walk.results import Made, current_result, made_entry, made_of, results, show_made
from motiongraph.errors import MotionError, Unreachable
from motiongraph.formats.record import Record, checked_flag, checked_number, checked_rows, checked_word
from motiongraph.synthesis.bending import MOST
from motiongraph.walks.path_goal import Effort
from motiongraph.walks.random_walk import LONGEST

if TYPE_CHECKING:
    from motiongraph.app.state import AppState

METHODS = ("greedy", "random", "sequential", "connect", "path", "reach")
PLANNERS = ("beam", "branch and bound")

# Options by method, with what they are at first. Names are those of clips, labels, or clip:frame, "" for any; frames
# are those of the file. share: percent; stay, limit: seconds, limit 0 for none; pruned: only where motion never ends;
# facing, cost: how much these weigh, 1 as usual; among: any of so many best may be taken; angle: degrees, 0 along z;
# here: from where the active character stands; turning: degrees a second by which bodies may be turned.
# How a way is searched for (`Effort`) and what counts in it (`Weights`); facing and cost are times the usual weight.
_SEARCH: dict[str, Any] = {
    **{"planner": "beam", "limit": 0.0, "expansions": 0, "plan": 3.0, "keep": 1.0, "among": 1, "tolerance": 0.5},
    **{"facing": 1.0, "cost": 1.0, "speed": 0.0, "gamma": 0.1, "slack": 0.3, "equation_9": False},
    "around": True,  # props are obstacles
}
OPTIONS = {
    "greedy": {"start": "", "share": 5.0, "transitions": 20},
    "random": {"start": "", "seconds": 30.0, "least": 0.5, "variety": 0.5, "care": 1.0},
    "sequential": {"order": (), "stay": 0.5, "way": "exact", "trials": 1000, "detours": True, "pruned": False},
    "connect": {"source": "", "target": "", "by": "quickest", "pruned": False},
    "path": {"start": "", "turning": Effort.turning, **_SEARCH},
    "reach": {
        **{"x": 0.0, "z": 4.0, "faces": False, "angle": 0.0, "clip": "", "start": "", "here": True},
        **_SEARCH,
    },
    "motion": {"cleanup": True, "blend": "linear", "register": False, "length": 0.0, "bend": 0.0},
}
CHOICES = {
    "way": ("exact", "trials"),
    "by": ("quickest", "cheapest"),
    "planner": PLANNERS,
    "blend": ("linear", "inertialized"),
}
LIMITS = {
    **{"share": (0.1, 100.0), "transitions": (0, 10_000), "seconds": (0.5, LONGEST), "least": (0.0, 60.0)},
    **{"variety": (0.0, 1.0), "care": (0.0, 1.0), "stay": (0.0, 60.0), "trials": (1, 1_000_000), "limit": (0.0, 600.0)},
    **{"facing": (0.0, 100.0), "cost": (0.0, 100.0), "among": (1, 100), "x": (-1000.0, 1000.0)},
    **{"z": (-1000.0, 1000.0), "angle": (-180.0, 180.0), "length": (0.0, 10.0), "expansions": (0, 1_000_000_000)},
    **{"plan": (0.1, 60.0), "keep": (0.05, 60.0), "tolerance": (0.0, 10.0), "speed": (0.0, 12.0), "gamma": (0.0, 2.0)},
    **{"slack": (0.0, 1.0), "bend": (0.0, MOST), "turning": (0.0, 240.0)},
}


@dataclass(eq=False)
class WalkState:
    """How the next walk is to be found."""

    method: str = "random"  # one of METHODS
    options: dict[str, dict[str, Any]] = field(default_factory=lambda: deepcopy(OPTIONS))  # of every method
    seed: int = 0
    problem: str = ""  # why the last one was not found
    enough: float | None = None  # threshold at which it would have been found, where that is known
    built: int = 0  # in which graph, see `GraphState.built`
    waiting: Callable[[], None] | None = None  # a change of a transition, until the one being made is there
    _names: tuple[tuple | None, tuple[str, ...], tuple[str, ...]] = (None, (), ())

    @property
    def option(self) -> dict[str, Any]:
        """Those of the present method."""
        return self.options[self.method]

    @property
    def by_chance(self) -> bool:
        """Whether another seed gives another walk."""
        own = self.option
        if self.method == "sequential":
            return own["way"] == "trials"
        return self.method in ("greedy", "random") or own.get("among", 1) > 1

    def offer(self, state: AppState) -> float | None:
        """Threshold at which the failed request would succeed, or None."""
        return self.enough if self.built == state.graph.built else None

    def names(self, state: AppState) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Labels, sets of them ("fast+walk") and clips that can be named: of the graph, or of what would be in one."""
        graph = state.graph.graph
        key = state.graph.built, graph is None and state.library.version
        if self._names[0] != key:
            clips = graph.clips if graph is not None else [entry.part for entry in taking_part(state)]
            labels = sorted({word for clip in clips for word in clip.labels})
            sets = sorted({"+".join(words) for clip in clips for words in clip.labels.together()})
            self._names = key, (*labels, *sets), tuple(clip.name for clip in clips)
        return self._names[1:]


def drawn_path(state: AppState) -> DrawnPath | None:
    """(points (N, 2) x, z metres, labels, curve, closed) of the path on the floor, if there is one to follow."""
    path = state.path
    return (path.points, path.labels, path.curve, path.closed) if len(path.points) > 1 else None


def goal_of(state: AppState) -> tuple[float, float]:
    """x, z metres of the place to reach: the one planted on the floor, or else the one that was typed."""
    own = state.walk.options["reach"]
    return state.path.goal or (own["x"], own["z"])


def made_before(state: AppState) -> bool:
    """Whether a result was made in this graph with the present method, options and seed."""
    walking, graph = state.walk, state.graph.graph
    return graph is not None and any(
        (made.method, made.seed) == (walking.method, walking.seed)
        and made.graph is not None
        and made.graph.candidates is graph.candidates
        and made.graph.thresholds == graph.thresholds
        and made.options == {**walking.option, **walking.options["motion"]}
        for made in (made_of(entry) for entry in results(state))
    )


def next_name(state: AppState, method: str) -> str:
    """The method and a number that no result has yet."""
    taken = [re.fullmatch(rf"{method} (\d+)", entry.name) for entry in results(state)]
    return f"{method} {1 + max((int(found[1]) for found in taken if found), default=0)}"


def set_method(state: AppState, method: str) -> None:
    """How the next walk is found."""
    if method not in METHODS:
        raise MotionError(f"a walk is one of {', '.join(METHODS)}, not {method!r}")
    if method != state.walk.method:
        state.walk.method, state.walk.problem, state.walk.enough = method, "", None


def checked_option(method: str, name: str, value: Any) -> Any:
    """A value for an option of OPTIONS, brought within its limits."""
    if name not in OPTIONS.get(method, {}):
        raise MotionError(f"a walk has no option {name!r} for {method!r}")
    if name in CHOICES and value not in CHOICES[name]:
        raise MotionError(f"{name} can be {', '.join(CHOICES[name])}, not {value!r}")
    if name == "order":
        return tuple(str(item) for item in value)
    if name in LIMITS:
        if not isinstance(value, int | float) or not np.isfinite(value):
            raise MotionError(f"{name} must be a number, not {value!r}")
        low, high = LIMITS[name]
        return type(low)(min(max(value, low), high))
    return type(OPTIONS[method][name])(value)


def set_option(state: AppState, method: str, name: str, value: Any) -> None:
    """Change one of OPTIONS; method "motion" for what holds for all of them."""
    value = checked_option(method, name, value)
    state.walk.options[method][name] = value


def set_seed(state: AppState, seed: int) -> None:
    """The same seed gives the same walk."""
    state.walk.seed = min(max(int(seed), 0), 2**31 - 1)


def make_walk(state: AppState) -> None:
    """Find a walk with the present method, options and seed, and make its motion."""
    walking, graphs = state.walk, state.graph
    walking.problem, walking.enough, walking.built = "", None, graphs.built
    try:
        request = _request(state)
        if graphs.graph is None and not being_built(state):
            build_graph(state)
    except MotionError as problem:
        walking.problem = str(problem)
        raise
    if graphs.graph is None:
        when_built(state, "walk", lambda _: make_walk(state))
        return
    graph, entries = graphs.graph, graphs.entries

    def work(progress, deliver):
        try:
            deliver(make(graph, request, progress))
        except MotionError as problem:  # the panel shows it, too
            deliver(problem)

    def then(result):
        if isinstance(result, MotionError):
            walking.problem = str(result)
            walking.enough = result.threshold if isinstance(result, Unreachable) else None
            state.say(walking.problem, "error")
            return
        clip, prepared, walk, report, asked = result
        options = {**request.options, **request.motion}
        made = Made(walk, request.method, options, request.seed, report, asked, entries, graph)
        show_made(state, clip, prepared, made)
        if walk.note:
            state.say(f"{clip.name}: {walk.note}", "warning")

    state.jobs.start(JobKind.WALK, f"making {request.name}", work, then)


def walk_again(state: AppState) -> None:
    """The path has changed under the walk that is shown: make it again in its place, while it goes on playing. What
    changes meanwhile waits for the walk that is being made, so that one is always shown soon."""
    entry, graphs, path = current_result(state), state.graph, state.path
    if entry is None or entry.made is None or entry.made.method != "path" or state.walk.method != "path":
        return
    busy = any(job.kind is JobKind.WALK and not job.cancelled.is_set() for job in state.jobs.running)
    if graphs.graph is None or state.live is not None or busy or path.line is None:
        return
    graph, entries, version, old = graphs.graph, graphs.entries, path.version, entry.made
    request = replace(_request(state), name=entry.name)

    def work(progress, deliver):
        try:
            deliver(make(graph, request, progress, quick=True))
        except MotionError as problem:  # a path no one can walk, for a moment
            deliver(problem)

    def then(result):
        here = state.library.get(entry.number)
        if here is None or here.made is not old:
            return  # another walk was made meanwhile
        if isinstance(result, MotionError):
            state.walk.problem = str(result)
        else:
            clip, prepared, walk, report, asked = result
            made = Made(walk, "path", old.options, request.seed, report, asked, entries, graph)
            state.walk.problem = ""
            state.library.put(replace(here, clip=clip, prepared=prepared, made=made, start=clip.first, stop=len(clip)))
        if state.path.version != version:
            walk_again(state)

    state.jobs.start(JobKind.WALK, f"making {request.name} again", work, then, quiet=True)


def _request(state: AppState) -> Request:
    """A snapshot of what is asked for, or a sentence about what is missing."""
    walking = state.walk
    method, options, path = walking.method, deepcopy(walking.option), None
    if method == "sequential" and not options["order"]:
        raise MotionError("a sequential walk needs an order: add the labels or clips that it is to go through")
    if method == "connect" and not (options["source"] and options["target"]):
        raise MotionError("say what is to be connected: choose a clip or label to come from and one to go to")
    if method == "path":
        path = drawn_path(state)
        if path is None:
            raise MotionError("there is no path to follow yet: draw one on the floor, or take one from the Path panel")
    at = (0.0, 0.0, 0.0)
    if method == "reach":
        options["x"], options["z"] = map(float, goal_of(state))
        posed = [cast.groups[0].entries[0] for cast in state.casts if cast.groups]
        if options["here"] and state.entry in posed:
            x, _, z = state.focus(state.active).tolist()
            at = x, z, float(np.radians(facing(state, state.active)))
    motion = deepcopy(walking.options["motion"])
    things = (footprint(prop) for prop in state.scene.props) if options.get("around") else ()
    obstacles = tuple(thing for thing in things if thing is not None)
    return Request(method, options, motion, walking.seed, path, at, next_name(state, method), obstacles)


# What projects keep of it

Saved = tuple[str, int, dict[str, dict[str, Any]]]  # method, seed, options


def _read(state: AppState) -> Saved:
    return state.walk.method, state.walk.seed, deepcopy(state.walk.options)


def _write(state: AppState, value: Saved) -> None:
    walking = state.walk
    walking.method, walking.seed, walking.options = value[0], value[1], deepcopy(value[2])
    walking.problem, walking.enough = "", None


def _to_plain(value: Saved) -> tuple[dict, dict]:
    return {"walk": {"method": value[0], "seed": value[1], "options": value[2]}}, {}


def _from_plain(saved: Record, state: AppState) -> Saved:
    walk, found = saved.record("walk"), deepcopy(OPTIONS)
    given = walk.record("options")
    for method in given.values.keys() & found.keys():
        found[method] |= _from_record(method, given.record(method))
    return walk.word("method", METHODS), walk.whole("seed", 0, 2**31 - 1), found


def options_from_plain(method: str, saved: Record) -> dict[str, Any]:
    """Those that a result was made with: of its method and of its motion."""
    return _from_record(method, saved) | _from_record("motion", saved)


def _from_record(method: str, saved: Record) -> dict[str, Any]:
    """The options of a method that a record has."""
    usual = OPTIONS.get(method, {})
    names = [name for name in saved.values if name in usual]
    return {name: checked_option(method, name, _like(saved.get(name), usual[name], name)) for name in names}


def _like(value: Any, usual: Any, name: str) -> Any:
    """A value from a file, of the kind that the usual one is."""
    if isinstance(usual, tuple):
        return [checked_word(item, name) for item in checked_rows(value, name)]
    if isinstance(usual, bool):
        return checked_flag(value, name)
    return checked_word(value, name) if isinstance(usual, str) else checked_number(value, name)


WALK = SavedPart("walk", _read, _write, to_plain=_to_plain, from_plain=_from_plain, optional="walk", is_work=False)


# Commands


@command
class SetWalk:
    """How the next walk is found: one of `METHODS`."""

    method: str

    def apply(self, state: AppState) -> None:
        set_method(state, self.method)


@command
class SetWalkOption:
    """One of `OPTIONS`; method "motion" for what holds for all of them."""

    method: str
    name: str
    value: Any

    def apply(self, state: AppState) -> None:
        set_option(state, self.method, self.name, self.value)


@command
class SetSeed:
    """The same seed gives the same walk."""

    seed: int

    def apply(self, state: AppState) -> None:
        set_seed(state, self.seed)


@command
class NewSeed:
    """Make another walk like it: the next seed."""

    def apply(self, state: AppState) -> None:
        set_seed(state, state.walk.seed + 1)
        make_walk(state)


@command
class MakeWalk:
    """Find a walk with the present method, options and seed, and make its motion; builds a graph first if there is
    none."""

    def apply(self, state: AppState) -> None:
        make_walk(state)


@command
class TakeOptions:
    """Set method, options and seed to those a result was made with, by its number in the library."""

    entry: int

    def apply(self, state: AppState) -> None:
        made = made_entry(state, self.entry).made
        if made is None or made.method not in state.walk.options:
            raise MotionError(f"there are no options for {made and made.method}")
        set_method(state, made.method)
        set_seed(state, made.seed)
        for method in (made.method, "motion"):
            for name, value in made.options.items():
                if name in state.walk.options[method]:
                    set_option(state, method, name, value)
