"""What an index of a collection says of its clips, and the label that follows from it.

An index is a text file `index.txt`, or with "index" in its name, in the folder of a clip or up to two above. Of its
lines those count that begin with the name of a clip and a tab; the last column is the description. CMU's own list is
one, and so is what `motiongraph fetch cmu` keeps of it.
"""

import os
import re
import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType

from motiongraph.errors import FormatError, MotionError
from motiongraph.files import read_text

WORDS = "words.toml"
_ABOVE = 3  # folders that are searched: the clip's own and two above
_LARGEST = 1 << 24  # bytes
_ROW = re.compile(r"^([\w.-]{1,100})\t(?:[^\t\n]*\t)*([^\t\n]+)$", re.MULTILINE)
_JOINED = re.compile(r"(?<=[a-z])(?=[A-Z])")  # between the words of JumpForward
_NOTHING = ("", "unknown")  # descriptions that say nothing


def rows_of(index: str) -> dict[str, str]:
    """Name of a clip → its description, of the text of an index."""
    rows = {name: words.strip() for name, words in _ROW.findall(index.replace("\r", ""))}
    return {name: words for name, words in rows.items() if words.lower() not in _NOTHING}


def description_of(file: str | os.PathLike) -> str:
    """What the index beside a file says of it, or ""."""
    file = Path(file)
    return _beside(str(file.parent))[0].get(file.stem, "") if file.parent != file else ""


def label_of(file: str | os.PathLike) -> str | None:
    """The label that the description of a file gives it, or None: that of the word which comes first."""
    words = _JOINED.sub(" ", description_of(file)).lower()
    if not words:
        return None
    pattern, labels = _table(*_beside(str(Path(file).parent))[1])
    found = pattern.search(words)
    return labels[found[0]] if found else None


def chosen(where: str) -> "re.Pattern[str]":
    """What `--where` asks for, as a pattern; upper and lower case are the same."""
    try:
        return re.compile(where, re.IGNORECASE)
    except re.error as problem:
        raise MotionError(f"{where!r} is not a pattern such as walk|run: {problem}") from problem


def forget() -> None:
    """Look for indexes anew: one may just have come."""
    _beside.cache_clear()


@lru_cache(maxsize=4096)
def _beside(folder: str) -> tuple[Mapping[str, str], tuple[str, int]]:
    """The rows of the nearest index to a folder, and the table of words that goes with it, with its date."""
    for above in [Path(folder), *Path(folder).absolute().parents][:_ABOVE]:
        try:
            names = sorted(entry.name for entry in os.scandir(above) if entry.is_file() and _is_index(entry.name))
        except OSError:
            continue
        for name in names:
            rows = _read(str(above / name), (above / name).stat().st_mtime_ns)
            if rows:
                own = above / WORDS
                table = own if own.is_file() else Path(__file__).with_name(WORDS)
                return rows, (str(table), table.stat().st_mtime_ns)
    return MappingProxyType({}), ("", 0)


def _is_index(name: str) -> bool:
    return name.lower().endswith(".txt") and "index" in name.lower()


@lru_cache(maxsize=16)
def _read(path: str, _date: int) -> Mapping[str, str]:
    try:
        return MappingProxyType(rows_of(read_text(path, most=_LARGEST)))
    except (OSError, MotionError):  # some other text with "index" in its name: words about a motion are only extra
        return MappingProxyType({})


@cache
def _table(path: str, _date: int) -> tuple["re.Pattern[str]", dict[str, str]]:
    """A pattern of all words of a table, longer ones first, and the label of each."""
    try:
        table = tomllib.loads(read_text(path, most=_LARGEST))
    except (ValueError, RecursionError) as problem:
        raise FormatError(path, f"is not a TOML file: {str(problem)[:200]}") from problem
    labels = {}
    for label, words in table.items():
        if not isinstance(words, list) or not all(isinstance(word, str) and word for word in words):
            raise FormatError(path, f'expected {label[:50]} = ["word", ...]')
        labels |= {word.lower(): label for word in words}
    longest = sorted(labels, key=lambda word: (-len(word), word))
    return re.compile(rf"(?<![a-z])(?:{'|'.join(map(re.escape, longest))})(?![a-z])"), labels
