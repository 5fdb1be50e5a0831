"""How hard a walk is searched for: until it is proven, or within limits that are reported; one walk or one of many."""

import numpy as np
import pytest
from naive import walks as naive
from test_walks_planning import FPS, PATHS, ring, small_task

import motiongraph as mg
from motiongraph.walks.branch_and_bound import Branch, Plans, search_on
from motiongraph.walks.curve import distance_at_equal_arc, trace
from motiongraph.walks.floor_path import floor_graph
from motiongraph.walks.follow_path import find
from motiongraph.walks.path_goal import Effort, Weights

ENDLESS = 1e6  # s: the whole walk is one stage


@pytest.fixture(scope="module")
def steerable():
    return ring([-1.5, -0.7, 0.0, 0.7, 1.5])


def test_without_a_limit_branch_and_bound_proves_its_walk(steerable):
    effort = Effort("branch and bound", plan=1.2, keep=0.6)
    walk = mg.follow_path(steerable, PATHS["zigzag"], effort=effort)
    assert walk.complete
    assert (walk.facts["limited"], walk.facts["gap"], walk.note) == (False, 0.0, "")
    assert walk.report()["expansions"] > 2000  # where it once gave up, and said nothing
    more = mg.follow_path(
        steerable, PATHS["zigzag"], effort=Effort("branch and bound", plan=1.2, keep=0.6, expansions=10**9)
    )
    assert more.steps.tolist() == walk.steps.tolist()


def test_a_limit_is_reported_with_what_it_may_have_cost():
    improved = 0
    for seed in range(30):
        graph, goal, start, state = small_task(seed)
        exact = find(graph, goal, [start], state, Effort("branch and bound", plan=ENDLESS, keep=ENDLESS))
        short = find(graph, goal, [start], state, Effort("branch and bound", plan=ENDLESS, keep=ENDLESS, expansions=3))
        assert (exact.limited, exact.gap) == (False, 0.0)
        if not short.limited or not short.complete:
            continue
        # What is proven is what a search without limit cannot beat.
        assert "the search was limited" in short.note
        assert exact.error >= short.error * (1.0 - short.gap) - 1e-9
        improved += exact.error < short.error - 1e-9
        assert 0.0 <= short.gap <= 1.0
    assert improved


def test_a_search_that_pauses_finds_the_same_as_one_that_does_not():
    found = 0
    for seed in range(20):
        graph, goal, start, state = small_task(seed)
        ground, errors = floor_graph(graph), []
        for most in (10**9, 3):
            plans, branch = Plans.empty(3, 40), Branch.at_start(start, state[0], 40, ground.widest)
            bounds = []
            while not search_on(ground.floor, goal.target, goal.rules, ENDLESS, ENDLESS, most, plans, branch):
                bounds.append(branch.bound())
            assert branch.bound() == np.inf
            assert all(bound <= plans.error[0] + 1e-12 or bound == np.inf for bound in bounds[:1])
            errors.append(plans.error.tolist())
        assert errors[0] == errors[1] == sorted(errors[0])
        found += np.isfinite(errors[0][0])
    assert found > 10


def test_a_long_stage_reports_how_far_it_is_and_can_be_cancelled(steerable):
    said = []

    def stop(done, total, what=""):
        said.append(what)
        if len(said) > 20:
            raise mg.Cancelled

    with pytest.raises(mg.Cancelled):
        mg.follow_path(
            steerable, PATHS["circle"], effort=Effort("branch and bound", plan=60.0, keep=60.0), progress=stop
        )
    assert "expansions, gap" in said[-1]


@pytest.mark.parametrize(
    ("effort", "plan", "keep"),
    [
        (Effort.kovar(), 100 / 30, 28 / 30),
        (Effort.kovar(80 / 30, 25 / 30), 80 / 30, 25 / 30),
        (Effort.mao(), 0.75, 1 / 3),
    ],
)
def test_the_parameters_of_the_papers(steerable, effort, plan, keep):
    assert (effort.method, effort.plan, effort.keep) == ("branch and bound", plan, pytest.approx(keep))
    limited = Effort(effort.method, plan=effort.plan, keep=effort.keep, expansions=40_000)
    walk = mg.follow_path(steerable, PATHS["circle"], weights=Weights.equation_9(), effort=limited)
    assert walk.complete
    assert walk.facts["path_error_mean"] < 0.3


