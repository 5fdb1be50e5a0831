"""The one builder of graphs: what takes part, what is known from the graph before, what is said about it."""

import pickle
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from bodies import person
from test_graph_build import METRIC, assert_same, swing

import motiongraph as mg
from motiongraph import rotations as rot
from motiongraph.graph import build
from motiongraph.graph.build import Options, build_graph, lasting, same_motion
from motiongraph.graph.candidates import RADIUS, LeftOut
from motiongraph.graph.limits import CEILING
from motiongraph.metric.metric import Metric
from motiongraph.model.clip import Clip
from motiongraph.progress import Comparing

OPTIONS = Options(METRIC, ceiling=40.0)


@pytest.fixture(autouse=True)
def no_cache(monkeypatch):
    monkeypatch.setenv("MOTIONGRAPH_CACHE", "off")


@pytest.fixture(scope="module")
def clips():
    return [swing(seed) for seed in range(4)]


@pytest.fixture
def compared(monkeypatch):
    """Every pair of clips that is searched for transitions."""
    pairs, compare = [], build.compare

    def counted(clips, metric, limits, some, *rest):
        pairs.extend(some)
        return compare(clips, metric, limits, some, *rest)

    monkeypatch.setattr(build, "compare", counted)
    return pairs


def names(graph):
    return [clip.name for clip in graph.clips]


def assert_alike(one, other):
    """The same clips and transitions; a pair compared the other way round may differ in the last bits."""
    assert names(one) == names(other)
    assert one.thresholds == other.thresholds
    a, b = one.candidates.table, other.candidates.table
    assert a[["src", "src_frame", "dst", "dst_frame"]].tolist() == b[["src", "src_frame", "dst", "dst_frame"]].tolist()
    for name in ("cost", "theta", "x0", "z0"):
        np.testing.assert_allclose(a[name], b[name], rtol=0.0, atol=1e-9)


def copied(clip):
    """The same motion in other arrays."""
    return replace(clip, root=clip.root.copy(), rotations=clip.rotations.copy())


# ---- what comes out


def test_result(clips):
    built = build_graph(clips[:3], OPTIONS)
    assert names(built.graph) == ["clip0", "clip1", "clip2"]
    assert (built.compared, built.total) == (6, 6)
    assert (built.sources, built.left_out, built.warnings, built.sentences) == ((0, 1, 2), (), (), ())
    assert built.graph.is_auto
    assert not built.graph.is_pruned
    with pytest.raises(FrozenInstanceError):
        built.compared = 0


def test_it_is_what_python_builds(clips):
    for mirror in (False, True):
        built = build_graph(iter(clips), Options(METRIC, mirror, ceiling=40.0, radius=0.1, threshold=20.0))
        direct = mg.MotionGraph.build(clips, METRIC, 20.0, ceiling=40.0, radius=0.1, mirror=mirror)
        assert_same(built.graph, direct)
        assert built.total == (36 if mirror else 10)


def test_usual_options(clips):
    c = build_graph(clips[:1]).graph.candidates
    assert (c.metric, c.ceiling, c.radius, c.mirror) == (Metric(), CEILING, RADIUS, False)
    assert build_graph(clips[:1], Options(threshold=20.0)).graph.candidates.ceiling == 20.0
    angles = Options(Metric(kind="angle"), threshold=20.0)
    assert build_graph(clips[:1], angles).graph.candidates.ceiling == np.inf


# ---- clips that differ


def test_rates_become_the_most_frequent(clips):
    slow = clips[2].resampled(20.0)
    built = build_graph([slow, clips[0], clips[1]], OPTIONS)
    assert built.graph.fps == 40.0
    assert len(built.graph.clips[0]) == len(slow.resampled(40.0))
    assert built.warnings == ("clips have 20 and 40 frames a second; all are resampled to 40",)
    three = build_graph([slow, clips[0], clips[1].resampled(30.0), clips[3]], replace(OPTIONS, fps=25.0))
    assert three.graph.fps == 25.0
    assert three.warnings == ("clips have 20, 30 and 40 frames a second; all are resampled to 25",)
    assert build_graph(clips[:2], replace(OPTIONS, fps=20.0)).warnings == ()  # as it was asked for
    with pytest.warns(UserWarning, match="all are resampled to 40"):
        assert mg.MotionGraph.build([*clips[:2], slow], METRIC).fps == 40.0


