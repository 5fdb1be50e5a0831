"""Work beside the loop: threads that report progress, can be cancelled, and hand results to the main thread.

A job is `work(progress, deliver)`: it calls `progress(done, total, what)` between blocks, which raises Cancelled when
the job is no longer wanted, and `deliver(result)` once or as results come. `collect` passes them on, on the main
thread. A new job takes the place of an older one of its kind.
"""

import itertools
import queue
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from motiongraph.errors import MotionError
from motiongraph.progress import Cancelled, Progress

_numbers = itertools.count(1)


@dataclass(eq=False)
class Job:
    """title: for people; share: how much is done, 0 … 1, or None while unknown; what: the present step."""

    kind: str
    title: str
    work: Callable[[Progress, Callable[[Any], None]], None]
    then: Callable[[Any], None]
    quiet: bool = False
    number: int = field(default_factory=lambda: next(_numbers))
    share: float | None = None
    what: str = ""
    cancelled: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)
    results: queue.SimpleQueue = field(default_factory=queue.SimpleQueue)
    problem: BaseException | None = None

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

    def start(self, kind: str, title: str, work, then, quiet: bool = False) -> Job:
        """Begin; `then(result)` is called by `collect` for everything delivered. quiet: not worth showing."""
        for job in self.running:
            if job.kind == kind:
                job.cancelled.set()
        job = Job(kind, title, work, then, quiet)
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

    def collect(self) -> None:
        """Hand over what was delivered and tell what failed; on the main thread."""
        for job in list(self.running):
            over = job.over.is_set()  # asked first: what was delivered before the end is in the queue by then
            while not job.results.empty():
                result = job.results.get()
                if not job.cancelled.is_set():
                    job.then(result)
            if over:
                self.running.remove(job)
                self._tell(job)

    def _tell(self, job: Job) -> None:
        problem = job.problem
        if problem is None or job.cancelled.is_set() or isinstance(problem, Cancelled):
            return
        if isinstance(problem, MotionError):
            self.say(str(problem), "error")
        elif isinstance(problem, MemoryError):
            self.say(f"{job.title}: there is not enough memory for this", "error")
        else:
            place = traceback.extract_tb(problem.__traceback__)[-1]
            where = f"{place.filename}:{place.lineno}"
            self.say(f"{job.title}: unexpected {type(problem).__name__}: {problem} ({where})", "error")

    def close(self, patience: float = 1.0) -> None:
        """Cancel everything and wait a moment for it to stop; threads that do not are left to die with the process."""
        for job in self.running:
            job.cancelled.set()
        for job in self.running:
            job.over.wait(patience / max(len(self.running), 1))
        self.running.clear()
