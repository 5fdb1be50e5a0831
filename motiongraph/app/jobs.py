"""Work beside the loop: threads that report progress, can be cancelled, and hand results to the main thread.

A job is `work(progress, deliver)`: it calls `progress(done, total, what)` between blocks, which raises Cancelled when
the job was cancelled, and `deliver(result)` once or as results come. `collect` passes them on, on the main
thread. A new job takes the place of an older one of its kind that is for the same thing. What goes
wrong becomes one sentence for the person, and the details go to a file for who mends it.
"""

import itertools
import math
import os
import queue
import re
import threading
import time
import traceback
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from motiongraph.app.command import Command
from motiongraph.app.settings import config_folder
from motiongraph.errors import MotionError
from motiongraph.progress import Cancelled, Progress

_numbers = itertools.count(1)
Work = Callable[[Progress, Callable[[Any], None]], None]  # (progress, deliver)
_AGAIN = 10.0  # seconds in which the same failure is not reported again: what is asked every frame fails every frame
_said: dict[tuple, float] = {}


def log_file() -> Path:
    return config_folder() / "trouble.log"


def failure_sentence(problem: BaseException, doing: str) -> str:
    """What to say of a failure; doing: what was being done. What nobody foresaw is written down, too."""
    words = " ".join(str(problem).split())
    if isinstance(problem, MotionError):
        return words
    if isinstance(problem, MemoryError):
        return f"{doing}: there is not enough memory for this"
    if isinstance(problem, OSError):
        place = "" if problem.filename is None else f"{os.fsdecode(problem.filename)}: "
        return f"{doing}: {place}{problem.strerror or words}"
    return f"{doing} went wrong inside motiongraph: {type(problem).__name__}: {words}; {_written(problem, doing)}"


def say_failure(say: Callable[[str, str], None], problem: Exception, doing: str) -> None:
    """Say it as an error, unless the same was said just now; while debugging, raise what nobody foresaw."""
    if os.environ.get("MOTIONGRAPH_DEBUG") and not isinstance(problem, MotionError):
        raise problem
    key, now = (doing, type(problem), str(problem)), time.monotonic()
    for old in [old for old, when in _said.items() if now - when >= _AGAIN]:
        del _said[old]
    if key not in _said:
        _said[key] = now
        say(failure_sentence(problem, doing), "error")


def in_words(command: Command) -> str:
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


class JobKind(Enum):
    """What a job does."""

    COMPILE = "compile what playing needs"
    COMPILE_AHEAD = "compile what the first steps need"
    OPEN = "open clips, or a mesh"
    FETCH = "download clips"
    MIRROR = "mirror a clip"
    LABELS = "propose labels"
    MATRIX = "compare two clips"
    MINIMA = "find the minima of a matrix"
    GRAPH = "build or open a graph"
    THRESHOLD = "choose a threshold"
    TRADE_OFF = "try thresholds"
    COVERAGE = "try where a graph leads"
    WALK = "make a walk"
    MEASURE = "measure motion made on a graph"
    RETOUCH = "make a result again with a transition changed"
    PREVIEW = "make a preview"
    WHY = "explain a transition"
    LEAD = "set a character off"
    CROWD = "set a crowd off"
    KEEP = "keep what a character has walked"
    WRITE = "write a file"
    RECORD = "record a video"
    PROJECT = "open a project"
    AUTOSAVE = "keep a copy of the work"
    SET_ASIDE = "keep work that something else takes the place of"


# They belong to the program, not to the clips: another project does not cancel them.
_OWN = (JobKind.COMPILE, JobKind.COMPILE_AHEAD, JobKind.RECORD, JobKind.AUTOSAVE, JobKind.PROJECT)


