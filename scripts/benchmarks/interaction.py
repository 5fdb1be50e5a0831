"""What a frame costs us while someone drags the threshold of 100,000 candidates, points into the matrix of two clips of
5,000 frames, draws a path while a walk plays, or leads a character: median, 99th percentile and worst of our own work.

Our own work is measured as in `viewer`: the driver's drawing and swap are left out; `beside the driver` is a second run
in which the panels are drawn and shown. `worst, processor` is the processor time of the worst frame of a third, which
does not count waiting for others on a busy machine. The mouse is moved and pressed as Dear ImGui hears of it.
"""

import gc
import json
import math
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import viewer as window

FRAMES = 400
CANDIDATES = 100_000
LENGTH = 5_039  # frames of a clip: 5,000 windows of 40


def run(mocap) -> dict:
    """Rows of milliseconds."""
    return window.run(mocap, __file__)


def measure(mocap: Path) -> dict:
    from motiongraph.app import commands as do
    from motiongraph.app.settings import Settings
    from motiongraph.viewer.start import open_viewer

    viewer = open_viewer([mocap / "cmu/asf_amc/16/16_15.amc"], Settings(width=1280, height=720, rate=1000, hint=False))
    viewer._last = viewer._due = time.perf_counter()
    state = viewer.state
    with window.undrawn():
        _until(viewer, lambda: state.ready and not state.jobs.running)
        window.wait_for_the_driver(viewer)
        state.issue(do.RemoveAll())
        viewer.frame()
        rows = [*_matrix(viewer, mocap), _threshold(viewer, mocap), *_path(viewer, mocap)]
    found = {"rows": rows, "renderer": viewer.renderer.context.renderer}
    viewer.close()
    return found


def _until(viewer, wanted, seconds: float = 120.0) -> None:
    end = time.perf_counter() + seconds
    while not wanted():
        viewer.frame()
        if time.perf_counter() > end:
            raise SystemExit("interaction: what was waited for never came")


def _front(viewer, title: str) -> None:
    """Bring a panel's tab to the front."""
    from imgui_bundle import imgui

    draw = viewer.layout.draw

    def drawn(state, ui):
        draw(state, ui)
        imgui.set_window_focus(title)

    viewer.layout.draw = drawn
    for _ in range(12):
        viewer.frame()
    viewer.layout.draw = draw


def _timed(viewer, what: str, act) -> dict:
    """act(n) before the n-th frame."""
    import numpy as np

    from motiongraph.viewer import loop
    from motiongraph.viewer.ui import OWN

    def once():
        table, keep = [], viewer.ui.timings.add
        viewer.ui.timings.add = lambda row: (table.append(sum(row[: len(OWN)])), keep(row))
        for n in range(FRAMES):
            act(n)
            viewer.frame()
        viewer.ui.timings.add = keep
        return np.array(table)

    gc.collect()
    gc.freeze()
    gc.disable()
    with window.unshown(viewer):
        own = once()
        loop.perf_counter = time.thread_time
        viewer._last = viewer._due = time.thread_time()
        processor = once()
        loop.perf_counter = time.perf_counter
        viewer._last = viewer._due = time.perf_counter()
    beside = once()
    figures = {"median, ms": np.median(own), "99%": np.percentile(own, 99), "worst": own.max()}
    figures |= {"worst, processor": processor.max()}
    figures |= {"beside the driver": np.median(beside), "beside the driver, worst": beside.max()}
    return {"while": what, **{name: round(float(value), 2) for name, value in figures.items()}}


def _matrix(viewer, mocap):
    import numpy as np
    from imgui_bundle import imgui

    from motiongraph.app import commands as do
    from motiongraph.app.library.entries import prepare
    from motiongraph.formats.load import load
    from motiongraph.model.clip import Clip

    state = viewer.state
    folder = sorted((mocap / "cmu/asf_amc/16").glob("*.amc"))
    clips = [load(file) for file in folder]
    for part, name in ((clips[::2], "even"), (clips[1::2], "odd")):
        root = np.concatenate([c.root for c in part])[:LENGTH]
        turns = np.concatenate([c.rotations for c in part])[:LENGTH]
        clip = Clip(part[0].skeleton, root, turns, part[0].fps, name)
        state.library.add(clip, prepare(clip))
    first, second = list(state.library)[-2:]
    state.issue(do.SelectClip(first.number, 0))
    state.issue(do.SelectClip(second.number, 1))
    viewer.frame()
    _front(viewer, "Matrix")
    _until(viewer, lambda: state.matrix.heat is not None and viewer.ui.heats["matrix"].complete)
    x, y, wide, high = viewer.ui.heats.kept["plot"]
    io, side = imgui.get_io(), min(wide, high)

    def point(n):
        turn = 2.0 * math.pi * n / FRAMES
        across, down = 0.4 * math.cos(3 * turn), 0.4 * math.sin(2 * turn)  # of the square that the matrix is
        io.add_mouse_pos_event(x + 0.5 * wide + across * side, y + 0.5 * high + down * side)

    rows = []
    for clouds in (False, True):
        state.issue(do.SetMatrixOption("clouds", clouds))
        what = f"pointing into a matrix of {' × '.join(f'{n:,}' for n in state.matrix.heat.shape)}"
        rows.append(_timed(viewer, what + ", with point clouds" * clouds, point))
        assert state.scene.pair.clouds == clouds
    io.add_mouse_pos_event(-1.0, -1.0)
    viewer.frame()
    return rows


