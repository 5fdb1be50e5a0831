"""Walks asked of the graph in hand, and what is done with the motion made of them."""

import itertools
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from walking import sample

import motiongraph as mg
from motiongraph.app import commands as do
from motiongraph.app.jobs import Job
from motiongraph.app.library.entries import prepare
from motiongraph.app.playback import RESULT, frame_of
from motiongraph.app.state import AppState
from motiongraph.app.update import update, warm_up
from motiongraph.app.walk import make_walk
from motiongraph.app.walk.edit_transitions import neighbours
from motiongraph.app.walk.results import Made, current_result, results, step_begins
from motiongraph.app.walk.walk_options import METHODS, OPTIONS, made_before
from motiongraph.viewer.camera import Camera
from motiongraph.walks.curve import distance_from

NAMES = {"walk": ("walk",), "walk_left_90": ("walk", "left"), "run": ("run",), "walk_run": ("walk", "run")}
TRIMMED = 12  # frames left out at the start of every clip


def empty(inline=True):
    """A state with some samples, trimmed; the same numbers every time."""
    state = AppState(inline=inline, camera=Camera())
    warm_up(state)
    for name, words in NAMES.items():
        clip = replace(sample(name).resampled(30.0).labelled(words), file_frames=None)
        state.library.add(clip, prepare(clip), start=TRIMMED, stop=len(clip))
    tell(state, do.SelectClip(1))
    return state


def tell(state, *commands):
    for command in commands:
        state.issue(command)
        update(state, 0.0)
    update(state, 0.0)


@pytest.fixture(scope="module")
def built():
    state = empty()
    tell(state, do.BuildGraph(), do.SetThreshold(4.0))
    return state.graph


@pytest.fixture
def state(built):
    state = empty()
    state.graph.take(built.graph, built.drawn)
    return state


def made(state, method="random", **options):
    """The newest result, made this way."""
    before = len(results(state))
    tell(state, do.SetWalk(method), *(do.SetWalkOption(method, *option) for option in options.items()), do.MakeWalk())
    assert len(results(state)) == before + 1, state.walk.problem
    return results(state)[-1]


ASKED = {
    "greedy": {"start": "run", "transitions": 6, "share": 20.0},
    "random": {"seconds": 8.0, "least": 0.2, "variety": 0.8},
    "sequential": {"order": ("walk", "run", "left"), "stay": 0.4},
    "connect": {"source": "run", "target": "left", "by": "cheapest"},
    "path": {},
    "reach": {"x": 1.0, "z": 5.0, "faces": True, "angle": 0.0},
}


@pytest.mark.parametrize("method", METHODS)
def test_every_method_makes_motion_that_is_kept_with_its_figures(state, method):
    tell(state, do.SetPath(((0.0, 0.0), (0.5, 3.0), (0.0, 6.0))), do.SetSeed(3))
    entry = made(state, method, **ASKED[method])
    walk, report = entry.made.walk, entry.made.report
    assert (entry.name, entry.made.method, entry.made.seed) == (f"{method} 1", method, 3)
    assert entry.made.options == {**OPTIONS[method], **ASKED[method], **OPTIONS["motion"]}
    assert len(entry.clip) == len(walk) == report["frames"]
    assert report["transitions"] == len(walk.transitions)
    assert report["slide_mean"] < 2.0  # cm/s: feet were held
    assert set(report["captured"]) == {"slide_mean", "knee_pop_p99"}
    assert state.entry is entry
    assert state.playback.playing
    assert (entry.made.asked is not None) == ("path_error_mean" in report and method == "path")
    labels = [walk.clips[clip].labels for clip in walk.steps["clip"]]
    if method == "greedy":
        assert "run" in labels[0]
        assert len(walk.transitions) == 6
    elif method == "random":
        assert 7.9 < report["seconds"] < 8.0 + walk.window / walk.fps  # a transition that has begun is made
    elif method == "sequential":
        assert report["items_covered"] == 3
        assert "walk" in labels[0]
        assert "left" in labels[-1]
    elif method == "connect":
        assert "run" in labels[0]
        assert "left" in labels[-1]
    elif method == "reach":
        assert report["end_distance"] < 0.5


