"""What goes wrong while the window is open: one sentence for the person, the details in a file for who mends it."""

import os
import re
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from motiongraph.app.command import Command
from motiongraph.app.settings import config_folder
from motiongraph.errors import MotionError

_AGAIN = 10.0  # seconds in which the same failure is not reported again: what is asked every frame fails every frame
_told: dict[tuple, float] = {}


def log_file() -> Path:
    return config_folder() / "trouble.log"


def sentence(problem: BaseException, doing: str) -> str:
    """What to say of it; doing: what was being done. What nobody foresaw is written down, too."""
    words = " ".join(str(problem).split())
    if isinstance(problem, MotionError):
        return words
    if isinstance(problem, MemoryError):
        return f"{doing}: there is not enough memory for this"
    if isinstance(problem, OSError):
        place = "" if problem.filename is None else f"{os.fsdecode(problem.filename)}: "
        return f"{doing}: {place}{problem.strerror or words}"
    return f"{doing} went wrong inside motiongraph: {type(problem).__name__}: {words}; {_written(problem, doing)}"


def tell(say: Callable[[str, str], None], problem: Exception, doing: str) -> None:
    """Say it as an error, unless the same was said just now; while debugging, raise what nobody foresaw."""
    if os.environ.get("MOTIONGRAPH_DEBUG") and not isinstance(problem, MotionError):
        raise problem
    key, now = (doing, type(problem), str(problem)), time.monotonic()
    if now - _told.get(key, -_AGAIN) >= _AGAIN:
        _told[key] = now
        say(sentence(problem, doing), "error")


def spoken(command: Command) -> str:
    """A command in words: SaveLabels is "save labels"."""
    return re.sub(r"(?<!^)(?=[A-Z])", " ", type(command).__name__).lower()


def _written(problem: BaseException, doing: str) -> str:
    """Where the details are, having put them there."""
    path = log_file()
    text = "".join(traceback.format_exception(problem))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {doing}\n{text}\n")
    except OSError as reason:
        place = traceback.extract_tb(problem.__traceback__)[-1]
        return f"{place.filename}:{place.lineno} ({path} cannot be written: {reason.strerror or reason})"
    return f"the details are in {path}"
