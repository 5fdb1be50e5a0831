"""Walks along a path, by plain loops: what they cost, what is still to come, and which points of it belong to them.

`floor`, `target` and `rules` are read by their names; arrays of numbers within them may be lists.
"""

from itertools import pairwise
from math import atan2, cos, dist, hypot, inf, pi, sin


def placed(placement, point):
    """A point (x, z) of a clip where its placement (theta, x, z) puts it."""
    theta, x, z = placement
    a, b = point
    return x + cos(theta) * a + sin(theta) * b, z - sin(theta) * a + cos(theta) * b


def compose(outer, inner):
    """The placement that applies `inner` first, found by placing two points."""
    x, z = placed(outer, inner[1:])
    ahead = placed(outer, placed(inner, (0.0, 1.0)))
    return atan2(ahead[0] - x, ahead[1] - z), x, z


def sample(target, rules, along):
    """Number of the path's sample nearest to a length along it."""
    return min(max(int(along / rules.spacing + 0.5), 0), len(target.line) - 1)


def looked(target, rules, along, place, face, walked, seconds, frame):
    """Metres along the path after walking on to a place, and the error a second there."""
    least = rules.gamma * seconds
    low = along + max(least, (1 - rules.slack) * walked)
    high = along + max(least, (1 + rules.slack) * walked)
    x, z, tx, tz = target.line[sample(target, rules, along + walked)][:4]
    nearest = along + walked + (place[0] - x) * tx + (place[1] - z) * tz
    along = min(max(nearest, low), high) if high > low else low
    i = sample(target, rules, along)
    x, z, tx, tz, wrong, _ = target.line[i]
    error = (place[0] - x) ** 2 + (place[1] - z) ** 2 + rules.facing * (1 - face[0] * tx - face[1] * tz)
    if not target.need[target.stretch[i]][frame]:
        error += wrong
    return along, error + rules.hurry * (target.pace[frame] - rules.speed) ** 2


def whole_error(floor, target, rules, frame, placement, along, error):
    """With what ending at a frame adds; infinity where a walk may not."""
    if along < rules.length - rules.early or (rules.strict and not target.need[-1][frame]):
        return inf
    x, z = placed(placement, floor.path[frame])
    fx, fz = placed((placement[0], 0.0, 0.0), floor.face[frame])
    error += rules.end_place * ((x - target.line[-1][0]) ** 2 + (z - target.line[-1][1]) ** 2)
    error += rules.end_rest * target.pace[frame] ** 2
    return error + rules.end_facing * (1 - fx * rules.end_x - fz * rules.end_z)


def leaving(floor, rules, frame):
    """The transitions by which the run from a frame may be left."""
    end = floor.run_end[frame]
    ahead = [k for k in range(len(floor.leave)) if frame <= floor.leave[k] <= end]
    return [k for k in ahead if floor.leave[k] >= min(frame + rules.least, end + 1)] or ahead


def turn_towards(target, rules, along, place, face, pace, seconds):
    """Radians by which a body is turned towards a point ahead on the path."""
    x, z, tx, tz = target.line[sample(target, rules, along + 0.25)][:4]
    to = x + 0.35 * tx - place[0], z + 0.35 * tz - place[1]
    far = max(hypot(*to), 1e-6)
    aside, ahead = (face[1] * to[0] - face[0] * to[1]) / far, (face[0] * to[0] + face[1] * to[1]) / far
    if ahead < 0:
        aside = 1.0 if aside > 0 else -1.0
    most = rules.turning * min(pace / 0.5, 1.0) * seconds
    return min(max(aside * min(seconds / 0.15, 1.0), -most), most)


def turned_about(placement, place, turn):
    """A placement turned about a place."""
    theta, x, z = placement
    return theta + turn, *placed((turn, *place), (x - place[0], z - place[1]))


