"""The matrix as a person meets it: looked at, pointed at, clicked, zoomed, its threshold dragged, its view written."""

import numpy as np
import pytest
from bodies import person as body
from bodies import smooth_clip
from person import Person
from PIL import Image

from motiongraph.formats.save import save


@pytest.fixture(scope="module")
def someone(screen, tmp_path_factory):
    folder = tmp_path_factory.mktemp("clips")
    rng = np.random.default_rng(4)
    for name in ("ann", "bob"):
        save(smooth_clip(rng, body(), frames=300), folder / f"{name}.bvh")
    someone = Person(screen, tmp_path_factory.mktemp("person"), "view", folder, size=(1100, 700))
    someone.ready(2)
    someone.lightly()
    x, y, width, _ = someone.ask(do=[["Pause"], ["SelectClip", 2, 1]])["scene"]
    someone.click(x + width + 25, y + 10)  # the first tab at the right
    someone.until(lambda s: s["matrix"].get("plot") and s["matrix"]["clips"] == ["ann", "bob"] and not s["jobs"])
    someone.frames(8)
    yield someone
    someone.close()


def place(status, row, column):
    """Where a cell is on the screen."""
    x, y, width, height = status["matrix"]["plot"]
    left, top, right, bottom = status["matrix"]["seen"]
    return x + width * (column + 0.5 - left) / (right - left), y + height * (row + 0.5 - top) / (bottom - top)


def test_pointing_shows_both_poses_and_leaving_takes_them_back(someone):
    status = someone.ask()
    assert status["matrix"]["shape"] == [261, 261]
    before = someone.picture()
    someone.move(*place(status, 200, 50))
    pair = someone.until(lambda s: s["pair"], "a pair")["pair"]
    assert pair["frames"] == pytest.approx([200, 50], abs=2)
    x, y, width, height = (round(v) for v in status["scene"])
    someone.frames(3)
    scene = np.s_[y + 60 : y + height, x : x + width]
    assert np.abs(before[scene].astype(int) - someone.picture()[scene]).max() > 60
    someone.move(*someone.middle(status))
    someone.until(lambda s: s["pair"] is None, "nobody")
    someone.move(*place(status, 10, 10))
    someone.until(lambda s: s["pair"], "a pair")
    someone.key("u")  # a panel that is not there points at nothing
    someone.until(lambda s: s["pair"] is None, "nobody")
    someone.key("u")
    someone.frames(4)


def test_a_click_near_a_minimum_plays_the_transition_there(someone):
    status = someone.ask(do=[["SetMatrixThreshold", 1000.0]])
    status = someone.frames(3)
    row, column, _ = status["matrix"]["best"][0]
    x, y = place(status, row, column)
    someone.click(x + 3, y)
    status = someone.until(lambda s: s["tracks"][2] and not s["jobs"], "the transition")
    assert status["tracks"][2] == "ann → bob"
    assert status["playing"]
    assert status["active"] == 2
    someone.move(*someone.middle(status))
    someone.frames(2)
    someone.key("y")
    status = someone.until(lambda s: s["why"], "why")
    assert status["why"][1] == 0
    assert not status["playing"]
    status = someone.until(lambda s: s["pair"], "its windows")
    assert status["pair"]["frames"] == [row, column]
    someone.key("y")
    someone.until(lambda s: s["why"] is None and s["pair"] is None, "no more")
    someone.ask(do=[["TakeTrack", 0], ["Pause"]])


def test_a_right_click_loops_or_says_why_not(someone):
    # Below and to the left of a minimum there is a way back by it; at the upper right there is none.
    status = someone.until(lambda s: s["matrix"]["below"] == 0, "no minima to click", do=[["SetMatrixThreshold", 0.0]])
    (rows, columns), window = status["matrix"]["shape"], status["matrix"]["window"]
    leads = ((row + window + 3, column - window - 3) for row, column, _ in status["matrix"]["best"])
    cell = next((row, column) for row, column in leads if row < rows and column >= 0)
    someone.click(*place(status, *cell), button=3)
    someone.until(lambda s: s["tracks"][2] == "loop of ann and bob" and not s["jobs"], "a loop")
    errors = [text for level, text in someone.ask()["messages"] if level == "error"]
    assert not errors
    someone.click(*place(status, 2, columns - 3), button=3)
    status = someone.until(lambda s: s["messages"][0][0] == "error", "why there is none")
    assert "upper right" in status["messages"][0][1]
    someone.ask(do=[["DismissMessages"], ["TakeTrack", 0], ["Pause"]])


