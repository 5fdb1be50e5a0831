"""Heat maps: every cell has its colour from near, no minimum vanishes from afar, and nothing is left on the card."""

import numpy as np
import pytest

from motiongraph.app.matrix.heat import pyramid
from motiongraph.viewer.offscreen import offscreen


@pytest.fixture(scope="module", autouse=True)
def context():
    with offscreen() as context:
        yield context


@pytest.fixture
def heat():
    from motiongraph.viewer.draw.heat_map import HeatMap
    from motiongraph.viewer.gl.context import live

    before = live()
    heat = HeatMap()
    yield heat
    heat.release()
    assert live() == before


def picture(heat, levels, seen, size, threshold, highest):
    """(height, width, 3) uint8, the top row first: shown as often as it takes to send everything."""
    from OpenGL import GL

    heat.show(levels, seen, size, threshold, highest)
    for _ in range(1000):
        if heat.complete:
            break
        heat.show(levels, seen, size, threshold, highest)
    heat.show(levels, seen, size, threshold, highest)
    GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, heat._canvas.number)
    GL.glPixelStorei(GL.GL_PACK_ALIGNMENT, 1)
    pixels = np.empty((size[1], size[0], 3), np.uint8)
    GL.glReadPixels(0, 0, *size, GL.GL_RGB, GL.GL_UNSIGNED_BYTE, pixels)
    GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, 0)
    return pixels.astype(int)


def test_from_near_every_cell_is_sharp_and_where_it_belongs(heat):
    cost = np.random.default_rng(1).uniform(0.0, 20.0, (700, 900)).astype(np.float32)
    levels = pyramid(cost)
    top, left, cells, wide = 500, 505, 12, 8  # across the edge of two pieces
    seen = left, top, left + cells, top + cells
    pixels = picture(heat, levels, seen, (cells * wide, cells * wide), 10.0, 20.0)
    blocks = pixels.reshape(cells, wide, cells, wide, 3)
    assert (blocks == blocks[:, :1, :, :1]).all()  # one colour a cell
    light = blocks[:, 0, :, 0].sum(axis=-1)
    part = cost[top : top + cells, left : left + cells]
    below, above = part <= 10.0, part > 10.0
    assert light[below].min() > light[above].max() + 100
    order = np.argsort(part[below])
    assert (np.diff(light[below][order]) <= 1).all()  # the closer the lighter
    assert (np.diff(light[above][np.argsort(part[above])]) <= 1).all()


def test_from_afar_no_minimum_vanishes(heat):
    rng = np.random.default_rng(2)
    cost = np.full((3000, 2600), 50.0, np.float32)
    spots = np.column_stack([rng.integers(0, 3000, 12), rng.integers(0, 2600, 12)])
    cost[spots[:, 0], spots[:, 1]] = 1.0
    levels = pyramid(cost)
    pixels = picture(heat, levels, (0, 0, 2600, 3000), (130, 150), 5.0, 60.0)
    light = pixels.sum(axis=-1)
    for row, column in spots:
        y, x = int(row / 20), int(column / 20)
        assert light[max(y - 1, 0) : y + 2, max(x - 1, 0) : x + 2].max() > 600
    assert np.count_nonzero(light > 600) <= 12 * 9
    dark = picture(heat, levels, (0, 0, 2600, 3000), (130, 150), 0.5, 60.0)
    assert dark.sum(axis=-1).max() < 400  # the threshold alone makes the difference


def test_beyond_its_edges_there_is_nothing(heat):
    cost = np.zeros((10, 10), np.float32)
    pixels = picture(heat, pyramid(cost), (-10, -10, 20, 20), (60, 60), 1.0, 1.0)
    light = pixels.sum(axis=-1) > 600
    assert light[20:40, 20:40].all()
    assert np.count_nonzero(light) == 400


def test_it_draws_only_what_has_changed(heat, monkeypatch):
    levels = pyramid(np.random.default_rng(3).random((200, 200), dtype=np.float32))
    drawn = []
    original = type(heat)._draw
    monkeypatch.setattr(type(heat), "_draw", lambda self, *a: (drawn.append(a), original(self, *a)))
    view = (0, 0, 200, 200), (50, 50)
    for threshold in (0.5, 0.5, 0.5, 0.6, 0.6):
        heat.show(levels, *view, threshold, 1.0)
    assert len(drawn) == 2
    heat.show(pyramid(levels[0] + 1), *view, 0.6, 1.0)
    assert len(drawn) == 3


def test_large_matrices_are_sent_a_little_every_frame(heat):
    levels = pyramid(np.ones((2000, 2000), np.float32))
    shown = 0
    while not heat.complete or not shown:
        waiting = len(heat._waiting)
        heat.show(levels, (0, 0, 2000, 2000), (64, 64), 2.0, 3.0)
        shown += 1
        if shown > 1:
            assert 0 < waiting - len(heat._waiting) <= 8
    assert shown > 5
    heat.forget()
    assert heat._levels == []
