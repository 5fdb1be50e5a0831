"""Walking the path and leading a character: along it, to a goal, and never losing what it walked."""

import numpy as np
import pytest
from walking import sample_graph

from motiongraph.app import commands as do
from motiongraph.app.graph.lanes import drawable
from motiongraph.app.library.entries import prepare
from motiongraph.app.live.lead import ROOMY
from motiongraph.app.live.live_character import under_way
from motiongraph.app.playback import RESULT
from motiongraph.app.project import autosave
from motiongraph.app.state import AppState
from motiongraph.app.update import carry_out, update, warm_up
from motiongraph.app.walk.results import results
from motiongraph.viewer.camera import Camera


def tell(state, *commands, dt=1.0):
    for command in commands:
        state.issue(command)
        update(state, dt)


def at_once(state, *commands):
    """All in one frame: none of the work they begin is over when the next is asked for."""
    for command in commands:
        state.issue(command)
    update(state, 0.0)
    update(state, 0.0)


def errors(state):
    return [message.text for message in state.messages if message.level == "error"]


@pytest.fixture(scope="module")
def clips():
    return sample_graph("walk", "walk_left_90").clips


@pytest.fixture
def walker(clips):
    state = AppState(inline=True, camera=Camera())
    warm_up(state)
    for clip in clips:
        state.library.add(clip, prepare(clip))
    tell(state, do.SelectClip(next(iter(state.library)).number))
    return state


@pytest.fixture
def led(walker):
    """A character that has been led for two seconds."""
    graph = sample_graph("walk", "walk_left_90")
    walker.graph.take(graph, drawable(graph, list(walker.library)))
    tell(walker, do.Lead(), do.Play(), dt=0.0)
    steps(walker, 60, 1 / 30)
    assert walker.live.seconds == pytest.approx(2.0, abs=0.1)
    return walker


def steps(state, count, dt=1 / 60):
    for _ in range(count):
        update(state, dt)


def test_quitting_keeps_what_was_walked(led):
    tell(led, do.Quit(), dt=0.0)
    assert not autosave.may_end(led)
    steps(led, 3)
    assert not autosave.may_end(led)
    (entry,) = results(led)
    assert entry.made.method == "live"
    assert led.project.asked_at is not None  # what is to become of it


def test_walking_the_path_builds_the_graph_first(walker):
    tell(walker, do.SetTool("draw"), do.SetPath(((0.0, 0.0), (0.0, 5.0)), curve="polyline"), do.WalkPath())
    steps(walker, 3)
    assert not errors(walker)
    assert walker.path.tool == "off"
    (entry,) = results(walker)
    np.testing.assert_allclose(entry.made.asked[[0, -1]], [[0, 0], [0, 5]], atol=1e-9)
    assert entry.made.report["path_error_mean"] < 0.5
    assert walker.graph.graph.candidates.mirror
    assert any("threshold raised" in message.text for message in walker.messages)
    assert walker.graph.graph.thresholds.within == ROOMY
    tell(walker, do.ResetWalk())
    assert not results(walker)
    assert walker.active == 0
    assert walker.path.line is not None
    tell(walker, do.Undo())  # the threshold was raised for it
    assert walker.graph.graph.is_auto
    assert walker.graph.graph.thresholds.within < ROOMY