@dataclass(eq=False)
class Job:
    """Work on a thread of its own."""

    kind: JobKind
    of: Hashable  # what it is for, where there can be several of its kind: a path, the number of a clip
    title: str  # for people
    work: Work
    then: Callable[[Any], Any]  # takes each result, on the main thread
    after: Callable[[], Any] | None = None  # called when it is over, whatever became of it
    quiet: bool = False  # not worth showing
    needed: bool = False  # the program does not end before it is done
    every: float = 0.0  # s between two times at which results are handed over
    handed: float = -math.inf  # when they were last, of time.monotonic, which may count from the start of the machine
    number: int = field(default_factory=lambda: next(_numbers))
    share: float | None = None  # how much is done, 0 … 1, None while unknown
    what: str = ""  # the present step
    cancelled: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)
    results: queue.SimpleQueue = field(default_factory=queue.SimpleQueue)
    problem: BaseException | None = None  # what ended it; there once it was collected
    reason: str = ""  # that in a sentence, "" where it was only stopped

    def progress(self, done: float, total: float, what: str = "") -> None:
        if self.cancelled.is_set():
            raise Cancelled(self.title)
        self.share = min(max(done / total, 0.0), 1.0) if total > 0 else None
        self.what = what

    def run(self) -> None:
        try:
            self.work(self.progress, self.results.put)
        except BaseException as problem:  # whatever it is, the main thread tells
            self.problem = problem
        finally:
            self.over.set()


class Jobs:
    """inline: carry work out at once, as tests do. say(sentence, level) tells what failed."""

    def __init__(self, say: Callable[[str, str], None], inline: bool = False):
        self.say, self.inline = say, inline
        self.running: list[Job] = []

    def start(
        self, kind: JobKind, title: str, work: Work, then: Callable[[Any], Any], of: Hashable = None, **options: Any
    ) -> Job:
        """Begin. options: after, quiet, needed and every, see `Job`."""
        self.call_off(kind, of=of)
        job = Job(kind, of, title, work, then, **options)
        self.running.append(job)
        if self.inline:
            job.run()
        else:
            threading.Thread(target=job.run, name=f"job: {title}", daemon=True).start()
        return job

    def cancel(self, number: int) -> None:
        for job in self.running:
            if job.number == number:
                job.cancelled.set()

    def under_way(self, kind: JobKind) -> bool:
        """Whether there is a job of this kind that was not cancelled."""
        return any(job.kind is kind and not job.cancelled.is_set() for job in self.running)

    def call_off(self, *kinds: JobKind, of: Hashable = None) -> None:
        """Cancel the jobs of these kinds that are for the same thing."""
        for job in self.running:
            if job.kind in kinds and job.of == of:
                job.cancelled.set()

    def call_off_all(self, before: float = math.inf) -> None:
        """Cancel what was begun, before job number `before`, for clips that are no longer there. What writes files goes
        on, and what belongs to the program itself."""
        for job in self.running:
            if job.number < before and not job.needed and job.kind not in _OWN:
                job.cancelled.set()

    @property
    def unfinished(self) -> Job | None:
        """One that the end of the program has to wait for."""
        return next((job for job in self.running if job.needed and not job.cancelled.is_set()), None)

    def collect(self) -> None:
        """Hand over what was delivered and tell what failed; on the main thread."""
        for job in list(self.running):
            over = job.over.is_set()  # asked first: what was delivered before the end is in the queue by then
            if not over and (job.results.empty() or time.monotonic() - job.handed < job.every):
                continue
            job.handed = time.monotonic()
            while not job.results.empty():
                result = job.results.get()
                if not job.cancelled.is_set():
                    self._call(job, job.then, result)
            if over:
                self.running.remove(job)
                self._tell(job)
                if job.after is not None:
                    self._call(job, job.after)

    def _call(self, job: Job, function: Callable[..., Any], *given: Any) -> None:
        try:
            function(*given)
        except MotionError as problem:
            self.say(str(problem), "error")
        except Exception as problem:
            say_failure(self.say, problem, job.title)

    def _tell(self, job: Job) -> None:
        problem = job.problem
        if problem is None:
            return
        if not job.cancelled.is_set() and not isinstance(problem, Cancelled):
            job.reason = failure_sentence(problem, job.title)
            self.say(job.reason, "error")
        # Its traceback leads back to the job, and all that the work used would stay for ever.
        problem.__traceback__ = problem.__cause__ = problem.__context__ = None

    def close(self, patience: float = 1.0) -> None:
        """Cancel everything and wait a moment for it to stop; threads that do not are left to die with the process.
        Only what is needed is waited for until it is done."""
        for job in self.running:
            if not job.needed:
                job.cancelled.set()
        for job in self.running:
            job.over.wait(None if not job.cancelled.is_set() else patience / len(self.running))
        self.collect()
        self.running.clear()
