"""How finely the scene is drawn: what moves quickly, what stands still at its best, fewer pixels if late."""

from itertools import pairwise

import pytest

from motiongraph.viewer.pace import STEPS, Pace, is_quick


@pytest.mark.parametrize(
    ("quality", "software", "quick"),
    [("auto", True, True), ("auto", False, False), ("best", True, False), ("fast", False, True)],
)
def test_speed_comes_first_where_the_processor_draws(quality, software, quick):
    assert is_quick(quality, software) == quick


def test_a_graphics_card_always_draws_at_its_best():
    pace = Pace(quick=False, samples=8)
    for now, changed in ((0.0, True), (0.1, False), (5.0, True)):
        assert pace.detail(changed, False, now) == pace.best
        pace.took(1.0)
    assert (pace.best.samples, pace.best.resolution) == (8, 1.0)


def test_what_moves_is_drawn_quickly_and_what_stands_still_once_more_at_its_best():
    pace = Pace(quick=True)
    moving = pace.detail(True, False, 10.0)
    assert (moving.samples, moving.resolution) == (1, 1.0)
    assert sum(moving.taps) < sum(pace.best.taps)
    assert pace.detail(False, False, 10.1) == moving  # the picture that is there will do
    assert pace.detail(False, True, 10.25) == moving  # someone moves the mouse: not now
    assert pace.detail(False, False, 10.5) == moving
    assert pace.detail(False, False, 10.6) == pace.best
    assert pace.detail(False, True, 10.7) == pace.best  # and that stays
    assert pace.detail(True, False, 10.8) == moving


def test_the_loop_rests_once_nothing_happens():
    pace = Pace(quick=True)
    pace.detail(True, False, 10.0)
    assert not pace.at_rest(10.5)
    pace.detail(False, True, 10.6)
    assert not pace.at_rest(11.3)
    assert pace.at_rest(11.5)


def drawn(pace, frames, seconds):
    """Resolutions of so many frames; seconds: of one, from its resolution."""
    found = []
    for _ in range(frames):
        found.append(pace.detail(True, False, 0.0).resolution)
        pace.took(seconds(found[-1]))
    return found


def test_late_frames_have_fewer_pixels_and_quick_ones_more():
    pace = Pace(quick=True)
    assert drawn(pace, 100, lambda _: 0.1)[-1] == STEPS[-1]
    assert drawn(pace, 300, lambda _: 0.01)[-1] == 1.0


def test_the_resolution_settles_where_frames_are_just_in_time():
    pace = Pace(quick=True)
    found = drawn(pace, 4000, lambda resolution: 0.045 * resolution**2)  # 0.85 is just in time
    assert found[-1] == 0.85
    changes = sum(a != b for a, b in pairwise(found[1000:]))
    assert changes == 0  # quick enough, but not so quick that more could be tried


def test_a_finer_resolution_that_was_too_much_is_tried_less_and_less():
    pace = Pace(quick=True)
    cost = {1.0: 0.05, 0.85: 0.02, 0.75: 0.02, 0.67: 0.02}
    found = drawn(pace, 6000, cost.get)
    tries = [i for i in range(1, len(found)) if found[i] == 1.0 != found[i - 1]]
    gaps = [b - a for a, b in pairwise(tries)]
    assert len(gaps) > 3
    assert gaps == sorted(gaps)
    assert gaps[-1] > 20 * gaps[0]
