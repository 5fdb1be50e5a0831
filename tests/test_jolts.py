"""How suddenly joints may move, of motion that is made a part at a time: what it may still spend."""

import numpy as np
import pytest
from naive.jolts import spent_by_loops
from walking import sample_graph

from motiongraph.synthesis import jolts
from motiongraph.synthesis.jolts import ORDERS, Account, Limit, Record, counted, moves_of, usual_in

FPS = 60.0


def walking(seconds, rough=0.0, seed=0):
    """(F, 2, 3) a joint that swings and one that stands; rough: m by which the first trembles."""
    rng, frames = np.random.default_rng(seed), round(seconds * FPS)
    places = np.zeros((frames, 2, 3))
    places[:, 0, 0] = 0.3 * np.sin(2.0 * np.pi * np.arange(frames) / FPS)
    places[:, 0] += rough * rng.standard_normal((frames, 3))
    return places


def recorded(blended, shown, part=30):
    """A record of motion that was shown a part at a time."""
    record = Record(blended.shape[1], FPS)
    moves = moves_of([blended, shown], len(blended))[max(ORDERS) :]
    for first in range(0, len(moves), part):
        record.add(moves[first : first + part])
    return record


def account(blended, shown, first=0, stop=100):
    return Account(recorded(blended, shown).counts, FPS, first, stop)


@pytest.mark.parametrize("order", ORDERS)
def test_a_record_knows_what_is_usual(order):
    places = walking(20.0, 0.002)
    size = np.linalg.norm(np.diff(places, order, axis=0), axis=-1)
    usual, _ = account(places, places).of_part(order, size[:0], 0.0)
    # What is past counts less.
    np.testing.assert_allclose(usual[0], np.percentile(size[:, 0], 99), rtol=0.06)
    assert usual[1] < 1e-5  # the lowest bin


@pytest.mark.parametrize("order", ORDERS)
def test_however_sudden_no_more_frames_are_than_were(order):
    """Beside plain loops over sizes and frames: what was shown and is to be, in shares of what each may be worse."""
    blended, shown = walking(12.0, 0.002, 1), walking(12.0, 0.0021, 2)
    part, made = walking(1.5, 0.002, 3), walking(1.5, 0.003, 4)
    was, now = (np.linalg.norm(np.diff(places, order, axis=0), axis=-1) for places in (part, made))
    record = recorded(blended, shown)
    _, spent = Account(record.counts, FPS, 10, 70).of_part(order, was, 0.0)
    found, counts = spent(now), record.counts[ORDERS.index(order)]
    settings = jolts._EDGES, jolts._PARTLY, jolts._SOON * FPS, jolts._FREE, jolts._SPARED, jolts._UPPER
    np.testing.assert_array_equal(found, spent_by_loops(counts, was, now, 10 - order, 70 - order, *settings))
    assert np.isfinite(found[0])
    assert np.isinf(found[1])


def test_who_has_spent_it_is_held_to_the_percentile():
    """The same part is jolted after motion that jolted and not after motion that did not."""
    calm, part = walking(20.0), walking(2.0)
    shaken = part.copy()
    shaken[60, 0, 1] += 0.003
    limits = {rough: Limit.of(part, FPS, [0], 2, account(calm, walking(20.0, rough), 20)) for rough in (0.0, 0.02)}
    assert not limits[0.0].jolted(shaken).any()
    found = limits[0.02].jolted(shaken)
    assert found[60, 0]
    assert not found[:50].any()
    assert not found[:, 1].any()


@pytest.mark.parametrize("more", [-40, 0, 20])
def test_what_was_not_spent_is_left(more):
    """A cycle has a few frames far above all others. Nearly as many may be shown as there were, and no more: they are
    the 99th percentile of a longer motion, whatever they are of what there is so far."""
    part = np.zeros((120, 2, 3))
    part[::2, 0, 0] = 0.0025  # which is 0.005 in acceleration
    shaken = part.copy()
    shaken[60, 0, 0] += 0.008  # 0.021 there, and 0.013 beside it
    record = Record(2, FPS)
    for way, high in enumerate((88, 88 + more)):  # as blended and as shown
        size = np.full((8000, 2), 1e-5)
        size[:, 0] = 0.01
        size[:high, 0] = 0.02
        record.counts[:, way] = counted(size)
    limit = Limit.of(part, FPS, [0], 2, Account(record.counts, FPS, 20, 100))
    assert limit.jolted(shaken).any() == (more >= 0)
    assert not limit.jolted(part).any()


@pytest.mark.parametrize(("sudden", "jolted"), [(3, False), (4, True)])
def test_a_few_frames_of_the_first_seconds_may_be_more_sudden(sudden, jolted):
    """One in 200 of ten seconds, though there is hardly any motion yet."""
    was = np.full((240, 1), 0.01)
    now = was.copy()
    now[40 : 40 + 30 * sudden : 30] = 0.02
    _, spent = Account(Record(1, FPS).counts, FPS, 0, 240).of_part(2, was, 0.0)
    assert (spent(now)[0] < 0.02) == jolted


def test_what_is_usual_in_a_clip_is_a_share_of_its_frames():
    clip = sample_graph("walk").clips[0]
    found = usual_in(clip)
    assert found.shape[:3] == (len(ORDERS), 1, len(clip.skeleton) + 1)
    np.testing.assert_allclose(found.sum(axis=-1), 1.0)
    assert usual_in(clip) is found
