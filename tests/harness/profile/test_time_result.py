"""Periods, wakers and idle pools in the document of a profile."""

import json
from pathlib import Path

from msgspec.structs import replace

from harness.profile.analysis import Analysis
from harness.profile.off_cpu import OffCpuFacts
from harness.profile.result import profile_result
from stallscope.documents import UNSET, encode
from tests.harness.profile.test_off_cpu_panel import POOL, WAIT
from tests.topdown.stacks.test_bursts import profile_with
from topdown.stacks.bursts import find_bursts
from topdown.stacks.ranking import rank


def analysis_with_burst() -> Analysis:
    profile, times = profile_with((30, 35), seconds=120)
    bursts = find_bursts(profile, times)
    return Analysis(profile, rank(profile), bursts=bursts)


def test_the_document_names_periods_in_seconds() -> None:
    result = profile_result(analysis_with_burst(), recording=Path("run"), report=None)
    (period,) = result.periods
    assert period.function == "compact"
    assert (round(period.begin_s), round(period.end_s)) == (30, 35)
    assert result.wakers is UNSET


def test_the_document_of_off_cpu_time_has_wakers_and_idle_pools() -> None:
    analysis = replace(analysis_with_burst(), off_cpu=OffCpuFacts((WAIT,), (POOL,)))
    document = json.loads(encode(profile_result(analysis, recording=Path("run"), report=None)))
    (row,) = document["wakers"]
    assert (row["functions"], row["wait_ns"], row["waits"]) == (
        ["futex_wait", "lock<T>"],
        3_000_000,
        2,
    )
    assert document["idle_pools"][0]["rule"].startswith("waits at least 90 %")
