"""Files of `perf record --latency`: wall time as weight, and states of threads."""

from pathlib import Path

import pytest

from harness.profile.analysis import analyze
from harness.profile.options import AnalysisOptions
from harness.waits.analysis import analyze_waits
from harness.waits.build import waits_result
from stallscope.recordings import open_recording
from tests.captures.latency_capture import LatencyCapture
from tests.profile_builder import leaf_shares
from topdown.waits.weight import Weight

MS = 1_000_000
CYCLES = 3_000_000  # per millisecond and sample
ALONE, SHARED = 0x100, 0x200


def two_phases() -> LatencyCapture:
    """1 s in one thread, then 1 s in two threads, sampled every 10 ms."""
    made = LatencyCapture()
    made.process(7)
    made.switch_in(7, 7, 1)
    for time in range(5, 1000, 10):
        made.cpu_sample(7, 7, time * MS, [ALONE], period=CYCLES)
    made.start(7, 8, 1000 * MS, parent=7)
    made.switch_in(7, 8, 1000 * MS, cpu=1)
    for time in range(1005, 2000, 10):
        made.cpu_sample(7, 7, time * MS, [SHARED], period=CYCLES)
        made.cpu_sample(7, 8, time * MS, [SHARED], period=CYCLES, cpu=1)
    made.switch_out(7, 8, 2000 * MS, cpu=1)
    made.switch_out(7, 7, 2000 * MS)
    return made


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    return two_phases().write(tmp_path / "perf.data")


def test_cpu_shares_are_33_67_and_wall_shares_50_50(capture: Path) -> None:
    recording = open_recording(capture)
    by_cpu = leaf_shares(analyze(recording).profile)
    assert by_cpu == pytest.approx({"waits+0x100": 1 / 3, "waits+0x200": 2 / 3}, abs=0.01)
    by_wall = analyze(recording, AnalysisOptions(weight=Weight.WALL))
    assert leaf_shares(by_wall.profile) == pytest.approx(
        {"waits+0x100": 0.5, "waits+0x200": 0.5}, abs=0.03
    )
    assert by_wall.profile.weight_value.sum() == pytest.approx(2000 * MS, rel=0.005)
    assert by_wall.profile.source.unit == "ns"


def test_periods_in_cycles_are_no_sign_of_missing_samples(capture: Path) -> None:
    by_wall = analyze(open_recording(capture), AnalysisOptions(weight=Weight.WALL))
    assert "wall-scale" not in {warning.code for warning in by_wall.profile.warnings}


def test_waits_shows_the_states_of_such_a_file(capture: Path) -> None:
    result = waits_result(analyze_waits(open_recording(capture)), recording=capture, report=None)
    run = {row.tid: row.states_ns["user"] + row.states_ns["system"] for row in result.threads}
    assert run == pytest.approx({7: 2000 * MS, 8: 1000 * MS}, rel=0.001)
