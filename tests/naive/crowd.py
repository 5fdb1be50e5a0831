"""Plain loops for a crowd: the pose of a frame, the course of a character, the way that one takes among others."""

import cmath
import math


def _turned(theta, v):
    return math.cos(theta) * v[0] + math.sin(theta) * v[1], math.cos(theta) * v[1] - math.sin(theta) * v[0]


def pose(root, turns, frame, theta, shift):
    """Root and rotations between two frames, turned about y by theta and shifted."""
    f, u = int(frame), frame - int(frame)
    x, y, z = ((1 - u) * root[f][k] + u * root[f + 1][k] for k in range(3))
    px, pz = _turned(theta, (x, z))
    out = []
    for j, (a, b) in enumerate(zip(turns[f], turns[f + 1])):
        sign = 1 if sum(p * q for p, q in zip(a, b)) >= 0 else -1
        q = [(1 - u) * p + sign * u * r for p, r in zip(a, b)]
        size = math.sqrt(sum(p * p for p in q))
        w, i, k, m = (p / size for p in q)
        if j == 0:
            # The half turn whose cosine is not negative, as the kernel has it.
            half = cmath.phase(cmath.exp(1j * theta)) / 2
            c, s = math.cos(half), math.sin(half)
            w, i, k, m = c * w - s * k, c * i + s * m, c * k + s * w, c * m - s * i
        out.append((w, i, k, m))
    return (px + shift[0], y, pz + shift[1]), out


def _mix(values, frame, columns):
    f = int(frame)
    g = min(f + 1, len(values) - 1)
    return tuple(values[f][k] + (frame - f) * (values[g][k] - values[f][k]) for k in columns)


def course(floor, root, about, window, fps, plan, frame, placement, pace, omega):
    """(60, 4) x, z and facing every 0.1 s: frames of the clip, then of each transition, one piece after the other."""
    theta, x, z = placement
    jump, at, done, out = -1, float(frame), 0, []

    def seen(values, columns, is_point):
        if jump < 0:
            v = _mix(values, at, columns)
        else:
            a = _mix(values, floor["leave"][jump] + at, columns)
            b = _turned(floor["jump"][jump][0], _mix(values, floor["arrive"][jump] - window + at, columns))
            if is_point:
                b = b[0] + floor["jump"][jump][1], b[1] + floor["jump"][jump][2]
            u = at / window
            share = 2 * u**3 - 3 * u**2 + 1
            v = tuple(share * p + (1 - share) * q for p, q in zip(a, b))
        v = _turned(theta, v)
        return (v[0] + x, v[1] + z) if is_point else v

    for n in range(60):
        out.append((*seen(root, (0, 2), True), *seen(floor["face"], (0, 1), False)))
        frames = pace * 0.1 * fps
        turn = omega * max(1 - 0.2 * n, 0) * frames / fps
        foot = seen(about, (0, 1), True)
        dx, dz = _turned(turn, (x - foot[0], z - foot[1]))
        theta, x, z = theta + turn, foot[0] + dx, foot[1] + dz
        while frames > 0:
            if jump < 0:
                last = floor["next_out"][floor["run_end"][int(at)] + 1] - 1
                k = plan[done] if done < len(plan) else last
                gap = floor["leave"][k] - at
            else:
                gap = window - at
            if frames < gap:
                at, frames = at + frames, 0
            elif jump < 0:
                frames, jump, at = frames - gap, k, 0.0
            else:
                shift = _turned(theta, floor["jump"][jump][1:3])
                theta, x, z = theta + floor["jump"][jump][0], x + shift[0], z + shift[1]
                frames, at, jump, done = frames - gap, float(floor["arrive"][jump]), -1, done + 1
    return out


