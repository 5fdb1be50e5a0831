"""Nothing is lost: quitting asks, signals and an X server that closes keep the work, and the next start offers it."""

import json
import signal

import pytest
from person import Person, Screen, screen_needed

import motiongraph as mg
from motiongraph.files import resource
from motiongraph.formats.labels_file import read_bones

ASKED = "Save before closing?"


def test_work_outlives_quitting_signals_and_the_display(tmp_path):
    screen_needed()
    screen = Screen()
    walk = resource("assets/samples") / "walk.bvh"
    someone = Person(screen, tmp_path, "view", walk)
    try:
        someone.ready()
        someone.lightly()
        someone.until(lambda s: s["title"] == "walk – motiongraph", "a title")
        someone.ask(do=[["Trim", 1, 5, 60]])
        someone.until(lambda s: s["title"] == "*untitled – walk – motiongraph", "a mark")
        someone.move(*someone.middle())
        someone.key("ctrl+q")
        someone.press(f"{ASKED}/Cancel")
        assert not someone.until(lambda s: not s["asked"])["jobs"]
        someone.key("ctrl+q")
        someone.press(f"{ASKED}/Save as…")
        someone.spot("Save the project as/Cancel")
        someone.key("ctrl+a")
        someone.xdotool("type", "--delay", 2, str(tmp_path / "steps.mgproj"))
        someone.frames(4)
        someone.xdotool("key", "Return")
        assert someone.process.wait(60) == 0
        someone.close()

        someone = Person(screen, tmp_path, "view", tmp_path / "steps.mgproj")
        someone.until(lambda s: s["ready"] and s["title"] == "steps – walk – motiongraph", "the project")
        someone.ask(do=[["Trim", 1, 5, 50]])
        someone.until(lambda s: s["title"].startswith("*steps"), "a mark")
        someone.process.send_signal(signal.SIGTERM)
        assert someone.process.wait(60) == 128 + signal.SIGTERM
        someone.close()

        someone = Person(screen, tmp_path, "view", walk)
        someone.ready()
        someone.press("Unsaved work/Open")
        status = someone.until(lambda s: s["parts"].get("walk", [0])[:2] == [5, 50], "the work again")
        assert "unsaved" not in status["shown"]
        someone.ask(do=[["Trim", 1, 5, 40]])
        someone.until(lambda s: s["parts"]["walk"][:2] == [5, 40])
        screen.close()
        assert someone.process.wait(60) == 1
        assert "the display is gone" in someone.log.read_text()
        (kept,) = (tmp_path / "config").glob("autosave-*.mgproj")
        assert kept.stem.endswith("1 clip")
    finally:
        someone.close()
        screen.process.kill()


def test_preferences_hold_and_panels_widen_with_the_text(screen, tmp_path):
    someone = Person(screen, tmp_path, "view", resource("assets/samples") / "walk.bvh", size=(1280, 720))
    try:
        before = someone.ready()
        someone.lightly()
        someone.move(*someone.middle(before))
        someone.key("ctrl+comma")
        someone.press("Preferences/##light")
        someone.choose("light")
        x, y, *_ = someone.spot("Library/##use")
        assert someone.picture()[round(y + 3), round(x - 4)].min() > 150  # paper
        someone.ask(do=[["SetSetting", "zoom", 1.3]])
        assert someone.until(lambda s: s["scene"][2] < before["scene"][2] - 100, "wider panels")["scene"][2] > 200
        someone.ask(do=[["SetSetting", "keys", {"play": "Shift+F7"}]])
        someone.frames(3)
        someone.key("shift+F7")
        assert not someone.until(lambda s: not s["playing"], "the key of one's own")["asked"]
        assert someone.quit() == 0
    finally:
        someone.close()
    settings = json.loads((tmp_path / "config" / "settings.json").read_text())
    assert (settings["light"], settings["zoom"], settings["keys"]) == (True, 1.3, {"play": "Shift+F7"})