def test_leading_along_the_path_and_to_a_goal(walker):
    tell(walker, do.SetPath(((0.0, 0.0), (0.0, 12.0)), curve="polyline"), do.Play(), do.Lead())
    steps(walker, 2, 0.0)
    led = walker.live
    assert led is not None
    assert walker.active == RESULT
    np.testing.assert_allclose(walker.focus(RESULT)[[0, 2]], [0.0, 0.0], atol=0.1)
    steps(walker, 240)
    assert led.seconds == pytest.approx(4.0, abs=0.05)
    there = walker.focus(RESULT)
    assert walker.path.nearest(there[0], there[2])[1] < 0.6
    assert there[2] > 2.0
    pose = led.character.root
    np.testing.assert_allclose(there[[0, 2]], pose[[0, 2]], atol=0.05)  # what is made is what is shown
    goal = (there[0] - 5.0, there[2])
    tell(walker, do.PlantGoal(goal))
    far = np.hypot(*(walker.focus(RESULT)[[0, 2]] - goal))
    steps(walker, 600)
    assert np.hypot(*(walker.focus(RESULT)[[0, 2]] - goal)) < min(0.5, 0.4 * far)  # it has arrived, and stays
    tell(walker, do.Pause())
    here = walker.focus(RESULT)
    steps(walker, 30)
    np.testing.assert_array_equal(walker.focus(RESULT), here)
    tell(walker, do.Lead(False))
    update(walker, 0.0)
    assert walker.live is None
    (entry,) = results(walker)
    assert entry.clip.duration == pytest.approx(led.character.played, abs=0.5)
    at = int(led.shown * led.graph.fps)
    np.testing.assert_allclose(entry.clip.root[at], led.character.pose(at / led.graph.fps)[0], atol=1e-6)
    assert not errors(walker)


def test_leading_ends_when_its_character_is_removed(walker):
    tell(walker, do.Lead(), do.Play())
    steps(walker, 5)
    tell(walker, do.ResetWalk())
    assert walker.live is None
    assert not results(walker)
    tell(walker, do.Lead())
    steps(walker, 5)
    tell(walker, do.RemoveAll())
    steps(walker, 2)
    assert walker.live is None


def test_leading_goes_on_with_a_sentence_when_its_work_fails(walker, monkeypatch):
    tell(walker, do.Lead(), do.Play())
    steps(walker, 60)
    monkeypatch.setattr(walker.live.character._driven, "make", lambda frames: 1 / 0)
    steps(walker, 60)
    monkeypatch.undo()
    assert any("ZeroDivisionError" in message.text for message in walker.messages)
    here = walker.focus(RESULT)
    steps(walker, 120)
    assert walker.live is not None
    assert np.hypot(*(walker.focus(RESULT) - here)[[0, 2]]) > 0.5


# What it walked is kept


def names(state):
    return sorted(entry.name for entry in results(state))


def test_a_preview_ends_leading_and_keeps_the_walk(led):
    seconds, live = led.live.seconds, led.live.number
    at_once(led, do.PreviewTransition(0))
    assert led.live is None
    (entry,) = results(led)
    assert entry.name == "live 1"
    assert entry.clip.duration == pytest.approx(seconds, abs=0.5)
    shown = led.library[led.tracks[RESULT].clip]
    assert shown.made.method == "transition"  # what was asked for is what is shown
    assert live not in led.library.entries
    assert any("kept as live 1" in message.text for message in led.messages)


def test_a_walk_that_is_made_ends_leading_and_keeps_the_walk(led):
    at_once(led, do.SetWalkOption("random", "seconds", 3.0), do.MakeWalk())
    assert led.live is None
    assert names(led) == ["live 1", "random 1"]
    assert led.library[led.tracks[RESULT].clip].name == "random 1"


@pytest.mark.parametrize("stop_first", [True, False])
def test_stopping_and_making_a_walk_do_not_call_each_other_off(led, stop_first):
    commands = [do.Lead(False), do.MakeWalk()]
    at_once(led, do.SetWalkOption("random", "seconds", 3.0), *(commands if stop_first else commands[::-1]))
    assert names(led) == ["live 1", "random 1"]
    assert not errors(led)


def test_one_walk_after_the_other_is_kept(led):
    at_once(led, do.Lead(False), do.Lead())
    again = led.live
    assert again is not None
    assert names(led) == ["live 1"]
    steps(led, 60, 1 / 30)
    assert led.live is again  # what was kept has not ended it
    assert led.tracks[RESULT].clip == again.number
    at_once(led, do.Lead(False))
    assert names(led) == ["live 1", "live 2"]


def test_another_one_takes_the_place_of_a_preview_wherever_it_is_shown(led):
    at_once(led, do.PreviewTransition(0))
    at_once(led, do.ReplayResult(led.tracks[RESULT].clip, track=1))
    assert led.tracks[1].clip == led.tracks[RESULT].clip
    at_once(led, do.PreviewTransition(1))
    assert all(track.clip in led.library.entries for track in led.tracks)
    assert len([entry for entry in led.library if entry.made and entry.made.preview]) == 1


