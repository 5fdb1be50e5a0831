"""Elementary functions: right to a few units in the last place, and the same bits on every processor."""

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest
from naive import elementary as naive

from motiongraph import elementary

_DIGEST = """
import hashlib, numpy as np
from motiongraph import elementary as e
x = np.random.default_rng(1).uniform(-400.0, 400.0, 20_000)
y = x[::-1].copy()
parts = e.sin(x), e.cos(x), e.arctan2(x, y), e.arccos(np.clip(x / 400.0, -1.0, 1.0))
print(hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest())
"""


def _units(found, exact):
    """Largest difference in units of the last place."""
    return np.max(np.abs(found - exact) / np.spacing(np.abs(exact)))


def test_sine_and_cosine_agree_with_their_series():
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.uniform(-4.0, 4.0, 300), rng.uniform(-1e4, 1e4, 100)])
    assert _units(elementary.sin(x), np.array([naive.sin(v) for v in x])) <= 4
    assert _units(elementary.cos(x), np.array([naive.cos(v) for v in x])) <= 4


def test_arc_tangent_agrees_with_its_series():
    rng = np.random.default_rng(0)
    y, x = rng.normal(size=(2, 300)) * 10.0 ** rng.uniform(-9, 9, (2, 300))
    ref = np.array([naive.arctan2(*pair) for pair in zip(y, x)])
    assert _units(elementary.arctan2(y, x), ref) <= 4


@pytest.mark.parametrize("y", [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 5e-324, 1e308])
@pytest.mark.parametrize("x", [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 5e-324, 1e308])
def test_arc_tangent_at_the_edges(y, x):
    found, ref = elementary.arctan2(y, x), np.arctan2(y, x)
    assert found == pytest.approx(ref, rel=1e-15, abs=0.0, nan_ok=True)
    assert np.isnan(ref) or np.signbit(found) == np.signbit(ref)


def test_arc_cosine_reaches_both_ends():
    assert elementary.arccos(1.0) == 0.0
    assert elementary.arccos(-1.0) == np.pi
    assert _units(elementary.arccos(np.array([0.3, -0.7])), np.arccos([0.3, -0.7])) <= 4


def test_numbers_give_numbers_and_arrays_keep_their_shape():
    assert np.ndim(elementary.sin(1.0)) == 0
    assert elementary.cos(np.zeros((2, 3))).shape == (2, 3)
    assert elementary.arctan2(np.zeros((2, 1)), np.ones(3)).shape == (2, 3)


@pytest.mark.long
def test_the_same_bits_on_a_plain_processor(tmp_path):
    here = hashlib.sha256()
    x = np.random.default_rng(1).uniform(-400.0, 400.0, 20_000)
    parts = elementary.sin(x), elementary.cos(x), elementary.arctan2(x, x[::-1])
    for part in (*parts, elementary.arccos(np.clip(x / 400.0, -1.0, 1.0))):
        here.update(part.tobytes())
    plain = {**os.environ, "NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", "NUMBA_CACHE_DIR": str(tmp_path)}
    there = subprocess.run([sys.executable, "-c", _DIGEST], env=plain, capture_output=True, text=True, check=True)
    assert there.stdout.strip() == here.hexdigest()
