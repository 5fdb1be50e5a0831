"""Kovar 2002, 5.2: motion along paths, from walks, from one sneak and its mirror image, and with three labels."""

import sys

import numpy as np
import plot
from pictures import flow
from study import ASF_AMC, Clock, main

import motiongraph as mg
from motiongraph.walks.curve import Curve, trace
from motiongraph.walks.path_goal import Effort, Weights

TITLE = "4. Kovar: path synthesis"
FPS = 60  # half of what was captured
# Subject 16: straight, veering and 90° walks, and the same run.
WALKS = (*range(11, 33), 47, 58)
RUNS = (*range(35, 47), *range(48, 57))
JUMP = f"{ASF_AMC}/16/16_01.amc"
SNEAK = f"{ASF_AMC}/dissertation/sneak_17_03.amc"
# cm; motions of two kinds resemble each other less, and are allowed to (3.2).
LIMITS = {("walk", "walk"): 5, ("run", "run"): 8, ("sneak", "sneak"): 12, ("walk", "run"): 16, "default": 18}
COLOURS = {"walk": plot.COLOURS[0], "sneak": plot.COLOURS[4], "run": plot.COLOURS[3]}
YELLOW = (245, 205, 70)

# "hello" in one stroke, as on ruled paper: x to the right, y up, small letters 1 high.
HELLO = (
    (0, 0), (0.3, 0.5), (0.6, 1.3), (0.72, 1.95), (0.55, 2.25), (0.38, 1.95), (0.35, 1.2), (0.35, 0.5), (0.42, 0.25),
    (0.52, 0.5), (0.78, 1.0), (1.02, 0.8), (1.05, 0.35), (1.2, 0.05), (1.5, 0.2), (1.9, 0.5), (2.12, 0.85),
    (1.95, 1.08), (1.7, 0.85), (1.65, 0.4), (1.9, 0.03), (2.3, 0.25), (2.7, 1.1), (2.9, 1.9), (2.75, 2.25),
    (2.55, 1.85), (2.5, 0.6), (2.72, 0.03), (3.05, 0.25), (3.45, 1.1), (3.65, 1.9), (3.5, 2.25), (3.3, 1.85),
    (3.25, 0.6), (3.47, 0.03), (3.8, 0.2), (4.1, 0.7), (4.4, 1.0), (4.75, 0.85), (4.85, 0.45), (4.6, 0.05),
    (4.25, 0.2), (4.15, 0.6), (4.4, 1.0), (4.9, 1.0), (5.3, 0.9),
)  # fmt: skip


def run(study):
    study.text(
        """Kovar's clips are not public; these are CMU's at 60 Hz, subject 16 walking and running and 17_03 sneaking.
        A path is given as points on the floor; the character starts at its first point. There are two errors: how far
        the root is from the nearest point of the path, which is what one sees, and how far it is from the point at
        equal arc length, which is what equation 9 sums up. A character that cuts a corner by half a metre is off by the
        second measure from then on, though it may stand on the path. A walking root sways by a few centimetres on a
        straight line."""
    )
    rows = []
    walking(study, rows)
    sneaking(study, rows)
    labelled(study, rows)
    kick(study)
    study.heading("In numbers")
    header = ["path", "motion", "length, m", "from the path, mean / worst, cm", "at equal arc length, mean, cm"]
    header += ["transitions", "cost, mean / worst, cm", "foot slide, cm/s", "seconds of motion", "seconds to find it"]
    study.table([*header, "Kovar"], rows)
    study.text(
        """Kovar's searches ran on a 1.3 GHz Athlon, and took about as long as the motion lasts (published); ours keeps
        a beam of states along the path. His largest graph, 6,000 frames at 30 Hz, took 25 minutes to compare
        (published). After cleanup planted feet stand still by construction; what slide is left is where a leg is too
        short for two footprints."""
    )


def clips_of(study, numbers, label, fps=FPS):
    chosen = numbers[::4] if study.quick else numbers
    return [study.clip(f"{ASF_AMC}/16/16_{n:02d}.amc").resampled(fps).labelled(label) for n in chosen]


def build(study, clips, threshold):
    """A pruned graph with mirror images, and a sentence about it."""
    clock = Clock()
    graph = mg.MotionGraph.build(clips, threshold=threshold, ceiling=18.0, mirror=True, progress=study.progress)
    seconds = clock.seconds
    graph = graph.pruned()
    report = graph.report()
    told = f"{report['seconds']:.0f} s of motion with mirror images ({report['frames']:,} frames), compared in "
    told += f"{seconds:.1f} s; pruned, {report['transitions']:,} transitions and {report['share_kept']:.0%} of the "
    return graph, f"{told}frames are left"


