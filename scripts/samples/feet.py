"""A foot in time. In stance it turns about its heel, lies flat, turns about its ball, and at last about the tip of its
toes, each point exactly at rest while it carries (the rockers of gait; Perry, Gait Analysis); in swing the ball flies a
quintic from print to print with just enough lift to clear the floor.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import betainc

from samples.body import ANKLE_HEIGHT, BALL, BALL_HEIGHT, HEEL, TIP, TIP_HEIGHT
from samples.curves import bump, ease, quintic

_ARM = BALL - HEEL  # from heel to ball


@dataclass
class Foot:
    """ankle, ball, tip, heel: (F, 3) metres; yaw, pitch, toe: (F,) radians, pitch and toe positive with toes up,
    both against the floor."""

    ankle: np.ndarray
    ball: np.ndarray
    tip: np.ndarray
    heel: np.ndarray
    yaw: np.ndarray
    pitch: np.ndarray
    toe: np.ndarray


def turned(vector, yaw, pitch):
    """(F, 3): `vector` (3,) pitched toes up by `pitch` (F,), then turned to the heading `yaw` (F,)."""
    y = vector[1] * np.cos(pitch) + vector[2] * np.sin(pitch)
    z = vector[2] * np.cos(pitch) - vector[1] * np.sin(pitch)
    x = np.full_like(y, vector[0])
    return np.stack([x * np.cos(yaw) + z * np.sin(yaw), y, z * np.cos(yaw) - x * np.sin(yaw)], axis=-1)


def _pose(ball, yaw, pitch, toe):
    ankle = ball - turned(BALL, yaw, pitch)
    return Foot(ankle, ball, ball + turned(TIP, yaw, toe), ankle + turned(HEEL, yaw, pitch), yaw, pitch, toe)


def _stance(plant, t):
    """ball, yaw, pitch and toe while `plant` stands."""
    pitch, toe = np.zeros(len(t)), np.zeros(len(t))
    yaw = np.full(len(t), plant.heading)
    rolling = t < plant.flat
    if rolling.any():
        begin = (*np.radians([plant.arrive.strike_pitch, plant.arrive.strike_rate]), 0.0)
        pitch[rolling] = quintic(t[rolling], plant.strike, plant.flat, begin, (0.0, 0.0, 0.0))
    rising = t > plant.rise
    if rising.any():
        end = (*np.radians([plant.leave.off_pitch, plant.leave.off_rate]), 0.0)
        pitch[rising] = quintic(t[rising], plant.rise, plant.off, (0.0, 0.0, 0.0), end)
    tipping = t > plant.tip
    if tipping.any():
        end = (*np.radians([plant.leave.toe_pitch, plant.leave.toe_rate]), 0.0)
        toe[tipping] = quintic(t[tipping], plant.tip, plant.off, (0.0, 0.0, 0.0), end)
    flat = np.array([plant.point[0], ANKLE_HEIGHT, plant.point[1]])
    on_heel = rolling & (plant.arrive.strike_pitch > 0)
    ball = np.where(
        on_heel[:, None],
        flat + turned(HEEL, yaw, 0 * yaw) + turned(_ARM, yaw, pitch),
        flat + turned(BALL + TIP, yaw, 0 * yaw) - turned(TIP, yaw, toe),
    )
    toe[on_heel] = pitch[on_heel]
    return ball, yaw, pitch, toe


def _pivoting(place, arm, yaw, pitch, rate):
    """Position, velocity and acceleration, (3,) each, of the end of an `arm` that turns at an even `rate`."""
    tangent = np.array([0.0, arm[2], -arm[1]])
    states = [turned(v, np.array([yaw]), np.array([pitch]))[0] for v in (rate * tangent, -(rate**2) * arm)]
    return place, *states


def _taking_off(plant):
    """How the ball moves as the tip of the toes leaves the floor."""
    ball, _, _, toe = _stance(plant, np.array([plant.off]))
    return _pivoting(ball[0], -TIP, plant.heading, toe[0], np.radians(plant.leave.toe_rate))


def _landing(plant):
    """How the ball moves as the heel (or the ball itself) meets the floor."""
    ball, _, pitch, _ = _stance(plant, np.array([plant.strike]))
    rate = np.radians(plant.arrive.strike_rate) if plant.arrive.strike_pitch > 0 else 0.0
    return _pivoting(ball[0], _ARM, plant.heading, pitch[0], rate)


def _swing(plant, following, t, lift):
    """ball, yaw, pitch and toe on the way from `plant` to `following`; `lift` in metres."""
    gait, start, stop = following.arrive, plant.off, following.strike
    s = (t - start) / (stop - start)
    begin, end = _taking_off(plant), _landing(following)
    ball = quintic(t, start, stop, begin, end)
    uneven = betainc(*gait.glide, s) - ease(t, start, stop)
    ball[:, [0, 2]] += uneven[:, None] * (end[0] - begin[0])[[0, 2]]
    ball[:, 1] += lift * bump(s, gait.lift_peak, gait.lift_sharp) + gait.hover * bump(s, 0.7, 2.1)
    yaw = plant.heading + (following.heading - plant.heading) * ease(t, start, stop)
    off = np.radians([gait.off_pitch, gait.off_rate])
    strike = np.radians([gait.strike_pitch, gait.strike_rate])
    pitch = quintic(t, start, stop, (*off, 0.0), (*strike, 0.0)) - np.radians(gait.kick) * bump(s, 0.36)
    bent = np.radians([gait.toe_pitch, gait.toe_rate]) - off  # of the toes against the foot
    bent = quintic(t, start, stop, (*bent, 0.0), (max(-strike[0], 0.0), 0.0, 0.0))
    return ball, yaw, pitch, pitch + bent


def _lift(plant, following):
    """The lift that keeps ball, toes and heel above the floor all the way and clear of it in mid swing."""
    t = np.linspace(plant.off, following.strike, 61)
    s = np.linspace(0.0, 1.0, 61)
    gait = following.arrive
    needed = gait.clearance * bump(s, gait.lift_peak, gait.lift_sharp)
    lift = gait.lift
    for _ in range(60):
        foot = _pose(*_swing(plant, following, t, lift))
        lowest = np.min([foot.ball[:, 1] - BALL_HEIGHT, foot.tip[:, 1] - TIP_HEIGHT, foot.heel[:, 1]], axis=0)
        if (lowest >= needed - 1e-5).all():
            return lift
        lift += 0.01
    raise ValueError(f"no lift clears the floor between {plant.off:.2f} s and {following.strike:.2f} s")


def foot_motion(plants, t) -> Foot:
    """The foot that stands on `plants` in turn, at times t (F,)."""
    ball, yaw, pitch, toe = np.empty((len(t), 3)), np.empty(len(t)), np.empty(len(t)), np.empty(len(t))
    arrays = (ball, yaw, pitch, toe)
    for plant, following in zip(plants, [*plants[1:], None]):
        standing = (t >= plant.strike) & (t <= plant.off)
        for array, values in zip(arrays, _stance(plant, t[standing])):
            array[standing] = values
        if following is not None:
            swinging = (t > plant.off) & (t < following.strike)
            for array, values in zip(arrays, _swing(plant, following, t[swinging], _lift(plant, following))):
                array[swinging] = values
    return _pose(*arrays)
