"""Steering a character: what keys, a stick or the mouse ask for, as the camera sees it, and the camera behind it."""

from __future__ import annotations

from math import cos, degrees, hypot, radians, sin
from typing import TYPE_CHECKING

import numpy as np

from motiongraph.app.command import command
from motiongraph.app.playback import play
from motiongraph.app.scene.camera_moves import look_at
from motiongraph.errors import MotionError

if TYPE_CHECKING:
    from motiongraph.app.state import AppState

_PITCH, _HEIGHTS = 20.0, 3.2  # degrees from above, and heights of the body away, of the camera behind
_LOW, _AFAR = (8.0, 35.0), 6.0  # degrees, and heights of the body: a camera within these is left as it is
_SWING = 25.0  # degrees a second at which the camera comes round behind
_YIELD = 2.0  # s for which it does not after someone turned it


@command
class Steer:
    """Go right and ahead as the camera sees it, each −1 to 1, or towards a place on the floor; nothing: stand still.

    fast: run instead of walking.
    """

    right: float = 0.0
    ahead: float = 0.0
    fast: bool = False
    place: tuple[float, float] | None = None  # x, z metres

    def apply(self, state: AppState) -> None:
        led = state.live
        if led is None:  # it was led no longer before the key came up
            return
        if not np.isfinite([self.right, self.ahead, *(self.place or ())]).all():
            raise MotionError("a direction to steer in is two finite numbers")
        goes = bool(self.right or self.ahead or self.place)
        if led.stick is None and not goes:  # on the way to a goal, or along the path
            return
        if goes:
            led.look(led.character.played)
            if not state.playback.playing:
                play(state)
            if led.stick is None:
                _come_behind(state)
            if state.path.goal is not None:
                state.path.goal, state.path.version = None, state.path.version + 1
            led.line = state.path.line
        led.stick = self


def way_asked(state: AppState, stick: Steer) -> np.ndarray | None:
    """(2,) x, z of length 0 to 1 in which keys or a stick lead, or None to stand still."""
    size = hypot(stick.right, stick.ahead)
    if size < 1e-3:
        return None
    yaw = radians(state.camera.yaw) if state.camera is not None else np.pi  # it stands there and looks at the target
    way = np.array([cos(yaw) * stick.right - sin(yaw) * stick.ahead, -sin(yaw) * stick.right - cos(yaw) * stick.ahead])
    return way / max(size, 1.0)


def _come_behind(state: AppState) -> None:
    """Glide to where one drives from, unless the camera is there: low and near. It keeps to its side, which says where
    the keys lead."""
    camera, entry = state.camera, state.entry
    if camera is None or entry is None:
        return
    state.follow = True
    height = entry.clip.skeleton.height
    if _LOW[0] <= camera.pitch <= _LOW[1] and camera.distance <= _AFAR * height:
        return
    goal = camera.copy()
    goal.pitch, goal.distance, goal.roll = _PITCH, _HEIGHTS * height, 0.0
    goal.target = look_at(state, state.active)
    state.camera_goal = goal


def chase(state: AppState, dt: float) -> None:
    """Swing round behind a character that is steered, unless someone turned the camera a moment ago."""
    led, camera = state.live, state.camera
    if led is None or camera is None or not state.follow or led.stick is None or led.behind:
        return
    stick = led.stick
    if led.yaw is not None and abs((camera.yaw - led.yaw + 180.0) % 360.0 - 180.0) > 0.1:
        led.yielding = _YIELD
    led.yielding = max(led.yielding - dt, 0.0)
    if (stick.right or stick.ahead) and not led.yielding and state.playback.playing and state.camera_goal is None:
        gap = radians(degrees(led.character.heading) + 180.0 - camera.yaw)
        camera.orbit(_SWING * sin(gap) * min(hypot(stick.right, stick.ahead), 1.0) * dt, 0.0)
    led.yaw = camera.yaw