def test_added_clips_take_the_rate_of_the_graph(clips):
    graph = mg.MotionGraph.build(clips[0], METRIC, ceiling=40.0)
    slow = [clip.resampled(20.0) for clip in clips[1:]]
    with pytest.warns(UserWarning, match="clips have 20 and 40 frames a second; all are resampled to 40"):
        graph.add(slow)
    assert_same(graph, mg.MotionGraph.build([clips[0], *(c.resampled(40.0) for c in slow)], METRIC, ceiling=40.0))


def test_other_joints_are_left_out(clips):
    body = person()
    alien = swing(1, mg.Skeleton([f"x{n}" for n in body.names], body.parents, body.offsets), name="alien")
    built = build_graph([alien, clips[0], clips[1][:8], clips[2]], OPTIONS)
    assert names(built.graph) == ["clip0", "clip2"]
    assert built.sources == (1, 3)
    other = "its skeleton has other joints than that of clip0, and no hips and legs that can be recognised"
    assert built.left_out == (
        LeftOut("alien", other),
        LeftOut("clip1", "its 0.20 s are shorter than a transition"),
    )
    assert built.sentences == (
        f"alien is left out: {other}",
        "clip1 is left out: its 0.20 s are shorter than a transition",
    )
    assert built.graph.candidates.left_out == built.left_out
    assert set(built.sentences) <= set(built.graph.warnings)
    with pytest.raises(mg.MotionError, match=r"at least one clip .* clip1 is left out"):
        build_graph([clips[1][:8]], OPTIONS)


def test_left_out_survives_a_file(clips, tmp_path):
    built = build_graph([clips[0], clips[1][:8]], OPTIONS)
    built.graph.save(tmp_path / "g.mgraph")
    assert mg.MotionGraph.load(tmp_path / "g.mgraph").candidates.left_out == built.left_out
    old = replace(built.graph.candidates, left_out=("brief",))  # files of the first version name clips only
    mg.MotionGraph(old, built.graph.thresholds).save(tmp_path / "old.mgraph")
    read = mg.MotionGraph.load(tmp_path / "old.mgraph").candidates.left_out
    assert list(map(str, read)) == ["brief is left out: it is shorter than a transition"]


def test_clips_like_no_other_are_named(clips):
    lying = clips[3].rotations.copy()
    lying[:, 0] = rot.multiply(rot.about("X", np.pi / 2), lying[:, 0])
    built = build_graph([*clips[:2], replace(clips[3], rotations=lying, name="lying")], OPTIONS)
    assert built.warnings == ("lying is joined to no other clip: nothing is alike up to 40 cm",)
    assert not built.left_out
    assert build_graph(clips[:1], OPTIONS).warnings == ()  # alone, but that is no news


# ---- what is known already