@pytest.mark.parametrize(
    ("method", "name", "value", "seen"),
    [
        ("path", "plan", 2.0, lambda how: how["effort"].plan == 2.0),
        ("path", "keep", 0.7, lambda how: how["effort"].keep == 0.7),
        ("path", "expansions", 5000, lambda how: how["effort"].expansions == 5000),
        ("path", "turning", 60.0, lambda how: how["effort"].turning == 60.0),
        ("path", "tolerance", 0.2, lambda how: how["effort"].tolerance == 0.2),
        ("path", "gamma", 0.3, lambda how: how["weights"].gamma == 0.3),
        ("path", "slack", 0.0, lambda how: how["weights"].slack == 0.0),
        ("path", "equation_9", True, lambda how: how["weights"] == mg.Weights.equation_9()),
    ],
)
def test_every_knob_of_the_search_is_passed_on(state, monkeypatch, method, name, value, seen):
    found, real = [], make_walk.follow_path
    monkeypatch.setattr(make_walk, "follow_path", lambda *a, **how: found.append(how) or real(*a, **how))
    tell(state, do.SetPath(((0.0, 0.0), (0.0, 4.0))), do.SetWalk(method), do.SetWalkOption(method, name, value))
    tell(state, do.MakeWalk())
    assert seen(found[0])


def test_registration_and_the_length_of_blends_are_passed_on(state, monkeypatch):
    asked, real = [], make_walk.synthesize
    monkeypatch.setattr(make_walk, "synthesize", lambda *a, **how: asked.append(how) or real(*a, **how))
    tell(state, do.SetWalk("random"), do.SetWalkOption("random", "seconds", 3.0), do.MakeWalk())
    tell(state, do.SetWalkOption("motion", "register", True), do.SetWalkOption("motion", "length", 0.2), do.MakeWalk())
    assert [(how["register"], how["lengths"]) for how in asked] == [(False, None), (True, 0.2)]


def test_bending_brings_a_walk_nearer_to_its_path(state):
    tell(state, do.SetPath(((0.0, 0.0), (0.0, 3.0), (2.0, 4.0))), do.SetWalk("path"), do.MakeWalk())
    tell(state, do.SetWalkOption("motion", "bend", 0.3), do.MakeWalk())
    plain, nearer = (entry.made for entry in results(state))
    assert nearer.report["path_error_mean"] < 0.8 * plain.report["path_error_mean"]
    assert "equation_9" not in nearer.report
    assert np.array_equal(nearer.walk.steps, plain.walk.steps)
    # It is told of as it is also when a transition of it was moved.
    choices = [neighbours(nearer, k) for k in range(len(nearer.walk.transitions))]
    number = max(range(len(choices)), key=lambda k: len(choices[k]))
    to = next(row for row in choices[number] if row != nearer.walk.transitions[number])
    tell(state, do.SlideTransition(results(state)[1].number, number, int(to["src_frame"]), int(to["dst_frame"])))
    entry = results(state)[1]
    assert entry.made is not nearer
    said = distance_from(entry.made.walk.path, entry.clip.root[:, [0, 2]])
    assert entry.made.report["path_error_mean"] == pytest.approx(said["path_error_mean"])


def test_one_press_builds_the_graph_and_makes_the_walk():
    state = empty()
    tell(state, do.MakeWalk())
    update(state, 0.0)
    assert state.graph.graph is not None
    assert [entry.name for entry in results(state)] == ["random 1"]
    assert "walk" not in state.graph.waiting


def test_without_ticked_clips_no_walk_waits():
    state = empty()
    tell(state, do.UseClip(None, False), do.MakeWalk())
    assert "no clip is ticked" in state.walk.problem
    assert "walk" not in state.graph.waiting


