"""The storm of the reference server: every run has its limit, and no file is left."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest

from harness.labs.storm.options import StormOptions
from harness.labs.storm.result import storm_result
from harness.labs.storm.server import measure_server_storm
from ioprobe.curve.io_properties import DiskRates
from stallscope.errors import UsageError


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Path]:
    """A directory in memory, if there is one: a disk can stall for seconds."""
    shared = Path("/dev/shm")
    with TemporaryDirectory(dir=shared if shared.is_dir() else tmp_path) as folder:
        yield Path(folder)


def test_queries_during_compaction(memory: Path) -> None:
    options = StormOptions(
        path=str(memory), rounds=1, duration_s=0.4, warmup_s=0.0, limits=(128,),
        size_bytes=2**20, server=True, write_share=0.5,
        rates=DiskRates(read_iops=9e4, read_bandwidth=5e8, write_iops=5e4, write_bandwidth=4e8),
    )  # fmt: skip
    storm = measure_server_storm(options)
    assert storm.complete
    order = [(result.run.setting.limit, result.run.setting.writes) for result in storm.rounds]
    assert order == [(None, False), (128, True), (None, True), (8, True)]
    assert storm.rounds[0].writer_bytes_per_s is None
    for result in storm.rounds:  # on a loaded machine a short run may complete no query
        assert result.reader is not None or "no GET completed" in result.failed
        assert result.writer_bytes_per_s or not result.run.setting.writes or result.failed
        assert result.pending is not None
        assert result.pending >= 0
        assert result.in_flight is not None
        assert result.in_flight >= 0
        times = [point.t_s for point in result.series]
        assert times == sorted(times)
    assert "GETs and 50% SETs, durable when acknowledged" in storm.facts["requests"]
    assert "by size and direction" in storm.facts["cost of a request"]
    document = storm_result(storm)
    assert document.row_name(document.reader_alone or document.rows[0]) == "clients alone"
    sampled = [row for row in document.rows if row.series]
    assert sampled
    for row in sampled:
        (point, *_) = msgspec.json.decode(msgspec.json.encode(row))["series"]
        assert list(point) == ["t_s", "replies_per_s", "iowait_share", "queued", "below"]
    assert document.against is None
    assert document.first_come == ()
    assert document.verdict == "no verdict"
    assert list(memory.iterdir()) == []


def test_the_server_needs_a_directory(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    for path in (str(file), "sim:servers=8,service=1ms", str(tmp_path / "none")):
        with pytest.raises(UsageError, match="keeps its values in files"):
            measure_server_storm(StormOptions(path=path, server=True))
