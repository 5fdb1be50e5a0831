"""Controls of metric, graph, contacts, transitions, labels, lamp and obstacles, with mouse and keyboard."""

import numpy as np
import pytest
from person import Person

import motiongraph as mg
from motiongraph.files import resource


@pytest.fixture(scope="module")
def someone(screen, tmp_path_factory):
    """Two of the samples, paused."""
    files = [resource("assets/samples") / f"{name}.bvh" for name in ("walk", "walk_run")]
    someone = Person(screen, tmp_path_factory.mktemp("person"), "view", *files, size=(1270, 790))
    someone.ready(2)
    someone.lightly()
    someone.ask(do=[["Pause"], ["SelectClip", 1]])
    yield someone
    someone.close()


def slide(someone, name, share):
    """Drag a slider to a share of its width."""
    x, y, width, height = someone.spot(name)
    someone.drag((x + 0.5 * width, y + 0.5 * height), (x + share * width, y + 0.5 * height), steps=2)


def pick(someone, combo, line):
    someone.press(combo)
    someone.choose(line)
    someone.frames(2)


def test_the_metric_has_weights_and_sums(someone):
    someone.press("tab/Matrix")
    someone.until(lambda s: s["matrix"].get("plot") and not s["jobs"], "a matrix")
    someone.press("Matrix/How motions are compared")
    pick(someone, "Matrix/##measure", "several, added up")
    slide(someone, "Matrix/##share angle-velocity", 0.25)
    metric = someone.until(lambda s: s["metric"]["kind"] == "combined" and len(s["metric"]["shares"]) == 3)["metric"]
    assert metric["shares"]["angle-velocity"] == pytest.approx(0.5, abs=0.1)
    pick(someone, "Matrix/##measure", "point clouds")
    pick(someone, "Matrix/##weights", "by parts of the body")
    slide(someone, "Matrix/##weight trunk", 0.9)
    someone.until(lambda s: s["metric"]["joint_weights"].get("trunk", 0) > 2.2, "a heavy trunk")
    pick(someone, "Matrix/##weights", "all joints alike")
    someone.until(lambda s: s["metric"]["joint_weights"] is None and not s["jobs"], "as it was")


def test_what_becomes_a_transition(someone):
    someone.press("tab/Graph")
    assert someone.ask()["rules"] == {"border": True, "every_cell": False, "same_feet": False}
    for text, name in (
        ("at the ends of clips", "border"),
        ("every cell", "every_cell"),
        ("same feet down", "same_feet"),
    ):
        before = someone.ask()["rules"][name]
        someone.press(f"Graph/{text}")
        someone.until(lambda s, n=name, b=before: s["rules"][n] != b, text)
        if name != "same_feet":
            someone.press(f"Graph/{text}")
    someone.press("Graph/Build graph of 2 ticked clips")
    someone.until(lambda s: s["lanes"] and s["lanes"]["automatic"] is not None and not s["jobs"], "a graph")
    someone.press("Graph/½")  # more than these minima are
    someone.until(lambda s: any("build with every cell" in text for _, text in s["messages"]), "what would help")


def test_a_contact_is_dragged_in_its_row(someone):
    someone.move(*someone.middle())
    someone.key("k")
    x, y, width, height = someone.spot("##timeline/contacts")
    clip = mg.load(resource("assets/samples") / "walk.bvh")
    middle, stands = round(0.93 * (len(clip) - 1)), bool(clip.contacts()[round(0.9 * (len(clip) - 1)), 0])
    someone.drag((x + 0.90 * width, y + 0.125 * height), (x + 0.97 * width, y + 0.125 * height), button=3)
    planted = someone.until(lambda s: s["planted"], "contacts that are given")["planted"]
    heel = clip.contacts().names[0]
    assert any(name == heel and start <= middle < stop for name, start, stop in planted) is not stands
    someone.key("ctrl+z")
    someone.until(lambda s: not s["planted"], "found in the motion again")
    someone.key("k")


