"""How the camera is moved: by hand at once, to named places in a short glide, and along with the character."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from motiongraph.app.command import SavedPart, command
from motiongraph.app.scene.cast import Pair, centre_of
from motiongraph.errors import MotionError
from motiongraph.formats.record import Record
from motiongraph.model import sides

if TYPE_CHECKING:
    from motiongraph.app.state import AppState

_HEIGHT = 0.52  # of the body's, where the camera looks
_FLOOR_PITCH, _FLOOR_DISTANCE = 42.0, 13.0  # degrees and metres from which there is floor to draw on


class Camera(Protocol):
    """What is asked of a `viewer.camera.Camera`: degrees and metres."""

    target: Any  # the point looked at: three numbers when set, a dvec3 when read
    yaw: float
    pitch: float
    roll: float
    distance: float  # from the target to the eye
    fov: float  # vertical angle of view
    floor: float | None  # height that the eye may not sink to

    @property
    def axes(self) -> tuple[Any, Any, Any]: ...  # right, up and backward, each a dvec3
    @property
    def eye(self) -> Any: ...  # a dvec3
    def view(self, rect: Any, scale: float = 1.0, /) -> Any: ...
    def floor_point(self, x: float, y: float, rect: Any, /) -> Any: ...
    def copy(self) -> Any: ...
    def orbit(self, yaw: float, pitch: float, /) -> None: ...
    def pan(self, right: float, down: float, height: int, /) -> None: ...
    def zoom(self, steps: float, /) -> None: ...
    def look(self, yaw: float, pitch: float, /) -> None: ...
    def fly(self, forward: float, right: float, up: float, metres: float, /) -> None: ...
    def show(self, name: str, facing: float = 0.0, /) -> None: ...
    def fit(self, points: np.ndarray, aspect: float, margin: float = 1.25) -> None: ...
    def approach(self, goal: Any, seconds: float, /) -> bool: ...
    def follow(self, point: Any, seconds: float, /) -> None: ...


def need_camera(state: AppState) -> Camera:
    if state.camera is None:
        raise MotionError("there is no camera without a window")
    return state.camera


def follow(state: AppState, dt: float) -> None:
    """Glide to where the camera was sent, and go with the active character."""
    camera = state.camera
    if camera is None or state.path.stroke:  # what is drawn lies where the hand is: nothing moves under it
        return
    if state.frame_camera and state.casts and len(state.casts[0]):
        state.frame_camera = False
        state.follow = not state.scene.layers.several  # a crowd is looked at as a whole
        vars(camera).update(vars(overview(state)))
    pair = state.scene.pair
    # A pair without a place of its own stands where the camera looks, which therefore keeps still.
    following = state.follow and state.entry is not None and (pair is None or pair.placed is not None)
    if state.camera_goal is not None:
        if following:  # where it looks is the character's matter then, and the glide need not wait for it
            state.camera_goal.target = camera.target
        if not camera.approach(state.camera_goal, dt):
            state.camera_goal = None
    if following:
        camera.follow(look_at(state, state.active) if pair is None else _middle(pair, camera.target), dt)


def look_at(state: AppState, track: int) -> np.ndarray:
    """(3,) the middle of a track's character, steady in height."""
    entry = state.library.get(state.tracks[track].clip)
    point = state.focus(track)
    point[1] = _HEIGHT * (entry.clip.skeleton.height if entry else 1.75)
    return point


def _middle(pair: Pair, target: np.ndarray) -> np.ndarray:
    """(3,) the middle of the first of a pair's characters."""
    x, _, z = centre_of(pair, target)
    return np.array([x, _HEIGHT * pair.a.clip.skeleton.height, z])


def camera_of(state: AppState, track: int) -> Camera:
    """The camera of a track's view: split views look at their own character as the active one is looked at."""
    if state.scene.views == 1 or track == state.active or not state.ready:
        return need_camera(state)
    camera = need_camera(state).copy()
    camera.target = camera.target + (look_at(state, track) - look_at(state, state.active)) * [1.0, 0.0, 1.0]
    return camera


def facing(state: AppState, track: int) -> float:
    """Degrees of yaw that the character of a track faces: across its hips and shoulders, a quarter turn on."""
    entry = state.library.get(state.tracks[track].clip)
    posed = (cast.groups[0] for cast in state.casts if cast.groups)
    pose = next((group.positions[0] for group in posed if group.entries[0] is entry), None)
    return 0.0 if pose is None or entry is None else sides.facing(entry.clip.skeleton, pose)  # not on stage yet


def overview(state: AppState) -> Camera:
    """A camera that sees the character from three quarters, near enough to be lively."""
    goal = need_camera(state).copy()
    goal.show("three-quarter", facing(state, state.active))
    goal.target = look_at(state, state.active)
    height = state.entry.clip.skeleton.height if state.entry else 1.75
    goal.distance = 2.6 * height
    if state.scene.layers.several and state.casts:
        # As if the view were as high as it is wide: panels may leave it no wider.
        goal.fit(np.concatenate([group.positions.reshape(-1, 3) for group in state.casts[0].groups]), 1.0)
    return goal


def watch_floor(state: AppState, tool: str) -> None:
    """Look down on the floor while something is done there, standing still unless the character is to be led; then
    go with the character again if that was so before."""
    if tool == "off":
        state.follow = state.follow or state.path.follow
        state.path.follow = False
        return
    if tool != "goal" and state.follow:
        state.follow, state.path.follow = False, True
    camera = state.camera_goal or state.camera
    if camera is not None and (camera.pitch < _FLOOR_PITCH or camera.distance < _FLOOR_DISTANCE):
        goal = camera.copy()
        goal.pitch, goal.distance = max(camera.pitch, _FLOOR_PITCH), max(camera.distance, _FLOOR_DISTANCE)
        state.camera_goal = goal


