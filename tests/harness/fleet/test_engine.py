"""`harness.fleet.engine`."""

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.fleet.engine import Guarded, gathered, map_parts, part_results
from harness.fleet.query import QueryOptions
from harness.fleet.top.session import fleet_top
from stallscope.errors import UsageError
from tests.harness.fleet.samples import two_hosts, write_samples

pytest.importorskip("pyarrow", reason="needs the extra fleet: pyarrow")


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    return two_hosts(tmp_path)


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
