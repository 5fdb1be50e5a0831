"""Angles that follow each other, by trying every way to write a rotation; imports nothing of ours."""

import math


def follow(angles):
    """Each triple as it is closest to the one before, among all that are the same rotation: whole turns added to any
    of the three, and (a + π, π − b, c + π) for (a, b, c)."""
    followed = [list(angles[0])]
    for triple in angles[1:]:
        before, best, least = followed[-1], None, math.inf
        a, b, c = triple
        for base in ((a, b, c), (a + math.pi, math.pi - b, c + math.pi)):
            chosen = []
            for angle, near in zip(base, before):
                ways = [angle + 2.0 * math.pi * n for n in range(-40, 41)]
                chosen.append(min(ways, key=lambda way, near=near: abs(way - near)))
            far = sum((x - y) ** 2 for x, y in zip(chosen, before))
            if far < least - 1e-9:
                best, least = chosen, far
        followed.append(best)
    return followed


def composed(values, columns, axes, frames, half):
    """[F][J] quaternions C·R·C⁻¹, one product of quaternions after the other; half: of a degree, in file units."""

    def times(p, q):
        a, b, c, d = p
        e, f, g, h = q
        return (
            a * e - b * f - c * g - d * h,
            a * f + b * e + c * h - d * g,
            a * g - b * h + c * e + d * f,
            a * h + b * g - c * f + d * e,
        )

    out = []
    for row in values:
        pose = []
        for own, about, frame in zip(columns, axes, frames):
            q = (1.0, 0.0, 0.0, 0.0)
            for column, axis in zip(own, about):
                if column < 0:
                    break
                angle = math.radians(math.fmod(row[column] * half, 360.0))
                turn = [math.cos(angle), 0.0, 0.0, 0.0]
                turn[1 + axis] = math.sin(angle)
                q = times(q, turn)
            w, x, y, z = frame
            pose.append(times(times(frame, q), (w, -x, -y, -z)))
        out.append(pose)
    return out
