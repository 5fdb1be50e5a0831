"""What is fuzzed: each format with files to begin from, how they are changed, and what is done with the result."""

import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mutations as change
import numpy as np

from motiongraph.app import commands as do
from motiongraph.app.graph.lanes import drawable
from motiongraph.app.library.entries import prepare
from motiongraph.app.project.project_file import redrawn, save_project, snapshot, take_in
from motiongraph.app.project.project_reader import load_project
from motiongraph.app.scene.cast import set_stage
from motiongraph.app.state import AppState
from motiongraph.app.update import update
from motiongraph.app.walk.results import Made, show_made
from motiongraph.errors import FormatWarning
from motiongraph.files import resource
from motiongraph.formats.labels_file import read_labels
from motiongraph.formats.load import load, load_clips
from motiongraph.formats.obj import read_obj
from motiongraph.formats.path_file import read_path
from motiongraph.formats.save import save
from motiongraph.graph.motion_graph import MotionGraph
from motiongraph.metric.metric import Metric
from motiongraph.model.clip import Clip
from motiongraph.progress import SILENT
from motiongraph.synthesis.synthesize import synthesize
from motiongraph.viewer.camera import Camera
from motiongraph.walks.curve import Curve
from motiongraph.walks.random_walk import random_walk

SAMPLES = resource("assets/samples")
DATA = Path(__file__).resolve().parents[2] / "tests" / "data"
OBJ = b"""# a house
mtllib house.mtl
v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.5 1.5 1e-3
vn 0 0 1\nvn 0 1 0\nvt 0 0
g walls
f 1 2 3\nf 1//1 3//1 4//1\nf -1 -2 -3\nf 1/1/1 2/1/1 3/1/1 4/1/2 5
"""
PATH = b"x,z,label\n# spline closed\n0,0,walk\n1.5,2\n3;4;run fast\n4 5\n-1,2.5e0\n"
LABELS = b"""# which frames
[[clip]]
file = "clip.bvh"
frames = [1, 3]
labels = ["walk", "turn-left"]

[[clip]]
file = "other.bvh"
labels = "run"
"""


@dataclass(frozen=True)
class Subject:
    """One format."""

    share: int  # of the cases, in percent
    file: str  # the name under which a changed file is written
    begin: Callable[[Path], list[Any]]  # what mutations start from, made once in an empty folder
    mutated: Callable[[Any, np.random.Generator], bytes]
    use: Callable[[Path, np.random.Generator], None]  # what a person would do with it; may raise a MotionError
    beside: Callable[[Any], dict[str, bytes]] = lambda base: {}  # other files that it needs


def _texts(*names: str) -> Callable[[Path], list[bytes]]:
    return lambda folder: [(DATA / name).read_bytes() for name in names]


def _small() -> list[Clip]:
    """Two clips of a second and a half."""
    return [load(SAMPLES / f"{name}.bvh").resampled(15.0)[:24] for name in ("walk", "walk_run")]


def _graph_of(clips: list[Clip]) -> MotionGraph:
    metric = Metric(joint_weights={clips[0].skeleton.names[0]: 2.0})
    return MotionGraph.build(clips, metric, {"within": 30.0, "between": 40.0, ("walk", "run"): 50.0}, mirror=True)


def _graphs(folder: Path) -> list[change.Split]:
    graph = _graph_of([clip.labelled({"walk": (0, 12), "run": (8, 24)}) for clip in _small()])
    graph.save(folder / "a.mgraph")
    graph.pruned().save(folder / "b.mgraph", clips="referenced")
    return [change.split_container((folder / name).read_bytes()) for name in ("a.mgraph", "a.mgraph", "b.mgraph")]


def small_state(folder: Path) -> AppState:
    """A window with a library of two clips, a graph, a result, ghosts, props and a path."""
    for clip in _small():
        save(clip, folder / f"{clip.name}.bvh")
    (folder / "house.obj").write_bytes(OBJ)
    state = AppState(inline=True, camera=Camera())
    _tell(state, do.OpenPaths((folder / "walk.bvh", folder / "walk_run.bvh")))
    graph = _graph_of([entry.clip for entry in state.library])
    drawn = drawable(graph, list(state.library))
    assert drawn is not None
    state.graph.take(graph, drawn)
    walk = random_walk(graph, seconds=4, rng=3)
    clip = synthesize(walk, name="wander")
    report = walk.report() | {"captured": {"slide_mean": 1.0}, "path_error_mean": 0.2}
    asked = np.array([[0.0, 0.0], [1.0, 2.0]])
    show_made(
        state, clip, prepare(clip), Made(walk, "random", {"seconds": 4.0}, 3, report, asked, drawn.entries, graph)
    )
    _tell(state, do.PinGhost(), do.MoveCharacter(x=1.5), do.AddProp("box"), do.OpenProp(folder / "house.obj"))
    _tell(state, do.SetPath(((0.0, 0.0), (1.0, 2.0), (3.0, 1.0))), do.SetWalk("sequential"))
    _tell(state, do.SetWalkOption("sequential", "order", ("walk", "run")), do.PlantGoal((2.0, 1.0)))
    return state


def _projects(folder: Path) -> list[change.Split]:
    save_project(folder / "a.mgproj", snapshot(small_state(folder)))
    for path in folder.iterdir():
        if path.suffix != ".mgproj":
            path.unlink()
    return [change.split_container((folder / "a.mgproj").read_bytes())]


