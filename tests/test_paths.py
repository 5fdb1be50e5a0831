"""The path on the floor as it is drawn, and what the mouse does there: without a window."""

from functools import partial

import numpy as np
import pytest
import sessions
from walking import sample

from motiongraph.app import commands as do
from motiongraph.app.library.entries import prepare
from motiongraph.app.update import update
from motiongraph.app.walk.results import Made
from motiongraph.viewer import theme
from motiongraph.viewer.draw.frame import Lines, Marks, Spheres
from motiongraph.viewer.paths import SCALE, Paths, off_colours
from motiongraph.viewer.pointer import FloorTool

HERE = (0.0, 0.0, 0.0)
LEFT, RIGHT, MIDDLE = 0, 1, 2


tell = partial(sessions.tell, dt=1.0)


@pytest.fixture
def state():
    return sessions.begin()


@pytest.fixture
def walked(state):
    """The entry of a clip that was to go five metres along z, and did so beside x = 0.3."""
    clip = sample("walk")
    root = np.zeros((len(clip), 3))
    root[:, 0], root[:, 2] = 0.3, np.linspace(0.0, 5.0, len(clip))
    clip = type(clip)(clip.skeleton, root, clip.rotations, clip.fps, "beside")
    asked = np.stack([np.zeros(251), np.linspace(0.0, 5.0, 251)], axis=1)
    return state.library.add(clip, prepare(clip), used=False, made=Made(None, "path", asked=asked))


def ribbons(batches):
    """Of every line that is drawn, its places (n, 2) and colours (n, 4)."""
    return [(b.rows[: b.count, [0, 2]], b.rows[: b.count, 4:]) for b in batches if isinstance(b, Lines)]


def test_distances_have_colours():
    np.testing.assert_allclose(off_colours(SCALE), theme.PATH)
    np.testing.assert_allclose(off_colours([0.0, 9.0]), [theme.PATH[0], theme.PATH[2]])
    np.testing.assert_allclose(off_colours([0.5 * (SCALE[0] + SCALE[1])])[0], 0.5 * np.add(*theme.PATH[:2]))


def test_a_result_is_drawn_with_the_path_it_was_to_follow(state, walked):
    paths = Paths()
    edge, asked, way = ribbons(paths.batches(state, walked, HERE))  # there is no path in hand
    for places, _ in (edge, asked):
        np.testing.assert_allclose(places, walked.made.asked, atol=1e-6)
    np.testing.assert_allclose(way[0][[0, -1]], [[0.3, 0.0], [0.3, 5.0]], atol=1e-6)
    np.testing.assert_allclose(way[1][:, :3], np.tile(theme.PATH[1], (len(way[1]), 1)), atol=1e-3)
    faint = asked[1][0, 3]

    tell(state, do.SetPath(((0, 0), (0, 5)), curve="polyline"))  # the same: drawn once, and not faint
    same = ribbons(paths.batches(state, walked, HERE))
    along = [colours for places, colours in same if len(places) > 200 and np.abs(places[:, 0]).max() < 1e-6]
    assert len(along) == 2
    assert along[1][0, 3] > 2 * faint

    tell(state, do.SetPath(((4, 0), (4, 5)), curve="polyline"))
    both = [(places, colours) for places, colours in ribbons(paths.batches(state, walked, HERE)) if len(places) > 200]
    assert [round(float(places[0, 0]), 3) for places, _ in both] == [0.0, 0.0, 4.0, 4.0, 0.3]
    assert both[1][1][0, 3] == pytest.approx(faint)

    moved = ribbons(paths.batches(state, walked, (0.0, 2.0, 1.0)))  # what it was to follow moves with it
    np.testing.assert_allclose(moved[1][0][0], [2.0, 1.0], atol=1e-6)
    np.testing.assert_allclose(moved[-1][0][0], [2.3, 1.0], atol=1e-6)
    state.scene.layers.trajectory = False
    assert [float(places[0, 0]) for places, _ in ribbons(paths.batches(state, walked, HERE))][:2] == [4.0, 4.0]


def test_a_goal_that_is_dragged_leaves_the_ribbon_as_it_is(state):
    tell(state, do.SetPath(((0, 0), (0, 5)), curve="polyline"), do.PlantGoal((1, 1)))
    paths = Paths()
    first = paths.batches(state, None, None)
    tell(state, do.PlantGoal((2, 1)))
    second = paths.batches(state, None, None)
    assert first[0] is second[0]
    assert first[-1] is not second[-1]
    tell(state, do.PaintPath(1, 2, "run"))
    assert paths.batches(state, None, None)[0] is not first[0]


def test_the_point_that_a_press_would_catch_is_marked(state):
    tell(state, do.SetPath(((0, 0), (0, 0.8), (0, 8)), curve="polyline"), do.SetTool("edit"))
    cases = ((10.0, 0.2, 0), (10.0, 0.4, None), (30.0, 0.4, None), (10.0, 0.6, 1), (10.0, 7.5, None), (30.0, 7.5, 2))
    for distance, at, caught in cases:
        state.camera.distance = distance
        state.path.under = (0.0, at)
        (balls,) = [b for b in Paths().batches(state, None, None) if isinstance(b, Spheres)]
        large = np.flatnonzero(balls.rows[:, 3] > balls.rows[:, 3].min())
        assert large.tolist() == ([] if caught is None else [caught])
        FloorTool().press(state, LEFT, (0.0, at))
        assert state.queue.pop() == (do.AddPoint(0.0, at) if caught is None else do.ChoosePoint(caught))


