"""Periods, wakers and idle pools for the terminal."""

from pathlib import Path

from msgspec.structs import replace

from harness.profile.off_cpu import OffCpuFacts
from harness.profile.result import profile_result
from harness.profile.time_text import time_lines
from tests.harness.profile.test_off_cpu_panel import POOL, WAIT
from tests.harness.profile.test_time_result import analysis_with_burst


def test_periods_wakers_and_idle_pools_are_lines() -> None:
    analysis = replace(analysis_with_burst(), off_cpu=OffCpuFacts((WAIT,), (POOL,)))
    result = profile_result(analysis, recording=Path("run"), report=None)
    text = "\n".join(time_lines(result, 5))
    assert "compact" in text
    assert "3.00 ms  main in futex_wait \u2190 lock<T>, ended by holder" in text
    assert "rule: waits at least 90 %" in text


def test_a_profile_without_them_has_no_lines() -> None:
    analysis = replace(analysis_with_burst(), bursts=())
    assert time_lines(profile_result(analysis, recording=Path("run"), report=None), 5) == []
