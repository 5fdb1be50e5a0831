"""What a person does at the edges: cancelling what takes long, the threshold at both ends, a clip that fits none."""

import numpy as np
from person import Person

from motiongraph.files import resource
from motiongraph.formats.save import save
from motiongraph.model.clip import Clip
from motiongraph.model.skeleton import Skeleton


def idle(status):
    return not status["jobs"]


def cancel(someone, name: str, job: str) -> dict:
    """Press a button while the job runs; its end."""
    someone.until(lambda s: any(job in title for title in s["jobs"]), f"a job: {job}")
    someone.press(name)
    return someone.until(idle, f"{job} stops")


def test_cancelling_in_the_middle(screen, tmp_path, mocap):
    """Opening, building, walking: each is stopped while it runs, and nothing of it is left. Of comparing, which is over
    too soon here, and of every step of the others see test_app_cancelling.py."""
    someone = Person(screen, tmp_path, "view", mocap / "cmu" / "asf_amc" / "16" / "16_15.amc", size=(1280, 800))
    try:
        someone.ready()
        someone.lightly()
        someone.ask(do=[["Pause"]])
        someone.ask(do=[["OpenPaths", [str(mocap / "cmu")]]])
        status = cancel(someone, "##status/cancel", "opening")
        opened = len(status["clips"])
        assert opened < 170
        someone.ask(do=[["RemoveAll"], ["OpenPaths", [str(mocap / "cmu" / "asf_amc" / "16")]]])
        someone.ready(58)
        someone.press("tab/Graph")
        someone.press("Graph/with mirror images")
        someone.press("Graph/Build graph of 58 ticked clips")
        status = cancel(someone, "Graph/Cancel", "graph")
        assert not status["graph"]
        someone.ask(do=[["SetGraphOption", "mirror", False]])
        someone.press("Graph/Build graph of 58 ticked clips")
        someone.until(lambda s: s["graph"] and idle(s), "a graph after all")
        someone.press("tab/Walk")
        someone.press("Walk/random")
        someone.ask(do=[["SetWalkOption", "random", "seconds", 7200.0]])
        someone.press(next(name for name in someone.labels("Walk/") if name.startswith("Walk/Make ")))
        status = cancel(someone, "Walk/Cancel", "making")
        assert status["results"] == []
        assert someone.quit() == 0
    finally:
        someone.close()


def test_a_stranger_and_both_ends_of_the_threshold(screen, tmp_path):
    body = Skeleton(("root", "tail", "tip"), (-1, 0, 1), np.array([[0, 0, 0], [0, 0.5, 0], [0, 0.5, 0]], float))
    turns = np.tile([1.0, 0.0, 0.0, 0.0], (200, 3, 1))
    save(Clip(body, np.zeros((200, 3)), turns, 120.0, "stranger"), tmp_path / "stranger.bvh")
    samples = [resource("assets/samples") / f"{name}.bvh" for name in ("walk", "walk_left")]
    someone = Person(screen, tmp_path, "view", *samples, tmp_path / "stranger.bvh", size=(1280, 800))
    try:
        someone.ready(3)
        someone.lightly()
        someone.ask(do=[["Pause"]])
        someone.press("tab/Graph")
        someone.press("Graph/Build graph of 3 ticked clips")
        lanes = someone.until(lambda s: s["graph"] and idle(s) and s["lanes"]["automatic"], "a graph")["lanes"]
        assert lanes["clips"] == ["walk", "walk_left"]
        assert any("stranger" in warning for warning in lanes["warnings"])
        x, y, width, height = someone.spot("Graph/##threshold")
        middle = y + 0.5 * height
        someone.drag((x + 0.12 * width, middle), (x - 40, middle), steps=6)
        lanes = someone.until(lambda s: s["lanes"]["limits"] == [0.0, 0.0], "the threshold at zero")["lanes"]
        assert lanes["transitions"] == 0
        someone.press("tab/Walk")
        someone.press("Walk/random")
        someone.press(next(name for name in someone.labels("Walk/") if name.startswith("Walk/Make ")))
        assert someone.until(lambda s: s["walk"]["problem"], "why there is no walk")["results"] == []
        someone.press("tab/Graph")
        someone.drag((x + 4, middle), (x + width + 40, middle), steps=6)
        lanes = someone.until(lambda s: s["lanes"]["limits"] == [15.0, 15.0], "the threshold at the ceiling")["lanes"]
        assert lanes["transitions"] > 0
        assert someone.quit() == 0
    finally:
        someone.close()
