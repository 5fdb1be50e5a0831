"""What the next walk is to be like, and making it: found and synthesized beside the loop, kept as a result."""

import re
from copy import deepcopy
from dataclasses import dataclass, field

import numpy as np

from motiongraph.app import commands as do
from motiongraph.app.commands import apply
from motiongraph.app.graphs import being_built, taking_part
from motiongraph.app.results import Made, results, show_made
from motiongraph.app.view import facing
from motiongraph.errors import MotionError

METHODS = ("greedy", "random", "sequential", "connect", "path", "reach")
PLANNERS = ("beam", "branch and bound")

# Options by method, with what they are at first. Names are those of clips, labels, or clip:frame, "" for any; frames
# are those of the file. share: percent; stay, limit: seconds, limit 0 for none; pruned: only where motion never ends;
# facing, cost: how much these weigh, 1 as usual; among: any of so many best may be taken; angle: degrees, 0 along z;
# here: from where the character in hand stands.
OPTIONS = {
    "greedy": {"start": "", "share": 5.0, "transitions": 20},
    "random": {"start": "", "seconds": 30.0, "least": 5, "variety": 0.5},
    "sequential": {"order": (), "stay": 0.5, "way": "exact", "trials": 1000, "pruned": False},
    "connect": {"source": "", "target": "", "by": "quickest", "pruned": False},
    "path": {"start": "", "planner": "beam", "limit": 0.0, "facing": 1.0, "cost": 1.0, "among": 1},
    "reach": {
        **{"x": 0.0, "z": 4.0, "faces": False, "angle": 0.0, "clip": "", "start": "", "here": True},
        **{"planner": "beam", "limit": 0.0, "facing": 1.0, "cost": 1.0, "among": 1},
    },
    "motion": {"cleanup": True, "blend": "linear"},
}
CHOICES = {
    "way": ("exact", "trials"),
    "by": ("quickest", "cheapest"),
    "planner": PLANNERS,
    "blend": ("linear", "inertialized"),
}
LIMITS = {
    **{"share": (0.1, 100.0), "transitions": (0, 10_000), "seconds": (0.5, 36_000.0), "least": (0, 10_000)},
    **{"variety": (0.0, 1.0), "stay": (0.0, 60.0), "trials": (1, 1_000_000), "limit": (0.0, 600.0)},
    **{"facing": (0.0, 100.0), "cost": (0.0, 100.0), "among": (1, 100), "x": (-1000.0, 1000.0)},
    **{"z": (-1000.0, 1000.0), "angle": (-180.0, 180.0)},
}
_AT = re.compile(r" at (\d+(?:\.\d+)?)$")  # how the sentences of walks end that know a threshold


@dataclass(eq=False)
class WalkState:
    """method: of the next walk; options: of every method, see OPTIONS; waiting: a walk is made once the graph is
    there; problem: why the last one was not found, in which graph: `GraphState.built`."""

    method: str = "random"
    options: dict[str, dict] = field(default_factory=lambda: deepcopy(OPTIONS))
    seed: int = 0
    waiting: bool = False
    problem: str = ""
    built: int = 0
    _names: tuple = (None, (), ())

    @property
    def option(self) -> dict:
        """Those of the present method."""
        return self.options[self.method]

    @property
    def by_chance(self) -> bool:
        """Whether another seed gives another walk."""
        own = self.option
        if self.method == "sequential":
            return own["way"] == "trials"
        return self.method in ("greedy", "random") or own.get("among", 1) > 1

    def offer(self, state) -> float | None:
        """The threshold at which what failed would not, where that is known of the graph in hand."""
        found = _AT.search(self.problem) if self.built == state.graphs.built else None
        return float(found[1]) if found else None

    def names(self, state) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Labels and clips that can be named: those of the graph, or of the clips that would be in one."""
        graph = state.graphs.graph
        key = state.graphs.built, graph is None and state.library.version
        if self._names[0] != key:
            clips = graph.clips if graph is not None else [entry.part for entry in taking_part(state)]
            labels = sorted({word for clip in clips for word in clip.labels})
            self._names = key, tuple(labels), tuple(clip.name for clip in clips)
        return self._names[1:]


@dataclass(frozen=True)
class Wanted:
    """A walk to be made: everything `making.find` needs. path: (points, labels, curve, closed), where one is drawn;
    at: x, z, heading (metres, radians) to begin at when a place is to be reached; files: (offset, ratio) of each of the
    graph's clips, from its frames to those of its file; name: of the motion."""

    method: str
    options: dict
    motion: dict
    seed: int
    files: tuple[tuple[int, float], ...]
    path: tuple | None
    at: tuple[float, float, float]
    name: str


