"""A result of the scale lab on the terminal and as CSV."""

import csv

from harness.labs.scale.result import scale_result
from harness.labs.scale.text import csv_lines, lines
from tests.harness.labs.scale.measurements import measurement


def test_csv_has_the_columns_of_a_fit() -> None:
    rows = list(csv.DictReader(csv_lines(scale_result(measurement()))))
    assert [(row["axis"], row["N"], row["X"]) for row in rows][:2] == [
        ("connections", "1", "1001"),
        ("connections", "2", "2001"),
    ]
    assert [row["shared_cpu"] for row in rows] == ["0", "0", "0", "0", "1"]


def test_points_that_do_not_show_how_the_server_scales_are_marked() -> None:
    text = "\n".join(lines(scale_result(measurement("its core is full")), 100))
    assert "2*" in text
    assert "loader's CPU" in text
    assert "The loader was the bottleneck in 15 of 15 runs: its core is full" in text
