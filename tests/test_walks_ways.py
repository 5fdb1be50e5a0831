"""Walks by greed, by chance, in an order and from one motion to another, on small graphs made at random."""

from dataclasses import replace

import numpy as np
import pytest
from graphs import FPS, graph_of, plain, random_graph, still
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import walks as naive
from walking import sample_graph

import motiongraph as mg
from motiongraph.walks.sequential import Order, exact
from motiongraph.walks.shortest_paths import needed_threshold, network_of, shortest
from motiongraph.walks.walk import frames_named

SEEDS = st.integers(0, 2**32 - 1)


def lengths(graph):
    return [len(clip) for clip in graph.clips]


def places(graph, name):
    """The (clip, frame) that a name stands for."""
    mask, found, at = frames_named(graph, name), [], 0
    for c, clip in enumerate(graph.clips):
        found += [(c, f) for f in range(len(clip)) if mask[at + f]]
        at += len(clip)
    return found


def words(graph):
    """The labels of captured frames."""
    return sorted({label for clip in graph.clips for label in clip.captured().labels})


def names(graph, rng):
    """Two things one can ask for."""
    labels = words(graph)
    kinds = [
        lambda: graph.clips[int(rng.integers(len(graph.clips)))].name,
        lambda: (lambda c: (graph.clips[c].name, int(rng.integers(len(graph.clips[c])))))(
            int(rng.integers(len(graph.clips)))
        ),
        *([lambda: labels[int(rng.integers(len(labels)))]] if labels else []),
    ]
    return [kinds[int(rng.integers(len(kinds)))]() for _ in range(2)]


@settings(max_examples=80, deadline=None)
@given(SEEDS)
def test_shortest_ways_agree_with_plain_loops(seed):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, most=16, transitions=14, least=1)
    network = network_of(graph)
    start = int(rng.integers(len(network.at)))
    begin = np.full(len(network.at), np.inf)
    begin[start] = 0.0
    nodes = list(zip(graph.structure.clip.tolist(), graph.structure.frame.tolist()))
    for by, weight in (("frames", network.frames), ("cost", network.cost), ("steepest", network.cost)):
        comp, _ = shortest(network, weight, begin, steepest=by == "steepest")
        ref = naive.shortest(lengths(graph), plain(graph)[1], graph.window, [nodes[start]], by)
        np.testing.assert_allclose(comp, [ref.get(node, np.inf) for node in nodes])


@settings(max_examples=150, deadline=None)
@given(SEEDS, st.sampled_from(["quickest", "cheapest"]))
def test_connect_finds_the_best_way(seed, by):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, most=16, transitions=14)
    source, target = names(graph, rng)
    sources, targets = places(graph, source), places(graph, target)
    unit = "frames" if by == "quickest" else "cost"
    best = naive.shortest(lengths(graph), plain(graph)[1], graph.window, sources, unit)
    least = min((best[place] for place in targets if place in best), default=None)
    if least is None:
        with pytest.raises(mg.MotionError, match="cannot be reached"):
            mg.connect(graph, source, target, by)
        return
    walk = mg.connect(graph, source, target, by, lead=0.0)
    found = len(walk) if by == "quickest" else walk.transitions["cost"].sum()
    assert found == pytest.approx(least, abs=1e-4)
    assert (int(walk.steps["clip"][0]), int(walk.steps["start"][0])) in sources
    end = int(walk.steps["clip"][-1]), int(walk.steps["stop"][-1])
    assert end in targets


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_the_threshold_that_would_help_is_the_lowest(seed):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, most=16, transitions=14)
    source, target = names(graph, rng)
    masks = frames_named(graph, source), frames_named(graph, target)
    best = naive.shortest(lengths(graph), plain(graph)[1], graph.window, places(graph, source), "steepest")
    # The frames themselves count as reached by a node, not by standing there already.
    comp = needed_threshold(graph, *masks)
    ref = min((best[place] for place in places(graph, target) if place in best), default=None)
    if comp is None:
        assert ref in (None, 0.0)
    else:
        assert ref is not None
        assert comp == pytest.approx(ref) or ref == 0.0


