"""Samples whose counts are assigned to no function."""

from topdown.stacks.sample_counts import ExcludedSamples


def test_excluded_samples_are_the_sum_over_the_reasons() -> None:
    assert ExcludedSamples().total() == 0
    assert ExcludedSamples(unread=1, first=20, gap=300, reset=4000).total() == 4321
