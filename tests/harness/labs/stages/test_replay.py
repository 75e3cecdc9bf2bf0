"""Callgrind's totals of replays, and the counts of requests alone."""

import pytest

from harness.labs.stages.replay import (
    LONG,
    SHORT,
    CallgrindCounts,
    counts_per_request,
    parse_counts,
)
from stallscope.errors import TargetError

EVENTS = "version: 1\nevents: Ir Dr Dw I1mr D1mr\n"


def test_totals_are_parsed_by_name() -> None:
    assert parse_counts(EVENTS + "summary: 9 9 9 9 9\ntotals: 1000 5 6 40 7\n") == CallgrindCounts(
        1000, 40
    )
    assert parse_counts(EVENTS + "summary: 1000 5 6 40\n") == CallgrindCounts(1000, 40)


def test_omitted_trailing_events_are_zero() -> None:
    assert parse_counts(EVENTS + "totals: 1000 5\n") == CallgrindCounts(1000, 0)


@pytest.mark.parametrize("text", ["", "events: Ir\n", "events: Ir\ntotals: 0\n", "totals: 5\n"])
def test_a_file_without_counts_is_rejected(text: str) -> None:
    with pytest.raises(TargetError, match="counted no instruction"):
        parse_counts(text)


def test_the_difference_contains_no_set_up() -> None:
    difference = LONG - SHORT
    counts = counts_per_request(
        CallgrindCounts(7_000, 900), CallgrindCounts(7_000 + 100 * difference, 900 + 3 * difference)
    )
    assert counts.instructions_per_request == 100
    assert counts.icache_miss_ratio == 0.03
    with pytest.raises(TargetError, match="no more"):
        counts_per_request(CallgrindCounts(5, 0), CallgrindCounts(5, 0))
