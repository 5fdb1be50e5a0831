"""Ways of a led character around the props of the scene."""

from __future__ import annotations

import numpy as np

from motiongraph.app.scene.props import Prop, footprint
from motiongraph.errors import MotionError
from motiongraph.walks.curve import Curve
from motiongraph.walks.obstacles import around, checked


def things_of(props: tuple[Prop, ...]) -> list[np.ndarray]:
    """The props that stand in the way, as obstacles."""
    found = (footprint(prop) for prop in props)
    return checked([one for one in found if one is not None])


def led_around(line: Curve, props: tuple[Prop, ...]) -> Curve:
    """A path around the props; itself where it is free, or where there is no way around."""
    things = things_of(props)
    try:
        return around(line, things)[0] if things else line
    except MotionError:
        return line


def way_to(place: np.ndarray, goal: tuple[float, float], props: tuple[Prop, ...]) -> Curve | None:
    """The way from a place (x, z) to a goal where props are in between, else None."""
    if not props or np.hypot(*(np.asarray(goal) - place)) < 1.0:
        return None
    straight = Curve.of(np.array([place, goal]))
    led = led_around(straight, props)
    return None if led is straight else led
