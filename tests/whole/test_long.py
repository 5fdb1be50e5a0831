"""What takes too long to be tried after every change: every real file, and a character driven for twenty minutes."""

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from test_live_character import drive, graph  # noqa: F401  a fixture
from test_save import HUNDREDTH_OF_A_MM, again, apart

from motiongraph import load
from motiongraph.formats.collection import find_files


def test_a_character_never_ends(graph):  # noqa: F811
    """Twenty simulated minutes of random requests."""
    drive(graph, 400)


def test_every_real_file_comes_back_as_it_was(mocap, tmp_path):
    """Read, written, read: numbers within 1e-4 (they are equal), positions within 0.01 mm."""

    def round_trip(pair):
        number, path = pair
        clip = load(path)
        copy = tmp_path / f"{number}_{path.name}"
        back = again(clip, copy)
        worst = np.abs(back.source.values - clip.source.values).max(), apart(clip, back)
        same = back.skeleton.names == clip.skeleton.names and (back.fps, back.first) == (clip.fps, clip.first)
        copy.unlink()
        return path.name, *worst, same

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(round_trip, enumerate(find_files(mocap))))
    assert len(results) >= 94 + 68
    for name, numbers, metres, same in results:
        assert same, name
        assert numbers < 1e-4, name
        assert metres < HUNDREDTH_OF_A_MM, name
