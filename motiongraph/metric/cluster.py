"""Blocks of a tape compared by other processes or machines, through Dask.

A block against a block is a pure function of the two (`tape.compare`). Blocks are sent out once and stay with the
workers; what comes back is small. A worker that dies costs what it was working on: its blocks are sent out again. The
result is the same whoever computed it, because float64 decides everywhere (METRIC.md 7).
"""

import time
from collections import deque
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from motiongraph import __version__
from motiongraph.errors import MotionError
from motiongraph.metric import stream
from motiongraph.metric.pruned import Kept
from motiongraph.progress import SILENT, Progress

if TYPE_CHECKING:
    from distributed import Client, Future

    from motiongraph.metric.tape import Block, Pairing

# Pairs of blocks in a task where there are many: fewer tasks cost the scheduler less, more are shared out better.
_LARGEST, _TASKS = 16, 2000
_AHEAD = 3  # tasks sent ahead to every thread of a worker
_TRIES = 5  # times a task is sent out again after its worker died

# Compares two blocks, with the least distance between their windows, and says how far it is.
Compare: TypeAlias = "Callable[[Block, Block, int | None, Callable[[int], None]], tuple[np.ndarray, Kept]]"


def compare_on(
    client: "Client",
    compare: Compare,
    pairings: "Sequence[Pairing]",
    finish: "Callable[[Pairing, np.ndarray, Kept], None]",
    progress: Progress = SILENT,
) -> None:
    """Compare pairs of blocks on the workers of a cluster; `finish` hears of each, on this thread."""
    _require_same_version(client)
    total = sum(pairing.windows for pairing in pairings)
    size = min(_LARGEST, max(len(pairings) // _TASKS, 1))
    waiting = deque((tuple(pairings[i : i + size]), 0) for i in range(0, len(pairings), size))
    crew = _Crew(client, compare)
    try:
        done = 0
        while waiting or crew.under_way:
            while waiting and len(crew.under_way) < crew.room():
                crew.send(*waiting.popleft())
            idle = "" if crew.threads else f"waiting for a worker; dashboard: {client.dashboard_link}"
            progress(done, total, idle)
            for task, tries, results in crew.collect():
                if results is None:
                    waiting.appendleft((task, tries + 1))
                    continue
                for pairing, (rows, kept) in zip(task, results):
                    finish(pairing, rows, kept)
                    done += pairing.windows
    finally:
        crew.dismiss()
    progress(total, total)


class _Crew:
    """Tasks that are under way on a cluster."""

    def __init__(self, client: "Client", compare: Compare):
        self.client: Any = client  # its types leave open whether it is asynchronous
        self.compare = compare
        self.under_way: dict[Future, tuple[tuple[Pairing, ...], int]] = {}  # and how often they were tried
        self.blocks: dict[int, Future] = {}  # by id: those the workers have
        self.ended: SimpleQueue[Future] = SimpleQueue()
        self.threads, self._asked = 0, -np.inf

    def room(self) -> int:
        """How many tasks may be under way: workers come and go, so they are counted every second."""
        if time.monotonic() > self._asked + 1.0:
            if self.client.status not in ("running", "connecting"):
                raise MotionError("the cluster is gone; what was compared so far is kept, and the same build goes on")
            self.threads, self._asked = sum(self.client.nthreads().values()), time.monotonic()
        return _AHEAD * self.threads

    def send(self, task: "tuple[Pairing, ...]", tries: int) -> None:
        if tries > _TRIES:
            raise MotionError(f"{tries} workers of the cluster died while they compared the same clips")
        given = [(self._sent(p.a), self._sent(p.b), p.apart) for p in task]
        future = self.client.submit(_compared, self.compare, given, pure=False)
        self.under_way[future] = task, tries
        future.add_done_callback(self.ended.put)

    def _sent(self, block: "Block") -> "Future":
        handle = self.blocks.get(id(block))
        if handle is None or handle.status != "finished":
            handle = self.blocks[id(block)] = self.client.scatter(block, hash=False)
        return handle

    def collect(self) -> "list[tuple[tuple[Pairing, ...], int, list[tuple[np.ndarray, Kept]] | None]]":
        """Tasks that ended, with how often they were tried and their results; None where a worker was lost."""
        from distributed import CancelledError, KilledWorker

        ended = []
        try:
            futures = [self.ended.get(timeout=0.1)]
            while not self.ended.empty():
                futures.append(self.ended.get())
        except Empty:
            futures = []
        for future in futures:
            task, tries = self.under_way.pop(future)
            try:
                results = future.result()
            except (CancelledError, KilledWorker):
                results = None
                for pairing in task:
                    for block in (pairing.a, pairing.b):
                        self.blocks.pop(id(block), None)
            ended.append((task, tries, results))
        return ended

    def dismiss(self) -> None:
        """Stop what is under way, and let the workers forget the blocks."""
        self.client.cancel([*self.under_way, *self.blocks.values()])
        self.under_way.clear()
        self.blocks.clear()


def _compared(compare: Compare, task: "list[tuple[Block, Block, int | None]]") -> list[tuple[np.ndarray, Kept]]:
    """What a worker does: the candidates of pairs of blocks, and what was looked at."""
    with stream.single_threaded_blas():
        return [compare(a, b, apart, _unheard) for a, b, apart in task]


def _unheard(n: int) -> None:
    pass


def _version() -> str:
    return __version__


def _require_same_version(client: Any) -> None:
    try:
        versions = client.run(_version)
    except Exception as problem:  # whatever importing a package on another machine may raise
        raise MotionError(f"the cluster's workers cannot run motiongraph: {problem}") from problem
    for worker, version in versions.items():
        if version != __version__:
            other = f"motiongraph {version}, and this is {__version__}"
            raise MotionError(f"the worker {worker} has {other}: install the same")
