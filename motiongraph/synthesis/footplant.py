"""Feet that stay where they are planted (after Kovar, Schreiner and Gleicher, Footskate Cleanup, 2002).

Each contact of heel and toe gets one place on the floor. While it lasts the foot is held there; before and after, the
correction comes and goes smoothly. Legs reach their feet by an exact two-bone solution, and the root gives way where
a leg would stretch or its knee snap. Bones keep their length, which theirs do not.
"""

from dataclasses import replace

import numpy as np
from scipy.ndimage import gaussian_filter1d

from motiongraph import rotations as rot
from motiongraph.model.clip import Clip
from motiongraph.progress import SILENT
from motiongraph.synthesis.feet import foot_of
from motiongraph.synthesis.knees import root_shift, wanted_span
from motiongraph.synthesis.legs import bending_axis, legs_of, reach
from motiongraph.synthesis.origin import plants

_SLOW = 0.05  # s; what the root does in less than about this is sudden


def cleaned(clip: Clip, floor=None, onto: float | None = None, progress=SILENT) -> Clip:
    """`clip` with planted feet held, floor never entered and legs never overstretched; without legs, `clip` itself.

    floor: (F,) metres, the ground under every frame where that changes, as it does when pieces of several clips are
    joined; by default that of the clip. onto: metres, the height that all of it is brought to, by default the first.
    """
    progress(0, 5, "holding planted feet")
    contacts = plants(clip)
    legs = legs_of(clip.skeleton, contacts.joints)
    if not legs:
        return clip
    floor = np.broadcast_to(clip.floor if floor is None else floor, len(clip))
    ground = float(floor[0]) if onto is None else onto
    level = np.zeros((len(clip), 3))
    level[:, 1] = ground - floor
    places, turns = clip.positions() + level[:, None], clip.orientations()
    planted = {joint: np.ascontiguousarray(contacts[:, k], bool) for k, joint in enumerate(contacts.joints)}

    progress(2, 5, "holding planted feet")
    feet = [foot_of(places, leg, planted, clip.fps) for leg in legs]
    hip, knee, ankle = (np.stack([places[:, getattr(leg, end)] for leg in legs]) for end in ("hip", "knee", "ankle"))
    firm, held = np.stack([foot.firm for foot in feet]), np.stack([foot.held for foot in feet])
    goal = np.stack([foot.above(foot.goal, ground, clip.fps) for foot in feet])
    wanted = wanted_span(hip, knee, ankle, goal, clip.fps)
    progress(3, 5, "holding planted feet")
    # Slowly, the root goes along with every foot that stands. Of a sudden, with those that cannot give way; feet in the
    # air do that with it, and knees even out the rest.
    slow = gaussian_filter1d(root_shift(hip, goal, wanted, held), _SLOW * clip.fps, axis=0, mode="nearest")
    sudden = root_shift(hip + slow, goal, wanted, firm)
    shift = slow + sudden
    goal += (1.0 - held[..., None]) * sudden
    feet = [foot.yielding(at, hip[n] + shift, wanted[n]) for n, (foot, at) in enumerate(zip(feet, goal))]
    goal = np.stack([foot.above(foot.goal, ground, clip.fps) for foot in feet])

    progress(4, 5, "holding planted feet")
    above = np.stack([turns[:, clip.skeleton.parents[leg.hip]] for leg in legs])
    usual = np.stack([bending_axis(*joints) for joints in zip(hip, knee, ankle, above)])
    thigh, shin, _ = reach(hip + shift, knee + shift, ankle + shift, goal, usual)
    rotations = clip.rotations.copy()
    for n, leg in enumerate(legs):
        new_hip = rot.multiply(thigh[n], turns[:, leg.hip])
        new_knee = rot.multiply(shin[n], turns[:, leg.knee])
        rotations[:, leg.hip] = rot.multiply(rot.conjugate(above[n]), new_hip)
        rotations[:, leg.knee] = rot.multiply(rot.conjugate(new_hip), new_knee)
        rotations[:, leg.ankle] = rot.multiply(rot.conjugate(new_knee), rot.multiply(feet[n].turn, turns[:, leg.ankle]))
        if leg.toe >= 0:
            over = rot.multiply(feet[n].turn, turns[:, clip.skeleton.parents[leg.ball]])
            toes = rot.multiply(feet[n].bent(goal[n], ground), rot.multiply(feet[n].turn, turns[:, leg.ball]))
            rotations[:, leg.ball] = rot.multiply(rot.conjugate(over), toes)
    origin = clip.origin and replace(clip.origin, floor=ground)
    return replace(clip, root=clip.root + level + shift, rotations=rotations, origin=origin, source=clip._layout())
