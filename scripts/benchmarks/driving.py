"""How soon a driven character answers, how good its motion is, what a call costs: beside motion matching.

Both get the same clips (with mirror images), the same turns of the stick, and the same two minutes of a random stick.
Seconds from a new direction to a heading 45° and 90° nearer to it are simulated, and so do not depend on the machine;
heading error: mean angle between where the stick points and the body faces; slide: of feet that stand in the captured
frames; jerk: 99th percentile of all joints; ms of the processor for a frame of 1/60 s. `captured` has the clips' own.
Then slide and seams of what the character did live beside the same walks made offline.

Sets: bundled samples; bundled captured clips; subject 16's walks, runs and both; walks, turns and runs of
Bandai-Namco's second data set, whose folder MOTIONGRAPH_BANDAI names. MOTIONGRAPH_SETS chooses among samples, captured,
walks, runs, both, bandai.
"""

import os
import sys
import time
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
from benchmarks._motion_matching import MotionMatching

import motiongraph as mg
from motiongraph.files import resource
from motiongraph.model.contacts import Contacts
from motiongraph.synthesis.feet import plants
from motiongraph.synthesis.footplant import cleaned

WALKS = (*range(11, 33), 47, 58)
RUNS = (*range(35, 47), *range(48, 57))
_SEAMS = {
    "slide": "slide_mean",
    "at seams": "seam_acceleration_p99",
    "its jumps": "seam_acceleration_jump_p99",
    "root's": "seam_root_acceleration_p99",
}
_FPS, _STEP = 30.0, 1.0 / 60.0
_LONGEST = 5.0  # s after which a turn is given up
_TURNS, _SECONDS, _WALKS = 40, 120.0, 6


def graphs(mocap: Path) -> dict[str, mg.MotionGraph]:
    """The graphs to drive on, at the automatic threshold."""
    bandai, folder = Path(os.environ.get("MOTIONGRAPH_BANDAI", "/nowhere")), mocap / "cmu/asf_amc/16"
    files: dict[str, list[tuple[Path, str]]] = {
        "samples": [(file, "") for file in sorted(resource("assets/samples").glob("*.bvh"))],
        "captured": [(file, "") for file in sorted(resource("assets/captured").glob("*.bvh"))],
        "walks": [(folder / f"16_{n:02d}.amc", "walk") for n in WALKS],
        "runs": [(folder / f"16_{n:02d}.amc", "run") for n in RUNS],
    }
    files["both"] = files["walks"] + files["runs"]
    kinds = {"walk": "walk", "walk-turn-left": "walk", "walk-turn-right": "walk", "run": "run"}
    files["bandai"] = [
        (file, label)
        for kind, label in kinds.items()
        for file in sorted(bandai.rglob(f"dataset-2_{kind}_normal_*.bvh"))[:16]
    ]
    found = {}
    for name in os.environ.get("MOTIONGRAPH_SETS", " ".join(files)).split():
        if files[name] and files[name][0][0].is_file():
            clips = [mg.load(file).resampled(_FPS) for file, _ in files[name]]
            clips = [clip.labelled(label) if label else clip for clip, (_, label) in zip(clips, files[name])]
            found[name] = mg.MotionGraph.build(clips, mirror=True)
    return found


def response(character: mg.LiveCharacter | MotionMatching, count: int = _TURNS, seed: int = 0) -> dict[str, float]:
    """Times to 45° and 90° of turning when the direction asked for changes by 90° to 180° at a random moment."""
    rng, times = np.random.default_rng(seed), {45: [], 90: []}
    character.steer((0.0, 1.0))
    _pass(character, 3.0)
    for _ in range(count):
        side = float(rng.choice([-1.0, 1.0]))
        heading = character.heading + side * float(rng.uniform(np.pi / 2, np.pi))
        before = abs(_between(character.heading, heading))
        character.steer((np.sin(heading), np.cos(heading)))
        reached = {45: _LONGEST, 90: _LONGEST}
        for n in range(round(_LONGEST / _STEP)):
            character.advance(_STEP)
            nearer = np.degrees(before - abs(_between(character.heading, heading)))
            for angle in reached:
                if nearer >= min(angle, np.degrees(before) - 5.0):
                    reached[angle] = min(reached[angle], (n + 1) * _STEP)
        for angle, seconds in reached.items():
            times[angle].append(seconds)
        _pass(character, float(rng.uniform(0.0, 2.0)))
    figures = {}
    for angle, values in times.items():
        figures |= {f"{angle}° s": float(np.median(values)), "p90": float(np.percentile(values, 90))}
        figures = {k if k != "p90" else f"{angle}° p90": v for k, v in figures.items()}
        figures[f"{angle}° longest"] = max(values)
    return figures


def _pass(character: mg.LiveCharacter | MotionMatching, seconds: float) -> None:
    for _ in range(round(seconds / _STEP)):
        character.advance(_STEP)


def stick(seconds: float, seed: int) -> list[tuple[float, float]]:
    """x, z of a stick that is thrown to another side every half to three seconds, one for every frame."""
    rng, found = np.random.default_rng(seed), []
    while len(found) < seconds / _STEP:
        heading = float(rng.uniform(-np.pi, np.pi))
        found += [(float(np.sin(heading)), float(np.cos(heading)))] * round(float(rng.uniform(0.5, 3.0)) / _STEP)
    return found[: round(seconds / _STEP)]