def way(ahead, goals, speeds, waited, obstacles, clear, near, step, i):
    """Direction and free metres of character i."""
    x, z = ahead[i][0][:2]
    gx, gz = goals[i][0] - x, goals[i][1] - z
    far, straight = math.hypot(gx, gz), math.atan2(gx, gz)
    reach, speed, waits = min(far, 6.0), max(speeds[i], 0.5), waited[i] > 0.8
    others = [j for j in range(len(ahead)) if j != i and math.hypot(*(ahead[j][0][:2] - ahead[i][0][:2])) < 12.0]

    def free_towards(dx, dz, room):
        free = reach
        for j in others:
            before = math.inf
            for n in range(len(ahead[j])):
                gone = speed * n * step
                if gone > free:
                    break
                ux, uz = x + dx * gone - ahead[j][n][0], z + dz * gone - ahead[j][n][1]
                gap = math.hypot(ux, uz)
                if n == 0 and gap < near + 0.06 and ux * dx + uz * dz < 0.3 * gap:
                    free = 0.0
                elif n > 0 and gap < room and gap < before:
                    free = speed * (n - 1) * step
                    break
                before = gap
        for ox, oz, radius in obstacles:
            along = (ox - x) * dx + (oz - z) * dz
            aside = (ox - x) ** 2 + (oz - z) ** 2 - along**2
            wide = radius + 0.5 * room
            if along > 0 and aside < wide**2:
                free = min(free, max(along - math.sqrt(wide**2 - aside), 0.0))
        return free

    free, room = 0.0, clear
    while room >= near and free < 0.4:
        best = math.inf
        for n in range(-24, 25):
            dx, dz = math.sin(straight + 0.13 * n), math.cos(straight + 0.13 * n)
            f = free_towards(dx, dz, room)
            off = 0.0 if n == 0 and f >= reach else 0.13 * n + 0.12
            some = min(f, 0.8) if waits else f
            cost = reach**2 + some**2 - 2 * reach * (some + 0.01) * math.cos(off)
            if waits:
                cost += 4 * reach * (waited[i] - 0.8) * (1 - some / 0.8)
            if cost < best:
                best, found, free = cost, (dx, dz), f
        room -= 0.07
    return (*found, free)


class Walker:
    """One character on its plan: a frame, or frames into a transition, and where its clip is placed."""

    def __init__(self, floor, root, about, window, fps, plan, state):
        self.floor, self.root, self.about, self.window, self.fps = floor, root, about, window, fps
        self.plan, self.done = [int(k) for k in plan if k >= 0], 0
        jump, at, c, s, x, z = state
        self.jump, self.at, self.theta, self.x, self.z = int(jump), float(at), math.atan2(s, c), float(x), float(z)

    def copy(self):
        other = object.__new__(Walker)
        other.__dict__.update(self.__dict__)
        return other

    def seen(self, values, columns, is_point=True):
        if self.jump < 0:
            v = _mix(values, self.at, columns)
        else:
            theta, *shift = self.floor["jump"][self.jump][:3]
            a = _mix(values, self.floor["leave"][self.jump] + self.at, columns)
            b = _turned(theta, _mix(values, self.floor["arrive"][self.jump] - self.window + self.at, columns))
            if is_point:
                b = b[0] + shift[0], b[1] + shift[1]
            u = self.at / self.window
            share = 2 * u**3 - 3 * u**2 + 1
            v = tuple(share * p + (1 - share) * q for p, q in zip(a, b))
        v = _turned(self.theta, v)
        return (v[0] + self.x, v[1] + self.z) if is_point else v

    def place(self):
        return self.seen(self.root, (0, 2))

    def facing(self):
        return self.seen(self.floor["face"], (0, 1), False)

    def turn(self, angle, pivot):
        dx, dz = _turned(angle, (self.x - pivot[0], self.z - pivot[1]))
        self.theta, self.x, self.z = self.theta + angle, pivot[0] + dx, pivot[1] + dz

    def go(self, frames, turn):
        if turn:
            self.turn(turn, self.seen(self.about, (0, 1)))
        while frames > 0:
            if self.jump < 0:
                end = self.floor["run_end"][int(self.at)]
                k = self.floor["next_out"][end + 1] - 1
                if self.done < len(self.plan) and self.at <= self.floor["leave"][self.plan[self.done]] <= end:
                    k = self.plan[self.done]
                gap = max(self.floor["leave"][k] - self.at, 0.0)
            else:
                gap = self.window - self.at
            if frames < gap:
                self.at, frames = self.at + frames, 0
            elif self.jump < 0:
                frames, self.jump, self.at = frames - gap, k, 0.0
            else:
                theta, *shift = self.floor["jump"][self.jump][:3]
                dx, dz = _turned(self.theta, shift)
                self.theta, self.x, self.z = self.theta + theta, self.x + dx, self.z + dz
                frames, self.at = frames - gap, float(self.floor["arrive"][self.jump])
                self.jump, self.done = -1, self.done + 1

    def braking(self, pace, omega, dt, count):
        """Places as it comes to a halt."""
        other, out = self.copy(), []
        for _ in range(count):
            out.append(other.place())
            after = max(pace - dt / 0.4, 0.0) if pace - dt / 0.4 > 1e-6 else 0.0
            frames = 0.5 * (pace + after) * dt * self.fps
            other.go(frames, omega * frames / self.fps)
            pace = after
        return out


