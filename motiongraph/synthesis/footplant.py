"""Feet that stay where they are planted (after Kovar, Schreiner and Gleicher, Footskate Cleanup, 2002).

Each contact of heel and toe gets one place on the floor. While it lasts the foot is held there; before and after, the
correction comes and goes smoothly. Legs reach their feet by an exact two-bone solution, and the root comes down where
a leg would have to stretch.
"""

from dataclasses import replace

import numpy as np

from motiongraph import rotations as rot
from motiongraph.model.clip import Clip
from motiongraph.synthesis.easing import eased, envelope, runs
from motiongraph.synthesis.legs import Leg, comfortable, legs_of, overreach, reach
from motiongraph.synthesis.origin import plants

EASE = 0.2  # s; how long a correction takes to come or go
_FOOT_EASE = 0.12  # s; the same for the foot's own turn
_SETTLE = 0.1  # s; over which the root's height is smoothed


def cleaned(clip: Clip, floor=None) -> Clip:
    """`clip` with planted feet held, floor never entered and legs never overstretched; without legs, `clip` itself.

    floor: height of the ground in metres, one number or (F,); by default that of the clip.
    """
    contacts = plants(clip)
    legs = legs_of(clip.skeleton, contacts.joints)
    if not legs:
        return clip
    floor = np.broadcast_to(clip.floor if floor is None else floor, len(clip)).astype(float)
    planted = {joint: np.asarray(contacts)[:, k] for k, joint in enumerate(contacts.joints)}
    feet = [_foot(clip, leg, planted, floor) for leg in legs]
    shift = _root_shift(clip, legs, [ankle for ankle, _ in feet])
    rotations = clip.rotations.copy()
    for leg, (ankle, turn) in zip(legs, feet):
        _pose_leg(clip, leg, ankle, turn, shift, rotations)
    return replace(clip, root=clip.root + shift, rotations=rotations, source=clip._layout())


def _foot(clip, leg: Leg, planted, floor):
    """Where the ankle goes (F, 3), and by how much the foot is turned (F, 4), to hold the foot where it is planted."""
    places = clip.positions()
    ankle = places[:, leg.ankle]
    heel_down, heel, toe_down, toe = _plants(clip, leg, planted)
    turn = np.tile(rot.IDENTITY, (len(clip), 1))
    known, target = heel_down, heel
    if leg.ball >= 0:
        foot = places[:, leg.ball] - ankle
        both = heel_down & toe_down
        wanted = rot.between(foot, np.where(both[:, None], toe - heel, foot))
        vectors = eased(both, _vector(wanted), round(_FOOT_EASE * clip.fps))
        turn = _from_vector(vectors)
        known = heel_down | toe_down
        target = np.where(heel_down[:, None], heel, toe - rot.rotate(turn, foot))
    known = _without_leaps(known, heel_down, toe_down)
    correction = eased(known, target - ankle, round(EASE * clip.fps))
    goal = ankle + correction
    lowest = goal[:, 1]
    if leg.ball >= 0 or leg.tips:
        rest = [rot.rotate(turn, places[:, j] - ankle)[:, 1] for j in (leg.ball, *leg.tips) if j >= 0]
        lowest = np.minimum(lowest, goal[:, 1] + np.min(rest, axis=0))
    goal[:, 1] += envelope(np.maximum(floor - lowest, 0.0), max(round(0.05 * clip.fps), 1))
    return goal, turn


