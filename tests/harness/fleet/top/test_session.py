"""`harness.fleet.top.session`."""

from pathlib import Path

import pytest

from harness.fleet.query import QueryOptions
from harness.fleet.top.session import fleet_top
from harness.fleet.top.text import lines
from stallscope.documents import encode
from stallscope.errors import UsageError
from tests.documents import assert_valid
from tests.harness.fleet.samples import two_hosts, write_samples

pytest.importorskip("pyarrow", reason="needs the extra fleet: pyarrow")


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    return two_hosts(tmp_path)


def test_values_of_hosts_are_added_and_recursion_counts_once(fleet: Path) -> None:
    result = fleet_top(QueryOptions((fleet,)))
    rows = {row.name: (row.self_value, row.total_value, row.hosts) for row in result.functions}
    assert rows == {"g": (20, 20, 1), "f": (15, 15, 1), "main": (1, 36, 2)}
    assert [row.name for row in result.functions] == ["g", "f", "main"]
    assert (result.hosts, result.value, result.samples) == (2, 36, 4)
    assert_valid("fleet.top", encode(result))
    assert "2 hosts" in "\n".join(lines(result, 80))


def test_a_corrupt_file_costs_its_part_and_is_named(fleet: Path) -> None:
    part = write_samples(fleet, "c", {("main", "h"): 100})
    part.path("samples").write_bytes(b"PAR1 garbage PAR1")
    result = fleet_top(QueryOptions((fleet,)))
    assert result.hosts == 2
    assert result.missing[0].part.startswith("c 1970-01-01T00")
    assert "missing: c 1970" in "\n".join(lines(result, 200))


def test_other_events_are_not_added_but_named(fleet: Path) -> None:
    write_samples(fleet, "c", {("main", "h"): 100}, event="cycles")
    result = fleet_top(QueryOptions((fleet,)))
    assert result.value == 36
    assert result.other_events[0].event == "cycles"
    assert fleet_top(QueryOptions((fleet,)), event="cycles").value == 100
    with pytest.raises(UsageError, match="no recording has the event"):
        fleet_top(QueryOptions((fleet,)), event="branches")
