"""Throughput of the distance between motions, beside its bound and two straightforward ways to write it.

The bound: float32 matrix products with the inner dimensions that the metric needs (2K, 2K and K for K compressed
points), and nothing else. The others: numpy with whole matrices in float64 over all points of the cloud, and one numba
loop over frames, frames and points on one thread; neither looks for minima. Where they would take minutes they do a
strip of the same width, and pairs a second are of that. Processor time counts all threads and hardly depends on what
else the machine is doing, which wall-clock time does.
"""

import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numba import njit

import motiongraph as mg
from motiongraph import rotations as rot
from motiongraph.metric import stream
from motiongraph.metric.search import search

L = 40
SIZES = (500, 5_000, 50_000)


def walker(frames, joints=31, seed=0):
    """A made-up clip at 120 Hz: a random tree of bones that swings and wanders."""
    rng = np.random.default_rng(seed)
    tree = np.random.default_rng(99)
    parents = [-1, *(int(tree.integers(max(0, j - 3), j)) for j in range(1, joints))]
    skeleton = mg.Skeleton([f"j{j}" for j in range(joints)], parents, tree.normal(0, 0.15, (joints, 3)))
    t = np.arange(frames)[:, None] / 120.0
    swing = 0.4 * np.sin(2 * np.pi * t * rng.uniform(0.3, 2.0, joints) + rng.uniform(0, 6, joints))
    rotations = np.stack(
        [rot.about(a / np.linalg.norm(a), s) for a, s in zip(rng.normal(size=(joints, 3)), swing.T)], 1
    )
    heading = np.cumsum(rng.normal(0, 0.02, frames))
    root = np.cumsum(np.stack([np.sin(heading), 0 * heading, np.cos(heading)], 1), axis=0) * 1.4 / 120.0
    return mg.Clip(skeleton, root, rotations, name=f"walker{seed}")


def best(function, runs=5, seconds=20.0):
    """Seconds, and seconds of processor time over all threads, each the least of several runs; fewer of long ones."""
    times, start = [], time.perf_counter()
    while len(times) < runs and (not times or time.perf_counter() - start < seconds):
        at, busy = time.perf_counter(), time.process_time()
        function()
        times.append((time.perf_counter() - at, time.process_time() - busy))
    return np.min(times, axis=0)


def gemm_bound(K, n):
    """Seconds, and seconds of processor time, a frame pair for the products alone: the best of several block sizes, on
    our threads or on BLAS's own."""
    rng = np.random.default_rng(0)
    threads, walls, busy = max(1, stream.workers()), [], []
    for tile in {min(n, t) for t in (256, 512, 1024, 2048)}:
        # Different factors left and right: a matrix times its own transpose is half the work, and BLAS knows it.
        (xz, xz2), (y, y2) = (rng.standard_normal((2, tile, k)).astype(np.float32) for k in (2 * K, K))
        outs = [np.empty((tile, tile), np.float32) for _ in range(threads)]

        def products(out, xz=xz, xz2=xz2, y=y, y2=y2):
            for _ in range(4):
                np.matmul(xz, xz2.T, out=out)
                np.matmul(xz, xz2.T, out=out)
                np.matmul(y, y2.T, out=out)

        with ThreadPoolExecutor(threads) as pool, stream.single_threaded_blas():
            pooled = best(lambda: list(pool.map(products, outs)), 15)[0] / threads  # noqa: B023
            # Processor time on one thread only: that of others is known to the system a few milliseconds late.
            busy.append(best(lambda: products(outs[0]), 15)[1] / (4 * tile * tile))  # noqa: B023
        alone = best(lambda: products(outs[0]), 15)[0]  # noqa: B023
        walls.append(min(pooled, alone) / (4 * tile * tile))
    return np.array([min(walls), min(busy)])


def cloud_points(clip, n=5):
    """All points (F, S, 3) of the cloud, and their weights (S,)."""
    P, parents = clip.positions(), clip.skeleton.parents
    f = ((np.arange(n) + 0.5) / n)[None, None, :, None]
    points = (1 - f) * P[:, parents[1:], None] + f * P[:, 1:, None]
    weights = np.repeat(clip.skeleton.bone_lengths[1:] / n, n)
    return points.reshape(len(P), -1, 3), weights


