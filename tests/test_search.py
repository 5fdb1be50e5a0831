"""The streaming form finds what the matrix shows, in parts, at a lower rate, for many pairs, and stops when asked."""

from dataclasses import replace

import numpy as np
import pytest
from bodies import random_skeleton
from naive import minima as naive
from walkers import joined, walking

import motiongraph as mg
from motiongraph import rotations as rot
from motiongraph.metric import stream
from motiongraph.metric.minima import scan_matrix
from motiongraph.metric.pairs import RELATIVE, ROWS
from motiongraph.metric.pairs import pair as pair_of
from motiongraph.metric.search import search
from motiongraph.progress import Cancelled

TENTH = 0.01  # of a millimetre, in cm: the promise is 0.1 mm


@pytest.fixture
def rng():
    return np.random.default_rng(4)


@pytest.mark.parametrize("options", [{}, {"taper": "gaussian"}, {"align": "none"}, {"kind": "angle"}])
def test_streaming_finds_what_the_matrix_shows(rng, options):
    skeleton = random_skeleton(rng, 12)
    a, b = walking(rng, skeleton, 900), walking(rng, skeleton, 620)
    metric = mg.Metric(**options)
    found = 0
    for pair in ((a, b), (b, a), (a, a)):
        matrix = mg.distance_matrix(*pair, metric, cache=False)
        ceiling = float(np.quantile(matrix.cost, 0.4))
        for how in (
            {},
            {"ceiling": ceiling},
            {"method": "partial", "ceiling": ceiling},
            {"radius": 9, "border": False},
        ):
            comp = mg.find_minima(*pair, metric, cache=False, **how)
            ref = matrix.minima(how.get("ceiling"), **{k: v for k, v in how.items() if k != "ceiling"})
            if matrix.own and "radius" not in how:
                ref = ref[ref["b"] > ref["a"]]
            found += len(comp)
            if not (matrix.own and "radius" in how):
                assert all(np.array_equal(comp[name], ref[name]) for name in ("a", "b", "cost"))
            for row in comp[:20]:
                assert np.allclose(matrix.alignment(row["a"], row["b"]), row[["theta", "x0", "z0"]].item(), atol=1e-9)
    assert found


def test_a_clip_against_itself_leaves_out_the_trivial_band(rng):
    clip = walking(rng, random_skeleton(rng, 12), 700)
    own = mg.distance_matrix(clip, clip, cache=False)
    minima = own.minima()
    assert len(minima)
    assert (np.abs(minima["a"] - minima["b"]) >= own.window).all()
    once = mg.find_minima(clip, clip, cache=False)
    assert (once["b"] - once["a"] >= own.window).all()
    short = clip[:60]
    assert len(mg.find_minima(short, short, cache=False)) == 0


def test_a_lower_rate_finds_most_and_refines_each(rng):
    skeleton = random_skeleton(rng, 12)
    a, b = walking(rng, skeleton, 800), walking(rng, skeleton, 600)
    for pair in ((a, b), (a, a)):
        every = {(r["a"], r["b"]): r for r in mg.find_minima(*pair, cache=False)}
        coarse = mg.find_minima(*pair, mg.Metric(search_fps=30), cache=False)
        assert len(coarse) > 0.4 * len(every)
        assert coarse[["a", "b"]][0].item() == next(iter(every))  # the best of all is among them
        for row in coarse:
            ref = every[row["a"], row["b"]]
            assert abs(row["cost"] - ref["cost"]) < TENTH
            assert np.allclose(row[["theta", "x0", "z0"]].item(), ref[["theta", "x0", "z0"]].item(), atol=1e-6)


def test_many_pairs_at_once(rng):
    skeleton = random_skeleton(rng, 10)
    metric = mg.Metric()
    clips = [metric.prepare(walking(rng, skeleton, n)) for n in (120, 260, 90, 530)]
    pairs = [(p, q) for i, p in enumerate(clips) for q in clips[i:]]
    told = []
    together = search(pairs, cache=False, progress=lambda done, total, what: told.append((done, total)))
    for pair, found in zip(pairs, together):
        assert np.array_equal(found, search([pair], cache=False)[0])
    assert told[0][0] == 0
    assert told[-1][0] == told[-1][1]
    assert sorted(told) == told


def test_work_stops_when_asked(rng):
    skeleton = random_skeleton(rng, 20)
    metric = mg.Metric()
    long = metric.prepare(walking(rng, skeleton, 20_000))
    calls = []

    def stop(done, total, what):
        calls.append(done)
        if len(calls) == 3:
            raise Cancelled

    with pytest.raises(Cancelled):
        search([(long, long)], cache=False, progress=stop)
    assert len(calls) == 3
    calls.clear()
    shorter = metric.prepare(walking(rng, skeleton, 6000))
    with pytest.raises(Cancelled):
        mg.distance_matrix(shorter, shorter, metric, cache=False, progress=stop)


