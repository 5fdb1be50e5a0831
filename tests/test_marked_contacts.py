"""Contacts that are found, beside those that were marked by looking, at three rates."""

import os
import tomllib
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import motiongraph as mg
from motiongraph.model import sides

HOME = Path(__file__).resolve().parent.parent
MARKED = tomllib.loads((HOME / "tests/data/marked_contacts.toml").read_text())["stretch"]
NEAR = 0.1  # s around a marked change in which the found one may lie
WRONG = 0.05  # share of the frames besides that may be wrong


def found_file(name):
    folders = [HOME, *(Path(os.environ[key]) for key in ("MOTIONGRAPH_MOCAP", "MOTIONGRAPH_CMU") if key in os.environ)]
    for folder in folders:
        if (folder / name).is_file():
            return folder / name
    return pytest.skip(f"{name} is in no folder of MOTIONGRAPH_MOCAP or MOTIONGRAPH_CMU")


def standing(clip, side):
    """(F,) bool: when heel or toe of the left or right foot is planted."""
    contacts, feet = clip.contacts(), sides.feet(clip)
    first = len(feet[0]) if side == "right" else 0
    return np.asarray(contacts)[:, first : first + len(feet[side == "right"])].any(axis=1)


@pytest.mark.parametrize("rate", [30, 60, 120])
@pytest.mark.parametrize("stretch", MARKED, ids=[f"{s['what']} {Path(s['file']).stem}" for s in MARKED])
def test_feet_stand_when_they_were_seen_to(stretch, rate):
    captured = mg.load(found_file(stretch["file"]))
    clip, (start, stop) = captured.resampled(rate), stretch["frames"]
    at = np.minimum(np.round(np.arange(start, stop) * rate / captured.fps).astype(int), len(clip) - 1)
    for side in ("left", "right"):
        marked, near = np.zeros(stop - start, bool), np.zeros(stop - start, bool)
        for begin, end in stretch[side]:
            marked[begin - start : end - start] = True
        changes = np.flatnonzero(np.diff(marked.astype(int))) + 1
        for change in changes:
            near[max(change - round(NEAR * captured.fps), 0) : change + round(NEAR * captured.fps)] = True
        found = standing(clip, side)[at]
        assert (found != marked)[~near].mean() <= WRONG
        # Between two changes, where everything is clear, the foot stands or does not.
        for begin, end in pairwise([0, *changes, stop - start]):
            if end - begin > 2.5 * NEAR * captured.fps:
                assert (found == marked)[begin:end].mean() > 0.5


def test_there_are_twenty_of_many_kinds():
    kinds = {"turning", "sidestepping", "sneaking", "running"}
    # Without those that only all of CMU's trials have, which not everyone has at hand.
    usual = [stretch for stretch in MARKED if not stretch["file"].startswith("data/")]
    assert sum(not stretch["file"].startswith("assets/samples") for stretch in usual) == 20  # captured
    assert kinds <= {stretch["what"] for stretch in usual}