def _tell(state: AppState, *commands: Any) -> None:
    for command in commands:
        state.issue(command)
        update(state, 0.0)
    wrong = [message.text for message in state.messages if message.level == "error"]
    assert not wrong, wrong


def _glb(folder: Path) -> list[Any]:
    found = []
    for clip in (load(DATA / "person.bvh"), _small()[0][:4]):
        save(clip, folder / "a.glb")
        found.append(change.split_glb((folder / "a.glb").read_bytes()))
    return found


def _glb_mutated(base: Any, rng: np.random.Generator) -> bytes:
    return change.packed_glb(*change.mutated_gltf(*base, rng), rng)


def _gltf(folder: Path) -> list[Any]:
    """The same with the block as text within the JSON."""
    import base64

    found = []
    for tree, block in _glb(folder):
        tree["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64.b64encode(block).decode()
        found.append(tree)
    return found


def _gltf_mutated(base: Any, rng: np.random.Generator) -> bytes:
    import json

    for _ in range(int(rng.integers(1, 4))):
        base = change.mutated_tree(base, rng)
    text = json.dumps(base).encode()
    return change.mutated_text(text, rng) if rng.random() < 0.2 else text


def _npz(folder: Path) -> list[Any]:
    rng = np.random.default_rng(7)
    poses = rng.normal(0, 0.6, (6, 66))
    return [
        {"poses": poses, "trans": rng.normal(0, 1, (6, 3)), "mocap_framerate": np.array(120.0), "betas": np.zeros(4)}
    ]


def _use_clip(path: Path, rng: np.random.Generator) -> None:
    clips = load_clips(path)
    for clip in clips:
        assert len(clip) >= 1
        assert clip.fps > 0
        assert 0 <= clip.first < len(clip)
        assert np.isfinite(clip.positions()).all()
        assert np.abs(np.linalg.norm(clip.rotations, axis=-1) - 1.0).max() < 1e-6
    if rng.random() < 0.05:
        ending = "glb" if rng.random() < 0.05 else change.pick(rng, ("bvh", "amc"))  # a body around it takes its time
        for clip in clips:
            if np.abs(clip.positions()).max() < 1e6 and 1e-3 < clip.fps < 1e6:
                save(clip, path.with_name(f"again.{ending}"))
                assert len(load(path.with_name(f"again.{ending}"))) == len(clip)


def _use_graph(path: Path, rng: np.random.Generator) -> None:
    graph = MotionGraph.load(path)
    graph.report()
    if rng.random() < 0.1:
        pruned = graph.pruned()
        synthesize(random_walk(pruned, seconds=min(2.0, 40 / graph.fps), rng=1))


def _use_project(path: Path, rng: np.random.Generator) -> None:
    project = load_project(path)
    drawn = redrawn(project, SILENT)
    state = AppState(inline=True, camera=Camera())
    take_in(state, project, drawn)
    set_stage(state)
    update(state, 0.1)


def _use_labels(path: Path, rng: np.random.Generator) -> None:
    read_labels(path)
    load(path.with_name("clip.bvh"))


def _use_path(path: Path, rng: np.random.Generator) -> None:
    found = read_path(path)
    Curve.of(found.points, found.curve or "spline", bool(found.closed))


def _motion_beside(asf: bytes) -> dict[str, bytes]:
    return {"m.amc": (DATA / _same("asf", asf, "amc")).read_bytes()}


def _skeleton_beside(amc: bytes) -> dict[str, bytes]:
    return {"m.asf": (DATA / _same("amc", amc, "asf")).read_bytes()}


def _same(ending: str, content: bytes, other: str) -> str:
    name = "simple" if content == (DATA / f"simple.{ending}").read_bytes() else "everything"
    return f"{name}.{other}"


def _use_skeleton(path: Path, rng: np.random.Generator) -> None:
    _use_clip(path.with_suffix(".amc"), rng)


def _use_obj(path: Path, rng: np.random.Generator) -> None:
    read_obj(path)


def _clip_beside(base: bytes) -> dict[str, bytes]:
    return {"clip.bvh": (DATA / "person.bvh").read_bytes()}


_bvh = _texts("person.bvh", "mixed.bvh", "static_root.bvh", "z_up.bvh")
_asf, _amc = (_texts(f"everything.{ending}", f"simple.{ending}") for ending in ("asf", "amc"))
_text = change.mutated_text
SUBJECTS = {
    "bvh": Subject(24, "m.bvh", _bvh, _text, _use_clip),
    "asf": Subject(10, "m.asf", _asf, _text, _use_skeleton, _motion_beside),
    "amc": Subject(8, "m.amc", _amc, _text, _use_clip, _skeleton_beside),
    "glb": Subject(3, "m.glb", _glb, _glb_mutated, _use_clip),
    "gltf": Subject(2, "m.gltf", _gltf, _gltf_mutated, _use_clip),
    "npz": Subject(7, "m.npz", _npz, change.mutated_npz, _use_clip),
    "labels": Subject(10, "labels.toml", lambda _: [LABELS], _text, _use_labels, _clip_beside),
    "path": Subject(14, "m.csv", lambda _: [PATH], _text, _use_path),
    "obj": Subject(14, "m.obj", lambda _: [OBJ], _text, _use_obj),
    "graph": Subject(6, "m.mgraph", _graphs, change.mutated_container, _use_graph),
    "project": Subject(2, "m.mgproj", _projects, change.mutated_container, _use_project),
}


def quietly() -> None:
    """Warnings about files are no findings, all others are."""
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", FormatWarning)
    os.environ["MOTIONGRAPH_CACHE"] = "off"
