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
    with pytest.raises(RecordingError, match="there is no recording in"):
        fleet_top(QueryOptions((tmp_path,)))
    with pytest.raises(UsageError, match="there is no directory"):
        QueryOptions((tmp_path / "none",))


@pytest.mark.parametrize(
    "period", [{"begin": "yesterday"}, {"end": "2026-11-28T8"}, {"begin": "2026-13-01"}]
)
def test_a_period_that_is_no_hour_is_refused(tmp_path: Path, period: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="is not a day or an hour"):
        QueryOptions((tmp_path,), **period)


def test_a_period_that_ends_before_it_begins_is_refused(tmp_path: Path) -> None:
    QueryOptions((tmp_path,), begin="2026-11-28T08", end="2026-11-28")
    with pytest.raises(UsageError, match="is after --to"):
        QueryOptions((tmp_path,), begin="2026-11-29", end="2026-11-28T23")
