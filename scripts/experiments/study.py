"""What every experiment shares: its arguments, the clips it reads, what it says while working, and its report.

An experiment is a module with a TITLE and a function `run(study)`. It writes Markdown, pictures and motion into one
folder, and its part of the report under its own name.
"""

import argparse
import os
import sys
import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path

import motiongraph as mg
from motiongraph.errors import FormatWarning, MotionError
from motiongraph.files import writing

ASF_AMC, BVH = "cmu/asf_amc", "cmu/bvh"
SIX = {  # the dissertation's six clips (5.1.2), by the names its text uses
    "run": "run_stop_16_08",
    "walk": "walk_16_15",
    "sneak": "sneak_17_03",
    "duck": "duck_slow_127_31",
    "jump": "jump_up_down_49_03",
    "one leg jump": "jump_one_leg_49_03",
}


@dataclass
class Study:
    """data: the folder of motion capture; out: where everything is written; quick: a reduced size, for tests."""

    data: Path
    out: Path
    seed: int = 0
    quick: bool = False
    name: str = ""
    lines: list = field(default_factory=list)

    def clip(self, path, **options) -> mg.Clip:
        """A clip of the data folder, by its path there."""
        file = self.data / path
        if not file.is_file():
            raise MotionError(f"{file} is missing; the experiments need CMU's clips under {self.data}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FormatWarning)  # odd last lines of some files, of no account here
            return mg.load(file, **options)

    def six(self) -> dict:
        """The dissertation's six clips on skeleton 16, by the names of its text."""
        return {word: self.clip(f"{ASF_AMC}/dissertation/{file}.amc") for word, file in SIX.items()}

    def say(self, words) -> None:
        """What is going on, for the person at the terminal."""
        print(f"{self.name or 'experiments'}: {words}", file=sys.stderr, flush=True)

    def progress(self, done, total, what="") -> None:
        """A line that is written over where standard error is a terminal, and nothing elsewhere."""
        if sys.stderr.isatty():
            share = f"{done / total:4.0%}" if total else ""
            end = "\r" if done < total else "\r\033[K"
            print(f"\033[K{self.name}: {share} {what}"[:110], end=end, file=sys.stderr, flush=True)

    def file(self, name) -> Path:
        """A file of this experiment in the output folder."""
        return self.out / f"{self.name}_{name}"

    def heading(self, words) -> None:
        self.lines += [f"### {words}", ""]

    def text(self, *sentences) -> None:
        """A paragraph."""
        self.lines += [" ".join(" ".join(s.split()) for s in sentences), ""]

    def table(self, header, rows) -> None:
        """A Markdown table; numbers as `shown`."""
        self.lines.append("| " + " | ".join(map(str, header)) + " |")
        self.lines.append("|" + "---|" * len(header))
        self.lines += ["| " + " | ".join(shown(cell) for cell in row) + " |" for row in rows] + [""]

    def figure(self, name, caption) -> Path:
        """Where to write a picture; its place in the report is here."""
        path = self.file(name)
        self.lines += [f"![{caption}]({path.name})", "", f"*{caption}*", ""]
        return path


def shown(cell) -> str:
    """A table's cell: floats with what matters of them, everything else as it is."""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if cell is None:
        return "–"
    if not isinstance(cell, float):
        return f"{cell:,}" if isinstance(cell, int) else str(cell)
    digits = 2 if abs(cell) >= 0.1 else 4
    return f"{cell:,.{digits}f}"


class Clock:
    """Seconds since it was made."""

    def __init__(self):
        self.start = time.perf_counter()

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.start


def conduct(study, name, experiment) -> tuple[str, float]:
    """Run one experiment; returns its part of the report and how long it took, and writes the part."""
    os.environ["MOTIONGRAPH_CACHE"] = "off"  # times are those of a first run
    study.name, study.lines = name, []
    clock = Clock()
    study.say(experiment.TITLE)
    experiment.run(study)
    part = "\n".join([f"## {experiment.TITLE}", "", *study.lines]).rstrip() + "\n"
    with writing(study.out / f"{name}.md", "w", encoding="utf-8") as file:
        file.write(part)
    study.say(f"done in {clock.seconds:.1f} s")
    return part, clock.seconds


def arguments(description, argv=None) -> Study:
    """The command line of every experiment."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("out", type=Path, help="folder for the report; made if need be")
    home = os.environ.get("MOTIONGRAPH_MOCAP")
    parser.add_argument(
        "--data", type=Path, default=home, help="folder of motion capture (default: $MOTIONGRAPH_MOCAP)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of everything random (default: 0)")
    parser.add_argument("--quick", action="store_true", help="reduced size, to see that everything works")
    given = parser.parse_args(argv)
    if given.data is None:
        parser.error("say where the motion capture is: --data FOLDER, or MOTIONGRAPH_MOCAP in the environment")
    if not given.data.is_dir():
        parser.error(f"{given.data} is no folder")
    try:
        given.out.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        parser.error(f"{given.out} cannot be made: {problem.strerror}")
    return Study(given.data, given.out, given.seed, given.quick)


def main(experiment) -> None:
    """One experiment from the command line."""
    study = arguments(experiment.TITLE)
    try:
        conduct(study, Path(experiment.__file__).stem, experiment)
    except MotionError as problem:
        study.say(problem)
        sys.exit(1)
