"""Projects are saved, opened and begun anew, what was not saved is never lost, and edits can be taken back."""

import os
import threading
from datetime import datetime

import pytest
from sessions import assert_same, begin, tell, worked

from motiongraph.app import commands as do
from motiongraph.app.jobs import JobKind
from motiongraph.app.project import autosave, session, unsaved
from motiongraph.app.settings import Settings
from motiongraph.app.state import AppState
from motiongraph.app.update import carry_out, update
from motiongraph.errors import MotionError

pytestmark = pytest.mark.usefixtures("config")


@pytest.fixture
def state(motion):
    return worked(motion)


def test_autosave_is_offered_after_a_crash_and_gone_after_an_ordinary_end(state, config, monkeypatch):
    tell(state, dt=0.0)
    assert not list(config.glob("autosave*"))
    state.clock = 1000.0
    update(state, 0.0)
    update(state, 0.0)
    (kept,) = config.glob("autosave*")
    assert [kept] == unsaved.own_files()
    # Nothing new, nothing written.
    state.clock += 1000.0
    update(state, 0.0)
    update(state, 0.0)
    assert [kept] == unsaved.own_files()
    # Something new takes its place.
    tell(state, do.Trim(1, 5, 77))
    state.clock += 1000.0
    update(state, 0.0)
    update(state, 0.0)
    (newer,) = config.glob("autosave*")
    assert newer != kept
    # Of a run that is still there nothing is offered.
    other = begin()
    beside = newer.rename(newer.with_name(newer.name.replace(str(os.getpid()), str(os.getppid()), 1)))
    autosave.look_for_lost(other)
    assert not other.project.unsaved
    assert "unsaved" not in other.window.shown
    beside.rename(beside.with_name(f"autosave-999999999-x {newer.name.partition(' ')[2]}"))
    autosave.look_for_lost(other)
    assert "unsaved" in other.window.shown
    (work,) = other.project.unsaved
    assert work.what == "2 clips, 1 result, a graph"
    tell(other, do.ReopenUnsaved(work.path))
    assert_same(other, state)
    assert not work.path.exists()
    assert other.project.path is None
    assert unsaved.own_files()
    autosave.keep(other)
    assert not list(config.glob("autosave*"))


def test_lost_work_can_be_thrown_away(state, config):
    config.mkdir(exist_ok=True)
    (config / "autosave-999999999.mgproj").write_bytes(b"x")  # as older versions have it
    autosave.look_for_lost(state)
    (work,) = state.project.unsaved
    assert work.what == ""
    tell(state, do.ForgetUnsaved(work.path))
    assert not work.path.exists()
    assert state.project.unsaved == ()
    (config / "settings.json").write_text("{}")
    tell(state, do.ForgetUnsaved(config / "settings.json"))  # which is no such work
    assert (config / "settings.json").exists()


def test_opened_clips_alone_are_not_kept(config):
    state = begin(("walk",))
    state.clock = 1000.0
    update(state, 0.0)
    assert not list(config.glob("autosave*"))


# What was not saved


def again(monkeypatch):
    """Another run of the program, which has looked for what the last one left; with the same number, as in a
    container."""
    monkeypatch.setattr(unsaved, "_RUN", f"{unsaved._RUN}0")
    state = begin()
    autosave.look_for_lost(state)
    return state


def test_a_bad_end_leaves_everything_for_the_next_start(state, config, monkeypatch):
    autosave.end_badly(state)
    (lost,) = config.glob("autosave*")
    autosave.end_badly(state)  # nothing new, nothing written
    assert list(config.glob("autosave*")) == [lost]
    other = again(monkeypatch)
    (work,) = other.project.unsaved
    assert "unsaved" in other.window.shown
    assert abs((work.when - datetime.now()).total_seconds()) < 60.0
    tell(other, do.ReopenUnsaved())
    assert_same(other, state)
    assert "unsaved" not in again(monkeypatch).window.shown or unsaved.own_files() == []


