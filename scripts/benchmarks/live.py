"""How soon a driven character answers, how good its motion is, and how long a call takes.

    python scripts/benchmarks/live.py [MOCAP] [--bandai FOLDER] [--turns N] [--turning 0 120]

Seconds from a new request to a heading 45° and 90° nearer to it are simulated time, which does not depend on the
machine. Then feet and seams of random steering beside those of the same walks made offline (`scripts/bench.py quality`
has the same figures), and milliseconds of the processor for a call of `advance`. Sets, with mirror images: the bundled
samples, subject 16's walks, runs and both, and walks, turns and runs of Bandai-Namco's second data set.
"""

import argparse
import time
import warnings
from pathlib import Path

import numpy as np

import motiongraph as mg
from motiongraph.files import resource

WALKS = (*range(11, 33), 47, 58)
RUNS = (*range(35, 47), *range(48, 57))
_FIGURES = ("slide_mean", "seam_acceleration_p99", "seam_acceleration_jump_p99", "seam_root_acceleration_p99")
_LONGEST = 5.0  # s after which a turn is given up


def graphs(mocap: Path | None, bandai: Path | None = None, fps: float = 30.0) -> dict[str, mg.MotionGraph]:
    """The graphs to drive on, at the automatic threshold."""
    sets = {"samples": [mg.load(file).resampled(fps) for file in sorted(resource("assets/samples").glob("*.bvh"))]}
    if mocap is not None:
        parts = {}
        for label, numbers in (("walk", WALKS), ("run", RUNS)):
            files = [mocap / f"cmu/asf_amc/16/16_{n:02d}.amc" for n in numbers]
            parts[label] = [mg.load(file).resampled(fps).labelled(label) for file in files]
        sets |= {"16 walks": parts["walk"], "16 runs": parts["run"], "16 both": parts["walk"] + parts["run"]}
    if bandai is not None:
        kinds = {"walk": "walk", "walk-turn-left": "walk", "walk-turn-right": "walk", "run": "run"}
        sets["Bandai-Namco"] = [
            mg.load(file).resampled(fps).labelled(label)
            for kind, label in kinds.items()
            for file in sorted(bandai.rglob(f"dataset-2_{kind}_normal_*.bvh"))[:16]
        ]
    return {name: mg.MotionGraph.build(clips, mirror=True) for name, clips in sets.items()}


def turns(graph: mg.MotionGraph, turning: float, count: int, seed: int = 0) -> dict[str, float]:
    """Times to 45° and 90° of turning when the direction asked for changes by 90° to 180° at a random moment."""
    character, rng = mg.LiveCharacter(graph, rng=seed, cleanup=False, turning=turning), np.random.default_rng(seed)
    step, heading, times = 1.0 / 60.0, 0.0, {45: [], 90: []}
    character.steer((0.0, 1.0))
    character.advance(3.0)
    for _ in range(count):
        side = float(rng.choice([-1.0, 1.0]))
        heading = character.heading + side * float(rng.uniform(np.pi / 2, np.pi))
        before = abs(_between(character.heading, heading))
        character.steer((np.sin(heading), np.cos(heading)))
        reached = {45: _LONGEST, 90: _LONGEST}
        for n in range(round(_LONGEST / step)):
            character.advance(step)
            nearer = np.degrees(before - abs(_between(character.heading, heading)))
            for angle in reached:
                if nearer >= min(angle, np.degrees(before) - 5.0):
                    reached[angle] = min(reached[angle], (n + 1) * step)
        for angle, seconds in reached.items():
            times[angle].append(seconds)
        character.advance(float(rng.uniform(0.0, 2.0)))
    cost = [float(decision.transition["cost"]) for decision in character.decisions]
    figures = {"mean cost cm": float(np.mean(cost))}
    for angle, values in times.items():
        figures |= {f"{angle}° median s": float(np.median(values)), f"{angle}° p90 s": float(np.percentile(values, 90))}
        figures[f"{angle}° longest s"] = max(values)
    return figures


def quality(graph: mg.MotionGraph, turning: float, count: int, seconds: float = 30.0) -> dict[str, float]:
    """Figures of random steering: made live, and offline from the same walk without turning; ms of `advance`."""
    found, times = {"live": [], "offline": []}, []
    for seed in range(count):
        character, rng = (
            mg.LiveCharacter(graph, rng=seed, turning=turning, memory=seconds + 5),
            np.random.default_rng(seed),
        )
        while character.seconds < seconds:
            heading = rng.uniform(0.0, 2.0 * np.pi)
            character.steer((np.sin(heading), np.cos(heading)))
            for _ in range(int(rng.integers(30, 180))):
                began = time.thread_time()
                character.advance(1.0 / 60.0)
                times.append(1e3 * (time.thread_time() - began))
        motion = character.motion(0.0, seconds)
        found["live"].append(mg.quality(motion, graph.clips))
        found["offline"].append(mg.quality(mg.synthesize(character.walk())[: len(motion)], graph.clips))
    rows = {
        f"{name} {how}": float(np.mean([f[name] for f in each])) for name in _FIGURES for how, each in found.items()
    }
    return rows | {
        "ms a call": float(np.mean(times)),
        "ms p99": float(np.percentile(times, 99)),
        "ms worst": max(times),
    }


def _between(a: float, b: float) -> float:
    return (b - a + np.pi) % (2.0 * np.pi) - np.pi


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("mocap", type=Path, nargs="?")
    options.add_argument("--bandai", type=Path)
    options.add_argument("--turns", type=int, default=60)
    options.add_argument("--turning", type=float, nargs="+", default=[0.0, 120.0], help="degrees a second")
    options.add_argument("--walks", type=int, default=8, help="of 30 s, for the figures of quality")
    asked = options.parse_args()
    warnings.simplefilter("ignore")
    for name, graph in graphs(asked.mocap, asked.bandai).items():
        for turning in asked.turning:
            figures = turns(graph, turning, asked.turns) | quality(graph, turning, asked.walks)
            row = ", ".join(f"{title} {value:.3g}" for title, value in figures.items())
            print(f"{name}, turning {turning:g}°/s: {row}", flush=True)


if __name__ == "__main__":
    main()