def test_a_missing_way_is_explained_with_what_would_help():
    clips = [still(20, "walk"), still(20, "sneak"), still(20, "island")]
    graph = graph_of(clips, [(0, 5, 1, 5, 7.37), (1, 12, 0, 3, 2.0)], window=2, threshold=6.0)
    with pytest.raises(mg.Unreachable) as said:
        mg.connect(graph, "walk", "sneak")
    assert str(said.value) == "sneak cannot be reached from walk below 6.0 cm; it can at 7.4"
    assert said.value.threshold == 7.4
    with pytest.raises(mg.Unreachable, match="nor at the ceiling of 10 cm") as said:
        mg.connect(graph, "walk", "island")
    assert said.value.threshold is None
    with pytest.raises(mg.MotionError, match="has no clip or label 'crawl'; it has the clips walk, sneak, island"):
        mg.connect(graph, "walk", "crawl")
    with pytest.raises(mg.MotionError, match="'walk' has frames 0 to 19, not 20"):
        mg.connect(graph, ("walk", 20), "sneak")
    with pytest.raises(mg.Unreachable, match=r"the whole order can be covered at 7\.4") as said:
        mg.sequential_walk(graph, ["walk", "sneak", "walk"], stay=0.2)
    assert said.value.threshold == 7.4
    with pytest.raises(mg.MotionError, match="'quickest' or 'cheapest', not 'best'"):
        mg.connect(graph, "walk", "walk", by="best")


def test_a_table_of_all_ways():
    clips = [still(20, "a"), still(20, "b"), still(20, "c")]
    graph = graph_of(clips, [(0, 5, 1, 5, 3.0), (1, 9, 2, 5, 2.0), (1, 12, 0, 1, 1.0)], window=2)
    titles, quick = mg.connection_table(graph)
    assert titles == ["a", "b", "c"]
    # a to b: one transition of 2 frames; a to c: 2, then frames 7 and 8 of b, then 2 more.
    np.testing.assert_allclose(quick[0] * FPS, [0, 2, 6], atol=1e-4)
    assert np.isinf(quick[2, :2]).all()
    cheap = mg.connection_table(graph, by="cheapest")[1]
    np.testing.assert_allclose(cheap[0], [0.0, 3.0, 5.0], atol=1e-4)
    points, table = mg.connection_table(graph, between="choice points")
    assert points[0] == ("a", 3)
    assert table.shape == (len(points),) * 2
    assert (np.diag(table) == 0).all()


@settings(max_examples=120, deadline=None)
@given(SEEDS)
def test_the_sequential_walk_is_the_cheapest_there_is(seed):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, clips=3, most=18, transitions=30)
    known = [clip.name for clip in graph.clips] + words(graph)
    order = [known[int(rng.integers(len(known)))] for _ in range(int(rng.integers(2, 4)))]
    stay = rng.integers(0, 4, len(order))
    items = [set(places(graph, item)) for item in order]
    ref = naive.cheapest_order(lengths(graph), plain(graph)[1], graph.window, items, stay.tolist())
    if ref is None:
        with pytest.raises(mg.MotionError, match=r"no way leads|no stretch"):
            mg.sequential_walk(graph, order, stay=stay / FPS, detours=False)
        return
    walk = mg.sequential_walk(graph, order, stay=stay / FPS)
    assert walk.transitions["cost"].sum() == pytest.approx(ref)
    assert walk.complete
    _assert_covers(walk, items, stay)


@settings(max_examples=120, deadline=None)
@given(SEEDS)
def test_detours_are_as_short_and_cheap_as_can_be(seed):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, clips=4, most=14, transitions=16)
    order = [graph.clips[int(rng.integers(4))].name for _ in range(int(rng.integers(2, 4)))]
    stay = rng.integers(0, 4, len(order))
    items = [set(places(graph, item)) for item in order]
    around = Order.of(graph, order, stay / FPS).with_detours(frames_named(graph, None), 0.7)
    total, *_ = exact(around, network_of(graph))
    anywhere = set(places(graph, None))
    rows = [row for row in plain(graph)[1] if (row[2], row[3] + graph.window) in anywhere]
    ref = naive.cheapest_with_detours(lengths(graph), rows, graph.window, items, stay.tolist(), 0.7)
    assert total == (pytest.approx(ref) if ref is not None else np.inf)


