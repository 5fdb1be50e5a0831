"""Plain loops for `synthesis.turning`."""

import math


def _placed(theta, x, z, u, w):
    c, s = math.cos(theta), math.sin(theta)
    return x + u * c + w * s, z - u * s + w * c


def turn_frames(track, points, stride, fps, most, share, before):
    """theta, x, z, rad/s, rad/s² of every frame, and what each foot that stands allows: see `turn_frames`."""
    theta, x, z, omega, gain, *bounds = before
    rows = []
    for i, (px, pz, _, _, qx, qz, fx, fz, own, *more) in enumerate(track):
        here, about = (_placed(theta, x, z, u, w) for u, w in ((px, pz), (qx, qz)))
        point = points[min(i // stride, len(points) - 1)]
        dx, dz = point[0] - here[0], point[1] - here[1]
        angle = (math.atan2(dx, dz) - math.atan2(fx, fz) - theta + math.pi) % (2 * math.pi) - math.pi
        if abs(angle) > 2.6 and angle * (omega + own) < 0:
            angle = -angle
        a, b = track[max(i - 1, 0)], track[min(i + 1, len(track) - 1)]
        frames = max(min(i + 1, len(track) - 1) - max(i - 1, 0), 1)
        speed = math.hypot(b[0] - a[0], b[1] - a[1]) * fps / frames
        bend = 0.0
        if i // stride + 2 < len(points):
            one, two, three = points[i // stride : i // stride + 3]
            u, v = (two[0] - one[0], two[1] - one[1]), (three[0] - two[0], three[1] - two[1])
            bend = (u[1] * v[0] - u[0] * v[1]) / (math.hypot(*u) * math.hypot(*v)) * fps / stride
        if own * bend > 0:
            own -= math.copysign(min(abs(own), abs(bend)), own)
        allowed = share * most * min(speed / 0.5, 1.0) * min(math.hypot(dx, dz) / 0.5, 1.0)
        wanted = min(max(angle / 0.15 - own, -allowed), allowed)
        for k, stands in enumerate(more[2:]):
            if stands <= 0.5:
                bounds[2 * k : 2 * k + 2] = math.nan, math.nan
            else:
                if math.isnan(bounds[2 * k]):
                    bounds[2 * k : 2 * k + 2] = theta - math.radians(80.0), theta + math.radians(80.0)
                if wanted > 0:
                    wanted = min(wanted, max(bounds[2 * k + 1] - theta, 0.0) / 0.15)
                else:
                    wanted = max(wanted, min(bounds[2 * k] - theta, 0.0) / 0.15)
        hardest = most / 0.12
        change = hardest / max(0.05 * fps, 1.0)
        lack = abs(wanted - omega)
        # The gains of the frames to come, each less by `change`, add up to what is lacking: n (n + 1) / 2 of them.
        steps = (-1.0 + math.sqrt(1.0 + 8.0 * lack * fps / change)) / 2.0
        aim = math.copysign(min(steps * change, hardest), wanted - omega)
        gain = min(max(aim, gain - change), gain + change)
        omega += gain / fps
        if abs(wanted - omega) < change / fps and abs(gain) <= 2.0 * change:
            omega, gain = wanted, 0.0
        turn = omega / fps
        u, w = x - about[0], z - about[1]
        x = about[0] + u * math.cos(turn) + w * math.sin(turn)
        z = about[1] - u * math.sin(turn) + w * math.cos(turn)
        theta += turn
        rows.append((theta, x, z, omega, gain, *bounds))
    return rows
