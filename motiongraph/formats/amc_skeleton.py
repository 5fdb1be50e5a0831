"""Which .asf beside an .amc is its skeleton: the one with the most similar name whose bones the motion has."""

import os
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from motiongraph.errors import FormatError
from motiongraph.files import unreadable
from motiongraph.formats.amc import first_frame
from motiongraph.formats.asf import Asf
from motiongraph.formats.asf_parser import read_asf
from motiongraph.formats.scanner import Text

_NAME_PARTS = re.compile(r"[^\W\d_]+|\d+|[\W_]+")  # letters, digits, what stands between them


def find_asf(path: str | os.PathLike, bones: dict[str, int] | None = None) -> Path:
    """The skeleton of an AMC: 16_15.asf, or 16.asf, or the one whose name agrees longest with its own.

    bones: as `first_frame` gives them. A skeleton without these bones is passed over as long as another has them; and
    where names do not decide, bones do.
    """
    path = Path(path)
    try:
        beside = sorted(file for file in path.absolute().parent.iterdir() if file.suffix.lower() == ".asf")
    except OSError as problem:
        raise unreadable(path.parent, problem) from problem
    subject = path.stem.partition("_")[0]
    if not beside:
        raise FormatError(
            path, f"expected its skeleton {subject}.asf, or a single .asf, in the same folder; there is none"
        )
    if len(beside) == 1:
        return beside[0]
    bones = first_frame(Text(path)) if bones is None else bones
    ranked = sorted(beside, key=lambda file: _likeness(path.stem, file.stem), reverse=True)
    fitting = [file for file in ranked if _fits(file, bones)] or ranked
    best = [file for file in fitting if _likeness(path.stem, file.stem) == _likeness(path.stem, fitting[0].stem)]
    if len(best) > 1:
        there = f"there are {len(beside)}: {', '.join(file.name for file in beside[:5])}"
        raise FormatError(path, f"expected its skeleton {subject}.asf, or a single .asf, in the same folder; {there}")
    return best[0]


def _likeness(motion: str, skeleton: str) -> tuple[int, bool, int]:
    """How far two names agree: letters in whole words and numbers, so that 16_15 is not like 161; whether the
    skeleton's name has nothing else; and letters at all."""
    words, other = (_NAME_PARTS.findall(name.lower()) for name in (motion, skeleton))
    whole, letters = _agreeing(words, other), _agreeing(motion.lower(), skeleton.lower())
    return sum(len(word) for word in words[:whole] if word.isalnum()), whole == len(other), letters


def _agreeing(a: Sequence[str], b: Sequence[str]) -> int:
    """How many items two sequences begin with alike."""
    return next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))


def _fits(file: Path, bones: dict[str, int]) -> bool:
    """Whether a skeleton has these bones, with as many degrees of freedom as each has numbers; one that cannot be read
    may have, and says itself what is wrong with it."""
    try:
        asf, _ = read_skeleton(file)
    except FormatError:
        return True
    freedoms = {name.lower(): len(dof) for name, dof in zip(asf.names, asf.dofs)}
    return all(freedoms.get(name) in (0, count) for name, count in bones.items())


def read_skeleton(path: str | os.PathLike) -> tuple[Asf, tuple[str, ...]]:
    """An ASF and what was odd about it, parsed once for all the AMC files of its subject, until the file changes."""
    try:
        status = os.stat(path)
    except (OSError, ValueError) as problem:
        raise unreadable(path, problem) from problem
    return _read(str(path), (status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size))


@lru_cache(maxsize=64)
def _read(path: str, stamp: tuple[int, ...]) -> tuple[Asf, tuple[str, ...]]:
    text = Text(path)
    return read_asf(text), tuple(text.warned)
