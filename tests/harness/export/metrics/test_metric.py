import math

import pytest

from harness.export.metrics.buckets import exported_rows
from harness.export.metrics.metric import MetricFamily, MetricKind, MetricTable

SUM = MetricFamily("work", "Work.")
GAUGE = MetricFamily("share", "Share.", MetricKind.GAUGE, "1")
TIMES = MetricFamily("times", "Times.", MetricKind.HISTOGRAM, "s")


@pytest.mark.parametrize("value", [None, math.nan, math.inf])
def test_missing_values_are_left_out(value: float | None) -> None:
    table = MetricTable()
    table.add(SUM, value)
    table.add_histogram(TIMES, None)
    assert table.is_empty
    table.add(SUM, 0)
    assert table.values == {SUM: {(): 0}}, "a measured zero is a value"


def test_points_with_equal_labels_are_one() -> None:
    table = MetricTable()
    for value in (2, 1):
        table.add(SUM, value, name="a")
        table.add(GAUGE, value, name="a")
    assert table.values == {SUM: {(("name", "a"),): 3}, GAUGE: {(("name", "a"),): 2}}
    table.add_histogram(TIMES, exported_rows([(1, 1, 1)]))
    with pytest.raises(ValueError, match="two histograms"):
        table.add_histogram(TIMES, exported_rows([(1, 1, 1)]))


def test_labels_are_visible_and_short() -> None:
    table = MetricTable()
    table.add(SUM, 1, name="\x1b[31m\u202e" + "x" * 400, empty="")
    ((labels, _),) = table.values[SUM].items()
    assert labels[0][1].startswith("\ufffd[31m\ufffdxxx")
    assert len(labels) == 1
    assert len(labels[0][1]) == 300


def test_what_is_left_out_is_noted() -> None:
    table = MetricTable()
    table.note_left_out("functions", 0)
    table.note_left_out("functions", 1200)
    assert table.notes == ["functions left out by --top: 1,200"]