def test_seeds_and_names(state):
    assert not made_before(state)
    first = made(state)
    assert made_before(state)
    again = made(state)
    tell(state, do.SetThreshold(3.9))
    assert not made_before(state)  # another graph
    tell(state, do.SetThreshold(4.0))
    assert made_before(state)
    tell(state, do.SetThreshold(3.9))
    tell(state, do.NewSeed())
    other = results(state)[-1]
    assert [entry.name for entry in results(state)] == ["random 1", "random 2", "random 3"]
    assert (first.made.walk.steps == again.made.walk.steps).all()
    assert other.made.seed == first.made.seed + 1
    assert other.made.walk.steps.tolist() != first.made.walk.steps.tolist()
    tell(state, do.RemoveClip(again.number))
    assert made(state).name == "random 4"


def test_a_reopened_result_was_made_before(state, tmp_path, monkeypatch):
    """So that "Make another walk" after opening a project makes another one."""
    monkeypatch.setenv("MOTIONGRAPH_CONFIG", str(tmp_path / "config"))
    made(state, "sequential", order=("walk", "run"), way="trials", trials=50)
    tell(state, do.SaveProject(tmp_path / "work.mgproj"))
    again = AppState(inline=True, camera=Camera())
    warm_up(again)
    tell(again, do.OpenProject(tmp_path / "work.mgproj"))
    assert again.walk.option["order"] == ("walk", "run")
    assert made_before(again)
    tell(again, do.SetSeed(1))
    assert not made_before(again)


def test_frames_are_those_of_the_file(state):
    entry = made(state, "connect", source="walk:60", target="run:90")
    steps = entry.made.walk.steps
    assert steps["start"][0] == 60 - TRIMMED
    assert entry.made.file_frame(int(steps["clip"][0]), int(steps["start"][0])) == 60
    assert steps["stop"][-1] == 90 - TRIMMED


@pytest.mark.parametrize(
    ("method", "options", "said"),
    [
        ("sequential", {}, "needs an order"),
        ("connect", {"source": "walk"}, "say what is to be connected"),
        ("path", {}, "there is no path to follow yet"),
        ("greedy", {"start": "fly"}, "the graph has no clip or label 'fly'"),
        ("random", {"start": "walk:9999"}, "walk shows frames 12 to"),
    ],
)
def test_what_is_missing_is_said_in_the_panel_and_in_messages(state, method, options, said):
    tell(state, do.SetWalk(method), *(do.SetWalkOption(method, *option) for option in options.items()), do.MakeWalk())
    assert said in state.walk.problem
    assert said in state.messages[0].text
    assert not results(state)
    tell(state, do.SetWalk("random"), do.SetWalkOption("random", "start", ""), do.MakeWalk())
    assert state.walk.problem == ""
    assert len(results(state)) == 1


def test_a_threshold_that_would_do_is_offered(state):
    way = {"source": "run", "target": "left"}
    tell(state, do.SetWalk("connect"), *(do.SetWalkOption("connect", *option) for option in way.items()))
    tell(state, do.SetThreshold(0.1), do.MakeWalk())
    offer = state.walk.offer(state)
    assert "it can at" in state.walk.problem
    assert offer > 0.1
    graph, drawn = state.graph.graph, state.graph.drawn
    tell(state, do.DropGraph())
    assert state.walk.offer(state) is None  # another graph may count in other units
    state.graph.take(graph, drawn)
    tell(state, do.MakeWalk())
    assert state.walk.offer(state) == offer
    tell(state, do.SetThreshold(offer), do.MakeWalk())
    assert state.walk.problem == ""
    assert len(results(state)) == 1


@pytest.mark.parametrize(
    "command",
    [
        do.SetWalk("fly"),
        do.SetWalkOption("random", "wings", 2),
        do.SetWalkOption("fly", "seconds", 2.0),
        do.SetWalkOption("random", "seconds", float("nan")),
        do.SetWalkOption("random", "seconds", "long"),
        do.SetWalkOption("connect", "by", "nicest"),
        do.ReplayResult(1),
        do.SeekStep(99, 0),
    ],
)
def test_nonsense_is_refused(state, command):
    tell(state, command)
    assert state.messages[0].level == "error"
    assert state.walk.options == OPTIONS


def test_options_stay_within_their_limits(state):
    tell(state, do.SetWalkOption("random", "variety", 7), do.SetWalkOption("greedy", "transitions", -3), do.SetSeed(-1))
    assert state.walk.options["random"]["variety"] == 1.0
    assert state.walk.options["greedy"]["transitions"] == 0
    assert state.walk.seed == 0


