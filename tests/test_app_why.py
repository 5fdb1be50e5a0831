"""Why a result turned from one clip into another: which transition, what it cost, what else there was."""

import numpy as np
import pytest
from bodies import person, smooth_clip

from motiongraph.app import commands as do
from motiongraph.app.playback import RESULT, frame_of
from motiongraph.app.prepared import prepare
from motiongraph.app.results import Made, show_made
from motiongraph.app.state import AppState
from motiongraph.app.update import update, warm_up
from motiongraph.app.why import alternatives, crop_of, explained, nearest, seams
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.metric.distance import distance_matrix
from motiongraph.synthesis.synthesize import synthesize
from motiongraph.viewer.camera import Camera
from motiongraph.walks.wander import random_walk


@pytest.fixture(scope="module")
def graph():
    rng = np.random.default_rng(7)
    clips = [smooth_clip(rng, person(), frames=300, fps=60.0, name=name) for name in ("ann", "bob")]
    return MotionGraph.build(clips, threshold=60.0, ceiling=60.0).pruned()


@pytest.fixture
def state(graph):
    state = AppState(inline=True, camera=Camera())
    warm_up(state)
    update(state, 0.0)
    entries = tuple(state.library.add(clip, prepare(clip)) for clip in graph.clips)
    walk = random_walk(graph, seconds=20.0, rng=1)
    assert len(walk.transitions) >= 3
    clip = synthesize(walk, name="walk")
    files = [[5, 1.0], [9, 1.0]]
    made = Made(walk, "random", entries=entries, graph=graph, report={"files": files})
    show_made(state, clip, prepare(clip), made)
    tell(state, do.Pause())
    return state


def tell(state, *commands):
    for command in commands:
        state.issue(command)
        update(state, 0.0)


def test_the_transition_played_or_the_nearest_one(state):
    entry = explained(state)
    walk, origin = entry.made.walk, entry.clip.origin
    for frame in range(0, len(entry.clip), 7):
        blended = origin.other >= 0
        away = np.abs(np.flatnonzero(blended) - frame)
        closest = np.flatnonzero(blended)[np.flatnonzero(away == away.min())]
        assert nearest(walk, frame) in origin.step[closest]
    for number, (begin, end) in enumerate(seams(walk)):
        assert blended[begin:end].all()
        assert (origin.step[begin:end] == number).all()


def test_alternatives_leave_the_same_piece_cheapest_first(state, graph):
    walk = explained(state).made.walk
    for number in range(len(walk.transitions)):
        found, taken = alternatives(graph, walk, number)
        step, jump = walk.steps[number], walk.transitions[number]
        expected = [t for t in graph.transitions if t["src"] == step["clip"] and t["src_frame"] >= step["start"]]
        assert len(expected) == len(found)
        assert (np.diff(found["cost"]) >= 0).all()
        assert {tuple(t) for t in expected} == {tuple(t) for t in found}
        assert found[taken] == jump


def test_the_reason_is_shown_while_paused_and_hidden_while_playing(state):
    tell(state, do.ShowTransition(2), do.AskWhy(), do.WatchWhy())
    reason, pair = state.why.reason, state.scene.pair
    jump = reason.jump
    assert (reason.number, "why" in state.wishes.shown) == (2, True)
    assert (pair.frame_a, pair.frame_b, pair.windows) == (jump["src_frame"], jump["dst_frame"], True)
    assert pair.placed == pytest.approx(tuple(reason.walk.placements[2]))
    assert reason.threshold == 60.0
    assert reason.file_frame(int(jump["src"]), 10) == 10 + (5, 9)[jump["src"]]
    tell(state, do.Play(), do.WatchWhy())
    assert state.scene.pair is None
    tell(state, do.ShowTransition(0), do.WatchWhy())
    assert state.why.reason.number == 0
    assert state.scene.pair is not pair
    tell(state, do.AskWhy())
    assert (state.scene.pair, state.why.reason) == (None, None)


def test_closing_the_panel_otherwise_leaves_nothing_behind(state):
    tell(state, do.AskWhy(), do.WatchWhy())
    assert state.scene.pair is not None
    tell(state, do.ShowPanel("why", False), do.WatchWhy())
    assert (state.scene.pair, state.why.reason) == (None, None)


def test_the_crop_is_the_matrix_around_the_cell(state, graph):
    tell(state, do.AskWhy(), do.WatchWhy())
    reason = state.why.reason
    crop, jump, clips = reason.crop, reason.jump, graph.clips
    i, j = crop.cell
    assert (crop.start_a + i, crop.start_b + j) == (jump["src_frame"], jump["dst_frame"])
    whole = distance_matrix(clips[jump["src"]], clips[jump["dst"]], cache=False).cost
    n, m = crop.levels[0].shape
    part = whole[crop.start_a : crop.start_a + n, crop.start_b : crop.start_b + m]
    np.testing.assert_allclose(crop.levels[0], part, atol=0.01)
    assert crop.levels[0][i, j] == pytest.approx(jump["cost"], abs=0.01)
    edge = crop_of(reason.walk, np.array(jump).reshape(1)[0], graph.metric, lambda *_: None)
    assert edge.cell == crop.cell


def test_an_alternative_is_played_and_left_again(state):
    tell(state, do.ShowTransition(1), do.AskWhy(), do.WatchWhy())
    result, frame, reason = explained(state), frame_of(state), state.why.reason
    other = next(row for row in range(len(reason.alternatives)) if row != reason.taken)
    tell(state, do.PreviewAlternative(other), do.WatchWhy())
    shown = state.library[state.tracks[RESULT].clip]
    assert shown.made.preview
    assert shown.made.walk.transitions[0] == reason.alternatives[other]
    assert state.why.aside
    assert (state.why.reason.entry, state.scene.pair) == (result, None)
    tell(state, do.LeaveAlternative(), do.WatchWhy())
    assert state.library[state.tracks[RESULT].clip] is result
    assert frame_of(state) == pytest.approx(frame)
    assert state.why.reason.number == 1
    tell(state, do.PreviewAlternative(10_000))
    assert "no such alternative" in state.messages[0].text


def test_without_a_result_there_is_nothing_to_explain(state):
    tell(state, do.AskWhy(), do.WatchWhy(), do.RemoveAll(), do.WatchWhy())
    assert (state.scene.pair, state.why.reason) == (None, None)
    tell(state, do.ShowTransition(0))
    assert "make a walk first" in state.messages[0].text
