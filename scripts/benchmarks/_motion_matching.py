"""Motion matching, what a game would use instead of a graph: the baseline of `driving`.

Clavet 2016, "Motion Matching and The Road to Next-Gen Animation" (GDC), with the features, weights and springs of
Holden's public implementation: where the body will be and face in 1/3, 2/3 and 1 s, feet and how fast they are, speed
of the hips. Ten times a second, and when the stick moves, the frame of all clips that is nearest to what is wanted is
looked for (a KD-tree); if it is another one, motion goes on there, and what differs fades (inertialisation). Turns
towards the stick by half of what its clips turn, as Holden's does, besides what they do.
"""

from math import cos, exp, log, sin

import numpy as np
import scipy

import motiongraph as mg
from motiongraph import rotations as rot
from motiongraph.synthesis.feet import plants
from motiongraph.synthesis.legs import legs_of
from motiongraph.walks.floor_path import floor_graph

_AHEAD = (1 / 3, 2 / 3, 1.0)  # s
_EVERY = 0.1  # s between two looks
_FADE = 0.1  # s in which half of a difference is gone
_STICK = 0.27  # s in which speed and facing have come half of the way to what the stick says
_ADJUST = 0.5  # share of the clip's own turning that may be added
_TAIL = 1 / 3  # s before the end of a clip that are not looked at
# Feet, speed of feet, of hips, places ahead, facing ahead.
_WEIGHTS = (0.75, 1.0, 1.0, 1.0, 1.5)


def _turned(theta: float, v: np.ndarray) -> np.ndarray:
    """(…, 2) x, z turned about y."""
    c, s = cos(theta), sin(theta)
    return np.stack([c * v[..., 0] + s * v[..., 1], -s * v[..., 0] + c * v[..., 1]], axis=-1)


def _seen(angles: np.ndarray, v: np.ndarray) -> np.ndarray:
    """(F, 2) as bodies that face these angles (F,) see it."""
    c, s = np.cos(angles), np.sin(angles)
    return np.stack([c * v[:, 0] - s * v[:, 1], s * v[:, 0] + c * v[:, 1]], axis=1)


def _decayed(x, v, halflife: float, dt: float):
    """A difference and its speed, fading as a critically damped spring does."""
    y = 2.0 * log(2.0) / halflife
    j, e = v + x * y, exp(-y * dt)
    return e * (x + j * dt), e * (v - j * y * dt)


