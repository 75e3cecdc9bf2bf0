"""`harness.fleet.query`."""

from pathlib import Path

import pytest

from harness.fleet.query import QueryOptions
from harness.fleet.top.session import fleet_top
from stallscope.errors import RecordingError, UsageError
from tests.harness.fleet.samples import two_hosts, write_samples

pytest.importorskip("pyarrow", reason="needs the extra fleet: pyarrow")


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    return two_hosts(tmp_path)


def test_a_damaged_recording_is_named(fleet: Path) -> None:
    (fleet / "d").mkdir()
    (fleet / "d/recording.json").write_text("{")
    result = fleet_top(QueryOptions((fleet,)))
    assert [missing.part for missing in result.missing] == ["d"]


def test_a_period_selects_hours(fleet: Path) -> None:
    write_samples(fleet, "a", {("main", "late"): 7}, hour=30)
    late = QueryOptions((fleet,), begin="1970-01-02")
    early = QueryOptions((fleet,), end="1970-01-01T05")
    assert fleet_top(late).value == 7
    assert fleet_top(early).value == 36


def test_a_fleet_without_recordings_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="no recording has the table samples"):
        fleet_top(QueryOptions((tmp_path,)))
    with pytest.raises(UsageError, match="there is no directory"):
        QueryOptions((tmp_path / "none",))
