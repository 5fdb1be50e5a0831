"""What a frame of the window costs us: our own work, phase by phase, with 1, 10 and 200 characters and all panels open.

Needs a screen; without one it starts Xvfb. There Mesa's software renderer draws, on the same cores that are measured.
Our own work is everything but the driver's drawing and swap. It is measured three ways, since what happens between two
frames decides how much of our code and data is still in the processor's caches:

- `own`: nothing of the driver's happens in between: the calls that draw (glDraw…, glClear, glBlitFramebuffer, the
  panels' triangles) and the swap return at once. Uploads, uniforms and all else are done as always.
- `at 120 fps`: the same with the loop asleep until the next frame is due, as it is in use.
- `beside the driver`: the panels' triangles are drawn and shown, and waited for, before the next frame begins.

`processor` is the processor time of `own`, which does not count waiting for others on a busy machine; `drawn` is the
whole frame with the driver's drawing at its best. The rows below are whole frames with one playing character, drawn in
turns with each choice that a software renderer has (`viewer/pace.py`); there `processor` counts all threads, those of
the driver too, and `fps` is what `drawn` allows. Garbage is collected in the time that is left over: `garbage` is the
longest it took in the frames of `at 120 fps`, and `late` how many of those began more than 1 ms after they were due.
"""

import gc
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

FRAMES = 600
CROWDS = (1, 10, 200)
ROUNDS, TURN = 5, 8  # rounds through the choices, and frames of each in a round
_DRAWS = ("glDraw", "glClear", "glBlit")


def run(mocap, script: str = __file__) -> dict:
    """Rows of milliseconds: median and 99th percentile of our own work, medians of the phases, seconds to a window."""
    # In a process of its own, with a screen and the settings of a first run.
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "MOTIONGRAPH_CONFIG": folder}
        command = [sys.executable, script, str(mocap)]
        if not environment.get("DISPLAY"):
            if shutil.which("xvfb-run") is None:
                raise SystemExit("viewer: no screen; install Xvfb (apt install xvfb) or set DISPLAY")
            command = ["xvfb-run", "-a", "-s", "-screen 0 1600x1000x24", *command]
        result = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
        return json.loads(result.stdout.splitlines()[-1])