def test_cancelled_in_the_middle_nothing_is_left(built):
    state = empty(inline=False)
    while not state.ready or state.jobs.running:
        update(state, 0.01)
    state.graph.take(built.graph, built.drawn)
    tell(state, do.SetPath(((0.0, 0.0), (3.0, 20.0), (0.0, 40.0))), do.SetWalk("path"))
    tell(state, do.SetWalkOption("path", "limit", 300.0), do.MakeWalk())
    (job,) = state.jobs.running
    while not job.what:
        time.sleep(0.005)
    assert not job.over.is_set()
    tell(state, do.CancelJob(job.number))
    assert job.over.wait(20.0)
    update(state, 0.01)
    assert not state.jobs.running
    assert not results(state)
    assert (state.walk.problem, list(state.messages)) == ("", [])
    state.jobs.close()


@pytest.mark.parametrize("step", ["joining the pieces", "holding planted feet", "measuring its quality"])
def test_a_walk_can_be_stopped_while_its_motion_is_made(state, step, monkeypatch):
    """Long walks are found in no time; making their motion is what takes long."""
    shares, usual = [], Job.progress

    def stopping(job, done, total, what=""):
        shares.append(done / total)
        if what == step:
            job.cancelled.set()
        usual(job, done, total, what)

    monkeypatch.setattr(Job, "progress", stopping)
    tell(state, do.SetWalk("random"), do.SetWalkOption("random", "seconds", 20.0), do.MakeWalk())
    assert shares == sorted(shares)
    assert 0.4 < shares[-1] < 0.95
    assert (results(state), list(state.messages), state.walk.problem) == ([], [], "")


def test_what_was_found_when_time_ran_out_is_marked(state):
    tell(state, do.SetPath(((0.0, 0.0), (0.0, 400.0)), curve="polyline"))
    entry = made(state, "path", limit=0.001)
    assert not entry.made.report["complete"]
    assert "ran out" in entry.made.report["note"]
    assert state.messages[0].level == "warning"


def test_steps_can_be_gone_to(state):
    entry = made(state)
    begins = step_begins(entry.made.walk)
    assert len(begins) > 2
    tell(state, do.SeekStep(entry.number, 2))
    assert frame_of(state) == pytest.approx(begins[2])
    source = entry.clip.origin
    assert source.step[int(begins[2])] == 1  # the transition there is part of it
    tell(state, do.SelectClip(1), do.SeekStep(entry.number, 0))
    assert (state.active, frame_of(state)) == (RESULT, 0)
    tell(state, do.SeekStep(entry.number, len(begins)))
    assert "has steps 0 to" in state.messages[0].text


def test_results_are_renamed_and_their_options_taken_again(state):
    entry = made(state, "random", seconds=5.0)
    tell(state, do.RenameResult(entry.number, "  to and   fro "))
    assert results(state)[0].name == "to and fro"
    for name in ("walk", "  "):
        tell(state, do.RenameResult(entry.number, name))
        assert state.messages[0].level == "error"
    tell(state, do.SetWalk("greedy"), do.SetSeed(9), do.SetWalkOption("random", "seconds", 50.0))
    tell(state, do.SetWalkOption("motion", "cleanup", False), do.TakeOptions(entry.number))
    walking = state.walk
    assert (walking.method, walking.seed, walking.option["seconds"]) == ("random", 0, 5.0)
    assert walking.options["motion"]["cleanup"]


def test_removing_the_result_that_is_played(state):
    first, second = made(state), made(state)
    assert current_result(state) is second
    tell(state, do.RemoveClip(second.number))
    assert current_result(state) is first
    tell(state, do.RemoveClip(first.number))
    assert current_result(state) is None
    assert state.entry.name == "walk"  # back to what was captured
    made(state), made(state)
    tell(state, do.ClearResults())
    assert [entry.name for entry in state.library] == list(NAMES)


