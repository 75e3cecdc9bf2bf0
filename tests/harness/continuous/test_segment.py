"""A segment, with a collector of the test."""

import os
from pathlib import Path

import pytest

from harness.cli.terminal import LiveLine
from harness.continuous import segment as segment_module
from harness.continuous.meter import SAMPLE_COST_S, RecorderMeter
from harness.continuous.pace import SegmentPlan
from harness.continuous.segment import EMPTY, Segment, SegmentEnd
from stallscope.collector import CollectorOptions, CollectorProgress
from stallscope.errors import RecordingError, TargetError
from tests.harness.continuous.segment_collector import Outcome, SegmentCollector

EMPTY_ERROR = RecordingError("the recording is empty: the target used no CPU time")


def run(
    outcome: Outcome, folder: Path, monkeypatch: pytest.MonkeyPatch, allowance_s: float = 1000
) -> tuple[SegmentEnd, SegmentCollector]:
    collector = SegmentCollector([outcome])
    monkeypatch.setattr(segment_module, "collect", collector.collect)
    plan = SegmentPlan(49, 60, 0, allowance_s)
    options = CollectorOptions(output=folder, pids=(os.getpid(),), max_size_mib=12)
    end = Segment(options, folder / "segment-000001", plan, RecorderMeter(), LiveLine()).run()
    return end, collector


def test_the_plan_is_passed_to_the_collector(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    end, collector = run(Outcome(), tmp_path, monkeypatch)
    (options,) = collector.runs
    assert (options.frequency_hz, options.duration_s, options.max_size_mib) == (49, 60, 12)
    assert (end.samples, end.lost, end.seconds, end.reason) == (10, 1, 2.0, "duration")
    assert end.ring_bytes == 1000 * (os.cpu_count() or 1)
    assert end.variable_cpu_s >= 10 * SAMPLE_COST_S
    assert not end.is_early


def test_a_segment_that_costs_too_much_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    samples = round(1 / SAMPLE_COST_S)  # one second
    progress = (
        CollectorProgress(seconds=0.5, samples=samples),
        CollectorProgress(seconds=2, samples=samples),
        CollectorProgress(seconds=3, samples=samples),
    )
    end, collector = run(Outcome(progress=progress), tmp_path, monkeypatch, allowance_s=0.5)
    assert end.is_early
    assert collector.control == b"stop\n"


def test_a_target_without_cpu_time_is_not_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome = Outcome(samples=0, reason="", error=EMPTY_ERROR)
    end, _ = run(outcome, tmp_path, monkeypatch)
    assert (end.samples, end.reason) == (0, EMPTY)


@pytest.mark.parametrize(
    "outcome",
    [
        Outcome(error=EMPTY_ERROR, is_written=False),
        Outcome(error=TargetError("there is no process 1")),
    ],
)
def test_other_failures_are_raised(
    outcome: Outcome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(type(outcome.error)):
        run(outcome, tmp_path, monkeypatch)
