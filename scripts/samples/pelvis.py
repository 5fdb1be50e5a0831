"""The pelvis, from where the feet bear weight.

Horizontally it is an inverted pendulum: the centre of mass c over a centre of pressure p obeys c − c″/ω² = p with
ω² = g/h, whose only bounded solution is p smoothed with (ω/2)·exp(−ω|t|) (the linear inverted pendulum of Kajita et
al. 2001). Sway, the lean into curves, and the shift of weight before the first step all follow. The height follows
from the bend of the supporting knee, or in running from a spring-like bounce.
"""

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline, PchipInterpolator
from scipy.ndimage import convolve1d

from motiongraph import rotations as rot
from samples.body import ANKLE_HEIGHT, HIP, LEG
from samples.curves import calm, cover, ease, keyed, smooth, wander
from samples.gaits import STAND
from samples.plan import FOREVER, GRAVITY, LEFT, RIGHT, jump_heights

OMEGA = np.sqrt(GRAVITY / 0.95)


@dataclass
class Pelvis:
    """root: (F, 3) metres; heading, rotation: (F,) radians; turn: (F, 4) global orientation, w x y z;
    push: (F, 2) slow acceleration ahead and to the left, m/s²; stride: (F,) metres the left foot is ahead."""

    root: np.ndarray
    heading: np.ndarray
    rotation: np.ndarray
    turn: np.ndarray
    push: np.ndarray
    stride: np.ndarray


def gait_track(plan, t, fps, name):
    """(F,): a number of the gaits, passing smoothly from each to the next."""
    return keyed(t, [(time, getattr(gait, name)) for time, gait in plan.gaits], 0.16, fps)


def _loads(plan, t, fps):
    """{side: (F,)} share of the weight on each foot, summing to one."""
    share = keyed(t, plan.keys.get("share", []), 0.35, fps)
    share = share + 0.03 * calm(t, plan.seconds) * wander(plan.rng, len(t), 0.9, fps)
    loads = {}
    for side, plants in plan.feet.items():
        load = sum(ease(t, *p.loading) - ease(t, *p.unloading) for p in plants)
        loads[side] = np.maximum(load, 0.0) * (1.0 + side * share) + 1e-6
    total = loads[LEFT] + loads[RIGHT]
    return {side: load / total for side, load in loads.items()}


def _pressure(plants, t):
    """(F, 2) x, z: where a foot carries, from heel to toes in each stance and gliding on in swing."""
    point, yaw = np.empty((len(t), 2)), np.empty(len(t))
    knots, ahead = [], []
    for p in plants:
        stand_in, stand_out = p.strike <= -FOREVER, p.off >= FOREVER
        start = p.off - 0.6 if stand_in else p.strike
        stop = p.strike + 0.6 if stand_out else p.off
        if not (stand_in and stand_out):
            knots += [start, stop]
            ahead += [0.04 if stand_in else 0.0, 0.04 if stand_out else 0.17]
    for p, following in zip(plants, [*plants[1:], None]):
        here = t >= p.strike
        point[here], yaw[here] = p.point, p.heading
        if following is not None:
            gone = ease(t[here], p.off, following.strike)[:, None]
            point[here] += gone * (following.point - p.point)
            yaw[here] += gone[:, 0] * (following.heading - p.heading)
    offset = PchipInterpolator(knots, ahead)(np.clip(t, knots[0], knots[-1])) if knots else np.full(len(t), 0.04)
    return point + offset[:, None] * np.stack([np.sin(yaw), np.cos(yaw)], axis=-1)


def _headings(plants, t):
    yaw = np.empty(len(t))
    for p, following in zip(plants, [*plants[1:], None]):
        here = t >= p.strike
        yaw[here] = p.heading - p.side * np.radians(p.arrive.toe_out)
        if following is not None:
            to = following.heading - following.side * np.radians(following.arrive.toe_out)
            yaw[here] += ease(t[here], p.off, following.strike) * (to - yaw[here])
    return yaw


def _pendulum(pressure, fps):
    """(F, 2) centre of mass over a centre of pressure (F, 2)."""
    times = np.arange(-3 * fps, 3 * fps + 1) / fps
    kernel = np.exp(-OMEGA * np.abs(times))
    return convolve1d(pressure, kernel / kernel.sum(), axis=0, mode="nearest")


def _knee_targets(plants, t):
    """(F,) radians: the bend wanted of a supporting knee: the gait's curve, and that of standing where a stance is
    long."""
    standing = STAND.knee[0][1]
    knots = [(t[0] - 1.0, standing)]
    for p in plants:
        first, last = p.strike <= -FOREVER, p.off >= FOREVER
        length = 2 * p.arrive.duty * p.arrive.duration
        landing = [] if first else [(p.strike + f * length, k) for f, k in p.arrive.knee if f <= 0.5]
        length = 2 * p.leave.duty * p.leave.duration
        leaving = (
            [] if last else [(p.off - (1 - f) * length, k) for f, k in p.leave.knee if f > (0.3 if first else 0.5)]
        )
        begin, end = (landing or knots)[-1][0], leaving[0][0] if leaving else t[-1] + 2.0
        rest = [(begin + 0.35, standing), (end - 0.35, standing)] if end - begin > 0.9 else []
        knots += [*landing, *rest, *leaving]
    knots.append((t[-1] + 3.0, standing))
    times, bends = np.array(knots).T
    return np.radians(PchipInterpolator(times, bends)(t))


