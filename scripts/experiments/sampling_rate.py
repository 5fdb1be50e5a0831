"""Mao 2011, chapter 5: what the sampling rate does to a graph and its search, and the motions of figures 5.1 to 5.8."""

import sys
import warnings

import numpy as np
import plot
from pictures import flow, to_the_right
from study import ASF_AMC, BVH, Clock, main

import motiongraph as mg
from motiongraph.graph.rules import share_compared, stretches
from motiongraph.walks.curve import trace
from motiongraph.walks.path_goal import Effort

TITLE = "5. Mao: sampling rates, changes of behaviour, directions"
# straight, left and right: stand-ins, as Mao's clips of 282, 650 and 400 frames are not named
CLIPS = {"straight": "16_21", "left": "16_17", "right": "16_19"}
PUBLISHED = {120: ("> 3600", "–"), 60: ("500", "5"), 30: ("65", "60"), 20: ("15", "330"), 15: ("12", "> 3600")}
LIMIT = 6.0  # cm


EXPANSIONS = 300_000  # states that branch and bound may look at
KINDS = {"jump": "16_01", "walk": "16_15", "run": "16_35"}  # figure 5.1; files of subject 16
LOOSE = 25.0  # cm, for changes of behaviour


def run(study):
    clips = {word: study.clip(f"{BVH}/{file}.bvh").captured() for word, file in CLIPS.items()}
    told = ", ".join(f"{word} {clip.name} ({len(clip)} frames)" for word, clip in clips.items())
    study.text(
        f"""Mao does not name the clips of 282, 650 and 400 frames. These three stand in for them: {told}. Five rates;
        Mao's metric (points on the joints, the weights of table 4.1, frames that count less later in the window of a
        third of a second), a threshold of {LIMIT:g} cm, and then a walk along the same bent path in the largest
        strongly connected part, by our beam and by Mao's branch and bound (N = 90 frames ahead, M = 40 kept, at 120
        Hz), which may look at {EXPANSIONS:,} states. No distances are remembered from before, compiled code is loaded
        before the clock starts."""
    )
    metric = mg.Metric(samples_per_bone=0, joint_weights="mao", taper="gaussian")
    t = np.linspace(0.0, 1.0, 60)
    path = np.stack([1.5 * np.sin(2.0 * np.pi * t), 10.0 * t], axis=1)
    # Compiled code is loaded before anything is timed.
    measure([clip.resampled(15) for clip in clips.values()], metric, path, study)
    rows, found = [], {}
    for fps in (60, 30, 15) if study.quick else PUBLISHED:
        study.say(f"{fps} Hz")
        found[fps] = row = measure([clip.resampled(fps) for clip in clips.values()], metric, path, study)
        search = PUBLISHED[fps][1], row["own search"], row["own expansions"], row["own error"]
        size = row["nodes"], row["edges"], row["transitions"], row["share"]
        beam = row["search"], row["expansions"], row["error"]
        rows.append([fps, PUBLISHED[fps][0], row["build"], *search, *beam, *size])
    header = [
        "rate, Hz",
        "build, s, published",
        "ours",
        "search, s, published",
        "his search, ours",
        "states",
        "off, cm",
    ]
    study.table([*header, "beam, s", "states", "off, cm", "nodes", "edges", "transitions", "frames kept"], rows)
    charts(study, found)
    conclusions(study, found)
    behaviours(study)
    direction(study, clips.values(), metric)
    contact_categories(study, list(clips.values()), metric)


