"""How good and how quickly made: 200 random walks of 30 s on subject 16's walks and runs at the automatic threshold.

Bars of issue 5 beside what was found. Slide is measured on contacts carried over from the captured clips; `found anew`
looks for contacts in the made motion as if it had been captured, with the thresholds of `Clip.contacts`. Then the
figures of every set in `_quality_sets`.
"""

import time
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
from benchmarks._quality_sets import RUNS, WALKS, figures

import motiongraph as mg
from motiongraph.synthesis.live import Live
from motiongraph.synthesis.synthesize import registration

_COMPARED = {
    "slide": "slide_mean",
    "at seams": "seam_acceleration_p99",
    "its jumps": "seam_acceleration_jump_p99",
    "root's": "seam_root_acceleration_p99",
    "knee": "knee_pop_p99",
}
_NEAR = 0.05  # s around a transition that count as its seam


def graph_of(mocap: Path):
    """The pruned graph of subject 16's walks and runs, labelled, at the automatic threshold."""
    folder = mocap / "cmu/asf_amc/16"
    clips = [
        mg.load(folder / f"16_{n:02d}.amc").labelled([label])
        for label, trials in (("walk", WALKS), ("run", RUNS))
        for n in trials
    ]
    return mg.MotionGraph.build(clips).pruned()


def accelerations(clip):
    """(F, J) m/s²; 0 for the first and last frame."""
    out = np.zeros(clip.positions().shape[:2])
    out[1:-1] = np.linalg.norm(np.diff(clip.positions(), 2, axis=0), axis=-1) * clip.fps**2
    return out


def at_seams(clip):
    """(F,) bool: the frames of transitions and a little around them."""
    near = np.zeros(len(clip), bool)
    reach = round(_NEAR * clip.fps)
    for start, stop in clip.origin.seams():
        near[max(start - reach, 1) : min(stop + reach, len(clip) - 1)] = True
    return near


def by_label(clips, frames):
    """{labels: accelerations of those frames}; frames: a mask (F,) for every clip."""
    found: dict[str, list] = {}
    for clip, mask in zip(clips, frames):
        a = accelerations(clip)
        for label in ("walk", "run", "walk + run"):
            here = np.logical_and.reduce([clip.labels.at(word) for word in label.split(" + ")])
            if " " not in label:
                here &= clip.labels.mask.sum(axis=1) == 1
            found.setdefault(label, []).append(a[here & mask].ravel())
    return {label: np.concatenate(parts) for label, parts in found.items()}


def bones(clip):
    """m by which a bone's length is off at worst."""
    parents = clip.skeleton.parents[1:]
    lengths = np.linalg.norm(clip.positions()[:, 1:] - clip.positions()[:, parents], axis=-1)
    return float(np.abs(lengths - clip.skeleton.bone_lengths[1:]).max())


def mean(dicts, key):
    return float(np.mean([d[key] for d in dicts]))


def comparison(walks, captured):
    """Rows for each way to blend, with and without cleanup."""
    rows = []
    for what, options in {
        "linear": {},
        "linear, lined up in time": {"register": True},
        "inertialized": {"blend": "inertialized"},
    }.items():
        for cleanup in (False, True):
            found = [mg.quality(mg.synthesize(walk, cleanup, **options), captured) for walk in walks]
            row = {"what": f"{what}, {'cleaned' if cleanup else 'as blended'}"}
            row |= {short: mean(found, name) for short, name in _COMPARED.items()}
            rows.append(row)
    return rows


def lined_up(walks):
    """What lining up in time does to the distance between the windows: cm before and after, and frames of lead."""
    before, after, lead = [], [], []
    for walk in walks:
        for k, jump in enumerate(walk.transitions):
            window = np.arange(walk.window)
            pair = registration(walk, k)
            a, b = walk.clips[jump["src"]], walk.clips[jump["dst"]].moved(jump["theta"], jump["x0"], jump["z0"])
            first = a.positions()[jump["src_frame"] + window]
            second = b.positions()[jump["dst_frame"] + window]
            moments = [
                np.stack([np.interp(pair[:, i], window, p.reshape(len(window), -1)[:, c]) for c in range(p[0].size)], 1)
                for i, p in enumerate((first, second))
            ]
            before.append(np.sqrt(((first - second) ** 2).sum(-1).mean()) * 100.0)
            after.append(np.sqrt(((moments[0] - moments[1]) ** 2).reshape(first.shape).sum(-1).mean()) * 100.0)
            lead.append(np.abs(pair[:, 0] - pair[:, 1]).max())
    return float(np.mean(before)), float(np.mean(after)), float(np.mean(lead))


