"""The graph panel as a person meets it: built with a key, its threshold dragged, a curve pointed at and played."""

import pytest
from person import Person


@pytest.fixture(scope="module")
def someone(screen, tmp_path_factory):
    """Three of the samples, paused, the graph's panel in front."""
    from motiongraph.files import resource

    files = [resource("assets/samples") / f"{name}.bvh" for name in ("walk", "run", "walk_run")]
    someone = Person(screen, tmp_path_factory.mktemp("person"), "view", *files, size=(1100, 760))
    someone.ready(3)
    someone.lightly()
    someone.ask(do=[["Pause"], ["ShowPanel", "graph", True]])
    yield someone
    someone.close()


@pytest.fixture
def built(someone):
    """With a graph, all of it in view."""
    if someone.ask()["lanes"] is None:
        someone.move(*someone.middle())
        someone.key("ctrl+b")
    whole = [["FilterGraph", "kept", False], ["FilterGraph", "kind", "all"], ["FilterGraph", "labels", []]]
    someone.ask(do=[["ShowLanes"], ["SetThreshold", "auto"], *whole])
    someone.until(settled, "the picture of the graph")
    return someone


def settled(status):
    lanes = status["lanes"]
    ready = lanes and lanes["automatic"] is not None and lanes["limits"] == [lanes["automatic"]] * 2
    return bool(ready) and not status["jobs"] and lanes["curves"][2] == lanes["curves"][0] > 0


def place(someone, seconds, lane):
    lanes = someone.ask()["lanes"]
    (x, y, wide, high), (left, right, top, bottom) = lanes["rect"], lanes["span"]
    return x + wide * (seconds - left) / (right - left), y + high * (lane - top) / (bottom - top)


def test_built_and_drawn(built):
    lanes = built.ask()["lanes"]
    assert lanes["clips"] == ["walk", "run", "walk_run"]
    assert lanes["stale"] == ""
    x, y, wide, high = (round(value) for value in lanes["rect"])
    picture = built.picture()[y : y + high, x : x + wide].astype(int)
    warm = (picture[..., 0] > 150) & (picture[..., 0] > picture[..., 2] + 40)  # curves of cheap transitions
    assert warm.mean() > 0.005


def test_pointing_shows_the_pair_and_clicking_plays_it(built):
    x0, y0, x1, y1 = built.ask()["lanes"]["ends"]
    near = place(built, x0 + 0.001 * (x1 - x0), y0 + 0.03 * (y1 - y0))
    built.move(*near)
    status = built.until(lambda s: s["pair"] is not None, "a pair in the scene")
    assert status["lanes"]["pointed"] is not None
    assert {status["pair"]["a"], status["pair"]["b"]} <= set(status["lanes"]["clips"])
    built.click(*near)
    status = built.until(lambda s: s["active"] == 2 and s["tracks"][2] is not None, "a preview")
    assert "→" in status["tracks"][2]
    built.move(*built.middle())
    assert built.until(lambda s: s["pair"] is None)["lanes"]["pointed"] is None
    built.ask(do=[["TakeTrack", 0], ["Pause"]])
    built.move(*near)
    built.until(lambda s: s["pair"] is not None, "the pair again")
    built.key("u")  # a panel that is not there points at nothing
    assert built.until(lambda s: s["pair"] is None, "nobody")["lanes"]["pointed"] is None
    built.key("u")
    built.move(*built.middle())


def test_resting_on_a_bar_shows_its_curves_alone(built):
    everything = built.ask()["lanes"]["curves"][0]
    built.move(*place(built, 2.0, 0))
    built.until(lambda s: 0 < s["lanes"]["curves"][0] < everything, "the curves of one lane")
    built.move(*built.middle())
    built.until(lambda s: s["lanes"]["curves"][0] == everything, "all of them")


def test_the_wheel_zooms_and_dragging_moves(built):
    whole = built.ask()["lanes"]["span"]
    middle = place(built, sum(whole[:2]) / 2, sum(whole[2:]) / 2)
    built.move(*middle)
    built.frames(2)
    for _ in range(4):
        built.xdotool("click", 4)
        built.frames(2)
    closer = built.until(lambda s: s["lanes"]["span"] != whole)["lanes"]["span"]
    assert closer[1] - closer[0] < 0.8 * (whole[1] - whole[0])
    built.drag(middle, (middle[0] + 40, middle[1]))
    moved = built.ask()["lanes"]["span"]
    assert moved[0] < closer[0]
    assert moved[1] - moved[0] == pytest.approx(closer[1] - closer[0])
    built.until(lambda s: s["lanes"]["span"] == whole, "all of it", do=[["ShowLanes"]])


