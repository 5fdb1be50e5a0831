"""`motiongraph build` and `motiongraph graph` as a person or a script meets them."""

import json
import os
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from test_graph_build import swing

import motiongraph as mg
from motiongraph.cli import main
from motiongraph.formats.labels_file import Entry, write_labels
from motiongraph.formats.save import save


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def clips(tmp_path_factory):
    """A folder of three clips at 40 Hz."""
    folder = tmp_path_factory.mktemp("clips")
    for n in range(3):
        save(swing(n), folder / f"clip{n}.bvh")
    return folder


@pytest.fixture
def run(capsys, tmp_path, monkeypatch, cache):
    """run("build", ...) → exit status, standard output, standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MOTIONGRAPH_DEBUG", raising=False)
    monkeypatch.setenv("MOTIONGRAPH_CACHE_DIR", str(cache))

    def command(*arguments):
        with pytest.raises(SystemExit) as exit:
            main([str(argument) for argument in arguments])
        output = capsys.readouterr()
        assert "Traceback" not in output.err
        return exit.value.code or 0, output.out, output.err

    return command


def test_build_and_graph_give_the_report(run, clips):
    status, out, err = run("build", clips, "-o", "g.mgraph", "--ceiling", "40", "--json")
    assert (status, err) == (0, "")
    built = json.loads(out)
    assert (built.pop("path"), built.pop("build_seconds") >= 0) == ("g.mgraph", True)
    status, out, err = run("graph", "g.mgraph", "--json")
    assert (status, err) == (0, "")
    seen = json.loads(out)
    assert seen.pop("path") == "g.mgraph"
    assert seen == mg.MotionGraph.load("g.mgraph").report(16, 24)
    seen.pop("coverage")  # which `graph` alone measures
    assert seen == built
    assert (seen["clips"], seen["frames"], seen["fps"], seen["threshold_is_auto"]) == (3, 480, 40.0, True)
    for figure in ("cost_min", "cost_mean", "cost_max", "most_connected", "least_connected", "transitions_per_clip",
                   "share_kept", "components", "connection_seconds", "degrees", "choice_points"):  # fmt: skip
        assert seen[figure] is not None


def test_for_a_person(run, clips):
    status, out, err = run("build", clips, "-o", "g.mgraph", "--threshold", "18")
    assert (status, out) == (0, "")
    assert "3 clips, 480 frames compared" in err
    assert "transitions up to 18 cm" in err
    status, out, err = run("graph", "g.mgraph", "--pruned", "--curve")
    assert status == 0
    assert all(word in out for word in ("480", "18 cm", "after pruning", "most connected", "frames kept"))
    assert len(out.splitlines()) > 45, "33 points of the curve"


def test_options_of_build_reach_the_graph(run, clips):
    options = [
        "--mirror",
        "--fps",
        20,
        "--window",
        0.5,
        "--within",
        10,
        "--between",
        12,
        "--ceiling",
        30,
        "--radius",
        0.1,
    ]
    metric = ["--align", "none", "--samples", 0, "--weights", "mao", "--taper", "--search-fps", 10]
    status, _, err = run("build", clips, "-o", "g.mgraph", *options, *metric)
    assert status == 1  # these joints are not in Mao's table: the option arrived
    assert "weights" in err or "joint" in err
    metric = [m for m in metric if m not in ("--weights", "mao")]
    assert run("build", clips, "-o", "g.mgraph", *options, *metric)[0] == 0
    g = mg.MotionGraph.load("g.mgraph")
    assert (len(g.clips), g.fps, g.window, g.candidates.ceiling) == (6, 20.0, 10, 30.0)
    assert (g.candidates.radius, g.thresholds.within, g.thresholds.between) == (0.1, 10.0, 12.0)
    assert (g.metric.align, g.metric.samples_per_bone, g.metric.taper, g.metric.search_fps) == (
        "none",
        0,
        "gaussian",
        10.0,
    )


def test_labels_choose_and_cut(run, clips, tmp_path):
    write_labels([Entry("clip0.bvh", (10, 120), ("walk",)), Entry("clip2.bvh", None, ("run",))], tmp_path / "mine.toml")
    status, out, err = run("build", clips, "-o", "g.mgraph", "--labels", "mine.toml", "--ceiling", 40, "--json",
                           "--threshold", 30, "--pair", "walk,run=20", "--least", 60)  # fmt: skip
    assert status == 0
    report = json.loads(out)
    assert [(s["labels"], s["frames"]) for s in report["label_sets"]] == [(["walk"], 110), (["run"], 160)]
    assert report["threshold"]["pairs"] == [["walk", "run", 20.0]]
    assert err.count("motiongraph: warning: motion labelled") == 2
    assert [w.split(" keeps")[0] for w in report["warnings"]] == ["motion labelled walk", "motion labelled run"]


def test_threshold_of_graph_is_a_view(run, clips):
    run("build", clips, "-o", "g.mgraph", "--threshold", "20", "--ceiling", "30")
    whole = json.loads(run("graph", "g.mgraph", "--json")[1])
    low = json.loads(run("graph", "g.mgraph", "--json", "--threshold", "12", "--pruned", "--curve")[1])
    assert low["transitions"] < whole["transitions"]
    assert (low["pruned"], low["candidates"]) == (True, whole["candidates"])
    assert [row["threshold"] for row in low["curve"]] == np.linspace(0, 30, 33).tolist()
    auto = json.loads(run("graph", "g.mgraph", "--json", "--threshold", "auto")[1])
    assert auto["threshold_is_auto"]
    status, out, err = run("graph", "g.mgraph", "--threshold", "31")
    assert (status, out, err) == (
        1,
        "",
        "motiongraph: candidates are known up to 30 cm; build again with ceiling=31 for a threshold that high\n",
    )


def test_exports(run, clips):
    run("build", clips, "-o", "g.mgraph", "--threshold", "20")
    files = ["--dot", "g.dot", "--graphml", "g.graphml", "--graph-json", "g.json", "--png", "g.png"]
    status, out, err = run("graph", "g.mgraph", "--json", "--view", "segments", "--pruned", *files)
    assert (status, err) == (0, "motiongraph: wrote g.dot, g.graphml, g.json, g.png\n")
    json.loads(out)
    g = mg.MotionGraph.load("g.mgraph").pruned()
    nodes = len(g.segment_view().clip)
    assert len(list(ElementTree.parse("g.graphml").iter("{http://graphml.graphdrawing.org/xmlns}node"))) == nodes
    assert len(json.loads(Path("g.json").read_text("utf-8"))["segments"]["nodes"]) == nodes
    assert Image.open("g.png").width == 2400
    status, _, err = run("graph", "g.mgraph", "--png", "g.png")
    assert (status, err) == (1, "motiongraph: g.png is there already; --force overwrites it\n")
    assert run("graph", "g.mgraph", "--png", "g.png", "--force")[0] == 0


def test_clips_by_reference(run, clips):
    assert run("build", clips, "-o", "g.mgraph", "--referenced")[0] == 0
    status, out, err = run("graph", "g.mgraph")
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert "names its clips but does not hold them" in err
    assert run("graph", "g.mgraph", "--clips", clips)[0] == 0


def test_clips_are_added_to_a_graph(run, clips, tmp_path):
    first = [clips / f"clip{n}.bvh" for n in range(2)]
    run("build", *first, "-o", "two.mgraph", "--ceiling", "40", "--window", "0.25")
    status, out, _ = run("build", "two.mgraph", clips, "-o", "three.mgraph", "--json")
    assert (status, json.loads(out)["clips"]) == (0, 3)
    run("build", clips, "-o", "anew.mgraph", "--ceiling", "40", "--window", "0.25")
    grown, anew = (mg.MotionGraph.load(f"{name}.mgraph") for name in ("three", "anew"))
    assert grown.candidates.table.tobytes() == anew.candidates.table.tobytes()
    assert grown.thresholds == anew.thresholds
    status, _, err = run("build", "three.mgraph", clips, "-o", "more.mgraph")
    assert (status, err) == (1, "motiongraph: the graph has clips of these names already: clip0, clip1, clip2\n")
    for wrong in (["three.mgraph"], ["three.mgraph", "two.mgraph", clips], ["two.mgraph", clips, "--window", "0.5"]):
        assert run("build", *wrong, "-o", "more.mgraph")[0] == 2
    assert not (tmp_path / "more.mgraph").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["build", "x.bvh"],
        ["build", "-o", "g.mgraph", "--threshold", "cheap"],
        ["build", "-o", "g.mgraph", "--threshold", "-3"],
        ["build", "-o", "g.mgraph", "--within", "3"],
        ["build", "-o", "g.mgraph", "--pair", "walk=3"],
        ["build", "-o", "g.mgraph", "--threshold", "auto", "--pair", "walk,run=3"],
        ["build", "-o", "g.mgraph", "--radius", "-1"],
        ["graph"],
        ["graph", "g.mgraph", "--view", "frames"],
    ],
)
def test_wrong_usage(run, tmp_path, arguments):
    assert run(*arguments)[:2] == (2, "")
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_done(run, clips, tmp_path):
    (tmp_path / "taken.mgraph").write_text("mine")
    (tmp_path / "empty").mkdir()
    for arguments in (
        ["build", clips, "-o", "taken.mgraph"],
        ["build", "nowhere", "-o", "g.mgraph"],
        ["build", "empty", "-o", "g.mgraph"],
        ["build", clips, "-o", "g.mgraph", "--labels", "nowhere.toml"],
        ["build", clips, "-o", "nowhere/g.mgraph"],
        ["graph", "nowhere.mgraph"],
        ["graph", "taken.mgraph"],
    ):
        status, out, err = run(*arguments)
        assert (status, out, err.count("\n")) == (1, "", 1)
        assert "unexpected" not in err
    assert (tmp_path / "taken.mgraph").read_text() == "mine"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["empty", "taken.mgraph"]


def test_help(run):
    for command in ("build", "graph"):
        status, out, err = run(command, "--help")
        assert (status, err) == (0, "")
        assert f"Usage: motiongraph {command}" in out
        assert "build" in run("--help")[1]


def test_dissertation_folder(run, mocap):
    status, out, _ = run("build", mocap / "cmu/asf_amc/dissertation", "-o", "g.mgraph", "--json")
    assert (status, json.loads(out)["clips"], json.loads(out)["frames"]) == (0, 6, 2623)
    status, out, _ = run("graph", "g.mgraph", "--json")
    assert (status, json.loads(out)["clips"]) == (0, 6)


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of files")
def test_a_full_disk_stops_with_one_sentence(run, clips, tmp_path):
    import resource as limits

    assert run("build", clips, "-o", "before.mgraph")[0] == 0
    most = limits.getrlimit(limits.RLIMIT_FSIZE)
    limits.setrlimit(limits.RLIMIT_FSIZE, (1 << 14, most[1]))
    try:
        status, _, err = run("build", clips, "-o", "g.mgraph")
    finally:
        limits.setrlimit(limits.RLIMIT_FSIZE, most)
    assert status == 1
    assert err.count("cannot be written") == 1
    assert err.strip().endswith("what was compared is kept, and the same command goes on from there")
    assert [file.name for file in tmp_path.iterdir()] == ["before.mgraph"]
    assert run("build", clips, "-o", "g.mgraph")[0] == 0


def test_what_a_folder_holds_besides_is_named_and_left_out(run, clips, tmp_path):
    for file in clips.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "broken.bvh").write_text((clips / "clip0.bvh").read_text()[:3000])
    save(swing(3)[:5], tmp_path / "short.bvh")
    options = "-o", "g.mgraph", "--ceiling", "40", "--per-window", "1", "--cache", "0.1", "--exhaustive"
    status, _, err = run("build", tmp_path, *options)
    assert status == 0
    assert err.count("broken.bvh") == err.count("; it is left out") == 1
    assert "short is left out: its 0.12 s are shorter than a transition" in err
    graph = mg.MotionGraph.load("g.mgraph")
    assert [clip.name for clip in graph.clips] == ["clip0", "clip1", "clip2"]
    assert (graph.candidates.per_window, os.environ.pop("MOTIONGRAPH_CACHE_LIMIT")) == (1, "0.1")
    status, _, err = run("build", tmp_path / "broken.bvh", clips, "-o", "h.mgraph")
    assert status == 1
    assert "broken.bvh" in err
    assert not Path("h.mgraph").exists()