def plan_error(floor, target, rules, frame, state, plan, samples=4):
    """The least whole error of a walk that takes these transitions or the first of them, and how many it takes."""
    placement, along, error = tuple(state[:3]), state[3], state[4]
    best = inf, 0
    for n in range(len(plan) + 1):
        end = floor.run_end[frame]
        if end < frame:
            return best
        going = plan[n] if n < len(plan) and plan[n] in leaving(floor, rules, frame) else None
        while True:
            total = whole_error(floor, target, rules, frame, placement, along, error)
            best = min(best, (total, n)) if total < best[0] else best
            if along >= rules.length + rules.late:
                return best
            following, further, rate = min(frame + rules.stride, end), along, 0.0
            seconds = (following - frame) / rules.fps
            if following > frame:
                place = placed(placement, floor.path[following])
                face = placed((placement[0], 0.0, 0.0), floor.face[following])
                walked = floor.arc[following] - floor.arc[frame]
                further, rate = looked(target, rules, along, place, face, walked, seconds, following)
            if going is not None and (floor.leave[going] < following or frame == end):
                break
            if frame == end:
                return best
            along, error, frame = further, error + rate * seconds, following
            if rules.turning > 0 and seconds > 0:
                place = placed(placement, floor.path[frame])
                face = placed((placement[0], 0.0, 0.0), floor.face[frame])
                more = turn_towards(target, rules, along, place, face, target.pace[frame], seconds)
                error += 0.05 * (more / (rules.turning * seconds)) ** 2 * seconds
                placement = turned_about(placement, place, more)
        u = (floor.leave[going] - frame) / max(following - frame, 1)
        along, error = along + u * (further - along), error + u * rate * seconds
        theta, x, z, cost, _ = floor.jump[going]
        error += rules.cost * cost**2 + target.extra[going]
        part = rules.window / rules.fps / samples
        for m in range(samples):
            place = placed(placement, floor.way[going][m][:2])
            face = placed((placement[0], 0.0, 0.0), floor.way[going][m][3:])
            frame = floor.leave[going] if m < samples / 2 else floor.arrive[going]
            along, rate = looked(target, rules, along, place, face, floor.way[going][m][2], part, frame)
            error += rate * part
        placement, frame = compose(placement, (theta, x, z)), floor.arrive[going]
        if rules.turning > 0:
            seconds = rules.window / rules.fps
            more = turn_towards(target, rules, along, place, face, target.pace[frame], seconds)
            placement = turned_about(placement, place, more)
    return best


def best_plan(floor, target, rules, frame, state, most):
    """The least error of all plans of up to `most` transitions, and that plan."""
    best, plans = (inf, []), [([], frame)]
    while plans:
        plan, here = plans.pop()
        best = min(best, (plan_error(floor, target, rules, frame, state, plan)[0], plan))
        if len(plan) < most and floor.run_end[here] >= here:
            plans += [([*plan, k], floor.arrive[k]) for k in leaving(floor, rules, here)]
    return best


def lower_bound(target, rules, along, x, z, frame):
    """What is still to come: closing in on the path, and the seconds until the labels asked for can be reached."""
    i = sample(target, rules, along)
    distance = hypot(x - target.line[i][0], z - target.line[i][1])
    # At twice the highest speed, in small steps, until the path is reached.
    bound, steps = 0.0, 2000
    for step in range(steps):
        bound += (distance * (1 - (step + 0.5) / steps)) ** 2 * distance / (2 * rules.quickest) / steps
    here, wrong, left = int(target.stretch[i]), target.line[i][4], target.line[i][5]
    bound += wrong * target.away[here][frame]
    if here + 1 < len(target.need):
        bound += max(target.metres[here + 1][frame] - left, 0.0) / rules.quickest * target.line[-1][4]
    return bound


def turn_ahead(target, rules, along, fx, fz):
    """What turning to the direction of the path 0.5 m further on may cost."""
    line = target.line[sample(target, rules, along + 0.5)]
    return 0.5 * (1.0 - cos(atan2(fx, fz) - atan2(line[2], line[3]))) ** 2