def test_dragging_the_slider_changes_the_graph(built):
    before = built.ask()["lanes"]
    x, y, wide, high = before["slider"]
    built.drag((x + 0.1 * wide, y + 0.5 * high), (x + 0.8 * wide, y + 0.5 * high))
    higher = built.ask()["lanes"]
    assert higher["limits"][0] > max(before["limits"][0], 10.0)
    assert higher["transitions"] > before["transitions"]
    built.drag((x + 0.8 * wide, y + 0.5 * high), (x, y + 0.5 * high))
    lowest = built.until(lambda s: s["lanes"]["limits"][0] == 0.0, "a threshold of zero")["lanes"]
    assert lowest["transitions"] == 0
    assert any("keeps 0.0 s" in warning for warning in lowest["warnings"])


def test_the_white_line_is_dragged(built):
    before = built.ask()["lanes"]
    x, y, wide, high = before["plot"]
    dearest = 15.0
    at = x + wide * before["limits"][0] / dearest
    built.drag((at, y + 0.4 * high), (x + 0.6 * wide, y + 0.4 * high))
    lanes = built.ask()["lanes"]
    assert lanes["limits"] == pytest.approx([0.6 * dearest] * 2, abs=0.2)
    assert lanes["transitions"] > before["transitions"]
    assert not lanes["auto"]
    built.press("Graph/Auto " + f"{lanes['automatic']:.1f}")
    assert built.until(lambda s: s["lanes"]["auto"], "automatic again")["lanes"]["limits"] == before["limits"]


def test_chips_kinds_and_what_is_kept_choose_curves(built):
    everything = built.ask()["lanes"]["curves"][1]

    def shown(name, value, **question):
        built.until(lambda s: s["lanes"]["filter"][name] == value, "another choice", **question)
        return built.frames(2)["lanes"]["curves"][1]

    built.press("Graph/run")
    assert 0 < shown(0, ["run"]) < everything
    built.press("Graph/run")
    assert shown(0, []) == everything
    built.press("Graph/##kind")
    built.choose("within clips")
    assert shown(1, "within") + shown(1, "between", do=[["FilterGraph", "kind", "between"]]) == everything
    built.press("Graph/only what is kept")
    assert shown(2, True) < everything


def test_clicking_a_lane_shows_the_clip_there(built):
    built.until(lambda s: s["lanes"]["curves"][0] == 0, "no curve in the way", do=[["SetThreshold", 0.0]])
    built.click(*place(built, 2.0, 1))
    status = built.until(lambda s: s["tracks"][s["active"]] == "walk_run", "the clip of the second lane")
    assert status["frame"][status["active"]] == pytest.approx(240, abs=8)


def test_every_pair_of_labels_has_its_limit(built):
    """As many labels as the samples have: more than are in sight at once."""
    words = [f"word {n}" for n in range(8)]
    built.ask(do=[["SetLabels", 1, words], ["BuildGraph"]])
    built.until(lambda s: not s["jobs"] and not s["lanes"]["stale"], "a graph with many labels")
    built.spot("Graph/word 7")  # what stands below them has moved
    built.press("Graph/##mode")
    built.press("list/by labels")
    x, y, *_ = built.spot("Graph/between clips")
    built.move(x + 4, y - 20)
    cells = built.labels("Graph/##")
    while "Graph/##run–run" not in cells:  # down to the table
        built.xdotool("click", 5)
        cells |= built.frames(4) and built.labels("Graph/##")
    x, y, wide, high = built.spot("Graph/##run–run")
    built.move(x + 0.5 * wide, y + 0.5 * high)
    for wheel in (5, 7):  # on to its end, then to the right
        built.xdotool("click", "--repeat", 30 if wheel == 7 else 1, wheel)
        cells |= built.frames(4) and built.labels("Graph/##")
    everyone = sorted({*words, "run", "straight", "walk"})
    assert cells.keys() >= {f"Graph/##{a}–{b}" for i, b in enumerate(everyone) for a in everyone[: i + 1]}
    x, y, wide, high = built.spot("Graph/##word 3–word 7")
    built.drag((x + 0.5 * wide, y + 0.5 * high), (x + 0.5 * wide + 60, y + 0.5 * high))
    assert list(built.ask()["lanes"]["pairs"]) == ["word 3–word 7"]
    built.press("Graph/##word 3–word 7", button=3)
    built.until(lambda s: s["lanes"]["pairs"] == {}, "an empty cell")


def test_unticking_makes_it_stale_and_updating_mends_it(built):
    built.ask(do=[["UseClip", 2, False]])
    assert built.frames(2)["lanes"]["stale"] == "1 clip to remove"
    number = built.ask()["lanes"]["built"]
    built.move(*built.middle())
    built.key("ctrl+b")
    status = built.until(lambda s: s["lanes"]["built"] > number)
    assert status["lanes"]["clips"] == ["walk", "walk_run"]
    assert any("0 new pairs of 3 compared" in text for _, text in status["messages"])
