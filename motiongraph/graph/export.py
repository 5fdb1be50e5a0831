"""A graph for other programs: Graphviz DOT, GraphML and JSON, each of any view (see `graph.views`)."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeAlias
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from motiongraph.errors import MotionError
from motiongraph.files import writing
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.graph.views import ORIGINAL, ChoiceView, choice_view, clip_view, segment_view

Columns: TypeAlias = dict[str, list]  # name → one value for each node or edge
VIEWS = ("clips", "choices", "segments")


def save_dot(graph: MotionGraph, path: str | Path, view: str = "clips") -> None:
    """Write Graphviz DOT. Clips are joined by one edge for all transitions from one to another; the other views have
    an edge for each."""
    _write(path, _dot(graph, view))


def save_graphml(graph: MotionGraph, path: str | Path, view: str = "clips") -> None:
    """Write GraphML with every number of the view, transitions of one pair of clips as parallel edges."""
    _write(path, _graphml(*_columns(graph, view)))


def save_json(graph: MotionGraph, path: str | Path) -> None:
    """Write all views as one JSON object: view → nodes and edges, each a list of objects."""
    views = {}
    for view in VIEWS:
        nodes, edges = _columns(graph, view)
        views[view] = {"nodes": _rows(nodes), "edges": _rows(edges)}
    about = {"fps": graph.fps, "window_frames": graph.window, "unit": graph.metric.unit, "pruned": graph.is_pruned}
    _write(path, [json.dumps(about | {"threshold": graph.thresholds.plain()} | views, allow_nan=False), "\n"])


def _write(path: str | Path, parts: Iterable[str]) -> None:
    with writing(Path(path), "w", encoding="utf-8", newline="\n") as file:
        file.writelines(parts)


def _columns(graph: MotionGraph, view: str) -> tuple[Columns, Columns]:
    """(nodes, edges) of a view as name → column; nodes are numbered by their place, edges have `source`, `target`."""
    if view not in VIEWS:
        raise MotionError(f"a view is one of {', '.join(VIEWS)}, not {view!r}")
    names = [clip.name for clip in graph.clips]
    if view == "clips":
        seen, table = clip_view(graph), graph.transitions
        nodes = {
            "name": list(seen.names),
            "frames": seen.frames.tolist(),
            "seconds": (seen.frames / graph.fps).tolist(),
            "labels": [", ".join(clip.labels) for clip in graph.clips],
        }
        ends = {"src": "source", "dst": "target", "src_frame": "source_frame", "dst_frame": "target_frame"}
        return nodes, {ends.get(field, field): table[field].tolist() for field in table.dtype.names or ()}
    seen = choice_view(graph) if view == "choices" else segment_view(graph)
    fields = ("frame",) if view == "choices" else ("start", "stop")
    nodes = {"clip": [names[i] for i in seen.clip]} | {field: getattr(seen, field).tolist() for field in fields}
    edges = {"source": seen.source.tolist(), "target": seen.target.tolist()}
    edges["kind"] = np.where(seen.transition == ORIGINAL, "original", "transition").tolist()
    if isinstance(seen, ChoiceView):
        edges["frames"] = seen.frames.tolist()
    return nodes, edges | {"cost": seen.cost.tolist()}


def _rows(columns: Columns) -> list[dict[str, Any]]:
    return [dict(zip(columns, row)) for row in zip(*columns.values())]


# Graphviz


def _dot(graph: MotionGraph, view: str) -> Iterator[str]:
    unit = graph.metric.unit
    yield "digraph motiongraph {\n"
    yield '  graph [overlap=false, splines=true, outputorder=edgesfirst, fontname="Helvetica"];\n'
    yield '  node [shape=box, style="rounded,filled", fillcolor="#eef1f6", color="#44506a", fontname="Helvetica"];\n'
    yield '  edge [color="#8a93a6", fontname="Helvetica", fontsize=10];\n'
    nodes, edges = _columns(graph, view)
    if view == "clips":
        for i, (name, frames) in enumerate(zip(nodes["name"], nodes["frames"])):
            yield f"  n{i} [label={_quoted(name)}, tooltip={_quoted(f'{frames} frames')}];\n"
        for a, b, count, cost in zip(*(column.tolist() for column in clip_view(graph).pairs())):
            width = 1 + np.log2(count) / 2
            words = _quoted(f"{count} from {cost:.1f} {unit}")
            yield f"  n{a} -> n{b} [label={count}, penwidth={width:.2f}, tooltip={words}];\n"
    else:
        places = zip(nodes["start"], nodes["stop"]) if view == "segments" else zip(nodes["frame"])
        for i, (name, place) in enumerate(zip(nodes["clip"], places)):
            yield f"  n{i} [label={_quoted(f'{name} ' + ','.join(map(str, place)))}];\n"
        for a, b, kind, cost in zip(*(edges[field] for field in ("source", "target", "kind", "cost"))):
            look = "" if kind == "original" else f' [color="#c2410c", tooltip="{cost:.2f} {unit}"]'
            yield f"  n{a} -> n{b}{look};\n"
    yield "}\n"


def _quoted(text: str) -> str:
    """A DOT string, all of it meant literally."""
    printable = "".join(c if c.isprintable() else " " for c in text)
    return '"' + printable.replace("\\", "\\\\").replace('"', '\\"') + '"'


# GraphML


def _graphml(nodes: Columns, edges: Columns) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    edges = dict(edges)
    ends = edges.pop("source"), edges.pop("target")
    kinds = {int: "long", float: "double", str: "string"}
    for what, columns in (("node", nodes), ("edge", edges)):
        for name, column in columns.items():
            kind = kinds[type(column[0]) if column else str]
            yield f'  <key id="{what}_{name}" for="{what}" attr.name="{name}" attr.type="{kind}"/>\n'
    yield '  <graph id="motiongraph" edgedefault="directed">\n'
    for i, row in enumerate(zip(*nodes.values())):
        yield f'    <node id="n{i}">{_data("node", nodes, row)}</node>\n'
    rows = zip(*edges.values())
    for i, (a, b, row) in enumerate(zip(*ends, rows)):
        yield f'    <edge id="e{i}" source="n{a}" target="n{b}">{_data("edge", edges, row)}</edge>\n'
    yield "  </graph>\n</graphml>\n"


def _data(what: str, columns: Columns, row: tuple) -> str:
    return "".join(f"<data key={quoteattr(f'{what}_{name}')}>{_text(v)}</data>" for name, v in zip(columns, row))


def _text(value: Any) -> str:
    """As XML can hold it: without control characters."""
    return escape("".join(c if c.isprintable() else " " for c in value)) if isinstance(value, str) else repr(value)
