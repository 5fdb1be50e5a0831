"""Routes: the next metres of a path, as captured or with the body turned, where they keep near enough."""

from dataclasses import replace

import numpy as np
import pytest
from test_walks_planning import ring

from motiongraph.synthesis import course as courses
from motiongraph.synthesis import route as routes
from motiongraph.synthesis.requests import Request
from motiongraph.synthesis.route import route
from motiongraph.walks.curve import Curve
from motiongraph.walks.steering import Steering

OFF = 0.6  # m


@pytest.fixture(scope="module")
def steering():
    """Of clips that only go straight on, along z."""
    return Steering(ring([0.0]), np.radians(120.0))


def found(steering, curve, beside=0.0, turned=False):
    """The route from the first frame that can be gone on from, placed so far beside the beginning of the path."""
    last, frame = len(curve.places) - 1, int(steering.ground.nodes[0])
    here = steering.ground.floor.path[frame]
    placement = (0.0, beside - float(here[0]), -float(here[1]))
    request = Request(share=1.0, path=curve)
    return route(steering, request, 0, last - 1, last, frame, placement, OFF, turned)


def bent(aside):
    """A path of 6 m along z that leaves its line by so many metres for a moment, in the middle."""
    z = np.linspace(0.0, 6.0, 200)
    return Curve.of(np.stack([aside * np.exp(-(((z - 3.0) / 0.5) ** 2)), z], axis=1))


@pytest.mark.parametrize(("beside", "near"), [(0.15, True), (0.3, False)])
def test_a_route_keeps_near_on_average(steering, beside, near):
    """Beside the path all the way is too far off though it is nowhere farther than a route may be."""
    way = found(steering, Curve.of([(0, 0), (0, 6)]), beside)
    assert (way is not None) == near


def test_a_route_may_be_farther_off_for_a_moment(steering):
    """By as much as would be too far all the way."""
    assert found(steering, bent(0.45)) is not None


def test_the_nearer_of_captured_and_turned_motion_is_taken(steering):
    """As captured it is near enough here, but turned it is nearer."""
    assert found(steering, bent(0.45), turned=False).turns is None
    assert found(steering, bent(0.45), turned=True).turns is not None


def test_captured_motion_is_taken_where_turned_is_not_nearer(steering, monkeypatch):
    def worse(walk, curve, rate):
        aside = np.zeros((len(walk), 3))
        aside[:, 1] = -0.1  # away from the bend
        return replace(walk, turns=aside)

    monkeypatch.setattr(routes, "turned_along", worse)
    assert found(steering, bent(0.45), turned=True).turns is None


def test_motion_that_is_near_as_captured_is_not_turned(steering, monkeypatch):
    """None that is turned is even looked for."""
    monkeypatch.setattr(routes, "turned_along", None)
    assert found(steering, bent(0.15), turned=True).turns is None


def test_where_no_way_comes_round_it_is_searched_for_more_widely(steering, monkeypatch):
    """Turned only: as captured a wider search seldom finds more, and there is no time for both."""
    asked, search = [], routes.beam_search

    def spied(graph, goal, roots, states, effort, progress):
        asked.append((goal.rules.turning > 0.0, effort.width))
        return search(graph, goal, roots, states, effort, progress)

    monkeypatch.setattr(routes, "beam_search", spied)
    assert found(steering, Curve.of([(0, 0), (0, 3), (0.05, 0)]), turned=True) is None
    assert asked == [(False, 16), (True, 16), (True, 64)]


@pytest.mark.parametrize(("until_next", "pressed"), [(0.5, False), (1.5, True)])
def test_whoever_decides_next_too_near_a_corner_takes_any_route_now(steering, monkeypatch, until_next, pressed):
    """Three metres before the corner there is time, unless the walk is to go on for so long that there is none."""
    said = []
    monkeypatch.setattr(courses, "route", lambda *given: said.append(given[-2:]))
    course = courses.Course(steering)
    course.take(Request(share=1.0, path=Curve.of([(0, 0), (0, 6), (0.05, 0)])))
    course.go_on(3.1, 1.0)
    course.route(0, (0.0, 0.0, 0.0), until_next)
    assert said == [(0.5 if pressed else 0.25, pressed)]
