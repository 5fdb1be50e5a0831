"""Plain loops for `walks.steering`: what a plan costs, how far away and how lasting a kind of motion is."""

import math


def _rate(aim, frame, t, place, velocity, face):
    point = aim["points"][min(int(t / aim["stride"]), len(aim["points"]) - 1)]
    dx, dz = point[0] - place[0], point[1] - place[1]
    far = math.hypot(dx, dz)
    speed = aim["speed"]
    if aim["slow"] > 0:
        last = aim["points"][-1]
        speed = min(speed, max(math.hypot(last[0] - place[0], last[1] - place[1]) - 0.15, 0.0) / aim["slow"])
    dx, dz = (dx / far, dz / far) if far > 1e-9 else (0.0, 0.0)
    scale = max(aim["speed"], 0.7)
    off = (velocity[0] - speed * dx) ** 2 + (velocity[1] - speed * dz) ** 2
    error = off / scale**2 + aim["facing"] * min(speed / scale, 1.0) * (1.0 - face[0] * dx - face[1] * dz)
    for other in aim["others"]:
        at = other[min(int(t / aim["stride"]), len(other) - 1)]
        error += 8.0 * max(1.0 - math.hypot(at[0] - place[0], at[1] - place[1]) / aim["clear"], 0.0)
    turning = aim["turning"] * min(speed / scale, 1.0) * min(math.hypot(*velocity) / 0.5, 1.0)
    return error + (0.0 if aim["need"][frame] else aim["outside"]), (dx, dz), turning


def _turned(theta, v):
    return math.cos(theta) * v[0] + math.sin(theta) * v[1], math.cos(theta) * v[1] - math.sin(theta) * v[0]


def _placed(state, v):
    x, z = _turned(state[0], v)
    return x + state[1], z + state[2]


def _towards(state, place, face, wanted, most):
    """The state turned about a place so that what faces `face` faces `wanted`, by `most` radians at the most."""
    most = 2.0 * math.atan(0.5 * most)  # what a turn without sines makes of it
    angle = math.atan2(face[1] * wanted[0] - face[0] * wanted[1], face[0] * wanted[0] + face[1] * wanted[1])
    if angle == -math.pi or wanted == (0.0, 0.0):
        angle = math.pi
    angle = min(max(angle, -most), most)
    x, z = _turned(angle, (state[1] - place[0], state[2] - place[1]))
    return state[0] + angle, place[0] + x, place[1] + z


def _twist(aim, face, wanted, most):
    """Error a second of turning from one direction to another, by `most` radians at the most."""
    if most <= 0:
        return 0.0
    ahead = face[0] * wanted[0] + face[1] * wanted[1]
    off = abs(face[1] * wanted[0] - face[0] * wanted[1]) if ahead > 0 else 1.0
    return aim["twist"] * min(off / most, 1.0)


def _moment(floor, aim, frame, t, state):
    ahead = min(aim["stride"], aim["window"])
    a, b = floor["path"][frame], floor["path"][frame + ahead]
    velocity = _turned(state[0], [(q - p) * aim["fps"] / ahead for p, q in zip(a, b)])
    place, face = _placed(state, a), _turned(state[0], floor["face"][frame])
    return *_rate(aim, frame, t, place, velocity, face), place, face


def _ended(floor, aim, frame, t, state):
    error, near = aim["end"] * _moment(floor, aim, frame, t, state)[0], 0.0
    if aim["slow"] > 0:
        x, z = _placed(state, floor["path"][frame])
        far = math.hypot(aim["points"][-1][0] - x, aim["points"][-1][1] - z)
        near = max(1.0 - far / 2.0, 0.0)
        error += far / max(aim["speed"], 0.7)
    return error + near * min(aim["rest"][frame], 4.0) + (1.0 - near) * min(aim["away"][frame], 4.0)