# The mouse


class Hand:
    """A tool on the floor of a state; every touch is a frame."""

    def __init__(self, state, tool):
        self.state, self.tool = state, FloorTool()
        tell(state, do.SetTool(tool))
        state.camera.distance = 10.0

    def press(self, place, button=LEFT) -> bool:
        taken = self.tool.press(self.state, button, place)
        update(self.state, 0.02)
        return taken

    def drag(self, *places):
        for place in places:
            self.tool.drag(self.state, place)
            update(self.state, 0.02)

    def release(self):
        self.tool.release(self.state)
        update(self.state, 1.0)


def test_points_are_caught_added_and_removed(state):
    tell(state, do.SetPath(((0, 0), (0, 4), (0, 8)), curve="polyline"))
    hand = Hand(state, "edit")
    assert hand.press((0.2, 4.1))  # near the middle one
    hand.drag((1.0, 4.0), (2.0, 4.0))
    hand.release()
    np.testing.assert_allclose(state.path.points, [[0, 0], [2, 4], [0, 8]])
    assert hand.press((1.0, 2.1))  # on the line between two
    hand.drag((1.5, 1.0))
    hand.release()
    np.testing.assert_allclose(state.path.points, [[0, 0], [1.5, 1.0], [2, 4], [0, 8]])
    assert hand.press((1.5, 1.1), RIGHT)
    hand.release()
    assert len(state.path.points) == 3
    assert not hand.press((5.0, 5.0), RIGHT)  # nothing there: the camera's
    assert not hand.press((2.0, 4.0), MIDDLE)
    assert hand.press((5.0, 5.0))
    hand.drag((6.0, 5.0))
    assert state.path.chosen is None
    tell(state, do.Undo(), do.Undo(), do.Undo())  # that it was removed, moved and added
    np.testing.assert_allclose(state.path.points, [[0, 0], [2, 4], [0, 8]])


def test_the_brush_paints_from_where_it_was(state):
    tell(state, do.SetPath(((0, 0), (0, 10)), curve="polyline"), do.SetBrush("run"))
    hand = Hand(state, "paint")
    hand.press((0.1, 2.0))
    hand.drag((0.1, 3.0), (0.1, 4.0))
    hand.release()
    (_, begin, end) = state.path.labels
    assert [word for _, word in state.path.labels] == [None, "run", None]
    np.testing.assert_allclose([begin[0], end[0]], [2.0 - 0.15, 4.0 + 0.15], atol=0.03)
    hand.press((5.0, 6.0))  # far from the path
    hand.drag((0.0, 8.0))
    hand.release()
    assert [word for _, word in state.path.labels] == [None, "run", None, "run", None]
    tell(state, do.Undo(), do.Undo())
    assert state.path.labels is None


def test_where_a_path_crosses_itself_the_brush_stays_on_its_stretch(state):
    cross = ((0, 0), (0, 6), (3, 6), (3, 3), (-3, 3))
    tell(state, do.SetPath(cross, curve="polyline"), do.SetBrush("run"))
    hand = Hand(state, "paint")
    hand.press((0.0, 2.6))
    hand.drag((0.0, 3.0), (-0.5, 3.0))  # straight on, then to the left: the other stretch
    hand.release()
    stretches = [word for _, word in state.path.labels]
    assert stretches == [None, "run", None, "run", None]
    painted = state.path.labels[2][0] - state.path.labels[1][0]
    assert painted < 1.0


def test_strokes_and_goals_follow_the_hand(state):
    hand = Hand(state, "draw")
    assert not hand.press((0.0, 0.0), RIGHT)
    assert hand.press((0.0, 0.0))
    hand.drag((0.0, 1.0), (0.0, 2.0))
    assert len(state.path.stroke) == 3
    stroke = [b for b in Paths().batches(state, None, None) if isinstance(b, Lines)]
    assert stroke[-1].count == 3
    hand.release()
    assert not state.path.stroke
    assert state.path.length == pytest.approx(2.0, abs=1e-6)
    hand = Hand(state, "goal")
    hand.press((1.0, 1.0))
    hand.drag((2.0, 1.0))
    hand.release()
    assert state.path.goal == (2.0, 1.0)
    assert state.path.length == pytest.approx(2.0, abs=1e-6)
    rings = [b for b in Paths().batches(state, None, None) if isinstance(b, Marks)]
    assert rings[-1].rows[0, :3:2].tolist() == [2.0, 1.0]


def test_a_path_in_safe_colours_goes_from_blue_to_vermilion_and_is_told_by_lightness():
    usual = off_colours(SCALE)
    theme.choose(False, True)
    try:
        safe = off_colours(SCALE)
    finally:
        theme.choose(False, False)
    assert not np.allclose(usual, safe)
    assert safe[0, 2] > safe[0, 0]  # near: blue, which no one takes for the vermilion of far off
    assert safe[2, 0] > safe[2, 2]
    np.testing.assert_array_equal(off_colours(SCALE), usual)
