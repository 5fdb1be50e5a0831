"""Local minima against a scan of every cell."""

import numpy as np
import pytest
from naive import minima as naive

from motiongraph.errors import MotionError
from motiongraph.metric.minima import best_first, scan_matrix, settle


@pytest.fixture
def rng():
    return np.random.default_rng(8)


def found(cost, threshold=None, method="neighbours", radius=None, border=True):
    cost = np.ascontiguousarray(cost, np.float32)
    table = best_first(settle(scan_matrix(cost, threshold, method), None if border else cost.shape), radius)
    return [(float(c), int(a), int(b)) for a, b, c in table[["a", "b", "cost"]].tolist()]


def bumpy(rng, rows, columns):
    """A surface with hills and hollows, like a distance matrix."""
    i, j = np.indices((rows, columns))
    waves = sum(np.sin(i * p + j * q + r) for p, q, r in rng.uniform(-0.6, 0.6, (6, 3)))
    return np.float32(waves - waves.min() + rng.normal(0, 0.01, waves.shape) ** 2)


@pytest.mark.parametrize("method", ["neighbours", "partial"])
@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (7, 1), (2, 2), (3, 3), (40, 70), (67, 129), (130, 64)])
def test_minima_of_surfaces(rng, method, shape):
    for cost in (bumpy(rng, *shape), rng.random(shape).astype(np.float32)):
        assert found(cost, method=method) == naive.minima(cost.tolist(), method=method)
        threshold = float(np.quantile(cost, 0.3))
        assert found(cost, threshold, method) == naive.minima(cost.tolist(), np.float32(threshold), method)
        assert found(cost, border=False, method=method) == naive.minima(cost.tolist(), method=method, border=False)


@pytest.mark.parametrize("method", ["neighbours", "partial"])
@pytest.mark.parametrize("values", [1, 2, 3, 5, 40])
def test_a_plateau_yields_exactly_one(rng, method, values):
    for shape in [(1, 6), (6, 7), (23, 31), (65, 200)]:
        cost = rng.integers(0, values, shape).astype(np.float32)
        assert found(cost, method=method) == naive.minima(cost.tolist(), method=method)
        assert found(cost, border=False, method=method) == naive.minima(cost.tolist(), method=method, border=False)


def test_plateaus_of_any_shape():
    horseshoe = np.full((6, 7), 9.0)
    horseshoe[1:5, 1] = horseshoe[1:5, 5] = horseshoe[4, 1:6] = 2.0
    assert found(horseshoe) == [(2.0, 1, 1)]
    leaking = horseshoe.copy()
    leaking[1, 6] = 1.0  # lower ground beside the far end: the plateau is no minimum
    assert found(leaking) == [(1.0, 1, 6)]
    diagonal = np.full((8, 8), 5.0) - 5.0 * np.eye(8)
    assert found(diagonal) == [(0.0, 0, 0)]
    assert len(found(diagonal, method="partial")) == 8


def test_the_threshold_itself_counts():
    cost = np.full((5, 5), 7.0, np.float32)
    cost[2, 2] = 0.1
    assert found(cost, threshold=0.1) == [(float(np.float32(0.1)), 2, 2)]
    assert found(cost, threshold=0.0999) == []


def test_more_minima_than_expected():
    checkers = (np.indices((200, 300)) % 2).max(axis=0).astype(np.float32)
    assert len(found(checkers)) == 100 * 150


@pytest.mark.parametrize("radius", [1, 2, 5, 30])
def test_suppression(rng, radius):
    cost = rng.random((90, 120)).astype(np.float32)
    every = naive.minima(cost.tolist())
    assert found(cost, radius=radius) == naive.suppressed(every, radius)
    assert found(cost, radius=0) == every


def test_refusals():
    with pytest.raises(MotionError, match="'neighbours' or 'partial'"):
        found(np.zeros((3, 3)), method="steepest")
    with pytest.raises(MotionError, match="whole number of frames"):
        found(np.zeros((3, 3)), radius=-1)
