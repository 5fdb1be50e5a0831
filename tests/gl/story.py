"""One long story, told with the mouse and the keyboard: from a folder of clips to new motion, and back to it another
day. The tests tell it quickly; `scripts/make_film.py` tells it to an audience."""

import numpy as np


def whole_story(someone, folder, out, left_out=(), pair=("walk", "walk_left"), order=("walk", "run"), mirror=False):
    """From an empty library to a project in `out`; folder: of clips; left_out: clips that are not to take part; pair:
    clips to compare; order: of a sequence; mirror: with mirror images. Returns what there is to compare with after
    reopening. What an audience is told and has time to see goes through `someone.tells` and `someone.waits`."""
    someone.tells("Open a folder of motion capture")
    open_folder(someone, folder)
    someone.waits(1.0)
    for name in left_out:
        someone.press(f"Library/{name}")
        someone.key("x")
    someone.tells("Build a motion graph of the ticked clips")
    build(someone, mirror)
    someone.waits(1.0)
    someone.tells("Drag the threshold: the graph follows at once")
    drag_threshold(someone)
    someone.tells("Point at the distance matrix: both poses, aligned. Click: the blended transition")
    preview_a_minimum(someone, pair)
    someone.tells("A greedy walk")
    greedy(someone)
    someone.waits(2.0)
    someone.tells("A sequence: " + ", then ".join(order))
    sequence(someone, order)
    someone.waits(3.0)
    someone.tells("Draw a path on the floor, and it is walked")
    follow_an_s(someone)
    someone.tells("Scrub; export; save the project")
    scrub(someone)
    someone.waits(0.5)
    export(someone, out)
    someone.key("ctrl+s")
    someone.answer("Save the project as", out / "story.mgproj")
    someone.until(lambda s: not s["jobs"] and (out / "story.mgproj").exists(), "the project")
    return someone.ask()


def open_folder(someone, folder) -> None:
    someone.move(*someone.middle())
    someone.key("ctrl+shift+n")
    someone.until(lambda s: not s["clips"], "an empty library")
    someone.key("ctrl+shift+o")
    someone.answer("Open a folder of clips", folder)
    someone.ready()


def build(someone, mirror=False) -> None:
    someone.press("tab/Graph")
    if mirror:
        someone.press("Graph/with mirror images")
    ticked = sum(used for *_, used in someone.ask()["parts"].values())
    someone.press(f"Graph/Build graph of {ticked} ticked clips")
    someone.until(lambda s: s["graph"] and not s["jobs"] and s["lanes"]["automatic"], "a graph")


def drag_threshold(someone) -> None:
    """Up with the slider, to the automatic choice, and to a little more than that."""
    x, y, width, height = someone.spot("Graph/##threshold")
    before, middle = someone.ask()["lanes"], y + 0.5 * height
    someone.drag((x + 0.12 * width, middle), (x + 0.4 * width, middle), steps=12)
    after = someone.until(lambda s: s["lanes"]["transitions"] > before["transitions"], "more transitions")["lanes"]
    assert after["built"] == before["built"]  # nothing was compared again
    someone.waits(0.7)
    automatic = someone.ask()["lanes"]["automatic"]
    someone.press(f"Graph/Auto {automatic:.2g}")
    someone.until(lambda s: s["lanes"]["auto"], "the automatic threshold")
    someone.waits(0.5)
    someone.drag((x + 0.14 * width, middle), (x + 0.22 * width, middle), steps=8)
    someone.until(lambda s: not s["lanes"]["auto"] and s["lanes"]["limits"][0] > 1.5, "a chosen threshold")


def preview_a_minimum(someone, pair) -> None:
    """Two clips compared, the cheapest cell looked at, clicked and played."""
    someone.press("tab/Matrix")
    for name, clip in zip(("rows", "columns"), pair):
        someone.press(f"Matrix/##{name}")
        someone.choose(clip)

    def compared(status):
        matrix = status["matrix"]
        return matrix.get("clips") == list(pair) and matrix["complete"] and matrix["plot"] and not status["jobs"]

    status = someone.until(compared, "a matrix")
    matrix = status["matrix"]
    x, y, width, height = matrix["plot"]
    left, top, right, bottom = matrix["seen"]
    row, column = matrix["best"][0][:2]
    place = x + width * (column + 0.5 - left) / (right - left), y + height * (row + 0.5 - top) / (bottom - top)
    someone.move(*place)
    someone.until(lambda s: s["pair"] is not None, "both poses")
    someone.waits(1.2)
    someone.click(*place)
    someone.until(lambda s: s["active"] == 2 and s["tracks"][2] and "→" in s["tracks"][2], "a preview")
    someone.move(*someone.middle())
    someone.waits(2.0)


def _make(someone, method: str) -> dict:
    """Press the button, whatever it says now."""
    count = len(someone.ask()["results"])
    label = next(name for name in someone.labels("Walk/") if name.startswith("Walk/Make "))
    someone.press(label)
    done = someone.until(lambda s: len(s["results"]) > count or s["walk"]["problem"], f"a {method} walk")
    assert not done["walk"]["problem"], done["walk"]["problem"]
    return done


def greedy(someone) -> None:
    someone.press("tab/Walk")
    someone.press("Walk/greedy")
    assert _make(someone, "greedy")["results"][-1][1] == "greedy"


def sequence(someone, order) -> None:
    someone.press("Walk/sequential")
    for word in order:
        someone.press("Walk/##add")
        someone.choose(word)
    assert _make(someone, "sequential")["results"][-1][2] >= len(order) - 1


def follow_an_s(someone) -> None:
    """Draw an S on the floor, seen from above, and walk it."""
    someone.move(*someone.middle())
    someone.key("p")
    someone.rests()
    someone.waits(0.4)
    x, y, width, height = someone.ask()["scene"]
    turn = np.linspace(0.0, 1.0, 24)
    across = 0.5 + 0.24 * np.sin(2.0 * np.pi * turn)
    stroke = np.stack([x + width * across, y + height * (0.78 - 0.46 * turn)], axis=1)
    someone.stroke(stroke)
    assert someone.ask()["path"]["length"] > 3.0
    count = len(someone.ask()["results"])
    someone.press("tools/Walk it")
    someone.move(*someone.middle())
    status = someone.until(lambda s: len(s["results"]) > count, "a walk along the path")
    assert status["results"][-1][1] == "path"
    someone.waits(6.0)


def scrub(someone) -> None:
    x, y, width, height = someone.spot("##timeline/lane 2")
    someone.drag((x + 0.3 * width, y + 0.3 * height), (x + 0.6 * width, y + 0.3 * height), steps=10)
    status = someone.ask()
    assert 0.4 < status["frame"][2] / status["lasts"][2] < 0.8


def export(someone, out) -> None:
    """The result as BVH and the matrix as a picture."""
    someone.move(*someone.middle())
    someone.key("ctrl+e")
    someone.answer("Export the clip as .bvh, .amc or .glb", out / "story.bvh")
    someone.until(lambda s: (out / "story.bvh").exists(), "the motion")
    someone.press("tab/Matrix")
    someone.press("Matrix/Export")
    someone.press("list/Figure with axes and legend (.png)")
    someone.answer("Save the figure of the matrix as", out / "matrix.png")
    someone.until(lambda s: (out / "matrix.png").exists(), "the figure")
