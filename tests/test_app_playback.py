"""Playback by the clock: no drift at any frame rate, loops, ping-pong, stepping, seeking, and the ways of the root."""

import numpy as np
import pytest
from bodies import person, smooth_clip

from motiongraph import rotations as rot
from motiongraph.app import commands as do
from motiongraph.app.library.entries import prepare
from motiongraph.app.playback import frame_at, frame_of
from motiongraph.app.state import AppState
from motiongraph.app.update import update, warm_up
from motiongraph.model.clip import Clip
from motiongraph.synthesis.root import path_of
from motiongraph.viewer.camera import Camera


def made(clip):
    """A state with one clip on stage, everything carried out at once."""
    state = AppState(inline=True, camera=Camera())
    warm_up(state)
    entry = state.library.add(clip, prepare(clip))
    state.issue(do.SelectClip(entry.number))
    update(state, 0.0)
    return state


@pytest.fixture
def clip():
    return smooth_clip(np.random.default_rng(3), person(), frames=240, fps=120.0, name="walk")


@pytest.fixture
def state(clip):
    return made(clip)


def tell(state, *commands):
    for command in commands:
        state.issue(command)
    update(state, 0.0)


def pose(state):
    """(J, 3) positions of the character in hand."""
    return state.casts[0].groups[0].positions[0].copy()


@pytest.mark.parametrize("seconds", [0.3, 1.999, 2.0, 7.25, -0.4])
def test_a_loop_lasts_as_long_as_the_clip(seconds):
    expected = (seconds * 120.0) % 240
    assert frame_at(seconds, 0, 240, 120.0) == pytest.approx(min(expected, 239.0))


def test_ping_pong_turns_at_both_ends():
    frames = [frame_at(second / 10.0, 5, 10, 10.0, "ping-pong") for second in range(9)]
    assert frames == pytest.approx([5, 6, 7, 8, 9, 8, 7, 6, 5])


def test_once_stays_at_the_end():
    assert frame_at(99.0, 3, 20, 30.0, "once") == 19
    assert frame_at(-1.0, 3, 20, 30.0, "once") == 3


def test_played_once_it_is_over_when_what_is_seen_has_ended(state):
    long = smooth_clip(np.random.default_rng(4), person(), frames=2400, fps=120.0, name="long")
    other = state.library.add(long, prepare(long))
    tell(state, do.SelectClip(other.number, track=1), do.SetLoop("once"), do.Play())
    update(state, 2.1)
    assert not state.playback.playing  # whatever B, which no one sees, still has to play
    tell(state, do.Split(2), do.Play())
    assert frame_of(state, 0) == 0  # A begins again
    update(state, 2.1)
    assert state.playback.playing
    update(state, 20.0)
    assert not state.playback.playing
    tell(state, do.Play())
    assert [frame_of(state, track) for track in (0, 1)] == [0, 0]


def test_a_video_is_as_the_settings_say_unless_told_otherwise(state, tmp_path):
    tell(state, do.SetSetting("film_size", "square"), do.SetSetting("film_rate", 25))
    tell(state, do.RecordVideo(tmp_path / "a.mp4"))
    wanted = state.window.recording
    assert (wanted.width, wanted.height, wanted.fps) == (1080, 1080, 25)
    state.window.recording = None
    tell(state, do.RecordVideo(tmp_path / "a.mp4", 10, 64, 48))
    assert (state.window.recording.width, state.window.recording.height, state.window.recording.fps) == (64, 48, 10)
    state.window.recording = None
    for wrong in (do.RecordVideo("a.mp4", 0.5), do.RecordVideo("a.mp4", 60, 4, 4), do.RecordVideo("a.mp4", clip=99)):
        tell(state, wrong)
        assert state.window.recording is None
        assert state.messages[0].level == "error"
        state.messages.clear()


def test_what_is_filmed_is_settled_at_the_start(state):
    from motiongraph.viewer.recorder import as_it_is

    film = as_it_is(state)
    tell(state, do.SetSpeed(3.0), do.SetReverse(True), do.SetLayer("joints", True), do.PinGhost(), do.Orbit(30.0, 5.0))
    tell(state, do.MoveCharacter(1.0, 2.0), do.RemoveAll())
    assert (film.playback.speed, film.playback.reverse, film.scene.layers.joints) == (1.0, False, False)
    assert (film.scene.ghosts, film.scene.places, film.entry.name) == ([], {}, "walk")
    assert film.camera.yaw != state.camera.yaw


