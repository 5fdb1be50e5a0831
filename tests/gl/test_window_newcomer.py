"""Someone who has never heard of motion graphs starts the program and does what the window says, nothing else."""

import time

import numpy as np
from person import Person


def test_from_launch_to_a_character_on_a_drawn_path_and_a_driven_one(screen, tmp_path):
    someone = Person(screen, tmp_path, size=(1280, 800), hint=True)
    try:
        someone.lightly()
        status = someone.until(lambda s: s["ready"] and len(s["clips"]) > 4 and s["characters"], "the samples")
        assert status["hint"]  # "Make a character walk where you draw", in four steps
        assert status["playing"]
        assert status["frame"][0] != someone.frames(5)["frame"][0]
        someone.press("hint/Build")
        someone.until(lambda s: s["graph"] and not s["jobs"], "a graph")
        someone.press("hint/Draw")
        assert someone.rests()["tool"] == "draw"
        x, y, width, height = someone.ask()["scene"]
        along = np.linspace(0.0, 1.0, 20)
        across = x + width * (0.5 + 0.2 * np.sin(2.0 * np.pi * along))
        someone.stroke(np.stack([across, y + height * (0.62 - 0.36 * along)], axis=1))
        asked = someone.ask()["path"]["length"]
        assert asked > 3.0
        someone.press("hint/Walk it")
        status = someone.until(lambda s: s["results"] and s["active"] == 2 and s["playing"], "a walk")
        assert status["results"][0][1] == "path"
        assert status["walk"]["problem"] == ""
        someone.press("tools/Lead")  # as the guide says now
        before = someone.until(lambda s: s["led"] and s["led"]["seconds"] > 0.3, "a character to drive")["led"]["place"]
        someone.move(*someone.middle())
        someone.xdotool("keydown", "w")
        someone.until(lambda s: np.hypot(*np.subtract(s["led"]["place"], before)) > 1.0, "it is driven")
        someone.xdotool("keyup", "w")
        assert not [text for level, text in someone.ask()["messages"] if level == "error"]
        print(f"on a drawn path, and driven, {time.monotonic() - someone.started:.0f} s after the start")
    finally:
        someone.close()
