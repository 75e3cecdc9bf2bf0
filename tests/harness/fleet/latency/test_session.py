"""`harness.fleet.latency.session`."""

from pathlib import Path

import numpy as np
import pytest

from harness.fleet.dataset.parts import Part
from harness.fleet.latency.session import fleet_latency, merged
from harness.fleet.latency.text import lines
from harness.fleet.query import QueryOptions
from stallscope import histogram_encoding
from stallscope.documents import encode
from stallscope.errors import UsageError
from stallscope.histograms import Geometry, Histogram
from tests.documents import assert_valid
from tests.harness.fleet.samples import write_rows

pytest.importorskip("pyarrow", reason="needs the extra fleet: pyarrow")


def histogram_of(values: list[int], digits: int = 3) -> Histogram:
    geometry = Geometry(1, digits)
    return Histogram(geometry, np.bincount(geometry.places(np.array(values, np.int64))))


def write_log(root: Path, host: str, histogram: Histogram) -> Part:
    text = histogram_encoding.encode(histogram)
    return write_rows(root, host, "latency", [{"log": "wake", "histogram": text}])


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    write_log(tmp_path, "a", histogram_of([100] * 990))
    write_log(tmp_path, "b", histogram_of([1000] * 10))
    return tmp_path


def test_percentiles_are_those_of_the_merged_histogram(fleet: Path) -> None:
    result = fleet_latency(QueryOptions((fleet,)))
    (log,) = result.logs
    assert (log.hosts, log.values) == (2, 1000)
    assert log.p50_ns == log.p99_ns == 100  # the mean of both p99 is 550
    assert log.p999_ns == log.largest_ns == 1000
    assert [(host.host, host.p99_ns) for host in log.slowest_hosts] == [("b", 1000), ("a", 100)]
    assert_valid("fleet.latency", encode(result))


def test_histograms_of_different_layouts_are_not_merged(fleet: Path) -> None:
    write_log(fleet, "c", histogram_of([5], digits=2))
    result = fleet_latency(QueryOptions((fleet,)))
    assert [(log.digits, log.values) for log in result.logs] == [(2, 1), (3, 1000)]
    assert "different layouts" in "\n".join(lines(result, 100))


def test_a_damaged_histogram_costs_its_part_and_is_named(fleet: Path) -> None:
    write_rows(fleet, "c", "latency", [{"log": "wake", "histogram": "AAAA"}])
    write_log(fleet, "d", histogram_of([1])).path("latency").write_bytes(b"PAR1 PAR1")
    result = fleet_latency(QueryOptions((fleet,)))
    assert result.logs[0].values == 1000
    assert [part.part.split()[0] for part in result.missing] == ["c", "d"]
    assert "the histogram of wake is damaged" in result.missing[0].error


def test_an_unknown_log_is_refused(fleet: Path) -> None:
    with pytest.raises(UsageError, match="no recording has the log none"):
        fleet_latency(QueryOptions((fleet,)), log="none")


def test_the_sum_of_histograms_has_all_values() -> None:
    assert merged([histogram_of([1, 2]), histogram_of([3])]).total == 3