def test_trouble_in_a_thread_reaches_the_caller():
    def trip(job, tick):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        stream.run(range(10), trip, 10)


def still(rng, skeleton, frames):
    """Somebody who hardly moves: neighbouring costs differ by less than float32 products can tell."""
    return _sampled(walking(rng, skeleton, frames), np.linspace(10.0, 12.0, frames))


def _sampled(clip, at):
    """The clip at fractional frames."""
    low = np.floor(at).astype(int)
    share = (at - low)[:, None]
    root = (1 - share) * clip.root[low] + share * clip.root[low + 1]
    q = rot.slerp(clip.rotations[low], clip.rotations[low + 1], np.repeat(share, len(clip.skeleton), axis=1))
    return replace(clip, root=root, rotations=q, labels=(), file_frames=None)


@pytest.mark.parametrize("window", [0.0, 0.1, 1 / 3])
@pytest.mark.parametrize("taper", [None, "gaussian"])
def test_minima_are_those_of_exact_costs(rng, window, taper):
    """Cells that float32 cannot tell apart are decided in float64; brute force over every cell agrees."""
    skeleton = random_skeleton(rng, 10)
    metric = mg.Metric(window=window, taper=taper)
    slow, quick = still(rng, skeleton, 120), walking(rng, skeleton, 150)
    copy = joined(quick[:70], slow[20:70], quick[30:90].moved(1.0, 30.0, -20.0))
    opened = 0
    for a, b in ((slow, slow), (slow, quick), (quick, copy), (copy, slow)):
        pair = mg.distance_matrix(a, b, metric, cache=False).pair
        exact = pair.exact(*np.indices(pair.shape).reshape(2, -1))[0].reshape(pair.shape)
        band = pair.window if a is b else None
        ref = naive.minima(exact.tolist(), band=band)
        if a is b:
            ref = [row for row in ref if row[2] > row[1]]
        comp = mg.find_minima(a, b, metric, cache=False)
        assert sorted(zip(comp["a"].tolist(), comp["b"].tolist())) == sorted(row[1:] for row in ref)
        assert np.array_equal(comp["cost"], np.float32(exact[comp["a"], comp["b"]]))
        ranks = (mg.distance_matrix(a, b, metric, cache=False).cost) ** 2
        proposed = scan_matrix(ranks, None, "neighbours", pair.error, RELATIVE)
        opened += len(proposed) - len(ref)
    assert opened > 0  # the float32 stream alone could not have decided


def test_the_error_of_the_stream_is_within_its_bound(rng):
    """Ranks of the float32 stream against float64, on bodies of every size."""
    for scale in (0.1, 1.0, 30.0):
        skeleton = random_skeleton(rng, 12)
        skeleton = mg.Skeleton(skeleton.names, skeleton.parents, scale * skeleton.offsets)
        a, b = (mg.Metric().prepare(walking(rng, skeleton, n)) for n in (300, 260))
        both = pair_of(a, b)
        sweep, ranks, rows = both.sweep(0, len(a), 0, len(b)), np.empty((ROWS, len(b)), np.float32), 0
        while written := sweep.advance(ranks, 0, 0):
            cells = np.indices((written, len(b))).reshape(2, -1)
            exact = both.exact(cells[0] + rows, cells[1])[0].reshape(written, -1) ** 2
            off = np.abs(ranks[:written] - exact)
            assert (off <= both.error + RELATIVE * exact).all()
            rows += written


def test_the_order_of_two_clips_changes_nothing(rng):
    skeleton = random_skeleton(rng, 10)
    a, b = walking(rng, skeleton, 200), walking(rng, skeleton, 160)
    b = joined(b, a[20:90], a[20:90])  # with plateaus and ties
    ab, ba = mg.find_minima(a, b, cache=False, radius=3), mg.find_minima(b, a, cache=False, radius=3)
    assert sorted(ab[["a", "b", "cost"]].tolist()) == sorted(ba[["b", "a", "cost"]].tolist())


def test_blocks_and_threads_change_nothing(rng, monkeypatch):
    skeleton = random_skeleton(rng, 10)
    a, b = walking(rng, skeleton, 700), walking(rng, skeleton, 500)
    ref = mg.find_minima(a, b, cache=False, ceiling=25.0)
    for strip, workers in ((100, 1), (333, 2), (64, 3)):
        monkeypatch.setattr(stream, "_STRIP", strip)
        monkeypatch.setattr(stream, "_TASK", strip + 17)
        monkeypatch.setattr(stream, "workers", lambda workers=workers: workers)
        assert mg.find_minima(a, b, cache=False, ceiling=25.0).tobytes() == ref.tobytes()
