"""Callgrind's totals of replays, and the counts of requests alone."""

import pytest

from harness.labs.stages.replay import FEWER, MORE, Counts, counts_of, of_requests
from stallscope.errors import TargetError

EVENTS = "version: 1\nevents: Ir Dr Dw I1mr D1mr\n"


def test_totals_are_read_by_name() -> None:
    assert counts_of(EVENTS + "summary: 9 9 9 9 9\ntotals: 1000 5 6 40 7\n") == Counts(1000, 40)
    assert counts_of(EVENTS + "summary: 1000 5 6 40\n") == Counts(1000, 40)


def test_what_was_zero_at_the_end_is_zero() -> None:
    assert counts_of(EVENTS + "totals: 1000 5\n") == Counts(1000, 0)


@pytest.mark.parametrize("text", ["", "events: Ir\n", "events: Ir\ntotals: 0\n", "totals: 5\n"])
def test_a_file_without_counts_is_one_error(text: str) -> None:
    with pytest.raises(TargetError, match="counted no instruction"):
        counts_of(text)


def test_set_up_is_in_both_and_falls_out() -> None:
    more = MORE - FEWER
    found = of_requests(Counts(7_000, 900), Counts(7_000 + 100 * more, 900 + 3 * more))
    assert found.instructions_per_request == 100
    assert found.icache_miss_ratio == 0.03
    with pytest.raises(TargetError, match="no more"):
        of_requests(Counts(5, 0), Counts(5, 0))
