"""What takes too long to be tried after every change: every real file, a character driven for twenty minutes, and a
path that turns on and on."""

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from test_live_character import drive, graph  # noqa: F401  a fixture
from test_path_wishes import samples  # noqa: F401  a fixture
from test_save import HUNDREDTH_OF_A_MM, again, apart

import motiongraph as mg
from motiongraph.formats.collection import find_files
from motiongraph.walks.curve import trace
from motiongraph.walks.turned_walk import turns_at_seams


def test_a_character_never_ends(graph):  # noqa: F811
    """Twenty simulated minutes of random requests."""
    drive(graph, 400)


def test_every_real_file_comes_back_as_it_was(mocap, tmp_path):
    """Read, written, read: numbers within 1e-4 (they are equal), positions within 0.01 mm."""

    def round_trip(pair):
        number, path = pair
        clip = mg.load(path)
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


def winding():
    """A path that no clip of the samples turns as sharply as."""
    at = np.linspace(0.0, 1.0, 200)
    return np.stack([3.0 * np.sin(7.0 * at) * np.sin(9.0 * np.pi * at), 9.0 * at + np.sin(10.0 * np.pi * at)], axis=1)


def test_a_body_is_turned_where_walks_would_keep_changing(samples):  # noqa: F811
    """Who may turn a little while walking neither strays nor steps aside at every corner."""
    rigid = mg.follow_path(samples, winding(), effort=mg.Effort(turning=0.0))
    walk = mg.follow_path(samples, winding())
    assert rigid.turns is None
    assert walk.turns is not None
    assert walk.facts["behaviour_changes"] <= max(rigid.facts["behaviour_changes"] - 3, 0)
    assert walk.facts["path_error_worst"] <= max(rigid.facts["path_error_worst"], 0.5)
    assert walk.facts["path_error_mean"] < rigid.facts["path_error_mean"]
    turned = np.degrees(np.abs(np.diff(walk.turns[:, 0]))) * walk.fps
    assert 30.0 < turned.max() < 121.0  # it is reached softly
    # Where the report says it goes is where the motion goes.
    motion = mg.synthesize(walk, cleanup=False)
    np.testing.assert_allclose(motion.root[:, [0, 2]], trace(walk)[0], atol=1e-9)
    made = mg.synthesize(walk)
    assert mg.quality(made)["slide_mean"] < 0.5
    placed = turns_at_seams(walk)
    assert placed is not None
    assert placed.shape == (len(walk.transitions), 3)
