"""Counted lengths have the percentiles of HdrHistogram."""

from hypothesis import given
from hypothesis import strategies as st

from cstates.idle.length_counts import LengthCounts


@given(st.lists(st.integers(0, 2**60), min_size=1, max_size=50))
def test_percentiles_are_within_one_percent(lengths: list[int]) -> None:
    counted = LengthCounts()
    for length in lengths:
        counted.record(length)
    histogram = counted.histogram()
    assert histogram.total == len(lengths)
    assert counted.sum_ns == sum(lengths)
    for percent, exact in ((100, max(lengths)), (0, min(lengths))):
        result = histogram.percentile(percent)
        assert result is not None
        assert exact * 0.99 <= result <= exact * 1.01 + 1