class MotionMatching:
    """Driven as a `LiveCharacter` is: `steer`, `advance`, `heading`, `root`; on the clips of a graph."""

    def __init__(self, graph: mg.MotionGraph, speed: float, adjust: float = _ADJUST):
        """speed: m/s that the whole stick asks for."""
        self.fps, self.speed, self.adjust = float(graph.fps), speed, adjust
        self.skeleton, ground = graph.clips[0].skeleton, floor_graph(graph)
        self._path, self._face = ground.floor.path, ground.heading(np.arange(len(ground.floor.face)))
        rows, ends, planted = [], [], []
        self._hips, self._turns = [], []
        for clip, begin in zip(graph.clips, ground.starts):
            frames = slice(int(begin), int(begin) + len(clip))
            path, face = self._path[frames], np.unwrap(self._face[frames])
            self._face[frames] = face
            rows.append(self._features(clip, path, face))
            hips = np.column_stack([_seen(face, clip.root[:, ::2] - path), clip.root[:, 1] - clip.floor])
            self._hips.append(hips[:, [0, 2, 1]])
            turns = clip.rotations.copy()
            turns[:, 0] = rot.multiply(rot.about("Y", -face), turns[:, 0])
            self._turns.append(turns)
            ends += [int(begin) + len(clip) - 1] * len(clip)
            contacts = plants(clip)
            planted.append(np.asarray(contacts))
            self._joints = tuple(contacts.joints)
        self._ends, self._planted = np.array(ends), np.concatenate(planted)
        self._hips, self._turns, raw = map(np.concatenate, (self._hips, self._turns, rows))
        scale = np.concatenate([np.full(w, weight / max(float(np.sqrt(part.var(axis=0).mean())), 1e-6))
                                for part, w, weight in zip(np.split(raw, (6, 12, 15, 21), axis=1), (6, 6, 3, 6, 6),
                                                           _WEIGHTS)])  # fmt: skip
        self._middle, self._scale = raw.mean(axis=0), scale
        self._rows = np.ascontiguousarray((raw - self._middle) * scale)
        index = np.arange(len(raw))
        first = np.concatenate([np.arange(len(c)) >= c.first for c in graph.clips])
        self._open = index[(self._ends - index >= _TAIL * self.fps) & first]
        self._tree = scipy.spatial.cKDTree(self._rows[self._open])
        self._at, self._due = float(self._open[0]), 0.0
        self.place, self.heading = np.zeros(2), 0.0
        joints = len(self.skeleton)
        self._off = [np.zeros((joints, 3)), np.zeros((joints, 3))]  # rotations shown beyond the clip's, and their speed
        self._away = [np.zeros(3), np.zeros(3)]  # the same of the hips
        self._drift = [np.zeros(3), np.zeros(3)]  # the same of velocity (x, z) and turning
        self._velocity, self._acceleration = np.zeros(2), np.zeros(2)  # as the stick's springs have them
        self._spin, self._way = 0.0, 0.0
        self._wish, self.switches, self.seconds = np.zeros(2), 0, 0.0
        self.root, self.rotations = self._pose()

    def _features(self, clip: mg.Clip, path: np.ndarray, face: np.ndarray) -> np.ndarray:
        """(F, 27) of every frame, as its body sees it."""
        places, fps, count = clip.positions(), clip.fps, len(clip)
        legs = legs_of(clip.skeleton, plants(clip).joints)[:2]
        parts, fast = [], []
        for joint in (legs[0].ankle, legs[1].ankle, 0):
            flat = _seen(face, places[:, joint, ::2] - path)
            speed = np.gradient(places[:, joint], 1.0 / fps, axis=0)
            parts.append(np.column_stack([flat[:, 0], places[:, joint, 1], flat[:, 1]]))
            over = _seen(face, speed[:, ::2])
            fast.append(np.column_stack([over[:, 0], speed[:, 1], over[:, 1]]))
        rows = [parts[0], parts[1], fast[0], fast[1], fast[2]]
        index, towards = np.arange(count), []
        going = np.gradient(path, axis=0)
        for seconds in _AHEAD:
            beyond = index + round(seconds * fps)
            last = np.minimum(beyond, count - 1)
            there = path[last] + (beyond - last)[:, None] * going[last]  # past its end a clip goes straight on
            rows.append(_seen(face, there - path))
            towards.append(np.column_stack([np.sin(face[last] - face), np.cos(face[last] - face)]))
        return np.concatenate(rows + towards, axis=1)

    def steer(self, direction) -> None:
        """x, z of length 0 to 1."""
        wish = np.asarray(direction, float)
        if (wish != self._wish).any():
            self._wish, self._due = wish, 0.0

    def _wanted(self) -> np.ndarray:
        """(12,) places and facing ahead, as the stick's springs go on."""
        goal, facing = self._wish * self.speed, self._goal_heading()
        found, towards = [], []
        for seconds in _AHEAD:
            steps = np.linspace(0.0, seconds, 9)[1:]
            speeds = [goal + _decayed(self._velocity - goal, self._acceleration, _STICK, t)[0] for t in steps]
            found.append(_turned(-self.heading, np.mean(speeds, axis=0) * seconds))
            gap = _decayed(_between(facing, self.heading), self._spin, _STICK, seconds)[0]
            towards.append((sin(facing + gap - self.heading), cos(facing + gap - self.heading)))
        return np.concatenate([*found, *towards])

    def _goal_heading(self) -> float:
        return float(np.arctan2(*self._wish)) if self._wish.any() else self.heading

    def advance(self, dt: float) -> tuple[np.ndarray, np.ndarray]:
        """The pose `dt` seconds later."""
        self.seconds += dt
        self._due -= dt
        self._at += dt * self.fps
        goal, facing = self._wish * self.speed, self._goal_heading()
        moved = _decayed(self._velocity - goal, self._acceleration, _STICK, dt)
        self._velocity, self._acceleration = goal + moved[0], moved[1]
        self._spin = _decayed(_between(facing, self.heading), self._spin, _STICK, dt)[1]
        if self._due <= 0.0 or self._at > self._ends[int(self._at)] - 2:
            self._look()
        for part, halflife in ((self._off, _FADE), (self._away, _FADE), (self._drift, _FADE)):
            part[0], part[1] = _decayed(part[0], part[1], halflife, dt)
        speed, turn = self._motion(self._at)
        turn += self._drift[0][2]
        gap = _between(self.heading, facing) if self._wish.any() else 0.0
        extra = np.clip(
            gap * (1.0 - exp(-log(2.0) * dt / 0.2)), -abs(turn) * self.adjust * dt, abs(turn) * self.adjust * dt
        )
        self.place = self.place + _turned(self.heading, speed + self._drift[0][:2]) * dt
        self.heading += turn * dt + float(extra)
        self.root, self.rotations = self._pose()
        return self.root, self.rotations

    def _motion(self, at: float) -> tuple[np.ndarray, float]:
        """Velocity (x, z) as the body sees it, m/s, and turning, rad/s, of the clip at a frame."""
        f = min(int(at), self._ends[int(at)] - 1)
        speed = _turned(-self._face[f], (self._path[f + 1] - self._path[f]) * self.fps)
        return speed, float(self._face[f + 1] - self._face[f]) * self.fps

    def _clip(self, at: float) -> tuple[np.ndarray, np.ndarray]:
        """Hips (3,) beside the place and rotations (J, 4) beside the heading, of the clip between two frames."""
        f, u = int(at), at - int(at)
        g = min(f + 1, self._ends[f])
        return self._hips[f] + u * (self._hips[g] - self._hips[f]), rot.slerp(self._turns[f], self._turns[g], u)

    def _pose(self) -> tuple[np.ndarray, np.ndarray]:
        hips, turns = self._clip(self._at)
        hips = hips + self._away[0]
        turns = rot.multiply(rot.from_vector(self._off[0]), turns)
        x, z = self.place + _turned(self.heading, hips[::2])
        turns[0] = rot.multiply(rot.about("Y", self.heading), turns[0])
        return np.array([x, hips[1], z]), turns

    def _look(self) -> None:
        """Find the frame to go on with, and begin to fade from this one."""
        self._due = _EVERY
        now, over = int(self._at), self._at > self._ends[int(self._at)] - 2
        query = self._rows[now].copy()
        query[15:] = (self._wanted() - self._middle[15:]) * self._scale[15:]
        far, found = self._tree.query(query)
        stay = float(np.sqrt(((self._rows[now] - query) ** 2).sum()))
        best = int(self._open[found])
        if not over and (far >= stay or abs(best - now) <= 2):
            return
        self.switches += 1
        dt = 1.0 / self.fps
        old, new = ([self._clip(at + k * dt * self.fps) for k in (0, 1)] for at in (self._at - 1.0, best - 1.0))
        # What is shown now, as a difference from the new clip; and how fast that changes.
        shown = rot.multiply(rot.from_vector(self._off[0]), old[1][1])
        gap = _short(rot.multiply(shown, rot.conjugate(new[1][1])))
        speeds = [rot.to_vector(_short(rot.multiply(b[1], rot.conjugate(a[1])))) / dt for a, b in (old, new)]
        self._off = [rot.to_vector(gap), self._off[1] + speeds[0] - speeds[1]]
        rise = [(b[0] - a[0]) / dt for a, b in (old, new)]
        self._away = [self._away[0] + old[1][0] - new[1][0], self._away[1] + rise[0] - rise[1]]
        (v, w), (to, turn) = self._motion(self._at), self._motion(float(best))
        self._drift[0] = self._drift[0] + np.array([*(v - to), w - turn])
        self._at = float(best)

    @property
    def planted(self) -> np.ndarray:
        """(n,) bool: the foot joints that stand in the frame that is played."""
        return self._planted[int(self._at)]

    @property
    def joints(self) -> tuple[int, ...]:
        """The foot joints."""
        return self._joints


def _between(a: float, b: float) -> float:
    return (b - a + np.pi) % (2.0 * np.pi) - np.pi


def _short(q: np.ndarray) -> np.ndarray:
    """The same rotations the short way round."""
    return np.where(q[..., :1] < 0.0, -q, q)
