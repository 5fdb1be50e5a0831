"""Things in the way: paths are led around them, walks keep clear, in Python, by a command and in the window."""

import numpy as np
import pytest
from sessions import begin, tell
from typer.testing import CliRunner
from walking import sample_graph

import motiongraph as mg
from motiongraph.app import commands as do
from motiongraph.app.live.around_props import led_around, way_to
from motiongraph.app.scene.props import footprint
from motiongraph.app.walk.results import results
from motiongraph.cli import app
from motiongraph.errors import MotionError
from motiongraph.walks.curve import Curve, trace
from motiongraph.walks.obstacles import CLEARANCE, TOUCH, around, checked, distance_to

WAY = [(0.0, 0.0), (0.0, 6.0)]
POST = (0.1, 3.0, 0.4)


@pytest.fixture(scope="module")
def graph():
    return sample_graph("walk", "walk_left", "walk_right", "walk_left_90", "walk_right_90")


def test_distances_to_round_and_square_things():
    square = [(1, 1), (1, 3), (3, 3), (3, 1)]
    places = np.array([(0.0, 2.0), (2.0, 2.5), (4.0, 4.0), (5.0, 0.0)])
    np.testing.assert_allclose(distance_to(checked([square]), places), [1.0, -0.5, 2**0.5, 5**0.5])
    both = distance_to(checked([square, (5.0, 0.0, 0.5)]), places)
    np.testing.assert_allclose(both, [1.0, -0.5, 2**0.5, -0.5])
    for wrong in ((1.0, 2.0), (1.0, 2.0, -1.0), [(0, 0), (1, 1)], (np.nan, 0, 1)):
        with pytest.raises(MotionError, match="an obstacle is x, z, radius"):
            checked([wrong])


def test_a_path_is_led_around_and_keeps_its_ends():
    line = Curve.of(WAY)
    led, metres = around(line, checked([POST]))
    assert distance_to(checked([POST]), led.places).min() > CLEARANCE - 0.15
    np.testing.assert_allclose(led.places[[0, -1]], line.places[[0, -1]], atol=1e-6)
    assert line.length < led.length < 1.25 * line.length
    assert (np.diff(metres) >= -1e-9).all()
    assert metres[-1] == pytest.approx(led.length, abs=0.1)
    np.testing.assert_allclose(led.at(metres[25]), line.places[25], atol=0.1)  # before the detour all is as it was
    assert around(line, checked([(3.0, 3.0, 0.5)]))[0] is line
    with pytest.raises(MotionError, match="the path ends less than"):
        around(line, checked([(0.0, 6.0, 0.5)]))
    ring = [(3 * np.sin(a), 6 + 3 * np.cos(a), 0.6) for a in np.linspace(0, 2 * np.pi, 24)]
    with pytest.raises(MotionError, match="no way around"):
        around(line, checked(ring))


def test_walks_go_around(graph):
    straight = mg.follow_path(graph, WAY)
    assert distance_to(checked([POST]), trace(straight)[0]).min() < 0.0
    walk = mg.follow_path(graph, WAY, obstacles=[POST])
    assert walk.facts["clearance"] >= TOUCH
    assert walk.facts["clearance"] == pytest.approx(distance_to(checked([POST]), trace(walk)[0]).min())
    assert np.linalg.norm(trace(walk)[0][-1] - WAY[-1]) < 0.6
    there = mg.reach(graph, (0.0, 6.0), obstacles=[POST])
    assert there.facts["clearance"] >= TOUCH
    assert there.facts["end_distance"] < 0.6
    assert "obstacle" not in there.note


def test_what_is_too_narrow_is_said(graph):
    """Two posts with a gap that the path passes and no walk does: the way is as wide as there is room for."""
    posts = [(0.75, 4.8, 0.2), (-0.75, 4.8, 0.2), (0.3, 3.0, 0.5)]
    for walk in (mg.follow_path(graph, WAY, obstacles=posts), mg.reach(graph, WAY[-1], obstacles=posts)):
        near = walk.facts["clearance"]
        assert near == pytest.approx(distance_to(checked(posts), trace(walk)[0]).min())
        assert (near < TOUCH) == ("of an obstacle" in walk.note)


def test_the_command_takes_them(graph, tmp_path):
    graph.save(tmp_path / "g.mgraph")
    (tmp_path / "p.csv").write_text("0,0\n0,6\n")
    words = [
        "walk",
        str(tmp_path / "g.mgraph"),
        "path",
        "--points",
        str(tmp_path / "p.csv"),
        "-o",
        str(tmp_path / "o.bvh"),
    ]
    run = CliRunner().invoke(app, [*words, "--obstacle", "0.1,3,0.4"])
    assert run.exit_code == 0, run.output
    assert "clearance" in run.output
    assert CliRunner().invoke(app, [*words, "--force", "--obstacle", "0.1,3"]).exit_code == 2


@pytest.mark.usefixtures("config")
def test_props_stand_in_the_way(graph):
    state = begin(("walk", "walk_left_90", "walk_right_90"))
    tell(state, do.BuildGraph(), do.SetThreshold(8.0), do.SetPath(tuple(WAY)), do.SetWalk("path"))
    tell(state, do.AddProp("box"))
    (prop,) = state.scene.props
    tell(state, do.SetProp(prop.number, "x", 0.0), do.SetProp(prop.number, "z", 3.0))
    (prop,) = state.scene.props
    corners = np.array(footprint(prop))
    np.testing.assert_allclose(corners.mean(axis=0), (0.0, 3.0), atol=1e-9)
    tell(state, do.MakeWalk(), do.SetWalkOption("path", "around", False), do.MakeWalk())
    first, second = (entry.made.walk for entry in results(state))
    near = [distance_to(checked([corners]), trace(walk)[0]).min() for walk in (first, second)]
    assert near[0] > near[1]
    assert near[1] < TOUCH
    # Led characters go around, too.
    led = led_around(state.path.line, state.scene.props)
    way = way_to(np.zeros(2), (0.0, 6.0), state.scene.props)
    for line in (led, way):
        assert distance_to(checked([corners]), line.places).min() > 0.5 * CLEARANCE
    assert way_to(np.zeros(2), (6.0, 0.0), state.scene.props) is None
    tell(state, do.AddProp("plane"))
    assert footprint(state.scene.props[-1]) is None