def steered(
    character: mg.LiveCharacter | MotionMatching, seconds: float = _SECONDS, held: bool = False, seed: int = 0
) -> dict[str, float]:
    """Figures of motion under a random stick. held: planted feet of motion matching are held, after the fact."""
    errors, times, shown, planted = [], [], [], []
    for wish in stick(seconds, seed):
        character.steer(wish)
        began = time.thread_time()
        root, rotations = character.advance(_STEP)
        times.append(1e3 * (time.thread_time() - began))
        errors.append(abs(_between(character.heading, float(np.arctan2(*wish)))))
        if isinstance(character, MotionMatching):
            shown.append((root, rotations))
            planted.append(character.planted)
    if isinstance(character, MotionMatching):
        clip = mg.Clip(character.skeleton, *map(np.array, zip(*shown)), 1.0 / _STEP)
        clip, stands, joints = clip.resampled(_FPS), np.array(planted)[::2], character.joints
        count = min(len(clip), len(stands))
        clip, stands = clip[:count], stands[:count]
        if held:
            clip = cleaned(replace(clip, planted=Contacts.of(stands, clip.skeleton, joints).ranges()))
    else:
        clip = character.motion(0.0, seconds)
        contacts = plants(clip)
        stands, joints = np.asarray(contacts), contacts.joints
    figures = {"heading error °": float(np.degrees(np.mean(errors)))}
    figures |= _motion(clip, stands, joints)
    return figures | {"ms": float(np.mean(times)), "ms p99": float(np.percentile(times, 99))}


def _motion(clip: mg.Clip, stands: np.ndarray, joints) -> dict[str, float]:
    """Slide of joints (n,) in frames in which they stand (F, n), and jerk."""
    places = clip.positions()
    speed = np.linalg.norm(np.diff(places[:, list(joints)][..., ::2], axis=0), axis=-1) * clip.fps * 100.0
    speed = speed[stands[1:] & stands[:-1]]
    jerk = np.linalg.norm(np.diff(places, 3, axis=0), axis=-1) * clip.fps**3
    return {"slide cm/s": float(speed.mean()), "jerk p99 m/s³": float(np.percentile(jerk, 99))}


def seams(graph: mg.MotionGraph) -> dict[str, str]:
    """Slide and seams under a random stick, live, and offline from the same walks: "live offline"."""
    found = {"live": [], "offline": []}
    for seed in range(_WALKS):
        character = mg.LiveCharacter(graph, rng=seed, memory=40.0)
        for wish in stick(30.0, seed):
            character.steer(wish)
            character.advance(_STEP)
        motion = character.motion(0.0, 30.0)
        found["live"].append(mg.quality(motion, graph.clips))
        found["offline"].append(mg.quality(mg.synthesize(character.walk())[: len(motion)], graph.clips))
    means = {name: [float(np.mean([f[key] for f in each])) for each in found.values()] for name, key in _SEAMS.items()}
    return {name: f"{live:.3g} / {offline:.3g}" for name, (live, offline) in means.items()}


def _between(a: float, b: float) -> float:
    return (b - a + np.pi) % (2.0 * np.pi) - np.pi


def run(mocap: Path) -> dict:
    warnings.simplefilter("ignore")
    rows, live = [], []
    for name, graph in graphs(mocap).items():
        character = mg.LiveCharacter(graph, memory=_SECONDS + 5.0)
        character.steer((0.0, 1.0))
        speed = (
            float(np.linalg.norm(np.diff(character.wanted(1.0)[[0, -1]], axis=0)))
            / 0.1
            / (len(character.wanted(1.0)) - 1)
        )
        made = {
            "graph": lambda g=graph: mg.LiveCharacter(g, memory=_SECONDS + 5.0),
            "graph, feet as they come": lambda g=graph: mg.LiveCharacter(g, memory=_SECONDS + 5.0, cleanup=False),
            "graph at 240°/s": lambda g=graph: mg.LiveCharacter(g, memory=_SECONDS + 5.0, turning=240.0),
            "motion matching": lambda g=graph, v=speed: MotionMatching(g, v),
            "motion matching, feet held": lambda g=graph, v=speed: MotionMatching(g, v),
        }
        for who, make in made.items():
            row = {"driven by": f"{name}: {who}"}
            if "," not in who:
                row |= response(make())
            rows.append(row | steered(make(), held="held" in who))
            print(rows[-1], file=sys.stderr, flush=True)
        captured = [_motion(c[c.first :], np.asarray(plants(c))[c.first :], plants(c).joints) for c in graph.clips]
        means = {key: float(np.nanmean([f[key] for f in captured])) for key in captured[0]}
        rows.append({"driven by": f"{name}: captured"} | means)
        live.append(f"{name}: " + ", ".join(f"{key} {value}" for key, value in seams(graph).items()))
        print(live[-1], file=sys.stderr, flush=True)
    return {"rows": rows, "live / offline": live}
