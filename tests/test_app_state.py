"""Commands, jobs, scene, camera and settings, without any window."""

import subprocess
import threading
import time

import numpy as np
import pytest
from bodies import person, smooth_clip

from motiongraph.app import commands as do
from motiongraph.app.jobs import JobKind, Jobs
from motiongraph.app.library.entries import prepare
from motiongraph.app.settings import Settings
from motiongraph.app.state import AppState
from motiongraph.app.update import _compile_beside, update, warm_up
from motiongraph.errors import MotionError
from motiongraph.progress import Cancelled
from motiongraph.viewer.camera import Camera


@pytest.fixture
def state():
    """Three clips of two skeletons, the first one on stage."""
    state = AppState(inline=True, camera=Camera())
    warm_up(state)
    rng = np.random.default_rng(8)
    for name, body in (("one", person()), ("two", person()), ("three", person(uneven=0.02, rng=rng))):
        clip = smooth_clip(rng, body, name=name)
        state.library.add(clip, prepare(clip))
    tell(state, do.SelectClip(1))
    return state


def tell(state, *commands):
    for command in commands:
        state.issue(command)
        update(state, 0.0)


def said(state):
    return state.messages[0].text if state.messages else ""


# Commands


def test_what_cannot_be_done_is_said_and_stops_nothing(state):
    for command in (do.SelectClip(99), do.SetSpeed(2.0)):
        state.issue(command)
    update(state, 0.0)
    assert "no clip number 99" in said(state)
    assert state.playback.speed == 2.0


def test_commands_nobody_knows_are_a_mistake_of_ours(state, monkeypatch):
    monkeypatch.setenv("MOTIONGRAPH_DEBUG", "1")
    state.issue("dance")
    with pytest.raises(AttributeError, match="has no attribute 'apply'"):
        update(state, 0.0)


@pytest.mark.parametrize(
    "command",
    [
        do.SetLayer("nonsense", True),
        do.SetLayer("floor", "lava"),
        do.ToggleLayer("flow_every"),
        do.Split(4),
        do.TakeTrack(7),
        do.SetCamera((("yaw", float("nan")),)),
        do.SetCamera((("wings", 2.0),)),
        do.LookFrom("below"),
        do.ShowPanel("nonsense"),
        do.SetSetting("nonsense", 1),
        do.ShiftGhost(1.0, 0.0),
        do.RecordVideo("film.avi"),
    ],
)
def test_nonsense_is_refused(state, command):
    tell(state, command)
    assert state.messages[0].level == "error"


# Jobs


def collected(jobs, seconds=60.0):
    end = time.monotonic() + seconds
    while jobs.running and time.monotonic() < end:
        jobs.collect()
        time.sleep(0.001)
    assert not jobs.running


def test_results_come_on_the_thread_that_collects():
    found, sentences = [], []
    jobs = Jobs(lambda *words: sentences.append(words))

    def work(progress, deliver):
        progress(1, 4, "counting")
        deliver(threading.current_thread().name)
        deliver(2)

    jobs.start("count", "counting", work, lambda r: found.append((r, threading.current_thread())))
    collected(jobs)
    assert [thread for _, thread in found] == [threading.current_thread()] * 2
    assert found[0][0] == "job: counting"
    assert sentences == []


def test_a_new_job_takes_the_place_of_the_old():
    begun, found = threading.Event(), []
    jobs = Jobs(lambda *words: None)

    def forever(progress, deliver):
        begun.set()
        while True:
            progress(0, 1)
            deliver("old")
            time.sleep(0.001)

    old = jobs.start("matrix", "first", forever, found.append)
    begun.wait(10)
    jobs.start("matrix", "second", lambda progress, deliver: deliver("new"), found.append)
    collected(jobs)
    assert found == ["new"]
    assert isinstance(old.problem, Cancelled)


def test_cancelling_and_closing_stop_the_work():
    jobs, stopped = Jobs(lambda *words: None), threading.Event()

    def work(progress, deliver):
        try:
            while True:
                progress(0, 1)
                time.sleep(0.001)
        finally:
            stopped.set()

    job = jobs.start("a", "a", work, print)
    jobs.cancel(job.number)
    collected(jobs)
    assert stopped.is_set()
    stopped.clear()
    jobs.start("b", "b", work, print)
    jobs.close()
    assert stopped.is_set()


