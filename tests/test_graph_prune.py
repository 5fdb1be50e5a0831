"""Choice points, pruning, figures and views of graphs, against plain loops over frames."""

import numpy as np
import pytest
from graphs import graph_of, plain, random_graph, still
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import graph as naive
from numba import njit

from motiongraph.graph.structure import both_ways, strong_components
from motiongraph.graph.views import ORIGINAL
from motiongraph.model.placement import inverse

SEEDS = st.integers(0, 2**32 - 1)


def frames_of(graph, pieces):
    """(clip, frame) of every frame in these pieces (N,)."""
    s = graph.structure
    return {
        (int(c), f)
        for c, start, n in zip(s.clip[pieces], s.frame[pieces], s.piece[pieces])
        for f in range(start, start + n)
    }


def rows_of(table):
    return {tuple(row) for row in table[["src", "src_frame", "dst", "dst_frame", "cost"]].tolist()}


# ---- transitions


def test_both_ways_undo_each_other():
    rng = np.random.default_rng(5)
    minima = np.zeros(4, [("a", "i4"), ("b", "i4"), ("cost", "f4"), ("theta", "f8"), ("x0", "f8"), ("z0", "f8")])
    minima["a"], minima["b"], minima["cost"] = [3, 5, 7, 9], [30, 50, 70, 90], [1, 2, 3, 4]
    for name in ("theta", "x0", "z0"):
        minima[name] = rng.uniform(-4, 4, 4)
    rows = both_ways(np.array([0, 0, 1, 1]), np.array([1, 2, 1, 2]), minima)
    assert len(rows) == 8
    for there, back in zip(rows[:4], rows[4:]):
        assert [there[n] for n in ("src", "src_frame", "cost")] == [back[n] for n in ("dst", "dst_frame", "cost")]
        assert [back[n] for n in ("src", "src_frame")] == [there[n] for n in ("dst", "dst_frame")]
        product = naive.times(*(naive.matrix(*(row[n] for n in ("theta", "x0", "z0"))) for row in (there, back)))
        np.testing.assert_allclose(product, np.eye(3), atol=1e-12)


@given(st.floats(-10, 10), st.floats(-50, 50), st.floats(-50, 50))
def test_inverse(theta, x0, z0):
    product = naive.times(naive.matrix(*inverse((theta, x0, z0))), naive.matrix(theta, x0, z0))
    np.testing.assert_allclose(product, np.eye(3), atol=1e-12)


# ---- strong components


@given(SEEDS)
@settings(max_examples=200, deadline=None)
def test_strong_components(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 14))
    counts = rng.integers(0, 4, n)
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    arrives = rng.integers(0, n, first[-1]).astype(np.int32)
    taken = rng.random(first[-1]) < 0.7
    goes_on = np.append(rng.random(n - 1) < 0.5, False)
    part = strong_components(first, arrives, taken, goes_on)
    edges = [(v, v + 1) for v in range(n) if goes_on[v]]
    edges += [(v, int(arrives[e])) for v in range(n) for e in range(first[v], first[v + 1]) if taken[e]]
    touched = {v for edge in edges for v in edge}
    found = {}
    for v in touched:
        found.setdefault(int(part[v]), set()).add(v)
    expected = naive.parts(sorted(touched), edges)
    assert sorted(map(sorted, found.values())) == sorted(map(sorted, expected))
    assert all(part[v] == -1 for v in range(n) if v not in touched)


def test_depth_is_no_limit():
    n = 300_000
    first = np.zeros(n + 1, np.int32)
    first[n] = 1
    part = strong_components(first, np.zeros(1, np.int32), np.ones(1, bool), np.arange(n) < n - 1)
    assert (part == 0).all()


# ---- layers


@given(SEEDS)
@settings(max_examples=120, deadline=None)
def test_layers_against_plain_loops(seed):
    graph = random_graph(np.random.default_rng(seed), transitions=30)
    clips, rows = plain(graph)
    expected = naive.layers(clips, rows, graph.window)
    s, layers = graph.structure, graph.candidates.layers
    places = list(zip(layers.labels.tolist(), layers.node.tolist()))
    assert places == sorted(set(places))
    leaves = np.repeat(np.arange(len(layers)), np.diff(layers.first))
    assert (layers.labels[leaves] == layers.labels[layers.arrives]).all()
    assert (layers.node[leaves] == s.leaves[layers.transition]).all()
    assert (layers.node[layers.arrives] == s.arrives[layers.transition]).all()
    assert set(layers.loops) == {e for e, (a, b) in enumerate(zip(leaves, layers.arrives)) if a == b}
    on = np.flatnonzero(layers.goes_on)
    assert set(on) | set(on + 1) | set(leaves) | set(layers.arrives) == set(range(len(layers)))
    for labels, words in enumerate(graph.candidates.labelling.sets):
        own = on[layers.labels[on] == labels]
        start, stop = layers.node[own], layers.node[own + 1]
        pieces = set(zip(s.clip[start].tolist(), s.frame[start].tolist(), s.frame[stop].tolist()))
        chosen = layers.transition[layers.labels[leaves] == labels]
        assert (pieces, {rows[t] for t in chosen}) == expected[words]
        assert layers.piece[own].tolist() == (s.frame[stop] - s.frame[start]).tolist()
    assert not layers.piece[~layers.goes_on].any()