def follow(study, graph, points, words, kovar, rows, labels=None, **options):
    """Find the walk, add its row, return it with its motion and its path."""
    line = Curve.of(points, "spline")
    walk = mg.follow_path(graph, line, labels=labels, progress=study.progress, **options)
    motion = mg.synthesize(walk)
    facts, cost = walk.facts, walk.transitions["cost"]
    error = f"{100 * facts['path_error_mean']:.1f} / {100 * facts['path_error_worst']:.1f}"
    costs = f"{cost.mean():.2f} / {cost.max():.2f}"
    slide = mg.quality(motion)["slide_mean"]
    kind = labels if isinstance(labels, str) else ", ".join(word for _, word in labels)
    arc = 100 * facts["arc_error_mean"]
    rows.append([words, kind, line.length, error, arc, len(cost), costs, slide, walk.duration, walk.seconds, kovar])
    return walk, motion, line


def drawn(walk, line, title, size):
    """The path asked for, thick, and the way of the root, by label."""
    chart = plot.Plot(title, "metres", "metres", size, equal=True)
    chart.line(line.places[:, 0], -line.places[:, 1], "asked for", YELLOW, width=9)
    places = trace(walk)[0]
    words = np.concatenate(
        [[next(iter(walk.clips[c].labels), "walk")] * n for c, n in _spans(walk)]
    )  # one word for every frame
    for word in dict.fromkeys(words.tolist()):
        here = words == word
        chart.line(
            np.where(here, places[:, 0], np.nan), np.where(here, -places[:, 1], np.nan), word, COLOURS[word], width=2
        )
    return chart


def _spans(walk):
    """(clip, frames) of the walk in order; of a transition half belongs to each side."""
    half = walk.window // 2
    for k, (clip, start, stop) in enumerate(walk.steps.tolist()):
        before = walk.window - half if k else 0
        yield clip, before + stop - start + (half if k < len(walk.transitions) else 0)


def walking(study, rows):
    """A path that spells a word (figure 7), by walks."""
    graph, told = build(study, clips_of(study, WALKS, "walk"), 6.0)
    study.heading("Walks along a path (figures 1 and 7)")
    study.text(f"{told}.")
    points = np.array(HELLO) * [3.0, -3.0]
    points = points[:15] if study.quick else points
    kovar = "58.1 s for 54.9 s"
    walk, motion, line = follow(study, graph, points, "hello", kovar, rows, "walk")
    chart = drawn(walk, line, f"hello: {line.length:.0f} m walked in {walk.duration:.0f} s", (1100, 620))
    chart.save(study.figure("hello.png", "Figure 7, left: the path asked for and the way of the root."))
    mg.save(motion, study.file("hello.bvh"))
    plot.write(
        flow(study, motion, 45, 90.0, (1500, 760)),
        study.figure("hello_above.png", "The same motion from above, a pose every three quarters of a second."),
    )
    searches(study, points)


def searches(study, points):
    """Branch and bound at Kovar's parameters beside the beam, on a graph of 30 Hz, by states expanded."""
    graph, told = build(study, clips_of(study, WALKS, "walk", 30), 6.0)
    study.heading("Branch and bound at Kovar's parameters (4.2)")
    study.text(
        f"""The same walks at Kovar's 30 Hz: {told}. He looks 80 to 120 frames ahead and keeps 25 to 30 of them; here
        100 and 28. How much a search does is given as the states it expands, and a limit is set by them, so that the
        rows do not depend on the machine. "ours" is the cost that our planner uses by default (the nearest point of the
        path, facing, the cost of transitions), "equation 9" is his."""
    )
    line, limits = Curve.of(points, "spline"), (20_000,) if study.quick else (200_000, 2_000_000)
    tried = [("beam", Effort()), *((f"branch and bound, {n:,}", Effort.kovar(expansions=n)) for n in limits)]
    rows = []
    for words, effort in tried:
        for goal, weights in (("ours", Weights()), ("equation 9", Weights.equation_9())):
            try:
                walk = mg.follow_path(graph, line, "walk", effort=effort, weights=weights, progress=study.progress)
            except mg.MotionError as problem:
                rows.append([words, goal, None, None, None, None, None, str(problem)])
                continue
            facts = walk.facts
            errors = [100 * facts[key] for key in ("path_error_mean", "path_error_worst", "arc_error_mean")]
            rows.append([words, goal, facts["expansions"], *errors, walk.duration, "yes" if facts["limited"] else "no"])
    header = ["search, and its limit", "cost", "states expanded", "from the path, mean, cm", "worst, cm"]
    study.table([*header, "at equal arc length, mean, cm", "seconds of motion", "limited"], rows)
    study.text(
        """Every stage of branch and bound that ends at its limit returns the best walk that it has seen. None of these
        walks is known to be optimal."""
    )