def test_transitions_are_dragged_in_the_timeline(someone):
    someone.ask(do=[["SetWalk", "random"], ["SetWalkOption", "random", "seconds", 10.0], ["SetThreshold", 6.0]])
    someone.ask(do=[["SetSeed", 3], ["MakeWalk"]])
    status = someone.until(lambda s: s["results"] and s["blends"] and not s["jobs"], "a walk")
    someone.ask(do=[["Pause"]])
    x, y, width, height = someone.spot("##timeline/lane 2")
    last, window = status["lasts"][2] - 1, status["blends"][0]

    def at(frame):
        return x + 6 + (width - 12) * frame / last, y + 0.75 * height

    begin = status["steps"][1]  # where the first transition begins
    someone.drag(at(begin), at(begin + 0.3 * window), steps=6)
    after = someone.until(lambda s: s["blends"][0] < 0.8 * window and not s["jobs"], "a shorter blend")
    assert after["blends"][1:] == status["blends"][1:]
    someone.move(*someone.middle())
    someone.key("ctrl+z")  # however long it took, it was one drag
    someone.until(lambda s: s["blends"] == status["blends"] and not s["jobs"], "as long as before")
    slid = None
    for number, begin in enumerate(status["steps"][1:]):
        middle = at(begin + 0.5 * window)
        someone.click(*middle, button=3)
        spots = someone.labels("list/")
        if "list/Later minimum" in spots:
            someone.press("list/Later minimum")
            someone.frames(3)
            now = someone.until(lambda s: not s["jobs"])
            if now["jumps"][number] != status["jumps"][number]:
                slid = number, now["jumps"][number], middle
                break
        someone.key("Escape")
    assert slid is not None, "no transition of this walk has a minimum after it"
    someone.key("ctrl+z")
    someone.until(lambda s: s["jumps"] == status["jumps"] and not s["jobs"], "where it was")
    number, _, middle = slid
    someone.xdotool("keydown", "shift")
    someone.move(*middle)
    someone.frames(2)
    someone.xdotool("mousedown", 1)
    for frames in (*range(15, 121, 15), *range(-15, -121, -15)):  # until another minimum is nearer
        someone.move(middle[0] + (width - 12) * frames / last, middle[1])
        someone.frames(3)
        if someone.until(lambda s: not s["jobs"])["jumps"][number] != status["jumps"][number]:
            break
    someone.xdotool("mouseup", 1, "keyup", "shift")
    someone.frames(2)
    assert someone.until(lambda s: not s["jobs"])["jumps"][number] != status["jumps"][number]


def test_several_labels_at_once_are_ticked(someone):
    someone.press("tab/Path")
    someone.ask(do=[["SetPath", [[0, 0], [0, 4]]]])
    someone.press("Path/several labels at once")
    for brush in ("walk", "straight+walk"):
        word = brush.split("+")[0]
        someone.spot("Path/several labels at once")
        boxes = {name: rect for name, rect in someone.labels(f"Path/{word}").items() if rect[2] > 0}
        name = f"Path/{word}##brush box" if f"Path/{word}##brush box" in boxes else f"Path/{word}"
        x, y, _, height = boxes[name]
        someone.click(x + 0.5 * height, y + 0.5 * height)
        someone.until(lambda s, b=brush: s["brush"] == b, brush)


def test_walks_go_around_props_unless_told_not_to(someone):
    someone.ask(do=[["AddProp", "box"], ["SetWalk", "path"]])
    someone.press("tab/Walk")
    someone.press("Walk/More")
    someone.move(*someone.spot("Walk/More")[:2])
    while "Walk/Around the props" not in someone.labels():
        someone.xdotool("click", 5)
        someone.frames(2)
    assert someone.ask()["walk"]["options"]["around"]
    someone.press("Walk/Around the props")
    someone.until(lambda s: not s["walk"]["options"]["around"], "through the props")


def test_the_lamp_moves(someone):
    someone.press("tab/Scene")
    x, y, _, height = someone.spot("tab/Scene")
    someone.move(x + 20, y + height + 60)
    someone.xdotool("click", "--repeat", 60, 5)
    someone.frames(8)
    someone.ask(do=[["SetLayer", "shadows", True]])
    before, usual = someone.picture(), someone.ask()["layers"]["lamp_turn"]
    slide(someone, "Scene/##lamp_turn", 0.9)
    assert someone.ask()["layers"]["lamp_turn"] > usual + 90
    someone.frames(4)
    x, y, width, height = (round(v) for v in someone.ask()["scene"])
    changed = np.abs(before.astype(int) - someone.picture())[y + 60 : y + height, x : x + width].max(axis=2) > 12
    assert changed.mean() > 0.002  # another side of the body is lit
