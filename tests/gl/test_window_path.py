"""The path tool as a person uses it: drawn with the mouse, moved, walked, and a character led to a planted goal."""

import shutil

import numpy as np
import pytest
from person import Person

from motiongraph.files import resource


@pytest.fixture(scope="module")
def someone(screen, tmp_path_factory):
    """A window on two walks, no panels in the way of the floor."""
    folder = tmp_path_factory.mktemp("clips")
    for name in ("walk", "walk_left_90"):
        shutil.copy(resource("assets/samples") / f"{name}.bvh", folder)
    someone = Person(screen, tmp_path_factory.mktemp("person"), "view", folder, size=(900, 600))
    try:
        someone.ready(2)
        someone.lightly()
        someone.ask(do=[["SetLabels", 1, ["walk"]]])
        someone.move(*someone.middle())
        someone.key("u")
        yield someone
    finally:
        someone.close()


def test_drawing_editing_walking_and_leading(someone):
    x, y, width, height = someone.ask()["scene"]
    before = someone.picture()
    someone.key("p")
    status = someone.rests()
    assert status["tool"] == "draw"
    assert not status["follow"]
    share = np.linspace(0.0, 1.0, 16)
    wave = np.stack([x + width * (0.2 + 0.6 * share), y + height * (0.55 - 0.15 * np.sin(6 * share))], axis=1)
    someone.stroke(wave)
    drawn = someone.ask()["path"]
    assert drawn["length"] > 4.0
    assert np.abs(before.astype(int) - someone.picture()).max() > 60  # it is to be seen
    yaw = someone.ask()["camera"]["yaw"]
    assert yaw == status["camera"]["yaw"]  # drawing does not turn the camera
    someone.drag((x + 0.5 * width, y + 0.8 * height), (x + 0.6 * width, y + 0.8 * height), button=3)
    assert someone.ask()["camera"]["yaw"] != pytest.approx(yaw, abs=1)  # the right button does
    someone.drag((x + 0.6 * width, y + 0.8 * height), (x + 0.5 * width, y + 0.8 * height), button=3)

    someone.key("e")
    start = wave[0]
    someone.drag(start, (start[0] - 40, start[1] + 30))
    moved = someone.ask()["path"]
    assert moved["points"] == drawn["points"]
    assert moved["length"] > drawn["length"] + 0.1
    for _ in range(6):  # one edit, or a few where the machine is so slow that the drag seems to pause
        if someone.ask()["path"]["length"] > drawn["length"] + 1e-6:
            someone.key("ctrl+z")
    assert someone.ask()["path"]["length"] == pytest.approx(drawn["length"])

    someone.move(x + 0.5 * width, y + 0.9 * height)
    someone.key("w")
    status = someone.until(lambda s: "path 1" in s["clips"], "walked")
    assert status["graph"]
    assert status["tool"] == "off"
    assert status["tracks"][2] == "path 1"

    someone.key("shift+w")
    someone.until(lambda s: s["led"] and s["led"]["seconds"] > 0.5, "led")
    someone.key("v")
    someone.click(x + 0.7 * width, y + 0.6 * height)
    status = someone.until(lambda s: s["goal"] is not None, "planted")
    assert status["led"]["seconds"] > 0.0
    someone.key("Escape", "Escape")  # puts the tool away, then stops leading
    status = someone.until(lambda s: "live 1" in s["clips"], "kept")
    assert status["led"] is None
    assert "live" not in status["clips"]
    assert not [text for level, text in status["messages"] if level == "error"]


def test_painting_points_ready_made_paths_replay_and_reset(someone):
    someone.ask(do=[["ClearPath"], ["Pause"]])
    x, y, width, height = someone.ask()["scene"]
    someone.key("p")
    someone.rests()
    share = np.linspace(0.0, 1.0, 9)
    line = np.stack([x + width * (0.25 + 0.5 * share), y + height * (0.6 - 0.1 * share)], axis=1)
    someone.stroke(line)
    drawn = someone.ask()["path"]
    someone.key("shift+e")
    someone.press("tool hint/walk")
    someone.stroke(line[3:6])
    labels = someone.ask()["path"]["labels"]
    assert [word for _, word in labels] == [None, "walk", None]
    assert 0.2 < labels[1][0] / drawn["length"] < labels[2][0] / drawn["length"] < 0.8

    someone.key("e")
    # Where there is a point already, none is added.
    between = next(place for place in np.linspace(line[3], line[5], 9) if _click_adds(someone, *place))
    someone.click(*between, button=3)
    assert someone.ask()["path"]["points"] == drawn["points"]

    someone.key("Escape", "u")
    someone.press("tab/Path")
    someone.press("Path/eight")
    eight = someone.until(lambda s: s["path"]["closed"], "a ready-made path")["path"]
    someone.press("Path/Smooth")
    smooth = someone.until(lambda s: s["path"]["length"] < eight["length"] - 0.01, "smoothed")["path"]
    assert smooth["closed"]
    someone.press("Path/Close path")
    someone.until(lambda s: not s["path"]["closed"] and s["path"]["length"] < smooth["length"], "opened")

    made = len(someone.ask()["results"])
    someone.press("Path/Walk it")
    walked = someone.until(lambda s: len(s["results"]) == made + 1, "walked")
    someone.ask(do=[["Pause"], ["Seek", walked["lasts"][2] - 1]])
    someone.press("Path/Replay")
    someone.until(lambda s: s["playing"] and s["frame"][2] < 0.9 * walked["lasts"][2], "replayed")
    someone.press("Path/Reset")
    after = someone.until(lambda s: len(s["results"]) == made, "taken back")
    assert after["path"]["points"]
    assert not [text for level, text in after["messages"] if level == "error"]


def _click_adds(someone, x, y) -> bool:
    before = someone.ask()["path"]["points"]
    someone.click(x, y)
    return someone.ask()["path"]["points"] > before
