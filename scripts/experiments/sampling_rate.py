"""Mao 2011, 5.2: what the sampling rate does to building a graph and searching it (table 5.1, figures 5.6, 5.7)."""

import sys

import numpy as np
import plot
from study import BVH, Clock, main

import motiongraph as mg

TITLE = "5. Mao: sampling rates"
# straight, left and right; Mao's clips of 282, 650 and 400 frames are not named
CLIPS = {"straight": "16_21", "left": "16_17", "right": "16_19"}
PUBLISHED = {120: ("> 3600", "–"), 60: ("500", "5"), 30: ("65", "60"), 20: ("15", "330"), 15: ("12", "> 3600")}
LIMIT = 6.0  # cm


def run(study):
    clips = {word: study.clip(f"{BVH}/{file}.bvh").captured() for word, file in CLIPS.items()}
    told = ", ".join(f"{word} {clip.name} ({len(clip)} frames)" for word, clip in clips.items())
    study.text(
        f"""Three walks, {told}, at five rates; Mao's metric (points on the joints, the weights of table 4.1,
        frames that count less later in the window of a third of a second), a threshold of {LIMIT:g} cm, and then a
        walk along the same bent path in the largest strongly connected part. No distances are
        remembered from before, compiled code is loaded before the clock starts; the search is our beam, Mao's is
        branch and bound."""
    )
    metric = mg.Metric(samples_per_bone=0, joint_weights="mao", taper="gaussian")
    t = np.linspace(0.0, 1.0, 60)
    path = np.stack([1.5 * np.sin(2.0 * np.pi * t), 10.0 * t], axis=1)
    # Compiled code is loaded before anything is timed.
    measure([clip.resampled(15) for clip in clips.values()], metric, path, study)
    rows, found = [], {}
    for fps in (60, 30, 15) if study.quick else PUBLISHED:
        study.say(f"{fps} Hz")
        found[fps] = measure([clip.resampled(fps) for clip in clips.values()], metric, path, study)
        row = found[fps]
        error = None if row["error"] is None else 100.0 * row["error"]
        size = row["nodes"], row["edges"], row["transitions"]
        rows.append(
            [fps, PUBLISHED[fps][0], row["build"], PUBLISHED[fps][1], row["search"], *size, row["share"], error]
        )
    header = [
        "rate, Hz",
        "build, s, published",
        "ours",
        "search, s, published",
        "ours",
        "nodes",
        "edges",
        "transitions",
    ]
    study.table([*header, "frames kept", "distance from the path, cm"], rows)
    charts(study, found)
    rates = list(found)
    errors = [100.0 * row["error"] for row in found.values() if row["error"] is not None]
    study.text(
        f"""Mao's machine did not finish 120 Hz in an hour; here it takes {found[rates[0]]["build"]:.2f} s (at
        {rates[0]} Hz), so that there is no need to throw frames away. As published, the graph shrinks with the rate
        (figure 5.7), though less than the frames do, since minima are places in the motion and not frames. That the
        search becomes harder at low rates is not confirmed: Mao's branch and bound suffers from a poorer graph, while a
        beam carries the same number of states along the path at every rate, and follows it about as well
        ({min(errors):.0f} to {max(errors):.0f} cm away from it; three short clips do not turn any sharper)."""
    )


def measure(clips, metric, path, study):
    """Seconds and sizes at one rate."""
    clock = Clock()
    graph = mg.MotionGraph.build(clips, metric, threshold=LIMIT, radius=0.0, progress=study.progress).pruned()
    view = graph.choice_view()
    row = {"build": clock.seconds, "nodes": len(view.clip), "edges": len(view.source)}
    row |= {"transitions": len(graph.transitions), "share": f"{graph.report()['share_kept']:.0%}"}
    row |= {"search": None, "error": None}
    if len(graph.transitions):
        clock = Clock()
        walk = mg.follow_path(graph, path, curve="spline")
        row |= {"search": clock.seconds, "error": walk.facts["path_error_mean"]}
    return row


def charts(study, found):
    """Figures 5.6 and 5.7."""
    at = np.arange(len(found))
    names = dict(zip(map(float, at), map(str, found)))
    published = [[_number(PUBLISHED[fps][k]) for fps in found] for k in (0, 1)]
    pictures = []
    for k, what in enumerate(("build", "search")):
        chart = plot.Plot(f"seconds to {what}", "frames a second", "seconds", (740, 480), log_y=True, ticks_x=names)
        chart.bars(at - 0.2, published[k], "Mao (an hour: not finished)", width=0.36)
        chart.bars(at + 0.2, [found[fps][what] or np.nan for fps in found], "ours", width=0.36)
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
