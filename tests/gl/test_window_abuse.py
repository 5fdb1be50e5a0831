"""What windows have to put up with: tiny sizes, minimising, closing in the middle, odd clips, hundreds of them, and
thousands of frames of opening and closing."""

import json
import signal

import numpy as np
import pytest
from bodies import person as body
from bodies import smooth_clip
from person import Person

from motiongraph.files import resource
from motiongraph.formats.save import save


@pytest.fixture(scope="module")
def clips(tmp_path_factory):
    folder = tmp_path_factory.mktemp("clips")
    rng = np.random.default_rng(6)
    save(smooth_clip(rng, body(), frames=120), folder / "walk.bvh")
    save(smooth_clip(rng, body(), frames=2)[:1], folder / "still.bvh")
    return folder


def write_long(path, frames):
    """A BVH of so many frames, the same hundred over and over."""
    save(smooth_clip(np.random.default_rng(1), body(), frames=100), path)
    head, lines = path.read_text().split("Frame Time", 1)
    rate, *lines = lines.rstrip().split("\n")
    head = head.replace("Frames: 100", f"Frames: {frames}")
    path.write_text(f"{head}Frame Time{rate}\n" + "\n".join(lines * (frames // 100)) + "\n")


@pytest.fixture
def start(screen, tmp_path):
    """start(arguments…): the program on a small window; closed at the end."""
    people = []

    def go(*arguments, **options):
        people.append(Person(screen, tmp_path, "view", *arguments, size=(480, 360), **options))
        return people[-1]

    yield go
    for someone in people:
        someone.close()


def test_tiny_windows_minimising_and_back(start, clips):
    someone = start(clips / "walk.bvh")
    someone.ready()
    for size in ([1, 1], [37, 5], [5, 400], [700, 500]):
        someone.ask(resize=size)
        someone.frames(4)
    assert someone.ask()["size"] == [700, 500]
    someone.ask(iconify=True)
    someone.frames(0)
    someone.ask(iconify=False)
    someone.frames(4)
    assert someone.ask(hidden=True)["hidden"]  # nothing to draw into, as a minimised window on some systems
    time_passes = someone.ask()["clock"]
    assert someone.until(lambda s: s["clock"] > time_passes + 0.3)["hidden"]
    someone.ask(hidden=False)
    someone.frames(4)
    assert someone.quit() == 0


def test_one_frame_plays(start, clips):
    someone = start(clips / "still.bvh")
    status = someone.ready()
    assert status["playing"]
    someone.key("Right", "End", "Left", "Home", "c", "o", "l")
    assert someone.frames(3)["frame"][0] == 0
    assert someone.quit() == 0


def test_closing_while_a_long_clip_loads(start, tmp_path):
    write_long(tmp_path / "long.bvh", 60_000)
    someone = start(tmp_path / "long.bvh")
    someone.until(lambda s: any("long.bvh" in job for job in s["jobs"]), "loading")
    assert someone.quit() == 0
    assert json.loads((tmp_path / "config" / "settings.json").read_text())["recent"]


def test_a_hundred_thousand_frames(start, tmp_path):
    write_long(tmp_path / "day.bvh", 100_000)
    someone = start(tmp_path / "day.bvh")
    someone.move(*someone.middle(someone.ready()))
    someone.key("space", "End")
    assert someone.ask()["frame"][0] == pytest.approx(99_999, abs=1e-3)
    someone.key("5", "0", "0", "0", "0", "Return")
    assert someone.ask()["frame"][0] == pytest.approx(50_000)
    someone.key("space")
    assert someone.frames(5)["playing"]


def test_two_hundred_clips_as_a_crowd(start, tmp_path):
    folder = tmp_path / "many"
    folder.mkdir()
    save(smooth_clip(np.random.default_rng(2), body(), frames=60), folder / "000.bvh")
    text = (folder / "000.bvh").read_bytes()
    for number in range(1, 200):
        (folder / f"{number:03d}.bvh").write_bytes(text)
    someone = start(folder)
    status = someone.ready(200)
    someone.move(*someone.middle(status))
    someone.key("a")
    assert someone.until(lambda s: s["characters"] == 200, "a crowd")["playing"]
    someone.key("Next", "Delete")
    assert someone.until(lambda s: s["characters"] == 199)["clips"][1] == "002"


def test_opening_and_closing_for_long_keeps_nothing(start, clips):
    """Objects on the card and bytes in memory are as many after ten thousand frames as after a few."""
    someone = start(clips / "walk.bvh", rate=1000, quality="best")
    someone.ready()
    someone.ask(resize=[200, 150])
    someone.lightly()

    def settled():
        """Nothing open: GL objects by kind and bytes of memory."""
        someone.until(lambda s: not s["clips"], do=[["RemoveAll"]])
        someone.frames(100)  # buffers that are no longer drawn are given up after a while
        return someone.ask(collect=True)["objects"], someone.memory()

    def turn(number, frames=4):
        someone.until(lambda s: len(s["clips"]) == 2 and not s["jobs"], drop=[str(clips)])
        layers = [["ToggleLayer", name] for name in ("cloud", "joints", "contacts", "flow", "crowd", "bone_style")]
        someone.ask(do=[*layers, ["PinGhost"], ["Split", 1 + number % 3]])
        someone.frames(4)
        someone.ask(do=[*layers, ["SetLayer", "cloud", "off"], ["ClearGhosts"], ["Split", 1]])
        someone.frames(frames)
        someone.ask(do=[["RemoveAll"]])
        someone.frames(frames)

    for number in range(6):
        turn(number)
    objects, memory = settled()
    end, number = someone.ask()["frames"] + 10_000, 0
    while someone.ask()["frames"] < end:
        turn(number := number + 1, 60)
    assert number > 50
    later_objects, later_memory = settled()
    assert later_objects == objects
    assert later_memory - memory < 8e6


def test_a_crash_loses_nothing(start, tmp_path):
    someone = start(resource("assets/samples") / "walk.bvh")
    someone.ready()
    someone.lightly()
    someone.ask(do=[["BuildGraph"], ["SetPath", [[0, 0], [0, 2]]], ["SetWalkOption", "random", "seconds", 3]])
    someone.until(lambda s: s["graph"] and not s["jobs"], do=[["ShowPanel", "stats", False]])
    before = someone.until(lambda s: s["results"] and not s["jobs"], do=[["MakeWalk"]])
    someone.key("F8", "F11")
    someone.until(lambda s: s["full_screen"] and s["size"] != [480, 360], "full screen")
    someone.process.send_signal(signal.SIGINT)  # as good as any mistake of ours: it comes in the middle of a frame
    assert someone.process.wait(30) == 130
    again = start(resource("assets/samples") / "jump.bvh")
    status = again.ready()
    assert status["size"] == [480, 360]
    assert "stats" not in status["shown"]
    again.spot("Unsaved work/Open")
    assert {name for name in ("Matrix", "Graph", "Walk", "Path") if again.labels(f"{name}/")} == {"Walk"}
    again.press("Unsaved work/Open")
    after = again.until(lambda s: s["results"] and not s["jobs"], "everything again")
    for name in ("clips", "results", "path", "tracks", "parts", "active"):
        assert after[name] == before[name], name
    for name in ("clips", "transitions", "limits", "candidates", "stale"):
        assert after["lanes"][name] == before["lanes"][name], name
    assert not [label for label in again.labels() if label.startswith("Unsaved work/")]
    again.ask(do=[["SaveProject", str(tmp_path / "walk 1.2")], ["Quit"]])  # quitting waits for what is being saved
    assert again.process.wait(30) == 0
    assert [path.name for path in tmp_path.rglob("*.mgproj")] == ["walk 1.2.mgproj"]
