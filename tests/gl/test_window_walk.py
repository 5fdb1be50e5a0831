"""The walk panel as a person meets it: one press to motion, another seed, comparing, going to a step, removing."""

import numpy as np
import pytest
from person import Person

from motiongraph.resources import resource

SIZE = (1280, 800)


def test_from_one_press_to_results_side_by_side(screen, tmp_path):
    clips = [resource("assets/samples") / f"{name}.bvh" for name in ("walk", "walk_left_90", "run", "walk_run")]
    someone = Person(screen, tmp_path, "view", *clips, size=SIZE)
    try:
        story(someone)
    finally:
        someone.close()


def story(someone):
    someone.ready(4)
    someone.lightly()
    someone.press("tab/Walk")
    captured = someone.picture()
    someone.press("Walk/Build the graph and make a walk")
    status = someone.until(lambda s: len(s["results"]) == 1, "made")
    assert status["graph"]
    assert status["results"][0][0] == "random 1"
    assert (status["tracks"][2], status["active"], status["playing"]) == ("random 1", 2, True)
    lane = someone.picture()[-60:-30].astype(int)
    assert np.abs(lane - captured[-60:-30]).max(axis=2).mean() > 20  # pieces and transitions, not labels

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