@pytest.mark.parametrize(
    ("problem", "sentence"),
    [(MotionError("no such clip"), "no such clip"), (KeyError("x"), "KeyError"), (MemoryError(), "memory")],
)
def test_what_fails_is_said(problem, sentence):
    sentences = []
    jobs = Jobs(lambda text, level: sentences.append((text, level)))

    def work(progress, deliver):
        raise problem

    jobs.start("a", "adding", work, print)
    collected(jobs)
    ((text, level),) = sentences
    assert sentence in text
    assert level == "error"


def test_progress_is_a_share():
    jobs = Jobs(lambda *words: None, inline=True)
    job = jobs.start("a", "a", lambda progress, deliver: progress(3, 4, "c"), print)
    assert (job.share, job.what) == (0.75, "c")


# Scene


def test_ghosts_stay_where_they_were_pinned(state):
    tell(state, do.Seek(60), do.PinGhost(), do.Seek(120), do.PinGhost(), do.ShiftGhost(0.5, -1.0))
    first, second = (ghost.record for ghost in state.scene.ghosts)
    assert (first["frame"], second["frame"]) == (pytest.approx(60), pytest.approx(120))
    assert (second["x"], second["z"]) == (0.5, -1.0)
    tell(state, do.UnpinGhost())
    assert len(state.scene.ghosts) == 1
    tell(state, do.ClearGhosts(), do.UnpinGhost())
    assert state.scene.ghosts == []


def test_a_character_is_moved_and_turned_where_it_stands(state):
    tell(state, do.Seek(100))
    before = state.casts[0].groups[0].positions[0].copy()
    tell(state, do.MoveCharacter(turn=np.pi / 2))
    after = state.casts[0].groups[0].positions[0]
    assert after[0] == pytest.approx(before[0])  # about its own root
    away, turned = before - before[0], after - after[0]
    assert turned == pytest.approx(np.column_stack([away[:, 2], away[:, 1], -away[:, 0]]))
    tell(state, do.MoveCharacter(x=1.0, z=-2.0))
    assert state.casts[0].groups[0].positions[0, 0] == pytest.approx(before[0] + [1.0, 0.0, -2.0])
    tell(state, do.PlaceCharacter())
    assert state.casts[0].groups[0].positions[0] == pytest.approx(before)


def test_a_crowd_is_everyone_who_is_ticked(state):
    tell(state, do.SetLayer("crowd", True))
    assert len(state.casts[0]) == 3
    assert len(state.casts[0].groups) == 2
    tell(state, do.UseClip(2, False))
    assert len(state.casts[0]) == 2
    roots = np.concatenate([group.positions[:, 0, [0, 2]] for group in state.casts[0].groups])
    assert np.linalg.norm(roots[0] - roots[1]) > 1.0  # side by side, not on top of each other


def test_split_views_play_on_their_own(state):
    tell(state, do.Split(2))
    assert [track.clip for track in state.tracks] == [1, 2, None]
    tell(state, do.TakeTrack(1), do.Seek(33), do.Split(3), do.SelectClip(3, 2))
    frames = [cast.groups[0].records[0]["frame"] for cast in state.casts]
    assert frames == pytest.approx([0, 33, 0])
    tell(state, do.TakeTrack(2), do.Split(1))
    assert state.active == 0
    assert len(state.casts) == 1


def test_poses_are_sampled_only_when_something_moves(state):
    update(state, 0.1)
    version = state.casts[0].version
    update(state, 0.1)
    assert state.casts[0].version == version
    tell(state, do.Play())
    update(state, 0.1)
    assert state.casts[0].version > version


def test_soles_touch_the_floor(state):
    """The lowest point of the drawn feet of a standing person is at height 0."""
    from motiongraph.model.body import body_of

    clip = smooth_clip(np.random.default_rng(0), person(), frames=2)
    rest = np.tile([1.0, 0.0, 0.0, 0.0], (40, len(clip.skeleton), 1))
    from motiongraph.model.clip import Clip

    still = Clip(clip.skeleton, np.tile([0.0, 0.96, 0.0], (40, 1)), rest, 120.0)
    lowest = still.positions()[0, :, 1].min()
    radius = body_of(clip.skeleton).radii[:, 1].min()
    assert prepare(still).lift + lowest == pytest.approx(radius, abs=0.03)


# Camera