def test_a_sequence_goes_through_other_clips_where_no_way_leads_straight_on():
    clips = [still(30, "a"), still(30, "b"), still(30, "c")]
    graph = graph_of(clips, [(0, 9, 1, 5, 3.0), (1, 12, 2, 5, 2.0), (1, 25, 2, 5, 0.1)], window=2)
    with pytest.raises(mg.Unreachable):
        mg.sequential_walk(graph, ["a", "c"], stay=0.2, detours=False)
    walk = mg.sequential_walk(graph, ["a", "c"], stay=0.2)
    assert walk.steps["clip"].tolist() == [0, 1, 2]
    assert walk.transitions["src_frame"].tolist() == [9, 12]  # the shorter way through b, though it costs more
    assert walk.complete
    assert walk.facts["items_covered"] == 2
    assert walk.facts["detour_seconds"] == pytest.approx(5 / FPS)
    assert walk.facts["cost_total"] == pytest.approx(5.0)
    straight = mg.sequential_walk(graph, ["a", "b", "c"], stay=0.1)
    assert "detour_seconds" not in straight.facts


def _assert_covers(walk, items, stay):
    """The pieces played can be divided into the items in order, each long enough."""
    pieces = [[(int(c), f) for f in range(a, b)] for c, a, b in walk.steps.tolist()]
    starts = [(int(c), int(a)) for c, a, _ in walk.steps.tolist()]
    reachable = {(0, 0)} if starts[0] in items[0] else set()  # (item, frames stayed) while in step k
    for k, piece in enumerate(pieces):
        reachable = {(i, s + len(piece)) for i, s in reachable if all(place in items[i] for place in piece)}
        if k + 1 < len(pieces):
            onward = {(i + 1, 0) for i, s in reachable if i + 1 < len(items) and s >= stay[i]}
            reachable = {(i, s) for i, s in reachable | onward if starts[k + 1] in items[i]}
    assert any(i == len(items) - 1 and s >= stay[-1] for i, s in reachable)


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_trials_find_no_better_than_the_exact_answer(seed):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, clips=3, most=18, transitions=30)
    order = [clip.name for clip in graph.clips]
    walk = mg.sequential_walk(graph, order, rng=1, stay=0.0, method="trials", trials=50)
    again = mg.sequential_walk(graph, order, rng=1, stay=0.0, method="trials", trials=50)
    assert walk.steps.tolist() == again.steps.tolist()
    if walk.complete:
        best = mg.sequential_walk(graph, order, stay=0.0)
        assert best.transitions["cost"].sum() <= walk.transitions["cost"].sum() + 1e-9
    else:
        assert "no trial got beyond" in walk.note
        assert walk.facts["items_covered"] < len(order)


@settings(max_examples=60, deadline=None)
@given(SEEDS, st.booleans())
def test_wandering_never_ends_in_a_pruned_graph(seed, greedy):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, most=20, transitions=30).pruned()
    if not graph.open.any():
        return
    if greedy:
        walk = mg.greedy_walk(graph, rng=seed, max_transitions=40)
    else:
        walk = mg.random_walk(graph, rng=seed, transitions=40)
    assert walk.complete
    assert len(walk.transitions) == 40
    table = graph.transitions
    assert all(row in table for row in walk.transitions)


def test_greed_takes_the_best_and_chance_decides_among_them():
    clips = [still(60, "a"), still(60, "b")]
    rows = [(0, 10 + k, 1, 5, 1.0 + k) for k in range(20)] + [(1, 40, 0, 3, 0.5)]
    graph = graph_of(clips, rows, window=2, threshold=50.0)
    for seed in range(5):
        walk = mg.greedy_walk(graph, rng=seed, max_transitions=6, start="a")
        assert walk.transitions["cost"].tolist() == [1.0, 0.5] * 3
    # Of 20 transitions the best half are 10; in 60 picks more than one is taken, and none of the dear ones.
    walk = mg.greedy_walk(graph, rng=0, max_transitions=120, start="a", share=0.5)
    taken = set(walk.transitions["cost"][::2].tolist())
    assert 1 < len(taken) <= 10
    assert max(taken) <= 10.0