def _clear(i, path, brakes, moved, obstacles, near):
    """Whether everyone can brake without coming too near."""

    def far(a, b):
        return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2

    last = len(path) - 1
    for j, own in enumerate(brakes):
        if j != i:
            least = min(far(brakes[i][0], own[0]), near**2) - 1e-12
            for n in range(last + 1):
                if far(path[n], own[n if moved[j] else min(n + 1, last)]) < least:
                    return False
    for x, z, radius in obstacles:
        least = min(far(brakes[i][0], (x, z)), radius**2) - 1e-12
        if any(far(place, (x, z)) < least for place in path):
            return False
    return True


def move(walkers, speeds, wanted, brakes, order, obstacles, near, dt, turning):
    """One moment of everyone; changes all that it is given. Returns frames, turns and spins of each."""
    moves, moved = [None] * len(walkers), [False] * len(walkers)
    for i in order:
        walker, (pace, omega, waited), (dx, dz, top) = walkers[i], speeds[i], wanted[i]
        fx, fz = walker.facing()
        angle = math.atan2(fz * dx - fx * dz, fx * dx + fz * dz)
        rate = min(max(angle / 0.2, -turning), turning)
        rate = omega + min(max(rate - omega, -turning * dt / 0.12), turning * dt / 0.12)
        spin = min(max(angle, -1.6 * dt), 1.6 * dt) if pace == 0 and abs(angle) > 0.1 else 0.0
        change, goal = dt / 0.4, max(top, 0.0)
        quicker = min(pace + change, goal) if goal > pace else max(pace - change, goal)
        if pace == 0 and abs(angle) > 0.35:
            quicker = 0.0
        slower = pace - change if pace - change > 1e-6 else 0.0
        tries = [(quicker, rate), (quicker, omega), (min(quicker, pace), 0.0), (slower, rate), (slower, omega)]
        for number, (then, turn) in enumerate(tries):
            frames = 0.5 * (pace + then) * dt * walker.fps
            after = walker.copy()
            after.go(frames, turn * frames / walker.fps)
            path = after.braking(then, turn, dt, len(brakes[i]))
            least = near - 0.04 if waited > 0.8 else near
            if number == 4 or _clear(i, path, brakes, moved, obstacles, least):
                break
        if then == 0 and frames == 0 and spin:
            after.turn(spin, after.place())
        else:
            spin = 0.0
        moves[i] = frames, turn * frames / walker.fps, spin
        speeds[i] = then, turn if then > 0 else 0.0, waited + dt if then < 0.25 and top != 0 else 0.0
        brakes[i], walkers[i], moved[i] = path, after, True
    return moves
