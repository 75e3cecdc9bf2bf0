"""Samples of a benchmark."""

import math

from harness.bench.plots.samples import PlotSample


def test_values_without_a_number_are_left_out() -> None:
    assert PlotSample("a", [1.0, math.nan, math.inf, 2.0]).finite().tolist() == [1.0, 2.0]


def test_runs_are_numbered_from_1_without_positions() -> None:
    assert PlotSample("a", [5.0, 6.0]).places().tolist() == [1.0, 2.0]
    assert PlotSample("a", [5.0, 6.0], [3, 1]).places().tolist() == [3.0, 1.0]
