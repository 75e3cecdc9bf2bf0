"""A continuous recording, with a collector and a receiver of the test."""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from harness.continuous import segment as segment_module
from harness.continuous import session
from harness.continuous.endpoint import Delivery, parse_endpoint
from harness.continuous.options import ContinuousOptions
from harness.continuous.result import ContinuousResult
from harness.continuous.session import run_continuous
from stallscope.collector import CollectorOptions
from stallscope.documents import read_document
from stallscope.errors import OutputError, RecordingError, TargetError, UnableError
from tests.documents import assert_valid
from tests.harness.continuous.segment_collector import Outcome, SegmentCollector

EMPTY = RecordingError("the recording is empty: the target used no CPU time")
GONE = TargetError("there is no process 1")
LAST = Outcome(reason="target ended")


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Run with these outcomes of the collector; the budget does not limit anything."""

    def run(*outcomes: Outcome, **options: Any) -> tuple[ContinuousResult, SegmentCollector]:
        collector = SegmentCollector(list(outcomes))
        monkeypatch.setattr(segment_module, "collect", collector.collect)
        monkeypatch.setattr(session, "_RETRY_S", 0.001)
        target = CollectorOptions(
            output=tmp_path / "run",
            pids=(os.getpid(),),
            frequency_hz=99,
            duration_s=options.pop("duration_s", None),
        )
        values = {"budget_share": 1.0, "segment_s": 1e4} | options
        return run_continuous(ContinuousOptions(target, **values)), collector

    return run


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "run").glob("segment-*"))


def test_segments_follow_until_the_target_ends(record, tmp_path: Path) -> None:
    result, collector = record(Outcome(), Outcome(), LAST)
    assert (result.segments, result.samples, result.lost, result.end) == (3, 30, 3, "target ended")
    assert result.covered_s == 6.0
    assert [run.output.name for run in collector.runs] == names(tmp_path)
    assert result.last_segment == "segment-000003"
    state = tmp_path / "run" / "continuous.json"
    assert read_document(state, ContinuousResult) == result
    assert_valid("record.continuous", state.read_text())


def test_the_cost_names_what_is_measured_and_what_is_modelled(record) -> None:
    result, _ = record(LAST)
    cost = result.cost
    assert cost.sampling_cpu_s == pytest.approx(10 * 20e-6)
    assert cost.recorder_cpu_s >= cost.start_cpu_s > 0
    used = (cost.recorder_cpu_s + cost.sampling_cpu_s) / cost.elapsed_s
    assert cost.used_share == pytest.approx(used)
    assert cost.memory_bytes > 1_000_000


def test_segments_without_samples_are_not_kept(record, tmp_path: Path) -> None:
    result, _ = record(Outcome(samples=0, error=EMPTY), Outcome(samples=0, error=EMPTY), LAST)
    assert (result.empty, result.segments) == (2, 1)
    assert names(tmp_path) == ["segment-000003"]


def test_a_target_that_ended_between_segments_ends_the_recording(record, tmp_path: Path) -> None:
    result, _ = record(Outcome(), Outcome(error=GONE))
    assert (result.end, result.segments, result.failed) == ("target ended", 1, 0)
    assert names(tmp_path) == ["segment-000001"]


def test_the_first_failure_is_the_error_of_the_command(record) -> None:
    with pytest.raises(TargetError):
        record(Outcome(error=GONE, is_written=False))


def test_a_later_failure_is_followed_by_another_segment(record, tmp_path: Path) -> None:
    failure = Outcome(error=UnableError("the collector died"))
    result, _ = record(Outcome(), failure, failure, LAST)
    assert (result.failed, result.end) == (2, "target ended")
    with pytest.raises(UnableError):
        record(Outcome(), failure, failure, failure)
    state = read_document(tmp_path / "run" / "continuous.json", ContinuousResult)
    assert state.end == "failed"


def test_a_full_disk_costs_the_oldest_segment(record, tmp_path: Path) -> None:
    result, _ = record(Outcome(), Outcome(), Outcome(error=OutputError("no space left")), LAST)
    assert result.removed == 1
    assert "segment-000001" not in names(tmp_path)


@pytest.mark.parametrize(
    "outcome",
    [
        Outcome(interrupted=True),
        Outcome(reason="signal"),
        Outcome(samples=0, reason="signal", error=EMPTY),
    ],
)
def test_ctrl_c_ends_the_recording(record, outcome: Outcome) -> None:
    result, _ = record(outcome)
    assert result.end == "signal"


def test_the_duration_ends_the_recording(record) -> None:
    result, collector = record(duration_s=1e-9)
    assert (result.end, result.segments, collector.runs) == ("duration", 0, [])


def test_finished_segments_are_sent_and_failures_are_counted(
    record, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    received: list[bytes] = []
    replies = [Delivery(), Delivery("HTTP 404 Not Found")]

    def post(_: object, content: bytes) -> Delivery:
        received.append(content)
        return replies.pop(0)

    monkeypatch.setattr(session, "post", post)
    content = Path("tests/captures/file.perf").read_bytes()
    result, _ = record(
        Outcome(content=content),
        Outcome(content=content),
        Outcome(content=b"damaged"),
        LAST,
        endpoint=parse_endpoint("http://127.0.0.1:4318"),
    )
    assert result.sent is not None
    assert (result.sent.segments, len(received)) == (1, 2)
    reasons = {row.reason for row in result.sent.dropped}
    assert "HTTP 404 Not Found" in reasons
    assert sum(row.segments for row in result.sent.dropped) == 3
    assert result.sent.last_failure == "HTTP 404 Not Found"


def test_a_second_run_goes_on_in_the_same_directory(record, tmp_path: Path) -> None:
    record(Outcome(), LAST)
    result, _ = record(LAST)
    assert names(tmp_path) == ["segment-000001", "segment-000002", "segment-000003"]
    assert (result.first_segment, result.samples) == ("segment-000001", 10)
    shutil.rmtree(tmp_path / "run")
