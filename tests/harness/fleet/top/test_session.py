"""`harness.fleet.top.session`, `harness.fleet.top.text`, `harness.fleet.query`,
`harness.fleet.engine`, `harness.fleet.missing_text`, `harness.fleet.dataset.parts`,
`harness.fleet.dataset.schema`, `harness.cli.fleet_options`."""

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.fleet.dataset.parts import Part, find_parts, hour_of, read_table, write_part
from harness.fleet.dataset.schema import TABLES, arrow_schema
from harness.fleet.engine import Guarded, gathered, map_parts, part_results
from harness.fleet.query import QueryOptions
from harness.fleet.top.session import fleet_top
from harness.fleet.top.text import lines
from stallscope.errors import RecordingError, UsageError

pytest.importorskip("pyarrow", reason="needs the extra fleet: pyarrow")
HOUR_NS = 3_600_000_000_000


def write_samples(
    root: Path,
    host: str,
    values: dict[tuple[str, ...], int],
    *,
    event: str = "cpu-clock",
    hour: int = 0,
) -> Part:
    """Write a part with these stacks, outermost function first."""
    begin_ns = hour * HOUR_NS
    part = Part(str(root), host, hour_of(begin_ns), f"{event}-{hour}")
    keys = [abs(hash(stack)) % 2**60 for stack in values]
    count = len(values)
    write_part(
        part,
        {
            "samples": {
                "begin_ns": [begin_ns] * count,
                "end_ns": [begin_ns + 10] * count,
                "event": [event] * count,
                "unit": ["ns"] * count,
                "process": ["work"] * count,
                "stack": keys,
                "samples": [1] * count,
                "value": list(values.values()),
            },
            "stacks": {
                "stack": keys,
                "functions": [list(stack) for stack in values],
                "modules": [["bin"] * len(stack) for stack in values],
            },
        },
    )
    return part


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    write_samples(tmp_path, "a", {("main", "f"): 10, ("main", "f", "f"): 5, ("main",): 1})
    write_samples(tmp_path, "b", {("main", "g"): 20})
    return tmp_path


def test_values_of_hosts_are_added_and_recursion_counts_once(fleet: Path) -> None:
    result = fleet_top(QueryOptions((fleet,)))
    rows = {row.name: (row.self_value, row.total_value, row.hosts) for row in result.functions}
    assert rows == {"g": (20, 20, 1), "f": (15, 15, 1), "main": (1, 36, 2)}
    assert [row.name for row in result.functions] == ["g", "f", "main"]
    assert (result.hosts, result.value, result.samples) == (2, 36, 4)
    assert "2 hosts" in "\n".join(lines(result, 80))


def test_a_corrupt_file_costs_its_part_and_is_named(fleet: Path) -> None:
    part = write_samples(fleet, "c", {("main", "h"): 100})
    part.path("samples").write_bytes(b"PAR1 garbage PAR1")
    result = fleet_top(QueryOptions((fleet,)))
    assert result.hosts == 2
    assert result.missing[0].part.startswith("c 1970-01-01T00")
    assert "missing: c 1970" in "\n".join(lines(result, 200))


def test_a_damaged_recording_is_named(fleet: Path) -> None:
    (fleet / "d").mkdir()
    (fleet / "d/recording.json").write_text("{")
    result = fleet_top(QueryOptions((fleet,)))
    assert [missing.part for missing in result.missing] == ["d"]


def test_other_events_are_not_added_but_named(fleet: Path) -> None:
    write_samples(fleet, "c", {("main", "h"): 100}, event="cycles")
    result = fleet_top(QueryOptions((fleet,)))
    assert result.value == 36
    assert result.other_events[0].event == "cycles"
    assert fleet_top(QueryOptions((fleet,)), event="cycles").value == 100
    with pytest.raises(UsageError, match="no recording has the event"):
        fleet_top(QueryOptions((fleet,)), event="branches")


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


def test_dask_gives_the_same_answer(fleet: Path) -> None:
    distributed = pytest.importorskip("distributed", reason="needs the extra cluster: distributed")
    write_samples(fleet, "c", {("main", "h"): 100})
    local = fleet_top(QueryOptions((fleet,)))
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address=None, processes=False
    ) as cluster:
        address = cluster.scheduler_address
        assert address.startswith("inproc")
        assert fleet_top(QueryOptions((fleet,), scheduler=address)) == local


def test_a_part_whose_worker_is_lost_costs_that_part() -> None:
    class LostFuture:
        def result(self) -> object:
            raise RuntimeError("KilledWorker")

    class KnownFuture:
        def __init__(self, value: object) -> None:
            self.value = value

        def result(self) -> object:
            return self.value

    class StubClient:
        def map(
            self, function: Callable[[int], object], items: list[int], **_: object
        ) -> list[object]:
            return [LostFuture() if item == 2 else KnownFuture(function(item)) for item in items]

    outcomes = gathered(StubClient(), Guarded(str), [1, 2, 3])
    results = part_results(outcomes)
    assert results.values == ("1", "3")
    assert [failure.position for failure in results.failures] == [1]
    assert "worker was lost" in results.failures[0].error


def test_the_address_of_a_scheduler_is_checked() -> None:
    with pytest.raises(UsageError, match="not the address"):
        map_parts(str, [1], "10.0.0.1")


def test_tables_have_a_version(fleet: Path) -> None:
    part = find_parts((fleet,), "samples")[0]
    assert list(read_table(part, "samples").columns) == list(TABLES["samples"])
    assert arrow_schema("stacks").metadata == {b"stallscope.fleet": b"1"}


def test_functions_beyond_the_limit_are_counted(fleet: Path) -> None:
    result = fleet_top(QueryOptions((fleet,)), top=1)
    assert result.functions_total == 3
    assert "2 more functions" in "\n".join(lines(result, 80))
