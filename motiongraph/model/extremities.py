"""Head, hands and feet: what makes a body of limbs a person. Lengths are metres of an adult of 1.75 m."""

import numpy as np

from motiongraph.model import sides
from motiongraph.model.bind_pose import BindPose, main_child
from motiongraph.model.flesh_shapes import Flesh, times
from motiongraph.model.skeleton import Skeleton

_Y, _Z = np.eye(3)[1:]
SOLE = 0.024  # from the lowest joint of a foot down to the floor


def add_head(skeleton: Skeleton, pose: BindPose, joint: int, flesh: Flesh) -> None:
    """Skull, jaw, nose and ears, as large as heads are, however long the file made the bone."""
    place, size = pose.positions, pose.size
    child = main_child(skeleton, pose.kinds, joint)
    length = np.linalg.norm(place[child] - place[joint]) if child is not None else 0.2 * size
    # The joint sits between the ears: the chin is lower. One that sits at the shoulders is where the neck begins.
    arms = [j for j, kind in enumerate(pose.kinds) if kind == "arm" and pose.kinds[skeleton.parents[j]] != "arm"]
    crown = min(max(length, 0.190 * size), 0.215 * size)
    if arms:
        crown = max(crown, place[arms, 1].mean() + 0.29 * size - place[joint, 1])
    low, s = crown - 0.224 * size, size

    def at(across: float, up: float, ahead: float) -> np.ndarray:
        return place[joint] + [0.0, low, 0.0] + s * np.array([across, up, ahead])

    def ball(centre: np.ndarray, *radii: float, melt: float = 0.02) -> None:
        flesh.ball(joint, centre, times(s, *radii), melt=melt * s)

    def part(a: np.ndarray, b: np.ndarray, at_a: tuple[float, float], at_b: tuple[float, float], melt: float) -> None:
        flesh.add(joint, a, b, times(s, *at_a), times(s, *at_b), melt=melt * s)

    ball(at(0.0, 0.128, 0.002), 0.077, 0.096, 0.096, melt=0.04)
    ball(at(0.0, 0.080, 0.042), 0.060, 0.072, 0.056, melt=0.04)
    part(at(0.0, 0.052, 0.036), at(0.0, 0.010, 0.078), (0.052, 0.044), (0.026, 0.022), melt=0.04)
    ball(at(0.0, 0.043, 0.070), 0.034, 0.034, 0.030, melt=0.03)
    part(at(0.0, 0.108, 0.092), at(0.0, 0.070, 0.108), (0.008, 0.010), (0.013, 0.012), melt=0.018)
    for side in (-1.0, 1.0):
        ball(at(0.077 * side, 0.085, -0.004), 0.009, 0.028, 0.018, melt=0.01)
    neck = place[joint] - [0.0, 0.02 * s, 0.012 * s]
    neck[1] = min(neck[1], at(0.0, -0.02, 0.0)[1])
    part(neck, at(0.0, 0.075, -0.008), (0.046, 0.049), (0.048, 0.052), melt=0.03)


