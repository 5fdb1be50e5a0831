"""How suddenly joints may move, of motion that is made a part at a time: what it may still spend."""

import numpy as np
import pytest
from walking import sample_graph

from motiongraph.synthesis.jolts import ORDERS, UPPER, Account, Limit, Record, counted, moves_of, usual_in

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


@pytest.mark.parametrize("order", ORDERS)
def test_a_record_knows_its_percentiles(order):
    places = walking(20.0, 0.002)
    size = np.linalg.norm(np.diff(places, order, axis=0), axis=-1)
    found = Account(recorded(places, places).counts).percentiles(order, size[:0])
    assert found.shape == (len(UPPER), 2)
    # What is past counts less.
    np.testing.assert_allclose(found[:, 0], np.percentile(size[:, 0], UPPER), rtol=0.06)
    assert (np.diff(found[:, 0]) < 0.0).all()
    assert found[:, 1].max() < 1e-5  # the lowest bin


def test_what_was_shown_is_spent():
    """One frame in a hundred may be above a limit: of 600, none more where there were six, all where there was none."""
    places = walking(10.0)
    record = Record(2, FPS)
    moves = moves_of([places, places], len(places))[max(ORDERS) :]
    moves[100:700:100, 0, 1, 0] = 1.0
    record.add(moves)
    many = record.counts[0, 1].sum(axis=1)
    found = Account(record.counts).rare(2, np.full((len(UPPER), 2), 0.1), 0)
    share = 1.0 - 0.01 * UPPER[:, None]
    np.testing.assert_allclose(found, share * many - np.array([5 * many[0] / len(moves), 0.0]), rtol=1e-9)


def test_who_has_spent_it_is_held_to_the_percentile():
    """The same part is jolted after motion that jolted and not after motion that did not."""
    calm, part = walking(20.0), walking(2.0)
    shaken = part.copy()
    shaken[60, 0, 1] += 0.003
    limits = {
        rough: Limit.of(part, FPS, [0], 2, Account(recorded(calm, walking(20.0, rough)).counts, 20, 100))
        for rough in (0.0, 0.02)
    }
    assert not limits[0.0].jolted(shaken).any()
    found = limits[0.02].jolted(shaken)
    assert found[60, 0]
    assert not found[:50].any()
    assert not found[:, 1].any()


@pytest.mark.parametrize("spent", [0.0, 0.03])
def test_percentiles_below_the_99th_are_kept_too(spent):
    """Frames that are hardly above the 99th percentile do not raise it, but if there are many the 97th: whoever stands
    for long afterwards has that for his 99th."""
    rng, frames = np.random.default_rng(0), round(40.0 * FPS)
    blended = np.full((frames, 2, 2, 2), 1e-5)
    blended[:, :, :, 0] = np.where(rng.random(frames) < 0.012, 0.02, 0.01)[:, None, None]
    shown = blended.copy()
    shown[rng.random(frames) < spent, :, 1, 0] = 0.022
    record = Record(2, FPS)
    record.add(shown)
    part = np.zeros((120, 2, 3))
    part[::2, 0, 0] = 0.0025  # which is 0.005 in acceleration
    shaken = part.copy()
    shaken[60, 0, 0] += 0.008  # 0.021 there, and 0.013 beside it: above the 97th percentile, not above the 99th
    limit = Limit.of(part, FPS, [0], 2, Account(record.counts, 20, 100))
    assert limit.jolted(shaken).any() == (spent > 0.0)
    assert not limit.jolted(part).any()


@pytest.mark.parametrize("more", [0, 20])
def test_nothing_between_two_percentiles_is_free_to_rise(more):
    """A cycle has a few frames far above all others, just more than one in a hundred so far. Whoever adds a quarter to
    them raises neither the 99th percentile nor the 98.5th, but what is the 99th when there is more of the rest."""
    record = Record(2, FPS)
    for way, high in enumerate((88, 88 + more)):  # as blended and as shown
        size = np.full((8000, 2), 1e-5)
        size[:, 0] = 0.01
        size[:high, 0] = 0.02
        record.counts[:, way] = counted(size)
    part = np.zeros((120, 2, 3))
    part[::2, 0, 0] = 0.0025
    shaken = part.copy()
    shaken[60, 0, 0] += 0.008
    limit = Limit.of(part, FPS, [0], 2, Account(record.counts, 20, 100))
    assert limit.jolted(shaken).any() == bool(more)


def test_what_is_usual_in_a_clip_is_a_share_of_its_frames():
    clip = sample_graph("walk").clips[0]
    found = usual_in(clip)
    assert found.shape[:3] == (len(ORDERS), 1, len(clip.skeleton) + 1)
    np.testing.assert_allclose(found.sum(axis=-1), 1.0)
    assert usual_in(clip) is found