# ---- pruning


@given(SEEDS)
@settings(max_examples=120, deadline=None)
def test_pruning_against_plain_loops(seed):
    graph = random_graph(np.random.default_rng(seed), clips=2, most=32, transitions=60).at(7.0)
    clips, rows = plain(graph, graph.taken)
    # Frames before the first captured one belong to no motion.
    clips = [[frozenset({"#"})] * c.first + sets[c.first :] for c, sets in zip(graph.clips, clips)]
    pruned = naive.prune(clips, rows, graph.window)
    sets = graph.candidates.labelling.sets
    assert set(sets) == set(pruned) - {frozenset({"#"})}
    for labels, sizes in zip(sets, graph.kept.sizes):
        assert sizes.tolist() == [size for size, _, _ in pruned[labels]]
    if any(len(sized) > 1 and sized[0][0] == sized[1][0] for sized in pruned.values()):
        return  # which of two equal parts is kept is a matter of taste
    chosen, counted, played, ways = naive.kept(clips, rows, graph.window)
    assert rows_of(graph.pruned().transitions) == chosen
    assert frames_of(graph, graph.kept.counted) == counted
    assert frames_of(graph, graph.kept.pieces) == played
    assert graph.kept.frames == len(counted)
    kept = [bool(pruned[labels]) for labels in sets]
    reach = {(a, b) for i, a in enumerate(sets) for j, b in enumerate(sets) if kept[i] and graph.kept.reach[i, j]}
    assert {(a, b) for a, b in reach if pruned[b]} == ways


def test_example_of_kovar_figure_4():
    """A part that goes round, a sink that goes round by itself, and a dead end."""
    clips = [still(20, "round"), still(8, "sink"), still(6, "end")]
    rows = [(0, 15, 0, 2, 1.0), (0, 10, 1, 0, 1.0), (1, 5, 1, 1, 1.0), (0, 12, 2, 1, 1.0)]
    graph = graph_of(clips, rows, 2)
    assert rows_of(graph.pruned().transitions) == {rows[0]}
    assert frames_of(graph, graph.kept.counted) == {(0, f) for f in range(4, 15)}
    report = graph.report()
    assert (report["components"], report["label_sets"][0]["component_frames"]) == (2, [11, 2])


def test_labels_are_kept_apart_and_joined_by_what_leads_over():
    """Two loops of their own words in one clip; the clip itself leads from one to the other, nothing leads back."""
    clip = still(40, "both", {"walk": (0, 20), "run": (20, 40)})
    rows = [(0, 14, 0, 2, 1.0), (0, 36, 0, 22, 1.0), (0, 16, 0, 0, 5.0)]
    graph = graph_of([clip], rows, 2).at(2.0).pruned()
    assert frames_of(graph, graph.kept.counted) == {(0, f) for f in (*range(4, 14), *range(24, 36))}
    # Through a choice point that only a dearer transition has, and over the change of labels.
    assert frames_of(graph, graph.open_pieces) == {(0, f) for f in range(4, 36)}
    sets = [set(s) for s in graph.candidates.labelling.sets]
    walk, run = sets.index({"walk"}), sets.index({"run"})
    assert graph.kept.reach[walk, run]
    assert not graph.kept.reach[run, walk]
    assert graph.warnings == ["from motion labelled run there is no way to walk at this threshold"]


def test_one_set_is_reached_through_another():
    """Three loops in a row, each in a clip of its own words."""
    clips = [still(30, word, [word]) for word in ("a", "b", "c")]
    loops = [(c, 20, c, 2, 1.0) for c in range(3)]
    graph = graph_of(clips, [*loops, (0, 15, 1, 5, 1.0), (1, 15, 2, 5, 1.0)], 2)
    assert graph.kept.reach.tolist() == [[True, True, True], [False, True, True], [False, False, True]]
    assert graph.warnings == [
        "from motion labelled b there is no way to a at this threshold",
        "from motion labelled c there is no way to a, b at this threshold",
    ]