def plan_cost(floor, aim, frame, state, plan):
    """Error of taking these transitions in turn; infinity where that cannot be."""
    t, error = 0, 0.0
    for k in [*plan, None]:
        leave = frame + aim["horizon"] - t if k is None else floor["leave"][k]
        end = floor["run_end"][frame]
        stays = k is None or t + leave - frame >= aim["horizon"]
        if k is not None and (leave < frame or end < leave):
            return math.inf
        if stays:
            leave = frame + aim["horizon"] - t
            if leave > end:
                return math.inf
        at = frame
        while at < leave:  # a whole stride has the error of its first moment
            share = 1.0 if stays else min(aim["stride"], leave - at) / aim["stride"]
            rate, wanted, turning, place, face = _moment(floor, aim, at, t + at - frame, state)
            rate += _twist(aim, face, wanted, turning * aim["stride"] / aim["fps"])
            error += rate * aim["stride"] / aim["fps"] * share
            if share == 1.0:  # a clip left within a stride is placed as at the stride's beginning
                state = _towards(state, place, face, wanted, turning * aim["stride"] / aim["fps"])
            at += aim["stride"]
        if stays:
            return error + _ended(floor, aim, leave, aim["horizon"], state)
        t += leave - frame
        error += aim["costly"] * floor["jump"][k][3] ** 2
        before, samples = _placed(state, floor["path"][leave]), floor["way"][k]
        part = aim["window"] / len(samples)
        for m, (x, z, _, fx, fz) in enumerate(samples):
            place, face = _placed(state, (x, z)), _turned(state[0], (fx, fz))
            velocity = [(q - p) * aim["fps"] / part for p, q in zip(before, place)]
            there = leave if 2 * m < len(samples) else floor["arrive"][k]
            rate, wanted, turning = _rate(aim, there, t + (m + 1) * part, place, velocity, face)
            error += (rate + _twist(aim, face, wanted, turning * part / aim["fps"])) * part / aim["fps"]
            state = _towards(state, place, face, wanted, turning * part / aim["fps"])
            before = place
        x, z = _placed(state, floor["jump"][k][1:3])
        state, frame, t = (state[0] + floor["jump"][k][0], x, z), floor["arrive"][k], t + aim["window"]
        if t >= aim["horizon"]:
            return error + _ended(floor, aim, frame, t, state)
    raise AssertionError


def plans(floor, aim, frame):
    """Every plan whose transitions begin before the horizon."""
    open_ones, found = [((), frame, 0)], []
    while open_ones:
        plan, at, t = open_ones.pop()
        found.append(plan)
        for k, leave in enumerate(floor["leave"]):
            if at <= leave <= floor["run_end"][at] and t + leave - at < aim["horizon"]:
                then = t + leave - at + aim["window"]
                if then < aim["horizon"]:
                    open_ones.append(((*plan, k), floor["arrive"][k], then))
                else:
                    found.append((*plan, k))
    return found


def frames_away(floor, need, window):
    """Frames until one of `need`, by the shortest way: as many rounds as there are frames."""
    count = len(need)
    away = [0.0 if need[f] and floor["run_end"][f] >= 0 else math.inf for f in range(count)]
    for _ in range(count):
        before = list(away)
        for f in range(count):
            if floor["run_end"][f] > f:
                away[f] = min(away[f], before[f + 1] + 1)
        for leave, arrive in zip(floor["leave"], floor["arrive"]):
            if floor["run_end"][leave] >= leave:
                away[leave] = min(away[leave], before[arrive] + window)
        if away == before:
            break
    return away


def frames_stayed(floor, need, window, most):
    """For how many frames, up to `most`, one can stay within `need`."""
    count = len(need)
    stayed = [0.0] * count
    while True:
        before = list(stayed)
        for f in range(count):
            if need[f] and floor["run_end"][f] > f:
                stayed[f] = max(stayed[f], min(before[f + 1] + 1, most))
        for leave, arrive in zip(floor["leave"], floor["arrive"]):
            whole = need[leave] and need[arrive] and need[arrive - window] and need[min(leave + window, count - 1)]
            if whole and floor["run_end"][leave] >= leave:
                stayed[leave] = max(stayed[leave], min(before[arrive] + window, most))
        if stayed == before:
            return stayed
