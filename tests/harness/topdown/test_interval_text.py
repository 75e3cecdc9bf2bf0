"""Intervals in a terminal, and as a picture."""

from dataclasses import replace

import click
import pytest

from harness.topdown.interval_text import IntervalLines, missing_values, plot, sparks, stacked
from harness.topdown.result import slice_record, topdown_result
from tests.harness.topdown.interval_results import RESULT
from tests.harness.topdown.measurements import COUNTED, MISSING, SLICED, node
from topdown.slots.measurement import Kind


def test_every_interval_has_a_line_below_a_single_heading() -> None:
    interval_lines = IntervalLines(120)
    rows = [
        click.unstyle(row)
        for part in RESULT.intervals
        for row in interval_lines.lines(part, kind="measured", whole=1.0)
    ]
    assert len(rows) == 21
    assert rows[0].split() == [
        "measured", "IPC", "▒", "Frontend_Bound", "▓", "Bad_Speculation", "░", "Backend_Bound",
        "█", "Retiring",
    ]  # fmt: skip
    assert rows[1].split()[:9] == ["0.10", "s", "0.80", "10.0", "%", "10.0", "%", "60.0", "%"]
    assert rows[2].split()[:6] == ["0.20", "s", "0.85", "12.6", "%", "n/a"]
    assert max(map(len, rows)) <= 120


@pytest.mark.parametrize("width", [40, 80, 200])
def test_bars_are_as_long_as_their_shares(width: int) -> None:
    bar = click.unstyle(stacked(RESULT.intervals[0].nodes, 1.0, 40))
    assert [bar.count(fill) for fill in "▒▓░█"] == [4, 4, 24, 8]
    interval_lines = IntervalLines(width)
    rows = [
        click.unstyle(row)
        for row in interval_lines.lines(RESULT.intervals[0], kind="measured", whole=1.0)
    ]
    assert ("░░" in rows[1]) == (width >= 80)


def test_an_impossible_share_is_flagged_without_a_bar() -> None:
    wrong = replace(node("Frontend_Bound", 2.0), impossible=True)
    part = replace(SLICED.slices[0], nodes=(wrong, node("Retiring", 0.5)))
    interval = slice_record(part, Kind.MEASURED)
    rows = [
        click.unstyle(row) for row in IntervalLines(100).lines(interval, kind="measured", whole=1.0)
    ]
    assert "200.0 %!" in rows[1]
    assert "▒" not in rows[1]


def test_sparklines() -> None:
    assert sparks([0, 1, None, 4, 8], 80) == "▁▂ ▅█"
    assert sparks([0.0, 0.0], 80) == "▁▁"
    assert sparks([None, None], 80) == "  "
    assert sparks([1.0] * 1000, 10) == "█" * 10
    assert sparks([1, 1, 3, 3], 2) == "▃█"


def test_the_plot_has_a_line_a_category_and_keeps_gaps() -> None:
    rows = list(plot(RESULT, 100))
    assert rows[0].startswith("over 2.00 s, 20 intervals, measured")
    assert [row.split()[0] for row in rows[1:]] == [
        "Frontend_Bound",
        "Bad_Speculation",
        "Backend_Bound",
        "Retiring",
        "IPC",
    ]
    assert rows[1].endswith("10.0 .. 60.0 %")
    assert "█ █" in rows[2]
    assert max(map(len, rows)) <= 100
    assert list(plot(topdown_result(COUNTED), 100)) == []


def test_impossible_values_have_a_reason_and_a_count() -> None:
    cause = "impossible: more than the whole: a = 3 exceeds b = 2"
    wrong = replace(node("Frontend_Bound", 2.0, warnings=(cause,)), impossible=True)
    interval = replace(SLICED.slices[5], nodes=(wrong,))
    measurement = replace(SLICED, slices=(*SLICED.slices, interval, interval))
    assert list(missing_values(topdown_result(measurement), 200)) == [
        f"no value for Bad_Speculation in 1 of 22 intervals, first until 0.20 s: {MISSING}",
        f"! Frontend_Bound in 2 of 22 intervals, first until 0.60 s: {cause}",
    ]
    assert list(missing_values(topdown_result(COUNTED), 200)) == []
