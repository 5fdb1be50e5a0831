"""The walk panel as a person meets it: one press to motion, another seed, comparing, going to a step, removing; what
each transition was taken for; results renamed and saved; orders dragged, motions connected, places reached."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from person import Person
from pygltflib import GLTF2

from motiongraph.files import resource

SIZE = (1080, 800)
SAVING = "Save the motion as .bvh, .amc or .glb"


@pytest.fixture(scope="module")
def someone(screen, tmp_path_factory):
    """One run of the program, in which results gather."""
    clips = [resource("assets/samples") / f"{name}.bvh" for name in ("walk", "walk_left_90", "run", "walk_run")]
    someone = Person(screen, tmp_path_factory.mktemp("person"), "view", *clips, size=SIZE)
    someone.ready(4)
    someone.lightly()
    someone.press("tab/Walk")
    yield someone
    someone.close()


def test_from_one_press_to_results_side_by_side(someone):
    lane = np.s_[SIZE[1] - 60 : SIZE[1] - 30, : SIZE[0]]
    captured = someone.picture()[lane].astype(int)
    someone.press("Walk/Build the graph and make a walk")
    status = someone.until(lambda s: len(s["results"]) == 1, "made")
    assert status["graph"]
    assert status["results"][0][0] == "random 1"
    assert (status["tracks"][2], status["active"], status["playing"]) == ("random 1", 2, True)
    assert np.abs(someone.picture()[lane] - captured).max(axis=2).mean() > 20  # pieces and transitions, not labels

    someone.key("ctrl+shift+Return")
    status = someone.until(lambda s: len(s["results"]) == 2, "another seed")
    assert status["walk"]["seed"] == 1
    someone.key("space")
    someone.press("Walk/random 1")  # a click on the first replays it
    status = someone.until(lambda s: s["tracks"][2] == "random 1", "chosen")
    someone.key("space")
    someone.press("Walk/3")
    someone.until(lambda s: s["frame"][2] == pytest.approx(s["steps"][2]), "at the third step")
    someone.press("Walk/A")
    someone.until(lambda s: s["views"] == 2 and s["tracks"][0] == "random 1", "shown as A")
    someone.key("alt+1")
    someone.key("Delete")
    someone.until(lambda s: [r[0] for r in s["results"]] == ["random 2"], "removed")
    someone.ask(do=[["Split", 1], ["Pause"]])


def test_why_a_transition_was_taken_and_what_else_there_was(someone):
    someone.press("Walk/random 2")
    someone.until(lambda s: s["tracks"][2] == "random 2" and s["active"] == 2)
    someone.press("Walk/3")
    someone.key("y")
    someone.until(lambda s: s["why"] == ["random 2", 1, False] and s["pair"] and not s["playing"], "its windows")
    rows = {rect[1]: name for name, rect in someone.labels("Why this transition/").items() if name[-1].isdigit()}
    someone.press(rows[min(rows)])  # the cheapest
    status = someone.until(lambda s: s["why"] and s["why"][2], "it is played")
    assert status["why"][:2] == ["random 2", 1]  # what is explained is still the result
    assert status["tracks"][2] != "random 2"
    someone.press("Why this transition/back to the result")
    status = someone.until(lambda s: s["why"] == ["random 2", 1, False] and s["pair"], "back")
    assert status["tracks"][2] == "random 2"
    someone.key("y")
    someone.until(lambda s: s["why"] is None and s["pair"] is None, "no more")


def test_a_result_is_renamed_and_saved(someone):
    someone.press("Walk/random 2", 3)
    someone.press("list/Rename")
    someone.spot("Walk/##name")
    someone.xdotool("type", "to and fro")
    someone.key("Return")
    status = someone.until(lambda s: s["results"][0][0] == "to and fro", "renamed")
    with TemporaryDirectory() as folder:  # whose name is soon typed
        path = Path(folder, "made.glb")
        someone.press("Walk/Save")
        someone.answer(SAVING, path)
        someone.until(lambda s: not s["jobs"] and path.exists(), "saved")
        file = GLTF2().load(str(path))
    assert file.accessors[file.animations[0].samplers[0].input].count == status["lasts"][2]


def test_an_order_is_put_together_and_dragged(someone):
    someone.press("Walk/sequential")
    someone.ask(do=[["SetWalkOption", "sequential", "order", ["walk_left_90"]]])
    someone.press("Walk/##add")
    someone.choose("run")
    first, second = someone.spot("Walk/1  walk_left_90"), someone.spot("Walk/2  run")
    someone.drag((first[0] + 40, first[1] + 8), (second[0] + 40, second[1] + 12))
    someone.spot("Walk/1  run")
    someone.spot("Walk/2  walk_left_90")
    someone.press("Walk/Make a walk")
    status = someone.until(lambda s: not s["jobs"] and s["results"][-1][1] == "sequential", "walked")
    assert status["results"][-1][2] >= 1


def test_two_motions_are_connected(someone):
    someone.press("Walk/connect")
    someone.ask(do=[["SetWalkOption", "connect", "source", "walk"]])
    someone.press("Walk/##target")
    someone.choose("run")
    someone.press("Walk/Make a walk")
    someone.until(lambda s: not s["jobs"] and s["results"][-1][1] == "connect", "connected")


def test_a_place_on_the_floor_is_reached(someone):
    someone.press("Walk/reach")
    someone.press("Walk/Plant")
    x, y, width, height = someone.until(lambda s: s["tool"] == "goal", "pointing")["scene"]
    someone.click(x + 0.6 * width, y + 0.8 * height)
    goal = someone.until(lambda s: s["goal"], "planted")["goal"]
    someone.ask(do=[["SetTool", "off"]])
    someone.press("Walk/Make a walk")
    status = someone.until(lambda s: not s["jobs"] and s["results"][-1][1] == "reach", "walked")
    assert status["goal"] == goal
    assert not status["walk"]["problem"]
