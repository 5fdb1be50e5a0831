"""DOT, GraphML, JSON and pictures of graphs, read back by other programs' rules."""

import json
import re
import shutil
import subprocess
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from graphs import graph_of, random_graph, still
from PIL import Image

import motiongraph as mg
from motiongraph.graph import picture
from motiongraph.graph.export import VIEWS, save_dot, save_graphml, save_json

XML = "{http://graphml.graphdrawing.org/xmlns}"


@pytest.fixture(params=[False, True], ids=["all", "pruned"])
def graph(request):
    """With names that mean something to DOT and XML."""
    graph = random_graph(np.random.default_rng(4), clips=4, most=40, transitions=60, least=50, words=("a",)).at(8.0)
    odd = ['say "hi"\\', "a<b>&c\n", "ünïcode", "clip"]
    clips = tuple(replace(clip, name=name) for clip, name in zip(graph.clips, odd))
    graph = mg.MotionGraph(replace(graph.candidates, clips=clips), graph.thresholds)
    assert len(graph.pruned().transitions) > 5
    return graph.pruned() if request.param else graph


def sizes(graph, view):
    """(nodes, edges) of a view."""
    if view == "clips":
        return len(graph.clips), len(graph.transitions)
    seen = graph.choice_view() if view == "choices" else graph.segment_view()
    return len(seen.clip), len(seen.source)


@pytest.mark.parametrize("view", VIEWS)
def test_graphml(graph, view, tmp_path):
    save_graphml(graph, tmp_path / "g.graphml", view)
    root = ElementTree.parse(tmp_path / "g.graphml").getroot()
    keys = {k.get("id"): (k.get("attr.name"), k.get("attr.type")) for k in root.iter(f"{XML}key")}
    nodes, edges = (list(root.iter(f"{XML}{what}")) for what in ("node", "edge"))
    assert (len(nodes), len(edges)) == sizes(graph, view)
    ids = {node.get("id") for node in nodes}
    assert all({edge.get("source"), edge.get("target")} <= ids for edge in edges)
    assert len({edge.get("id") for edge in edges}) == len(edges)
    for element in (*nodes, *edges):
        for data in element:
            kind = keys[data.get("key")][1]
            assert kind == "string" or {"long": int, "double": float}[kind](data.text) is not None
    if view == "clips":
        names = [next(d.text for d in node if keys[d.get("key")][0] == "name") for node in nodes]
        assert names == ['say "hi"\\', "a<b>&c ", "ünïcode", "clip"]
        costs = [float(d.text) for edge in edges for d in edge if keys[d.get("key")][0] == "cost"]
        assert costs == graph.transitions["cost"].tolist()


@pytest.mark.parametrize("view", VIEWS)
def test_dot(graph, view, tmp_path):
    path = tmp_path / "g.dot"
    save_dot(graph, path, view)
    text = path.read_text("utf-8")
    string = r'"(?:[^"\\]|\\.)*"'
    value = rf"(?:{string}|[\w.]+)"
    attributes = rf"(?: \[\w+={value}(?:, \w+={value})*\])?"
    lines = text.splitlines()
    assert lines[0] == "digraph motiongraph {"
    assert lines[-1] == "}"
    nodes = [line for line in lines if re.fullmatch(rf"  n\d+{attributes};", line)]
    edges = [line for line in lines if re.fullmatch(rf"  n\d+ -> n\d+{attributes};", line)]
    assert len(nodes) + len(edges) + 5 == len(lines), "every line is a node or an edge"
    count = sizes(graph, view)
    assert (len(nodes), len(edges)) == (count if view != "clips" else (count[0], len(graph.clip_view().pairs()[0])))
    if shutil.which("dot"):
        svg = subprocess.run(["dot", "-Tsvg", path], capture_output=True, check=True).stdout
        drawn = [group.get("class") for group in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}g")]
        assert (drawn.count("node"), drawn.count("edge")) == (len(nodes), len(edges))


