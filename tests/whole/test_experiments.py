"""The papers' experiments at reduced size: that they run, what they find, what they say of a missing file."""

import re
import subprocess
import sys

import numpy as np
import pytest
from conftest import ROOT
from PIL import Image

SCRIPTS = ROOT / "scripts" / "experiments"


def call(script, *arguments):
    command = [sys.executable, str(SCRIPTS / script), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=900)


@pytest.fixture(scope="module")
def report(mocap, tmp_path_factory):
    """The folder of a reduced report, made without a display."""
    folder = tmp_path_factory.mktemp("report") / "new"
    done = call("report.py", folder, "--data", mocap, "--quick", "--seed", 3)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    return folder


def cells(folder, part, first, column):
    """A cell of the row of a part's tables whose first cell is `first`."""
    lines = (folder / f"{part}.md").read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return next(row[column] for row in rows if row[0] == first)


def number(cell):
    return float(cell.replace(",", ""))


def test_every_experiment_is_in_the_report(report):
    text = (report / "report.md").read_text(encoding="utf-8")
    titles = re.findall(r"^## (\d)\. .+$", text, re.M)
    assert titles == [str(n) for n in range(1, 8)]
    assert "Not done" not in text
    assert "nan" not in text.lower().split()


def test_every_picture_of_the_report_shows_something(report):
    text = (report / "report.md").read_text(encoding="utf-8")
    named = re.findall(r"\]\((\S+\.png)\)", text)
    assert len(named) >= 15
    assert sorted(set(named)) == sorted(path.name for path in report.glob("*.png"))
    for name in named:
        with Image.open(report / name) as picture:
            assert np.asarray(picture.convert("L"), float).std() > 5.0, name


def test_made_motion_is_written(report):
    assert len(list(report.glob("*.bvh"))) >= 6
    assert (report / "angles_segments.dot").read_text(encoding="utf-8").startswith("digraph motiongraph")


def test_published_figures_of_the_six_clips(report):
    assert number(cells(report, "random_walks", "edges", 3)) in (378, 380)
    assert cells(report, "random_walks", "smallest distance", 3) == "18.92"
    assert cells(report, "random_walks", "largest distance", 3) == "20,743.55"
    assert cells(report, "random_walks", "least connected vertex", 3) == "38"
    assert cells(report, "random_walks", "run to walk", 3) == "walk to jump"
    text = (report / "random_walks.md").read_text(encoding="utf-8")
    assert "found beyond: none" in text


def test_published_blends(report):
    assert "1 local minimum, as published, at frames 111–49 with d = 70.15" in (report / "blending.md").read_text(
        "utf-8"
    )
    for published in ("70.15", "568.51", "1,064.73", "2,871.20"):
        assert number(cells(report, "blending", published, 1)) == pytest.approx(number(published), rel=1e-3)


def test_exact_walk_is_no_dearer_than_the_published_one(report):
    published = number(cells(report, "chronological", "published (trials)", 2))
    exact, trials = (number(cells(report, "chronological", name, 2)) for name in ("exact", "100 trials"))
    assert published == pytest.approx(1700.72)
    assert exact <= min(published, trials) + 0.01


def test_paths_are_followed(report):
    error = cells(report, "paths", "hello", 3)
    assert number(error.split("/")[0]) < 40.0  # cm, with a sixth of the clips


def test_missing_files_are_named(tmp_path):
    (tmp_path / "empty").mkdir()
    done = call("angles.py", tmp_path / "out", "--data", tmp_path / "empty")
    assert done.returncode == 1
    assert "07_01.bvh is missing" in done.stderr
    assert "Traceback" not in done.stderr
    assert not list((tmp_path / "out").glob("*.md"))


def test_data_folder_must_be_told(tmp_path, monkeypatch):
    monkeypatch.delenv("MOTIONGRAPH_MOCAP", raising=False)
    done = call("angles.py", tmp_path / "out")
    assert done.returncode == 2
    assert "MOTIONGRAPH_MOCAP" in done.stderr


def test_dead_ends_are_removed_until_there_are_none(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPTS))
    from frames_as_vertices import without_dead_ends

    rng = np.random.default_rng(5)
    for _ in range(50):
        edges = rng.integers(0, 30, (2, 36))
        alive = set(range(30))
        while dead := {v for v in alive if not any(a == v and b in alive for a, b in edges.T)}:
            alive -= dead
        assert set(np.flatnonzero(without_dead_ends(edges, 30)).tolist()) == alive