def test_results_outlive_the_clips_they_were_made_of(state):
    from motiongraph.viewer.panels.playback import described

    entry = made(state)
    used = {entry.made.walk.clips[clip].name for clip in entry.made.walk.steps["clip"]}
    for other in list(state.library):
        if other.name in used:
            tell(state, do.RemoveClip(other.number))
    tell(state, do.ReplayResult(entry.number), do.SeekStep(entry.number, 1))
    assert state.entry is entry
    assert any(name in described(entry, 0) for name in used)
    assert made(state).name == "random 2"  # the graph has its own


def test_results_side_by_side(state):
    first, second = made(state), made(state)
    tell(state, do.ReplayResult(first.number, 0), do.ReplayResult(second.number, 1))
    assert state.scene.views == 2
    assert [track.clip for track in state.tracks[:2]] == [first.number, second.number]
    third = made(state)  # comes where it can be seen
    assert (state.scene.views, state.active, state.tracks[RESULT].clip) == (3, RESULT, third.number)
    tell(state, do.Split(1), do.ReplayResult(third.number), do.SetLayer("compared", True))
    update(state, 0.0)
    assert sum(len(cast) for cast in state.casts) == 3
    tell(state, do.SetLayer("compared", False), do.SetLayer("crowd", True))  # ticked clips, beside the result
    update(state, 0.0)
    ticked = [entry for entry in state.library if entry.used and not entry.made]
    assert sum(len(cast) for cast in state.casts) == 1 + len(ticked) > 1


@pytest.mark.parametrize("kind", ["bvh", "amc"])
def test_motion_is_written(state, tmp_path, kind):
    entry = made(state)
    tell(state, do.SaveClip(entry.number, tmp_path / f"made.{kind}"))
    again = mg.load(tmp_path / f"made.{kind}")
    np.testing.assert_allclose(again.positions(), entry.clip.positions(), atol=1e-3)
    tell(state, do.SaveClip(entry.number, tmp_path / "nowhere" / f"made.{kind}"))
    assert state.messages[0].level == "error"


def test_motion_is_written_as_glb(state, tmp_path):
    from pygltflib import GLTF2

    entry = made(state)
    tell(state, do.SaveClip(entry.number, tmp_path / "made.glb"))
    file = GLTF2().load(str(tmp_path / "made.glb"))
    times = file.accessors[file.animations[0].samplers[0].input]
    assert (times.count, times.max) == (len(entry.clip), [pytest.approx((len(entry.clip) - 1) / entry.clip.fps)])


def test_the_log_is_written_in_frames_of_the_files(state, tmp_path):
    entry = made(state)
    tell(state, do.SaveLog(entry.number, tmp_path / "made.txt"))
    lines, walk = (tmp_path / "made.txt").read_text().splitlines(), entry.made.walk
    assert len(lines) == len(walk.steps) > 1
    (clip, start, stop), jump = walk.steps[0].tolist(), walk.transitions[0]
    assert lines[0] == (  # with the frames of the files, which begin before the graph's clips
        f"   1  {walk.clips[clip].name}  frames {start + TRIMMED} to {stop - 1 + TRIMMED}, then "
        f"{walk.clips[jump['dst']].name} {jump['dst_frame'] + TRIMMED} at {jump['cost']:.2f} cm"
    )
    tell(state, do.SaveLog(entry.number, tmp_path / "nowhere" / "made.txt"))
    assert state.messages[0].level == "error"


def test_a_walk_that_strays_is_told_a_threshold(state, monkeypatch):
    graph = state.graph.graph.at(2.0)
    tried = []

    def find(graph, wanted, curve, progress):
        tried.append(graph.thresholds.highest)
        return SimpleNamespace(facts={"path_error_mean": 0.1 if tried[-1] > 3.5 else 1.0})

    monkeypatch.setattr(make_walk, "find", find)
    wanted, silent = SimpleNamespace(method="path"), lambda *told: None
    assert make_walk.advice(graph, wanted, None, {"path_error_mean": 1.0}, silent) == {"threshold": 4.0, "missed": 0.1}
    assert tried == [2.4, 3.0, 4.0]
    assert make_walk.advice(graph, wanted, None, {"path_error_mean": 0.2}, silent) is None
    several = graph.at({"within": 2, "between": 3})
    assert make_walk.advice(several, wanted, None, {"path_error_mean": 1.0}, silent) is None