def plain_numpy(p, q, w):
    """Costs by whole matrices: products over all points, windows by adding L shifted ones, the closed form."""
    (x, y, z), (x2, y2, z2) = (np.ascontiguousarray(c.transpose(2, 0, 1)) for c in (p, q))
    C, S, Y = (x * w) @ x2.T + (z * w) @ z2.T, (x * w) @ z2.T - (z * w) @ x2.T, (y * w) @ y2.T
    n, m = len(p) - L + 1, len(q) - L + 1
    C, S, Y = (sum(U[t : t + n, t : t + m] for t in range(L)) for U in (C, S, Y))

    def window(values):
        return np.convolve(values, np.ones(L), "valid")

    M = L * w.sum()
    bx, bz, bx2, bz2 = (window(c @ w) for c in (x, z, x2, z2))
    e, e2 = (window(((c**2).sum(axis=2)) @ w) for c in (p, q))
    C -= (np.outer(bx, bx2) + np.outer(bz, bz2)) / M
    S -= (np.outer(bx, bz2) - np.outer(bz, bx2)) / M
    means = ((bx**2 + bz**2)[:, None] + bx2**2 + bz2**2) / M
    D = e[:, None] + e2 - 2 * Y - means - 2 * np.hypot(C, S)
    return 100 * np.sqrt(np.maximum(D, 0) / M)


@njit(cache=True)
def _loops(p, q, w, bars, bars2, M, window):
    F, G, points = p.shape[0], q.shape[0], p.shape[1]
    u = np.empty((3, F, G))
    for i in range(F):
        for j in range(G):
            c = s = y = 0.0
            for k in range(points):
                c += w[k] * (p[i, k, 0] * q[j, k, 0] + p[i, k, 2] * q[j, k, 2])
                s += w[k] * (p[i, k, 0] * q[j, k, 2] - p[i, k, 2] * q[j, k, 0])
                y += w[k] * p[i, k, 1] * q[j, k, 1]
            u[0, i, j], u[1, i, j], u[2, i, j] = c, s, y
    cost = np.empty((F - window + 1, G - window + 1))
    for i in range(F - window + 1):
        for j in range(G - window + 1):
            c = s = y = 0.0
            for t in range(window):
                c += u[0, i + t, j + t]
                s += u[1, i + t, j + t]
                y += u[2, i + t, j + t]
            c -= (bars[0, i] * bars2[0, j] + bars[1, i] * bars2[1, j]) / M
            s -= (bars[0, i] * bars2[1, j] - bars[1, i] * bars2[0, j]) / M
            square = bars[0, i] ** 2 + bars[1, i] ** 2 + bars2[0, j] ** 2 + bars2[1, j] ** 2
            D = bars[2, i] + bars2[2, j] - 2 * y - square / M - 2 * np.sqrt(c * c + s * s)
            cost[i, j] = 100 * np.sqrt(max(D, 0.0) / M)
    return cost


def plain_loops(p, q, w):
    """Costs by one loop over everything, compiled."""
    bars = []
    for c in (p, q):
        rows = (c[..., 0] @ w, c[..., 2] @ w, (c**2).sum(axis=2) @ w)
        bars.append(np.stack([np.convolve(r, np.ones(L), "valid") for r in rows]))
    return _loops(p, q, w, *bars, L * w.sum(), L)


