"""Feeds changed files of every format to the readers: each is read, or refused in one sentence, and nothing else.

    scripts/fuzz [SECONDS] [--seed N] [--cases N] [--only FORMAT ...] [--keep FOLDER] [--case FORMAT N]

A case is known by its format, seed and number, so that it can be made again (--case). The work is done by a second
process, whose end by a signal, whose silence for half a minute and whose use of more than two gigabytes are findings
like any other exception, sentences of more than 400 letters, and cases of more than five seconds. Ends with status 1
where there is a finding; the files are kept in FOLDER (fuzz-findings).
"""

import argparse
import collections
import os
import resource as limits
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path

_LETTERS, _SLOW, _SILENT, _MEMORY = 400, 5.0, 30.0, 2 << 30


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("seconds", type=float, nargs="?", default=60.0)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--cases", type=int, default=sys.maxsize)
    options.add_argument("--first", type=int, default=0)
    options.add_argument("--only", nargs="+", default=[])
    options.add_argument("--keep", type=Path, default=Path("fuzz-findings"))
    options.add_argument("--case", nargs=2, metavar=("FORMAT", "N"))
    options.add_argument("--worker", type=Path, help=argparse.SUPPRESS)
    asked = options.parse_args()
    if asked.case:
        return _one(asked)
    return _work(asked) if asked.worker else _watch(asked)


def _watch(asked: argparse.Namespace) -> int:
    """Run workers until time or cases are over; one that dies is a finding, and the next goes on after its case."""
    until, first, died = time.monotonic() + asked.seconds, asked.first, 0
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        told = Path(folder) / "told"
        while time.monotonic() < until and first < asked.first + asked.cases:
            told.write_text("")  # until the first case begins, which takes a while
            rest = ["--seed", asked.seed, "--first", first, "--cases", asked.first + asked.cases - first]
            rest += ["--keep", asked.keep, "--worker", folder, *(["--only", *asked.only] if asked.only else [])]
            worker = subprocess.Popen([sys.executable, __file__, str(until - time.monotonic()), *map(str, rest)])
            try:
                silent = _wait(worker, told)
            except BaseException:
                worker.kill()
                raise
            first = int(told.read_text() or first - 1) + 1
            if silent or worker.returncode < 0:
                died += 1
                why = "was silent for half a minute" if silent else f"died of {signal.Signals(-worker.returncode).name}"
                print(f"case {first - 1} {why}", flush=True)
                _keep(asked.keep, f"{asked.seed}-{first - 1}-died", Path(folder) / "case")
            elif worker.returncode:
                return worker.returncode
        counts = collections.Counter((Path(folder) / "counts").read_text().split())
    found = died + counts.pop("finding", 0)
    many = ", ".join(f"{name} {number:,}" for name, number in sorted(counts.items()))
    cases = f"seed {asked.seed}, cases {asked.first:,} to {first - 1:,}"
    print(f"{cases}: {sum(counts.values()):,} files ({many}), {found} findings")
    return 1 if found else 0


def _wait(worker: subprocess.Popen, told: Path) -> bool:
    """Until it ends; whether it had to be killed because it said nothing for long."""
    before, since = "", time.monotonic()
    while worker.poll() is None:
        time.sleep(0.2)
        now = told.read_text()
        if now != before:
            before, since = now, time.monotonic()
        elif time.monotonic() - since > (_SILENT if before else 10 * _SILENT):
            worker.kill()
            worker.wait()
            return True
    return False


def _work(asked: argparse.Namespace) -> int:
    from subjects import SUBJECTS, quietly

    folder: Path = asked.worker
    os.environ["MOTIONGRAPH_CONFIG"] = str(folder / "config")
    bases = _prepared(folder, asked.only or list(SUBJECTS))
    quietly()
    now = int(Path("/proc/self/statm").read_text().split()[0]) * limits.getpagesize()
    limits.setrlimit(limits.RLIMIT_AS, (now + _MEMORY,) * 2)
    names = [name for name in bases for _ in range(SUBJECTS[name].share)]
    until, told = time.monotonic() + asked.seconds, os.open(folder / "told", os.O_WRONLY)
    with open(folder / "counts", "a") as counts:
        for number in range(asked.first, asked.first + asked.cases):
            if time.monotonic() > until:
                break
            os.pwrite(told, b"%d" % number, 0)
            name = names[number * 7919 % len(names)]
            finding = _try(name, bases[name], asked.seed, number, folder / "case")
            if finding:
                counts.write("finding ")
                print(f"case {name} {number}: {finding}", flush=True)
                _keep(asked.keep, f"{asked.seed}-{number}-{name}", folder / "case")
            counts.write(f"{name} ")
            counts.flush()
    return 0


def _prepared(folder: Path, names: list[str]) -> dict[str, list]:
    from subjects import SUBJECTS

    bases = {}
    for name in names:
        with tempfile.TemporaryDirectory(dir=folder) as place:
            bases[name] = SUBJECTS[name].begin(Path(place))
    return bases


def _try(name: str, bases: list, seed: int, number: int, folder: Path) -> str:
    """Make a case and use it; what was found, or ""."""
    import numpy as np
    from subjects import SUBJECTS

    from motiongraph.errors import FormatError, MotionError

    subject, rng = SUBJECTS[name], np.random.default_rng([seed, number])
    base = bases[int(rng.integers(len(bases)))]
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for beside, content in subject.beside(base).items():
        (folder / beside).write_bytes(content)
    path = folder / subject.file
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of numpy, about what is done to the file here
        path.write_bytes(subject.mutated(base, rng))
    took = 0.0
    for _ in range(2):  # what is slow is used again: the first time may have compiled kernels
        began = time.process_time()
        try:
            subject.use(path, rng)
        except MotionError as problem:
            text = str(problem).replace(str(folder), "")
            if "\n" in text or len(text) > _LETTERS:
                return f"a sentence of {len(text)} letters: {text[:100]!r}"
            if isinstance(problem, FormatError) and "a mistake in motiongraph" in text:
                return text
        except Exception:
            return traceback.format_exc()
        took = time.process_time() - began
        if took <= _SLOW:
            return ""
    return f"took {took:.1f} s"


def _one(asked: argparse.Namespace) -> int:
    """One case again, with all that can be seen of it."""
    from subjects import quietly

    name, number = asked.case[0], int(asked.case[1])
    asked.keep.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        bases = _prepared(Path(folder), [name])
    quietly()
    print(_try(name, bases[name], asked.seed, number, asked.keep) or "nothing found")
    return 0


def _keep(folder: Path, name: str, case: Path) -> None:
    for file in case.iterdir() if case.exists() else ():
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / file.name).write_bytes(file.read_bytes())


if __name__ == "__main__":
    sys.exit(main())
