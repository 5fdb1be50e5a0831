"""The camera: orbit, pan, zoom, fly, follow, named views, and what lies under a pixel. Pure numbers, no OpenGL.

It looks from `eye` at `target`. Yaw 0 stands on the +z side and grows towards +x; pitch 90 looks straight down; roll
leans the camera to its left. Angles are degrees, lengths metres, pixels count from the top left.
"""

import math
from dataclasses import dataclass, field, replace

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.viewer.draw.frame import View

CLEARANCE = 0.06  # metres the eye keeps above the floor
NEAREST, FARTHEST = 0.15, 300.0  # metres between eye and target

# Yaw beside the way the character faces, and pitch.
NAMED = {"front": (0.0, 4.0), "side": (90.0, 4.0), "top": (0.0, 90.0), "three-quarter": (38.0, 14.0)}

Rect = tuple[int, int, int, int]


@dataclass
class Camera:
    """target: (3,) the point looked at; distance: from it to the eye; fov: vertical angle of view;
    floor: the height the eye may not sink to, or None to let it."""

    target: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.9, 0.0]))
    yaw: float = NAMED["three-quarter"][0]
    pitch: float = NAMED["three-quarter"][1]
    roll: float = 0.0
    distance: float = 4.2
    fov: float = 38.0
    floor: float | None = 0.0

    def __post_init__(self):
        self.target = np.array(self.target, np.float64)
        self._settle()

    # Where it is

    @property
    def axes(self) -> np.ndarray:
        """(3, 3) rows: right, up and backward of the camera in the world."""
        return np.array(self._axes())

    def _axes(self) -> tuple[tuple[float, float, float], ...]:
        """The same in plain numbers: three of them cost more as an array than to work out."""
        yaw, pitch, roll = math.radians(self.yaw), math.radians(self.pitch), math.radians(self.roll)
        sy, cy, sp, cp = math.sin(yaw), math.cos(yaw), math.sin(pitch), math.cos(pitch)
        sr, cr = math.sin(roll), math.cos(roll)
        return (
            (cr * cy - sr * sy * sp, sr * cp, -cr * sy - sr * cy * sp),
            (-cr * sy * sp - sr * cy, cr * cp, sr * sy - cr * cy * sp),
            (sy * cp, sp, cy * cp),
        )

    @property
    def eye(self) -> np.ndarray:
        """(3,) where it stands."""
        return self.target + self.distance * self.axes[2]

    def view(self, rect: Rect, scale: float = 1.0) -> View:
        """Its matrices for a rectangle (x, y, width, height) of the target; scale: pixels a point, for line widths."""
        ((a, b, c), (d, e, f), (g, h, i)), distance = self._axes(), self.distance
        x, y, z = self.target.tolist()
        # The world's origin as the camera sees it: its target lies straight ahead of it, `distance` away.
        rows = (
            (a, b, c, -(a * x + b * y + c * z)),
            (d, e, f, -(d * x + e * y + f * z)),
            (g, h, i, -(g * x + h * y + i * z) - distance),
        )
        near, far = min(max(0.02 * distance, 0.02), 0.5), 600.0 + 2.0 * distance
        upward = 1.0 / math.tan(0.5 * math.radians(self.fov))
        across = upward * max(rect[3], 1) / max(rect[2], 1)
        lens = across, upward, (far + near) / (near - far), 2.0 * far * near / (near - far)
        return View(rows, lens, (x + distance * g, y + distance * h, z + distance * i), rect, scale)

    # How it moves

    def orbit(self, yaw: float, pitch: float) -> None:
        """Turn about the target by so many degrees."""
        self.yaw, self.pitch = self.yaw + yaw, self.pitch + pitch
        self._settle()

    def pan(self, dx: float, dy: float, height: int) -> None:
        """Shift so that what is seen at the target's distance moves by dx, dy pixels in a view so many pixels high."""
        metres = 2.0 * self.distance * np.tan(0.5 * np.radians(self.fov)) / max(height, 1)
        right, up, _ = self.axes
        self.target = self.target + metres * (dy * up - dx * right)
        self._settle(lift=True)

    def zoom(self, steps: float) -> None:
        """Come closer by a tenth of the distance a step; negative steps go away."""
        self.distance *= 0.9**steps
        self._settle()

    def look(self, yaw: float, pitch: float) -> None:
        """Turn the head where it stands by so many degrees; the target swings along."""
        eye = self.eye
        self.yaw, self.pitch = self.yaw + yaw, float(np.clip(self.pitch + pitch, -90.0, 90.0))
        self.target = eye - self.distance * self.axes[2]
        self._settle(lift=True)

    def fly(self, forward: float, right: float, up: float, metres: float) -> None:
        """Move by so many metres in a direction of its own axes (W S, D A, E Q as +1 and −1); up is the world's."""
        own_right, _, back = self.axes
        way = right * own_right - forward * back + up * np.array([0.0, 1.0, 0.0])
        length = np.linalg.norm(way)
        if length > 0.0:
            self.target = self.target + metres / length * way
            self._settle(lift=True)

    def follow(self, point, seconds: float, half_life: float = 0.12) -> None:
        """Let the target drift to `point` (3,), half of the way every `half_life`, whatever the frame rate."""
        rest = 0.5 ** (seconds / half_life) if half_life > 0.0 else 0.0
        (x, y, z), (to_x, to_y, to_z) = self.target.tolist(), point
        self.target = np.array((to_x + rest * (x - to_x), to_y + rest * (y - to_y), to_z + rest * (z - to_z)))
        self._settle(lift=True)

    def show(self, name: str, facing: float = 0.0) -> None:
        """Take a named view (front, side, top, three-quarter) of a character that faces `facing` degrees of yaw."""
        if name not in NAMED:
            raise MotionError(f"no view is called {name!r}; there are {', '.join(NAMED)}")
        yaw, pitch = NAMED[name]
        self.yaw, self.pitch, self.roll = facing + yaw, pitch, 0.0
        self._settle()

    def fit(self, points, aspect: float = 16 / 9, margin: float = 1.25) -> None:
        """Look at the middle of points (…, 3) from just far enough to see them all, keeping the angles."""
        points = np.asarray(points, np.float64).reshape(-1, 3)
        self.target = 0.5 * (points.min(axis=0) + points.max(axis=0))
        half = np.tan(0.5 * np.radians(self.fov)) / margin * np.array([max(aspect, 1e-3), 1.0])
        for _ in range(4):
            seen = (points - self.target) @ self.axes.T
            # A point d in front of the target must not be farther from the axis than the view is wide there.
            self.distance = float(np.max(np.abs(seen[:, :2]) / half + seen[:, 2:]))
            # What is near looks larger: the middle of what is seen moves into the middle of the view.
            shown = seen[:, :2] / np.maximum(self.distance - seen[:, 2:], 1e-6)
            across, upward = 0.5 * self.distance * (shown.min(axis=0) + shown.max(axis=0))
            self.target = self.target + across * self.axes[0] + upward * self.axes[1]
        seen = (points - self.target) @ self.axes.T
        self.distance = float(np.max(np.abs(seen[:, :2]) / half + seen[:, 2:]))
        self._settle()

    def approach(self, goal: "Camera", seconds: float, half_life: float = 0.07) -> bool:
        """Glide towards another camera's place, half of the way every `half_life`; False once it is there."""
        rest = 0.5 ** (seconds / half_life)
        turn = (goal.yaw - self.yaw + 180.0) % 360.0 - 180.0
        off = max(abs(turn), abs(goal.pitch - self.pitch), abs(goal.roll - self.roll), abs(goal.fov - self.fov)) / 50.0
        off = max(off, float(np.abs(goal.target - self.target).max()), abs(goal.distance - self.distance))
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

    def ray(self, x: float, y: float, rect: Rect) -> tuple[np.ndarray, np.ndarray]:
        """The eye (3,) and the direction (3,) of length one through pixel (x, y) of the target."""
        left, top, width, height = rect
        half = np.tan(0.5 * np.radians(self.fov))
        across = (2.0 * (x - left) / max(width, 1) - 1.0) * half * width / max(height, 1)
        upward = (1.0 - 2.0 * (y - top) / max(height, 1)) * half
        right, up, back = self.axes
        way = across * right + upward * up - back
        return self.eye, way / np.linalg.norm(way)

    def floor_point(self, x: float, y: float, rect: Rect, height: float = 0.0) -> np.ndarray | None:
        """(3,) the point of the floor under pixel (x, y); None where the ray never meets it within a kilometre."""
        eye, way = self.ray(x, y, rect)
        if way[1] == 0.0:
            return None
        along = (height - eye[1]) / way[1]
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
        least = self.floor + CLEARANCE
        height = float(self.target[1])
        missing = least - (height + self.distance * math.sin(math.radians(self.pitch)))
        if missing <= 0.0:
            return
        sine = (least - height) / self.distance
        if lift or sine > 1.0:
            self.target = self.target + np.array([0.0, missing, 0.0])
        else:
            self.pitch = math.degrees(math.asin(sine))
