"""Planning: where and when each foot stands. A plan is written as one writes choreography: stand, step, step, jump."""

from dataclasses import dataclass, field, replace

import numpy as np

from samples.curves import quintic
from samples.gaits import STAND, Gait

LEFT, RIGHT = 1, -1
FOREVER = 1e6
GRAVITY = 9.81


@dataclass
class Plant:
    """One foot standing: the floor under its ankle (x, z metres), its heading (radians), and its times (seconds).

    `strike` … `flat` the foot rolls down, from `rise` it rolls off over the ball and
    from `tip` to `off` over the tip of its toes; the load comes and goes over `loading` and
    `unloading`. `arrive` and `leave` are the gaits of the steps at either end.
    """

    side: int
    point: np.ndarray
    heading: float
    arrive: Gait
    strike: float = -FOREVER
    flat: float = -FOREVER
    loading: tuple[float, float] = (-FOREVER, -FOREVER + 1)
    leave: Gait = STAND
    rise: float = FOREVER
    tip: float = FOREVER
    off: float = 2 * FOREVER
    unloading: tuple[float, float] = (FOREVER, FOREVER + 1)


@dataclass
class Plan:
    """Both feet's plants in order, the gait at every time, and what the upper body does besides.

    `gaits`: [(time, gait), …]; `keys`: for "look", "nod", "share", "bend", "reach" a list of (time,
    value); `heights`: [(start, stop, begin, end), …], quintics for the height of the pelvis above standing, in jumps.
    """

    feet: dict[int, list[Plant]]
    seconds: float
    gaits: list
    keys: dict
    heights: list
    rng: np.random.Generator


