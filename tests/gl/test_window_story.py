"""The window as a person meets it: started from the command line, driven by keys and mouse, checked by state and
pixels."""

import json
import subprocess
import sys

import imageio_ffmpeg
import numpy as np
import pytest
from bodies import person as body
from bodies import smooth_clip
from conftest import ROOT
from dropping import Drag
from person import Person
from PIL import Image

from motiongraph.formats.save import save


@pytest.fixture(scope="module")
def clips(tmp_path_factory):
    """A folder with two clips of 2 s."""
    folder = tmp_path_factory.mktemp("clips")
    rng = np.random.default_rng(4)
    for name in ("ann", "bob"):
        save(smooth_clip(rng, body(), frames=240), folder / f"{name}.bvh")
    return folder


@pytest.fixture(scope="module")
def shared(screen, clips, tmp_path_factory):
    """One window for all the stories that leave it as they found it; started as a person would."""
    someone = Person(screen, tmp_path_factory.mktemp("person"), clips, program=[ROOT / "scripts" / "run"])
    someone.ready(2)
    someone.lightly()
    yield someone
    someone.close()


@pytest.fixture
def someone(shared):
    """At rest: paused at the first frame of the first clip, one view, the mouse over the scene."""
    status = shared.ask()
    assert status["views"] == 1
    shared.move(*shared.middle(status))
    if status["playing"]:
        shared.key("space")
    shared.key("Home")
    return shared


def test_playing_and_pausing(someone):
    someone.key("space")
    first = someone.ask()
    assert first["playing"]
    later = someone.frames(5)
    elapsed = later["elapsed"][0] - first["elapsed"][0]
    assert elapsed == pytest.approx(later["clock"] - first["clock"], abs=1e-6)  # by the clock
    someone.key("space")
    still = someone.ask()
    assert not still["playing"]
    assert someone.frames(3)["frame"] == still["frame"]


def test_a_thing_dropped_on_the_window_stands_in_the_scene(someone, tmp_path):
    corners = [(x, y, z) for x in (0.0, 0.4) for y in (0.0, 1.2) for z in (0.0, 0.4)]
    faces = "f 1 2 4 3\nf 5 7 8 6\nf 1 5 6 2\nf 3 4 8 7\nf 1 3 7 5\nf 2 6 8 4\n"
    (tmp_path / "post.obj").write_text("".join("v {} {} {}\n".format(*corner) for corner in corners) + faces)
    x, y, width, height = map(round, someone.rests()["scene"])
    before = someone.picture()[y : y + height, x : x + width].astype(int)
    status = someone.until(lambda s: s["props"], "it stands there", drop=[str(tmp_path / "post.obj")])
    assert status["props"] == [["post", *map(pytest.approx, (0.4, 1.2, 0.4))]]
    someone.frames(2)
    after = someone.picture()[y : y + height, x : x + width].astype(int)
    assert (np.abs(after - before).max(axis=2) > 30).sum() > 500
    someone.press("tab/Scene")
    panel = someone.spot("Scene/Body")
    someone.move(panel[0] + 5, panel[1] + 5)
    for name in ("Scene/##one", "Scene/Remove"):
        someone.xdotool("click", "--repeat", 20, "--delay", 1, 5)  # to the end of the panel
        someone.press(name)
    someone.until(lambda s: not s["props"], "it is gone")
    someone.press("tab/Clip")


def test_stepping_and_jumping(someone):
    someone.key("Right", "Right", "Right", "Left")
    assert someone.ask()["frame"][0] == pytest.approx(2)
    someone.key("End")
    assert someone.ask()["frame"][0] == pytest.approx(239)
    someone.key("Home")
    assert someone.ask()["frame"][0] == 0


def test_typing_a_number_seeks(someone):
    someone.key("1", "2", "3", "Return")
    assert someone.ask()["frame"][0] == pytest.approx(123)
    yaw = someone.ask()["camera"]["yaw"]
    someone.key("KP_1", "KP_7", "Return")
    assert someone.ask()["frame"][0] == pytest.approx(17)
    assert someone.ask()["camera"]["yaw"] == yaw


