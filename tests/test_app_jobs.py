"""What goes wrong beside the loop or in a command: a sentence each, the details in a file, and the loop goes on."""

import gc
import threading
import time
import weakref

import pytest

from motiongraph.app import commands as do
from motiongraph.app import jobs
from motiongraph.app.command import command
from motiongraph.app.jobs import JobKind, Jobs
from motiongraph.app.project import autosave
from motiongraph.app.state import AppState
from motiongraph.app.update import update
from motiongraph.errors import MotionError


@pytest.fixture(autouse=True)
def config(tmp_path, monkeypatch):
    monkeypatch.setenv("MOTIONGRAPH_CONFIG", str(tmp_path / "config"))
    monkeypatch.delenv("MOTIONGRAPH_DEBUG", raising=False)
    monkeypatch.setattr(jobs, "_said", {})
    return tmp_path / "config"


@command
class Stumble:
    """Fail."""

    problem: Exception

    def apply(self, state):
        raise self.problem


KINDS = [
    (MotionError("no such clip"), "no such clip"),
    (PermissionError(13, "Permission denied", "/root/x"), "/root/x: Permission denied"),
    (ZeroDivisionError("0"), "went wrong inside motiongraph: ZeroDivisionError: 0; the details are in"),
]


def started(jobs, kind="a", work=lambda progress, deliver: deliver(1), then=print, **options):
    job = jobs.start(kind, f"doing {kind}", work, then, **options)
    job.over.wait(10)
    return job


@pytest.mark.parametrize(("problem", "said"), KINDS)
def test_a_command_that_fails_is_a_sentence_and_the_next_one_is_done(problem, said):
    state = AppState(inline=True)
    state.issue(Stumble(problem))
    state.issue(do.SetSpeed(2.0))
    update(state, 0.1)
    (message,) = state.messages
    assert said in message.text
    assert message.level == "error"
    assert state.playback.speed == 2.0


@pytest.mark.parametrize(("problem", "said"), KINDS)
def test_a_result_that_cannot_be_taken_in_is_a_sentence_and_the_next_one_is(problem, said):
    state, found = AppState(inline=True), []

    def then(result):
        if result == 1:
            raise problem
        found.append(result)

    started(state.jobs, work=lambda progress, deliver: (deliver(1), deliver(2)), then=then)
    update(state, 0.1)
    (message,) = state.messages
    assert said in message.text
    assert found == [2]
    assert not state.jobs.running


def test_the_details_are_in_a_file_and_the_same_is_not_said_every_frame(config, monkeypatch):
    state = AppState(inline=True)
    for _ in range(5):
        state.issue(Stumble(KeyError("lost")))
        update(state, 0.1)
    (message,) = state.messages
    assert str(jobs.log_file()) in message.text
    log = (config / "trouble.log").read_text()
    assert log.count("Traceback") == 1
    assert "stumble" in log
    assert "raise self.problem" in log
    state.issue(Stumble(KeyError("lost again")))
    update(state, 0.1)
    assert len(state.messages) == 2
    assert len(jobs._said) == 2
    monkeypatch.setattr(jobs, "_AGAIN", 0.0)  # much later
    state.issue(Stumble(KeyError("lost")))
    update(state, 0.1)
    assert len(state.messages) == 3
    assert len(jobs._said) == 1, "what was said long ago is forgotten"


def test_while_debugging_what_nobody_foresaw_is_raised(monkeypatch):
    monkeypatch.setenv("MOTIONGRAPH_DEBUG", "1")
    state = AppState(inline=True)
    state.issue(Stumble(KeyError("lost")))
    with pytest.raises(KeyError):
        update(state, 0.1)
    state.issue(Stumble(MotionError("no such clip")))
    update(state, 0.1)
    assert state.messages[0].text == "no such clip"


def test_a_file_that_cannot_be_written_does_not_hide_the_trouble(config):
    config.write_text("a file where the folder should be")
    state = AppState(inline=True)
    state.issue(Stumble(KeyError("lost")))
    update(state, 0.1)
    assert "KeyError: 'lost'; " in state.messages[0].text
    assert "test_app_jobs.py" in state.messages[0].text


class Large:
    """Stands for the arrays a job has in hand."""


