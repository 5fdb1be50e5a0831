"""The camera: orbit, pan, zoom, fly, follow, named views, and what lies under a pixel. Pure numbers, no OpenGL.

It looks from `eye` at `target`. Yaw 0 stands on the +z side and grows towards +x; pitch 90 looks straight down; roll
leans the camera to its left. Angles are degrees, lengths metres, pixels count from the top left. Vectors and matrices
are double precision: float32 would make pick rays jump when the eye is far from the origin.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.viewer.draw.frame import Rect, View
from motiongraph.viewer.matrices import dmat4, dquat, dvec3, dvec4, glm

CLEARANCE = 0.06  # metres the eye keeps above the floor
NEAREST, FARTHEST = 0.15, 300.0  # metres between eye and target

# Yaw relative to the direction the character faces, and pitch.
NAMED = {"front": (0.0, 4.0), "side": (90.0, 4.0), "top": (0.0, 90.0), "three-quarter": (38.0, 14.0)}

_RIGHT, _UP, _BACK = dvec3(1.0, 0.0, 0.0), dvec3(0.0, 1.0, 0.0), dvec3(0.0, 0.0, 1.0)
_THERE = 1e-6  # metres from a point at which the target counts as there

Point = Sequence[float] | np.ndarray | dvec3


class _PointField:
    """A dataclass field that can be set to any three numbers and is read as a dvec3 of its own."""

    def __init__(self, *default: float):
        self._default = dvec3(*default)

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = f"_{name}"

    def __get__(self, camera: Any, owner: type | None = None) -> dvec3:
        return self._default if camera is None else getattr(camera, self._name)

    def __set__(self, camera: Any, point: Point) -> None:
        x, y, z = point  # `dvec3` itself would take one number for all three
        setattr(camera, self._name, dvec3(x, y, z))


@dataclass
class Camera:
    """Where it looks from, and how."""

    target: _PointField = _PointField(0.0, 0.9, 0.0)  # the point looked at
    yaw: float = NAMED["three-quarter"][0]
    pitch: float = NAMED["three-quarter"][1]
    roll: float = 0.0
    distance: float = 4.2  # from target to eye
    fov: float = 38.0  # vertical angle of view
    floor: float | None = 0.0  # height that the eye stays above, or None for anywhere

    def __post_init__(self):
        self._settle()

    # Where it is

    @property
    def orientation(self) -> dquat:
        """Turns the camera's own axes (right, up, backward) into the world's."""
        yaw, pitch = glm.angleAxis(math.radians(self.yaw), _UP), glm.angleAxis(math.radians(-self.pitch), _RIGHT)
        return yaw * pitch * glm.angleAxis(math.radians(self.roll), _BACK)

    @property
    def axes(self) -> tuple[dvec3, dvec3, dvec3]:
        """Right, up and backward of the camera in the world."""
        turn = glm.mat3_cast(self.orientation)
        return dvec3(turn[0]), dvec3(turn[1]), dvec3(turn[2])

    @property
    def eye(self) -> dvec3:
        """Where it stands."""
        return self.target + self.distance * self.axes[2]

    def view(self, rect: Rect, scale: float = 1.0) -> View:
        """Its matrices for a rectangle of the target; scale: pixels per point, for line widths."""
        _, up, back = self.axes
        eye = self.target + self.distance * back
        near, far = min(max(0.02 * self.distance, 0.02), 0.5), 600.0 + 2.0 * self.distance
        lens = glm.perspective(math.radians(self.fov), max(rect[2], 1) / max(rect[3], 1), near, far)
        return View(glm.lookAt(eye, self.target, up), dmat4(lens), eye, rect, scale)

    # How it moves

    def orbit(self, yaw: float, pitch: float) -> None:
        """Turn about the target by so many degrees."""
        self.yaw, self.pitch = self.yaw + yaw, self.pitch + pitch
        self._settle()

    def pan(self, right: float, down: float, height: float) -> None:
        """Shift so that what is seen at the target's distance moves by so many pixels in a view of this height."""
        metres = 2.0 * self.distance * math.tan(0.5 * math.radians(self.fov)) / max(height, 1)
        own_right, own_up, _ = self.axes
        self.target = self.target + metres * (down * own_up - right * own_right)
        self._settle(lift=True)

    def zoom(self, steps: float) -> None:
        """Come closer by a tenth of the distance per step; negative steps go away."""
        self.distance *= 0.9**steps
        self._settle()

    def look(self, yaw: float, pitch: float) -> None:
        """Turn the camera on the spot by so many degrees; the target swings along."""
        eye = self.eye
        self.yaw, self.pitch = self.yaw + yaw, min(max(self.pitch + pitch, -90.0), 90.0)
        self.target = eye - self.distance * self.axes[2]
        self._settle(lift=True)

    def fly(self, forward: float, right: float, up: float, metres: float) -> None:
        """Move by so many metres in a direction of its own axes (W S, D A, E Q as +1 and −1); up is the world's."""
        own_right, _, back = self.axes
        way = right * own_right - forward * back + up * _UP
        length = glm.length(way)
        if length > 0.0:
            self.target = self.target + metres / length * way
            self._settle(lift=True)

    def follow(self, point: Point, seconds: float, half_life: float = 0.12) -> None:
        """Let the target drift to `point`, half of the way every `half_life`, whatever the frame rate."""
        rest = 0.5 ** (seconds / half_life) if half_life > 0.0 else 0.0
        goal = dvec3(*point)
        near = glm.distance(goal, self.target) < _THERE  # rounding would make every picture another
        self.target = goal if near else glm.mix(goal, self.target, rest)
        self._settle(lift=True)

    def show(self, name: str, facing: float = 0.0) -> None:
        """Take a named view (front, side, top, three-quarter) of a character that faces `facing` degrees of yaw."""
        if name not in NAMED:
            raise MotionError(f"no view is called {name!r}; there are {', '.join(NAMED)}")
        yaw, pitch = NAMED[name]
        self.yaw, self.pitch, self.roll = facing + yaw, pitch, 0.0
        self._settle()

    def fit(self, points: np.ndarray, aspect: float = 16 / 9, margin: float = 1.25) -> None:
        """Look at the middle of points (…, 3) from just far enough to see them all, keeping the angles."""
        points = np.asarray(points, np.float64).reshape(-1, 3)
        self.target = 0.5 * (points.min(axis=0) + points.max(axis=0))
        half = math.tan(0.5 * math.radians(self.fov)) / margin * np.array([max(aspect, 1e-3), 1.0])
        right, up, _ = self.axes
        turn = np.array(self.axes).T  # (3, 3), its columns are the axes
        for _ in range(4):
            seen = (points - np.array(self.target)) @ turn
            # A point d in front of the target must not be farther from the axis than the view is wide there.
            self.distance = float(np.max(np.abs(seen[:, :2]) / half + seen[:, 2:]))
            # What is near looks larger: move the middle of what is seen into the middle of the view.
            shown = seen[:, :2] / np.maximum(self.distance - seen[:, 2:], 1e-6)
            across, upward = (0.5 * self.distance * (shown.min(axis=0) + shown.max(axis=0))).tolist()
            self.target = self.target + across * right + upward * up
        seen = (points - np.array(self.target)) @ turn
        self.distance = float(np.max(np.abs(seen[:, :2]) / half + seen[:, 2:]))
        self._settle()

    def approach(self, goal: "Camera", seconds: float, half_life: float = 0.07) -> bool:
        """Glide towards another camera's place, half of the way every `half_life`; False once it is there."""
        rest = 0.5 ** (seconds / half_life)
        turn = (goal.yaw - self.yaw + 180.0) % 360.0 - 180.0
        off = max(abs(turn), abs(goal.pitch - self.pitch), abs(goal.roll - self.roll), abs(goal.fov - self.fov)) / 50.0
        off = max(off, *map(abs, goal.target - self.target), abs(goal.distance - self.distance))
        if off < 1e-3:
            rest = 0.0
        self.target = goal.target + rest * (self.target - goal.target)
        self.yaw = goal.yaw - rest * turn
        for name in ("pitch", "roll", "distance", "fov"):
            setattr(self, name, getattr(goal, name) + rest * (getattr(self, name) - getattr(goal, name)))
        self._settle()
        return rest > 0.0

    def copy(self) -> "Camera":
        """Another one at the same place."""
        return replace(self)

    # What it sees

    def ray(self, x: float, y: float, rect: Rect) -> tuple[dvec3, dvec3]:
        """The eye, and the direction of length one through pixel (x, y) of the target."""
        view = self.view(rect)
        left, top, width, height = rect
        on_lens = dvec3(x - left, top + height - y, 0.0)  # OpenGL counts pixels from the bottom left
        size = dvec4(0.0, 0.0, max(width, 1), max(height, 1))
        near = glm.unProject(on_lens, view.view, view.projection, size)
        return view.eye, glm.normalize(near - view.eye)

    def floor_point(self, x: float, y: float, rect: Rect, height: float = 0.0) -> dvec3 | None:
        """The point of the floor under pixel (x, y); None where the ray does not meet it within a kilometre."""
        eye, way = self.ray(x, y, rect)
        if way.y == 0.0:
            return None
        along = (height - eye.y) / way.y
        return eye + along * way if 0.0 < along < 1000.0 else None

    def _settle(self, lift: bool = False) -> None:
        """Keep it the right way up, at a sane distance and above the floor: by raising it as a whole where `lift`,
        else by turning it about its target."""
        self.yaw = (self.yaw + 180.0) % 360.0 - 180.0
        self.roll = (self.roll + 180.0) % 360.0 - 180.0
        self.pitch = min(max(float(self.pitch), -90.0), 90.0)
        self.fov = min(max(float(self.fov), 5.0), 120.0)
        self.distance = min(max(float(self.distance), NEAREST), FARTHEST)
        if self.floor is None:
            return
        least, height = self.floor + CLEARANCE, self.target.y
        missing = least - (height + self.distance * math.sin(math.radians(self.pitch)))
        if missing <= 0.0:
            return
        sine = (least - height) / self.distance
        if lift or sine > 1.0:
            self.target = self.target + missing * _UP
        else:
            self.pitch = math.degrees(math.asin(sine))
