"""The stages of ./dev test and their summary."""

from pathlib import Path

from tests.parts import PARTS
from tools.stages import Schedule
from tools.test_run import CPU_SHARES_S, STAGES, failures, summary


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


def test_failed_tests_are_named_once_more_at_the_end(tmp_path: Path) -> None:
    schedule = Schedule(STAGES, tmp_path, 60)
    schedule.outcomes = {"pytest-plain": False, "pytest-beside": True, "pytest-alone": False}
    (tmp_path / "pytest-plain.log").write_text(
        "=== short test summary info ===\nFAILED tests/test_earlier.py::test_run_again\n"
        "=== short test summary info ===\nSKIPPED [1] tests/peers.py:38: needs perf\n"
        "FAILED tests/test_a.py::test_b - AssertionError: error: disk full\n  remedy: remove files\n"
        "=== 1 failed, 1 skipped in 2.00s ===\ndev: after it\n"
    )
    (tmp_path / "pytest-beside.log").write_text(
        "=== short test summary info ===\nFAILED passed later\n"
    )
    assert failures(schedule) == [
        "FAILED tests/test_a.py::test_b - AssertionError: error: disk full",
        "  remedy: remove files",
    ]