def add_hand(skeleton: Skeleton, pose: BindPose, wrist: int, flesh: Flesh) -> None:
    """The fingers there are with a palm, or a mitten; and a thumb."""
    kinds, place, size = pose.kinds, pose.positions, pose.size
    lower = [wrist, *sides.below(skeleton, wrist)]
    named = lambda j, word: word in skeleton.names[j].lower()  # noqa: E731
    roots = [j for j in lower if kinds[j] == "finger" and kinds[skeleton.parents[j]] != "finger"]
    thumbs, fingers = [j for j in roots if named(j, "thumb")], [j for j in roots if not named(j, "thumb")]
    # Where the hand points.
    tips = [j for j in lower if j not in thumbs and not any(t in sides.ancestors(skeleton, j) for t in thumbs)]
    far = max(tips, key=lambda j: np.linalg.norm(place[j] - place[wrist]))
    ahead = place[far] - place[wrist]
    if np.linalg.norm(ahead) < 1e-3 * size:
        ahead = place[wrist] - place[skeleton.parents[wrist]]
    length = np.linalg.norm(ahead)
    ahead = ahead / length if length > 0.0 else -_Y
    spread = _Z - (_Z @ ahead) * ahead  # across the palm, towards the thumb
    if len(fingers) >= 2:
        found = place[fingers] - place[fingers].mean(axis=0)
        found -= (found @ ahead)[:, None] * ahead
        widest = found[np.argmax(np.linalg.norm(found, axis=1))]
        widest = widest * np.sign(widest @ spread) if abs(widest @ spread) > 1e-6 else widest
        spread = widest if np.linalg.norm(widest) > 0.01 * size else spread
    elif thumbs and skeleton.children[thumbs[0]]:
        out = place[skeleton.children[thumbs[0]][0]] - place[wrist]
        out -= (out @ ahead) * ahead
        spread = out if np.linalg.norm(out) > 0.01 * size else spread
    spread /= np.linalg.norm(spread)
    if len(fingers) >= 2:
        _fingers(skeleton, pose, wrist, fingers, spread, flesh)
    else:
        long = min(max(length, 0.165 * size), 0.20 * size)
        chain = [j for j in sides.ancestors(skeleton, far) if j in lower and skeleton.children[j]][::-1] or [wrist]
        reach = [np.linalg.norm(place[j] - place[wrist]) for j in chain]

        def carrier(share: float) -> int:
            return chain[max(int(np.searchsorted(reach, share * long + 1e-6, side="right")) - 1, 0)]

        curl = np.cross(ahead, spread)
        curl *= -0.10 * np.sign(curl[0] * (np.sign(place[wrist, 0]) or 1.0)) or 0.1  # fingers bend to the thigh

        def along(share: float) -> np.ndarray:
            return place[wrist] + long * (share * ahead + max(share - 0.45, 0.0) * curl)

        for s, t, (w0, d0), (w1, d1) in (
            (-0.05, 0.15, (0.023, 0.030), (0.020, 0.036)),
            (0.15, 0.46, (0.019, 0.036), (0.015, 0.041)),
            (0.46, 0.72, (0.013, 0.039), (0.011, 0.036)),
            (0.72, 0.93, (0.011, 0.035), (0.008, 0.024)),
        ):
            flesh.add(
                carrier(0.5 * (s + t)), along(s), along(t), times(size, w0, d0), times(size, w1, d1), front=spread,
                caps=times(size, 0.012, 0.012), melt=0.014 * size,
            )  # fmt: skip
    if not thumbs:
        base = place[wrist] + (0.035 * ahead + 0.022 * spread) * size
        knee = base + (0.034 * ahead + 0.028 * spread) * size
        tip = knee + (0.034 * ahead + 0.006 * spread) * size
        flesh.add(wrist, base, knee, times(size, 0.017, 0.017), times(size, 0.012, 0.012), melt=0.016 * size)
        flesh.add(wrist, knee, tip, times(size, 0.012, 0.012), times(size, 0.009, 0.009), melt=0.010 * size)
    for joint in thumbs:
        _digit(skeleton, pose, joint, 0.0125, flesh)
        flesh.add(
            wrist, place[wrist] + 0.02 * size * ahead, place[joint],
            times(size, 0.018, 0.018), times(size, 0.014, 0.014), melt=0.016 * size,
        )  # fmt: skip


def _fingers(
    skeleton: Skeleton, pose: BindPose, wrist: int, fingers: list[int], spread: np.ndarray, flesh: Flesh
) -> None:
    """A palm from the wrist to every knuckle, and the fingers."""
    place, size = pose.positions, pose.size
    for joint in fingers:
        _digit(skeleton, pose, joint, 0.0095, flesh)
        first = joint
        if np.linalg.norm(place[joint] - place[wrist]) < 0.05 * size and skeleton.children[joint]:
            first = skeleton.children[joint][0]  # a bone within the palm
        a = place[wrist] + 0.25 * (place[first] - place[wrist])
        flesh.add(
            wrist,
            a,
            place[first],
            times(size, 0.017, 0.019),
            times(size, 0.0125, 0.0125),
            front=spread,
            melt=0.02 * size,
        )
    flesh.ball(wrist, place[wrist], times(size, 0.024, 0.024, 0.026), melt=0.02 * size)


