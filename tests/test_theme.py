"""Colours of the window: what is said by colour alone can be told apart by everybody, in both themes."""

from itertools import combinations

import numpy as np
import pytest

theme = pytest.importorskip("motiongraph.viewer.theme", reason="the window needs imgui-bundle", exc_type=ImportError)

# What someone without red (protan) and without green (deutan) receptors sees of linear r g b (Viénot et al. 1999).
BLIND = {
    "protan": [[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]],
    "deutan": [[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]],
}


@pytest.fixture(autouse=True)
def usual():
    yield
    theme.choose(light=False, safe=False)


def seen(colour, eyes):
    linear = np.asarray(colour[:3]) ** 2.2
    return np.clip(np.array(BLIND[eyes]) @ linear, 0.0, 1.0) ** (1 / 2.2)


@pytest.mark.parametrize("light", [False, True])
@pytest.mark.parametrize("eyes", list(BLIND))
def test_safe_colours_are_told_apart(light, eyes):
    theme.choose(light, safe=True)
    lanes = theme.LANES
    groups = [
        (lanes.walk, lanes.tail, lanes.start, lanes.paper),  # of the lanes
        (theme.GOOD, theme.WARN, theme.BAD),  # of costs
        theme.PATH,
        (lanes.minimum, (0.9, 0.9, 0.9), (0.1, 0.1, 0.1)),  # on a matrix
        *((lanes.walk, label) for label in theme.SERIES),
    ]
    for group in groups:
        for a, b in combinations(group, 2):
            assert np.abs(seen(a, eyes) - seen(b, eyes)).max() > 0.12, (a, b)


@pytest.mark.parametrize("light", [False, True])
@pytest.mark.parametrize("safe", [False, True])
def test_lanes_stand_out_from_their_paper(light, safe):
    theme.choose(light, safe)
    assert (sum(theme.LANES.paper) > 1.5) == light  # where the canvas keeps the darker of two lines
    for colour in (theme.LANES.walk, theme.LANES.tail, theme.LANES.bar, theme.LANES.start):
        assert np.abs(np.subtract(colour, theme.LANES.paper)).max() > 0.3