@dataclass
class Planner:
    """Collects plants; `point` and `heading` say where the line of travel has got to."""

    rng: np.random.Generator
    point: np.ndarray = field(default_factory=lambda: np.zeros(2))
    heading: float = 0.0
    time: float = 0.0
    side: int = LEFT  # of the next step

    def __post_init__(self):
        self.feet = {s: [self._plant(s, STAND, 0.0)] for s in (LEFT, RIGHT)}
        self.gaits, self.keys, self.heights = [(-FOREVER, STAND)], {}, []

    def _plant(self, side, gait, scatter):
        left = np.array([np.cos(self.heading), -np.sin(self.heading)])
        aside = side * 0.5 * gait.width + 0.006 * scatter
        return Plant(side, self.point + aside * left, self.heading + side * np.radians(gait.toe_out), gait)

    def key(self, name, value, after=0.0):
        """From now (and `after` seconds) on, the track `name` goes to `value`."""
        self.keys.setdefault(name, []).append((self.time + after, value))

    def stand(self, seconds):
        self.gaits.append((self.time, STAND))
        self.time += seconds

    def step(self, gait, turn=0.0, lateral=0.0, side=None, **changes):
        """One step: the line of travel goes on by the gait's length (or `lateral` to the left) and turns (degrees)."""
        gait = replace(gait, **changes)
        side = side or self.side
        n = np.clip(self.rng.standard_normal(7), -2.0, 2.0)
        moving = gait.length > 0.3
        gait = replace(
            gait,
            duration=gait.duration * (1 + 0.012 * n[0]),
            lift=gait.lift * (1 + 0.08 * n[1]),
            off_pitch=gait.off_pitch + 1.5 * n[2],
            strike_pitch=gait.strike_pitch + (1.2 * n[3] if gait.strike_pitch else 0.0),
        )
        turn = np.radians(turn + (0.5 * n[4] if moving else 0.0))
        ahead = gait.length * (1 + 0.016 * n[5])
        self.heading += 0.5 * turn
        forward = np.array([np.sin(self.heading), np.cos(self.heading)])
        self.point = self.point + ahead * forward + lateral * np.array([forward[1], -forward[0]])
        self.heading += 0.5 * turn
        self._leave(side, gait, self.time + (2 * gait.duty - 1) * gait.duration)
        self.gaits.append((self.time, gait))
        self.time += gait.duration
        self._arrive(side, gait, self.time, n[6])
        self.side = -side

    def steps(self, gait, count, turn=0.0, **changes):
        """`count` steps alike; `turn` degrees each, or one for each of them."""
        for t in np.broadcast_to(turn, count):
            self.step(gait, float(t), **changes)

    def _leave(self, side, gait, off):
        plant, other = self.feet[side][-1], self.feet[-side][-1]
        plant.leave, plant.off = gait, off
        plant.rise = max(off - (1 - gait.roll[1]) * 2 * gait.duty * gait.duration, plant.flat)
        if plant.rise >= off:
            raise ValueError(f"the foot that lands at {plant.strike:.2f} s cannot leave again at {off:.2f} s")
        plant.tip = off - 0.3 * (off - plant.rise)
        if other.strike >= self.time - 1e-9:  # the other foot has just landed: the load passes to it
            middle, half = 0.5 * (off + other.strike), max(0.5 * abs(off - other.strike), 0.045)
            plant.unloading = other.loading = (middle - half, middle + half)
        else:
            plant.unloading = (off - 0.35, off)

    def _arrive(self, side, gait, strike, scatter):
        plant = self._plant(side, gait, scatter)
        plant.strike = strike
        plant.flat = strike + gait.roll[0] * 2 * gait.duty * gait.duration
        plant.loading = (strike, strike + 0.3)
        self.feet[side].append(plant)

    def jump(self, gait, height, depth=0.27, length=0.0):
        """Both feet leave and land together: a crouch of `depth`, then `height` metres up from toe off."""
        down, push, land, settle = 0.5, 0.3, 0.22, 0.55
        speed = np.sqrt(2 * GRAVITY * height)
        flight = 2 * speed / GRAVITY
        top = 0.085  # at toe off: legs long, heels up
        low = self.time + down
        off = low + push
        strike = off + flight
        self.heights += [
            (self.time, low, (0, 0, 0), (-depth, 0, 6.0)),
            (low, off, (-depth, 0, 6.0), (top, speed, -GRAVITY)),
            (off, strike, (top, speed, -GRAVITY), (top, -speed, -GRAVITY)),
            (strike, strike + land, (top, -speed, -GRAVITY), (-0.8 * depth, 0, 6.0)),
            (strike + land, strike + land + settle, (-0.8 * depth, 0, 6.0), (0, 0, 0)),
        ]
        for name, poses in {
            "bend": [
                (0.0, 42.0),
                (down + 0.05, 4.0),
                (down + push + 0.6 * flight, 26.0),
                (down + push + flight + land, 0.0),
            ],
            "reach": [
                (0.0, -50.0),
                (down - 0.02, 105.0),
                (down + push + 0.5 * flight, 25.0),
                (down + push + flight + land, 0.0),
            ],
        }.items():
            for after, value in poses:
                self.key(name, value, after)
        self.gaits.append((self.time, gait))
        forward = np.array([np.sin(self.heading), np.cos(self.heading)])
        self.point = self.point + length * forward
        for side in (LEFT, RIGHT):
            plant = self.feet[side][-1]
            plant.leave, plant.off, plant.rise, plant.tip = gait, off, off - 0.2, off - 0.07
            plant.unloading = (off, off + 0.02)
            self._arrive(side, gait, strike, 0.0)
            landed = self.feet[side][-1]
            landed.flat, landed.loading = strike + 0.09, (strike - 0.02, strike)
        self.time = strike + land + settle

    def plan(self) -> Plan:
        return Plan(self.feet, self.time, self.gaits, self.keys, self.heights, self.rng)


def jump_heights(plan, t):
    """Pelvis height above standing at times t (F,) in jumps, 0 elsewhere."""
    heights = np.zeros(len(t))
    for start, stop, begin, end in plan.heights:
        inside = (t >= start) & (t <= stop)
        heights[inside] = quintic(t[inside], start, stop, begin, end)
    return heights