def test_the_camera_follows_and_is_let_go(state):
    tell(state, do.SetFollow(True), do.Play())
    for _ in range(240):
        update(state, 1 / 120)
    here = state.focus(0)
    assert np.linalg.norm((state.camera.target - here).xz) < 0.6
    tell(state, do.Pan(0.1, 0.0))
    assert not state.follow
    target = state.camera.target
    for _ in range(60):
        update(state, 1 / 120)
    assert list(state.camera.target) == pytest.approx(list(target))
    tell(state, do.ResetCamera())
    for _ in range(240):
        update(state, 1 / 120)
    assert state.camera_goal is None
    assert state.follow


def test_named_views_stand_before_the_character(state):
    from motiongraph.app.scene.camera_moves import facing

    tell(state, do.LookFrom("front"))
    for _ in range(240):
        update(state, 1 / 120)
    assert state.camera.yaw == pytest.approx(facing(state, 0), abs=0.5)
    tell(state, do.LookFrom("top"))
    for _ in range(240):
        update(state, 1 / 120)
    assert state.camera.pitch == pytest.approx(90, abs=0.5)


def test_never_through_the_floor_unless_asked(state):
    tell(state, do.SetFollow(False), do.Orbit(0.0, -170.0))
    assert state.camera.eye[1] > 0.0
    tell(state, do.LetBelowFloor(True), do.Orbit(0.0, -60.0))
    assert state.camera.eye[1] < 0.0
    tell(state, do.LetBelowFloor(False))
    assert state.camera.eye[1] > 0.0


# Settings


def test_settings_come_back(tmp_path):
    settings = Settings(width=900, zoom=1.25, day=False)
    settings.opened(tmp_path)
    settings.save(tmp_path / "deep" / "settings.json")
    assert Settings.load(tmp_path / "deep" / "settings.json") == settings
    assert Settings.load(tmp_path / "none.json") == Settings()


def test_odd_settings_do_no_harm(tmp_path):
    file = tmp_path / "settings.json"
    file.write_text('{"width": -5, "height": "tall", "rate": true, "zoom": 99, "recent": [1, "a"], "unknown": 3}')
    found = Settings.load(file)
    assert (found.width, found.height, found.rate, found.zoom, found.recent) == (320, 860, 120, 3.0, ["a"])
    file.write_text("{broken")
    with pytest.raises(MotionError, match=r"settings\.json cannot be read"):
        Settings.load(file)


def test_recent_files_are_few_and_each_once(tmp_path):
    settings = Settings()
    for number in range(30):
        settings.opened(tmp_path / f"{number}.bvh")
    settings.opened(tmp_path / "25.bvh")
    assert len(settings.recent) == 12
    assert settings.recent[0].endswith("25.bvh")
    assert len(set(settings.recent)) == 12


def test_screenshots_get_names_of_their_own(state, tmp_path, monkeypatch):
    monkeypatch.setattr("motiongraph.app.window.user_pictures_path", lambda: tmp_path)
    tell(state, do.Screenshot(), do.Screenshot(panels=True))
    paths = [path for path, _ in state.window.screenshots]
    assert len(set(paths)) == 2
    assert all(path.parent == tmp_path / "motiongraph" and path.name.startswith("one_") for path in paths)


@pytest.mark.parametrize("hint", ["", "first"])
def test_for_someone_new_all_is_compiled_ahead(monkeypatch, hint):
    compiled, started = [], []
    monkeypatch.setattr("motiongraph.app.update.compile_all", lambda progress, parts: compiled.extend(parts))
    state = AppState(hint=hint)
    monkeypatch.setattr(state.jobs, "start", lambda kind, title, work, then: started.append((kind, work, then)))
    warm_up(state)
    *others, (kind, work, then) = started
    work(lambda *done: None, then)
    assert kind is JobKind.COMPILE
    assert state.ready
    assert "motiongraph.app" in compiled
    assert [kind for kind, *_ in others] == ([JobKind.COMPILE_AHEAD] if hint else [])


def test_compiling_ahead_ends_when_it_is_called_off():
    processes, real = [], subprocess.Popen

    def called_off(*done):
        raise Cancelled("compiling")

    with pytest.MonkeyPatch.context() as patch:
        started = lambda *a, **k: processes.append(real(*a, **k)) or processes[0]  # noqa: E731
        patch.setattr("motiongraph.app.update.subprocess.Popen", started)
        with pytest.raises(Cancelled):
            _compile_beside(called_off, None)
    assert processes[0].returncode not in (None, 0)