def sneaking(study, rows):
    """One sneak and its mirror image (figure 6)."""
    clip = study.clip(SNEAK).resampled(FPS).labelled("sneak")
    graph, told = build(study, [clip], "auto")
    study.heading("One sneak and its mirror image (figure 6)")
    study.text(
        f"""{told}. Kovar's sneak lasts 12.8 s, CMU's only {clip.duration:.2f}, two steps nearly straight ahead; still,
        what turning there is in them, left and right, bends the way along these paths."""
    )
    t = np.linspace(0.0, 1.0, 60)
    turn = 1.9 * t
    ways = {
        "arc": np.stack([4.0 - 4.0 * np.cos(turn), 4.0 * np.sin(turn)], axis=1),
        "wave": np.stack([8.0 * t, 1.2 * np.sin(2 * np.pi * t)], axis=1),
        "bend back": np.stack([1.6 * t**2 * 4, 5.0 * np.sin(2.2 * t)], axis=1),
    }
    charts = []
    for words, points in list(ways.items())[: 1 if study.quick else None]:
        walk, motion, line = follow(study, graph, points, words, "13 s, no time given", rows, "sneak")
        charts.append(("", drawn(walk, line, f"{words}: {walk.duration:.0f} s", (560, 520)).drawn()))
        mg.save(motion, study.file(f"sneak_{words.replace(' ', '_')}.bvh"))
    plot.write(
        plot.sheet(charts, len(charts)),
        study.figure("sneak.png", "Figure 6: new paths from one sneak and its mirror image."),
    )


def labelled(study, rows):
    """Three kinds of motion on one path (figure 8)."""
    clips = [*clips_of(study, WALKS, "walk"), *clips_of(study, RUNS, "run")]
    clips.append(study.clip(SNEAK).resampled(FPS).labelled("sneak"))
    graph, told = build(study, clips, 18.0 if study.quick else LIMITS)
    study.heading("Paths with three labels (figure 8)")
    study.text(f"{told}. Kovar's third kind of motion is karate; here it is running.")
    t = np.linspace(0.0, 1.0, 80)
    ways = {
        "wave": np.stack([24.0 * t, 2.0 * np.sin(3 * np.pi * t)], axis=1),
        "spiral": np.stack([(2.0 + 5.0 * t) * np.sin(6.0 * t), (2.0 + 5.0 * t) * np.cos(6.0 * t)], axis=1),
    }
    charts, switches = [], []
    for order, (words, points) in zip((("walk", "sneak", "run"), ("walk", "run", "sneak")), ways.items()):
        length = Curve.of(points, "spline").length
        labels = [(length * k / 3, word) for k, word in enumerate(order)]
        try:
            walk, motion, line = follow(study, graph, points, words, "not given", rows, labels)
        except mg.MotionError as problem:
            if not study.quick:
                raise
            study.text(f"At this reduced size: {problem}.")
            continue
        charts.append(("", drawn(walk, line, f"{words}: {', '.join(order)}", (740, 560)).drawn()))
        held = f"{walk.facts['labels_held']:.0%}"
        switches += [[words, s["label"], s["asked"], s["begins"], held] for s in walk.facts["switches"]]
        mg.save(motion, study.file(f"labels_{words}.bvh"))
    if charts:
        path = study.figure(
            "labels.png", "Figure 8: what is asked for on each third of a path, and the way of the root."
        )
        plot.write(plot.sheet(charts, len(charts)), path)
        study.table(
            ["path", "motion", "asked from, m along", "begins at, m", "frames with the label asked for"], switches
        )


def kick(study):
    """A certain motion at a certain place and facing a certain way, with and without guidance (figure 5)."""
    clips = [*clips_of(study, WALKS, "walk"), study.clip(JUMP).resampled(FPS).labelled("jump")]
    graph, told = build(study, clips, 18.0)
    study.heading("A motion at a place, facing a way (figure 5)")
    study.text(
        f"""{told}. Kovar asks for two kicks at a certain place; subject 16 does not kick, so it is a jump (16_01). His
        character turns round for seven seconds to line up with it (published), since only the end counted. Ours is
        guided by a smooth curve on its way."""
    )
    rows, charts = [], []
    for facing in (0.0, 90.0, 180.0):
        walk = mg.reach(graph, (1.0, 4.0), np.radians(facing), "jump", progress=study.progress)
        places = trace(walk)[0]
        rows.append([facing, 100 * walk.facts["end_distance"], walk.facts["end_turn"], walk.duration])
        chart = plot.Plot(f"facing {facing:.0f}°", "metres", "metres", (440, 420), equal=True)
        chart.line(places[:, 0], -places[:, 1], "root", COLOURS["walk"], width=2)
        way = np.array([np.sin(np.radians(facing)), np.cos(np.radians(facing))])
        ahead = np.array([1.0, 4.0]) + [[0.0], [1.0]] * way
        charts.append(("", chart.line(ahead[:, 0], -ahead[:, 1], "asked for", YELLOW, width=6).drawn()))
    study.table(["facing, degrees", "off the place, cm", "off the direction, degrees", "seconds of motion"], rows)
    path = study.figure("place.png", "Figure 5: a jump at a place, facing three ways; the yellow line is that way.")
    plot.write(plot.sheet(charts, len(charts)), path)


if __name__ == "__main__":
    main(sys.modules[__name__])