def test_a_single_frame_is_always_shown():
    for loop in ("loop", "ping-pong", "once"):
        assert frame_at(1.23, 7, 8, 120.0, loop) == pytest.approx(7)


def test_laps_count_whole_loops(state):
    for elapsed, laps in ((0.0, 0), (1.9, 0), (2.1, 1), (-0.1, -1)):
        state.tracks[0].elapsed = elapsed
        update(state, 0.0)
        assert state.casts[0].groups[0].records["laps"][0] == laps
    tell(state, do.SetLoop("once"))
    assert state.casts[0].groups[0].records["laps"][0] == 0


@pytest.mark.parametrize("loop", ["loop", "ping-pong", "once"])
def test_the_pose_is_that_of_the_frame(state, loop):
    """The compiled sampling and the panels agree on the frame."""
    tell(state, do.Trim(1, 30, 200), do.SetLoop(loop))
    records = state.casts[0].groups[0].records
    for elapsed in np.random.default_rng(0).uniform(-9.0, 9.0, 200).tolist():
        state.tracks[0].elapsed = elapsed
        update(state, 0.0)
        assert frame_of(state) == pytest.approx(records["frame"][0], abs=1e-9)
        assert records["root_frame"] == records["frame"]


@pytest.mark.parametrize("loop", ["loop", "ping-pong", "once"])
def test_the_root_goes_its_whole_way_whatever_part_the_body_plays(state, loop):
    tell(state, do.Trim(1, 30, 200), do.SetLoop(loop), do.SetRoot("path"))
    records = state.casts[0].groups[0].records
    for elapsed in (-0.7, 0.0, 0.4, 1.3, 2.9, 5.05):
        state.tracks[0].elapsed = elapsed
        update(state, 0.0)
        assert records["frame"][0] == pytest.approx(frame_at(elapsed, 30, 200, 120.0, loop), abs=1e-9)
        whole = frame_at(elapsed + 30 / 120.0, 0, 240, 120.0, loop)
        assert records["root_frame"][0] == pytest.approx(whole, abs=1e-9)


@pytest.mark.parametrize("rate", [17.0, 60.0, 120.0, 144.3])
@pytest.mark.parametrize("speed", [0.1, 1.0, 2.5])
def test_no_drift_in_ten_minutes(state, rate, speed):
    """Whatever the display gives, and with frames of very uneven length, the clip is where the clock says."""
    tell(state, do.Play(), do.SetSpeed(speed))
    rng = np.random.default_rng(1)
    moments = np.cumsum(rng.exponential(1.0 / rate, int(60 * rate)))
    from motiongraph.app.playback import advance

    last = 0.0
    for moment in moments:
        advance(state, moment - last)
        last = moment
    assert state.tracks[0].elapsed == pytest.approx(speed * last, abs=1e-6)
    expected = (speed * last * 120.0) % 240.0
    assert frame_of(state) == pytest.approx(min(expected, 239.0), abs=1e-3)


def test_reverse_runs_back(state):
    tell(state, do.Seek(100), do.Play(), do.SetReverse(True))
    update(state, 0.25)
    assert frame_of(state) == pytest.approx(70)


def test_speed_stays_within_its_limits(state):
    tell(state, do.SetSpeed(0.01))
    assert state.playback.speed == 0.1
    tell(state, do.SetSpeed(99))
    assert state.playback.speed == 4.0
    tell(state, do.SetSpeed(float("nan")))
    assert state.playback.speed == 4.0
    assert state.messages[0].level == "error"


def test_steps_land_on_whole_frames_and_pause(state):
    tell(state, do.Play(), do.Seek(41.3), do.Step(1))
    assert (frame_of(state), state.playback.playing) == (pytest.approx(42), False)
    tell(state, do.Step(-1))
    assert frame_of(state) == pytest.approx(41)
    tell(state, do.Seek(41.3), do.Step(-1))
    assert frame_of(state) == pytest.approx(41)
    tell(state, do.Jump(end=True), do.Step(1))
    assert frame_of(state) == pytest.approx(239)
    tell(state, do.Jump(), do.Step(-5))
    assert frame_of(state) == 0


def test_once_stops_and_plays_again_from_the_start(state):
    tell(state, do.SetLoop("once"), do.Seek(230), do.Play())
    update(state, 1.0)
    assert (frame_of(state), state.playback.playing) == (pytest.approx(239), False)
    tell(state, do.Play())
    assert frame_of(state) == pytest.approx(0)
    assert state.playback.playing