def overlook(state: AppState, places: np.ndarray, margin: float = 1.5) -> None:
    """Glide to where places (n, 2) x, z on the floor can all be seen, from above unless it is so already."""
    state.follow = False
    goal = need_camera(state).copy()
    goal.pitch = max(goal.pitch, _FLOOR_PITCH)
    points = np.insert(np.asarray(places, float), 1, 0.0, axis=1)
    goal.fit(np.concatenate([points, points + np.array([0.0, 1.6, 0.0])]), aspect=1.2, margin=margin)
    goal.distance = max(goal.distance, 0.6 * _FLOOR_DISTANCE)
    state.camera_goal = goal


# Commands. Angles in degrees, lengths in metres.


@command
class Orbit:
    """Turn about the target, degrees."""

    yaw: float
    pitch: float

    def apply(self, state: AppState) -> None:
        state.camera_goal = None
        need_camera(state).orbit(self.yaw, self.pitch)


@command
class Pan:
    """Move sideways and up or down, in shares of the view's height."""

    right: float
    down: float

    def apply(self, state: AppState) -> None:
        state.camera_goal, state.follow = None, False
        need_camera(state).pan(1000.0 * self.right, 1000.0 * self.down, 1000)


@command
class Zoom:
    """steps: notches of a wheel, positive comes closer."""

    steps: float

    def apply(self, state: AppState) -> None:
        state.camera_goal = None
        need_camera(state).zoom(self.steps)


@command
class Look:
    """Turn the head where the camera stands."""

    yaw: float
    pitch: float

    def apply(self, state: AppState) -> None:
        state.camera_goal, state.follow = None, False
        need_camera(state).look(self.yaw, self.pitch)


@command
class Fly:
    """forward, right, up: −1, 0 or 1; metres: how far."""

    forward: float
    right: float
    up: float
    metres: float

    def apply(self, state: AppState) -> None:
        state.camera_goal, state.follow = None, False
        need_camera(state).fly(self.forward, self.right, self.up, self.metres)


@command
class SetCamera:
    """Any of yaw, pitch, roll, distance, fov, and target (x, y, z), as (name, value)."""

    values: tuple[tuple[str, Any], ...]

    def apply(self, state: AppState) -> None:
        camera, values = need_camera(state).copy(), dict(self.values)
        unknown = set(values) - {"yaw", "pitch", "roll", "distance", "fov", "target"}
        if unknown:
            raise MotionError(f"a camera has no {', '.join(sorted(unknown))}")
        for name, value in values.items():
            if not np.isfinite(value).all():
                raise MotionError(f"the camera's {name} must be a number")
            setattr(camera, name, np.array(value, np.float64) if name == "target" else float(value))
        camera.orbit(0.0, 0.0)  # brings it within its limits
        state.camera_goal = None
        vars(need_camera(state)).update(vars(camera))
        if "target" in values:
            state.follow = False


@command
class LookFrom:
    """name: "front", "side", "top" or "three-quarter" of the active character."""

    name: str

    def apply(self, state: AppState) -> None:
        goal = need_camera(state).copy()
        goal.show(self.name, facing(state, state.active))
        if state.entry is not None:
            goal.target = look_at(state, state.active)
        state.camera_goal = goal


@command
class ResetCamera:
    """Where the character and the whole of its way can be seen."""

    def apply(self, state: AppState) -> None:
        state.follow = True
        need_camera(state).roll = 0.0
        state.camera_goal = overview(state)


@command
class SetFollow:
    """Whether the camera goes with the character."""

    follow: bool

    def apply(self, state: AppState) -> None:
        state.follow = bool(self.follow)


@command
class LetBelowFloor:
    """Whether the camera may go through the floor."""

    allowed: bool

    def apply(self, state: AppState) -> None:
        camera = need_camera(state)
        camera.floor = None if self.allowed else 0.0
        camera.orbit(0.0, 0.0)


# What projects keep of it

_NUMBERS = ("yaw", "pitch", "roll", "distance", "fov")
Saved = tuple[Camera | None, bool]  # the camera, None where there is none, and whether it follows


def _read(state: AppState) -> Saved:
    return state.camera and state.camera.copy(), state.follow


def _write(state: AppState, value: Saved) -> None:
    camera, state.follow = value
    if camera is not None and state.camera is not None:
        vars(state.camera).update(vars(camera.copy()))
    state.camera_goal, state.frame_camera = None, False


def _to_plain(value: Saved) -> tuple[dict, dict]:
    camera, follow = value
    if camera is None:
        return {"camera": None, "follow": follow}, {}
    values = {name: getattr(camera, name) for name in (*_NUMBERS, "floor")}
    return {"camera": {**values, "target": [float(x) for x in camera.target]}, "follow": follow}, {}


def _from_plain(saved: Record, state: AppState) -> Saved:
    camera = state.camera and state.camera.copy()
    if camera is not None and saved.get("camera") is not None:
        given = saved.record("camera")
        for name in _NUMBERS:
            setattr(camera, name, given.number(name))
        camera.target = np.array(given.numbers("target", 3))
        camera.floor = given.number("floor") if given.has("floor") else None
        camera.orbit(0.0, 0.0)  # brings it within its limits
    return camera, saved.flag("follow")


CAMERA = SavedPart(
    "camera",
    _read,
    _write,
    to_plain=_to_plain,
    from_plain=_from_plain,
    is_work=False,
)
