"""How soon a driven character answers: seconds from a new request to a heading 45° and 90° nearer to it.

    python scripts/benchmarks/live.py [MOCAP] [--turns N]

Simulated time, so that the figures do not depend on the machine. Sets: subject 16's walks, runs and both (with mirror
images), where the folder is given, and the bundled samples.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np

import motiongraph as mg
from motiongraph.files import resource

WALKS = (*range(11, 33), 47, 58)
RUNS = (*range(35, 47), *range(48, 57))
_LONGEST = 5.0  # s after which a turn is given up


def graphs(mocap: Path | None, fps: float = 30.0) -> dict[str, mg.MotionGraph]:
    """The graphs to drive on, at the automatic threshold."""
    sets = {"samples": [mg.load(file).resampled(fps) for file in sorted(resource("assets/samples").glob("*.bvh"))]}
    if mocap is not None:
        parts = {}
        for label, numbers in (("walk", WALKS), ("run", RUNS)):
            files = [mocap / f"cmu/asf_amc/16/16_{n:02d}.amc" for n in numbers]
            parts[label] = [mg.load(file).resampled(fps).labelled(label) for file in files]
        sets |= {"16 walks": parts["walk"], "16 runs": parts["run"], "16 both": parts["walk"] + parts["run"]}
    return {name: mg.MotionGraph.build(clips, mirror=True) for name, clips in sets.items()}


def turns(graph: mg.MotionGraph, looser: float, count: int, seed: int = 0) -> dict[str, float]:
    """Times to 45° and 90° of turning when the direction asked for changes by 90° to 180° at a random moment."""
    character, rng = mg.LiveCharacter(graph, rng=seed, cleanup=False, looser=looser), np.random.default_rng(seed)
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
    return figures


def _between(a: float, b: float) -> float:
    return (b - a + np.pi) % (2.0 * np.pi) - np.pi


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("mocap", type=Path, nargs="?")
    options.add_argument("--turns", type=int, default=60)
    asked = options.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = graphs(asked.mocap)
    for name, graph in found.items():
        for looser in (1.0, 1.5, 2.0):
            figures = turns(graph, looser, asked.turns)
            row = ", ".join(f"{title} {value:.2f}" for title, value in figures.items())
            print(f"{name}, threshold × {looser:g}: {row}", flush=True)


if __name__ == "__main__":
    main()