def test_many_clips_are_chosen_with_shift_and_found_in_long_lists(screen, tmp_path):
    folder = tmp_path / "many"
    folder.mkdir()
    text = (resource("assets/samples") / "walk.bvh").read_text().split("\n")
    at = next(i for i, line in enumerate(text) if line.startswith("Frames:"))
    short = "\n".join([*text[:at], "Frames: 4", *text[at + 1 : at + 6], ""])
    for number in range(120):
        (folder / f"{number:03d}.bvh").write_text(short)
    someone = Person(screen, tmp_path, "view", folder, size=(1280, 720))
    try:
        someone.ready(120)
        someone.lightly()
        someone.press("Library/##filter")
        someone.xdotool("type", "--delay", 2, "01")
        someone.frames(4)
        someone.press("Library/010")
        someone.xdotool("keydown", "shift")
        someone.press("Library/012")
        someone.xdotool("keyup", "shift")
        someone.spot("Clip/Remove 3 clips")
        someone.press("Library/011", button=3)
        someone.press("list/Untick 3 clips")
        status = someone.until(lambda s: not s["parts"]["011"][3], "unticked")
        assert [name for name, part in status["parts"].items() if not part[3]] == ["010", "011", "012"]
        someone.press("tab/Matrix")
        someone.press("Matrix/##columns")
        someone.spot("list/##search")
        someone.xdotool("type", "--delay", 2, "117")
        someone.press("list/117")
        assert someone.quit() == 0
    finally:
        someone.close()


def test_what_files_mean_is_changed_by_hand(screen, tmp_path):
    """Another skeleton, unit and up axis of a clip, for itself or its folder, and which bone leads which."""
    folder, walk = tmp_path / "clips", resource("assets/samples") / "walk.bvh"
    folder.mkdir()
    mg.save(mg.load(walk)[:240], folder / "body.amc")
    (tmp_path / "tall.asf").write_text((folder / "body.asf").read_text().replace("length 0.45", "length 0.4", 1))
    (folder / "other.bvh").write_text(walk.read_text().replace("ROOT root", "ROOT Hips"))
    someone = Person(screen, tmp_path, "view", folder, size=(1280, 780))

    def line(*words):
        """The line that says what the file means, once it has these words."""
        someone.until(lambda s: not s["jobs"], "read again")
        someone.until(lambda s: any(all(w in spot for w in ("m tall", *words)) for spot in s["spots"]), f"{words}")
        return next(name for name in someone.labels("Clip/") if "m tall" in name)

    try:
        someone.ready(2)
        someone.lightly()
        someone.press("Graph/Bones…")
        someone.press("list/##lfoot")
        someone.choose("keeps still")
        someone.press("list/Save…")
        someone.answer("Save the map of bones as", tmp_path / "bones.toml")
        someone.until(lambda s: (tmp_path / "bones.toml").exists(), "the map is written")
        someone.key("Escape")
        assert read_bones(tmp_path / "bones.toml") == {"lfoot": ""}
        someone.press("Library/body")
        found = line("0.45 per inch", "y up (guessed)")
        someone.press(found)
        someone.press("list/body.asf…")
        someone.answer("Choose the skeleton (.asf) of this motion", tmp_path / "tall.asf")
        taller = line("0.4 per inch")
        height = [float(text.split(" m tall")[0].split()[-1]) for text in (found, taller)]
        assert height[1] / height[0] == pytest.approx(0.45 / 0.4, abs=0.01)
        if not someone.labels("list/##unit"):
            someone.press(taller)
        someone.press("list/for all clips of its folder")
        someone.press("list/##unit")
        someone.choose("mm")
        line("mm", "y up")
        someone.press("list/##up")
        someone.choose("z")
        line("mm", "z up")
        someone.key("Escape")
        someone.press("Library/other")
        line("mm", "z up")
    finally:
        someone.close()