def test_de_chenu_example(tmp_path):
    """His section 3.9.1: 99 frames and the minima (12, 23), (18, 45), (18, 70), both ways."""
    pairs = [(12, 23), (18, 45), (18, 70)]
    rows = [(0, a, 0, b - 1, 1.0) for pair in pairs for a, b in (pair, pair[::-1])]  # windows of one frame
    graph = graph_of([still(99, "walk")], rows, 1)
    save_dot(graph, tmp_path / "g.dot", "segments")
    labels = re.findall(r'label="walk ([^"]*)"', (tmp_path / "g.dot").read_text())
    segments = [label for label in labels if len(set(label.split(","))) == 2]
    assert segments == ["0,12", "12,18", "18,23", "23,45", "45,70", "70,99"]


def test_json(graph, tmp_path):
    save_json(graph, tmp_path / "g.json")
    written = json.loads((tmp_path / "g.json").read_text("utf-8"))
    assert (written["fps"], written["window_frames"], written["pruned"]) == (10.0, graph.window, graph.is_pruned)
    for view in VIEWS:
        nodes, edges = written[view]["nodes"], written[view]["edges"]
        assert (len(nodes), len(edges)) == sizes(graph, view)
        assert all(0 <= e[end] < len(nodes) for e in edges for end in ("source", "target"))
    first = written["clips"]["edges"][0]
    assert [first[k] for k in ("source", "source_frame", "target", "target_frame", "cost")] == list(
        graph.transitions[["src", "src_frame", "dst", "dst_frame", "cost"]][0].item()
    )
    assert {e["kind"] for e in written["choices"]["edges"]} == {"original", "transition"}


def test_a_graph_without_transitions(tmp_path):
    graph = graph_of([still(20, "alone")], [], 2)
    for view in VIEWS:
        for pruned in (graph, graph.pruned()):
            save_dot(pruned, tmp_path / "g.dot", view)
            save_graphml(pruned, tmp_path / "g.graphml", view)
            ElementTree.parse(tmp_path / "g.graphml")
    save_json(graph, tmp_path / "g.json")
    assert picture.draw(graph, 600).size[0] == 600


def test_views_that_are_none(graph, tmp_path):
    with pytest.raises(mg.MotionError, match="a view is one of clips, choices, segments, not 'frames'"):
        save_dot(graph, tmp_path / "g.dot", "frames")
    assert list(tmp_path.iterdir()) == []


# ---- pictures


def test_curves_join_the_middles_of_windows():
    clips = [still(30, "a"), still(30, "b", first=1)]
    graph = graph_of(clips, [(0, 10, 1, 5, 1.0), (0, 4, 0, 20, 1.0)], 4)
    own, across = picture.curves(graph, graph.transitions)
    np.testing.assert_allclose(across[[0, -1]], [[1.2, 0.0], [0.6, 1.0]])
    np.testing.assert_allclose(own[[0, -1]], [[0.6, 0.0], [2.2, 0.0]], atol=1e-12)
    assert -1.0 < own[:, 1].min() < -0.2, "an arc above its lane, below the next"
    assert (np.diff(across[:, 1]) > 0).all()


def near(image, colour):
    """How many pixels have about this colour."""
    pixels = np.asarray(image.convert("RGB")).reshape(-1, 3).astype(int)
    return int((np.abs(pixels - np.array(colour)).max(axis=1) < 40).sum())


def test_picture(tmp_path):
    clips = [still(40, "a"), still(40, "b")]
    rows = [(0, 30, 0, 5, 0.5), (0, 20, 1, 10, 9.5)]
    graph = graph_of(clips, rows, 4)
    picture.save_picture(graph, tmp_path / "g.png")
    image = Image.open(tmp_path / "g.png")
    looped = picture.draw(graph_of(clips, [*rows, (1, 20, 0, 12, 9.5)], 4))
    assert image.size == looped.size
    assert near(image, (255, 255, 255)) > 0.7 * image.width * image.height
    kept, dear = (64, 74, 98), 51 + 0.8 * picture.cost_colour(9.5, 10.0)
    assert near(image, kept) > 2000, "the frames that are kept, dark"
    assert near(looped, kept) > near(image, kept) + 500, "b is kept as well once there is a way back"
    assert near(image, picture._DIM) > near(looped, picture._DIM) + 300, "what leads nowhere is dim"
    assert near(looped, dear) > near(image, dear) + 300, "and bright once it leads back"
    with pytest.raises(mg.MotionError, match="pictures are written as"):
        picture.save_picture(graph, tmp_path / "g.txt")
