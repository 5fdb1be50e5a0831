"""Hours of simulated driving through the window's own code: no error, no dead end, only finite poses, no leaps.

    python scripts/soak_live.py HOURS [--seed N] [--clips FOLDER] [--match PATTERN] [--fps N] [--no-feet] [--bridges]

Commands are issued as keys, stick, mouse and menus issue them (`Steer`, `PlantGoal`, `SetPath`, labels, pausing,
looking back), at random with a fixed seed, to a state without a window, in frames of 1/120 to 1/10 s; now and then
rudely, a new one with every frame. By default the bundled samples are driven, with mirror images. After every frame:
the same character goes on and did not begin anew; its clip can be left after all that is made (the invariant that
stands at `synthesis.live.FIXED`); time that passed brought motion; the pose is finite; the root did not leap. After
every request: no joint was half as quick again as ever captured, no foot 2 cm deeper in the floor than captured. Ends
with status 1 at the first thing that goes wrong. Autosaves go to a folder of its own, which is gone afterwards.
"""

import argparse
import os
import sys
import tempfile
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
from motiongraph.model.clip import Clip
from motiongraph.synthesis.feet import plants
from motiongraph.viewer.camera import Camera

_QUICKEST = 15.0  # m/s that no root exceeds
_LEAP = 1.5  # times as quick as a joint ever was when captured
_SUNK = 0.02  # m that a foot may be below the floor, unless it was when captured


def led(folder: Path, pattern: str, fps: float, feet: bool, bridges: bool) -> AppState:
    """A state with a character on the graph of a folder's clips."""
    state = AppState(inline=True, camera=Camera())
    warm_up(state)
    files = sorted(file for file in folder.rglob(pattern) if file.suffix in (".amc", ".bvh"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        graph = mg.MotionGraph.build([mg.load(file).resampled(fps) for file in files], mirror=True)
        if bridges:
            graph, _ = mg.bridged(graph)
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
    character, kind = state.live.character, int(rng.integers(11))
    here = character.root[[0, 2]]
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
    elif kind == 9:
        behind = np.array([np.sin(character.heading), np.cos(character.heading)]) * rng.uniform(0.3, 5.0)
        x, z = (here - behind).tolist()
        state.issue(do.PlantGoal((x, z)))
    else:
        state.issue(do.Seek(float(rng.uniform(0.0, state.live.shown * state.live.graph.fps)), RESULT))
    return ("keys", "keys", "stick", "stick", "mouse", "stand", "goal", "path", "label", "behind", "look back")[kind]


def rudely(state: AppState, at: int, rng: np.random.Generator) -> None:
    """Another direction with every frame, or to stand and to go by turns."""
    right, ahead = rng.uniform(-1.0, 1.0, 2).tolist() if at % 2 else (0.0, 0.0)
    state.issue(do.Steer(right, ahead, bool(rng.integers(2))) if at % 2 or rng.random() < 0.5 else do.Steer())


class Watch:
    """Looks at what was shown: joints that leap and feet that sink, neither of them captured so."""

    def __init__(self, graph: mg.MotionGraph):
        self.floor = [clip.floor for clip in graph.clips]
        self.joints = sorted({joint for clip in graph.clips for joint in plants(clip).joints})
        self.clips, self.fps, self.seen = graph.clips, graph.fps, 0
        self.quickest = np.max(
            [self._speeds(clip.positions()[clip.first :]).max(axis=0) for clip in graph.clips], axis=0
        )
        self.ratio, self.depth = 0.0, 0.0

    def _speeds(self, places: np.ndarray) -> np.ndarray:
        return np.linalg.norm(np.diff(places, axis=0), axis=-1) * self.fps

    def _captured(self, clips: np.ndarray, frames: np.ndarray) -> np.ndarray:
        """(n, feet) heights above their floor of these frames as captured; high where there is none."""
        out = np.full((len(clips), len(self.joints)), np.inf)
        for c in np.unique(clips[clips >= 0]).tolist():
            here = clips == c
            out[here] = self.clips[c].positions()[frames[here]][:, self.joints, 1] - self.floor[c]
        return out

    def look(self, character: mg.LiveCharacter, feet: bool) -> str:
        """At the frames since the last time; what is wrong with them."""
        last = int(character._driven.at(character.played)) + 1
        first, self.seen = max(self.seen - 1, 0), last
        if last - first < 2:
            return ""
        made: Clip = character._driven.live.clip(first, last)
        places = made.positions()
        ratio = self._speeds(places) / np.maximum(self.quickest, 0.5)
        self.ratio = max(self.ratio, float(ratio.max()))
        if ratio.max() > _LEAP:
            frame, joint = np.unravel_index(int(np.argmax(ratio)), ratio.shape)
            name = made.skeleton.names[int(joint)]
            return f"{name} leaps at {ratio.max():.2f} times its quickest, frame {first + int(frame)}"
        origin = made.origin
        if not feet or origin is None or not self.joints:
            return ""
        was = np.minimum(
            self._captured(origin.clip, origin.frame), self._captured(origin.other, origin.other_frame)
        )  # fmt: skip
        ground = origin.floor or 0.0
        height = np.where(was > -_SUNK, places[:, self.joints, 1] - ground, np.inf)
        self.depth = min(self.depth, float(height.min()))
        if height.min() < -_SUNK:
            frame, joint = np.unravel_index(int(np.argmin(height)), height.shape)
            name = made.skeleton.names[self.joints[int(joint)]]
            return f"{name} is {-100.0 * height.min():.1f} cm below the floor, frame {first + int(frame)}"
        return ""


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
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        os.environ["MOTIONGRAPH_CONFIG"] = os.path.join(folder, "config")  # autosaves are not the user's own work
        os.environ["MOTIONGRAPH_CACHE_DIR"] = os.path.join(folder, "cache")
        return soak()


def soak() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("hours", type=float)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--clips", type=Path, default=resource("assets/samples"))
    options.add_argument("--match", default="*", help="of the files' names, such as '16_*'")
    options.add_argument("--fps", type=float, default=30.0)
    options.add_argument("--no-feet", action="store_true", help="feet are not held, which takes a third of the time")
    options.add_argument("--bridges", action="store_true", help="what is apart is bridged first")
    asked = options.parse_args()
    feet, rng = not asked.no_feet, np.random.default_rng(asked.seed)
    state = led(asked.clips, asked.match, asked.fps, feet, asked.bridges)
    first = state.live
    assert first is not None
    watch = Watch(first.graph)
    labels = [None, *sorted({label for clip in first.graph.clips for label in clip.labels})]
    character, began, requests, frames, hour, quickest = first.character, time.perf_counter(), 0, 0, 0.0, 0.0
    at_first = None  # megabytes, once as much motion is kept as ever is
    while character.seconds < asked.hours * 3600.0:
        what, rude = ask(state, labels, rng), rng.random() < 0.2
        requests += 1
        for at, dt in enumerate(rng.uniform(1 / 120, 1 / 10, int(rng.integers(2, 120))).tolist()):
            if rude:
                rudely(state, at, rng)
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
        if problem := watch.look(character, feet):
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
        f"without motion, not finite, or leap (quickest root {quickest:.1f} m/s, joint {watch.ratio:.2f} of captured), "
        f"deepest foot {-100.0 * watch.depth:.1f} cm; memory after 10 minutes and at the end "
        f"{at_first or megabytes():.0f} and {megabytes():.0f} MB; {time.process_time():.0f} s of the processor; "
        f"said: {sorted(set(character.messages)) or 'nothing'}; errors: {errors or 'none'}"
    )
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