def test_dragging_the_timeline_scrubs(someone):
    width, height = someone.ask()["size"]
    y = height - 45
    someone.drag((0.3 * width, y), (0.6 * width, y))
    there = someone.ask()["frame"][0]
    assert there == pytest.approx(0.6 * 239, abs=6)
    before = someone.picture()
    someone.drag((0.6 * width, y), (0.2 * width, y))
    assert someone.ask()["frame"][0] == pytest.approx(0.2 * 239, abs=6)
    assert np.abs(before.astype(int) - someone.picture()).max() > 60  # another pose is seen


def test_dragging_an_end_in_the_timeline_trims(someone):
    x, y, width, height = someone.spot("##timeline/lane 0")
    someone.drag((x + width - 6, y + 0.3 * height), (x + 0.5 * width, y + 0.3 * height))
    assert someone.ask()["parts"]["ann"][:2] == [0, pytest.approx(121, abs=4)]
    someone.move(*someone.middle())
    someone.key("backslash")
    assert someone.ask()["parts"]["ann"][:2] == [0, 240]


def test_labels_belong_to_the_clip_they_were_typed_for(someone):
    someone.press("Clip/##labels")
    someone.xdotool("type", "--delay", 2, "hop")
    someone.frames(10)  # what happens at once is spread over several frames
    someone.ask(do=[["SelectClip", 2]])  # another clip comes into the hand, as it does when files are opened
    status = someone.until(lambda s: s["parts"]["ann"][2] == "hop", "labels")
    assert (status["tracks"][0], status["parts"]["bob"][2]) == ("bob", "")
    someone.ask(do=[["SelectClip", 1]])
    someone.move(*someone.middle())
    someone.key("ctrl+z")
    assert someone.ask()["parts"]["ann"][2] == ""


def test_the_way_of_the_root_is_chosen(someone):
    someone.press("##timeline/##root")
    someone.press("list/Straight on")
    someone.move(*someone.middle())
    assert someone.ask()["playback"]["root"] == "straight"
    someone.key("comma")
    assert someone.ask()["playback"]["direction"] == pytest.approx(np.radians(15))
    someone.key("period", "i")  # after the last one comes the first
    playback = someone.ask()["playback"]
    assert (playback["root"], playback["direction"]) == ("captured", pytest.approx(0.0, abs=1e-9))


def test_menus(someone):
    someone.press("##MainMenuBar/Scene")
    someone.press("list/Joints")
    assert someone.until(lambda s: s["layers"]["joints"], "joints")
    someone.move(*someone.middle())
    someone.key("j")
    yaw = someone.ask()["camera"]["yaw"]
    someone.press("##MainMenuBar/Camera")
    someone.press("list/Orbit")
    someone.press("list/Turn right")
    someone.until(lambda s: s["camera"]["yaw"] == pytest.approx(yaw + 5), "turned")
    someone.move(*someone.middle())
    someone.key("alt+Left")
    assert someone.ask()["camera"]["yaw"] == pytest.approx(yaw)


def test_orbit_zoom_pan_and_reset(someone):
    start = someone.ask()["camera"]
    x, y = someone.middle()
    someone.drag((x, y), (x + 80, y + 20))
    orbited = someone.ask()["camera"]
    assert orbited["yaw"] != pytest.approx(start["yaw"], abs=5)
    assert orbited["pitch"] > start["pitch"] + 3
    someone.move(x, y)
    someone.frames(2)
    someone.xdotool("click", 4)
    assert someone.until(lambda s: s["camera"]["distance"] < 0.95 * orbited["distance"], "zoomed in")
    someone.drag((x, y), (x + 60, y), button=2)
    assert not someone.ask()["follow"]
    someone.key("f")
    assert someone.ask()["follow"]
    someone.key("z")
    wanted = lambda s: abs(s["camera"]["distance"] - start["distance"]) < 0.02  # noqa: E731
    someone.until(wanted, "reset")


def test_the_camera_stays_above_the_floor(someone):
    x, y = someone.middle()
    for _ in range(3):
        someone.drag((x, y + 60), (x, y - 120))
    assert someone.ask()["camera"]["eye"][1] > 0.0
    someone.key("z")
    someone.until(lambda s: s["camera"]["pitch"] > 10, "reset")


