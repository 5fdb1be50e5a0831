"""All experiments one after the other, and one report of them: `scripts/experiments/all FOLDER`."""

import os
import platform
import sys

import angles
import blending
import chronological
import frames_as_vertices
import paths
import random_walks
import sampling_rate
from study import Clock, arguments, conduct

import motiongraph as mg
from motiongraph.errors import MotionError
from motiongraph.files import writing

EXPERIMENTS = (blending, random_walks, chronological, paths, sampling_rate, angles, frames_as_vertices)
WORDS = "The papers' experiments, run by motiongraph, beside what they published."


def main() -> None:
    study = arguments(WORDS)
    clock, parts, times, problems = Clock(), [], [], []
    for experiment in EXPERIMENTS:
        name = experiment.__name__
        try:
            part, seconds = conduct(study, name, experiment)
        except MotionError as problem:
            # The others may well have what they need; the exit status and the report say what is missing.
            study.say(problem)
            problems.append(f"{name}: {problem}")
            part, seconds = f"## {experiment.TITLE}\n\nNot done: {problem}.\n", 0.0
        parts.append(part)
        times.append(seconds)
    study.name = ""
    path = study.out / "report.md"
    with writing(path, "w", encoding="utf-8") as file:
        file.write("\n".join([opening(study, times, clock.seconds), *parts]))
    study.say(f"{path}, {clock.seconds:.0f} s in all")
    if problems:
        sys.exit(1)


def opening(study, times, total) -> str:
    """Title, machine and contents."""
    size = " at reduced size, to see that everything works" if study.quick else ""
    lines = ["# The papers' experiments, run by motiongraph", ""]
    lines += [
        f"Made by `scripts/experiments/all` of motiongraph {mg.__version__}{size}, seed {study.seed}, on "
        f"{platform.machine()} with {os.cpu_count()} cores, Python {platform.python_version()}, in {total:.0f} s. "
        "Costs are root mean square distances in cm unless they are called d, the dissertation's own unit.",
        "",
        "| experiment | seconds |",
        "|---|---|",
        *(f"| {experiment.TITLE} | {seconds:.0f} |" for experiment, seconds in zip(EXPERIMENTS, times)),
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
