import select
from collections.abc import Iterator

import pytest

from harness.flight.conditions import LatencyCondition, RequestCondition, parse_condition
from harness.flight.request_trigger import MAX_INTERVALS, RequestTrigger


@pytest.fixture
def trigger() -> Iterator[RequestTrigger]:
    """Return an open trigger of p99 above 5 ms."""
    opened = RequestTrigger(RequestCondition("p99>5ms", 99, 5_000_000))
    opened.open()
    yield opened
    opened.close()


def is_ready(trigger: RequestTrigger) -> bool:
    return bool(select.select([trigger.descriptor], [], [], 0)[0])


def test_a_percentile_without_a_file_is_one_of_marked_requests() -> None:
    condition = parse_condition("p99.9 > 1.5us")
    assert condition == RequestCondition("p99.9 > 1.5us", 99.9, 1500)
    assert isinstance(parse_condition("p99>5ms:load/x.hlog"), LatencyCondition)


def test_it_fires_if_more_than_the_share_of_the_percentile_is_above(
    trigger: RequestTrigger,
) -> None:
    trigger.add((1000, 10), 1)  # p99 is at the limit
    assert not is_ready(trigger)
    assert trigger.state() == "now 1.00% above"
    trigger.add((2000, 21), 1)  # 11 of the next 1,000
    assert is_ready(trigger)
    assert trigger.check() == "p99>5ms: 11 of 1000 requests above 5 ms"
    assert trigger.check() is None


def test_few_requests_are_judged_together(trigger: RequestTrigger) -> None:
    trigger.add((50, 1), 1)
    assert not is_ready(trigger)
    assert trigger.state() == "no requests yet"
    trigger.add((99, 1), 1)
    trigger.add((100, 1), 1)  # 1 of 100: the percentile is the 99th
    assert trigger.state() == "now 1.00% above"
    assert not is_ready(trigger)
    for _ in range(MAX_INTERVALS):
        trigger.add((101, 2), 1)
    assert trigger.check() == "p99>5ms: 1 of 1 requests above 5 ms"


def test_times_without_requests_and_other_limits_do_not_fire(trigger: RequestTrigger) -> None:
    for _ in range(3 * MAX_INTERVALS):
        trigger.add((0, 0), 1)
    trigger.add((), 1)
    trigger.add((1000, 1000, 0), 2)
    assert not is_ready(trigger)


def test_the_counts_of_a_new_collector_begin_at_zero(trigger: RequestTrigger) -> None:
    trigger.add((1000, 0), 1)
    trigger.begin()
    trigger.add((1000, 900), 1)
    assert trigger.check() == "p99>5ms: 900 of 1000 requests above 5 ms"
