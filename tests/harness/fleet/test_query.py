"""`harness.fleet.query`."""

import sys
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from harness.fleet.latency.session import fleet_latency
from harness.fleet.query import QueryOptions
from harness.fleet.slots.session import fleet_slots
from harness.fleet.top.session import fleet_top
from harness.fleet.waits.session import fleet_waits
from stallscope.errors import RecordingError, UsageError
from stallscope.histogram_encoding import encode
from stallscope.histograms import Geometry, Histogram
from tests.harness.fleet.samples import two_hosts, write_rows, write_samples

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


def _fleet_of(root: Path, hosts: int) -> QueryOptions:
    histogram = encode(Histogram(Geometry(1, 3), np.arange(200)))
    wait = {"process": "web", "group": "io", "threads": 1, "state": "lock", "time_ns": 7}
    slot = {"cpu": "zen4", "kind": "topdown", "node": "retiring", "value": 0.5, "cycles": 1e9}
    for number in range(hosts):
        write_rows(root, f"h{number}", "latency", [{"log": "wake", "histogram": histogram}])
        write_rows(root, f"h{number}", "waits", [wait])
        write_rows(root, f"h{number}", "slots", [slot])
    return QueryOptions((root,))


def _cost(function: Callable[[], object]) -> tuple[int, int]:
    """Return the number of Python calls and the peak memory in bytes of a function."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    tracemalloc.start()
    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(None)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return calls, peak


@pytest.mark.parametrize("verb", [fleet_latency, fleet_waits, fleet_slots])
def test_work_and_memory_grow_linearly_with_hosts(
    verb: Callable[[QueryOptions], object], tmp_path: Path
) -> None:
    few, many = _fleet_of(tmp_path / "few", 5), _fleet_of(tmp_path / "many", 20)
    verb(few)  # modules are loaded
    calls, memory = zip(*(_cost(partial(verb, options)) for options in (few, many)), strict=True)
    assert calls[1] < 4.4 * calls[0]
    assert memory[1] < 4.4 * memory[0]