def _threshold(viewer, mocap):
    from dataclasses import replace

    import numpy as np
    from imgui_bundle import imgui

    from motiongraph.app import commands as do
    from motiongraph.app.graph.lanes import drawable
    from motiongraph.app.library.entries import prepare
    from motiongraph.formats.collection import find_files
    from motiongraph.formats.load import load
    from motiongraph.graph.motion_graph import MotionGraph

    state = viewer.state
    state.issue(do.RemoveAll())
    viewer.frame()
    for file in find_files(mocap):
        if file.suffix.lower() == ".bvh":
            clip = load(file)
            subject, _, trial = clip.name.partition("_")
            clip = clip.labelled([f"subject {subject}", f"kind {int(trial) % 2}"])
            state.library.add(clip, prepare(clip), file)
    graph = MotionGraph.build([entry.part for entry in state.library])
    table = graph.candidates.table
    chosen = np.sort(np.random.default_rng(0).choice(len(table), min(CANDIDATES, len(table)), replace=False))
    graph = MotionGraph(replace(graph.candidates, table=table[chosen]), 5.0, is_pruned=True)
    state.graph.take(graph, drawable(graph, list(state.library)))
    _front(viewer, "Graph")
    _until(viewer, lambda: state.graph.automatic is not None and not state.jobs.running)

    x, y, wide, high = viewer.ui.graph_view.slider
    io, limits = imgui.get_io(), set()

    def drag(n):
        io.add_mouse_pos_event(x + wide * (0.5 + 0.45 * math.sin(2.0 * math.pi * n / FRAMES)), y + 0.5 * high)
        if n in (0, FRAMES - 1):
            io.add_mouse_button_event(0, n == 0)
        limits.add(state.graph.graph.thresholds.within)

    count = len(graph.candidates.table)
    row = _timed(viewer, f"dragging the threshold of {count:,} candidates, {len(graph.clips)} clips", drag)
    assert len(limits) > FRAMES / 3
    return row


def _path(viewer, mocap):
    from imgui_bundle import imgui

    from motiongraph.app import commands as do

    state = viewer.state
    state.issue(do.RemoveAll())
    state.issue(do.DropGraph())
    names = ("16_15", "16_17", "16_19", "16_21", "16_31", "16_36")
    folder = mocap / "cmu/asf_amc/16"
    state.issue(do.OpenPaths(tuple(folder / f"{name}.amc" for name in names if (folder / f"{name}.amc").exists())))
    viewer.frame()
    _until(viewer, lambda: not state.jobs.running)
    state.issue(do.SetWalk("random"))
    state.issue(do.MakeWalk())
    _until(viewer, lambda: state.active == 2 and not state.jobs.running)
    _front(viewer, "Path")
    state.issue(do.SetTool("draw"))

    _until(viewer, lambda: state.camera_goal is None)  # the camera looks down on the floor by then
    x, y, wide, high = viewer.ui.scene
    io, drawn = imgui.get_io(), set()

    def draw(n):
        turn = 2.0 * math.pi * n / FRAMES
        io.add_mouse_pos_event(x + wide * (0.5 + 0.3 * math.sin(turn)), y + high * (0.6 + 0.2 * math.sin(2.0 * turn)))
        if n % 100 in (1, 99):
            io.add_mouse_button_event(0, n % 100 == 1)
        drawn.update(state.path.stroke)

    yield _timed(viewer, "drawing a path while a walk plays", draw)
    assert len(drawn) > FRAMES / 3
    state.issue(do.SetTool("off"))
    state.issue(do.Lead(True))
    _until(viewer, lambda: state.live is not None)

    def lead(n):
        if n % 60 == 0:
            turn = 2.0 * math.pi * n / FRAMES
            state.issue(do.PlantGoal((5.0 * math.cos(turn), 5.0 * math.sin(turn))))

    yield _timed(viewer, "leading a character to goals planted on its way", lead)


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]))))
