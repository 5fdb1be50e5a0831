"""Random use of a window on a screen of its own: no crash, no mistake of ours, memory and GL objects flat.

    python scripts/safety/soak_window.py [MINUTES] [--seed N]

Each round opens the same clips, presses keys and controls, drags the mouse, builds, walks and draws for a while, then
goes back to the clips alone and counts GL objects and memory. The first half of the rounds says what is usual; ends
with status 1 where the rounds of the last quarter hold more. Needs Xvfb and xdotool, as the tests do.
"""

import argparse
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "gl"))
import person  # noqa: E402
from person import Person, Screen  # noqa: E402

ROUND = 20.0  # seconds
_EVERYTHING = "import motiongraph.app.update; from motiongraph.kernels import compile_all; compile_all()"
_MORE = 24e6  # bytes that the last rounds may hold above the usual: the allocator's own affair
# Controls that open dialogs of files, reach for the network, film, or end the window.
_LEFT_ALONE = re.compile(
    r"open|save|export|load|film|record|video|fetch|get cmu|quit|screen|recent|new|browse|\.\.\.|…", re.I
)
_KEYS = """space Left Right Home End Next Prior c o l a f j y p b m t r k g h Escape Escape Tab 5 1 2 Return BackSpace
    ctrl+z ctrl+z ctrl+shift+z F2 F3 F4 F5 Up Down Delete plus minus""".split()  # noqa: SIM905
_SCENE = {"bone_style": "boxes", "shadows": False, "floor": "checker", "crowd": False, "flow": False, "cloud": "off"}
_LAYERS = ("cloud", "joints", "contacts", "flow", "crowd", "bone_style", "shadows", "floor")


def commands(rng: np.random.Generator) -> list[list]:
    """Something that takes several presses, by the commands that these presses would issue."""
    walk = str(rng.choice(["greedy", "random", "sequential", "connect", "path", "reach"]))
    shape = str(rng.choice(["circle", "eight", "square"]))
    return [
        [["BuildGraph"]],
        [["SetThreshold", float(rng.uniform(1.0, 12.0))]],
        [["SetWalk", walk], ["MakeWalk"]],
        [["PathPreset", shape], ["WalkPath"]],
        [["Lead"], ["PlantGoal", rng.uniform(-4, 4, 2).tolist()]],
        [["ToggleLayer", str(rng.choice(_LAYERS))], ["PinGhost"], ["PinGhost"]],
        [["Split", int(rng.integers(1, 4))], ["SelectNext", 1]],
        [["AddProp", str(rng.choice(["box", "sphere", "cylinder"]))]],
        [["Compare"], ["AskWhy"]],
    ][rng.integers(9)]


def act(someone: Person, rng: np.random.Generator) -> None:
    """One thing that a person does."""
    kind, (width, height) = rng.random(), someone.ask()["size"]
    if kind < 0.25:
        someone.xdotool("key", str(rng.choice(_KEYS)))
    elif kind < 0.45:
        start, stop = rng.uniform((0, 30), (width, height), (2, 2)).tolist()
        someone.drag(start, stop, button=int(rng.choice([1, 1, 2, 3])), steps=3)
    elif kind < 0.5:
        someone.xdotool("click", "--repeat", int(rng.integers(1, 5)), int(rng.choice([4, 5])))
    elif kind < 0.75:
        controls = [at for name, at in someone.labels().items() if not _LEFT_ALONE.search(name)]
        if controls:
            x, y, wide, high = controls[rng.integers(len(controls))]
            someone.click(min(x + rng.uniform(0, max(wide, 1)), width - 2), min(y + 0.5 * high, height - 2))
    else:
        someone.ask(do=commands(rng))
    someone.frames(int(rng.integers(1, 8)))


def begin(someone: Person, clips: list[str]) -> dict:
    """The clips alone, as at the start; what the window says then."""
    someone.xdotool("key", "Escape")
    busy = someone.ask()["jobs"]
    # A click may have changed these, and with them what the renderer needs.
    usual = [["SetSetting", "quality", "auto"], ["SetSetting", "samples", 1], ["SetSetting", "zoom", 1.0]]
    someone.ask(do=[*usual, ["NewProject"], ["ResetLayout"], ["Split", 1]])
    someone.until(lambda s: not s["clips"] and not s["jobs"], f"nothing, after {busy}")
    someone.until(lambda s: len(s["clips"]) == len(clips) and not s["jobs"], "the clips", drop=clips)
    someone.ask(do=[["SetLayer", name, value] for name, value in _SCENE.items()])
    someone.frames(130)  # what is no longer drawn is given up after a while
    return someone.ask(collect=True)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("minutes", type=float, nargs="?", default=30.0)
    options.add_argument("--seed", type=int, default=0)
    asked = options.parse_args()
    rng, clips = (
        np.random.default_rng(asked.seed),
        [str(p) for p in sorted((ROOT / "assets/samples").glob("*.bvh"))[:4]],
    )
    print(f"seed {asked.seed}, {asked.minutes:g} minutes", flush=True)
    # Beforehand: a process that compiles everything itself keeps half a gigabyte of numba's notes.
    subprocess.run([sys.executable, "-c", _EVERYTHING], cwd=ROOT, check=True)
    person.PATIENCE = 600.0
    objects: list[dict[str, int]] = []
    memory: list[int] = []
    screen, actions = Screen(), 0
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        someone = Person(screen, Path(folder), "view", *clips, size=(1000, 640), rate=120)
        try:
            someone.ready(len(clips))
            until = time.monotonic() + 60.0 * asked.minutes
            while time.monotonic() < until or len(memory) < 4:
                status = begin(someone, clips)
                wrong = [text for level, text in status["messages"] if "mistake in motiongraph" in text]
                if wrong:
                    raise AssertionError(wrong[0])
                objects.append(status["objects"])
                memory.append(someone.memory())
                kinds = ", ".join(f"{kind} {count}" for kind, count in status["objects"].items())
                print(f"{actions:6} actions  {memory[-1] / 1e6:7.1f} MB  {kinds}", flush=True)
                end = time.monotonic() + ROUND
                while time.monotonic() < end:
                    act(someone, rng)
                    actions += 1
            ended = someone.quit()
        except AssertionError as problem:
            print(f"after {actions} actions: {problem}\n{someone.log.read_text()[-4000:]}")
            return 1
        finally:
            someone.close()
            screen.close()
    return _judge(objects, memory, actions, ended)


def _judge(objects: list[dict[str, int]], memory: list[int], actions: int, ended: int) -> int:
    half, last = len(memory) // 2, max(len(memory) // 4, 1)
    usual = {kind: max(one.get(kind, 0) for one in objects[:half]) for kind in set().union(*objects)}
    more = {k: n for k, n in objects[-1].items() if n > usual[k]}
    grown = statistics.median(memory[-last:]) - statistics.median(memory[half // 2 : half] or memory[:1])
    print(f"{actions} actions in {len(memory)} rounds: ended with {ended}, memory {grown / 1e6:+.1f} MB, ", end="")
    print(f"more GL objects than usual: {more or 'none'}")
    return 1 if more or grown > _MORE or ended else 0


if __name__ == "__main__":
    sys.exit(main())
