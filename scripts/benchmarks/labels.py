"""Proposed labels against what CMU's index says, for a hundred trials drawn by a fixed seed.

A folder of CMU's trials with the text of its index in it or above it. A trial counts where its description names one
of the kinds that can be told from the motion, and little else; it is hit where the label named is proposed for a tenth
of its frames at least, or for half a second; "longest": where no other label is proposed for more of its frames.
"""

import re
import warnings
from pathlib import Path

import numpy as np

import motiongraph as mg
from motiongraph.errors import MotionError
from motiongraph.formats.descriptions import rows_of

TRIALS, SEED = 100, 0
# What a description says → what is to be proposed. The first that fits counts.
SAID = {
    "backwards": r"\bwalk\w* backwards?\b|\bbackwards? walk",
    "sidestep": r"\bside ?step|\bwalk\w* sideways|\bsideways walk",
    "jump": r"\bjump\w*\b|\bhop(s|ping)?\b|\bleap\w*\b",
    "run": r"\brun(s|ning)?\b|\bjog\w*\b|\bsprint",
    "sit": r"\bsit(s|ting)?\b",
    "turn-left": r"\b(turn|veer)\w* left\b|\bleft turn|\bwalk\w* .*90.*left",
    "turn-right": r"\b(turn|veer)\w* right\b|\bright turn|\bwalk\w* .*90.*right",
    "stand": r"^\W*(stand(s|ing)?( still)?|idle)\W*$",
    "walk": r"\bwalk(s|ing)?\b",
}


def expected(description: str) -> str | None:
    """The kind that a description names, None where it names none."""
    return next((kind for kind, words in SAID.items() if re.search(words, description, re.I)), None)


def run(mocap):
    index = next(
        (file for folder in (mocap, *Path(mocap).parents) for file in sorted(folder.glob("*index*.txt"))), None
    )
    if index is None:
        raise SystemExit(f"no index of descriptions beside {mocap}: give CMU's trials with --mocap")
    said = rows_of(index.read_text(encoding="utf-8", errors="replace"))
    files = {file.stem: file for file in sorted(Path(mocap).rglob("*.bvh"))}
    known = sorted((name, kind) for name, words in said.items() if name in files and (kind := expected(words)))
    chosen = sorted(np.random.default_rng(SEED).permutation(len(known))[:TRIALS].tolist())
    rows = {kind: {"kind": kind, "trials": 0, "hits": 0, "longest": 0} for kind in SAID}
    missed = []
    for number in chosen:
        name, kind = known[number]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                clip = mg.load(files[name])
        except MotionError:
            continue
        labels = mg.propose_labels(clip)
        frames = int(labels.at(kind)[clip.first :].sum())
        hit = frames >= min(0.1 * (len(clip) - clip.first), 0.5 * clip.fps)
        rows[kind]["trials"] += 1
        rows[kind]["hits"] += hit
        most = max(labels, key=lambda word: int(labels.at(word).sum()), default=None)
        rows[kind]["longest"] += most == kind
        if not hit:
            missed.append(f"{name} ({kind}: {said[name][:40]})")
    total = sum(row["trials"] for row in rows.values())
    hits = sum(row["hits"] for row in rows.values())
    share = f"{hits} of {total} trials, {hits / max(total, 1):.0%}"
    return {
        "rows": [row for row in rows.values() if row["trials"]],
        "hit rate": f"{share}; of {len(known):,} whose description says a kind",
        "missed": missed,
    }
