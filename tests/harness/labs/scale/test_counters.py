"""Counts per request and per thread, and their growth by threads."""

import pytest

from tests.harness.labs.scale.counted import phase, points_of


def test_growth_is_of_the_count_per_request_against_the_first_point() -> None:
    single, eight = points_of((1, 1000, phase(2000.0)), (8, 4000, phase(16_000.0)))
    assert [item.growth for item in single.events] == [1.0, 1.0]
    clock, misses = eight.events
    assert clock.growth == pytest.approx(0.25)
    assert (misses.per_request, misses.per_thread, misses.growth) == (4.0, 2000.0, 2.0)
    assert [item.grows for item in eight.events] == [False, True]


def test_an_event_without_a_count_has_no_growth() -> None:
    single, _ = points_of((1, 1000, phase(None)), (8, 1000, phase(10.0)))
    assert single.events[1].per_request is None
    assert points_of((1, 1000, phase(0.0)), (8, 1000, phase(9e9)))[1].events[1].growth is None


def test_a_run_without_requests_has_no_counts_per_request() -> None:
    (point,) = points_of((1, 0, phase(5.0)))
    assert [item.per_request for item in point.events] == [None, None]
