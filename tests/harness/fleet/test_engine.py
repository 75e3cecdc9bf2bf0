"""`harness.fleet.engine`."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from harness.fleet.diff.session import fleet_diff
from harness.fleet.engine import Guarded, gathered, map_parts, part_results
from harness.fleet.latency.session import fleet_latency
from harness.fleet.query import QueryOptions
from harness.fleet.slots.session import fleet_slots
from harness.fleet.top import session as top_session
from harness.fleet.top.session import fleet_top
from harness.fleet.waits.session import fleet_waits
from stallscope.documents import Document
from stallscope.errors import UsageError
from stallscope.histogram_encoding import encode
from stallscope.histograms import Geometry, Histogram
from tests.harness.fleet.samples import kill_worker, two_hosts, write_rows, write_samples

pytest.importorskip("pyarrow", reason="needs the extra fleet: pyarrow")


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    return two_hosts(tmp_path)


def test_dask_gives_the_same_answer(fleet: Path) -> None:
    distributed = pytest.importorskip("distributed", reason="needs the extra cluster: distributed")
    write_samples(fleet, "c", {("main", "h"): 100})
    wait = {"process": "web", "group": "io", "threads": 1, "state": "lock", "time_ns": 7}
    slot = {"cpu": "zen4", "kind": "topdown", "node": "retiring"}
    histogram = encode(Histogram(Geometry(1, 3), np.array([0, 2, 5])))
    for host, share in (("a", 0.1), ("b", 0.7)):
        write_rows(fleet, host, "waits", [wait])
        write_rows(fleet, host, "latency", [{"log": "wake", "histogram": histogram}])
        write_rows(fleet, host, "slots", [{**slot, "value": share, "cycles": 1e9 * share}])

    def answers(scheduler: str | None) -> tuple[Document, ...]:
        options = QueryOptions((fleet,), scheduler)
        return (
            fleet_top(options),
            fleet_waits(options),
            fleet_latency(options),
            fleet_slots(options),
            fleet_diff(options, options),
        )

    local = answers(None)
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address=None, processes=False
    ) as cluster:
        address = cluster.scheduler_address
        assert address.startswith("inproc")
        assert answers(address) == local


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


@pytest.mark.live
def test_a_killed_worker_changes_no_answer_or_costs_its_part(
    fleet: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    distributed = pytest.importorskip("distributed", reason="needs the extra cluster: distributed")
    local = fleet_top(QueryOptions((fleet,)))
    mark = tmp_path / "mark"
    mark.touch()
    monkeypatch.setattr(top_session, "part_functions", partial(kill_worker, mark))
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None
    ) as cluster:
        options = QueryOptions((fleet,), cluster.scheduler_address)
        assert fleet_top(options) == local
        assert not mark.exists()  # a worker was killed
        mark.write_text("always")
        cluster.scheduler.allowed_failures = 1
        with distributed.Client(cluster) as client:
            client.wait_for_workers(2)
        result = fleet_top(options)
    assert (result.hosts, result.samples) == (1, local.samples - 1)
    (missing,) = result.missing
    assert missing.part.startswith("b ")
    assert "worker was lost: KilledWorker" in missing.error


def test_the_address_of_a_scheduler_is_checked() -> None:
    with pytest.raises(UsageError, match="not the address"):
        map_parts(str, [1], "10.0.0.1")


def test_an_unexpected_error_costs_its_part_only() -> None:
    def fails_on_two(item: int) -> int:
        if item == 2:
            raise KeyError("stack")
        return item

    results = map_parts(fails_on_two, [1, 2, 3])
    assert results.values == (1, 3)
    assert results.failures[0].error == "KeyError: 'stack'"