def room_ahead(corner, room, moment, theta, x, z):
    """The square of how far a sharp corner will be missed, turning left or right, whichever is nearer."""
    cx, cz, dx, dz, bx, bz, heading, _ = corner
    row, facing = moment
    off, least = (theta - heading) / (2 * pi) * 72 + facing, inf
    for turns in range(-6, 7):
        angle = off + 72 * turns
        if -42 <= angle < 42:
            low = int(angle + 42)
            part = angle + 42 - low
            aside, against, away = ((1 - part) * a + part * b for a, b in zip(room[row][low], room[row][low + 1]))
            side = 1 if angle > 0 else -1
            beside, outside = (side * ((x - cx) * w - (z - cz) * u) for u, w in ((dx, dz), (bx, bz)))
            beyond = max(against - (x - cx) * dx - (z - cz) * dz, 0.0)
            least = min(least, max(beside - away + aside, outside + away, 0.0) ** 2 + beyond**2)
    return least


def aligned(places, line, spacing, every, step=0.05, rate=3.0, back=0.05, begin=1.0):
    """(distance, sample) of each place: of all rows of points that may belong to the places, the one whose sum of
    squared distances is least."""
    far, count = spacing * every, -(-(len(line) - 1) // every) + 1
    points = [line[min(k * every, len(line) - 1)] for k in range(count)]
    kept = [0]
    for f, place in enumerate(places):
        if dist(place, places[kept[-1]]) >= step:
            kept.append(f)
    begins = begin + 2 * dist(places[0], line[0])
    rows = {k: (step * dist(places[0], points[k]) ** 2, [k]) for k in range(count) if k * far <= begins}
    for a, b in pairwise(kept):
        walked, following = dist(places[a], places[b]), {}
        reach = int(rate * walked / far) + 1
        for k in range(count):
            near = [(rows[j][0] + back * far * max(j - k, 0), j) for j in rows if abs(j - k) <= reach]
            if near:
                least, j = min(near)
                following[k] = least + walked * dist(places[b], points[k]) ** 2, [*rows[j][1], k]
        rows = following
    _, row = min(rows.values())
    found = []
    for f, place in enumerate(places):
        n = max(m for m, k in enumerate(kept) if k <= f)
        own, after = row[n], row[min(n + 1, len(row) - 1)]
        near = range(max((min(own, after) - 1) * every, 0), min((max(own, after) + 1) * every, len(line) - 1) + 1)
        found.append(min((dist(place, line[i]), i) for i in near))
    return found


def repeat_prices(floor, rules, arrived, left, ahead, again=0.25, remembered=16):
    """What each transition ahead costs for coming again to where the walk was: arrived: the frames at which its steps
    began, the latest first; left: the frames at which all but the latest were left."""
    prices = []
    for k in ahead:
        price = 0.0
        for m, began in enumerate(arrived[:remembered]):
            last = floor.leave[k] if m == 0 else left[m - 1]
            if began - again * rules.fps <= floor.arrive[k] <= last:
                price += rules.repeat * (1 - m / remembered)
        prices.append(price)
    return prices


def random_transitions(floor, clip_of, ease, chances, frame, length, least, most, variety, window, weary):
    """The transitions of a random walk, the frame arrived at and the frames played."""
    played, taken, seen, stayed = 0, [], {}, 0
    for step, chance in enumerate(chances):
        end = floor.run_end[frame]
        if end < 0:
            break
        ahead = [k for k in range(len(floor.leave)) if frame <= floor.leave[k] <= end]
        ahead = [k for k in ahead if floor.leave[k] >= frame + least] or ahead
        if not ahead:
            played += end - frame
            break
        ahead = [k for k in ahead if floor.leave[k] <= frame + most] or ahead
        seen[clip_of[frame]] = step
        weights = []
        for k in ahead:
            age = step - seen.get(clip_of[floor.arrive[k]], -1000)
            weights.append(ease[k] * (1.001 - variety * 0.5 ** (age / 4) if age < 64 else 1.0))
            if clip_of[floor.arrive[k]] == clip_of[frame]:
                weights[-1] *= max((1.001 - variety) ** stayed, weary)
        left, choice = chance * sum(weights), 0
        while choice < len(ahead) - 1 and left >= weights[choice]:
            left, choice = left - weights[choice], choice + 1
        k = ahead[choice]
        played += floor.leave[k] - frame + window
        if played >= length:
            break
        stayed = stayed + 1 if clip_of[floor.arrive[k]] == clip_of[frame] else 0
        frame = floor.arrive[k]
        taken.append(k)
    return taken, frame, played


def ways(path, face, leave, arrive, jump, last, window, samples):
    """Samples x, z, metres since the one before and facing x, z along every transition, blended as it will be."""
    found = []
    for t in range(len(leave)):
        placement = jump[t][:3]
        before, rows = path[leave[t]], []
        for k in range(samples):
            offset = round((k + 1) * window / samples)
            u = offset / window
            alpha = 2 * u**3 - 3 * u**2 + 1
            out, into = min(leave[t] + offset, last[t]), arrive[t] - window + offset
            there, facing = placed(placement, path[into]), placed((placement[0], 0.0, 0.0), face[into])
            place = [alpha * path[out][i] + (1 - alpha) * there[i] for i in range(2)]
            toward = [alpha * face[out][i] + (1 - alpha) * facing[i] for i in range(2)]
            size = max(hypot(*toward), 1e-9)
            rows.append([*place, hypot(place[0] - before[0], place[1] - before[1]), toward[0] / size, toward[1] / size])
            before = place
        found.append(rows)
    return found


def steps(path, starts, first):
    """Metres from the frame before, from the first of each clip's captured frames on."""
    out = []
    for c, begin in enumerate(first):
        for f in range(starts[c], starts[c + 1]):
            out.append(hypot(path[f][0] - path[f - 1][0], path[f][1] - path[f - 1][1]) if f > begin else 0.0)
    return out


def run_ends(at, on, starts):
    """The last frame that may be played to from each frame: on: whether the clip goes on from each choice point."""
    out = []
    for f in range(starts[-1]):
        clip_end = min(end for end in starts if end > f)
        ahead = [n for n, frame in enumerate(at) if f <= frame < clip_end]
        out.append(next((at[n] for n in ahead if not on[n]), -1))
    return out


def alone(leave, ease, near, care):
    """The root of the largest ease about the same moment, times care, as a share of all of them."""
    out = []
    for here in leave:
        some = [e for there, e in zip(leave, ease) if abs(there - here) <= near]
        out.append(care * max(some) ** 0.5 / sum(some))
    return out


def followed(ranges, weight, steps, mass):
    """How many of all walks take each transition after some steps, half of them waiting at each."""
    for _ in range(steps):
        new = [0.5 * m for m in mass]
        for m, (a, b) in zip(mass, ranges):
            for j in range(a, b):
                new[j] += 0.5 * m * weight[j] / sum(weight[a:b])
        mass = [m / sum(new) for m in new]
    return mass


def passages(floor, before, need):
    """Metres and degrees turned of every way from motion of `before` to such of `need`, lists of bools."""

    def between(a, b):
        return abs(atan2(a[1] * b[0] - a[0] * b[1], a[0] * b[0] + a[1] * b[1])) * 180.0 / pi

    other = [not need[f] and (before is None or before[f]) for f in range(len(need))]
    found = []
    for k in range(len(floor.leave)):
        if other[floor.leave[k]] and need[floor.arrive[k]]:
            found.append((floor.jump[k][4], between(floor.way[k][0][3:], floor.way[k][-1][3:])))
    arrivals, leaves = {int(f) for f in floor.arrive}, {int(f) for f in floor.leave}
    for at in range(1, len(need)):
        if other[at - 1] and need[at] and floor.run_end[at - 1] >= at:
            entry = max((f for f in arrivals if f <= at and floor.run_end[f] >= at), default=None)
            # Runs of different clips do not meet: the last arrival of all before it must be in this one.
            if entry is None or entry != max(f for f in arrivals if f <= at):
                continue
            left = min((f for f in leaves if at <= f <= floor.run_end[at]), default=int(floor.run_end[at]))
            found.append((floor.arc[left] - floor.arc[entry], between(floor.face[entry], floor.face[left])))
    return found
