"""Points and output files of the scale lab."""

from pathlib import Path

import pytest

from harness.cli.outputs import check_files
from harness.labs.scale.options import SUFFIXES, LoadPoint, ScaleAxis, doubling, thread_counts
from stallscope.errors import UsageError
from tests.harness.labs.scale.measurements import OPTIONS


@pytest.mark.parametrize(("largest", "points"), [(1, (1,)), (2, (1, 2)), (6, (1, 2, 4, 6))])
def test_points_double_up_to_the_last(largest: int, points: tuple[int, ...]) -> None:
    assert doubling(largest) == points


@pytest.mark.parametrize(
    ("text", "threads"),
    [(None, (1, 2)), ("6", (1, 2, 4, 6)), ("1,8,16,32,64", (1, 8, 16, 32, 64)), ("8,1,8", (1, 8))],
)
def test_threads_are_a_list_or_the_largest_number(text: str | None, threads: tuple) -> None:
    assert thread_counts(text, 2) == threads


@pytest.mark.parametrize("text", ["0", "x", "1,,2", "1,9999", "-1"])
def test_other_numbers_of_threads_are_rejected(text: str) -> None:
    with pytest.raises(UsageError):
        thread_counts(text, 2)


def test_every_thread_has_at_least_16_connections() -> None:
    assert OPTIONS.connections_of(LoadPoint(ScaleAxis.THREADS, 2)) == 32
    assert OPTIONS.threads_of(LoadPoint(ScaleAxis.CONNECTIONS, 4)) == 1


def test_output_files_of_unknown_types_are_rejected(tmp_path: Path) -> None:
    check_files([tmp_path / name for name in ("x.csv", "x.json", "x.svg", "x.PNG")], SUFFIXES)
    for path in (tmp_path / "x.pdf", tmp_path / "none" / "x.csv"):
        with pytest.raises(UsageError):
            check_files([path], SUFFIXES)
