"""Joining motion that is made anew to what was shown already, so that neither the body nor a standing foot jumps.

What the first new pose lacks of the last one shown fades over a few frames: of the body, in its joints; of the feet, in
the world, for feet that stand at the same place before and after must not be moved by what hips and knees make up for.
Feet that land meanwhile have made up for it by then.
"""

from dataclasses import replace

import numpy as np

from motiongraph import rotations as rot
from motiongraph.elementary import smoothstep
from motiongraph.model.clip import Clip
from motiongraph.model.kinematics import transforms
from motiongraph.synthesis.blend import Window
from motiongraph.synthesis.feet import plants
from motiongraph.synthesis.legs import Knees, legs_of, length


def carried_over(shown: Window, clip: Clip, fade: int) -> Clip:
    """The clip with its first frames as they were shown, and what its pose then lacks of theirs fading over `fade`
    frames after them."""
    root, turns, slide = shown
    count = len(root)
    if not 0 < count < len(clip):
        return clip
    share = 1.0 - smoothstep(np.arange(1, min(fade, len(clip) - count) + 1) / (fade + 1.0))
    later, last = slice(count, count + len(share)), count - 1
    new_root, new_turns = clip.root.copy(), clip.rotations.copy()
    new_root[:count], new_turns[:count] = root, turns
    new_root[later] += share[:, None] * (root[last] - clip.root[last])
    new_turns[later] = _faded(turns[last], clip.rotations[last], clip.rotations[later], share)
    offsets = clip.offsets
    if offsets is not None and slide is not None:
        offsets = offsets.copy()
        offsets[:count] = slide
        offsets[later] += share[:, None, None] * (slide[last] - offsets[last])
    _hold_feet(clip, (new_root, new_turns, offsets), slice(last, later.stop), share)
    return replace(clip, root=new_root, rotations=new_turns, offsets=offsets)


def _faded(shown: np.ndarray, last: np.ndarray, turns: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Turns (n, …, 4) with a share (n,) of what `last` (…, 4) lacks of the one shown (…, 4)."""
    lack = rot.to_vector(rot.multiply(shown, rot.conjugate(last)))
    return rot.multiply(rot.from_vector(share.reshape(-1, *[1] * lack.ndim) * lack), turns)


def _hold_feet(clip: Clip, new: Window, frames: slice, share: np.ndarray) -> None:
    """Bring the feet of new frames, in place, to where they were in the clip and a share (n,) of what they lacked, in
    the first of these frames, of those shown."""
    skeleton, contacts = clip.skeleton, plants(clip)
    (old, old_turns), (places, turns) = (
        transforms(skeleton, root[frames], rotations[frames], None if slide is None else slide[frames])
        for root, rotations, slide in ((clip.root, clip.rotations, clip.offsets), new)
    )
    later = slice(frames.start + 1, frames.stop)
    for leg in legs_of(skeleton, contacts.joints):
        own = [k for k, joint in enumerate(contacts.joints) if joint in (leg.ankle, leg.ball)]
        air = int(np.argmax(np.append(np.asarray(contacts)[later][:, own].any(axis=1), True)))  # frames until it lands
        landing = 1.0 - smoothstep(np.minimum(np.arange(1, len(share) + 1) / (air + 1.0), 1.0))
        fading = np.minimum(landing, share)
        # Up and down it has all the time there is: that slides nothing, and knees would snap.
        each = np.stack([fading, share, fading], axis=1)
        goal = old[1:, leg.ankle] + each * (places[0, leg.ankle] - old[0, leg.ankle])
        foot = _faded(turns[0, leg.ankle], old_turns[0, leg.ankle], old_turns[1:, leg.ankle], fading)
        hip, knee, ankle = (places[None, 1:, joint] for joint in (leg.hip, leg.knee, leg.ankle))
        knees = Knees.of(hip, knee, ankle, turns[None, 1:, skeleton.parents[leg.hip]], clip.fps)
        bend = np.copysign(knees.bend_at(length(goal - hip)[..., 0]), knees.bend)
        thigh, shin, _ = knees.reach(bend, goal - hip)
        new_hip, new_knee = rot.multiply(thigh[0], turns[1:, leg.hip]), rot.multiply(shin[0], turns[1:, leg.knee])
        new[1][later, leg.hip] = rot.multiply(rot.conjugate(turns[1:, skeleton.parents[leg.hip]]), new_hip)
        new[1][later, leg.knee] = rot.multiply(rot.conjugate(new_hip), new_knee)
        new[1][later, leg.ankle] = rot.multiply(rot.conjugate(new_knee), foot)
