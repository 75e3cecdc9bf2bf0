"""What runs while idle intervals are recorded."""

import os
import sys

import pytest

from harness.cstates.record.workload import RecordedWorkload
from stallscope.errors import TargetError


@pytest.mark.parametrize(
    ("code", "status"),
    [("raise SystemExit(3)", "exited 3"), ("import os; os.kill(os.getpid(), 9)", "signalled 9")],
)
def test_the_end_of_a_command_is_its_status(code: str, status: str) -> None:
    workload = RecordedWorkload([sys.executable, "-S", "-c", code], None)
    workload.run()
    assert (workload.end.reason, workload.end.status) == ("command", status)


def test_a_command_ends_with_the_duration_and_its_affinity_is_known() -> None:
    workload = RecordedWorkload(["sleep", "600"], 0.5)
    workload.run()
    assert workload.end.reason == "duration"
    assert workload.cpus == tuple(sorted(os.sched_getaffinity(0)))


def test_without_a_command_the_duration_passes() -> None:
    workload = RecordedWorkload([], 0.01)
    workload.run()
    assert (workload.end.reason, workload.cpus) == ("duration", None)


def test_a_command_that_does_not_exist_is_the_targets_failure() -> None:
    with pytest.raises(TargetError, match="cannot run /nonexistent"):
        RecordedWorkload(["/nonexistent"], 1).run()