def test_reset_calls_off_what_is_about_to_come(led):
    at_once(led, do.Lead(False), do.ResetWalk())
    assert not results(led)
    at_once(led, do.SetWalkOption("random", "seconds", 3.0), do.MakeWalk())
    led.issue(do.Lead())
    carry_out(led)
    assert under_way(led)
    led.issue(do.ResetWalk())
    carry_out(led)
    assert not under_way(led)
    steps(led, 3)
    assert led.live is None
    assert [entry.name for entry in led.library if entry.made] == ["random 1"]  # what was there before stays
    assert not errors(led)


def test_what_was_removed_is_not_kept(led):
    at_once(led, do.RemoveClip(led.live.number), do.Lead(False))
    assert not results(led)
    assert not errors(led)


def test_replay_ends_leading_and_plays_from_the_start(led):
    at_once(led, do.Replay())
    (entry,) = results(led)
    assert led.tracks[RESULT].clip == entry.number
    steps(led, 30)
    assert led.tracks[RESULT].elapsed > 0.4
    at_once(led, do.Pause(), do.Replay())
    assert led.playback.playing
    assert led.tracks[RESULT].elapsed < 0.1


def test_what_was_kept_knows_the_frames_of_its_files(walker):
    first, second = walker.library
    tell(walker, do.Trim(first.number, 20, 150), do.Trim(second.number, 30, len(second.clip)))
    tell(walker, do.BuildGraph(fps=60.0), do.Lead(), do.Play(), dt=0.0)
    steps(walker, 30, 1 / 15)
    at_once(walker, do.Lead(False))
    (entry,) = results(walker)
    assert entry.made.file_frame(1, 10) == 50
    assert "captured" in entry.made.report
    assert entry.made.asked is None


def test_the_walk_is_made_again_while_points_are_dragged(walker):
    from motiongraph.app.path.verdict import turn_circle, verdict

    tell(walker, do.SetPath(((0.0, 0.0), (0.0, 3.0), (0.5, 6.0)), curve="polyline"), do.WalkPath())
    steps(walker, 4, 0.0)
    entry = results(walker)[0]
    assert verdict(walker).kept
    tell(walker, do.Seek(40), do.SetTool("edit"), dt=0.0)
    at = walker.tracks[RESULT].elapsed
    tell(walker, do.MovePoint(2, 1.0, 6.0), dt=0.0)
    steps(walker, 2, 0.0)
    again = walker.library[entry.number]
    assert again.made is not entry.made
    assert again.name == entry.name
    assert len(results(walker)) == 1
    np.testing.assert_allclose(again.made.asked[-1], (1.0, 6.0), atol=1e-6)
    assert walker.tracks[RESULT].elapsed == pytest.approx(at)
    # To and fro within a metre: it says so, says where, and what these clips can do.
    to_and_fro = tuple((float(k % 2), 0.1 * k) for k in range(7))
    tell(walker, do.SetPath(to_and_fro, curve="polyline"), do.WalkPath())
    steps(walker, 4, 0.0)
    told = verdict(walker)
    assert not told.kept
    assert "more sharply" in told.text
    assert any(start < 4.0 < stop for start, stop in told.sharp)
    circle = turn_circle(told)
    assert np.ptp(circle[:, 0]) == pytest.approx(2.0 * told.radius, rel=0.01)
    tell(walker, do.ShowTightestTurn(True))
    assert walker.path.shows_turn


def test_the_camera_holds_while_a_stroke_is_drawn(led):
    led.follow = True
    tell(led, do.BeginStroke(0.0, 0.0), dt=0.0)
    before = np.array(led.camera.target)
    steps(led, 30)
    np.testing.assert_array_equal(np.array(led.camera.target), before)
    tell(led, do.ExtendStroke(0.0, 2.0), do.EndStroke(), dt=0.0)
    led.follow = True
    steps(led, 30)
    assert np.abs(np.array(led.camera.target) - before).max() > 0.05
