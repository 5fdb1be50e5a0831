"""Work beside the loop: threads that report progress, can be cancelled, and hand results to the main thread.

A job is `work(progress, deliver)`: it calls `progress(done, total, what)` between blocks, which raises Cancelled when
the job is no longer wanted, and `deliver(result)` once or as results come. `collect` passes them on, on the main
thread. A new job takes the place of an older one of its kind.
"""

import itertools
import math
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from motiongraph.app import failures as trouble
from motiongraph.errors import MotionError
from motiongraph.progress import Cancelled, Progress

_numbers = itertools.count(1)
KEEPING = "keep "  # and the number of a led character: keeps what it walked
# First words of kinds that bring nothing, or everything, into the library.
_OWN = ("kernels", "ahead", "record", "autosave", "project")


@dataclass(eq=False)
class Job:
    """title: for people; share: how much is done, 0 … 1, or None while unknown; what: the present step; needed: the
    program does not end before it is done; problem: what ended it, and reason: that in a sentence, "" where it was
    only stopped; there once it was collected."""

    kind: str
    title: str
    work: Callable[[Progress, Callable[[Any], None]], None]
    then: Callable[[Any], None]
    quiet: bool = False
    needed: bool = False
    number: int = field(default_factory=lambda: next(_numbers))
    share: float | None = None
    what: str = ""
    cancelled: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)
    results: queue.SimpleQueue = field(default_factory=queue.SimpleQueue)
    problem: BaseException | None = None
    reason: str = ""

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

    def start(self, kind: str, title: str, work, then, quiet: bool = False, needed: bool = False) -> Job:
        """Begin; `then(result)` is called by `collect` for everything delivered. quiet: not worth showing; needed: not
        to be cut off by the end of the program."""
        self.call_off(kind)
        job = Job(kind, title, work, then, quiet, needed)
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

    def call_off(self, *kinds: str) -> None:
        """Cancel everything of these kinds."""
        for job in self.running:
            if job.kind in kinds:
                job.cancelled.set()

    def call_off_all(self, before: float = math.inf) -> None:
        """Cancel what was begun, before job number `before`, for clips that are no longer there. What writes files goes
        on, and what belongs to the program itself."""
        for job in self.running:
            if job.number < before and not job.needed and job.kind.partition(" ")[0] not in _OWN:
                job.cancelled.set()

    @property
    def unfinished(self) -> Job | None:
        """One that the end of the program has to wait for."""
        return next((job for job in self.running if job.needed and not job.cancelled.is_set()), None)

    def collect(self) -> None:
        """Hand over what was delivered and tell what failed; on the main thread."""
        for job in list(self.running):
            over = job.over.is_set()  # asked first: what was delivered before the end is in the queue by then
            while not job.results.empty():
                result = job.results.get()
                if not job.cancelled.is_set():
                    self._hand_over(job, result)
            if over:
                self.running.remove(job)
                self._tell(job)

    def _hand_over(self, job: Job, result) -> None:
        try:
            job.then(result)
        except MotionError as problem:
            self.say(str(problem), "error")
        except Exception as problem:
            trouble.tell(self.say, problem, job.title)

    def _tell(self, job: Job) -> None:
        problem = job.problem
        if problem is None:
            return
        if not job.cancelled.is_set() and not isinstance(problem, Cancelled):
            job.reason = trouble.sentence(problem, job.title)
            self.say(job.reason, "error")
        # Its traceback leads back to the job, and all that the work had in hand would stay for ever.
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