def test_a_bad_end_of_what_is_saved_leaves_nothing(state, config, tmp_path):
    state.clock = 1000.0
    tell(state)
    assert list(config.glob("autosave*"))
    tell(state, do.SaveProject(tmp_path / "p.mgproj"))
    assert not list(config.glob("autosave*"))
    tell(state, do.PreviewTransition(0), do.SetLayer("joints", True), do.TogglePlay())  # which is only looking
    autosave.end_badly(state)
    assert ends(state)
    assert list(config.iterdir()) == []


def ends(state, *commands):
    """Whether the program ends when it is asked to."""
    tell(state, *(commands or [do.Quit()]))
    return autosave.may_end(state)


def test_quitting_asks_what_becomes_of_unsaved_work(state, config, tmp_path, monkeypatch):
    assert session.window_title(state) == f"*untitled – {state.entry.name} – motiongraph"
    assert not ends(state)
    assert state.project.asked_at is not None
    assert not state.window.quit
    tell(state, do.CancelQuit())
    assert state.project.asked_at is None
    assert not autosave.may_end(state)
    assert ends(state, do.SaveProject(tmp_path / "p.mgproj", quit=True))
    assert session.window_title(state) == f"p – {state.entry.name} – motiongraph"
    tell(state, do.CancelQuit(), do.Trim(1, 5, 44))
    assert session.window_title(state).startswith("*p – ")
    assert not ends(state)
    assert ends(state, do.Quit("lose"))
    assert not list(config.glob("*.mgproj"))
    tell(state, do.CancelQuit())
    assert not ends(state)
    assert ends(state, do.Quit("keep"))
    other = again(monkeypatch)
    assert "unsaved" not in other.window.shown  # they were asked
    (work,) = other.project.unsaved
    assert work.what == "p, 2 clips, 1 result, a graph"
    tell(other, do.ReopenUnsaved())
    assert_same(other, state)
    assert other.project.unsaved == ()
    # It is work without a file again: a crash would find it, and so would another end.
    assert unsaved.own_files()
    assert ends(other, do.Quit("keep"))
    assert len(again(monkeypatch).project.unsaved) == 1


def test_closing_the_window_twice_keeps_the_work(state, config):
    for wait, over in ((0.1, False), (2.0, True)):  # a double click is no answer
        autosave.ask_to_end(state)
        assert not autosave.may_end(state)
        update(state, wait)
        autosave.ask_to_end(state)
        assert autosave.may_end(state) == over
    assert len(unsaved.unsaved_works()) == 1


def test_where_saving_fails_the_window_stays_and_a_second_place_is_tried(state, config, monkeypatch):
    config.write_text("not a folder")
    assert not ends(state)
    assert ends(state, do.Quit("keep"))
    (work,) = unsaved.unsaved_works()
    assert work.path.parent == unsaved.second_place()
    work.path.unlink()
    unsaved.second_place().rmdir()
    unsaved.second_place().symlink_to("/")  # someone else got there first
    tell(state, do.Trim(1, 5, 55))
    assert not ends(state, do.Quit("keep"))
    assert state.project.asked_at is not None
    assert "config" in state.project.unkept
    assert "belongs to someone else" in state.project.unkept
    assert "motiongraph stays open" in state.messages[0].text
    with pytest.raises(MotionError):
        autosave.end_badly(state)
    assert ends(state, do.Quit("lose"))


def test_the_last_ten_works_are_kept_and_two_windows_do_not_write_over_each_other(state, config, monkeypatch):
    paths = []
    for number in range(7):
        for run in ("one", "two"):
            monkeypatch.setattr(unsaved, "_RUN", run)
            tell(state, do.Trim(1, 5, 50 + number))
            autosave.keep(state)
            paths.append(unsaved.unsaved_works()[0].path)
            os.utime(paths[-1], (1000.0 + len(paths), 1000.0 + len(paths)))
    assert [work.path for work in unsaved.unsaved_works()] == paths[:3:-1]


