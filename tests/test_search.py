"""The streaming form finds what the matrix shows, in parts, at a lower rate, for many pairs, and stops when asked."""

import numpy as np
import pytest
from bodies import random_skeleton
from walkers import walking

import motiongraph as mg
from motiongraph.metric import stream
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
