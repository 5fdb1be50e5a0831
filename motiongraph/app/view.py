"""How the camera is moved: by hand at once, to named places in a short glide, and along with the character."""

import numpy as np

from motiongraph.app import commands as do
from motiongraph.app.commands import apply
from motiongraph.app.pair import centre_of
from motiongraph.errors import MotionError
from motiongraph.model import sides

_HEIGHT = 0.52  # of the body's, where the camera looks
_FLOOR_PITCH, _FLOOR_DISTANCE = 42.0, 13.0  # degrees and metres from which there is floor to draw on


def follow(state, dt: float) -> None:
    """Glide to where the camera was sent, and go with the character in hand."""
    camera = state.camera
    if state.frame_camera and state.casts and len(state.casts[0]):
        state.frame_camera = False
        state.follow = not state.scene.layers.crowd  # a crowd is looked at as a whole
        state.camera.__dict__.update(overview(state).__dict__)
    pair = state.scene.pair
    # A pair without a place of its own stands where the camera looks, which therefore keeps still.
    following = state.follow and state.entry is not None and (pair is None or pair.placed is not None)
    if state.goal is not None:
        if following:  # where it looks is the character's matter then, and the glide need not wait for it
            state.goal.target = camera.target
        if not camera.approach(state.goal, dt):
            state.goal = None
    if following:
        camera.follow(look_at(state, state.active) if pair is None else _middle(pair, camera.target), dt)


def look_at(state, track: int) -> np.ndarray:
    """(3,) the middle of a track's character, steady in height."""
    entry = state.library.get(state.tracks[track].clip)
    point = state.focus(track)
    point[1] = _HEIGHT * (entry.clip.skeleton.height if entry else 1.75)
    return point


def _middle(pair, target) -> np.ndarray:
    """(3,) the middle of the first of a pair's characters."""
    x, _, z = centre_of(pair, target)
    return np.array([x, _HEIGHT * pair.a.clip.skeleton.height, z])


def camera_of(state, track: int):
    """The camera of a track's view: split views look at their own character as the one in hand is looked at."""
    if state.scene.views == 1 or track == state.active or not state.ready:
        return state.camera
    camera = state.camera.copy()
    camera.target = camera.target + (look_at(state, track) - look_at(state, state.active)) * [1.0, 0.0, 1.0]
    return camera


def facing(state, track: int) -> float:
    """Degrees of yaw that the character of a track faces: across its hips and shoulders, a quarter turn on."""
    entry = state.library.get(state.tracks[track].clip)
    posed = (cast.groups[0] for cast in state.casts if cast.groups)
    pose = next((group.positions[0] for group in posed if group.entries[0] is entry), None)
    return 0.0 if pose is None else sides.facing(entry.clip.skeleton, pose)  # None: not on stage yet


def overview(state):
    """A camera that sees the character from three quarters, near enough to be lively."""
    goal = state.camera.copy()
    goal.show("three-quarter", facing(state, state.active))
    goal.target = look_at(state, state.active)
    height = state.entry.clip.skeleton.height if state.entry else 1.75
    goal.distance = 2.6 * height
    if state.scene.layers.crowd and state.casts:
        # As if the view were as high as it is wide: panels may leave it no wider.
        goal.fit(np.concatenate([group.positions.reshape(-1, 3) for group in state.casts[0].groups]), 1.0)
    return goal


def watch_floor(state, tool: str) -> None:
    """Look down on the floor while something is done there, standing still unless the character is to be led; then
    go with the character again if that was so before."""
    if tool == "off":
        state.follow = state.follow or state.path.follow
        state.path.follow = False
        return
    if tool != "goal" and state.follow:
        state.follow, state.path.follow = False, True
    camera = state.goal or state.camera
    if camera is not None and (camera.pitch < _FLOOR_PITCH or camera.distance < _FLOOR_DISTANCE):
        goal = camera.copy()
        goal.pitch, goal.distance = max(camera.pitch, _FLOOR_PITCH), max(camera.distance, _FLOOR_DISTANCE)
        state.goal = goal


def overlook(state, places) -> None:
    """Glide to where places (n, 2) x, z on the floor can all be seen, from above unless it is so already."""
    state.follow = False
    goal = state.camera.copy()
    goal.pitch = max(goal.pitch, _FLOOR_PITCH)
    points = np.insert(np.asarray(places, float), 1, 0.0, axis=1)
    goal.fit(np.concatenate([points, points + np.array([0.0, 1.6, 0.0])]), aspect=1.2, margin=1.5)
    goal.distance = max(goal.distance, 0.6 * _FLOOR_DISTANCE)
    state.goal = goal


# Commands


@apply.register
def _(command: do.Orbit, state):
    state.goal = None
    state.camera.orbit(command.yaw, command.pitch)


@apply.register
def _(command: do.Pan, state):
    state.goal, state.follow = None, False
    state.camera.pan(1000.0 * command.right, 1000.0 * command.down, 1000)


@apply.register
def _(command: do.Zoom, state):
    state.goal = None
    state.camera.zoom(command.steps)


@apply.register
def _(command: do.Look, state):
    state.goal, state.follow = None, False
    state.camera.look(command.yaw, command.pitch)


@apply.register
def _(command: do.Fly, state):
    state.goal, state.follow = None, False
    state.camera.fly(command.forward, command.right, command.up, command.metres)


@apply.register
def _(command: do.SetCamera, state):
    camera, values = state.camera.copy(), dict(command.values)
    unknown = set(values) - {"yaw", "pitch", "roll", "distance", "fov", "target"}
    if unknown:
        raise MotionError(f"a camera has no {', '.join(sorted(unknown))}")
    for name, value in values.items():
        if not np.isfinite(value).all():
            raise MotionError(f"the camera's {name} must be a number")
        setattr(camera, name, np.array(value, np.float64) if name == "target" else float(value))
    camera.orbit(0.0, 0.0)  # brings it within its limits
    state.goal = None
    state.camera.__dict__.update(camera.__dict__)
    if "target" in values:
        state.follow = False


@apply.register
def _(command: do.LookFrom, state):
    goal = state.camera.copy()
    goal.show(command.name, facing(state, state.active))
    if state.entry is not None:
        goal.target = look_at(state, state.active)
    state.goal = goal


@apply.register
def _(command: do.ResetCamera, state):
    state.follow = True
    state.camera.roll = 0.0
    state.goal = overview(state)


@apply.register
def _(command: do.SetFollow, state):
    state.follow = bool(command.follow)


@apply.register
def _(command: do.LetBelowFloor, state):
    state.camera.floor = None if command.allowed else 0.0
    state.camera.orbit(0.0, 0.0)