def measure(mocap: Path) -> dict:
    started = time.perf_counter()
    from motiongraph.app import commands as do
    from motiongraph.app.settings import Settings
    from motiongraph.viewer.start import open_viewer

    clip = mocap / "cmu/asf_amc/16/16_15.amc"
    viewer = open_viewer([clip], Settings(width=1280, height=720, rate=1000, hint=False, quality="best"))
    viewer._last = viewer._due = time.perf_counter()
    viewer._nothing_happens = lambda now: False  # else it waits for events
    viewer.frame()
    window = time.perf_counter() - started
    from motiongraph.viewer import loop

    state = viewer.state
    with undrawn():
        while not state.ready or state.jobs.running:
            viewer.frame()
    wait_for_the_driver(viewer)
    gc.collect()
    gc.freeze()
    gc.disable()
    rows = []
    first = state.entry
    for count in CROWDS:
        while len(state.library) < count:
            state.library.add(first.clip, first.prepared)
        state.issue(do.SetLayer("crowd", count > 1))
        with undrawn(), unshown(viewer):
            _phases(viewer, 30)  # the layout settles, poses are there
            figures = _phases(viewer, FRAMES)
            loop.perf_counter = time.thread_time
            viewer._last = viewer._due = time.thread_time()
            processor = _phases(viewer, FRAMES)["own median, ms"]
            loop.perf_counter = time.perf_counter
            viewer._last = viewer._due = time.perf_counter()
            paced, garbage = _paced(viewer)
        with undrawn():
            beside = _phases(viewer, FRAMES // 2)
        drawn = _phases(viewer, 3)["whole"]
        for name, other in (("at 120 fps", paced), ("beside the driver", beside)):
            figures |= {name: other["own median, ms"], f"{name}, 99%": other["own 99%"]}
        rows.append({"characters": count, **figures, "processor": processor, "drawn": drawn, **garbage})
        del rows[-1]["whole"]
        assert len(state.casts[0]) == count
    state.issue(do.SetLayer("crowd", False))
    rows += _choices(viewer)
    found = {
        "rows": rows,
        "renderer": viewer.renderer.context.renderer,
        "window and first frame": f"{window:.2f} s after the start",
        "drift": f"{_drift(viewer):.2g} ms a minute",
    }
    viewer.close()
    return found


def wait_for_the_driver(viewer) -> None:
    """Let the driver finish before our next phase is timed; what it does then is not our work."""
    from OpenGL import GL

    swap = viewer.window.swap

    def swapped(vsync):
        swap(vsync)
        GL.glFinish()

    viewer.window.swap = swapped


@contextmanager
def undrawn():
    """The calls that make the driver draw do nothing within."""
    from motiongraph.viewer.gl import calls

    kept = {name: function for name, function in vars(calls).items() if name.startswith(_DRAWS)}
    for name in kept:
        setattr(calls, name, lambda *arguments: None)
    try:
        yield
    finally:
        for name, function in kept.items():
            setattr(calls, name, function)


@contextmanager
def unshown(viewer):
    """Nor are the panels drawn, and nothing is shown."""
    from imgui_bundle import imgui

    kept = imgui.backends.opengl3_render_draw_data, viewer.window.swap
    imgui.backends.opengl3_render_draw_data, viewer.window.swap = lambda data: None, lambda vsync: None
    try:
        yield
    finally:
        imgui.backends.opengl3_render_draw_data, viewer.window.swap = kept


def _paced(viewer) -> tuple[dict, dict]:
    """Milliseconds at 120 frames a second, asleep in between; the longest collection of garbage, and late frames."""
    took, late = [], 0
    collect, rest = viewer._collect, viewer._rest

    def collected(spare):
        begun = time.perf_counter()
        collect(spare)
        took.append(time.perf_counter() - begun)

    def rested(now):
        nonlocal late
        rest(now)
        late += time.perf_counter() > viewer._due + 0.001

    viewer._collect, viewer._rest = collected, rested
    viewer.state.settings.rate = 120
    figures = _phases(viewer, FRAMES // 2)
    viewer.state.settings.rate = 1000
    del viewer._collect, viewer._rest
    return figures, {"garbage": round(1000.0 * max(took), 2), "late": late}


def _phases(viewer, frames: int) -> dict:
    """Milliseconds over so many frames."""
    import numpy as np

    from motiongraph.viewer.ui import OWN, PHASES

    timings, keep = [], viewer.ui.timings.add
    viewer.ui.timings.add = lambda row: (timings.append(np.array(row)), keep(row))
    for _ in range(frames):
        viewer.frame()
    viewer.ui.timings.add = keep
    table = np.array(timings)
    own = table[:, : len(OWN)].sum(axis=1)
    figures = {"own median, ms": np.median(own), "own 99%": np.percentile(own, 99)}
    figures |= {phase: np.median(table[:, i]) for i, phase in enumerate(PHASES[: len(OWN)])}
    figures["whole"] = np.median(table.sum(axis=1))
    return {name: round(float(value), 3) for name, value in figures.items()}


def _choices(viewer) -> list[dict]:
    """Whole frames of one playing character, with everything a software renderer chooses between; in turns."""
    import numpy as np

    from motiongraph.viewer.draw.renderer import Renderer
    from motiongraph.viewer.draw.targets import Detail
    from motiongraph.viewer.pace import QUICK_TAPS, SOFTWARE_SHADOW, SOFTWARE_TAPS, STEPS

    def quick(samples=1, resolution=1.0, taps=QUICK_TAPS):
        return Detail(samples, resolution, taps)

    choices = [
        ("best", (2048, True), Detail()),
        ("limbs do not shade each other", (2048, False), Detail()),
        (f"shadow map {SOFTWARE_SHADOW}", (SOFTWARE_SHADOW, False), Detail()),
        ("fewer taps: what stands still", (SOFTWARE_SHADOW, False), quick(4, taps=SOFTWARE_TAPS)),
        ("one sample, few taps: what moves", (SOFTWARE_SHADOW, False), quick()),
        ("shadow map 512", (512, False), quick()),
        *((f"resolution {step}", (SOFTWARE_SHADOW, False), quick(1, step)) for step in STEPS[1:]),
        ("nothing changed", (SOFTWARE_SHADOW, False), None),
    ]
    renderers = {key: Renderer(4, key[0], key[1]) for key in {key for _, key, _ in choices}}
    kept = viewer.renderer, viewer.pace.detail
    walls, works = ([[] for _ in choices] for _ in range(2))
    for _ in range(ROUNDS):
        for (_, key, detail), wall, work in zip(choices, walls, works):
            viewer.state.playback.playing = detail is not None
            viewer.renderer = renderers[key]
            shown = detail or quick()
            viewer.pace.detail = lambda *_, shown=shown: shown
            for timed in (False, True):
                before, began = sum(os.times()[:2]), time.perf_counter()
                for _ in range(TURN):
                    viewer.frame()
                if timed:
                    wall.append((time.perf_counter() - began) / TURN)
                    work.append((sum(os.times()[:2]) - before) / TURN)
    viewer.renderer, viewer.pace.detail = kept
    viewer.state.playback.playing = True
    for renderer in renderers.values():
        renderer.release()
    return [
        {
            "characters": name,
            "processor": round(1000.0 * float(np.median(work)), 1),
            "drawn": round(1000.0 * float(np.median(wall)), 1),
            "fps": round(1.0 / float(np.median(wall)), 1),
        }
        for (name, *_), wall, work in zip(choices, walls, works)
    ]


def _drift(viewer) -> float:
    """How far playback is from the clock after some seconds, in ms a minute."""
    from motiongraph.app import commands as do

    state = viewer.state
    state.issue(do.Play())
    viewer.frame()
    begun, clock = state.tracks[0].elapsed, viewer._last
    with undrawn():
        for _ in range(200):
            viewer.frame()
    seconds = viewer._last - clock
    return 1000.0 * (state.tracks[0].elapsed - begun - seconds) * 60.0 / seconds


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]))))
