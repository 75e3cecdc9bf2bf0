"""The stages of ./dev test and their summary."""

from pathlib import Path

from tests.parts import PARTS
from tools.stages import Schedule
from tools.test_run import CPU_SHARES_S, STAGES, summary


def test_a_stage_over_its_share_of_cpu_time_is_named() -> None:
    schedule = Schedule(STAGES, Path(), 60)
    schedule.took_s = {"wheel": 100.0, "fuzzing": 20.0}
    schedule.cpu_s = {"wheel": 2.0 * CPU_SHARES_S["wheel"], "fuzzing": 1.0}
    schedule.outcomes = {"wheel": True, "fuzzing": False}
    wheel, fuzzing, total = summary(schedule)
    share_s = CPU_SHARES_S["wheel"]
    assert (
        wheel == f"   100 s,  {2 * share_s} s of CPU  wheel, over its share of {share_s} s of CPU"
    )
    assert fuzzing == "    20 s,    1 s of CPU  fuzzing, failed"
    assert total.split() == [str(2 * share_s + 1), "s", "of", "CPU", "in", "all"]


def test_shares_belong_to_stages() -> None:
    assert set(CPU_SHARES_S) <= {stage.name for stage in STAGES}


def test_every_part_of_the_tests_is_a_stage() -> None:
    assert {stage.name for stage in STAGES} >= {f"pytest-{part}" for part in PARTS}
