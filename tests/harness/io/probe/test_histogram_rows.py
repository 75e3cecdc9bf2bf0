"""Rows of a histogram: complete, with round bounds, and few."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.io.probe.histogram_rows import MAX_ROWS, HistogramRow, LatencyScale, histogram_rows


@st.composite
def histograms(draw: st.DrawFn) -> list[tuple[int, int, int]]:
    lows = draw(st.lists(st.integers(1, 10**11), min_size=1, max_size=30, unique=True))
    return [(low, low, draw(st.integers(0, 1000))) for low in sorted(lows)]


@pytest.mark.parametrize("scale", LatencyScale)
@settings(max_examples=25)
@given(histogram=histograms())
def test_every_request_is_in_a_single_row(
    scale: LatencyScale, histogram: list[tuple[int, int, int]]
) -> None:
    rows = histogram_rows(histogram, scale)
    assert sum(row.count for row in rows) == sum(count for _, _, count in histogram)
    assert len(rows) <= MAX_ROWS + 1
    for before, after in pairwise(rows):
        assert before.high_ns == after.low_ns
    for row in rows:
        inside = sum(
            count
            for low, _, count in histogram
            if row.low_ns <= low and (row.high_ns is None or low < row.high_ns)
        )
        assert row.count == inside


def test_rows_are_linear_or_logarithmic() -> None:
    fine_buckets = [
        (40_000, 40_063, 5),
        (60_000, 60_063, 90),
        (99_000, 99_063, 4),
        (9_000_000, 9_000_100, 1),
    ]
    linear = histogram_rows(fine_buckets, LatencyScale.LINEAR)
    assert (linear[0].low_ns, linear[0].high_ns) == (40_000, 50_000)
    assert linear[-1] == HistogramRow(200_000, None, 1)
    assert [row.count for row in linear if row.count] == [5, 90, 4, 1]
    log = histogram_rows(fine_buckets, LatencyScale.LOGARITHMIC)
    assert log[0] == HistogramRow(40_000, 64_000, 95)
    assert log[-1].high_ns == 10_000_000


def test_few_values_have_narrow_rows_and_no_values_no_rows() -> None:
    (only,) = histogram_rows([(1_000_000, 1_000_447, 7)], LatencyScale.LOGARITHMIC)
    assert only == HistogramRow(1_000_000, 1_250_000, 7)
    assert len(histogram_rows([(5, 5, 3)], LatencyScale.LINEAR)) == 1
    assert (
        histogram_rows([], LatencyScale.LINEAR)
        == histogram_rows([(1, 2, 0)], LatencyScale.LOGARITHMIC)
        == ()
    )