def test_another_loop_mode_keeps_the_frame(state):
    tell(state, do.Play())
    update(state, 3.1)
    before = frame_of(state)
    tell(state, do.SetLoop("ping-pong"))
    assert frame_of(state) == pytest.approx(before)
    tell(state, do.SetLoop("sideways"))
    assert state.playback.loop == "ping-pong"
    assert "sideways" in state.messages[0].text


@pytest.mark.parametrize("frame", [0, 17, 100.5, 238.25])
def test_poses_between_frames_are_slerped(state, clip, frame):
    tell(state, do.Seek(frame))
    below, t = int(frame), frame - int(frame)
    above = min(below + 1, 239)
    rotations = rot.slerp(clip.rotations[below], clip.rotations[above], np.float64(t))
    root = (1 - t) * clip.root[below] + t * clip.root[above]
    expected = Clip(clip.skeleton, root[None], rotations[None]).positions()[0].copy()
    expected[:, 1] += state.entry.prepared.lift
    assert pose(state) == pytest.approx(expected, abs=1e-8)


def test_in_place_keeps_height_and_heading(state, clip):
    tell(state, do.Seek(120))
    captured = pose(state)
    tell(state, do.SetRoot("in place"))
    held = pose(state)
    assert held[0, [0, 2]] == pytest.approx(clip.root[0, [0, 2]])
    assert held - held[0] == pytest.approx(captured - captured[0])
    assert held[:, 1] == pytest.approx(captured[:, 1])


def test_fixed_holds_the_root_as_it_begins(state, clip):
    first = pose(state)
    tell(state, do.Seek(120))
    tell(state, do.SetRoot("fixed"))
    held = pose(state)
    assert held[0] == pytest.approx(first[0])
    hip = clip.skeleton.parents.tolist().index(0)
    assert held[hip] == pytest.approx(first[hip])
    assert np.abs(held - first).max() > 0.05


def test_straight_on_covers_the_distance_of_the_way_in_the_direction_asked(state, clip):
    tell(state, do.SetRoot("straight", np.pi / 2))
    path = path_of(clip.root, clip.fps)
    tell(state, do.Jump())
    start = pose(state)[0]
    tell(state, do.Jump(end=True))
    gone = pose(state)[0] - start
    assert gone[0] == pytest.approx(path[-1, 2] - path[0, 2], abs=1e-6)
    assert abs(gone[2]) < 1e-6


def test_straight_laps_go_on_where_the_last_one_ended(state, clip):
    tell(state, do.SetRoot("straight", 0.0), do.Play())
    length = path_of(clip.root, clip.fps)[-1, 2]
    update(state, 0.5)
    first = pose(state)[0]
    update(state, 2.0)
    assert pose(state)[0] - first == pytest.approx([0.0, 0.0, length], abs=1e-6)


def test_along_the_original_path_the_body_loops_and_the_root_goes_on(state, clip):
    entry = state.entry
    tell(state, do.Trim(entry.number, 40, 60), do.Seek(40), do.SetRoot("path"), do.Play())
    update(state, 50 / 120)  # 50 frames on: the body is at 40 + 50 mod 20, the root at 90
    record = state.casts[0].groups[0].records[0]
    assert (record["frame"], record["root_frame"]) == (pytest.approx(50), pytest.approx(90))
    assert pose(state)[0, [0, 2]] == pytest.approx(clip.root[90, [0, 2]], abs=1e-9)


def test_the_way_of_a_circle():
    """Along a circle the direction turns steadily, and the distance is its length."""
    angle = np.linspace(0.0, 2.0 * np.pi, 1201)
    root = np.column_stack([3.0 * np.sin(angle), np.ones(1201), 3.0 * np.cos(angle)])
    path = path_of(root, 120.0)
    assert path[-1, 2] == pytest.approx(6.0 * np.pi, rel=0.02)
    middle = slice(200, 1000)
    assert np.gradient(path[middle, 3]) == pytest.approx(np.full(800, 2 * np.pi / 1200), rel=0.05)


def test_a_clip_that_stands_has_a_way():
    path = path_of(np.zeros((1, 3)), 120.0)
    assert path.shape == (1, 4)
    assert np.isfinite(path_of(np.ones((500, 3)), 30.0)).all()