def test_a_new_project_begins_with_nothing_and_loses_nothing(state, config):
    tell(state, do.SetPath(((0.0, 0.0), (0.0, 3.0))), do.PlantGoal((1.0, 1.0)), do.SetLeadLabel("turn"))
    tell(state, do.ChooseMatrix(1, 2), do.WatchMatrix(), do.FilterGraph("kept", True), do.PinGhost())
    assert state.matrix.heat is not None
    floor, before = state.scene.layers.flow, [e.name for e in state.library]
    tell(state, do.NewProject())
    blank = AppState()
    assert (len(state.library), state.graph.graph, state.entry, state.scene.ghosts) == (0, None, None, [])
    assert (len(state.path.points), state.path.goal, state.path.lead_label) == (0, None, None)
    assert (state.walk.method, state.walk.seed, state.walk.options) == ("random", 0, blank.walk.options)
    assert (state.matrix.a, state.matrix.b, state.matrix.heat) == (None, None, None)
    assert (state.matrix.metric, state.graph.filter) == (blank.matrix.metric, blank.graph.filter)
    assert (state.active, state.scene.views, state.scene.layers.flow) == (0, 1, floor)
    assert state.project.path is None
    tell(state, do.NewProject())  # nothing is there to be kept, so what was stays
    tell(state, do.ReopenUnsaved())
    assert [e.name for e in state.library] == before
    assert state.path.goal == (1.0, 1.0)
    tell(state, do.ReopenUnsaved())
    assert "no work that was not saved" in state.messages[0].text


def test_opening_and_reopening_change_places(state, tmp_path):
    tell(state, do.SaveProject(tmp_path / "p.mgproj"))
    other = begin(("jump",))
    tell(other, do.Trim(1, 3, 30), do.OpenProject(tmp_path / "p.mgproj"))
    assert_same(other, state)
    assert other.project.path == tmp_path / "p.mgproj"
    assert not autosave.unsaved(other)
    tell(other, do.SetLabels(1, ("new",)), do.ReopenUnsaved())
    assert [(e.name, e.start) for e in other.library] == [("jump", 3)]
    assert other.project.path is None
    tell(other, do.ReopenUnsaved())
    assert other.library[1].clip.labels.spans()[0][0] == "new"


class Gate:
    """Work that ends when it is let, and what came of it."""

    def __init__(self):
        self.event, self.found = threading.Event(), []

    def work(self, progress, deliver):
        self.event.wait(10)
        deliver("late")


@pytest.mark.parametrize("command", [do.NewProject(), do.RemoveAll(), "open"])
def test_what_was_begun_for_other_clips_does_not_come_in(state, tmp_path, command):
    tell(state, do.SaveProject(tmp_path / "p.mgproj"))
    gate, state.jobs.inline = Gate(), False
    for kind in (JobKind.GRAPH, JobKind.WALK, JobKind.LEAD, JobKind.MATRIX, JobKind.PREVIEW):
        state.jobs.start(kind, kind.value, gate.work, gate.found.append)
    state.jobs.start(JobKind.WRITE, "x", gate.work, lambda late: gate.found.append("written"), needed=True)
    state.jobs.inline = True
    tell(state, do.OpenProject(tmp_path / "p.mgproj") if command == "open" else command)
    gate.event.set()
    for job in state.jobs.running:
        job.over.wait(10)
    tell(state)
    assert gate.found == ["written"]


def test_a_save_that_ends_late_does_not_name_another_project(state, tmp_path, monkeypatch):
    gate, save = threading.Event(), session.save_project

    def slowly(*given, **options):
        gate.wait(10)
        save(*given, **options)

    monkeypatch.setattr(session, "save_project", slowly)
    state.jobs.inline = False
    tell(state, do.SaveProject(tmp_path / "p.mgproj"))
    state.jobs.inline = True
    assert state.jobs.unfinished.title == "saving p.mgproj"
    monkeypatch.setattr(session, "save_project", save)
    tell(state, do.NewProject())
    gate.set()
    state.jobs.unfinished.over.wait(10)
    tell(state)
    assert (tmp_path / "p.mgproj").exists()
    assert state.project.path is None


