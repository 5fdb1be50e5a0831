"""De Chenu 2006: joint angles as a metric, a walk cycle that loops, roots led apart, his graph of segments as DOT."""

import sys
from dataclasses import replace

import numpy as np
import plot
from pictures import flow, to_the_right
from study import BVH, main

import motiongraph as mg
from motiongraph.graph.export import save_dot
from motiongraph.metric import image
from motiongraph.model import kinematics
from motiongraph.walks.walk import Walk

TITLE = "6. De Chenu: joint angles, a looping walk, roots, a graph of segments"
WALK, CURVED = f"{BVH}/07_01.bvh", f"{BVH}/16_17.bvh"
APART = 0.25  # seconds between the two frames of a minimum: nearer, a clip only meets itself
KINDS = [  # what de Chenu's figures 4.4 to 4.6 show, in their order
    ("angles, L1 norm (4.4)", "angle", 1),
    ("angles, sum over Euler channels, as he wrote it (4.4)", "euler", 1),
    ("angles, L2 norm (4.5 left)", "angle", 2),
    ("angles, L4 norm (4.5 right)", "angle", 4),
    ("velocities, L1 norm (4.6 left)", "angle-velocity", 1),
    ("accelerations, L1 norm (4.6 right)", "angle-acceleration", 1),
]


def run(study):
    clip = study.clip(WALK).captured()
    if study.quick:
        clip = clip.resampled(60)
    study.text(
        f"""One walk against itself, CMU's {clip.name} ({len(clip)} frames, {clip.fps:g} Hz), frame by frame, the
        root's rotation left out. De Chenu compares the three angles of a joint as the file writes them; ours is the
        one angle of the rotation between the two poses, always the shorter way, which does not depend on the file's
        axes; the second row is his own sum over all Euler channels, in the file's order."""
    )
    matrices = {}
    for words, kind, order in KINDS:
        metric = mg.Metric(kind=kind, order=order, window=APART)
        matrices[words] = mg.distance_matrix(clip, clip, metric, progress=study.progress)
    compare(study, clip, matrices)
    motion = loop(study, clip)
    roots(study, clip, motion)


