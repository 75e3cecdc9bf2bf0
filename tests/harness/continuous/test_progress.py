from pathlib import Path

from harness.continuous.meter import RecorderMeter
from harness.continuous.options import ContinuousOptions
from harness.continuous.progress import Recorder, Totals, result_of
from harness.continuous.segment import SegmentEnd
from harness.continuous.segments import open_store
from stallscope.collector import CollectorOptions


def test_totals_add_segments() -> None:
    totals = Totals()
    totals.add(SegmentEnd(reason="duration", samples=5, lost=1, seconds=2, frequency_hz=99))
    totals.add(SegmentEnd(reason="stopped", samples=0, seconds=1, frequency_hz=49, is_early=True))
    assert (totals.segments, totals.empty, totals.ended_early) == (1, 1, 1)
    assert (totals.samples, totals.lost, totals.covered_s, totals.frequency_hz) == (5, 1, 3, 49)


def test_a_budget_that_was_exceeded_and_full_segments_are_warnings(tmp_path: Path) -> None:
    options = ContinuousOptions(
        CollectorOptions(output=tmp_path / "run", pids=(1,), frequency_hz=99), budget_share=1e-6
    )
    totals = Totals(start_cpu_s=0.001)
    totals.add(SegmentEnd(reason="size limit", samples=5))
    with open_store(tmp_path / "run", 1 << 26) as store:
        recorder = Recorder(options, store, RecorderMeter(), None)
        result = result_of(recorder, totals, elapsed_s=10, end="running")
        before = result_of(recorder, Totals(), elapsed_s=0, end="running")
    exceeded, full = result.warnings
    assert "the budget was exceeded" in exceeded
    assert "0.01 for the start" in exceeded
    assert "1 segments ended at their maximum size" in full
    assert (before.cost.used_share, before.frequency_hz, before.sent) == (0, None, None)
