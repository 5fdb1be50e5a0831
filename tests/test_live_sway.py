"""Hips and head of live motion pass over as in motion made as a whole, whatever is thrown away or decided late."""

from types import SimpleNamespace

import numpy as np
import pytest
from test_sway import FPS, WINDOW, joining, speeds, strider
from walking import sample_graph

import motiongraph as mg
from motiongraph.synthesis.live import Live
from motiongraph.synthesis.live_sway import LiveSway
from motiongraph.synthesis.sway import REACH

AROUND = round(REACH * FPS)
STRETCH = 24
FADE = round(1.5 * REACH * FPS)


def hump(opens, start=0, high=0.02):
    """What a transition whose window opens at a frame moves, from frame `start` on: smoothly from 0 to `high` and
    back."""
    lead = min(AROUND, opens - start)
    u = np.linspace(0.0, 1.0, lead + AROUND + WINDOW + 2)[1:-1]
    return opens - lead, high * np.tile((16.0 * u**2 * (1.0 - u) ** 2)[:, None, None], (1, 2, 2))


def swaying(opens):
    """A sway whose transitions open at the frames in a list, which may change."""
    body = strider(1.0, 0.0, 2).skeleton
    return LiveSway(body, FPS, 1000, lambda k, start: hump(opens[k], start))


def made(sway, opens, start, stop):
    """The next frames, a stretch at a time."""
    out, begins = [], [0, *(at + WINDOW for at in opens)]
    while start < stop:
        off = sway.offsets(max(start - 30, 0), start, start + STRETCH + 48, begins, lambda k: opens[k])
        np.testing.assert_array_equal(off[: start - max(start - 30, 0)], sway._rows[max(start - 30, 0) : start])
        off = off[start - max(start - 30, 0) :][: min(STRETCH, stop - start)]
        sway.keep(start, off)
        out.append(off)
        start += len(off)
    return np.concatenate(out)


def test_what_is_known_in_time_is_moved_as_in_the_whole():
    opens = [100, 180]
    sway = swaying(opens)
    whole = np.zeros((300, 2, 2))
    for at in opens:
        first, moved = hump(at)
        whole[first : first + len(moved)] += moved
    np.testing.assert_allclose(made(sway, opens, 0, 300), whole, atol=1e-15)


@pytest.mark.parametrize("shown", [85, 93, 99])
def test_what_is_thrown_away_goes_on_as_it_came_and_dies_out(shown):
    opens = [100]
    sway = swaying(opens)
    before = made(sway, opens, 0, shown)
    assert np.abs(before[-1]).max() > 1e-3
    opens.clear()
    off = np.concatenate([before, made(sway, opens, shown, 200)])[:, 0, 0]
    usual = hump(100)[1][:, 0, 0]
    assert np.abs(np.diff(off)).max() < 1.4 * np.abs(np.diff(usual)).max()
    assert np.abs(np.diff(off, 2)).max() < 2.0 * np.abs(np.diff(usual, 2)).max()
    assert np.abs(off[shown + FADE :]).max() == 0.0
    assert off.min() > -1e-3  # it does not swing over to the other side


def test_what_is_taken_again_is_as_if_it_had_never_been_thrown_away():
    """Its lead was shown already: it does not begin anew."""
    opens = [100]
    sway = swaying(opens)
    before = made(sway, opens, 0, 90)
    sway.offsets(60, 90, 160, [0], lambda k: opens[k])  # for a moment it is not there
    again = np.concatenate([before, made(sway, opens, 90, 200)])
    sway = swaying(opens)
    np.testing.assert_allclose(again, made(sway, opens, 0, 200), atol=1e-15)


@pytest.mark.parametrize("shown", [70, 82, 90])
def test_motion_thrown_away_that_was_fading_is_forgotten(shown):
    """A difference that would have faded in frames that were never shown has no part in those that are made instead."""
    opens = [100]
    sway = swaying(opens)
    before = made(sway, opens, 0, 95)
    made(sway, [], 95, 130)
    again = np.concatenate([before[:shown], made(sway, opens, shown, 200)])
    np.testing.assert_allclose(again, made(swaying(opens), opens, 0, 200), atol=1e-15)


def test_what_is_decided_late_is_begun_late():
    opens = []
    sway = swaying(opens)
    before = made(sway, opens, 0, 100)
    opens.append(104)  # its lead is nearly past
    off = np.concatenate([before, made(sway, opens, 100, 200)])
    first, moved = hump(104, 100)
    assert first == 100
    whole = np.zeros_like(off)
    whole[first : first + len(moved)] = moved
    np.testing.assert_allclose(off, whole, atol=1e-15)


def test_another_transition_with_the_same_number_is_not_mistaken_for_the_first():
    opens = [100]
    sway = swaying(opens)
    made(sway, opens, 0, 60)
    opens[0] = 130
    first, moved = hump(130)
    off = made(sway, opens, 60, 220)
    np.testing.assert_allclose(off[first - 60 : first - 60 + len(moved)], moved, atol=1e-15)


def test_live_speed_passes_over_evenly():
    walk = joining(strider(1.2, 0.0), strider(1.5, 0.0))
    graph = SimpleNamespace(clips=walk.clips, window=WINDOW, fps=FPS, metric=mg.Metric())
    now = []
    for cleanup in (True, False):
        live = Live(graph, (0, 0), cleanup=cleanup)
        live.take(walk.transitions[0])
        live.prepare(len(walk))
        now.append(speeds(live.clip(0, len(walk)), 0))
    assert now[0].min() > 1.2 - 1e-3
    assert now[0].max() < 1.5 + 1e-3
    np.testing.assert_allclose(now[0], speeds(mg.synthesize(walk), 0), atol=1e-6)
    assert now[1].max() > 1.53  # positions alone overshoot


@pytest.mark.long
def test_who_is_steered_to_and_fro_is_never_jerked_by_what_was_thrown_away():
    """Requests that change with every frame throw motion away all the time."""
    graph = sample_graph("walk", "walk_left", "walk_right", "walk_left_90", "walk_right_90")
    rng, character = np.random.default_rng(5), mg.LiveCharacter(graph, rng=5)
    for _ in range(900):
        character.steer(rng.uniform(-1.0, 1.0, 2))
        character.advance(1.0 / 60.0)
    live = character._driven.live
    off = live._sway._rows[: int(character._driven.at(character.played))]
    assert np.abs(off).max() > 2e-3
    assert np.abs(np.diff(off, axis=0)).max() * graph.fps < 0.3  # m/s
    assert np.abs(np.diff(off, 2, axis=0)).max() * graph.fps**2 < 6.0  # m/s²
