"""`harness.fleet.waits.session`."""

from pathlib import Path

import pytest

from harness.fleet.dataset.parts import Part
from harness.fleet.query import QueryOptions
from harness.fleet.waits.session import fleet_waits
from harness.fleet.waits.text import lines
from stallscope.documents import encode
from stallscope.errors import UsageError
from tests.documents import assert_valid
from tests.harness.fleet.samples import write_rows

pytest.importorskip("pyarrow", reason="needs the extra fleet: pyarrow")


def write_waits(root: Path, host: str, rows: list[tuple[str, int, str, int]]) -> Part:
    names = ("group", "threads", "state", "time_ns")
    return write_rows(
        root,
        host,
        "waits",
        [{"process": "web", **dict(zip(names, row, strict=True))} for row in rows],
    )


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    write_waits(tmp_path, "a", [("io", 2, "disk", 30), ("io", 2, "running", 10)])
    write_waits(tmp_path, "b", [("io", 3, "disk", 20), ("log", 1, "running", 40)])
    return tmp_path


def test_times_of_hosts_are_added_by_group_and_state(fleet: Path) -> None:
    result = fleet_waits(QueryOptions((fleet,)))
    io, log = result.groups
    assert (io.group, io.hosts, io.threads, io.time_ns) == ("io", 2, 5, 60)
    assert [(row.state, row.time_ns) for row in io.states] == [("disk", 50), ("running", 10)]
    assert (log.group, log.hosts, log.time_ns, result.time_ns) == ("log", 1, 40, 100)
    assert_valid("fleet.waits", encode(result))


def test_a_state_ranks_the_groups_that_have_it(fleet: Path) -> None:
    result = fleet_waits(QueryOptions((fleet,)), state="running")
    assert [group.group for group in result.groups] == ["log", "io"]
    assert result.groups_total == 2
    with pytest.raises(UsageError, match="no recording has the state lock"):
        fleet_waits(QueryOptions((fleet,)), state="lock")


def test_a_corrupt_part_is_named(fleet: Path) -> None:
    write_waits(fleet, "c", [("io", 1, "disk", 5)]).path("waits").write_bytes(b"PAR1 PAR1")
    result = fleet_waits(QueryOptions((fleet,)), top=1)
    assert (result.hosts, result.time_ns) == (2, 100)
    text = "\n".join(lines(result, 200))
    assert "missing: c 1970" in text
    assert "1 more groups" in text
