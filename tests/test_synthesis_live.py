"""Motion made while its walk grows is the motion of the whole walk."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from walking import sample_graph

import motiongraph as mg
from motiongraph.synthesis.live import Live


@pytest.fixture(scope="module")
def graph():
    return sample_graph("walk", "walk_left_90")


def played(graph, walk, frames=None, ahead=2.0, **options):
    """Positions as `Live` gives them, transitions being taken `ahead` seconds before they are shown."""
    live = Live(graph, (int(walk.steps["clip"][0]), int(walk.steps["start"][0])), walk.placed, **options)
    leaves, taken, root, turns, moments = walk.begins + walk.steps["stop"] - walk.steps["start"], 0, [], [], []
    for frame in range(len(walk) if frames is None else frames):
        while taken < len(walk.transitions) and leaves[taken] < frame + ahead * graph.fps:
            live.take(walk.transitions[taken])
            taken += 1
        pose = live.pose(frame)
        root.append(pose[0].copy())
        turns.append(pose[1].copy())
        moments.append(live.moment(frame).tolist())
    return mg.Clip(graph.clips[0].skeleton, np.array(root), np.array(turns), graph.fps), moments, live


@pytest.mark.parametrize("options", [{}, {"blend": "inertialized"}, {"register": True}])
def test_without_cleanup_it_is_exactly_the_same(graph, options):
    walk = mg.random_walk(graph, 8, rng=1)
    whole = mg.synthesize(walk, cleanup=False, **options)
    made, moments, _ = played(graph, walk, cleanup=False, **options)
    np.testing.assert_allclose(made.positions(), whole.positions(), atol=1e-9)
    origin = whole.origin
    rows = zip(origin.clip, origin.frame, origin.other, origin.other_frame, origin.weight)
    assert [tuple(row) for row in moments] == [tuple(np.array(row).tolist()) for row in rows]


@pytest.mark.parametrize("seed", [2, 7, 8])
def test_with_cleanup_it_is_the_same_within_millimetres(graph, seed):
    walk = mg.random_walk(graph, 12, rng=seed)
    whole = mg.synthesize(walk)
    made, _, _ = played(graph, walk)
    apart = np.linalg.norm(made.positions() - whole.positions(), axis=-1)
    # Who stands for longer than a stretch looks back gets another mean place to stand on: a centimetre, faded in.
    assert apart.max() < 0.03
    assert apart.mean() < 0.001
    made = mg.Clip(made.skeleton, made.root, made.rotations, made.fps, origin=whole.origin)
    figures, before = mg.quality(made), mg.quality(whole)
    assert figures["penetration"] < 0.05  # cm
    assert figures["knee_pop"] < before["knee_pop"] + 2.0
    assert figures["velocity_jump_worst"] < before["velocity_jump_worst"] + 0.5


@pytest.mark.parametrize("seed", [2, 7])
def test_feet_are_held_as_in_the_whole_and_jolt_no_joint(graph, seed):
    """The 99th percentiles of every joint's acceleration and jerk are at most 1.2 times those without cleanup, wherever
    motion is cut off, and so are their 97th: whoever goes on to stand has that for his 99th. Feet slide little more
    than in motion made as a whole, which need not keep that. Of all joints together, they are hardly more than those of
    the whole."""
    walk = mg.random_walk(graph, 40, rng=seed)
    motions = mg.synthesize(walk, cleanup=False), mg.synthesize(walk), played(graph, walk)[0]
    for order in (2, 3):
        was, whole, now = (np.linalg.norm(np.diff(m.positions(), order, axis=0), axis=-1) for m in motions)
        assert np.percentile(now, 99) < 1.1 * np.percentile(whole, 99)
        for seconds, upper in itertools.product((5, 10, 20, 40), (97, 99)):
            frames = round(seconds * graph.fps)
            limit = 1.2 * np.percentile(was[:frames], upper, axis=0)
            # What is never noticed may be worse: 2 m/s² and 40 m/s³.
            limit = np.maximum(limit, {2: 2.0, 3: 40.0}[order] / graph.fps**order)
            assert (np.percentile(now[:frames], upper, axis=0) < limit).all()
    made = replace(motions[1], root=motions[2].root, rotations=motions[2].rotations)
    assert mg.quality(made)["slide_mean"] < mg.quality(motions[1])["slide_mean"] + 0.25  # cm/s


def test_it_says_what_it_cannot_do(graph):
    walk = mg.random_walk(graph, 8, rng=3)
    live = Live(graph, (int(walk.steps["clip"][0]), int(walk.steps["start"][0])), memory=1.0)
    with pytest.raises(mg.MotionError, match="take a transition to go on"):
        live.pose(10**6)
    wrong = walk.transitions[0].copy()
    wrong["src_frame"] = 0
    live.pose(30)
    with pytest.raises(mg.MotionError, match="may be left from frame"):
        live.take(wrong)
    with pytest.raises(mg.MotionError, match="no frame"):
        Live(graph, (0, 10**6))
    last = live.decided - 1
    live.pose(last)
    if last > 500:
        with pytest.raises(mg.MotionError, match="no longer kept"):
            live.pose(0)


def test_frames_made_never_change(graph):
    walk = mg.random_walk(graph, 6, rng=4)
    first, _, live = played(graph, walk, memory=100)
    again = np.array([live.pose(frame)[0] for frame in range(len(walk))])
    np.testing.assert_array_equal(again, first.root)
