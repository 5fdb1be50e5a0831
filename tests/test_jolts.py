"""How suddenly joints may move, of motion that is made a part at a time: what it may still spend."""

import numpy as np
import pytest
from walking import sample_graph

from motiongraph.synthesis.jolts import ORDERS, Account, Limit, Record, moves_of, usual_in

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
def test_a_record_knows_its_percentile(order):
    places = walking(20.0, 0.002)
    size = np.linalg.norm(np.diff(places, order, axis=0), axis=-1)
    found = Account(recorded(places, places).counts).percentile(order, size[:0])
    # What is past counts less.
    assert found[0] == pytest.approx(np.percentile(size[:, 0], 99), rel=0.06)
    assert found[1] < 1e-5  # the lowest bin


def test_what_was_shown_is_spent():
    """One frame in a hundred may be above a limit: of 600, none more where there were six, all where there was none."""
    places = walking(10.0)
    record = Record(2, FPS)
    moves = moves_of([places, places], len(places))[max(ORDERS) :]
    moves[100:700:100, 0, 1, 0] = 1.0
    record.add(moves)
    many = record.counts[0, 1].sum(axis=1)
    found = Account(record.counts).rare(2, np.array([0.1, 0.1]), 0)
    np.testing.assert_allclose(found, 0.01 * many - np.array([5 * many[0] / len(moves), 0.0]), rtol=1e-9)


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


def test_what_is_usual_in_a_clip_is_a_share_of_its_frames():
    clip = sample_graph("walk").clips[0]
    found = usual_in(clip)
    assert found.shape[:3] == (len(ORDERS), 1, len(clip.skeleton) + 1)
    np.testing.assert_allclose(found.sum(axis=-1), 1.0)
    assert usual_in(clip) is found