def contact_categories(study, clips, metric):
    """Mao's future work (6): compare only frames with the same feet down."""
    study.heading("Contact categories (Mao's future work, 6)")
    share, rows = share_compared(stretches(clips, metric.frames(clips[0].fps))), []
    for words, same in (("all pairs", False), ("the same feet down", True)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it says how many pairs are compared
            mg.MotionGraph.build(clips, metric, threshold=LIMIT, radius=0.0, same_feet=same)
            clock = Clock()
            graph = mg.MotionGraph.build(clips, metric, threshold=LIMIT, radius=0.0, same_feet=same)
        kept = graph.pruned()
        rows.append([words, share if same else 1.0, clock.seconds, int(graph.taken.sum()), len(kept.transitions)])
        rows[-1].append(f"{kept.report()['share_kept']:.0%}")
    study.table(["compared", "share of pairs", "seconds", "transitions", "after pruning", "frames kept"], rows)
    study.text(
        f"""With the same three clips at {clips[0].fps:g} Hz. A category is which feet stand in the middle of a window;
        a transition is still a minimum among all its neighbours. Finding the contacts and preparing many short
        stretches takes longer here than comparing all; with more motion the share of pairs decides."""
    )


def conclusions(study, found):
    """What of Mao's findings these figures confirm."""
    rates = list(found)
    edges = [found[fps]["edges"] for fps in rates]
    rises = [f"{high} to {low} Hz" for high, low, a, b in zip(rates, rates[1:], edges, edges[1:]) if b > a]
    shrinks = f"not everywhere: edges grow from {', '.join(rises)}" if rises else "here too"
    own = [found[fps]["own expansions"] for fps in rates if found[fps]["own expansions"] is not None]
    far = [found[fps]["own error"] for fps in rates if found[fps]["own error"] is not None]
    near = [found[fps]["error"] for fps in rates if found[fps]["error"] is not None]
    harder = "grows" if own[-1] > own[0] else "does not grow"
    study.text(
        f"""Mao's machine did not finish 120 Hz in an hour; here {rates[0]} Hz takes {found[rates[0]]["build"]:.2f} s,
        so that there is no need to throw frames away. Mao finds that the graph shrinks with the rate (figure 5.7):
        {shrinks}. Minima are places in the motion and not frames, so their number hardly depends on the rate. Mao also
        finds that the search becomes harder at low rates: the number of states that the same search looks at
        {harder} from {rates[0]} to {rates[-1]} Hz ({own[0]:,} and {own[-1]:,}). What looks only three quarters of
        a second ahead cannot take back what it has kept: with these three short clips it leaves the path by up to
        {max(far):.0f} cm on average, where the beam stays within {max(near):.0f}."""
    )


def measure(clips, metric, path, study):
    """Seconds and sizes at one rate."""
    clock = Clock()
    graph = mg.MotionGraph.build(clips, metric, threshold=LIMIT, radius=0.0, progress=study.progress).pruned()
    view = graph.choice_view()
    row = {"build": clock.seconds, "nodes": len(view.clip), "edges": len(view.source)}
    row |= {"transitions": len(graph.transitions), "share": f"{graph.report()['share_kept']:.0%}"}
    limit = EXPANSIONS // 20 if study.quick else EXPANSIONS
    for prefix, effort in (("", Effort()), ("own ", Effort.mao(expansions=limit))):
        row |= {f"{prefix}search": None, f"{prefix}error": None, f"{prefix}expansions": None}
        if len(graph.transitions):
            walk = mg.follow_path(graph, path, curve="spline", effort=effort)
            row |= {f"{prefix}search": walk.seconds, f"{prefix}error": 100.0 * walk.facts["path_error_mean"]}
            row[f"{prefix}expansions"] = walk.facts["expansions"]
    return row


def behaviours(study):
    """From a jump to a walk to a run, at 120 and at 30 Hz (figures 5.1 and 5.8)."""
    study.heading("Changes of behaviour (figures 5.1 and 5.8)")
    clips = [study.clip(f"{ASF_AMC}/16/{file}.amc").labelled(word) for word, file in KINDS.items()]
    pictures, rows, orders = [], [], (("jump", "walk", "run"), ("walk", "run"), ("walk", "jump"))
    for fps in (30,) if study.quick else (120, 30):
        graph = mg.MotionGraph.build([clip.resampled(fps) for clip in clips], threshold=LOOSE, ceiling=LOOSE)
        for order in orders:
            walk = mg.sequential_walk(graph, list(order), stay=0.4)
            motion, cost = mg.synthesize(walk), walk.transitions["cost"]
            words = f"{' to '.join(order)}, {fps} Hz"
            rows.append([words, walk.duration, len(cost), float(cost.max()), mg.quality(motion)["slide_mean"]])
            picture = flow(study, to_the_right(motion)[0], max(fps // 5, 1), size=(900, 240))
            pictures.append((words, picture))
    study.table(["walk", "seconds", "transitions", "highest cost, cm", "foot slide, cm/s"], rows)
    path = study.figure("behaviours.png", "Figures 5.1 and 5.8: changes of behaviour, five poses a second.")
    plot.write(plot.sheet(pictures, 1), path)


def direction(study, clips, metric):
    """A new direction every few seconds (figure 5.5)."""
    study.heading("A direction for the character (figure 5.5)")
    graph = mg.MotionGraph.build([clip.resampled(30) for clip in clips], metric, threshold=LIMIT).pruned()
    place, heading, chart = np.zeros(2), 0.0, plot.Plot("directions", "metres", "metres", (620, 560), equal=True)
    rows = []
    for turn in (45.0, -60.0, 90.0):
        target = np.radians(np.degrees(heading) + turn)
        goal = place + 5.0 * np.array([np.sin(target), np.cos(target)])
        walk = mg.reach(graph, goal, at=place, heading=heading)
        places, facing = trace(walk)
        chart.line([place[0], goal[0]], [-place[1], -goal[1]], colour=(245, 205, 70), width=6)
        chart.line(places[:, 0], -places[:, 1], width=2, colour=plot.COLOURS[0])
        rows.append([turn, 100 * walk.facts["end_distance"], walk.duration])
        place, heading = places[-1], float(np.arctan2(*facing[-1]))
    study.table(["turn asked for, degrees", "off the place 5 m that way, cm", "seconds of motion"], rows)
    chart.save(study.figure("direction.png", "Figure 5.5: directions asked for (yellow) and the way of the root."))


def charts(study, found):
    """Figures 5.6 and 5.7."""
    at = np.arange(len(found))
    names = dict(zip(map(float, at), map(str, found)))
    published = [[_number(PUBLISHED[fps][k]) for fps in found] for k in (0, 1)]
    pictures = []
    for k, what in enumerate(("build", "search")):
        chart = plot.Plot(f"seconds to {what}", "frames a second", "seconds", (740, 480), log_y=True, ticks_x=names)
        chart.bars(at - 0.2, published[k], "Mao (an hour: not finished)", width=0.36)
        mine = "own search" if what == "search" else what  # the same kind of search as his
        chart.bars(at + 0.2, [found[fps][mine] or np.nan for fps in found], "ours", width=0.36)
        pictures.append(("", chart.drawn()))
    plot.write(plot.sheet(pictures, 2), study.figure("times.png", "Figure 5.6: times at five sampling rates."))
    chart = plot.Plot("size of the graph", "frames a second", "number", (740, 480), ticks_x=names)
    for k, what in enumerate(("nodes", "edges", "transitions")):
        chart.bars(at + 0.27 * (k - 1), [found[fps][what] for fps in found], what, width=0.25)
    chart.save(study.figure("sizes.png", "Figure 5.7: nodes, edges and transitions of the largest strong part."))


def _number(words):
    return {"> 3600": 3600.0, "–": np.nan}.get(words) or float(words if words != "–" else "nan")


if __name__ == "__main__":
    main(sys.modules[__name__])
