"""Hours of simulated driving with random goals, paths, sticks and labels: no error, no dead end, only finite poses.

    python scripts/soak_live.py HOURS [--seed N] [--mocap FOLDER] [--feet] [--fps N]

Without a folder the bundled samples are driven, else its clips (AMC or BVH) with their mirror images. Feet are held
only with --feet, which takes most of the time. Ends with status 1 at the first thing that goes wrong.
"""

import argparse
import sys
import time
import warnings
from pathlib import Path

import numpy as np

import motiongraph as mg
from motiongraph.files import resource


def graph_of(folder: Path | None, fps: float) -> mg.MotionGraph:
    """The graph to drive on."""
    files = sorted(resource("assets/samples").glob("*.bvh"))
    if folder is not None:
        files = sorted([*folder.glob("*.amc"), *folder.glob("*.bvh")])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return mg.MotionGraph.build([mg.load(file).resampled(fps) for file in files], mirror=folder is not None)


def ask(character: mg.LiveCharacter, labels: list, rng: np.random.Generator) -> str:
    """A random request; what it was."""
    kind, label, here = int(rng.integers(6)), labels[rng.integers(len(labels))], character.root[[0, 2]]
    if kind == 0:
        character.go_to(here + rng.uniform(-8, 8, 2), label)
    elif kind == 1:
        character.follow(here + rng.uniform(-3, 3, (5, 2)).cumsum(axis=0), label)
    elif kind == 2:
        character.steer(None)
    elif kind == 3:
        circle = np.stack([2 * np.sin(np.arange(12) / 6 * np.pi), 2 - 2 * np.cos(np.arange(12) / 6 * np.pi)], axis=1)
        character.follow(mg.Curve.of(here + circle, closed=True))
    else:
        way = rng.normal(size=2)
        character.steer(way / np.linalg.norm(way) * rng.uniform(0.05, 1.0), label)
    return ("goal", "path", "stand", "round", "stick", "stick")[kind]


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("hours", type=float)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--mocap", type=Path)
    options.add_argument("--feet", action="store_true")
    options.add_argument("--fps", type=float, default=30.0)
    asked = options.parse_args()
    graph, rng, began = graph_of(asked.mocap, asked.fps), np.random.default_rng(asked.seed), time.perf_counter()
    labels = [None, *sorted({label for clip in graph.clips for label in clip.labels})]
    character = mg.LiveCharacter(graph, rng=asked.seed, cleanup=asked.feet)
    print(f"{graph}, labels {labels[1:]}, {'with' if asked.feet else 'without'} feet held", flush=True)
    requests, hour, quickest = 0, 0.0, 0.0
    while character.seconds < asked.hours * 3600.0:
        what = ask(character, labels, rng)
        requests += 1
        for dt in rng.uniform(0.0, 0.1, int(rng.integers(2, 200))):
            before, then = character.root, character.seconds
            root, rotations = character.advance(float(dt))
            if not (np.isfinite(root).all() and np.isfinite(rotations).all()):
                print(f"after {then:.2f} s, asked for {what}: the pose is not finite", flush=True)
                return 1
            if dt > 0.01:
                quickest = max(quickest, float(np.linalg.norm(root - before)) / float(dt))
        if character.seconds >= hour + 3600.0:
            hour += 3600.0
            print(f"{hour / 3600.0:g} h after {time.perf_counter() - began:.0f} s", flush=True)
    messages = sorted(set(character.messages))
    print(
        f"{character.seconds / 3600.0:.2f} h, {requests:,} requests, {character.taken:,} transitions, quickest root "
        f"{quickest:.1f} m/s, in {time.perf_counter() - began:.0f} s; messages: {messages or 'none'}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
