"""Motion made at 30, 60 and 120 Hz is equally good: constants are per second, not per frame."""

import pytest
from walking import sample

import motiongraph as mg

NAMES = ("walk", "walk_left", "walk_right", "walk_left_90", "walk_right_90")


@pytest.fixture(scope="module")
def figures():
    """{rate: figures of the same kind of walk at that rate, and of the captured clips}."""
    found = {}
    for rate in (30.0, 60.0, 120.0):
        clips = [sample(name).resampled(rate) for name in NAMES]
        graph = mg.MotionGraph.build(clips, threshold=6.0).pruned()
        made = [mg.quality(mg.synthesize(mg.random_walk(graph, seconds=12.0, rng=seed))) for seed in range(3)]
        captured = [mg.quality(clip) for clip in clips]
        names = ("slide_mean", "penetration", "acceleration_p99", "knee_pop")
        found[rate] = [{name: sum(f[name] for f in every) / len(every) for name in names} for every in (made, captured)]
    return found


@pytest.mark.parametrize("rate", [30.0, 60.0, 120.0])
def test_feet_stand_still_and_nothing_jolts(figures, rate):
    made, captured = figures[rate]
    assert made["slide_mean"] < 1.0  # cm/s
    assert made["penetration"] < 0.5  # cm
    assert made["acceleration_p99"] < 1.5 * captured["acceleration_p99"]


def test_rates_differ_by_little(figures):
    slides = [made["slide_mean"] for made, _ in figures.values()]
    assert max(slides) - min(slides) < 0.5