def test_the_wheel_goes_down_to_single_cells(someone):
    status = someone.ask()
    x, y, width, height = status["matrix"]["plot"]
    someone.move(x + 0.5 * width, y + 0.5 * height)
    someone.frames(2)
    for _ in range(20):
        someone.xdotool("click", "--repeat", 4, 4)
        left, top, _, bottom = (status := someone.frames(2))["matrix"]["seen"]
        if bottom - top < 9:  # cells
            break
    row, column = round(top + 4), round(left + 4)
    for cell in ((row, column), (row + 1, column), (row + 1, column + 1)):
        someone.move(*place(status, *cell))
        someone.until(lambda s, cell=cell: s["pair"] and s["pair"]["frames"] == list(cell), f"cell {cell}")
    assert place(status, row + 1, column)[1] - place(status, row, column)[1] > 20  # pixels
    someone.press("Matrix/Whole")
    someone.until(lambda s: s["matrix"]["seen"][3] - s["matrix"]["seen"][1] > 250, "all of it")


def test_how_motions_are_compared(someone):
    someone.press("Matrix/point clouds")
    someone.move(*place(someone.ask(), 100, 100))
    someone.until(lambda s: s["pair"] and s["pair"]["clouds"], "a pair of clouds")
    someone.press("Matrix/point clouds")
    someone.press("Matrix/How motions are compared")
    x, y, *_ = someone.spot("Matrix/How motions are compared")
    someone.move(x + 60, y + 5)
    someone.xdotool("click", "--repeat", 12, 5)
    someone.press("Matrix/at the border too")
    someone.press("Matrix/##which")
    someone.press("list/lower than the four beside")
    someone.until(lambda s: s["matrix"]["search"][::2] == ["partial", True] and not s["jobs"], "other minima")
    someone.press("Matrix/##measure")
    someone.press("list/joint angles")
    someone.until(lambda s: s["matrix"]["unit"] == "°" and not s["jobs"], "angles compared")
    x, y, wide, high = someone.spot("Matrix/##window")
    someone.click(x + 0.5 * wide, y + 0.5 * high)
    someone.until(lambda s: 50 <= s["matrix"]["window"] <= 70 and not s["jobs"], "windows of half a second")
    usual = [["SetMetric", "kind", "cloud"], ["SetMetric", "window", 1 / 3], ["SetMinima", "border", False]]
    someone.ask(do=[*usual, ["SetMinima", "method", "neighbours"]])
    someone.press("Matrix/How motions are compared")
    someone.until(lambda s: s["matrix"]["unit"] == "cm" and s["matrix"]["window"] == 40 and not s["jobs"], "as before")


def test_the_wheel_zooms_and_dragging_moves(someone):
    whole = someone.ask()["matrix"]["seen"]
    x, y = place(someone.ask(), 130, 130)
    someone.move(x, y)
    for _ in range(5):
        someone.xdotool("click", 4)
        someone.frames(2)
    near = someone.frames(3)["matrix"]["seen"]
    assert near[2] - near[0] < 0.8 * (whole[2] - whole[0])
    # Cells stay as high as they are wide.
    _, _, width, height = someone.ask()["matrix"]["plot"]
    assert (near[2] - near[0]) / width == pytest.approx((near[3] - near[1]) / height, rel=0.02)
    someone.drag((x, y), (x + 40, y + 20))
    moved = someone.ask()["matrix"]["seen"]
    assert moved[0] < near[0] - 1
    assert not someone.ask()["jobs"]  # a drag is no click


def test_dragging_the_line_in_the_histogram_changes_threshold_and_colours(someone):
    someone.ask(do=[["SetMatrixThreshold", 12.0]])
    status = someone.frames(4)
    x, y, width, height = status["matrix"]["plot"]
    right = status["size"][0] - 20
    here = y + height + 118  # the histogram, below the axis and the slider
    before = someone.picture()
    someone.click(x + 0.8 * (right - x), here)
    status = someone.frames(4)
    assert status["matrix"]["threshold"] > 12.5
    rows, columns = np.s_[round(y) + 4 : round(y + height) - 4], np.s_[round(x) + 4 : round(x + width) - 4]
    after = someone.picture()[rows, columns]
    assert after.sum() > before[rows, columns].sum() * 1.02  # lighter


def test_the_view_is_written_as_shown(someone, tmp_path):
    target = tmp_path / "view.png"
    someone.move(*someone.middle())
    someone.frames(4)
    someone.ask(do=[["ExportMatrix", str(target), "view"]])
    someone.until(lambda s: any(str(target) in text for _, text in s["messages"]), "written")
    picture = np.asarray(Image.open(target))
    left, top, right, bottom = (round(v) for v in someone.ask()["matrix"]["view"][1:])
    np.testing.assert_array_equal(picture, someone.picture()[top:bottom, left:right])
    assert picture.std() > 10
