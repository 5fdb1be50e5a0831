"""Driving a character with real keys and the mouse, as someone who has never seen the program would."""

import shutil
import subprocess

import numpy as np
import pytest
from person import Person

from motiongraph.app.update import EVERYTHING, isolated
from motiongraph.files import resource


@pytest.fixture(scope="module")
def someone(screen, tmp_path_factory):
    # With nothing in the cache that takes minutes beside other work, and is not what is tested here.
    subprocess.run(isolated(EVERYTHING), check=True)
    folder = tmp_path_factory.mktemp("clips")
    for name in ("idle", "walk", "walk_left_90"):
        shutil.copy(resource("assets/samples") / f"{name}.bvh", folder)
    someone = Person(screen, tmp_path_factory.mktemp("person"), "view", folder, size=(900, 700))
    try:
        someone.ready(3)
        someone.lightly()
        yield someone
    finally:
        someone.close()


def test_keys_mouse_and_looking_back(someone):
    someone.move(*someone.middle())
    someone.key("u", "shift+w")
    before = someone.until(lambda s: s["led"] and s["led"]["seconds"] > 0.3, "it waits to be driven")["led"]
    someone.move(*someone.middle())
    someone.xdotool("keydown", "w")
    far = lambda s: np.hypot(*np.subtract(s["led"]["place"], before["place"])) > 1.0  # noqa: E731
    status = someone.until(far, "it goes")
    assert status["led"]["steered"][:2] == [0.0, 1.0]
    assert status["tool"] == "off"
    someone.xdotool("keyup", "w")
    someone.until(lambda s: s["led"]["steered"][:2] == [0.0, 0.0], "it is let go")
    x, y, width, height = status["scene"]
    someone.click(x + 0.6 * width, y + 0.75 * height)
    someone.until(lambda s: s["goal"] is not None, "a goal without a tool")
    yaw = someone.ask()["camera"]["yaw"]
    someone.drag((x + 0.5 * width, y + 0.5 * height), (x + 0.65 * width, y + 0.5 * height), button=3)
    assert someone.ask()["camera"]["yaw"] != pytest.approx(yaw, abs=1)
    assert someone.ask()["follow"]
    someone.key("space", "Left", "Left")
    someone.until(lambda s: s["led"]["shown"] < s["led"]["span"][1], "looked at again")
    someone.key("y")
    someone.until(lambda s: "why" in s["shown"], "why")
    someone.key("y", "Escape")
    status = someone.until(lambda s: "live 1" in s["clips"], "kept")
    assert status["led"] is None
    assert not [text for level, text in status["messages"] if level == "error"]


def test_a_crowd_is_started_with_the_mouse(someone):
    """In the Scene panel: it sets off, everyone moves, it stops and goes; the clip that was shown is there again."""
    if not someone.ask()["panels"]:
        someone.key("u")
    someone.key("F4")
    someone.press("Scene/Start")
    status = someone.until(lambda s: s["crowd"], "a crowd")
    assert status["characters"] == 0
    before = np.array(status["crowd"])
    assert len(before) == 30
    apart = lambda s: np.linalg.norm(np.array(s["crowd"]) - before, axis=1)  # noqa: E731
    status = someone.until(lambda s: np.median(apart(s)) > 0.5, "all of them go")
    someone.press("Scene/Stop")
    before = np.array(someone.frames(2)["crowd"])
    assert apart(someone.frames(4)).max() == 0.0
    someone.press("Scene/Go on")
    someone.until(lambda s: apart(s).max() > 0.1, "they go on")
    someone.key("ctrl+z")
    someone.until(lambda s: s["crowd"] is None, "taken back")
    assert someone.ask()["characters"] == 1
    assert not [text for level, text in someone.ask()["messages"] if level == "error"]
