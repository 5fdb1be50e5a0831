"""How well and how fast walks are found: paths of many shapes, live steering, orders, and the two planners compared.

Wall-clock seconds depend on what else the machine does; the processor's time beside them does not.
"""

import time
import warnings
from pathlib import Path

import numpy as np

import motiongraph as mg
from motiongraph.walks.floor_path import floor_graph, without_dead_ends

WALKS = (*range(11, 33), 47, 58)
RUNS = (*range(35, 47), *range(48, 57))
TURNS = (*range(1, 10), 11, 12, *range(20, 34))  # subject 69, without the turns in place
# Cursive: x, z of the control points of a spline; lengths come from the scale in `paths`.
HELLO = (
    (0, 0.1), (0.8, 0.9), (1.45, 2.0), (1.2, 2.4), (0.8, 2.0), (0.7, 1.0), (0.65, 0.0), (0.95, 0.7), (1.6, 1.0),
    (2.1, 0.8), (2.1, 0.3), (2.4, 0.0), (3.0, 0.3), (3.7, 0.8), (3.5, 1.1), (3.0, 1.0), (2.9, 0.5), (3.35, 0.05),
    (4.0, 0.2), (4.8, 1.2), (5.1, 2.1), (4.8, 2.4), (4.5, 2.0), (4.5, 0.7), (4.8, 0.05), (5.45, 0.3), (6.25, 1.3),
    (6.5, 2.1), (6.15, 2.4), (5.85, 2.0), (5.85, 0.7), (6.25, 0.05), (6.9, 0.3), (7.2, 0.8), (7.85, 1.05), (8.3, 0.7),
    (8.15, 0.2), (7.7, 0.05), (7.3, 0.4), (7.5, 0.85), (8.15, 0.95), (9.1, 1.0),
)  # fmt: skip


def paths() -> dict:
    """The paths to follow, as curves."""
    t = np.linspace(0.0, 1.0, 300)
    turn = 2.0 * np.pi * t
    hello = mg.Curve.of(HELLO, "spline")
    found = {
        "straight 10 m": mg.Curve.of([[0, 0], [0, 10]]),
        "circle 3 m": mg.Curve.of(np.stack([3 * np.cos(turn), 3 * np.sin(turn)], axis=1)),
        "figure eight": mg.Curve.of(np.stack([3 * np.sin(2 * turn), 4 * np.sin(turn)], axis=1)),
        "square 6 m": mg.Curve.of([[0, 0], [6, 0], [6, 6], [0, 6], [0, 0]]),
        "slalom": mg.Curve.of(np.stack([np.sin(3 * turn), 15 * t], axis=1)),
        "spiral": mg.Curve.of(np.stack([(0.6 + 3 * t) * np.cos(3 * turn), (0.6 + 3 * t) * np.sin(3 * turn)], axis=1)),
        "Hello 40 m": mg.Curve.of(np.array(HELLO) * 40.0 / hello.length, "spline"),
    }
    for seed in range(3):
        rng = np.random.default_rng(seed)
        heading = np.cumsum(rng.uniform(-1.2, 1.2, 8))
        steps = 2.5 * np.stack([np.sin(heading), np.cos(heading)], axis=1)
        found[f"random spline {seed + 1}"] = mg.Curve.of(np.cumsum(steps, axis=0), "spline")
    return found


def _subject_16(mocap, numbers, label, fps):
    folder = mocap / "cmu/asf_amc/16"
    return [mg.load(folder / f"16_{n:02d}.amc").resampled(fps).labelled(label) for n in numbers]


def graphs(mocap: Path, fps: float) -> dict:
    """The graphs to walk in, at the automatic threshold, with mirror images."""
    walks, runs = _subject_16(mocap, WALKS, "walk", fps), _subject_16(mocap, RUNS, "run", fps)
    files = [mocap / f"cmu/bvh/69_{n:02d}.bvh" for n in TURNS]
    turns = [mg.load(f).captured().resampled(fps).labelled("walk") for f in files if f.exists()]
    sets = {"16 walks": walks, "16 runs": runs, "16 both": walks + runs, "69 turning": turns}
    return {name: mg.MotionGraph.build(clips, mirror=True) for name, clips in sets.items()}


def _timed(function):
    """The result, wall-clock seconds and the processor's seconds."""
    wall, own = time.perf_counter(), time.thread_time()
    result = function()
    return result, time.perf_counter() - wall, time.thread_time() - own


def _path_rows(name, graph, fps):
    mg.follow_path(graph, [[0, 0], [0, 2]])
    for title, curve in paths().items():
        walk, wall, own = _timed(lambda curve=curve: mg.follow_path(graph, curve))
        facts, report = walk.facts, walk.report()
        yield {
            "graph": f"{name}, {fps:g} Hz",
            "path": title,
            "mean m": facts["path_error_mean"],
            "worst m": facts["path_error_worst"],
            "facing": facts["facing_along"],
            "cost cm": report["cost_mean"],
            "transitions": len(walk.transitions),
            "motion s": walk.duration,
            "faster, wall": walk.duration / wall,
            "faster, own": walk.duration / own,
            "ended": "" if walk.complete else walk.note,
        }


