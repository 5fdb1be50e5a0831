"""The state as a project, and a project as the state: what is worth keeping, told part by part and taken in again."""

from dataclasses import asdict, fields, replace

import numpy as np

from motiongraph.app import commands as do
from motiongraph.app import why
from motiongraph.app.commands import apply
from motiongraph.app.history import History
from motiongraph.app.playback import LOOPS, RESULT, ROOTS
from motiongraph.app.results import results
from motiongraph.app.scene import Ghost
from motiongraph.errors import MotionError

SUFFIX = ".mgproj"
_MATRIX = ("a", "b", "threshold", "unit", "linked", "clouds")
# Of a ghost's record: the pose and where it stands; the rest follows from its clip.
_GHOST = ("frame", "root_frame", "mode", "start", "stop", "laps", "direction", "theta", "x", "z")


def mark(state) -> tuple:
    """Changes with everything that a project would be saved for; not with what is only looked at."""
    clips = ((e.number, id(e.clip), e.start, e.stop, e.used) for e in state.library if not (e.made and e.made.preview))
    scene = tuple(state.scene.places.items()), tuple(map(id, state.scene.ghosts)), state.scene.props
    return tuple(clips), state.graphs.version, state.path.version, *scene


def has_work(state) -> bool:
    """Whether there is more than opened clips: what would be a pity to lose."""
    edited = any(not entry.made and entry.trimmed for entry in state.library) or bool(state.history.done)
    return edited or bool(results(state)) or state.graphs.graph is not None or state.path.line is not None


def snapshot(state):
    """The state as a `project.Project`, whose parts nobody changes any more."""
    from motiongraph.app.project import Project

    entries = tuple(entry for entry in state.library if not (entry.made and entry.made.preview))
    camera = state.camera.to_plain() if state.camera else None
    plain = {
        "tracks": [[track.clip, track.elapsed] for track in state.tracks],
        "active": state.active,
        "playback": {**asdict(state.playback), "playing": False},
        "layers": asdict(state.scene.layers),
        "views": state.scene.views,
        "places": [[number, *place] for number, place in state.scene.places.items()],
        "camera": camera,
        "follow": state.follow,
    }
    arrays = {}
    for name, tell in TOLD.items():
        plain[name], more = tell(state)
        arrays |= {f"{name}/{key}": array for key, array in more.items()}
    return Project(entries, state.graphs.graph, as_plain(plain), arrays)


