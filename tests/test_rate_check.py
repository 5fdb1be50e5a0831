"""A word about files whose frame rate makes bodies fall or step faster than they can."""

import warnings
from pathlib import Path

import numpy as np
import pytest

import motiongraph as mg
from motiongraph.errors import FormatWarning
from motiongraph.formats.rate_check import looks_too_fast

ASSETS = Path(__file__).resolve().parent.parent / "assets"
FILES = sorted([*(ASSETS / "samples").glob("*.bvh"), *(ASSETS / "captured").glob("*.bvh")])


def at_rate(file, folder, factor):
    """A copy of a BVH whose rate is said to be so many times as high."""
    head, _, tail = file.read_text().partition("Frame Time:")
    time, _, rows = tail.partition("\n")
    copy = folder / file.name
    copy.write_text(f"{head}Frame Time: {float(time) / factor:.9f}\n{rows}")
    return copy


def said(file, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        clip = mg.load(file, **options)
    return [str(each.message) for each in caught if issubclass(each.category, FormatWarning)], clip


@pytest.mark.parametrize("file", FILES, ids=[f"{file.parent.name} {file.stem}" for file in FILES])
def test_nothing_is_said_of_files_at_their_rate_or_half_of_it(file, tmp_path):
    assert not [words for words in said(file)[0] if "faster" in words]
    assert not [words for words in said(at_rate(file, tmp_path, 0.5))[0] if "faster" in words]


@pytest.mark.parametrize("name", ["samples/jump", "samples/run", "samples/walk", "captured/run"])
def test_motion_at_twice_its_rate_is_doubted(name, tmp_path):
    file = at_rate(ASSETS / f"{name}.bvh", tmp_path, 2.0)
    words, clip = said(file)
    rate = f"{clip.fps:g} Hz; if it was captured at {clip.fps / 2:g}, use --rate {clip.fps / 2:g}"
    assert words == [f"{file}: falls or steps faster than a body can at {rate}"]
    assert clip.source.notes == (words[0].removeprefix(f"{file}: "),)
    assert said(file, fps=clip.fps)[0] == []  # whoever gives a rate knows


def test_a_capture_that_leaps_about_is_not_taken_for_a_fall():
    clip = mg.load(ASSETS / "samples/walk.bvh")
    places = clip.positions().copy()
    places[::20] += np.array([0.0, 0.3, 0.0])
    assert not looks_too_fast(clip.skeleton, places, clip.fps)


def test_bodies_without_two_legs_and_short_clips_say_nothing():
    clip = mg.load(ASSETS / "samples/run.bvh")
    assert looks_too_fast(clip.skeleton, clip.positions(), 2.0 * clip.fps)
    assert not looks_too_fast(clip.skeleton, clip.positions()[:10], 2.0 * clip.fps)
    worm = mg.Skeleton(["a", "b", "c"], [-1, 0, 1], [[0, 0, 0], [0, 0.3, 0], [0, 0.3, 0]])
    assert not looks_too_fast(worm, clip.positions()[:, :3], 2.0 * clip.fps)