def _plants(clip, leg, planted):
    """Masks (F,) and places (F, 3) of the heel's (the ankle joint's) and the toe's contacts.

    A contact that overlaps one of the other end of the foot gets its place from that and the foot's mean direction
    while both are down, so that the two are always one foot's length apart.
    """
    places, count = clip.positions(), len(clip)
    joints = (leg.ankle, leg.ball) if leg.ball >= 0 else (leg.ankle,)
    down = [planted[j] for j in joints]
    where = [np.zeros((count, 3)) for _ in range(2)]
    contacts = sorted((int(a), int(b), end) for end, mask in enumerate(down) for a, b in runs(mask))
    settled = [np.zeros(count, bool) for _ in range(2)]
    for start, stop, end in contacts:
        other = 1 - end
        shared = settled[other][start:stop]
        if shared.any():
            first = start + int(np.argmax(shared))
            span = slice(first, first + int(runs(shared)[0, 1] - runs(shared)[0, 0]))
            foot = (places[span, leg.ball] - places[span, leg.ankle]).mean(axis=0)
            length = np.linalg.norm(places[first, leg.ball] - places[first, leg.ankle])
            foot *= length / max(float(np.linalg.norm(foot)), 1e-9)
            place = where[other][first] + (foot if end == 1 else -foot)
        else:
            place = places[start:stop, joints[end]].mean(axis=0)
        where[end][start:stop] = place
        settled[end][start:stop] = True
    none = np.zeros(count, bool)
    return down[0], where[0], (down[1] if len(down) > 1 else none), where[1]


def _without_leaps(known, heel_down, toe_down):
    """`known` with a short gap where the heel hands over to the toe, or back, while never both are down."""
    only_heel, only_toe = heel_down & ~toe_down, toe_down & ~heel_down
    leap = (only_heel[:-1] & only_toe[1:]) | (only_toe[:-1] & only_heel[1:])
    known = known.copy()
    for at in np.flatnonzero(leap):
        known[max(at - 2, 0) : at + 4] = False
    return known


def _root_shift(clip, legs, goals):
    """(F, 3) by how much the root moves so that every leg reaches its foot."""
    places = clip.positions()
    radius = max(round(_SETTLE * clip.fps), 1)
    shift = np.zeros((len(clip), 3))
    for _ in range(2):  # what moves the root for one leg may matter to the other
        needs = []
        for leg, goal in zip(legs, goals):
            hip = places[:, leg.hip]
            needs.append(overreach(hip + shift, goal, comfortable(hip, places[:, leg.knee], places[:, leg.ankle])))
        needs = np.stack(needs)
        shift[:, 1] -= envelope(np.maximum(-needs[:, :, 1].min(axis=0), 0.0), radius)
        for axis in (0, 2):
            ahead, back = np.maximum(needs[..., axis].max(axis=0), 0.0), np.maximum(-needs[..., axis].min(axis=0), 0.0)
            shift[:, axis] += envelope(ahead, radius) - envelope(back, radius)
    return shift


def _pose_leg(clip, leg, goal, turn, shift, rotations):
    """Set the rotations of one leg in place so that its ankle comes to goal and its foot is turned by `turn`."""
    places, turns = clip.positions(), clip.orientations()
    hip, knee, ankle = (places[:, j] + shift for j in (leg.hip, leg.knee, leg.ankle))
    thigh, shin, _ = reach(hip, knee, ankle, goal)
    new_hip = rot.multiply(thigh, turns[:, leg.hip])
    new_knee = rot.multiply(shin, turns[:, leg.knee])
    new_foot = rot.multiply(turn, turns[:, leg.ankle])
    above = turns[:, clip.skeleton.parents[leg.hip]]
    rotations[:, leg.hip] = rot.multiply(rot.conjugate(above), new_hip)
    rotations[:, leg.knee] = rot.multiply(rot.conjugate(new_hip), new_knee)
    rotations[:, leg.ankle] = rot.multiply(rot.conjugate(new_knee), new_foot)


def _vector(q):
    """(…, 3) axis times angle of turns below half a turn."""
    q = np.where(q[..., :1] < 0, -q, q)
    sine = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    return q[..., 1:] * (2.0 * np.arctan2(sine, q[..., :1]) / np.maximum(sine, 1e-12))


def _from_vector(v):
    half = 0.5 * np.linalg.norm(v, axis=-1, keepdims=True)
    return np.concatenate([np.cos(half), v * 0.5 * np.sinc(half / np.pi)], axis=-1)
