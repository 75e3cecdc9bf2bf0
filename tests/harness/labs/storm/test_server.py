"""The storm lab with the reference server: each run has its limit, and nothing is left."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from harness.labs.storm.document import storm_document
from harness.labs.storm.plan import StormOptions, settings
from harness.labs.storm.server import measured_server
from harness.labs.storm.server_counts import QueueReading, QueueUse, queue_use
from ioprobe.storm import Setting
from stallscope.errors import UsageError


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Path]:
    """A directory in memory where there is one: a disk may stall for seconds."""
    shared = Path("/dev/shm")
    with TemporaryDirectory(dir=shared if shared.is_dir() else tmp_path) as folder:
        yield Path(folder)


def test_queries_beside_compaction(memory: Path) -> None:
    options = StormOptions(
        path=str(memory), rounds=1, duration_s=0.2, warmup_s=0.0, limits=(128,),
        size_bytes=2**20, server=True,
    )  # fmt: skip
    found = measured_server(options)
    assert found.complete
    order = [(one.run.setting.limit, one.run.setting.writes) for one in found.rounds]
    assert order == [(None, False), (128, True), (None, True), (8, True)]
    assert found.rounds[0].writer_bytes_per_s is None
    for one in found.rounds:  # on a machine under load a run of a moment may come to nothing
        assert one.reader is not None or "no GET was answered" in one.failed
        assert one.writer_bytes_per_s or not one.run.setting.writes or one.failed
        assert one.pending is not None
        assert one.pending >= 0
        assert one.in_flight is not None
        assert one.in_flight >= 0
    assert "a second in an open loop on 16 connections" in found.facts["requests"]
    document = storm_document(found)
    assert document["against"] is None
    assert document["first_come"] == []
    assert document["verdict"] == "no verdict"
    assert list(memory.iterdir()) == []


def reading(at_s: float, **counts: int | None) -> QueueReading:
    known: dict[str, int | None] = {
        "written_bytes": 0, "queued_ns": 0, "executing_ns": 0, "on_cpu_ns": 0, "waited_ns": 0,
    }  # fmt: skip
    return QueueReading(at_s, **{**known, **counts})  # type: ignore[arg-type]


def test_means_are_integrals_over_the_time_between_two_readings() -> None:
    before = reading(10.0, written_bytes=100, queued_ns=10**9, on_cpu_ns=5, waited_ns=10**8)
    after = reading(
        12.0, written_bytes=500, queued_ns=9 * 10**9, executing_ns=10**9, on_cpu_ns=6,
        waited_ns=3 * 10**8,
    )  # fmt: skip
    assert queue_use(before, after) == QueueUse(400, 200.0, 4.0, 0.5, pytest.approx(0.1))


def test_a_wait_for_a_cpu_that_the_kernel_does_not_tell_is_unknown() -> None:
    still = reading(1.0), reading(2.0)  # scheduler statistics that are off
    assert queue_use(*still).cpu_delay_share is None
    untold = reading(1.0, on_cpu_ns=None, waited_ns=None)
    assert queue_use(untold, reading(2.0, on_cpu_ns=5)).cpu_delay_share is None


def test_it_is_set_against_no_limit() -> None:
    """Compaction has no more requests than 128 at a time: that limit holds back nothing."""
    options = StormOptions(path=".", server=True)
    order = settings(options, 8)
    assert order[-2:] == (Setting(None, options.shares), Setting(8, options.shares))
    assert len(set(order)) == len(order) == 6


def test_it_takes_a_directory(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    for path in (str(file), "sim:servers=8,service=1ms", str(tmp_path / "none")):
        with pytest.raises(UsageError, match="keeps its values in files"):
            measured_server(StormOptions(path=path, server=True))