def _planners(graph):
    """The beam against branch and bound from the same start, with as much time."""
    for title, curve in paths().items():
        walk, _, own = _timed(lambda curve=curve: mg.follow_path(graph, curve))
        first = walk.steps[0]
        start = int(first["clip"]), int(first["start"])
        beam, wall, own = _timed(lambda curve=curve, start=start: mg.follow_path(graph, curve, start=start))
        row = {"path": title, "beam": beam.facts["error"], "seconds": own}
        for times in (1, 10):
            effort = mg.Effort("branch and bound", seconds=times * wall)
            other = mg.follow_path(graph, curve, start=start, effort=effort)
            row[f"branch and bound, time × {times}"] = other.facts["error"] if other.complete else None
        yield row


def _live(graph, fps, places=100):
    """Milliseconds of the calls of a character that is sent to one place after another."""
    live, rng = mg.LiveCharacter(graph, rng=0), np.random.default_rng(0)
    own, near, took = [], [], []
    for _ in range(places):
        point, closest = live.root[[0, 2]] + rng.uniform(-5, 5, 2), np.inf
        live.go_to(point)
        began = live.seconds
        while live.seconds < began + 10.0:
            own.append(_timed(lambda: live.advance(1 / 60))[2])
            closest = min(closest, float(np.linalg.norm(live.root[[0, 2]] - point)))
            if closest < 0.3:
                break
        near.append(closest)
        took.append(live.seconds - began)
    cut = {"calls": len(own), "places within 0.5 m": f"{sum(n < 0.5 for n in near)} of {len(near)}"}
    return cut | {"s to a place": float(np.mean(took))} | _spread("own", own)


def _spread(title, seconds):
    """Mean, median, 99th percentile and the most of many times, in milliseconds."""
    ms = 1e3 * np.array(seconds)
    figures = {"mean": ms.mean(), "p50": np.median(ms), "p99": np.percentile(ms, 99), "worst": ms.max()}
    return {f"{title} ms {name}": float(value) for name, value in figures.items()}


def _others(mocap, graph):
    """Sequential on the dissertation's clips, a million random transitions, connecting, reaching."""
    folder = mocap / "cmu/asf_amc/dissertation"
    six = mg.MotionGraph.build([mg.load(file) for file in sorted(folder.glob("*.amc"))], threshold=60.0)
    words = ("run", "walk", "sneak", "duck", "jump_up", "jump_one")
    order = [next(clip.name for clip in six.clips if clip.name.startswith(word)) for word in words]
    mg.sequential_walk(six, order)
    walk, wall, _ = _timed(lambda: mg.sequential_walk(six, order))
    yield f"sequential, six clips, exact: {1e3 * wall:.1f} ms, mean cost {walk.report()['cost_mean']:.2f} cm"
    walk, wall, _ = _timed(lambda: mg.sequential_walk(six, order, method="trials", trials=1000))
    yield f"sequential, six clips, 1000 trials: {1e3 * wall:.0f} ms, mean cost {walk.report()['cost_mean']:.2f} cm"
    walk, wall, _ = _timed(lambda: mg.random_walk(graph, transitions=1_000_000))
    yield f"random: {len(walk.transitions):,} transitions in {wall:.1f} s, ended: {walk.note or 'no'}"
    walk, wall, _ = _timed(lambda: mg.connect(graph, "16_15", "16_17_mirrored"))
    yield f"connect: {1e3 * wall:.1f} ms"
    (_, table), wall, _ = _timed(lambda: mg.connection_table(graph))
    yield f"connections between all {len(table)} clips: {wall:.2f} s, mean {np.mean(table[table > 0]):.2f} s of motion"
    rng, missed, turned, took = np.random.default_rng(0), [], [], []
    for _ in range(20):
        place, facing = rng.uniform(-5, 5, 2), rng.uniform(-np.pi, np.pi)
        walk, _, own = _timed(lambda place=place, facing=facing: mg.reach(graph, place, facing))
        missed.append(walk.facts["end_distance"])
        turned.append(walk.facts["end_turn"])
        took.append(walk.duration / own)
    yield (
        f"reach, 20 random places: missed by {np.median(missed):.2f} m and {np.median(turned):.0f}° (median), "
        f"{np.max(missed):.2f} m and {np.max(turned):.0f}° (worst), {np.median(took):.0f} times faster than it plays"
    )


def run(mocap: Path) -> dict:
    """Rows for every graph and path; the planners, live steering and the other ways below."""
    warnings.simplefilter("ignore")
    rows, told, live, kept = [], [], [], None
    for fps in (30.0, 120.0):
        for name, graph in graphs(mocap, fps).items():
            whole = without_dead_ends(graph)
            _, seconds, _ = _timed(lambda whole=whole: floor_graph(whole))
            share = whole.kept.frames / whole.candidates.frames
            told.append(f"{name} {fps:g} Hz: {whole}, {share:.0%} of frames, ground {1e3 * seconds:.0f} ms")
            rows += _path_rows(name, whole, fps)
            if name == "16 walks":
                live.append({"fps": fps, **_live(whole, fps)})
                kept = kept or whole
    return {
        "rows": rows,
        "graphs": told,
        "live": live,
        "planners": list(_planners(kept)),
        "others": list(_others(mocap, kept)),
    }


if __name__ == "__main__":
    import os

    found = run(Path(os.environ.get("MOTIONGRAPH_MOCAP", "../shared/mocap")))
    for key, rows in found.items():
        print(f"\n{key}")
        for row in rows:
            print(row)
