"""Points and output files of the scale lab."""

from pathlib import Path

import pytest

from harness.cli.outputs import check_files
from harness.labs.scale.options import SUFFIXES, LoadPoint, ScaleAxis, doubling
from stallscope.errors import UsageError
from tests.harness.labs.scale.measurements import OPTIONS


@pytest.mark.parametrize(("largest", "points"), [(1, (1,)), (2, (1, 2)), (6, (1, 2, 4, 6))])
def test_points_double_up_to_the_last(largest: int, points: tuple[int, ...]) -> None:
    assert doubling(largest) == points


def test_every_thread_has_at_least_16_connections() -> None:
    assert OPTIONS.connections_of(LoadPoint(ScaleAxis.THREADS, 2)) == 32
    assert OPTIONS.threads_of(LoadPoint(ScaleAxis.CONNECTIONS, 4)) == 1


def test_output_files_of_unknown_types_are_rejected(tmp_path: Path) -> None:
    check_files([tmp_path / name for name in ("x.csv", "x.json", "x.svg", "x.PNG")], SUFFIXES)
    for path in (tmp_path / "x.pdf", tmp_path / "none" / "x.csv"):
        with pytest.raises(UsageError):
            check_files([path], SUFFIXES)
