"""What the window does while nothing happens, and that it takes everything that happens at once."""

import time
from pathlib import Path

import pytest
from person import Person

from motiongraph.files import resource


@pytest.fixture(scope="module")
def someone(screen, tmp_path_factory):
    folder = tmp_path_factory.mktemp("smooth")
    someone = Person(screen, folder, "view", resource("assets/samples") / "walk.bvh", size=(1280, 720), samples=4)
    someone.ready()
    yield someone
    someone.close()


def processor_time(process) -> float:
    """Seconds of all its threads."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100.0


def test_a_window_in_which_nothing_happens_waits(someone):
    someone.ask(do=[["Pause"]])
    someone.until(lambda s: not s["playing"])
    before = someone.ask()["frames"]
    someone.move(5, 5)
    time.sleep(6.0)
    used = processor_time(someone.process)
    time.sleep(5.0)
    used = processor_time(someone.process) - used
    frames = someone.ask()["frames"]
    assert used < 0.75  # 15 % of a core: hardly 3 on a quiet machine; one that goes on drawing takes all there is
    assert before < frames
    someone.key("Right")  # and wakes up at once
    assert someone.until(lambda s: s["frame"][0] >= 1.0)


def test_everything_typed_between_two_frames_arrives(someone):
    """Dear ImGui takes one key a frame; whatever the frame rate, nothing is left for the next one."""
    someone.ask(do=[["ShowPanel", "fetch", True]])
    someone.press("Get CMU clips/##into")
    before = someone.frames(3)["frames"]
    words = "/some/where/that/is/rather/long/to/type/16"
    someone.xdotool("type", "--delay", 0, words)
    status = someone.until(lambda s: s["texts"].get("into") == words, "the words")
    assert status["frames"] - before < len(words)
    someone.press("Get CMU clips/Cancel")
