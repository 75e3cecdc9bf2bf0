"""Tables of throughput by count."""

from pathlib import Path

import pytest

from harness.bench.scale.table_file import read_table
from stallscope.errors import RecordingError

PATH = Path("t.csv")


def _pairs(text: str, **options) -> list[tuple[float, float]]:
    return [(item.count, item.throughput) for item in read_table(text, PATH, **options)]


@pytest.mark.parametrize(
    "text",
    ["N,X\n1,10\n2,19\n", "1 10\n2 19", "# c\n\nthreads  throughput\n1 10\n2 19\n", "N,speed-up\n1,10\n2,19"],
)  # fmt: skip
def test_head_and_separator_are_free(text) -> None:
    assert _pairs(text) == [(1, 10), (2, 19)]


def test_optional_columns_are_read_and_may_be_empty() -> None:
    first, second = read_table("N,X,R,U,D\n1,10,0.1,0.5,0.05\n2,19,,,\n", PATH)
    assert (first.response_s, first.busy, first.demand_s) == (0.1, 0.5, 0.05)
    assert (second.response_s, second.busy, second.demand_s) == (None, None, None)


def test_the_table_of_lab_scale_is_read_by_axis() -> None:
    text = "axis,N,X,X_low\nconnections,1,5,4\nthreads,1,10,9\nthreads,2,19,18\n"
    assert _pairs(text) == [(1, 10), (2, 19)]
    assert _pairs(text, axis="connections") == [(1, 5)]
    with pytest.raises(RecordingError, match="no row of the axis clients"):
        _pairs(text, axis="clients")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "0 rows"),
        ("N,Y\n1,2", "no column of the throughput"),
        ("N,X\n1,", "t.csv:2: '' is not a throughput"),
        ("N,X\n1,2\n3", "t.csv:3: '' is not"),
        ("N,X\n1,nan", "t.csv:2: throughput nan"),
        ("N,X\n1,-2", "t.csv:2: throughput -2"),
        ("a b c\nd", "no column of the count"),
    ],
)  # fmt: skip
def test_bad_rows_are_named_with_their_line(text, message) -> None:
    with pytest.raises(RecordingError, match=message):
        read_table(text, PATH)