def test_what_cannot_be_moved_or_removed_is_a_sentence(state, config, monkeypatch):
    (config / "unsaved-1 folder.mgproj").mkdir(parents=True)  # not a file, so it cannot be unlinked
    tell(state, do.ForgetUnsaved(config / "unsaved-1 folder.mgproj"))
    assert state.messages[0].level == "error"
    assert "unsaved-1 folder.mgproj" in state.messages[0].text
    before = [e.name for e in state.library]
    autosave.keep(state)
    monkeypatch.setattr(os, "replace", lambda *names: (_ for _ in ()).throw(PermissionError(13, "not allowed")))
    tell(state, do.ReopenUnsaved())
    assert "not allowed" in state.messages[0].text
    assert [e.name for e in state.library] == before


def test_a_graph_of_which_a_clip_was_removed_meanwhile_changes_no_ticks(state, tmp_path):
    tell(state, do.SaveGraph(tmp_path / "g.mgraph"))
    state.issue(do.OpenGraph(tmp_path / "g.mgraph"))
    carry_out(state)  # the job is done, but not collected
    do.RemoveClip(2).apply(state)
    tell(state)
    assert "was removed while it was being opened" in state.messages[0].text
    assert state.library[1].used


def test_panels_that_are_open_are_remembered(tmp_path):
    settings = Settings(shown=["library", "messages", "nonsense", 3])
    settings.save(tmp_path / "settings.json")
    found = Settings.load(tmp_path / "settings.json")
    assert AppState(settings=found).window.shown == {"library", "messages"}
    assert AppState(settings=Settings(shown=[])).window.shown == set()
    assert "graph" in AppState(settings=Settings.load(tmp_path / "none.json")).window.shown


# Undo


def test_labels_trims_and_thresholds_are_taken_back(state):
    entry = state.library[1]
    before = entry.start, entry.stop, entry.clip.labels.spans()
    threshold = state.graph.graph.thresholds
    tell(state, do.Trim(1, 20, 80), do.SetLabels(1, ("slow",)), do.SetThreshold(3.0), dt=2.0)
    after = state.library[1].start, state.library[1].stop, state.library[1].clip.labels.spans()
    assert after != before
    tell(state, do.Undo())
    assert state.graph.graph.thresholds == threshold
    tell(state, do.Undo(), do.Undo())
    entry = state.library[1]
    assert (entry.start, entry.stop, entry.clip.labels.spans()) == before
    tell(state, do.Redo(), do.Redo(), do.Redo())
    entry = state.library[1]
    assert (entry.start, entry.stop, entry.clip.labels.spans()) == after
    assert state.graph.graph.thresholds.within == 3.0
    tell(state, do.Redo())
    assert "nothing to redo" in state.messages[0].text


def test_one_drag_is_one_edit(state):
    state.history.done.clear()
    for stop in range(89, 60, -1):
        tell(state, do.Trim(1, 5, stop), dt=0.02)
    assert len(state.history.done) == 1
    tell(state, do.Undo())
    assert state.library[1].stop == 90
    tell(state, do.Trim(1, 5, 70))
    assert not state.history.undone
    tell(state, do.Trim(1, 5, 70))
    assert len(state.history.done) == 1


def test_edits_of_what_is_gone_are_said(state):
    tell(state, do.RemoveClip(1), do.RemoveClip(2))
    while state.history.done:
        count = len(state.history.done)
        tell(state, do.Undo())
        assert len(state.history.done) == count - 1
    assert "no longer in the library" in state.messages[0].text
    tell(state, do.Undo())
    assert "nothing to undo" in state.messages[0].text
