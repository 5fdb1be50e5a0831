"""Nothing is lost: quitting asks, signals and an X server that closes keep the work, and the next start offers it."""

import json
import signal

from person import Person, Screen, screen_needed

from motiongraph.files import resource

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