def test_a_transition_has_the_labels_of_both_its_ends():
    clips = [still(12, "w", ["walk"]), still(12, "s", ["sad"]), still(12, "ws", ["walk", "sad"])]
    rows = [(0, 5, 1, 2, 1.0), (0, 5, 2, 2, 1.0), (2, 5, 1, 2, 1.0), (0, 6, 0, 1, 1.0)]
    graph = graph_of(clips, rows, 3)
    sets, found = graph.candidates.labelling.sets, graph.candidates.transition_sets
    ordered = graph.candidates.table[["src", "dst"]].tolist()
    words = {pair: set(sets[i]) for pair, i in zip(ordered, found)}
    assert words == {(0, 1): {"walk", "sad"}, (0, 2): {"walk", "sad"}, (2, 1): {"walk", "sad"}, (0, 0): {"walk"}}


def test_warnings_name_what_keeps_too_little():
    clips = [still(30, "w", ["walk"]), still(30, "r", ["run"])]
    graph = graph_of(clips, [(0, 20, 0, 2, 1.0)], 2).pruned(least=5.0)
    assert graph.warnings == [
        "motion labelled walk keeps 1.6 s at this threshold; a higher one keeps more",
        "motion labelled run keeps 0.0 s at this threshold; a higher one keeps more",
        "nothing of r is kept at this threshold: no way leads there and back",
    ]
    assert len(graph.pruned(least=1.0).warnings) == 2
    assert graph_of(clips[:1], [], 2).warnings == ["the graph keeps 0.0 s at this threshold; a higher one keeps more"]


# ---- motion never ends


@njit
def walk(first, arrives, goes_on, taken, start, chances):
    """Random steps along open edges; how many could be made, and how many nodes were met. chances: 0 … 1 of each."""
    met = np.zeros(goes_on.shape[0], np.bool_)
    v = start
    for step in range(chances.shape[0]):
        met[v] = True
        choices = int(goes_on[v])
        for e in range(first[v], first[v + 1]):
            choices += taken[e]
        if choices == 0:
            return step, met.sum()
        pick = int(chances[step] * choices)
        if goes_on[v]:
            if pick == 0:
                v += 1
                continue
            pick -= 1
        for e in range(first[v], first[v + 1]):
            if taken[e]:
                if pick == 0:
                    v = arrives[e]
                    break
                pick -= 1
    return chances.shape[0], met.sum()


def assert_endless(graph, steps):
    """From every set of labels motion of exactly these labels goes on, and in the whole pruned graph as well."""
    s, c, kept = graph.structure, graph.candidates, graph.kept
    chances = np.random.default_rng(steps).random(steps)
    for labels, size in enumerate(kept.parts):
        if not size:
            continue
        member, pieces = kept.members[labels], kept.counted & (c.piece_sets == labels)
        inner = kept.transitions & (c.transition_sets == labels) & member[s.leaves] & member[s.arrives]
        assert member[:-1][pieces[:-1]].all()
        made, met = walk(s.first, s.arrives, pieces, inner, int(np.flatnonzero(pieces)[0]), chances)
        assert made == steps
        if steps > 20 * member.sum() ** 2:
            assert met == member.sum()
    start = int(np.flatnonzero(kept.counted)[0])
    made, _ = walk(s.first, s.arrives, graph.pruned().open_pieces, graph.pruned().open, start, chances)
    assert made == steps


@pytest.mark.parametrize("seed", range(8))
def test_motion_never_ends_in_random_graphs(seed):
    graph = random_graph(np.random.default_rng(seed), clips=8, most=60, transitions=200, least=150)
    assert graph.kept.frames
    assert_endless(graph, 300_000)


def test_the_walker_does_get_stuck_without_pruning():
    graph = random_graph(np.random.default_rng(1), clips=8, most=60, transitions=200)
    s = graph.structure
    made, _ = walk(s.first, s.arrives, graph.open_pieces, graph.open, 0, np.random.default_rng(1).random(300_000))
    assert made < 300_000


# ---- views