def _bounce(plan, t):
    """(F,) metres: height in running, lowest a little before mid stance and highest in the middle of flight; NaN
    where nothing runs."""
    knots = []
    plants = sorted((p for side in plan.feet.values() for p in side), key=lambda p: p.strike)
    for p, following in zip(plants, [*plants[1:], None]):
        if p.strike > -FOREVER and p.off < FOREVER and p.leave.spring:
            bend = np.radians(p.leave.knee[1][1])
            low = ANKLE_HEIGHT - HIP[1] + LEG * np.cos(bend / 2)
            knots.append((p.strike + 0.45 * (p.off - p.strike), low))
            if following is not None and following.arrive.spring:
                flight = following.strike - p.off
                knots.append((p.off + 0.5 * flight, low + 0.05 + 0.35 * max(flight, 0.0)))
    if not knots:
        return np.full(len(t), np.nan)
    times, heights = np.array(knots).T
    return CubicSpline(times, heights, bc_type="clamped")(np.clip(t, times[0], times[-1]))


def _reach(root_xz, turn, foot, side, length):
    """(F,) the height of the pelvis centre at which that leg is `length` long."""
    hip = rot.rotate(turn, HIP * [side, 1.0, 1.0])
    away = root_xz + hip[:, [0, 2]] - foot.ankle[:, [0, 2]]
    return foot.ankle[:, 1] + np.sqrt(np.maximum(length**2 - np.sum(away**2, axis=1), 1e-4)) - hip[:, 1]


def pelvis_motion(plan, feet, t, fps) -> Pelvis:
    """From the plan and the feet {side: Foot} at times t (F,)."""
    loads = _loads(plan, t, fps)
    pressure = sum(loads[s][:, None] * _pressure(plan.feet[s], t) for s in (LEFT, RIGHT))
    mass = _pendulum(pressure, fps)
    heading = smooth(sum(loads[s] * _headings(plan.feet[s], t) for s in (LEFT, RIGHT)), 0.14, fps)
    ahead = np.stack([np.sin(heading), np.cos(heading)], axis=-1)
    left = np.stack([ahead[:, 1], -ahead[:, 0]], axis=-1)
    slow = smooth(np.gradient(np.gradient(mass, axis=0), axis=0) * fps**2, 0.25, fps)
    push = np.stack([np.sum(slow * ahead, axis=1), np.sum(slow * left, axis=1)], axis=-1)

    apart = (feet[LEFT].ankle - feet[RIGHT].ankle)[:, [0, 2]]
    stride = smooth(np.sum(apart * ahead, axis=1), 0.035, fps)
    rotation = -np.radians(gait_track(plan, t, fps, "rotation")) * stride
    drop = np.radians(gait_track(plan, t, fps, "drop")) * smooth(loads[LEFT] - loads[RIGHT], 0.07, fps)
    bend = np.radians(keyed(t, plan.keys.get("bend", []), 0.11, fps))
    tilt = np.radians(gait_track(plan, t, fps, "pelvis_tilt")) + 0.45 * bend
    turn = rot.multiply(rot.about("Y", heading + rotation), rot.multiply(rot.about("Z", drop), rot.about("X", tilt)))

    # The trunk leans forward of the pelvis: to keep the whole over the feet, the pelvis goes back.
    lean = np.radians(gait_track(plan, t, fps, "lean")) + bend
    poise = gait_track(plan, t, fps, "poise") - 0.17 * np.sin(lean)
    centre = mass + poise[:, None] * ahead
    height = _height(plan, feet, loads, centre, turn, t, fps)
    return Pelvis(np.insert(centre, 1, height, axis=1), heading, rotation, turn, push, stride)


def _height(plan, feet, loads, centre, turn, t, fps):
    wanted = 0.0
    limits = []
    longest = LEG * np.cos(np.radians(gait_track(plan, t, fps, "straightest")) / 2)
    for side in (LEFT, RIGHT):
        bend = _knee_targets(plan.feet[side], t)
        wanted = wanted + loads[side] * _reach(centre, turn, feet[side], side, LEG * np.cos(bend / 2))
        limits.append(_reach(centre, turn, feet[side], side, longest))
    height = smooth(wanted, 0.045, fps)
    spring = gait_track(plan, t, fps, "spring")
    height = height + spring * np.nan_to_num(_bounce(plan, t) - height)
    if plan.heights:  # in a jump: standing height, bridged, and the jump's own curve on top
        start, stop = plan.heights[0][0], plan.heights[-1][1]
        before, after = np.interp([start, stop], t, height)
        bridge = before + (after - before) * ease(t, start, stop)
        height = np.where((t > start) & (t < stop), bridge, height) + jump_heights(plan, t)
    return height - cover(np.maximum(height - np.minimum(*limits), 0.0), 0.09, fps)
