"""Sharp corners of a path made into turns that can be walked."""

import numpy as np
import pytest

from motiongraph.walks.curve import Curve
from motiongraph.walks.round_corners import corners, rounded

BACK = Curve.of([(0, 0), (0, 6), (0.05, 0)])


def farthest(places, curve):
    """Metres of the place that is farthest from a path."""
    return max(np.linalg.norm(curve.places - place, axis=1).min() for place in places)


def test_only_sharp_corners_are_found():
    assert corners(Curve.of([(0, 0), (0, 6), (6, 6)])) == []
    ((at, turn),) = corners(BACK)
    assert at * BACK.spacing == pytest.approx(6.0, abs=0.1)
    assert abs(turn) == pytest.approx(np.pi, abs=0.02)
    (left, right) = corners(Curve.of([(0, 0), (0, 6), (3, 1), (6, 6)]))
    assert left[1] * right[1] < 0


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("off", [0.3, 0.6])
def test_a_turn_leaves_the_path_by_what_is_allowed(off, side):
    turning, metres = rounded(BACK, off, side)
    assert farthest(turning.places, BACK) == pytest.approx(off, abs=0.05)
    assert np.linalg.norm(turning.places - (0, 6), axis=1).min() < 0.05  # through the corner
    np.testing.assert_allclose(turning.places[[0, -1]], BACK.places[[0, -1]], atol=1e-9)
    assert (np.diff(metres) >= 0).all()
    assert metres[-1] == pytest.approx(turning.length, abs=0.05)
    # It turns nowhere within a step as sharply as the corner.
    step = round(0.3 / turning.spacing)
    assert (turning.tangents[step:] * turning.tangents[:-step]).sum(axis=1).min() > np.cos(0.3 / off + 0.6)


def test_what_has_no_sharp_corner_stays():
    bow = Curve.of([(0, 0), (0, 6), (6, 6)])
    assert rounded(bow, 0.5)[0] is bow