@given(SEEDS, st.booleans())
@settings(max_examples=100, deadline=None)
def test_views_show_the_same_graph(seed, pruned):
    graph = random_graph(np.random.default_rng(seed), transitions=16).at(7.0)
    graph = graph.pruned() if pruned else graph
    rows, window = graph.transitions, graph.window
    played = frames_of(graph, graph.open_pieces)
    if not pruned:
        played = {(c, f) for c, clip in enumerate(graph.clips) for f in range(clip.first, len(clip))}
    expected = naive.follows(
        [tuple(row) for row in rows[["src", "src_frame", "dst", "dst_frame"]].tolist()], window, played
    )

    clips = graph.clip_view()
    assert clips.frames.sum() == graph.candidates.frames
    assert all(
        (clips.transitions["src"][clips.first[c] : clips.first[c + 1]] == c).all() for c in range(len(graph.clips))
    )
    src, dst, count, cheapest = clips.pairs()
    for a, b, n, cost in zip(src, dst, count, cheapest):
        between = rows[(rows["src"] == a) & (rows["dst"] == b)]
        assert (len(between), between["cost"].min()) == (n, cost)
    assert count.sum() == len(rows)

    choices = graph.choice_view()
    own = choices.transition == ORIGINAL
    assert sorted(choices.transition[~own]) == list(range(len(rows)))
    place = list(zip(choices.clip.tolist(), choices.frame.tolist()))
    assert place == sorted(set(place))
    covered = set()
    for a, b, n, t in zip(choices.source, choices.target, choices.frames, choices.transition):
        if t == ORIGINAL:
            (clip, start), (same, stop) = place[a], place[b]
            assert (clip, stop - start) == (same, n)
            assert not covered & {(clip, f) for f in range(start, stop)}
            covered |= {(clip, f) for f in range(start, stop)}
        else:
            row = rows[t]
            assert place[a] == (row["src"], row["src_frame"])
            assert place[b] == (row["dst"], row["dst_frame"] + window)
            assert n == window
    assert covered == played
    assert after(choices.source, choices.target, choices.transition, len(place)) == expected

    segments = graph.segment_view()
    assert set(segments.transition.tolist()) - {ORIGINAL} == set(range(len(rows)))
    for a, b, t in zip(segments.source, segments.target, segments.transition):
        ends = (segments.clip[a], segments.stop[a]), (segments.clip[b], segments.start[b])
        if t == ORIGINAL:
            assert ends[0] == ends[1]
        else:
            row = rows[t]
            assert ends == ((row["src"], row["src_frame"]), (row["dst"], row["dst_frame"] + window))
    assert after(segments.source, segments.target, segments.transition, len(segments.clip)) == expected


def after(source, target, transition, count):
    """Pairs of transitions of which one may be next after the other, with only original edges between them."""
    original = [(int(a), int(b)) for a, b, t in zip(source, target, transition) if t == ORIGINAL]
    reach = naive.reachable(range(count), original)
    jumps = [(int(t), int(a), int(b)) for a, b, t in zip(source, target, transition) if t != ORIGINAL]
    return {(i, j) for i, _, arrives in jumps for j, leaves, _ in jumps if leaves in reach[arrives]}


# ---- figures


@given(SEEDS)
@settings(max_examples=60, deadline=None)
def test_report_against_plain_loops(seed):
    graph = random_graph(np.random.default_rng(seed), transitions=16, words=()).at(7.0)
    _, rows = plain(graph, graph.taken)
    report = graph.report(connections=10_000)
    assert report["transitions"] == len(rows)
    assert report["transitions_within_clips"] == sum(r[0] == r[2] for r in rows)
    assert report["choice_points"] == len({(r[0], r[1]) for r in rows} | {(r[2], r[3] + graph.window) for r in rows})
    out = [sum(r[0] == c for r in rows) for c in range(len(graph.clips))]
    into = [sum(r[2] == c for r in rows) for c in range(len(graph.clips))]
    assert list(report["degrees"].values()) == [list(pair) for pair in zip(out, into)]
    assert (report["most_connected"]["transitions"], report["least_connected"]["transitions"]) == (max(out), min(out))
    assert report["transitions_per_clip"] == pytest.approx(len(rows) / len(graph.clips))
    if rows:
        costs = [r[4] for r in rows]
        assert [report[f"cost_{k}"] for k in ("min", "max")] == [min(costs), max(costs)]
        assert report["cost_mean"] == pytest.approx(sum(costs) / len(costs))
    assert report["frames"] == sum(len(c) - c.first for c in graph.clips)


@given(SEEDS)
@settings(max_examples=60, deadline=None)
def test_mean_connection_against_plain_loops(seed):
    graph = random_graph(np.random.default_rng(seed), transitions=14, words=()).at(6.0)
    clips, rows = plain(graph, graph.kept.transitions)
    expected = naive.connection(clips, rows, graph.window, frames_of(graph, graph.kept.pieces))
    found = graph.report(10_000)["connection_seconds"]
    assert found == (None if expected is None else pytest.approx(expected / graph.fps))
