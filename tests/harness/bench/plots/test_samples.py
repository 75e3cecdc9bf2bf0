"""Samples of a benchmark."""

import math

from harness.bench.plots.samples import Sample


def test_values_without_a_number_are_left_out() -> None:
    assert Sample("a", [1.0, math.nan, math.inf, 2.0]).finite().tolist() == [1.0, 2.0]


def test_runs_are_numbered_from_1_without_positions() -> None:
    assert Sample("a", [5.0, 6.0]).places().tolist() == [1.0, 2.0]
    assert Sample("a", [5.0, 6.0], [3, 1]).places().tolist() == [3.0, 1.0]
