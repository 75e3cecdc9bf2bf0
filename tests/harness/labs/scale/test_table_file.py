"""Tables of speed-ups from files."""

from pathlib import Path

import pytest

from harness.labs.scale.options import ScaleAxis
from harness.labs.scale.result import scale_result
from harness.labs.scale.table_file import read_table
from harness.labs.scale.text import csv_lines, lines
from stallscope.errors import RecordingError
from tests.harness.labs.scale.measurements import measurement

PUBLISHED = "N,speed-up\n1,1\n8,7.88\n16,14.81\n32,24.67\n64,38.38\n"


def table(folder: Path, text: str) -> Path:
    path = folder / "table.csv"
    path.write_text(text)
    return path


def test_a_published_table_is_read(tmp_path: Path) -> None:
    result = read_table(table(tmp_path, PUBLISHED))
    assert [(point.n, point.throughput_per_s) for point in result.points][-1] == (64, 38.38)
    text = "\n".join(lines(result, 100))
    for speed_up in ("7.88", "14.81", "24.67", "38.38"):
        assert f" {speed_up} " in text
    assert "not measured here" in text


def test_the_csv_of_a_lab_is_read_back(tmp_path: Path) -> None:
    lab = scale_result(measurement())
    result = read_table(table(tmp_path, "\n".join(csv_lines(lab))))
    for axis in ScaleAxis:
        assert [point.n for point in result.axis_points(axis)] == [
            point.n for point in lab.axis_points(axis)
        ]


@pytest.mark.parametrize(
    "text",
    ["", "N,X\n", "a,b\n1,2\n", "N,X\n0,1\n", "N,X\n1,-1\n", "N,X\n1,nan\n", "N,X\n1,1e300\n",
     "N,X,axis\n1,1,threats\n", "\x00\xff"],
)  # fmt: skip
def test_other_files_are_rejected(tmp_path: Path, text: str) -> None:
    with pytest.raises(RecordingError):
        read_table(table(tmp_path, text))
    with pytest.raises(RecordingError):
        read_table(tmp_path / "none.csv")
