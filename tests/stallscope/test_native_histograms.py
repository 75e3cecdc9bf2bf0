"""Histograms of a native program, read by stallscope and by the hdrhistogram package."""

from contextlib import closing
from pathlib import Path

import pytest
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader

from ioprobe.engine.points import Point
from ioprobe.target.simulated import SimulatedDisk
from stallscope.histograms import read_interval_log
from tests.ioprobe.engine_target import Target, measure

PERCENTS = (0.1, 10, 50, 90, 99, 99.9, 100)
LARGEST_NS = 3_600 * 10**9
DISK = Target(simulated=SimulatedDisk(4, 300_000, exponential=True))


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interval log of a simulated disk with a queue."""
    path = tmp_path_factory.mktemp("native") / "points.hlog"
    measure(DISK, Point("a", depth=16), log=path)
    return path


def test_both_readers_find_the_same_intervals_and_percentiles(log: Path) -> None:
    intervals = read_interval_log(log).intervals
    assert intervals
    with closing(HistogramLogReader(str(log), HdrHistogram(1, LARGEST_NS, 3))) as reader:
        for interval in intervals:
            reference = reader.get_next_interval_histogram()
            assert interval.histogram.total == reference.get_total_count()
            for percent in PERCENTS:
                expected = reference.get_value_at_percentile(percent)
                assert interval.histogram.percentile(percent) == expected
        assert reader.get_next_interval_histogram() is None


def test_the_percentiles_of_the_program_are_those_of_its_log(tmp_path: Path) -> None:
    path = tmp_path / "points.hlog"
    (result,) = measure(DISK, Point("a", depth=16), log=path)
    merged = read_interval_log(path).merged()
    assert merged is not None
    assert result.latency_ns is not None
    assert merged.percentile(50) == pytest.approx(result.latency_ns.p50, rel=0.002)
    assert merged.percentile(99) == pytest.approx(result.latency_ns.p99, rel=0.002)