def test_a_greedy_walk_says_where_it_ends():
    graph = graph_of([still(20, "a"), still(20, "b")], [(0, 5, 1, 10, 1.0)], window=2)
    walk = mg.greedy_walk(graph, start="a")
    assert not walk.complete
    assert walk.note.startswith("it ended after 1 transitions at frame 12 of b")
    with pytest.raises(mg.MotionError, match="no transition below 10 cm leaves b"):
        mg.greedy_walk(graph, start="b")


def test_a_random_walk_is_as_long_as_asked_and_varied():
    rows = [(a, 8 + 5 * b, b, 3, 1.0) for a in range(5) for b in range(5)]
    graph = graph_of([still(40, f"clip{c}") for c in range(5)], rows, window=2).pruned()
    for seconds in (3.0, 7.7, 20.0):
        walk = mg.random_walk(graph, seconds, rng=5)
        assert walk.complete
        assert len(walk) == round(seconds * FPS)
    assert mg.random_walk(graph, 9.0, rng=5).log() == mg.random_walk(graph, 9.0, rng=5).log()
    assert mg.random_walk(graph, 9.0, rng=5).log() != mg.random_walk(graph, 9.0, rng=6).log()

    def repeats(variety):
        clips = mg.random_walk(graph, rng=5, transitions=4000, variety=variety).steps["clip"]
        return np.mean(clips[1:] == clips[:-1])

    assert repeats(1.0) < repeats(0.0)


def test_clips_are_entered_by_how_often_they_can_be_left():
    """The last one is entered by many transitions and left at its end alone."""
    rows = [(a, 20 + k, b, 3, 1.0) for a in range(3) for b in range(3) for k in range(0, 15, 3)]
    rows += [(a, 20 + k, 3, 1, 1.0) for a in range(3) for k in range(0, 15)] + [(3, 36, b, 3, 1.0) for b in range(3)]
    graph = graph_of([still(40, f"clip{c}") for c in range(4)], rows, window=2).pruned()

    def shares(variety):
        walk = mg.random_walk(graph, rng=1, transitions=3000, least=0.1, variety=variety)
        return np.bincount(walk.steps["clip"], walk.steps["stop"] - walk.steps["start"] + 2) / len(walk)

    assert shares(0.0)[3] > 0.4
    even = shares(0.1)
    assert 0.02 < even[3] < 0.15
    assert np.ptp(even[:3]) < 0.04


def test_cheap_transitions_are_taken_more_gladly():
    rows = [(0, 20 + k, 0, 2, cost) for k, cost in enumerate([0.5, 2.0, 3.5] * 5)]
    graph = graph_of([still(60, "a")], rows, window=2).at(3.5).pruned()

    def mean_cost(care):
        return mg.random_walk(graph, rng=2, transitions=2000, least=0.0, care=care).transitions["cost"].mean()

    assert mean_cost(0.0) == pytest.approx(2.0, abs=0.1)
    assert mean_cost(1.0) < 1.0


def test_transitions_between_like_speeds_are_taken_more_gladly():
    clips = []
    for speed in (1.0, 1.1, 1.6):
        clip = still(60, f"{speed:g}")
        clips.append(replace(clip, root=clip.root + np.arange(60)[:, None] / FPS * (0.0, 0.0, speed)))
    rows = [(a, 20 + 5 * b, b, 2, 1.0) for a in range(3) for b in range(3)]
    graph = graph_of(clips, rows, window=4).pruned()

    def leaps(care):
        """Share of transitions from or to the quickest clip, of those between two clips."""
        rows = mg.random_walk(graph, rng=2, transitions=2000, least=0.0, care=care, variety=0.0).transitions
        between = rows[rows["src"] != rows["dst"]]
        return np.mean((between["src"] == 2) | (between["dst"] == 2))

    assert leaps(1.0) < 0.8 * leaps(0.0)