def as_plain(value):
    """As JSON can hold it."""
    if isinstance(value, dict):
        return {str(key): as_plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [as_plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return as_plain(value.tolist())
    if isinstance(value, np.generic):
        return as_plain(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def fit(value, like, name: str):
    """A value of the kind that `like` is; a ValueError where it is of another."""
    if isinstance(like, float) and isinstance(value, int | float) and not isinstance(value, bool):
        value = float(value)
    if type(value) is not type(like) or (isinstance(value, float) and not np.isfinite(value)):
        raise ValueError(f"{name} is {value!r}")
    return value


def number(value, name: str, low: int, high: int) -> int:
    """A whole number from low to high."""
    if not low <= fit(value, 0, name) <= high:
        raise ValueError(f"{name} is {value!r}")
    return value


# Taking in


def take_in(state, project, drawn) -> None:
    """Make the state what the project says; drawn: what its graph is shown with (`building.Drawn`)."""
    from motiongraph.app.state import AppState

    plain, blank = project.plain, AppState()
    why.forget(state)
    apply(do.SetTool("off"), state)
    apply(do.PointAtCell(None), state)
    apply(do.DropGraph(), state)
    state.leading, state.scene.pair, state.history = None, None, History()
    state.library.clear()
    for entry in project.entries:
        state.library.put(entry)
    state.library.begin_at(1 + max((entry.number for entry in project.entries), default=0))
    state.graphs.take(project.graph, drawn)
    _take_scene(state, plain)
    _take_tracks(state, plain)
    for name, take in TAKEN.items():
        if name in plain:
            prefix = f"{name}/"
            own = {key.removeprefix(prefix): a for key, a in project.arrays.items() if key.startswith(prefix)}
            take(state, plain[name], own)
        else:  # from before there was such a part
            told, own = TOLD[name](blank)
            take(state, as_plain(told), own)


def rehearse(state, project, drawn) -> None:
    """Take a project into a state that nobody sees, so that one which cannot be taken in disturbs nothing; and all that
    is worked out then is there when it is wanted. Raises what is wrong with it."""
    from motiongraph.app.state import AppState

    camera = None if state.camera is None else replace(state.camera)
    take_in(AppState(inline=True, camera=camera), project, drawn)


def _take_scene(state, plain) -> None:
    scene = state.scene
    for name, value in plain["layers"].items():
        if hasattr(scene.layers, name):
            apply(do.SetLayer(name, fit(value, getattr(scene.layers, name), name)), state)
    scene.views = number(plain["views"], "views", 1, 3)
    places = {int(key): tuple(fit(value, 0.0, "a place") for value in place) for key, *place in plain["places"]}
    if any(len(place) != 3 for place in places.values()):
        raise ValueError("a place has three numbers")
    scene.places = {key: place for key, place in places.items() if key in state.library.entries}
    scene.version += 1
    if plain["camera"] and state.camera:
        here = {f.name: getattr(state.camera, f.name) for f in fields(state.camera)}
        told = {name: value for name, value in plain["camera"].items() if name in here and value is not None}
        seen = replace(state.camera, **told)
        for name in told:
            if not np.isfinite(getattr(seen, name)).all() or np.shape(getattr(seen, name)) != np.shape(here[name]):
                raise ValueError(f"the camera's {name} is {told[name]!r}")
            setattr(state.camera, name, getattr(seen, name))
        if "floor" in plain["camera"]:
            state.camera.floor = plain["camera"]["floor"]
    state.follow, state.goal, state.frame_camera = fit(plain["follow"], True, "follow"), None, False


def _take_tracks(state, plain) -> None:
    """What is played and how; where the track in hand has nothing to show, another one is taken."""
    playback, library = state.playback, state.library
    for name, value in plain["playback"].items():
        if hasattr(playback, name):
            setattr(playback, name, fit(value, getattr(playback, name), name))
    if playback.loop not in LOOPS or playback.root not in ROOTS or not 0.0 < playback.speed < 100.0:
        raise ValueError(f"playback is {plain['playback']!r}")
    for track, (clip, elapsed) in zip(state.tracks, plain["tracks"], strict=True):
        track.clip, track.elapsed = clip if clip in library.entries else None, fit(elapsed, 0.0, "elapsed")
    state.active = number(plain["active"], "active", 0, len(state.tracks) - 1)
    if state.entry is None and state.active == RESULT and results(state):  # a preview, which is not kept
        state.tracks[RESULT].clip = results(state)[-1].number
    elif state.entry is None and len(library):
        shown = next((t for t, track in enumerate(state.tracks) if track.clip is not None), 0)
        state.tracks[shown].clip = state.tracks[shown].clip or next(iter(library)).number
        state.active = shown if state.scene.views == 1 else min(shown, state.scene.views - 1)


def _tell_choices(state):
    """What the matrix and walk panels are set to."""
    matrix, walking = state.matrix, state.walking
    told = {"metric": asdict(matrix.metric), "search": asdict(matrix.search)}
    told |= {name: getattr(matrix, name) for name in _MATRIX}
    return {"matrix": told, "walk": {name: getattr(walking, name) for name in ("method", "seed", "options")}}, {}


def _take_choices(state, plain, arrays):
    from motiongraph.metric.metric import Metric

    matrix, walking, told = state.matrix, state.walking, plain["matrix"]
    matrix.heat = matrix.asked = None
    matrix.problem, matrix.metric = "", Metric(**told["metric"])
    for name, value in told["search"].items():
        apply(do.SetMinima(name, value), state)
    for name, like in (("unit", ""), ("linked", True), ("clouds", True)):
        setattr(matrix, name, fit(told[name], like, name))
    matrix.threshold = None if told["threshold"] is None else fit(told["threshold"], 0.0, "threshold")
    matrix.a, matrix.b = (told[name] if told[name] in state.library.entries else None for name in ("a", "b"))
    walking.waiting, walking.problem = False, ""
    apply(do.SetWalk(plain["walk"]["method"]), state)
    apply(do.SetSeed(fit(plain["walk"]["seed"], 0, "seed")), state)
    for method, options in plain["walk"]["options"].items():
        for name in options.keys() & walking.options.get(method, {}).keys():
            apply(do.SetWalkOption(method, name, options[name]), state)


def _tell_ghosts(state):
    """Those whose clip is kept as it was when they were pinned."""
    kept = {id(e.clip.rotations) for e in state.library if not (e.made and e.made.preview)}
    ghosts = [ghost for ghost in state.scene.ghosts if id(ghost.entry.clip.rotations) in kept]
    return [[ghost.entry.number, *(ghost.record[name] for name in _GHOST)] for ghost in ghosts], {}


def _take_ghosts(state, plain, arrays):
    found = []
    for row in plain:
        entry = state.library.get(row[0])
        if entry is None:
            continue
        from motiongraph.app.cast import record_of  # compiled: not before there is something to pose

        record = record_of(entry).reshape(1)
        for name, value in zip(_GHOST, row[1:], strict=True):
            record[name] = number(value, name, 0, 2) if name == "mode" else fit(value, 0.0, name)
        found.append(Ghost(entry, record[0].copy()))
    state.scene.ghosts = found
    state.scene.version += 1


# Other parts of the state: name → (state) → (plain, arrays), and back: (state, plain, arrays), which raises a KeyError,
# TypeError, ValueError or MotionError where they make no sense.
TOLD: dict = {"choices": _tell_choices, "ghosts": _tell_ghosts}
TAKEN: dict = {"choices": _take_choices, "ghosts": _take_ghosts}
MISTAKES = (KeyError, TypeError, IndexError, AttributeError, ValueError, MotionError)