def drawn_path(state) -> tuple | None:
    """(points (N, 2) x, z metres, labels, curve, closed) of the path on the floor, if there is one to follow."""
    path = state.path
    return (path.points, path.labels, path.curve, path.closed) if len(path.points) > 1 else None


def goal_of(state) -> tuple[float, float]:
    """x, z metres of the place to reach: the one planted on the floor, or else the one that was typed."""
    own = state.walking.options["reach"]
    return state.path.goal or (own["x"], own["z"])


def made_before(state) -> bool:
    """Whether a result was made in this graph with the present method, options and seed."""
    walking, graph = state.walking, state.graphs.graph
    return graph is not None and any(
        (made.method, made.seed) == (walking.method, walking.seed)
        and made.graph.candidates is graph.candidates
        and made.graph.thresholds == graph.thresholds
        and made.options == {**walking.option, **walking.options["motion"]}
        for made in (entry.made for entry in results(state))
    )


def next_name(state, method: str) -> str:
    """The method and a number that no result has yet."""
    taken = [re.fullmatch(rf"{method} (\d+)", entry.name) for entry in results(state)]
    return f"{method} {1 + max((int(found[1]) for found in taken if found), default=0)}"


def go_on(state) -> None:
    """Make the walk that waits for a graph once that is there; forget it where none came."""
    if not state.walking.waiting:
        return
    if state.graphs.graph is not None:
        state.walking.waiting = False
        state.issue(do.MakeWalk())
    elif not being_built(state):
        state.walking.waiting = False


# Commands


@apply.register
def _(command: do.SetWalk, state):
    if command.method not in METHODS:
        raise MotionError(f"a walk is one of {', '.join(METHODS)}, not {command.method!r}")
    if command.method != state.walking.method:
        state.walking.method, state.walking.problem = command.method, ""


@apply.register
def _(command: do.SetWalkOption, state):
    options, name, value = state.walking.options.get(command.method, {}), command.name, command.value
    if name not in options:
        raise MotionError(f"a walk has no option {name!r} for {command.method!r}")
    if name in CHOICES and value not in CHOICES[name]:
        raise MotionError(f"{name} can be {', '.join(CHOICES[name])}, not {value!r}")
    if name == "order":
        value = tuple(str(item) for item in value)
    elif name in LIMITS:
        if not isinstance(value, int | float) or not np.isfinite(value):
            raise MotionError(f"{name} must be a number, not {value!r}")
        low, high = LIMITS[name]
        value = type(low)(min(max(value, low), high))
    else:
        value = type(OPTIONS[command.method][name])(value)
    options[name] = value


@apply.register
def _(command: do.SetSeed, state):
    state.walking.seed = min(max(int(command.seed), 0), 2**31 - 1)


@apply.register
def _(command: do.NewSeed, state):
    apply(do.SetSeed(state.walking.seed + 1), state)
    apply(do.MakeWalk(), state)


@apply.register
def _(command: do.MakeWalk, state):
    walking, graphs = state.walking, state.graphs
    walking.waiting, walking.problem, walking.built = False, "", graphs.built
    try:
        wanted = _wanted(state)
        if graphs.graph is None and not being_built(state):
            apply(do.BuildGraph(), state)
    except MotionError as problem:
        walking.problem = str(problem)
        raise
    if graphs.graph is None:
        walking.waiting = True
        return
    graph, entries = graphs.graph, graphs.entries

    def work(progress, deliver):
        from motiongraph.app.making import make

        try:
            deliver(make(graph, wanted, progress))
        except MotionError as problem:  # told by the panel, too
            deliver(problem)

    def then(result):
        if isinstance(result, MotionError):
            walking.problem = str(result)
            state.say(walking.problem, "error")
            return
        clip, prepared, walk, report, asked = result
        options = {**wanted.options, **wanted.motion}
        made = Made(walk, wanted.method, options, wanted.seed, report, asked, entries, graph)
        show_made(state, clip, prepared, made)
        if walk.note:
            state.say(f"{clip.name}: {walk.note}", "warning")

    state.jobs.start("walk", f"making {wanted.name}", work, then)


def _wanted(state) -> Wanted:
    """A snapshot of what is asked for, or a sentence about what is missing."""
    walking = state.walking
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
    return Wanted(method, options, motion, walking.seed, state.graphs.files, path, at, next_name(state, method))
