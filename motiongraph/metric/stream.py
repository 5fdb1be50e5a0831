"""Work cut into rectangles of the matrix and spread over the processor's cores, with progress and a quick stop."""

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from itertools import islice
from typing import Any, TypeAlias, TypeVar

from threadpoolctl import ThreadpoolController

from motiongraph.progress import SILENT, Progress

# Windows of B in a strip, and of A in a task: beyond these, longer ones gain nothing (scripts/bench.py distance).
_STRIP, _TASK = 2048, 2048

Job = TypeVar("Job")
Result = TypeVar("Result")
Rectangle: TypeAlias = tuple[int, int, int, int]  # a0, a1, b0, b1: windows a0 … a1−1 of A and b0 … b1−1 of B


def rectangles(shape: tuple[int, int], triangle: int | None = None) -> list[Rectangle]:
    """(a0, a1, b0, b1) that cover the matrix, about equal in size; of those with b − a ≥ `triangle`, where given."""
    n, m = shape
    strips, tasks = -(-m // _STRIP), -(-n // _TASK)
    if triangle is not None:
        strips = max(strips, min(4, -(-m // 256)))  # narrower strips waste less along the diagonal
    elif strips == tasks == 1 and n * m >= 1 << 20:
        tasks = 2
    cuts = []
    for s in range(strips):
        b0, b1 = m * s // strips, m * (s + 1) // strips
        for t in range(tasks):
            a0, a1 = n * t // tasks, n * (t + 1) // tasks
            if triangle is not None:
                a1 = min(a1, b1 - triangle)
            if a0 < a1:
                cuts.append((a0, a1, b0, b1))
    return cuts


def with_neighbours(rectangle: Rectangle, shape: tuple[int, int]) -> Rectangle:
    """The rectangle and the cells around it, as far as the matrix goes."""
    (a0, a1, b0, b1), (n, m) = rectangle, shape
    return max(a0 - 1, 0), min(a1 + 1, n), max(b0 - 1, 0), min(b1 + 1, m)


def workers() -> int:
    """Threads worth using: the cores this process may run on."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS and Windows
        return os.cpu_count() or 1


def ahead(work: Callable[[Job], Result], jobs: Iterable[Job]) -> Iterator[Result]:
    """What work(job) gives, in the order of the jobs; a few are worked on ahead, on all cores."""
    jobs, waiting = iter(jobs), deque[Future[Result]]()
    with ThreadPoolExecutor(workers()) as pool:
        try:
            while True:
                waiting.extend(pool.submit(work, job) for job in islice(jobs, 2 * workers() - len(waiting)))
                if not waiting:
                    return
                yield waiting.popleft().result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


class _Stopped(Exception):
    """Raised inside a worker when the others should stop as well."""


def run(
    jobs: Iterable[Job],
    work: Callable[[Job, Callable[[int], None]], None],
    total: int,
    progress: Progress = SILENT,
    what: str = "",
) -> None:
    """Call work(job, tick) for every job, on all cores; work calls tick(n) often, after every n units of `total`.

    `progress` hears of it on the calling thread, at least every 50 ms, and may raise: workers then stop at their next
    tick, and the exception passes on, as does any that work raises. Jobs are begun in order.
    """
    jobs = list(jobs)
    progress(0, total, what)
    with single_threaded_blas():
        if workers() == 1 or len(jobs) == 1:
            done = 0

            def tick(n: int) -> None:
                nonlocal done
                done += n
                progress(min(done, total), total, what)

            for job in jobs:
                work(job, tick)
        else:
            _Crew(jobs, work, min(workers(), len(jobs))).watch(progress, total, what)
    progress(total, total, what)


class _Crew:
    """Threads that share a list of jobs."""

    def __init__(self, jobs: list[Any], work: Callable[[Any, Callable[[int], None]], None], count: int):
        self.jobs, self.work = iter(jobs), work
        self.lock, self.change = threading.Lock(), threading.Condition()
        self.done, self.running, self.stopped = 0, count, False
        self.problem: BaseException | None = None
        self.threads = [threading.Thread(target=self._labour, daemon=True) for _ in range(count)]

    def watch(self, progress: Progress, total: int, what: str) -> None:
        for thread in self.threads:
            thread.start()
        try:
            with self.change:
                while self.running:
                    self.change.wait(0.05)
                    progress(min(self.done, total), total, what)
        finally:
            self.stopped = True
            for thread in self.threads:
                thread.join()
        if self.problem is not None:
            raise self.problem

    def _labour(self) -> None:
        try:
            while True:
                with self.lock:
                    job = next(self.jobs, None)
                if job is None or self.stopped:
                    break
                self.work(job, self._tick)
        except _Stopped:
            pass  # somebody else has the reason
        except BaseException as problem:
            self.problem, self.stopped = problem, True
        finally:
            with self.change:
                self.running -= 1
                self.change.notify()

    def _tick(self, n: int) -> None:
        if self.stopped:
            raise _Stopped
        with self.lock:
            self.done += n


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController().select(user_api="blas")


_depth = 0
_limiter: Any = None
_depth_lock = threading.Lock()


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """BLAS on one thread while any run is under way: the threads here are enough, and its own would fight them."""
    global _depth, _limiter
    with _depth_lock:
        if _depth == 0:
            _limiter = _controller().limit(limits=1)
        _depth += 1
    try:
        yield
    finally:
        with _depth_lock:
            _depth -= 1
            if _depth == 0:
                _limiter.restore_original_limits()