def test_frames_between_transitions():
    """Where a clip has as many frames ahead, they are played."""
    rows = [(0, f, 0, 2, 1.0) for f in range(5, 40)]
    graph = graph_of([still(60, "a")], rows, window=2).pruned()
    walk = mg.random_walk(graph, rng=1, transitions=200, least=12 / graph.fps)
    assert (walk.steps["stop"] - walk.steps["start"])[1:-1].min() >= 12
    short = mg.random_walk(graph, rng=1, transitions=200, least=0)
    assert (short.steps["stop"] - short.steps["start"])[1:-1].min() < 12


def test_wandering_can_be_cancelled_and_bounded():
    graph = graph_of([still(60, "a")], [(0, 20, 0, 2, 1.0), (0, 30, 0, 5, 1.0)], window=2).pruned()

    def stop(done, total, what=""):
        if done > 1000:
            raise mg.Cancelled

    with pytest.raises(mg.Cancelled):
        mg.random_walk(graph, rng=0, transitions=10_000_000, progress=stop)
    walk = mg.random_walk(graph, rng=0, transitions=1 << 40, limit=0.05)
    assert not walk.complete
    assert "ran out" in walk.note
    assert len(walk.transitions) > 0


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda g: mg.greedy_walk(g, share=0.0), "share of transitions is above 0"),
        (lambda g: mg.random_walk(g, seconds=-1), "the length must be above 0"),
        (lambda g: mg.sequential_walk(g, []), "at least one clip or label"),
        (lambda g: mg.sequential_walk(g, ["a"], method="guess"), "exact, trials, not 'guess'"),
        (lambda g: mg.connection_table(g, between="frames"), "not 'frames'"),
    ],
)
def test_wrong_requests_get_one_sentence(call, sentence):
    graph = graph_of([still(60, "a")], [(0, 20, 0, 2, 1.0)], window=2)
    with pytest.raises(mg.MotionError, match=sentence):
        call(graph)


def test_nobody_goes_round_and_round_in_one_clip():
    """The way back into clip a is all but free, the one out of it dear."""
    rows = [(0, 30, 0, 3, 0.1), (0, 30, 1, 3, 9.0), (1, 30, 0, 3, 9.0), (1, 30, 1, 3, 9.0)]
    graph = graph_of([still(40, name) for name in "ab"], rows, window=2).pruned()

    def longest(variety: float) -> int:
        clips = mg.random_walk(graph, rng=1, transitions=4000, least=0.1, variety=variety).steps["clip"]
        changes = np.flatnonzero(np.diff(clips, prepend=-1, append=-1))
        return int(np.diff(changes)[clips[changes[:-1]] == 0].max())

    assert longest(0.5) < 20 < 60 < longest(0.0)


def test_random_walks_keep_away_from_the_ends_of_clips():
    """What leaves or enters within half a second of where a capture begins or ends; with variety 0 all is as good."""
    long = round(4 * FPS)
    places = np.linspace(2, long - 6, 9).astype(int).tolist()
    rows = [(a, f, b, g, 1.0) for a in range(2) for b in range(2) for f in places for g in places if f != g]
    graph = graph_of([still(long, name) for name in "ab"], rows, window=2).pruned()

    def near_ends(variety: float) -> float:
        taken = mg.random_walk(graph, rng=3, transitions=2000, variety=variety).transitions
        middle = np.stack([taken["src_frame"], taken["dst_frame"]]) + 1
        return float((np.minimum(middle, long - 1 - middle) < 0.5 * FPS).mean())

    assert near_ends(0.5) < 0.2 * near_ends(0.0)


def test_a_random_walk_changes_clips_to_its_end_and_as_often_as_asked():
    graph = sample_graph("walk", "walk_left_90").pruned()
    for least, most in ((0.5, 2.0), (3.0, 1.0)):
        walk = mg.random_walk(graph, 60.0, rng=2, least=least, most=most)
        seconds = (walk.steps["stop"] - walk.steps["start"])[1:-1] / walk.fps
        assert np.median(seconds) <= max(most, 2 * least)
        assert walk.complete
        assert walk.begins[-1] > 0.7 * len(walk)
    with pytest.raises(mg.MotionError, match="above 0"):
        mg.random_walk(graph, 10.0, most=0.0)