@pytest.mark.parametrize("mirror", [False, True])
def test_any_change_gives_what_building_anew_gives(clips, mirror, compared):
    options, rng = replace(OPTIONS, mirror=mirror), np.random.default_rng(4)
    trimmed = [clip[10:120] for clip in clips]
    previous, before = build_graph(clips[:2], options).graph, [clips[0], clips[1]]
    each = 2 if mirror else 1
    for _ in range(6):
        chosen = [(clips, trimmed)[rng.integers(2)][i] for i in rng.permutation(4)[: rng.integers(1, 5)]]
        compared.clear()
        built = build_graph(chosen, options, previous)
        kept = sum(any(same_motion(a, b) for b in before) for a in chosen) * each
        used = len(chosen) * each
        assert (built.compared, built.total) == ((used * used + used - kept * kept - kept) // 2, used * (used + 1) // 2)
        assert len(compared) == built.compared
        assert_alike(built.graph, build_graph(chosen, options).graph)
        assert built.sources == tuple(range(len(chosen)))
        previous, before = built.graph, chosen


def test_order_alone_compares_nothing(clips, compared):
    first = build_graph(clips, OPTIONS).graph
    compared.clear()
    turned = build_graph(clips[::-1], OPTIONS, first)
    assert (turned.compared, len(compared)) == (0, 0)
    assert_alike(turned.graph, build_graph(clips[::-1], OPTIONS).graph)
    assert build_graph(clips, OPTIONS, first).graph.candidates.table is first.candidates.table


def test_motion_is_known_by_its_numbers(clips, tmp_path):
    build_graph(clips[:3], OPTIONS).graph.save(tmp_path / "g.mgraph")
    loaded = mg.MotionGraph.load(tmp_path / "g.mgraph")
    built = build_graph([copied(clip) for clip in clips], OPTIONS, loaded)
    assert (built.compared, built.total) == (4, 10)
    assert built.graph.clips[0] is loaded.clips[0]  # with all that was computed of it
    assert_same(built.graph, build_graph(clips, OPTIONS).graph)


def test_resampled_clips_are_known_again(clips):
    slow = clips[0].resampled(30.0)
    first = build_graph([slow, *clips[1:3]], OPTIONS)
    again = build_graph([copied(slow), *clips[1:]], OPTIONS, first.graph)
    assert again.compared == 4


@pytest.mark.parametrize(
    "change",
    [
        {"root": lambda c: c.root + 0.5},
        {"rotations": lambda c: c.rotations[::-1]},
        {"first": lambda c: 1},
        {"fps": lambda c: 41.0},
        {"offsets": lambda c: np.broadcast_to(c.skeleton.offsets, (len(c), *c.skeleton.offsets.shape))},
        {"skeleton": lambda c: replace(c.skeleton, offsets=c.skeleton.offsets * 1.01)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_makes_another_motion(clips, change):
    clip = clips[0]
    other = replace(clip, **{name: value(clip) for name, value in change.items()})
    assert not same_motion(clip, other)
    assert same_motion(other, copied(other))
    assert not same_motion(other, clip)


def test_names_and_labels_change_without_comparing(clips, compared):
    options = replace(OPTIONS, mirror=True)
    first = build_graph(clips[:2], options).graph
    compared.clear()
    renamed = [clips[0].labelled({"turn-left": (0, 60)}), replace(clips[1], name="other")]
    built = build_graph(renamed, options, first)
    assert (built.compared, len(compared)) == (0, 0)
    assert built.graph.candidates.table is first.candidates.table
    assert names(built.graph) == ["clip0", "clip0_mirrored", "other", "other_mirrored"]
    assert [tuple(clip.labels) for clip in built.graph.clips] == [("turn-left",), ("turn-right",), (), ()]
    assert built.graph.candidates.originals[0].labels == built.graph.clips[0].labels
    assert_same(built.graph, build_graph(renamed, options).graph)
    assert [tuple(clip.labels) for clip in first.clips] == [(), (), (), ()]


def test_the_same_motion_twice(clips):
    twice = [clips[0], replace(clips[0], name="again"), clips[1]]
    first = build_graph(twice, OPTIONS).graph
    swapped = build_graph([twice[1], twice[0], clips[1]], OPTIONS, first)
    assert swapped.compared == 0
    assert names(swapped.graph) == ["again", "clip0", "clip1"]
    assert build_graph([*twice, clips[0]], OPTIONS, first).compared == 4
    assert names(build_graph([clips[0], clips[0]], OPTIONS).graph) == ["clip0", "clip0_2"]


def test_another_skeleton_compares_everything(clips):
    tall = replace(person(), offsets=person().offsets * 1.08)
    giants = [swing(seed, tall, f"giant{seed}") for seed in (5, 6)]
    first = build_graph(clips[:1], OPTIONS).graph
    built = build_graph([clips[0], *giants], OPTIONS, first)
    assert (built.compared, built.total) == (6, 6)
    assert built.graph.clips[0].skeleton == tall
    assert_same(built.graph, build_graph([clips[0], *giants], OPTIONS).graph)


@pytest.mark.parametrize(
    "options",
    [
        {"metric": Metric(window=0.3)},
        {"metric": replace(METRIC, search_fps=20.0)},
        {"mirror": True},
        {"fps": 20.0},
        {"ceiling": 30.0},
        {"radius": 0.2},
        {"threshold": 50.0},
    ],
    ids=lambda options: next(iter(options)),
)
def test_other_options_compare_everything(clips, options):
    first = build_graph(clips[:2], OPTIONS).graph
    options = replace(OPTIONS, **options)
    built = build_graph(clips[:2], options, first)
    assert built.compared == built.total
    assert_same(built.graph, build_graph(clips[:2], options).graph)


def test_ceiling_and_radius_last(clips):
    first = build_graph(clips[:2], replace(OPTIONS, radius=0.2)).graph
    built = build_graph(clips[:3], Options(METRIC), first)
    assert (built.graph.candidates.ceiling, built.graph.candidates.radius) == (40.0, 0.2)
    assert built.compared == 3
    other = build_graph(clips[:3], Options(Metric(kind="angle")), first).graph.candidates
    assert (other.ceiling, other.radius) == (np.inf, RADIUS)


def test_thresholds_last_where_they_mean_something(clips):
    first = build_graph(clips[:2], replace(OPTIONS, threshold={"within": 9.0, "between": 12.0})).graph
    assert not first.is_auto
    grown = build_graph(clips[:3], OPTIONS, first).graph
    assert grown.thresholds == first.thresholds
    assert not grown.is_auto
    assert build_graph(clips[:3], replace(OPTIONS, threshold="auto"), first).graph.is_auto
    assert build_graph(clips[:3], replace(OPTIONS, threshold=7.0), first).graph.thresholds.highest == 7.0
    assert build_graph(clips[:2], Options(Metric(kind="angle")), first).graph.is_auto  # 12 cm are not 12°
    assert build_graph(clips[:2], replace(OPTIONS, ceiling=10.0), first).graph.is_auto
    free = first.at(np.inf)
    assert lasting(free, build_graph(clips[:2], replace(OPTIONS, ceiling=10.0)).graph.candidates)
    assert not lasting(None, first.candidates)
    assert not lasting(build_graph(clips[:2], OPTIONS).graph, first.candidates)  # an automatic one is chosen anew


# ---- progress


def test_progress_has_its_figures_as_fields(clips):
    heard = []
    built = build_graph(clips, OPTIONS, progress=lambda done, total, what="": heard.append((done, total, what)))
    steps = [what for _, _, what in heard if isinstance(what, Comparing)]
    assert steps[-1].pair == steps[-1].pairs == built.compared == 10
    assert steps[-1].transitions >= len(built.graph.candidates.table) > 0
    assert str(steps[-1]) == f"pair 10 of 10, {steps[-1].transitions:,} transitions found"
    assert all(0 <= done <= total for done, total, _ in heard)
    assert any(what == "the automatic threshold" for _, _, what in heard)
    kept = pickle.loads(pickle.dumps(steps[0]))
    assert (kept, kept.pair, kept.pairs, kept.transitions) == (steps[0], 1, 10, 0)


def test_stopped_where_it_is(clips):
    first = build_graph(clips[:2], OPTIONS).graph
    table = first.candidates.table

    def stop(done, total, what=""):
        if isinstance(what, Comparing):
            raise mg.Cancelled

    with pytest.raises(mg.Cancelled):
        build_graph(clips, OPTIONS, first, stop)
    with pytest.raises(mg.Cancelled):
        first.add(clips[2], stop)
    assert first.candidates.table is table
    assert isinstance(first.clips[0], Clip)