def _digit(skeleton: Skeleton, pose: BindPose, joint: int, thick: float, flesh: Flesh) -> None:
    """One finger or thumb from its first bone to its tip."""
    place, size = pose.positions, pose.size
    child, finger = main_child(skeleton, pose.kinds, joint), f"digit {joint}"
    if child is None:  # no bone says how long it is
        ahead = place[joint] - place[skeleton.parents[joint]]
        ahead *= 0.025 * size / max(np.linalg.norm(ahead), 1e-9)
        flesh.add(
            joint,
            place[joint],
            place[joint] + ahead,
            (0.8 * thick * size,) * 2,
            (0.7 * thick * size,) * 2,
            melt=0.004 * size,
        )
    while child is not None:
        flesh.add(
            joint,
            place[joint],
            place[child],
            (thick * size,) * 2,
            (0.86 * thick * size,) * 2,
            melt=0.005 * size,
            group=finger,
        )
        joint, thick = child, 0.86 * thick
        child = main_child(skeleton, pose.kinds, joint)


def add_foot(skeleton: Skeleton, pose: BindPose, ankle: int, flesh: Flesh) -> None:
    """Heel, instep and toes over a level sole."""
    kinds, place, size = pose.kinds, pose.positions, pose.size
    lower = [ankle, *sides.below(skeleton, ankle)]
    sole = sole_height(pose, lower)
    far = max(lower, key=lambda j: place[j, 2])
    ahead = (place[far] - place[ankle]) * [1.0, 0.0, 1.0]
    if np.linalg.norm(ahead) < 0.05 * size:
        ahead = _Z.copy()
    ahead /= np.linalg.norm(ahead)
    high = min(max(place[ankle, 1] - sole, 0.055 * size), 0.12 * size)
    length = min(max((place[far] - place[ankle]) @ ahead + 0.015 * size, 0.155 * size), 0.24 * size)
    toe = next((j for j in lower[1:] if kinds[j] in ("toe", "foot") and skeleton.children[j]), None)
    ball = (place[toe] - place[ankle]) @ ahead if toe is not None else 0.62 * length
    ball = min(max(ball, 0.45 * length), 0.8 * length)
    carrier = toe if toe is not None else ankle
    floor = np.array([place[ankle, 0], sole, place[ankle, 2]])

    def at(along: float, up: float, across: float = 0.0) -> np.ndarray:
        return floor + along * ahead + [0.0, up, 0.0] + across * np.cross(_Y, ahead)

    def part(joint: int, a: np.ndarray, b: np.ndarray, at_a: tuple, at_b: tuple, melt: float = 0.022) -> None:
        flesh.add(joint, a, b, times(size, *at_a), times(size, *at_b), front=_Y, melt=melt * size, cut=sole)

    side = np.sign(np.cross(_Y, ahead) @ (place[ankle] * [1.0, 0.0, 0.0])) or 1.0  # outwards
    s = size
    flesh.add(
        ankle,
        at(0.004 * s, high),
        at(-0.012 * s, 0.04 * s),
        times(s, 0.031, 0.037),
        times(s, 0.030, 0.040),
        front=ahead,
        melt=0.02 * s,
        cut=sole,
    )
    part(ankle, at(-0.030 * s, 0.026 * s), at(0.4 * ball, 0.026 * s), (0.030, 0.030), (0.033, 0.030))
    part(
        ankle, at(0.008 * s, 0.85 * high), at(ball, 0.022 * s, -0.006 * s * side), (0.030, 0.030), (0.038, 0.024), 0.03
    )
    part(ankle, at(0.3 * ball, 0.02 * s), at(ball, 0.018 * s), (0.033, 0.022), (0.043, 0.022))
    part(
        carrier,
        at(ball, 0.018 * s),
        at(length - 0.022 * s, 0.012 * s, -0.006 * s * side),
        (0.043, 0.022),
        (0.034, 0.016),
    )


def sole_height(pose: BindPose, foot: list[int]) -> float:
    """Height of the sole in the bind pose: as far below the lowest joint of a foot as `body.SOLE` says."""
    return float(pose.positions[foot, 1].min()) - SOLE * pose.size
