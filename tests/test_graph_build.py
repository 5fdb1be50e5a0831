"""Graphs of real and made-up motion: built, tuned, added to, taken from; thresholds, bodies, mirror images, labels."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from bodies import person, smooth_clip
from graphs import graph_of, still
from test_graph_prune import assert_endless

import motiongraph as mg
from motiongraph import rotations as rot
from motiongraph.formats.record import Record
from motiongraph.graph.stored import checked_thresholds
from motiongraph.graph.thresholds import ENOUGH
from motiongraph.metric.metric import Metric
from motiongraph.metric.search import find_minima
from motiongraph.progress import SILENT, Comparing

METRIC = Metric(window=0.25)


@pytest.fixture(autouse=True, scope="module")
def no_cache():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOTIONGRAPH_CACHE", "off")
        yield


def swing(seed, body=None, name=None, frames=160, **fields):
    """A person who swings a little, at 40 Hz; two of them are never far apart."""
    clip = smooth_clip(
        np.random.default_rng(seed), body or person(), frames, 40.0, name=name or f"clip{seed}", **fields
    )
    calm = rot.slerp(rot.IDENTITY, clip.rotations, np.array(0.4))
    return replace(clip, rotations=calm)


@pytest.fixture(scope="module")
def clips():
    return [swing(seed) for seed in range(4)]


def build(clips, **options):
    return mg.MotionGraph.build(clips, METRIC, **({"threshold": 25.0, "ceiling": 40.0} | options))


def assert_same(one, other):
    """To the last bit: clips, table and threshold."""
    assert one.candidates.table.tobytes() == other.candidates.table.tobytes()
    assert one.thresholds == other.thresholds
    assert [clip.name for clip in one.clips] == [clip.name for clip in other.clips]
    for a, b in zip(one.clips, other.clips):
        assert a.skeleton == b.skeleton
        assert (a.root.tobytes(), a.rotations.tobytes()) == (b.root.tobytes(), b.rotations.tobytes())
        assert (a.fps, a.first, a.labels) == (b.fps, b.first, b.labels)
    # How it was searched for depends on what was known before.
    assert one.report(8) | {"search": None} == other.report(8) | {"search": None}


# ---- building


def test_every_pair_both_ways(clips):
    graph = build(clips, radius=0.0)
    table, window = graph.candidates.table, graph.window
    assert len(table) > 50
    expected, clips = set(), graph.clips  # as the graph holds them
    for i, a in enumerate(clips):
        for j in range(i, len(clips)):
            for m in find_minima(a, clips[j], METRIC, ceiling=40.0):
                for src, s, dst, d in ((i, m["a"], j, m["b"]), (j, m["b"], i, m["a"])):
                    if d + window < len(clips[dst]):
                        expected.add((src, int(s), dst, int(d), float(m["cost"])))
    assert {tuple(row) for row in table[["src", "src_frame", "dst", "dst_frame", "cost"]].tolist()} == expected
    assert (np.diff(table["src"].astype(np.int64) << 32 | table["src_frame"]) >= 0).all()
    assert table["cost"].max() <= 40.0


def test_alignments_bring_the_windows_together(clips):
    graph = build(clips)
    for row in graph.transitions[:: max(1, len(graph.transitions) // 10)]:
        src, dst = graph.clips[row["src"]], graph.clips[row["dst"]]
        there = dst.moved(row["theta"], row["x0"], row["z0"])[row["dst_frame"] : row["dst_frame"] + graph.window]
        here = src[row["src_frame"] : row["src_frame"] + graph.window]
        joints = np.sqrt(np.mean(np.sum((here.positions() - there.positions()) ** 2, axis=2)))
        assert joints * 100 < 2.0 * row["cost"] + 1.0


def test_a_first_frame_that_is_no_motion_takes_no_part(clips):
    plain = build(clips[:2])
    posed = []
    for clip in clips[:2]:
        t_pose = np.zeros((1, *clip.rotations.shape[1:]))
        t_pose[..., 0] = 1.0
        motion = {"root": clip.root, "rotations": clip.rotations}
        added = {"root": np.full((1, 3), 5.0), "rotations": t_pose}
        whole = {name: np.concatenate([added[name], motion[name]]) for name in motion}
        posed.append(replace(clip, **whole, first=1, labels=()))
    later = build(posed)
    table = later.candidates.table.copy()
    table["src_frame"] -= 1
    table["dst_frame"] -= 1
    assert table.tobytes() == plain.candidates.table.tobytes()
    assert later.report()["frames"] == plain.report()["frames"]


def test_progress_tells_of_pairs_and_transitions(clips):
    heard = []
    build(clips, progress=lambda done, total, what="": heard.append((done, total, what)))
    assert heard[0][2] == "reading clip0"
    assert heard[4][2] == "fitting clip0"
    found = len(build(clips).candidates.table) + lost(clips)
    assert heard[-1][2] == f"pair 10 of 10, {found:,} transitions found"
    steps = [(done / total, what) for done, total, what in heard if isinstance(what, Comparing)]
    assert [done for done, _ in steps] == sorted(done for done, _ in steps)
    assert [what.pair for _, what in steps] == sorted(what.pair for _, what in steps)
    assert steps[0][1].pair == 1
    assert (steps[-1][1].pair, steps[-1][1].pairs, steps[-1][1].transitions) == (10, 10, found)


def lost(clips):
    """Transitions with nothing left to go on with."""
    both = sum(
        2 * len(find_minima(a, b, METRIC, ceiling=40.0, radius=3)) for i, a in enumerate(clips) for b in clips[i:]
    )
    return both - len(build(clips).candidates.table)


def test_it_can_be_stopped(clips):
    def stop(done, total, what=""):
        if isinstance(what, Comparing):
            raise mg.Cancelled

    with pytest.raises(mg.Cancelled):
        build(clips, progress=stop)


# ---- thresholds


def test_a_threshold_is_a_view(clips):
    graph = build(clips)
    low = graph.at(12.0)
    assert low.candidates is graph.candidates
    assert 0 < len(low.transitions) < len(graph.transitions)
    np.testing.assert_array_equal(low.transitions, graph.candidates.table[graph.candidates.table["cost"] <= 12.0])
    assert_same(low, build(clips, threshold=12.0))
    assert graph.pruned().whole().transitions.tobytes() == graph.transitions.tobytes()
    with pytest.raises(mg.MotionError, match="known up to 40 cm; build again with ceiling=41"):
        graph.at(41.0)
    assert build(clips, threshold=50.0).candidates.ceiling == 50.0
    assert len(graph.at(np.inf).transitions) == len(graph.candidates.table)


def test_within_and_between(clips):
    graph = build(clips).at({"within": 20.0, "between": 10.0})
    table = graph.candidates.table
    own = table["src"] == table["dst"]
    np.testing.assert_array_equal(graph.taken, table["cost"] <= np.where(own, 20.0, 10.0))
    assert graph.taken[own].any()
    assert graph.report()["threshold"] == {"within": 20.0, "between": 10.0, "pairs": []}


def test_thresholds_of_label_pairs():
    clips = [still(20, "w", ["walk"]), still(20, "r", ["run", "fast"]), still(20, "n")]
    rows = [(s, 3 + s, d, 5 + d, 4.0) for s in range(3) for d in range(3)]
    table = {("walk", "run"): 3.0, ("run", "fast"): 5.0, ("walk", "walk"): 4.0, "default": 1.0}
    graph = graph_of(clips, rows, 2).at(table)
    pairs = {(int(t["src"]), int(t["dst"])) for t in graph.transitions}
    # 3 < 4 forbids walk and run in either direction; run and fast are both of clip 1; the rest falls to the default.
    assert pairs == {(0, 0), (1, 1)}
    assert checked_thresholds(Record(graph.thresholds.plain(), "thresholds")) == graph.thresholds
    table[("fast", "walk")] = 9.0
    assert graph.at(table).thresholds.highest == 9.0
    assert graph.at(table).transitions.tobytes() == graph.transitions.tobytes()  # the lowest counts


@pytest.mark.parametrize(
    ("threshold", "says"),
    [
        ("cheap", "a threshold is a cost from 0 to"),
        (-1.0, "a threshold is a cost from 0 to"),
        (np.nan, "a threshold is a cost from 0 to"),
        (None, "a threshold is a cost from 0 to"),
        ({"within": 3.0}, "needs 'default', or both"),
        ({"walk": 3.0, "default": 1.0}, "or a pair of labels, not 'walk'"),
        ({("a", "b"): 1.0}, "needs 'default', or both"),
    ],
)
def test_thresholds_that_make_no_sense(clips, threshold, says):
    with pytest.raises(mg.MotionError, match=says):
        graph_of([still(9)], [], 2).at(threshold)


def test_auto_keeps_most_at_a_low_cost(clips):
    graph = build(clips, threshold="auto")
    assert graph.is_auto
    c, chosen = graph.candidates, graph.thresholds.highest
    assert chosen == pytest.approx(round(chosen, 1))
    assert 0 < chosen <= c.ceiling
    assert graph.kept.frames >= ENOUGH * graph.at(c.ceiling).kept.frames
    if chosen > 0.1:
        assert graph.at(chosen - 0.1).kept.frames < graph.kept.frames
    curve = graph.trade_off(9)
    assert curve["threshold"].tolist() == np.linspace(0, 40, 9).tolist()
    for row in curve:
        view = graph.at(row["threshold"]).pruned()
        assert row["share"] == view.kept.frames / c.frames
        assert row["transitions"] == len(view.transitions)
        assert row["mean_cost"] == pytest.approx(view.transitions["cost"].mean() if len(view.transitions) else 0.0)


def test_auto_of_a_graph_that_keeps_nothing():
    assert graph_of([still(20)], [], 2, "auto").thresholds.highest == 0.0
    assert graph_of([still(20)], [(0, 2, 0, 9, 1.0)], 2, "auto").thresholds.highest == 0.0


# ---- adding and removing


@pytest.mark.parametrize("mirror", [False, True])
def test_adding_and_removing_is_like_building(clips, mirror):
    options = {"mirror": mirror, "threshold": "auto"}
    whole = build(clips, **options)
    grown = build(clips[:2], **options)
    assert grown.add(clips[2]).add(clips[3:]) is grown
    assert_same(grown, whole)
    assert_same(grown.remove("clip1"), build([clips[0], clips[2], clips[3]], **options))
    assert_same(grown.remove("clip0", "clip3"), build(clips[2:3], **options))


def test_only_new_pairs_are_computed(clips, monkeypatch):
    from motiongraph.graph import compare as candidates

    compared = []
    search = candidates.search_tape

    def counted(old, new, **options):
        compared.append((len(old), len(new)))
        return search(old, new, **options)

    monkeypatch.setattr(candidates, "search_tape", counted)
    graph = build(clips[:3])
    assert compared == [(0, 3)]
    graph.add(clips[3])
    assert compared == [(0, 3), (3, 1)]
    graph.remove("clip2")
    assert len(compared) == 2


def test_the_tape_finds_what_pairs_of_clips_do(clips):
    """Copies, stillness and clips far from the origin too; in any order, in any blocks, at once or one by one."""
    from motiongraph.graph import compare as candidates
    from motiongraph.graph.limits import Limits
    from motiongraph.graph.structure import in_order

    still = replace(clips[0], name="still", rotations=np.repeat(clips[0].rotations[:1], len(clips[0]), axis=0))
    every = [*clips, replace(clips[1], name="copy"), still, clips[2].moved(2.0, 300.0, -500.0)]
    for metric in (mg.Metric(), mg.Metric(window=0.0), mg.Metric(taper="gaussian"), mg.Metric(align="in-place")):
        pairs = [(i, j) for i in range(len(every)) for j in range(i, len(every))]
        limits = every, metric, Limits(20.0), 3
        ref = in_order(candidates._pair_by_pair(candidates._Asked(*limits, pairs, SILENT)).table)
        comp = in_order(candidates._on_tape(candidates._Asked(*limits, pairs, SILENT)).table)
        copies = {1, 4}  # pair by pair, copies count as one clip against itself
        assert ref[_between(ref, copies)].tobytes() == comp[_between(comp, copies)].tobytes()
        some = [pair for pair in pairs if 2 in pair or 5 in pair]
        later = in_order(candidates._on_tape(candidates._Asked(*limits, some, SILENT)).table)
        with_new = np.isin(comp["src"], (2, 5)) | np.isin(comp["dst"], (2, 5))
        assert later.tobytes() == comp[with_new].tobytes()


def _between(table, copies):
    """Rows that do not lead from one of the copies to another."""
    return ~(np.isin(table["src"], list(copies)) & np.isin(table["dst"], list(copies)) & (table["src"] != table["dst"]))


def test_the_body_most_clips_have_changes_sides():
    small = person()
    tall = replace(small, offsets=small.offsets * 1.08)
    mixed = [swing(0, small), swing(1, tall), swing(2, tall), swing(3, small)]
    grown = build(mixed[:1])
    for clip in mixed[1:3]:
        grown.add(clip)
    assert grown.clips[0].skeleton == tall
    assert_same(grown, build(mixed[:3]))
    grown.add(mixed[3])
    assert grown.clips[0].skeleton == small  # as many of each: the first
    assert_same(grown, build(mixed))
    assert_same(grown.remove("clip0"), build(mixed[1:]))
    assert grown.clips[0].skeleton == tall
    assert grown.candidates.originals[2].skeleton == small


def test_names_are_told_apart(clips):
    twice = build([clips[0], clips[1], replace(clips[2], name="clip0")])
    assert [clip.name for clip in twice.clips] == ["clip0", "clip1", "clip0_2"]
    odd = build([clips[0], replace(clips[1], name="clip0_mirrored")], mirror=True)
    assert len({clip.name for clip in odd.clips}) == 4
    with pytest.raises(mg.MotionError, match="the graph has no clip 'clip9'; it has clip0, clip1, clip0_2"):
        twice.remove("clip9")
    with pytest.raises(mg.MotionError, match="at least one clip"):
        twice.remove("clip0", "clip1", "clip0_2")
    assert len(twice.clips) == 3  # nothing was changed


# ---- what cannot be in one graph


def test_a_graph_needs_a_clip(clips):
    with pytest.raises(mg.MotionError, match="at least one clip"):
        build([])
    with pytest.raises(mg.MotionError, match=r"at least one clip .*; clip1 is left out: its 0.20 s") as caught:
        build([clips[1][:8]])
    assert "\n" not in str(caught.value)


def test_short_clips_are_left_out(clips):
    short, said = clips[1][:8], "clip1 is left out: its 0.20 s are shorter than a transition"
    with pytest.warns(UserWarning, match=said):
        graph = build([clips[0], short])
    assert [clip.name for clip in graph.clips] == ["clip0"]
    assert graph.report()["left_out"] == ["clip1"]
    assert said in graph.warnings
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert_same(build([clips[0]]).add(short), graph)


def test_mirror_images_take_part(clips):
    turning = [clips[0].labelled(["turn-left"]), clips[1]]
    graph = build(turning, mirror=True)
    assert [clip.name for clip in graph.clips] == ["clip0", "clip0_mirrored", "clip1", "clip1_mirrored"]
    assert list(graph.clips[1].labels) == ["turn-right"]
    np.testing.assert_array_equal(graph.clips[1].rotations, graph.clips[0].mirrored().rotations)
    np.testing.assert_allclose(graph.clips[0].rotations, turning[0].rotations, atol=2e-7)
    assert set(np.unique(graph.transitions["src"])) == {0, 1, 2, 3}


# ---- real motion


@pytest.fixture(scope="module")
def subject16(mocap):
    """All 58 trials, each with the word of its motion."""
    walks = {*range(11, 35), 47, 58}

    def word(clip):
        number = int(clip.name.removeprefix("16_"))
        return "walk" if number in walks else "jump" if number <= 10 and number != 8 else "run"

    return [clip.labelled([word(clip)]) for clip in mg.load_all(mocap / "cmu/asf_amc/16")]


@pytest.mark.long
def test_motion_never_ends_on_subject_16(subject16):
    plain = mg.MotionGraph.build([clip.labelled(()) for clip in subject16])
    assert plain.report()["frames"] == 17_691
    assert plain.report()["share_kept"] > 0.5
    assert_endless(plain, 1_000_000)
    low = plain.at(2.0)
    assert 0 < low.kept.frames < plain.kept.frames
    assert_endless(low, 500_000)

    labelled = mg.MotionGraph(replace(plain.candidates, clips=tuple(subject16)), 8.0)
    assert (labelled.kept.parts > 0).sum() == 3
    assert_endless(labelled, 500_000)
    # Walking on half of a run as well: labels on ranges, and unions of them.
    half = [clip.labelled({"walk": (0, len(clip) // 2), "calm": (len(clip) // 3, len(clip))}) for clip in subject16]
    ranges = mg.MotionGraph(replace(plain.candidates, clips=tuple(half)), 8.0)
    assert len(ranges.candidates.labelling.sets) == 3
    assert_endless(ranges, 500_000)


def test_dissertation_clips(mocap):
    graph = mg.MotionGraph.build(
        mg.load_all(mocap / "cmu/asf_amc/dissertation"), ceiling=100.0, threshold=100.0, radius=0.0
    )
    report = graph.report(8)
    assert (report["clips"], report["frames"], report["window_frames"]) == (6, 2623, 40)
    assert report["least_connected"]["transitions"] > 0
    assert report["connection_seconds"] > 0
