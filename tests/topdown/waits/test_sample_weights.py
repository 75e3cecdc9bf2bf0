"""Weights of a capture's samples, and profiles that are folded with them."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from stallscope._native import Capture, read_capture
from stallscope.errors import UsageError
from tests.captures.wait_capture import WaitCapture
from tests.profile_builder import leaf_shares
from topdown.stacks.folding.fold import FoldOptions, fold
from topdown.stacks.folding.sample_weights import SampleWeights
from topdown.stacks.profile import Profile
from topdown.stacks.symbols.sources import SymbolSources
from topdown.stacks.symbols.symbolizer import Symbolizer
from topdown.waits.read_records import read_wait_records
from topdown.waits.sample_weights import sample_weights
from topdown.waits.timeline import build_intervals
from topdown.waits.weight import OFF_CPU_TIME, WALL_TIME, Weight

CAPTURES = Path(__file__).parents[2] / "captures"
MILLISECOND = 1_000_000
ALONE, SHARED, BLOCKED = 0x100, 0x200, 0x300


def two_phases() -> WaitCapture:
    """100 ms in one thread, 100 ms blocked, 100 ms in two threads, each CPU sampled every ms."""
    made = WaitCapture()
    made.process(7)
    made.switch_in(7, 7, 0 + 1)
    for time in range(1, 100):
        made.cpu_sample(7, 7, time * MILLISECOND, [ALONE])
    made.switch_sample(7, 7, 100 * MILLISECOND, [BLOCKED], registers={})
    made.switch_out(7, 7, 100 * MILLISECOND)
    made.switch_in(7, 7, 200 * MILLISECOND)
    made.start(7, 8, 200 * MILLISECOND, parent=7)
    made.switch_in(7, 8, 200 * MILLISECOND, cpu=1)
    for time in range(200, 300):
        made.cpu_sample(7, 7, time * MILLISECOND + 5, [SHARED])
        made.cpu_sample(7, 8, time * MILLISECOND + 5, [SHARED], cpu=1)
    made.exit(7, 8, 300 * MILLISECOND)
    made.exit(7, 7, 300 * MILLISECOND)
    return made


def weights_of(capture: Capture, weight: Weight) -> SampleWeights:
    records = read_wait_records(capture)
    return sample_weights(capture, records, build_intervals(records), weight)


def profile_of(capture: Capture, weights: SampleWeights | None) -> Profile:
    return fold(capture, Symbolizer(SymbolSources()), FoldOptions(weights=weights))


def test_wall_and_cpu_shares_differ_as_threads_run_beside_each_other(tmp_path: Path) -> None:
    capture = read_capture(two_phases().write(tmp_path / "x.perf"))
    by_cpu = leaf_shares(profile_of(capture, None))
    assert by_cpu == pytest.approx({"waits+0x100": 1 / 3, "waits+0x200": 2 / 3}, abs=0.01)
    profile = profile_of(capture, weights_of(capture, Weight.WALL))
    third = pytest.approx(1 / 3, abs=0.01)
    assert leaf_shares(profile) == {
        "waits+0x100": third,
        "waits+0x200": third,
        "waits+0x300": third,
    }
    assert profile.source.event == WALL_TIME
    assert (profile.source.unit, profile.source.kind) == ("ns", "measured")
    assert profile.weight_value.sum() == pytest.approx(300 * MILLISECOND, rel=0.005)
    assert profile.duration_s == pytest.approx(0.3, rel=0.01)


def test_off_cpu_time_is_that_of_waits(tmp_path: Path) -> None:
    capture = read_capture(two_phases().write(tmp_path / "x.perf"))
    profile = profile_of(capture, weights_of(capture, Weight.OFF_CPU))
    assert leaf_shares(profile) == {"waits+0x300": 1.0}
    assert profile.weight_value.sum() == 100 * MILLISECOND
    assert (profile.samples, profile.source.event) == (1, OFF_CPU_TIME)


def test_waits_without_stacks_are_placed_in_no_stack(tmp_path: Path) -> None:
    made = WaitCapture()
    made.process(7)
    made.switch_out(7, 7, 10)
    made.switch_in(7, 7, 90)
    made.cpu_sample(7, 7, 95, [ALONE])
    made.switch_out(7, 7, 100)
    capture = read_capture(made.write(tmp_path / "x.perf"))
    weights = weights_of(capture, Weight.WALL)
    assert weights.warnings[-1].code == "no-switch-stacks"
    profile = profile_of(capture, weights)
    assert leaf_shares(profile)["[no stack]"] == pytest.approx(80 / 90, abs=0.02)
    assert profile.weight_value.sum() == 90


def test_a_recording_of_perf_with_switch_records_has_wall_weights() -> None:
    capture = read_capture(CAPTURES / "switches.perf")
    records = read_wait_records(capture)
    profile = profile_of(capture, weights_of(capture, Weight.WALL))
    assert profile.weight_value.sum() == records.end_ns - records.begin_ns


def test_missing_samples_are_reported(tmp_path: Path) -> None:
    made = two_phases()
    capture = read_capture(made.write(tmp_path / "x.perf"))
    records = read_wait_records(capture)
    few = replace(records.cpu_samples, period_ns=records.cpu_samples.period_ns // np.uint64(2))
    records = replace(records, cpu_samples=few)
    weights = sample_weights(capture, records, build_intervals(records), Weight.WALL)
    assert weights.warnings[0].code == "wall-scale"
    assert "2.0" in weights.warnings[0].message


def test_a_capture_without_switches_has_no_such_weights() -> None:
    with pytest.raises(UsageError, match="no context switches") as caught:
        weights_of(read_capture(CAPTURES / "file.perf"), Weight.WALL)
    assert "--switch-events" in caught.value.remedy
