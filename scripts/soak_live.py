"""Hours of simulated driving through the window's own code: no error, no dead end, only finite poses, no leaps.

    python scripts/soak_live.py HOURS [--seed N] [--clips FOLDER] [--match PATTERN] [--fps N] [--no-feet]

Commands are issued as keys, stick, mouse and menus issue them (`Steer`, `PlantGoal`, `SetPath`, labels, pausing,
looking back), at random with a fixed seed, to a state without a window, in frames of 1/120 to 1/10 s. By default the
bundled samples are driven, with mirror images. After every frame: the same character goes on and did not begin anew;
its clip can be left after all that is made (the invariant that stands at `synthesis.live.FIXED`); time that passed
brought motion; the pose is finite; the root did not leap. Ends with status 1 at the first thing that goes wrong.
"""

import argparse
import sys
import time
import warnings
from pathlib import Path

import numpy as np

import motiongraph as mg
from motiongraph.app import commands as do
from motiongraph.app.graph.lanes import drawable
from motiongraph.app.library.entries import prepare
from motiongraph.app.playback import RESULT
from motiongraph.app.state import AppState
from motiongraph.app.update import update, warm_up
from motiongraph.files import resource
from motiongraph.viewer.camera import Camera

_QUICKEST = 15.0  # m/s that no root exceeds


def led(folder: Path, pattern: str, fps: float, feet: bool) -> AppState:
    """A state with a character on the graph of a folder's clips."""
    state = AppState(inline=True, camera=Camera())
    warm_up(state)
    files = sorted(file for file in folder.rglob(pattern) if file.suffix in (".amc", ".bvh"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        graph = mg.MotionGraph.build([mg.load(file).resampled(fps) for file in files], mirror=True)
    for clip in graph.clips:
        state.library.add(clip, prepare(clip))
    state.graph.take(graph, drawable(graph, list(state.library)))
    state.issue(do.SelectClip(next(iter(state.library)).number))
    state.issue(do.Lead())
    state.issue(do.Play())
    for _ in range(4):
        update(state, 0.0)
    if state.live is None:
        sys.exit(f"nobody set off: {[message.text for message in state.messages]}")
    if not feet:
        state.live.character._driven.live.cleanup = False
    print(graph, flush=True)
    return state


def ask(state: AppState, labels: list, rng: np.random.Generator) -> str:
    """Something random, as a person would; what it was."""
    assert state.live is not None
    here, kind = state.live.character.root[[0, 2]], int(rng.integers(10))
    x, z = (here + rng.uniform(-6.0, 6.0, 2)).tolist()
    if kind < 4:
        right, ahead = rng.choice([-1.0, 0.0, 1.0], 2) if kind < 2 else rng.uniform(-1.0, 1.0, 2)
        state.issue(do.Steer(float(right), float(ahead), bool(rng.integers(2))))
    elif kind == 4:
        state.issue(do.Steer(place=(x, z)))
    elif kind == 5:
        state.issue(do.Steer())
    elif kind == 6:
        state.issue(do.PlantGoal((x, z)))
    elif kind == 7:
        points = here + rng.uniform(-3.0, 3.0, (5, 2)).cumsum(axis=0)
        state.issue(do.SetPath(tuple(map(tuple, points.tolist())), closed=bool(rng.integers(2))))
    elif kind == 8:
        state.issue(do.SetLeadLabel(labels[rng.integers(len(labels))]))
    else:
        state.issue(do.Seek(float(rng.uniform(0.0, state.live.shown * state.live.graph.fps)), RESULT))
    return ("keys", "keys", "stick", "stick", "mouse", "stand", "goal", "path", "label", "look back")[kind]


def last_exit(character: mg.LiveCharacter) -> int:
    """The frame of the motion at which the clip now played can be left for the last time, −1 for never."""
    ground, live = character._steering.ground, character._driven.live
    clip, entered, earliest = live.now
    exits = ground.exits(int(ground.starts[clip]) + earliest)
    return live.entered + int(ground.floor.leave[exits[-1]]) - int(ground.starts[clip]) - entered if len(exits) else -1


def megabytes() -> float:
    """That the process has in memory, where the system tells."""
    table = Path("/proc/self/statm")
    return int(table.read_text().split()[1]) * 4096 / 1e6 if table.exists() else float("nan")


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("hours", type=float)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--clips", type=Path, default=resource("assets/samples"))
    options.add_argument("--match", default="*", help="of the files' names, such as '16_*'")
    options.add_argument("--fps", type=float, default=30.0)
    options.add_argument("--no-feet", action="store_true", help="feet are not held, which takes a third of the time")
    asked = options.parse_args()
    state, rng = led(asked.clips, asked.match, asked.fps, not asked.no_feet), np.random.default_rng(asked.seed)
    first = state.live
    assert first is not None
    labels = [None, *sorted({label for clip in first.graph.clips for label in clip.labels})]
    character, began, requests, frames, hour, quickest = first.character, time.perf_counter(), 0, 0, 0.0, 0.0
    at_first = None  # megabytes, once as much motion is kept as ever is
    while character.seconds < asked.hours * 3600.0:
        what = ask(state, labels, rng)
        requests += 1
        for dt in rng.uniform(1 / 120, 1 / 10, int(rng.integers(2, 120))).tolist():
            before, played, behind = first.root[0].copy(), character.played, first.behind
            update(state, dt)
            frames += 1
            problem = ""
            if state.live is not first or "sets off anew" in (character.problem or ""):
                problem = f"it ended or began anew: {[message.text for message in state.messages][:3]}"
            elif last_exit(character) < character._driven.live.ready:
                problem = "its clip cannot be left after what is made: a dead end"
            elif not (np.isfinite(first.root).all() and np.isfinite(first.turns).all()):
                problem = "the pose is not finite"
            elif character.played <= played and not (behind or first.behind) and character.can_stand:
                problem = "time passed without motion"
            elif character.played > played and not (behind or first.behind):
                speed = float(np.linalg.norm(first.root[0] - before)) / dt
                quickest = max(quickest, speed)
                problem = f"the root leaps at {speed:.1f} m/s" if speed > _QUICKEST else ""
            if problem:
                print(f"after {character.seconds:.2f} s, asked for {what}: {problem}", flush=True)
                return 1
        if at_first is None and character.seconds > 600.0:
            at_first = megabytes()
        if character.seconds >= hour + 3600.0:
            hour += 3600.0
            spent = time.perf_counter() - began
            print(f"{hour / 3600.0:g} h after {spent:.0f} s, {megabytes():.0f} MB", flush=True)
    errors = sorted({message.text for message in state.messages if message.level == "error"})
    print(
        f"{character.seconds / 3600.0:.2f} h, feet {'as they come' if asked.no_feet else 'held'}, {requests:,} "
        f"requests, {frames:,} frames, {character.taken:,} transitions; after none of them ended or anew, a dead end, "
        f"without motion, not finite, or a leap (quickest root {quickest:.1f} m/s); memory after 10 minutes and at the "
        f"end {at_first or megabytes():.0f} and {megabytes():.0f} MB; {time.process_time():.0f} s of the processor; "
        f"said: {sorted(set(character.messages)) or 'nothing'}; errors: {errors or 'none'}"
    )
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
