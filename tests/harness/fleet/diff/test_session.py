"""`harness.fleet.diff.session`."""

from pathlib import Path

import pytest

from harness.fleet.diff.result import FleetDiffResult
from harness.fleet.diff.session import fleet_diff
from harness.fleet.diff.text import lines
from harness.fleet.query import QueryOptions
from stallscope.documents import encode
from stallscope.errors import UsageError
from tests.documents import assert_valid
from tests.harness.fleet.samples import write_samples

pytest.importorskip("pyarrow", reason="needs the extra fleet: pyarrow")


@pytest.fixture
def sets(tmp_path: Path) -> tuple[Path, Path]:
    before, after = tmp_path / "before", tmp_path / "after"
    for host in ("a", "b"):
        write_samples(before, host, {("main", "f"): 50, ("main", "g"): 50})
    write_samples(after, "a", {("main", "f"): 80, ("main", "g"): 20})
    write_samples(after, "b", {("main", "f"): 40, ("main", "g"): 60})
    write_samples(after, "new", {("main", "h"): 200})
    return before, after


def diff(sets: tuple[Path, Path], event: str = "") -> FleetDiffResult:
    return fleet_diff(QueryOptions((sets[0],)), QueryOptions((sets[1],)), event=event)


def test_shares_of_the_sums_are_compared_and_hosts_in_both_counted(
    sets: tuple[Path, Path],
) -> None:
    result = diff(sets)
    rows = {row.name: row for row in result.functions}
    assert [row.name for row in result.functions] == ["h", "g", "f"]
    assert rows["h"].change == pytest.approx(0.5)
    assert (rows["h"].hosts_higher, rows["h"].hosts_lower) == (0, 0)
    assert (rows["f"].share_before, rows["f"].share_after) == (0.5, 0.3)
    assert (rows["f"].hosts_higher, rows["f"].hosts_lower) == (1, 1)
    assert (result.hosts_in_both, result.before.hosts, result.after.hosts) == (2, 2, 3)
    assert_valid("fleet.diff", encode(result))


def test_a_corrupt_part_is_named_with_its_set(sets: tuple[Path, Path]) -> None:
    part = write_samples(sets[0], "c", {("main", "f"): 9})
    part.path("stacks").write_bytes(b"PAR1 PAR1")
    result = diff(sets)
    assert result.before.missing[0].part.startswith("c 1970")
    assert result.after.missing == ()
    assert "missing: c 1970" in "\n".join(lines(result, 200))


def test_values_of_different_events_are_not_compared(sets: tuple[Path, Path]) -> None:
    write_samples(sets[1], "c", {("main", "f"): 9}, event="cycles")
    result = diff(sets)
    assert (result.event, result.after.recordings_of_other_events) == ("cpu-clock", 1)
    with pytest.raises(UsageError, match="the event cycles is not in both sets"):
        diff(sets, event="cycles")