def compare(study, clip, matrices):
    """The matrices as pictures, and what a jump at their best minima would do to the motion."""
    pictures, rows = [], []
    local = _local_positions(clip)
    for words, m in matrices.items():
        cost = m.cost
        high = np.percentile(cost, 99.0 if "angles," not in words else 100.0)
        best = m.minima(border=False, radius=max(2, round(0.02 * clip.fps)))
        best = best[best["a"] < best["b"]]
        shown = replace(m, cost=np.minimum(cost, np.float32(high)))
        pictures.append((words, plot.dotted(image.pixels(shown), best["a"][:60], best["b"][:60])))
        jump, change = _jumps(local, best[:30], clip.fps)
        dark = np.mean(cost > (cost.min() + high) / 2)
        both = [len(m.minima(method=way, border=False)) // 2 for way in ("neighbours", "partial")]
        rows.append([words, m.metric.unit, *both, float(dark), jump, change])
    header = ["metric", "unit", "minima, 8 neighbours", "minima, partial differences", "share of dark cells"]
    study.table([*header, "pose jump at its 30 best, cm", "velocity jump there, m/s"], rows)
    caption = "Figures 4.4 to 4.6: light is close, dots are the 60 best minima; outliers of the last two are cut off."
    plot.write(plot.sheet(pictures, 3), study.figure("matrices.png", caption))
    norms = [m.cost[np.triu_indices(len(m.cost), 30)] for m in matrices.values() if m.metric.kind == "angle"]
    alike = [float(np.corrcoef(norms[i], norms[j])[0, 1]) for i, j in ((0, 1), (1, 2))]
    study.text(
        f"""As he reports: the pattern repeats with every step, higher norms pull light and dark further apart in
        the extremes but hardly change the order (correlation of L1 with L2 {alike[0]:.3f}, of L2 with L4
        {alike[1]:.3f}), and velocities and accelerations alone choose worse frames: the pose itself jumps further
        where only they agree. A window of frames, as in Kovar's metric, has both at once."""
    )


def _local_positions(clip):
    """(F, J, 3) metres, the root held still at the origin."""
    rotations = clip.rotations.copy()
    rotations[:, 0] = (1.0, 0.0, 0.0, 0.0)
    return kinematics.positions(clip.skeleton, np.zeros_like(clip.root), rotations)


def _jumps(local, minima, fps):
    """Root mean square distance (cm) and change of velocity (m/s) of the joints where a cut would be."""
    a, b = np.clip(minima["a"], 1, None), np.clip(minima["b"], 1, None)
    velocity = np.diff(local, axis=0, prepend=local[:1]) * fps

    def apart(values):
        return float(np.sqrt(((values[a] - values[b]) ** 2).sum(axis=2).mean()))

    return 100.0 * apart(local), apart(velocity)


def loop(study, clip):
    """The best jump back by one or two steps, played round and round; and all pieces between jumps as a graph."""
    graph = mg.MotionGraph.build(
        [clip], mg.Metric(kind="angle", order=2, window=0.1), threshold=np.inf, progress=study.progress
    )
    jumps = graph.transitions
    back = jumps["src_frame"] - jumps["dst_frame"]
    cycles = jumps[(back > 0.7 * clip.fps) & (back < 1.6 * clip.fps)]
    best = cycles[np.argmin(cycles["cost"])]
    rounds = 3 if study.quick else 8
    start = int(best["dst_frame"]) + graph.window
    walk = Walk.of(graph, (0, start), np.array([best] * rounds), int(best["src_frame"]), method="loop")
    motion = mg.synthesize(walk)
    path = study.file("loop.bvh")
    mg.save(motion, path)
    figures, captured = mg.quality(motion), mg.quality(clip)
    study.heading("A loop of one walk cycle (3.8.3)")
    study.text(
        f"""The cheapest jump back between 0.7 and 1.6 seconds leads from frame {best["src_frame"]} to
        {best["dst_frame"]} ({best["cost"]:.2f}°, {(best["src_frame"] - best["dst_frame"]) / clip.fps:.2f} s: one
        cycle of two steps). Played {rounds + 1} times, blended over {graph.window} frames, with planted feet held,
        it is `{path.name}`, {motion.duration:.1f} s. De Chenu cuts without a blend and lets the root follow its
        captured path; here every round starts where the last one ended."""
    )
    rows = [[key, captured[key], figures[key]] for key in ("slide_mean", "penetration", "acceleration_p99", "knee_pop")]
    study.table(["figure (cm/s, cm, m/s², rad/s a frame)", "captured", "looped"], rows)
    segments(study, graph)
    return motion


def roots(study, clip, motion):
    """The root apart from the body: along the captured way while the legs loop, and straight on (figures 4.1, 4.2)."""
    study.heading("The root apart from the body (figures 4.1 and 4.2)")
    curved = study.clip(CURVED).captured()
    led = {
        f"{clip.name} as captured": clip,
        "its loop, the root along the captured way (4.1)": mg.rooted(motion, "path", path=clip),
        f"{curved.name} as captured (4.2 top)": curved,
        f"{curved.name} led straight on (4.2 below)": mg.rooted(curved, "straight", np.pi / 2),
    }
    rows = [[words, mg.quality(one)["slide_mean"], float(_gone(one))] for words, one in led.items()]
    study.table(["motion", "foot slide, cm/s", "metres travelled"], rows)
    study.text(
        """As he reports: a loop of one cycle on the captured way slides where the captured walk is faster or slower
        than that cycle, and a curved walk led straight on keeps its speed, and so its feet."""
    )
    pictures = [
        (words, flow(study, to_the_right(one)[0], round(one.fps / 3), 35.0, (900, 300))) for words, one in led.items()
    ]
    path = study.figure("roots.png", "Figures 4.1 and 4.2: three poses a second, seen from above at an angle.")
    plot.write(plot.sheet(pictures, 1), path)


def _gone(clip):
    """Metres of the root's way on the floor."""
    return np.linalg.norm(np.diff(clip.root[:, [0, 2]], axis=0), axis=1).sum()


def segments(study, graph):
    """His graph of segments at a threshold with a handful of minima, as a file for Graphviz."""
    few = graph.at(float(np.sort(graph.transitions["cost"])[min(11, len(graph.transitions) - 1)]))
    path = study.file("segments.dot")
    save_dot(few, path, "segments")
    view = few.segment_view()
    study.heading("His graph of segments (3.9)")
    study.text(
        f"""At a threshold of {few.thresholds.within:.2f}° there are {len(few.transitions)} transitions, which cut
        the clip into {len(view.start)} segments with {len(view.source)} edges, in `{path.name}` for Graphviz (`dot
        -Tpng`). In his notation, where a segment is its first and last frame, it begins like this:"""
    )
    names = [f'"{start},{stop}"' for start, stop in zip(view.start.tolist(), view.stop.tolist())]
    lines = [f"{names[a]}->{names[b]};" for a, b in zip(view.source.tolist(), view.target.tolist())]
    lines = [*lines[:3], *lines[-5:]]
    study.lines += ["```", *lines, "```", ""]
    rows = []
    for count in (6, 12, 24, 48, 96, len(graph.transitions)):
        if count <= len(graph.transitions):
            part = graph.at(float(np.sort(graph.transitions["cost"])[count - 1]))
            view = part.segment_view()
            rows.append([part.thresholds.within, len(part.transitions), len(view.start), len(view.source)])
    study.text("A higher threshold makes a larger graph (4.5.1 and his appendices B and C):")
    study.table(["threshold, degrees", "transitions", "segments", "edges"], rows)


if __name__ == "__main__":
    main(sys.modules[__name__])