# What panels say


def test_costs_are_told_in_the_unit_of_the_metric(state, tmp_path):
    from motiongraph.viewer.panels.playback import described
    from motiongraph.viewer.panels.walk_report import judged
    from motiongraph.viewer.panels.walk_results import compared

    usual = made(state)
    assert compared((usual.made,))[0][2][:2] == ("mean", "cm")
    tell(state, do.BuildGraph(metric=mg.Metric(kind="angle")))
    entry = made(state)
    jump, report = entry.made.walk.transitions[0], entry.made.report
    assert report["unit"] == entry.made.unit == "°"
    assert any(f"{report['cost_mean']:.2f} ° on average" in sentence for _, _, sentence in judged(entry.made))
    assert described(entry, step_begins(entry.made.walk)[1]).endswith(f"{jump['cost']:.2f} °")
    tell(state, do.SaveLog(entry.number, tmp_path / "made.txt"))
    assert (tmp_path / "made.txt").read_text().splitlines()[0].endswith(f" at {jump['cost']:.2f} °")
    headings, rows = compared((usual.made, entry.made))  # side by side, each has its own
    assert headings[2][:2] == ("mean", "")
    assert rows[0][2].endswith(" cm")
    assert rows[1][2].endswith(" °")


def test_the_timeline_joins_what_no_eye_tells_apart():
    from motiongraph.viewer.panels.playback import _joined

    edges = np.linspace(10.0, 90.0, 801)
    spans = list(zip(edges[:-1].tolist(), edges[1:].tolist(), range(800)))
    bars = _joined(spans[::2], spans[1::2], 10.0, 90.0)
    assert len(bars) == 40
    assert (bars[0][0], bars[-1][1]) == (10.0, 90.0)
    assert all(a[1] == b[0] for a, b in itertools.pairwise(bars))


def test_figures_in_words():
    from motiongraph.viewer import theme
    from motiongraph.viewer.panels.walk_report import judged

    good = {"transitions": 1, "cost_mean": 1.0, "cost_max": 1.0, "seam_ratio": 0.9, "slide_mean": 0.1}
    good |= {"slide_worst": 1.0, "knee_pop_p99": 2.0, "captured": {"slide_mean": 3.0, "knee_pop_p99": 2.0}}
    bad = good | {"seam_ratio": 4.0, "slide_mean": 9.0, "knee_pop_p99": 8.0, "path_error_mean": 0.9, "glitches": 3}
    bad |= {"path_error_worst": 2.0, "path_walked": 3.0, "path_length": 9.0, "facing_along": 0.3}
    walk = SimpleNamespace(metric=mg.Metric())
    colours = {name: colour for name, colour, _ in judged(Made(walk, "path", report=good))}
    assert {colours[name] for name in ("seams", "feet", "knees")} == {theme.GOOD}
    colours = {name: colour for name, colour, _ in judged(Made(walk, "path", report=bad))}
    assert {colours[name] for name in ("seams", "feet", "knees", "path", "facing")} == {theme.BAD}
    assert colours["capture"] == theme.WARN
    assert list(judged(Made(walk, "lead")))  # motion that was led has few figures


def test_the_panel_says_how_the_search_ended():
    from motiongraph.viewer.panels.walk_report import judged

    walk = SimpleNamespace(metric=mg.Metric())
    lines = {}
    for name, report in (
        ("proven", {"gap": 0.0, "limited": False, "expansions": 4321}),
        ("limited", {"gap": 0.25, "limited": True, "expansions": 100}),
        ("one of many", {"rank": 3, "differs": 0.9, "gap": None, "limited": False}),
    ):
        lines[name] = {what: sentence for what, _, sentence in judged(Made(walk, "path", report=report))}
    assert lines["proven"]["search"] == "every stage proven to be the best, 4,321 states"
    assert lines["limited"]["search"] == "limited after 100 states; the error could be up to 25% lower"
    assert lines["one of many"]["variety"].startswith("number 4 of the walks that differ; 90% of its transitions")
    assert "search" not in lines["one of many"]