def test_equation_nine_is_reported_beside_the_nearest_point(steerable):
    line = mg.Curve.of(PATHS["circle"])
    nine = mg.follow_path(steerable, line, weights=Weights.equation_9(), effort=Effort(width=256))
    usual = mg.follow_path(steerable, line, weights=Weights(slack=1.0))
    for walk in (nine, usual):
        apart, places = distance_at_equal_arc(walk, line), trace(walk, smooth=True)[0].tolist()
        ref, _ = naive.equation_nine(places, line.places.tolist(), line.spacing, 0.0, 1.0)
        # The twin takes the nearest of the path's samples, 2 cm apart.
        assert walk.facts["equation_9"] == pytest.approx(ref, rel=0.05, abs=0.02)
        assert walk.facts["equation_9"] == pytest.approx(np.sum(apart**2))
        assert walk.facts["arc_error_mean"] == pytest.approx(np.mean(apart))
        assert walk.facts["path_error_mean"] <= walk.facts["arc_error_mean"] + 0.02
    assert nine.facts["arc_error_mean"] < 0.3


def apart(a, b, near=0.2 * FPS):
    """The share of one walk's transitions that another does not take, nor one nearly the same."""

    def same(t, u):
        frames = abs(int(t["src_frame"]) - int(u["src_frame"])), abs(int(t["dst_frame"]) - int(u["dst_frame"]))
        return (t["src"], t["dst"]) == (u["src"], u["dst"]) and max(frames) <= near

    return np.mean([not any(same(t, u) for u in b.transitions) for t in a.transitions])


def test_eight_seeds_give_eight_walks_that_differ(steerable):
    walks = [
        mg.follow_path(steerable, PATHS["zigzag"], effort=Effort(best=8, tolerance=1.0, rng=seed)) for seed in range(8)
    ]
    share = np.array([[apart(a, b) for b in walks] for a in walks])[~np.eye(8, dtype=bool)]
    assert share.mean() > 0.5
    assert len({str(walk.steps.tolist()) for walk in walks}) == 8
    best = walks[0].facts["error"]
    for rank, walk in enumerate(walks):
        assert walk.complete
        assert walk.facts["error"] <= 2.0 * best + 1e-9
        assert (walk.facts["rank"], walk.facts["best_error"]) == (rank, best)
        assert (walk.facts["differs"] > 0) == (rank > 0)
    again = mg.follow_path(steerable, PATHS["zigzag"], effort=Effort(best=8, tolerance=1.0, rng=13))
    assert again.steps.tolist() == walks[5].steps.tolist()


def test_no_tolerance_leaves_only_the_best(steerable):
    best = mg.follow_path(steerable, PATHS["straight"])
    other = mg.follow_path(steerable, PATHS["straight"], effort=Effort(best=3, tolerance=0.0, rng=2))
    assert other.facts["error"] <= best.facts["error"] * (1 + 1e-9) + 1e-9
    again = other.steps.tolist() == best.steps.tolist()
    assert again == ("fewer than 3 walks that differ are within the tolerance" in other.note)


def test_the_best_plans_of_a_stage_keep_different_transitions():
    compared = 0
    for seed in range(20):
        graph, goal, start, state = small_task(seed)
        ground, plans = floor_graph(graph), Plans.empty(6, 40)
        branch = Branch.at_start(start, state[0], 40, ground.widest)
        assert search_on(ground.floor, goal.target, goal.rules, 1.5, 0.3, 10**9, plans, branch)
        good = np.flatnonzero(np.isfinite(plans.error))
        kept = [tuple(plans.taken[i, : plans.kept[i]].tolist()) for i in good]
        assert len(set(kept)) == len(kept)
        compared += len(kept) > 1
    assert compared > 5


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Effort("guess"), "a planner is one of beam, branch and bound, not 'guess'"),
        (lambda: Effort(best=0), "must be above zero"),
        (lambda: Effort(plan=0.0), "must be above zero"),
        (lambda: Effort(tolerance=-0.1), "a share of at least 0"),
        (lambda: Weights(slack=-1.0), "numbers of at least 0"),
        (lambda: Weights(cost=float("nan")), "numbers of at least 0"),
    ],
)
def test_wrong_parameters_get_one_sentence(make, sentence):
    with pytest.raises(mg.MotionError, match=sentence):
        make()
