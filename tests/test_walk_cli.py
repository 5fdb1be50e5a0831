"""`motiongraph walk`: how a path is searched for, from the command line."""

import json

import numpy as np
import pytest
from test_walks_planning import PATHS, ring

import motiongraph as mg
from motiongraph.cli import main


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a graph and a path."""
    folder = tmp_path_factory.mktemp("walks")
    ring([-1.5, -0.7, 0.0, 0.7, 1.5]).save(folder / "g.mgraph")
    np.savetxt(folder / "zigzag.csv", PATHS["zigzag"], delimiter=",")
    return folder


@pytest.fixture
def walk(capsys, folder, monkeypatch):
    """walk("path", ...) → exit status, report or standard output, standard error."""
    monkeypatch.chdir(folder)

    def command(method, *options):
        with pytest.raises(SystemExit) as exit:
            main(["walk", "g.mgraph", method, "-o", "out.bvh", "--force", "--json", *map(str, options)])
        output = capsys.readouterr()
        assert "Traceback" not in output.err
        return exit.value.code or 0, json.loads(output.out) if output.out else None, output.err

    return command


ALONG = ("path", "--points", "zigzag.csv")


def test_branch_and_bound_with_and_without_a_limit(walk):
    bounded = ("--planner", "branch and bound", "--plan", 1.2, "--keep", 0.6)
    status, report, _ = walk(*ALONG, *bounded)
    assert (status, report["limited"], report["gap"]) == (0, False, 0.0)
    status, limited, err = walk(*ALONG, *bounded, "--expansions", 2000)
    assert (status, limited["limited"]) == (0, True)
    assert 0 < limited["gap"] <= 1
    assert limited["expansions"] < report["expansions"]
    assert "warning: the search was limited; the error could be up to" in err


def test_equation_nine_and_the_weights(walk):
    _, nine, _ = walk(*ALONG, "--equation-9", "--gamma", 0.2)
    _, usual, _ = walk(*ALONG, "--slack", 1, "--cost-weight", 0.01)
    assert nine["equation_9"] < usual["equation_9"]
    assert nine["arc_error_mean"] < usual["arc_error_mean"]
    _, free, _ = walk(*ALONG, "--cost-weight", 0)
    _, thrifty, _ = walk(*ALONG, "--cost-weight", 1)
    assert thrifty["transitions"] < free["transitions"]


def test_one_of_the_best_walks(walk):
    reports = [walk(*ALONG, "--best", 4, "--tolerance", 1, "--seed", seed)[1] for seed in range(4)]
    assert [report["rank"] for report in reports] == [0, 1, 2, 3]
    assert all(report["error"] <= 2 * reports[0]["error"] + 1e-9 for report in reports)
    assert all(report["differs"] > 0.3 for report in reports[1:])


def test_bodies_are_turned_unless_told_otherwise(walk, folder):
    (folder / "sharp.csv").write_text("x,z\n0,0\n0,4\n0.3,0\n")
    _, turned, _ = walk("path", "--points", "sharp.csv")
    _, captured, _ = walk("path", "--points", "sharp.csv", "--turning", 0)
    assert turned["path_error_worst"] < captured["path_error_worst"]
    assert 1.0 < turned["turned"] < 120.0
    assert "turned" not in captured
    status, _, err = walk("reach", "--position", "2,4", "--turning", 60)
    assert (status, "--turning" in err) == (2, True)


def test_reaching_a_place_takes_the_same_options(walk):
    options = ("--planner", "branch and bound", "--plan", 1, "--keep", 0.5, "--expansions", 2000)
    status, report, _ = walk("reach", "--position", "2,4", *options)
    assert (status, report["complete"]) == (0, True)
    assert report["end_distance"] < 0.5


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("random", "--plan", 3), "random does not take --plan."),
        (("connect", "--from", "clip0", "--to", "clip1", "--equation-9"), "connect does not take --equation-9."),
        ((*ALONG, "--best", 0), "--best"),
        ((*ALONG, "--slack", 2), "--slack"),
    ],
)
def test_options_that_do_not_fit(walk, options, sentence):
    status, _, err = walk(*options)
    assert status == 2
    assert sentence in err


def test_how_motions_are_blended(walk, folder, monkeypatch):
    made, asked, real = set(), [], mg.synthesize
    monkeypatch.setattr(mg, "synthesize", lambda *a, **k: asked.append(k) or real(*a, **k))
    for options in ((), ("--blend", "inertialized"), ("--blend-length", 0.1), ("--register",)):
        code, _, _ = walk("random", "--seconds", 4, *options)
        assert code == 0
        made.add((folder / "out.bvh").read_bytes())
    assert len(made) == 3  # a body of one joint has nothing to line up
    assert [k["register"] for k in asked] == [False, False, False, True]
    assert walk("random", "--blend", "magic")[0] != 0


def test_one_blend_length_for_each_transition(walk, folder, monkeypatch):
    asked, real = [], mg.synthesize
    monkeypatch.setattr(mg, "synthesize", lambda *a, **k: asked.append((a[0], k["lengths"])) or real(*a, **k))
    report = walk("random", "--seconds", 12, "--blend-length", 0.1)[1]
    seconds = [0.1, *[0.3] * (report["transitions"] - 1)]
    assert walk("random", "--seconds", 12, "--blend-length", ", ".join(map(str, seconds)))[0] == 0
    assert [lengths for _, lengths in asked] == [0.1, seconds]
    expected = real(asked[1][0], lengths=seconds, name="out")
    np.testing.assert_allclose(mg.load(folder / "out.bvh").root, expected.root, atol=1e-5)
    status, _, err = walk("random", "--seconds", 12, "--blend-length", "0.1,0.2")
    assert status == 1
    assert f"{report['transitions']} transitions" in err
    assert walk("random", "--blend-length", -1)[0] != 0