def test_flying(someone):
    x, y = someone.middle()
    someone.move(x, y)
    someone.frames(2)
    status = someone.ask()
    before = np.array(status["camera"]["eye"])
    someone.xdotool("mousedown", 3)
    someone.frames(2)
    someone.xdotool("keydown", "w")
    moved = someone.until(lambda s: np.linalg.norm(np.array(s["camera"]["eye"]) - before) > 0.3, "flown")
    someone.xdotool("keyup", "w")
    someone.xdotool("mouseup", 3)
    someone.frames(2)
    for name in ("layers", "tool", "results", "jobs"):  # the letter was for flying, and nothing else
        assert moved[name] == status[name]
    someone.key("z")
    someone.until(lambda s: s["follow"])


def test_layers_and_ghosts(someone):
    empty = someone.picture()
    someone.key("c", "j", "k", "g")
    status = someone.ask()
    assert (status["layers"]["cloud"], status["layers"]["joints"], status["ghosts"]) == ("pose", True, 1)
    assert np.abs(empty.astype(int) - someone.picture()).max() > 60
    someone.key("c", "c", "j", "k")
    someone.key("shift+g")
    status = someone.ask()
    assert (status["layers"]["cloud"], status["layers"]["joints"], status["ghosts"]) == ("off", False, 0)


def test_the_last_ghost_is_shifted_and_taken_back(someone):
    someone.key("g", "Right", "g")
    assert someone.ask()["ghosts"] == 2
    before = someone.picture()
    x, y = someone.middle()
    someone.xdotool("keydown", "alt")
    someone.drag((x, y + 40), (x + 80, y + 40))
    someone.xdotool("keyup", "alt")
    assert np.abs(before.astype(int) - someone.picture()).max() > 40
    someone.key("shift+g")
    assert someone.ask()["ghosts"] == 1
    someone.key("g", "ctrl+g")
    assert someone.ask()["ghosts"] == 0


def test_the_character_is_moved_turned_and_put_back(someone):
    x, y = someone.middle()
    someone.xdotool("keydown", "ctrl")
    someone.drag((x, y + 40), (x + 60, y + 40))
    someone.xdotool("keyup", "ctrl")
    theta, right, _ = someone.ask()["places"]["ann"]
    assert theta == 0.0
    assert abs(right) > 0.1
    someone.xdotool("keydown", "ctrl", "keydown", "shift")
    someone.drag((x, y), (x + 60, y))
    someone.xdotool("keyup", "shift", "keyup", "ctrl")
    assert someone.ask()["places"]["ann"][0] == pytest.approx(3.0 * 60 / someone.ask()["scene"][3], rel=0.2)
    someone.key("ctrl+Home")
    assert someone.ask()["places"] == {}


def test_speed_loops_and_named_views(someone):
    someone.key("Up", "r", "l")
    playback = someone.ask()["playback"]
    assert (playback["speed"], playback["reverse"], playback["loop"]) == (1.5, True, "ping-pong")
    someone.key("Down", "Down", "r", "l")
    playback = someone.ask()["playback"]
    assert (playback["speed"], playback["reverse"], playback["loop"]) == (0.75, False, "once")
    someone.key("ctrl+Up", "l")
    assert someone.ask()["playback"]["speed"] == 1.0
    for key, pitch in (("ctrl+3", 90.0), ("ctrl+1", 4.0), ("ctrl+4", 14.0)):
        someone.key(key)
        someone.until(lambda s, pitch=pitch: abs(s["camera"]["pitch"] - pitch) < 0.1, key)


