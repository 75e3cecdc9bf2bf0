"""The panel of a storm over time."""

import re

import msgspec

from harness.labs.storm.result import StormResult, StormRow
from harness.labs.storm.series_panel import compared_rows, series_panels
from ioprobe.storm import StormPoint


def sampled(row: StormRow, queued: float, below: float) -> StormRow:
    """The row with two points over time, the second without iowait."""
    series = tuple(
        StormPoint(t_s=t_s, replies_per_s=100, iowait_share=share, queued=queued, below=below)
        for t_s, share in ((1.0, 0.5), (2.0, None))
    )
    return msgspec.structs.replace(row, series=series, series_round=3)


def test_the_reference_and_the_recommended_limit_are_drawn(result: StormResult) -> None:
    rows = tuple(sampled(row, row.limit or 0, 1) for row in result.rows)
    panel = series_panels(msgspec.structs.replace(result, rows=rows))[0].markup
    assert panel.count('<svg class="plot"') == 4
    assert panel.count("<polyline") == 8, "two settings in each plot"
    names = f"limit 128, shares 1000:100 and limit {result.recommended.limit}, shares 1000:100"
    assert f"Over time: {names}" in panel
    assert "of round 4;" in panel
    assert "No run passed" not in panel


def test_both_plots_of_requests_have_equal_axes(result: StormResult) -> None:
    rows = tuple(sampled(row, 120, 8) for row in result.rows)
    panel = series_panels(msgspec.structs.replace(result, rows=rows))[0].markup
    *_, queued, below = panel.split("<figure>")
    assert re.findall(r">([0-9.]+)<", queued) == re.findall(r">([0-9.]+)<", below)


def test_runs_that_failed_their_checks_are_marked(result: StormResult) -> None:
    rows = tuple(msgspec.structs.replace(sampled(row, 1, 1), rounds=0) for row in result.rows)
    panel = series_panels(msgspec.structs.replace(result, rows=rows))[0].markup
    assert "No run passed its checks: limit 128, shares 1000:100" in panel


def test_without_samples_there_is_no_panel(result: StormResult) -> None:
    assert compared_rows(result) == []
    assert series_panels(result) == ()
