"""Requests beyond all measure are refused in a sentence, at once, from Python and from the command line alike."""

import re

import numpy as np
import pytest

import motiongraph as mg
from motiongraph.cli import main
from motiongraph.errors import MotionError
from motiongraph.files import resource
from motiongraph.metric.metric import Metric
from motiongraph.model.labels import Labels
from motiongraph.walks.curve import Curve

SAMPLES = resource("assets/samples")


@pytest.fixture(scope="module")
def graph():
    return mg.MotionGraph.build([mg.load(SAMPLES / f"{name}.bvh") for name in ("walk", "walk_run")]).pruned()


def test_paths_that_nobody_could_walk_in_an_hour(graph):
    for points in ([[0, 0], [0, 1e6]], [[0, 0], [0, 5e4]]):
        with pytest.raises(MotionError, match=r"km is too long|could walk in an hour"):
            mg.follow_path(graph, points)
    with pytest.raises(MotionError, match="at most 1,000 km away"):
        mg.follow_path(graph, [[0, 0], [0, 1e300]])
    with pytest.raises(MotionError, match="too long"):
        Curve.of(np.random.default_rng(1).uniform(-1e6, 1e6, (100, 2)), "spline")


@pytest.mark.parametrize("place", [(0, 1e9), (0, 1e300), (-3e5, 3e5)])
def test_places_that_are_too_far_away(graph, place):
    with pytest.raises(MotionError, match="more than these clips could walk in an hour"):
        mg.reach(graph, place)


def test_walks_without_end(graph):
    for request in ({"seconds": np.inf}, {"seconds": 1e9}, {"transitions": 10**9}):
        with pytest.raises(MotionError, match="at most; make several"):
            mg.random_walk(graph, **request)
    for request in ({"seconds": np.nan}, {"least": np.inf}):
        with pytest.raises(MotionError, match="above 0"):
            mg.random_walk(graph, **request)


def test_characters_that_are_led_far_away_go_on(graph):
    character = mg.LiveCharacter(graph, rng=1, cleanup=False)
    for goal in ((1e9, 0.0), (0.0, -1e30)):
        character.go_to(goal)
        assert np.isfinite(character.advance(0.5)[0]).all()


@pytest.mark.parametrize("fields", [{"window": 1e300}, {"window": np.nan}, {"samples_per_bone": 10**9}])
def test_metrics_without_measure(fields):
    with pytest.raises(MotionError):
        Metric(**fields)


def test_more_labels_than_make_sense():
    with pytest.raises(MotionError, match="too many for a clip"):
        Labels.of(10, {f"word {n}": (0, 5) for n in range(1001)})


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("walk {graph} path --points {path} -o {out}", "could walk in an hour|too long"),
        ("walk {graph} reach --position 0,1e9 -o {out}", "could walk in an hour"),
        ("walk {graph} random --seconds inf -o {out}", "inf"),
        ("build {clip} --radius inf -o {built}", "inf|radius"),
        ("build {clip} --radius 1e300 -o {built}", "radius"),
        ("build {clip} --threshold 1e300 -o {built}", "threshold"),
        ("build {clip} --ceiling 1e300 -o {built}", "ceiling"),
        ("build {clip} --threshold nan -o {built}", "nan"),
        ("info {odd}", "escape"),
    ],
)
def test_the_command_line_says_one_sentence(graph, tmp_path, capfd, arguments, says):
    names = {"graph": tmp_path / "g.mgraph", "path": tmp_path / "p.csv", "out": tmp_path / "out.bvh"}
    names |= {"clip": SAMPLES / "walk.bvh", "odd": tmp_path / "a\x1b[31mescape\nb.bvh", "built": tmp_path / "b.mgraph"}
    graph.save(names["graph"])
    names["path"].write_text("0,0\n0,1e6\n")
    names["odd"].write_text("nothing")
    with pytest.raises(SystemExit) as ended:
        main([word.format(**names) for word in arguments.split()])
    said = capfd.readouterr()
    assert ended.value.code in (1, 2)
    assert re.search(says, said.err), said.err
    assert "\x1b[31m" not in said.err + said.out
    assert "unexpected" not in said.err
    assert not names["out"].exists()
    assert not names["built"].exists()