def live(graph, walk):
    """ms a pose of a walk that grows two seconds ahead of what is shown: the processor's mean, and the clock's median,
    which is that of a pose whose stretch is made already."""
    character = Live(graph, (int(walk.steps["clip"][0]), int(walk.steps["start"][0])), placed=walk.placed)
    leaves, taken = walk.begins + walk.steps["stop"] - walk.steps["start"], 0
    times, cpu = [], time.process_time()
    for frame in range(len(walk)):
        while taken < len(walk.transitions) and leaves[taken] < frame + 2 * graph.fps:
            character.take(walk.transitions[taken])
            taken += 1
        at = time.perf_counter()
        character.pose(frame)
        times.append(time.perf_counter() - at)
    return 1e3 * (time.process_time() - cpu) / len(walk), 1e3 * float(np.median(times))


def run(mocap: Path, count: int = 200, seconds: float = 30.0) -> dict:
    """Rows of what was found beside its bar, then of the ways to blend: slide in cm/s, acceleration of joints at seams
    and of the root there in m/s², jumps of acceleration in m/s² a frame, knees in rad/s a frame."""
    warnings.simplefilter("ignore")
    graph = graph_of(mocap)
    walks = [mg.random_walk(graph, seconds, rng=seed) for seed in range(count)]
    mg.synthesize(walks[0])
    wall, cpu = time.perf_counter(), time.process_time()
    motions = [mg.synthesize(walk) for walk in walks]
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    long = sum(motion.duration for motion in motions)

    captured = [mg.quality(clip) for clip in graph.clips]
    qualities = [mg.quality(motion, graph.clips) for motion in motions]
    anew = [mg.quality(replace(motion, origin=None, labels=())) for motion in motions[:20]]
    slide = mean(qualities, "slide_mean")
    inside = by_label(graph.clips, [np.arange(len(c)) > c.first for c in graph.clips])
    seams = by_label(motions, map(at_seams, motions))
    inside["walk + run"] = np.concatenate([inside["walk"], inside["run"]])
    transitions = sum(len(walk.transitions) for walk in walks)
    rows = [
        {"what": "slide, cm/s, mean", "captured": mean(captured, "slide_mean"), "made": slide, "bar": 1.0},
        {"what": "slide, cm/s, worst", "made": max(f["slide_worst"] for f in qualities)},
        {"what": "slide, cm/s, mean, found anew", "made": mean(anew, "slide_mean")},
        {"what": "penetration, cm, worst", "made": max(f["penetration"] for f in qualities), "bar": 0.1},
        {
            "what": "knee pop, rad/s a frame, worst",
            "captured": max(f["knee_pop"] for f in captured),
            "made": max(f["knee_pop"] for f in qualities),
        },
        {
            "what": "knee pop, rad/s a frame, 99th percentile, mean",
            "captured": mean(captured, "knee_pop_p99"),
            "made": mean(qualities, "knee_pop_p99"),
        },
    ]
    for label, values in seams.items():
        if len(values):
            at, within = (float(np.percentile(v, 99)) for v in (values, inside[label]))
            what = f"joint acceleration at seams, {label}, m/s², 99th percentile"
            rows.append({"what": what, "captured": within, "made": at, "ratio": at / within, "bar": 1.25})
    rows += [
        {"what": "bones, m off", "made": max(map(bones, motions)), "bar": 1e-6},
        {"what": "frames lost or doubled", "made": sum(abs(len(m) - len(w)) for m, w in zip(motions, walks)), "bar": 0},
        {"what": "times real time, by the clock", "made": long / wall, "bar": 200.0},
        {"what": "times real time, of the processor's own", "made": long / cpu},
    ]
    average, usual = live(graph, mg.random_walk(graph, 60.0, rng=1))
    rows.append({"what": "live, ms a pose, making stretches included", "made": average, "bar": 0.2})
    rows.append({"what": "live, ms a pose that is made already", "made": usual})
    before, after, lead = lined_up(walks[:20])
    rows.append({"what": "windows lined up in time, cm apart", "before": before, "after": after, "frames": lead})
    rows += comparison(walks[: max(count // 10, 1)], graph.clips)
    rows += figures(mocap)
    what = f"{count} walks, {long / 3600:.2f} h, {transitions:,} transitions"
    return {"rows": rows, "graph": repr(graph), "walks": what}


if __name__ == "__main__":
    import os

    found = run(Path(os.environ.get("MOTIONGRAPH_MOCAP", "../shared/mocap")))
    for row in found["rows"]:
        print("  ".join(f"{k} {v:.4g}" if isinstance(v, float) else f"{k} {v}" for k, v in row.items()))
