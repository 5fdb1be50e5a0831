"""Why a result turned from one clip into another: which transition, what it cost, what else there was."""

import time
from dataclasses import replace

import numpy as np
import pytest
from bodies import person, smooth_clip

from motiongraph.app import commands as do
from motiongraph.app.library.entries import prepare
from motiongraph.app.playback import RESULT, frame_of
from motiongraph.app.state import AppState
from motiongraph.app.update import update, warm_up
from motiongraph.app.walk.results import Made, show_made
from motiongraph.app.walk.why import alternatives, crop_of, explained, nearest, seams
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.metric.distance import distance_matrix
from motiongraph.synthesis.synthesize import synthesize
from motiongraph.viewer.camera import Camera
from motiongraph.walks.random_walk import random_walk


@pytest.fixture(scope="module")
def graph():
    rng = np.random.default_rng(7)
    clips = [smooth_clip(rng, person(), frames=300, fps=60.0, name=name) for name in ("ann", "bob")]
    clips = [replace(clip, file_frames=np.arange(300) + first) for clip, first in zip(clips, (5, 9))]
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
    made = Made(walk, "random", entries=entries, graph=graph)
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
    assert (reason.number, "why" in state.window.shown) == (2, True)
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
    edge = crop_of(reason.walk, np.array(jump).reshape(1)[0], lambda *_: None)
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


def test_another_alternative_while_the_first_is_still_being_made(graph):
    """In the window a preview comes some frames after it was asked for; the result stays what is explained."""
    state = AppState(camera=Camera())
    state.ready = True
    entries = tuple(state.library.add(clip, prepare(clip)) for clip in graph.clips)
    walk = random_walk(graph, seconds=20.0, rng=1)
    clip = synthesize(walk, name="walk")
    show_made(state, clip, prepare(clip), Made(walk, "random", entries=entries, graph=graph))
    tell(state, do.ShowTransition(1), do.AskWhy(), do.WatchWhy())
    result, number = explained(state), state.why.reason.number
    for row in (0, 1):
        state.issue(do.PreviewAlternative(row))
        while True:
            tell(state, do.WatchWhy())
            assert (state.why.reason.entry, state.why.reason.number) == (result, number)
            shown = explained(state).made
            if shown.preview and shown.walk.transitions[0] == state.why.reason.alternatives[row]:
                break
            time.sleep(0.005)
        tell(state, do.WatchWhy())
        assert (state.why.aside, state.why.reason.entry) == (True, result)
    tell(state, do.LeaveAlternative(), do.WatchWhy())
    assert (explained(state), state.why.aside) == (result, False)
    state.jobs.close()


def test_a_result_from_a_file_shows_its_windows_too(state, graph):
    """What is read from a project has no clips prepared for drawing."""
    made = replace(explained(state).made, entries=())
    tell(state, do.RemoveAll())
    clip = synthesize(made.walk, name="again")
    show_made(state, clip, prepare(clip), made)
    tell(state, do.Pause(), do.AskWhy(), do.WatchWhy(), do.WatchWhy())
    pair, jump = state.scene.pair, state.why.reason.jump
    assert (pair.a.clip, pair.b.clip) == (graph.clips[jump["src"]], graph.clips[jump["dst"]])
    tell(state, do.MoveCharacter(x=2.0), do.WatchWhy())  # the windows go along
    assert state.scene.pair.placed[1] == pytest.approx(pair.placed[1] + 2.0)


@pytest.mark.parametrize("method", ["greedy", "path", "live"])
def test_whatever_was_walked_is_explained_also_without_its_clips(graph, method):
    from motiongraph.synthesis.live_character import LiveCharacter
    from motiongraph.walks.follow_path import follow_path
    from motiongraph.walks.random_walk import greedy_walk

    if method == "greedy":
        walk = greedy_walk(graph, 3, 8)
    elif method == "path":
        walk = follow_path(graph, [[0.0, 0.0], [0.0, 4.0], [6.0, 8.0]])
    else:
        led = LiveCharacter(graph)
        led.steer((1.0, 0.0))
        led.advance(12.0)
        walk = led.walk()
    assert len(walk.transitions) >= 1
    state = AppState(inline=True, camera=Camera())
    entries = tuple(state.library.add(clip, prepare(clip)) for clip in graph.clips)
    clip = synthesize(walk, name=method)
    show_made(state, clip, prepare(clip), Made(walk, method, entries=entries, graph=graph))
    for entry in entries:
        tell(state, do.RemoveClip(entry.number))
    tell(state, do.AskWhy())
    for number in range(len(walk.transitions)):
        tell(state, do.ShowTransition(number), do.WatchWhy())
        reason = state.why.reason
        assert (reason.number, reason.alternatives[reason.taken]) == (number, walk.transitions[number])
        assert reason.crop.levels[0][reason.crop.cell] == pytest.approx(reason.jump["cost"], abs=0.01)
        assert state.scene.pair.frame_a == reason.jump["src_frame"]
    assert not [message for message in state.messages if message.level == "error"]


def test_a_cell_is_explained_by_the_metric_it_was_compared_with():
    state = AppState(inline=True, camera=Camera())
    warm_up(state)
    update(state, 0.0)
    rng = np.random.default_rng(3)
    for name in ("ann", "bob"):
        clip = smooth_clip(rng, person(), frames=200, fps=60.0, name=name)
        state.library.add(clip, prepare(clip))
    tell(state, do.ChooseMatrix(1, 2), do.SetMetric("kind", "angle"), do.Compare())
    cost = state.matrix.heat.matrix.cost[50, 60]
    tell(state, do.PreviewCell((50, 60)), do.AskWhy(), do.WatchWhy())
    assert (state.why.reason.unit, state.why.reason.threshold) == ("°", state.matrix.threshold)
    tell(state, do.SetMetric("kind", "cloud"), do.Compare(), do.AskWhy(), do.AskWhy(), do.WatchWhy())
    reason = state.why.reason
    assert reason.crop.levels[0][reason.crop.cell] == pytest.approx(cost, abs=1e-3)
    assert (reason.unit, reason.threshold) == ("°", None)  # the threshold is one in cm now