def test_split_views_have_their_own_frames(someone):
    someone.key("alt+2")
    status = someone.until(lambda s: s["views"] == 2 and s["characters"] == 2)
    assert status["tracks"][:2] == ["ann", "bob"]
    someone.key("Right", "Right")
    someone.key("Tab", "Right", "Right", "Right", "Right", "Right")
    status = someone.ask()
    assert status["active"] == 1
    assert status["frame"][:2] == pytest.approx([2, 5])
    picture = someone.picture()
    x, y, width, height = (round(v) for v in status["scene"])
    halves = picture[y : y + height, x : x + width // 2], picture[y : y + height, x + width // 2 : x + width]
    colours = [half.reshape(-1, 3).astype(int) for half in halves]
    # One character is warm, the other cool.
    assert (colours[0][:, 0] - colours[0][:, 2]).max() > 60
    assert (colours[1][:, 2] - colours[1][:, 0]).max() > 40
    someone.key("Tab")
    someone.key("alt+1")
    assert someone.ask()["views"] == 1


def test_hiding_the_panels_gives_the_scene_all_the_room(someone):
    someone.key("u")
    status = someone.frames(2)
    assert not status["panels"]
    assert status["scene"][2:] == pytest.approx(status["size"])
    x, y = (round(place) for place in someone.middle(status))
    assert someone.picture()[y - 100 : y + 100, x - 100 : x + 100].std() > 5  # the character
    someone.ask(do=[["OpenPaths", ["nowhere.bvh"]]])  # what goes wrong is said all the same
    someone.press("status/")
    assert "status/" not in someone.labels()
    someone.key("u")
    status = someone.frames(3)
    assert status["scene"][2] < status["size"][0]


def test_full_screen_and_back(someone):
    before = someone.ask()["size"]
    someone.key("F11")
    assert someone.until(lambda s: s["full_screen"])["size"] != before
    someone.key("F11")
    someone.until(lambda s: not s["full_screen"] and s["size"] == before, "back to a window")


def test_screenshots(someone, shared):
    someone.key("F12")
    someone.until(lambda s: any("picture in" in text for _, text in s["messages"]), "picture")
    (found,) = (shared.folder / "pictures" / "motiongraph").glob("*.png")
    picture = np.asarray(Image.open(found))
    scene = someone.ask()["scene"]
    assert picture.shape[:2] == (round(scene[3]), round(scene[2]))
    assert picture.std() > 5  # something is to be seen


def frames_of(path):
    """(frames, height, width, 3) of a video."""
    reader = imageio_ffmpeg.read_frames(str(path))
    width, height = next(reader)["size"]
    return np.array([np.frombuffer(frame, np.uint8).reshape(height, width, 3) for frame in reader], int)


def test_a_video_of_the_clip(someone, tmp_path):
    someone.ask(do=[["SetSetting", "film_rate", 5]])
    someone.key("ctrl+r")
    someone.press("Video of the clip/Save as…")
    someone.answer("Save the video as", tmp_path / "film")
    someone.until(lambda s: not s["jobs"] and (tmp_path / "film.mp4").exists(), "a film")
    seen = frames_of(tmp_path / "film.mp4")
    assert len(seen) == 10  # 2 s
    assert seen.shape[1:3] == tuple(round(side) // 2 * 2 for side in someone.ask()["scene"][:1:-1])
    assert np.abs(seen[0] - seen[5]).max() > 60
    # The other way round, with nothing to draw into: what is seen first comes last, whatever is done meanwhile. One
    # begins with the first frame and the other with the last, so that 0.2 s from the start is where they meet.
    for name, reverse, hidden in (("there", False, False), ("back", True, True)):
        someone.ask(do=[["SetReverse", reverse], ["RecordVideo", str(tmp_path / f"{name}.mp4"), 5, 96, 96]])
        someone.until(lambda s: any("recording" in job for job in s["jobs"]), "recording")
        someone.ask(hidden=hidden, do=[["SetReverse", not reverse], ["SetSpeed", 3.0], ["SelectClip", 2]])
        someone.until(lambda s, name=name: not s["jobs"] and (tmp_path / f"{name}.mp4").exists(), name)
        someone.ask(hidden=False, do=[["SetReverse", False], ["SetSpeed", 1.0], ["SelectClip", 1]])
    there, back = frames_of(tmp_path / "there.mp4"), frames_of(tmp_path / "back.mp4")
    assert len(there) == len(back) == 10
    assert np.abs(there[1] - back[-1]).mean() < 0.5 * np.abs(there[1] - back[0]).mean()


def test_a_video_that_is_cancelled_leaves_nothing(someone, tmp_path):
    someone.ask(do=[["RecordVideo", str(tmp_path / "film.mp4"), 240, 96, 96]])
    someone.press("##status/cancel")
    status = someone.until(lambda s: not s["jobs"], "no job")
    assert not list(tmp_path.iterdir())
    assert "error" not in {level for level, text in status["messages"] if "film" in text}


def test_replacing_a_file_is_asked(someone, tmp_path):
    target = tmp_path / "there.bvh"
    target.write_text("precious")
    someone.key("ctrl+e")
    someone.answer("Export the clip as .bvh, .amc or .glb", tmp_path / "there")
    someone.spot("Replace it?/Another name…")
    assert target.read_text() == "precious"
    someone.press("Replace it?/Replace it")
    someone.until(lambda s: target.read_text().startswith("HIERARCHY"), "replaced")


def test_help(someone):
    someone.key("shift+slash")
    assert "shortcuts" in someone.until(lambda s: "shortcuts" in s["shown"], "help")["shown"]
    someone.key("Escape")
    someone.until(lambda s: "shortcuts" not in s["shown"], "closed")


def test_opening_by_dialog(someone, clips, tmp_path):
    """Where the system has no dialogs our own comes up, and a path can be typed into it."""
    target = tmp_path / "typed.bvh"
    target.write_bytes((clips / "ann.bvh").read_bytes())
    someone.key("ctrl+o")
    someone.frames(3)
    someone.xdotool("type", "--delay", 40, str(target))
    someone.frames(3)
    someone.key("Return")
    someone.until(lambda s: "typed" in s["clips"], "opened")
    someone.key("Delete")
    someone.until(lambda s: "typed" not in s["clips"], "removed")


def test_dropping_good_and_bad_while_playing(someone, clips, tmp_path):
    bad = tmp_path / "bad.bvh"
    bad.write_text("HIERARCHY\nROOT hips\n{\n  OFFSET 0 0 zero\n")
    good = tmp_path / "good.bvh"
    good.write_bytes((clips / "bob.bvh").read_bytes())
    someone.key("space")
    drag = Drag(someone.screen.name)  # from another program, by the window system
    window = int(someone.xdotool("search", "--name", "motiongraph").split()[-1])
    drag.drop(window, [bad, good, tmp_path / "none"], tuple(map(round, someone.middle())))
    drag.close()
    status = someone.until(lambda s: "good" in s["clips"] and not s["jobs"], "dropped")
    assert status["playing"]
    errors = [text for level, text in status["messages"] if level == "error"]
    assert any("bad.bvh:4:14" in text for text in errors)
    assert any("no such file" in text for text in errors)
    someone.key("Delete")
    someone.until(lambda s: "good" not in s["clips"])
    someone.key("Prior")


def test_first_run_quits_and_remembers(screen, tmp_path):
    """No arguments: a window soon, a sample playing in it and a hint beside it; and the size is remembered. It can be
    left at any time: with a dialog of the system open, and in the middle of a video."""
    system = tmp_path / "bin" / "zenity"
    system.parent.mkdir()
    system.write_text("#!/bin/sh\nexec sleep 60\n")
    system.chmod(0o755)
    someone = Person(screen, tmp_path, size=(1180, 640), hint=True, found=system.parent)
    try:
        status = someone.until(lambda s: s["frames"] > 0)
        assert status["size"] == [1180, 640]
        status = someone.ready(18)
        assert (status["playing"], status["tracks"][0]) == (True, "walk")
        someone.spot("hint/Build")
        x, y = (round(place) for place in someone.middle())
        for _ in range(20):  # when the clip begins again, the camera takes a moment to be back
            middle = someone.picture()[y - 80 : y + 80, x - 60 : x + 60].astype(int)
            if (warm := (middle[..., 0] - middle[..., 2]).max()) > 60:
                break
            someone.frames(4)
        assert warm > 60  # the character, which is warm, is where the camera looks
        someone.lightly()
        someone.ask(resize=[760, 500])
        someone.until(lambda s: s["size"] == [760, 500], "resized")
        someone.ask(do=[["RecordVideo", str(tmp_path / "film.mp4"), 240, 96, 96]])
        someone.until(lambda s: any("recording" in job for job in s["jobs"]), "recording")
        someone.move(*someone.middle())
        someone.key("ctrl+o")
        someone.spot("Open clips/Cancel")
        someone.ask(do=[["Quit", "keep"]])
        assert someone.process.wait(20) == 0
    finally:
        someone.close()
    assert not (tmp_path / "film.mp4").exists()
    settings = json.loads((tmp_path / "config" / "settings.json").read_text())
    assert (settings["width"], settings["height"]) == (760, 500)
    assert "Library" in (tmp_path / "config" / "layout.ini").read_text()
    assert not someone.socket.exists()


def test_without_a_display_one_sentence_says_what_to_do(clips):
    environment = {"PATH": "/usr/bin", "HOME": "/nonexistent"}
    result = subprocess.run(
        [sys.executable, "-m", "motiongraph", "view", str(clips)], env=environment, capture_output=True, text=True
    )
    assert result.returncode == 1
    assert result.stderr.count("\n") == 1
    assert "no window can be opened" in result.stderr
    assert "xvfb-run" in result.stderr