def _rival(function, frames, rows_of_cells):
    """Seconds a pair, on as many rows of the matrix as make about that many cells; and those rows."""
    rows = max(1, min(frames - L + 1, rows_of_cells // (frames - L + 1)))
    p, w = cloud_points(walker(rows + L - 1, seed=1))
    q, _ = cloud_points(walker(frames, seed=2))
    seconds = best(lambda: function(p, q, w), 3, 10.0)
    return seconds / (rows * (frames - L + 1)), rows


def throughput():
    """Rows of the table, size by size; and the agreement of the three, so that they are known to do the same."""
    metric, rows = mg.Metric(), []
    p, q = walker(200, seed=1), walker(300, seed=2)
    ours = mg.distance_matrix(p, q, metric, cache=False).cost
    for rival in (plain_numpy, plain_loops):
        theirs = rival(cloud_points(p)[0], *cloud_points(q))
        assert np.abs(theirs - ours).max() < 0.01, "the contenders disagree"
    for frames in SIZES:
        a, b = metric.prepare(walker(frames, seed=1)), metric.prepare(walker(frames, seed=2))
        K, cells = a.y.shape[1], (frames - L + 1) ** 2
        bound = gemm_bound(K, frames)
        ours = best(lambda a=a, b=b: search([(a, b)], ceiling=15.0, cache=False), 9, 15.0) / cells
        bound = np.minimum(bound, gemm_bound(K, frames))  # before and after: the machine may have been busy
        rows.append(_row(f"{frames:,}: motiongraph, minima included", ours, ours, bound))
        if frames <= 5_000:
            matrix = best(lambda a=a, b=b: mg.distance_matrix(a, b, metric, cache=False), 9) / cells
            rows.append(_row(f"{frames:,}: motiongraph, whole matrix", matrix, ours, bound))
        rows.append(_row(f"{frames:,}: float32 products alone (2K, 2K, K; K = {K})", bound, ours, bound))
        for name, rival, most in (("numpy", plain_numpy, 4 << 20), ("numba loops, one thread", plain_loops, 1 << 20)):
            theirs, height = _rival(rival, frames, most)
            part = "" if height == frames - L + 1 else f" ({height:,} rows)"
            rows.append(_row(f"{frames:,}: {name}{part}", theirs, ours, bound))
    return rows


def _row(what, taken, ours, bound):
    """taken, ours, bound: seconds and processor seconds a pair."""
    return {
        "frames": what,
        "million pairs/s": 1e-6 / taken[0],
        "of the bound": bound[0] / taken[0],
        "ours is faster by": taken[0] / ours[0],
        "processor ns/pair": 1e9 * taken[1],
        "of the bound's": bound[1] / taken[1],
    }


def density():
    """Seconds with a thousand points a bone over seconds with one, side by side."""
    clips = [walker(3_000, seed=s) for s in (1, 2)]
    prepared = {n: [mg.Metric(samples_per_bone=n).prepare(c) for c in clips] for n in (1, 1000)}
    times = {1: [], 1000: []}
    for _ in range(12):
        for n, pair in prepared.items():
            at = time.perf_counter()
            search([pair], ceiling=15.0, cache=False)
            times[n].append(time.perf_counter() - at)
    return min(times[1000]) / min(times[1])


def dissertation(mocap):
    """Seconds for all six clips against each other and themselves, from joint rotations to minima."""
    files = sorted((mocap / "cmu/asf_amc/dissertation").glob("*.amc"))
    if not files:
        return None
    metric = mg.Metric()

    def all_pairs():
        clips = [mg.load(f) for f in files]
        at = time.perf_counter()
        prepared = [metric.prepare(c) for c in clips]
        search([(p, q) for i, p in enumerate(prepared) for q in prepared[i:]], cache=False)
        return time.perf_counter() - at

    return min(all_pairs() for _ in range(15))


_MEMORY = """
import sys, time
sys.path[:0] = {path!r}
from benchmarks.distance import walker
import motiongraph as mg
from motiongraph.metric.search import search
metric = mg.Metric()
a, b = metric.prepare(walker(50_000, seed=1)), metric.prepare(walker(50_000, seed=2))
at = time.perf_counter()
found = search([(a, b)], ceiling=15.0, cache=False)[0]
seconds = time.perf_counter() - at
# VmHWM and not getrusage, which counts what the parent used before it became this program.
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(seconds, 1024 * int(peak.split()[1]))
"""

_START = """
import time
at = time.perf_counter()
import sys
sys.path[:0] = {path!r}
from benchmarks.distance import walker
clips = walker(300, seed=1), walker(300, seed=2)
import motiongraph as mg
ready = time.perf_counter()
mg.find_minima(*clips, cache=False)
usual = time.perf_counter() - at
mg.distance_matrix(*clips, mg.Metric(taper="gaussian"), cache=False)
mg.distance_matrix(*clips, mg.Metric(kind="angle"), cache=False)
print(time.perf_counter() - at, time.perf_counter() - ready, usual)
"""


def _measured(script, **environment):
    path = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[2])]
    command = [sys.executable, "-c", script.format(path=path)]
    told = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=True)
    return [float(v) for v in told.stdout.split()]


def run(mocap: Path) -> dict:
    """Throughput at three sizes, and the promises beside it."""
    rows = throughput()
    found = {"rows": rows, "a thousand points a bone, times one": f"{density():.3f}"}
    seconds, memory = _measured(_MEMORY)
    cells = (50_000 - L + 1) ** 2
    found["50,000 × 50,000 streaming"] = (
        f"{seconds:.1f} s, {cells / seconds / 1e6:.0f} million pairs/s, peak memory {memory / 1e6:.0f} MB"
    )
    six = dissertation(mocap)
    if six is not None:
        found["the dissertation's six clips, all pairs, minima included"] = f"{six:.3f} s (published 336 s)"
    with tempfile.TemporaryDirectory() as folder:
        first, _, usual = _measured(_START, NUMBA_CACHE_DIR=folder)
        again, work, _ = min(_measured(_START, NUMBA_CACHE_DIR=folder) for _ in range(3))
    found["first use, compiling what it needs"] = f"{usual:.1f} s; {first:.1f} s with tapers and angles used as well"
    found["later processes"] = f"{again:.2f} s from start to three results, {again - work:.2f} s of it imports"
    return found
