"""Where two parts of live motion meet, feet give way rather than throw a joint."""

import numpy as np
import pytest
from walking import sample_graph

import motiongraph as mg
from motiongraph.synthesis import carry_over
from motiongraph.synthesis.live import Live


class Limits:
    """Says that a joint is jolted, in so many of the first tries."""

    def __init__(self, joint, tries):
        self.joint, self.left = joint, tries

    def jolted(self, places):
        self.left -= 1
        found = np.zeros(places.shape[:2], bool)
        found[:, self.joint] = self.left >= 0
        return found


@pytest.fixture(scope="module")
def meeting():
    """What a part was carried over with, that for which it matters most whether feet give way: the stance, what was
    shown, moves, turns, and frames."""
    graph, seen = sample_graph("walk", "walk_left_90"), []
    walk = mg.random_walk(graph, 12, rng=1)
    calmly = carry_over._calmly_carried_over
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(carry_over, "_calmly_carried_over", lambda *given: seen.append(given) or calmly(*given))
        live = Live(graph, (int(walk.steps["clip"][0]), int(walk.steps["start"][0])), walk.placed)
        for transition in walk.transitions:
            live.take(transition)
        live.prepare(len(walk))

    def matters(given):
        (_, firm), (_, soft) = (carried(given, 1.0, [feet] * 2) for feet in (True, False))
        return np.abs(firm - soft).max()

    return max(seen, key=matters)


def carried(meeting, slower, firm):
    stance, past, moved, turns, *_ = meeting
    return carry_over._carried_over(
        stance, past, moved, turns, slower * carry_over._SHOWN, slower * carry_over.MEET, np.array(firm)
    )


def tried(meeting, joint, tries):
    stance, past, moved, turns, _, part, new = meeting
    return carry_over._calmly_carried_over(stance, past, moved, turns, [Limits(joint, tries)], part, new)


def test_feet_pass_over_in_the_world_where_nothing_is_jolted(meeting):
    for found, expected in zip(tried(meeting, 0, 0), carried(meeting, 1.0, [True, True])):
        np.testing.assert_array_equal(found, expected)


def test_only_the_leg_that_is_jolted_gives_way(meeting):
    """Its turns fade as they are, and those of the other leg as before."""
    first, _ = meeting[0].legs
    _, turns = tried(meeting, first.knee, 1)
    _, firm = carried(meeting, 1.0, [True, True])
    _, soft = carried(meeting, 1.0, [False, False])
    np.testing.assert_array_equal(turns[:, 0, :2], soft[:, 0, :2])
    np.testing.assert_array_equal(turns[:, 1], firm[:, 1])
    assert np.abs(soft - firm)[:, 0].max() > 1e-4  # rad


def test_what_jolts_in_any_way_stays_as_it_was(meeting):
    for found, expected in zip(tried(meeting, 0, 99), carried(meeting, 1.0, [True, True])):
        np.testing.assert_array_equal(found, expected)


def test_no_foot_is_put_into_the_floor_for_it(meeting, monkeypatch):
    depths = iter([0.0, 0.01, 0.02, 0.03, 0.04])
    monkeypatch.setattr(
        type(meeting[0]), "depth", lambda self, places: np.full((len(self.legs), len(places)), next(depths))
    )
    for found, expected in zip(tried(meeting, 0, 1), carried(meeting, 1.0, [True, True])):
        np.testing.assert_array_equal(found, expected)
