"""`harness.fleet.slots.session`."""

from pathlib import Path

import pytest

from harness.fleet.dataset.parts import Part
from harness.fleet.query import QueryOptions
from harness.fleet.slots.session import fleet_slots
from harness.fleet.slots.text import lines
from stallscope.documents import encode
from tests.documents import assert_valid
from tests.harness.fleet.samples import write_rows

pytest.importorskip("pyarrow", reason="needs the extra fleet: pyarrow")


def write_slots(
    root: Path, host: str, retiring: float | None, cycles: float | None, cpu: str = "zen4"
) -> Part:
    row = {"cpu": cpu, "kind": "topdown", "cycles": cycles}
    shares = {"retiring": retiring, "backend": 0.5}
    rows = [{**row, "node": node, "value": value} for node, value in shares.items()]
    return write_rows(root, host, "slots", rows)


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    write_slots(tmp_path, "a", 0.1, 3e9)
    write_slots(tmp_path, "b", 0.5, 1e9)
    return tmp_path


def test_the_mean_is_weighted_by_cycles(fleet: Path) -> None:
    result = fleet_slots(QueryOptions((fleet,)))
    (cpu,) = result.cpus
    nodes = {node.node: node for node in cpu.nodes}
    assert nodes["retiring"].share == pytest.approx(0.2)
    assert (nodes["retiring"].lowest_host, nodes["retiring"].highest_host) == ("a", "b")
    assert [node.node for node in cpu.nodes] == ["backend", "retiring"]
    assert_valid("fleet.slots", encode(result))


def test_a_node_that_was_not_counted_is_not_zero(fleet: Path) -> None:
    write_slots(fleet, "c", None, 9e9)
    (cpu,) = fleet_slots(QueryOptions((fleet,))).cpus
    nodes = {node.node: node for node in cpu.nodes}
    assert (nodes["retiring"].recordings, nodes["backend"].recordings) == (2, 3)
    assert nodes["retiring"].lowest == 0.1


def test_recordings_without_cycles_have_no_weight(fleet: Path) -> None:
    write_slots(fleet, "c", 0.9, None)
    write_slots(fleet, "d", 0.9, None, cpu="arm")
    result = fleet_slots(QueryOptions((fleet,)))
    zen4, arm = result.cpus
    assert (zen4.cpu, zen4.recordings_without_cycles) == ("zen4", 1)
    assert {node.node: node.share for node in zen4.nodes}["retiring"] == pytest.approx(0.2)
    assert all(node.share is None for node in arm.nodes)
    assert "1 recordings without cycles" in "\n".join(lines(result, 100))
    assert_valid("fleet.slots", encode(result))


def test_a_damaged_part_is_named(fleet: Path) -> None:
    write_slots(fleet, "c", 7.0, 1e9)
    write_slots(fleet, "d", 0.1, 1e9).path("slots").write_bytes(b"PAR1 PAR1")
    result = fleet_slots(QueryOptions((fleet,)))
    assert result.hosts == 2
    assert [part.part.split()[0] for part in result.missing] == ["c", "d"]
    assert "missing: d 1970" in "\n".join(lines(result, 200))