@pytest.mark.parametrize("problem", [MotionError("no"), KeyError("x"), None])
def test_a_job_that_failed_or_was_cancelled_leaves_nothing(problem):
    jobs, held, begun = Jobs(lambda *words: None), [], threading.Event()

    def work(progress, deliver):
        large = Large()
        held.append(weakref.ref(large))
        begun.set()
        while problem is None:
            progress(0, 1)
            time.sleep(0.001)
        try:
            raise OSError("first")
        except OSError as first:
            raise problem from first

    job = jobs.start("a", "a", work, print)
    begun.wait(10)
    gc.collect()
    gc.disable()
    try:
        if problem is None:
            jobs.cancel(job.number)
        job.over.wait(10)
        jobs.collect()
        held.append(weakref.ref(job))
        del job
        assert [ref() for ref in held] == [None, None]
    finally:
        gc.enable()


def test_what_is_needed_is_waited_for_and_the_rest_is_not():
    jobs, gate, written = Jobs(lambda *words: None), threading.Event(), []

    def write(progress, deliver):
        gate.wait(10)
        progress(1, 2)
        deliver("written")

    def forever(progress, deliver):
        while True:
            progress(0, 1)
            time.sleep(0.001)

    jobs.start("save", "saving", write, written.append, needed=True)
    jobs.start("walk", "walking", forever, print)
    assert jobs.unfinished.kind == "save"
    threading.Timer(0.3, gate.set).start()
    jobs.close(patience=0.05)
    assert written == ["written"]
    assert jobs.unfinished is None


def quitting(work):
    """A state with a job that the end waits for, asked to quit."""
    state = AppState()
    state.jobs.start("save x", "saving x", work, print, needed=True)
    state.issue(do.Quit())
    update(state, 0.1)
    return state


def until_over(state):
    for _ in range(1000):
        update(state, 0.01)
        if autosave.may_end(state) or not state.window.quit:
            return autosave.may_end(state)
        time.sleep(0.005)
    raise AssertionError("never over")


def test_the_end_waits_for_what_is_being_written_and_says_so():
    gate = threading.Event()
    state = quitting(lambda progress, deliver: gate.wait(10))
    assert not autosave.may_end(state)
    assert not autosave.may_end(state)
    assert [m.text for m in state.messages] == ["motiongraph ends as soon as it is done with saving x"]
    gate.set()
    assert until_over(state)


def test_the_window_stays_where_writing_fails():
    gate = threading.Event()

    def work(progress, deliver):
        gate.wait(10)
        raise MotionError("the disk is full")

    state = quitting(work)
    assert not autosave.may_end(state)
    gate.set()
    assert not until_over(state)
    assert [m.text for m in state.messages][:2] == [
        "motiongraph stays open, because that could not be written",
        "the disk is full",
    ]


def test_nobody_has_to_wait_for_what_was_cancelled():
    state = quitting(lambda progress, deliver: [progress(0, 1) or time.sleep(0.001) for _ in range(10_000)])
    assert not autosave.may_end(state)
    state.issue(do.CancelJob(state.jobs.running[0].number))
    assert until_over(state)


def test_what_belonged_to_the_clips_is_called_off_and_a_film_goes_on():
    done, jobs = threading.Event(), Jobs(lambda *said: None)
    gone = {JobKind.GRAPH, JobKind.WALK, JobKind.OPEN, JobKind.KEEP}
    stays = {JobKind.RECORD, JobKind.AUTOSAVE, JobKind.COMPILE_AHEAD}
    running = {kind: jobs.start(kind, kind.value, lambda *_: done.wait(10), lambda _: None) for kind in gone | stays}
    jobs.call_off_all()
    done.set()
    assert {kind for kind, job in running.items() if job.cancelled.is_set()} == gone


def test_results_are_handed_over_now_and_then_and_all_of_them_at_the_end():
    jobs, taken, gate, sent = Jobs(lambda *words: None), [], threading.Event(), threading.Event()

    def work(progress, deliver):
        deliver("first")
        gate.wait(10.0)
        deliver("second")
        sent.set()
        over.wait(10.0)

    over = threading.Event()
    job = jobs.start(JobKind.OPEN, "opening", work, taken.append, every=3600.0)
    jobs.collect()
    while not taken:
        jobs.collect()
    gate.set()
    sent.wait(10.0)
    jobs.collect()
    assert taken == ["first"]
    over.set()
    job.over.wait(10.0)
    jobs.collect()
    assert taken == ["first", "second"]
