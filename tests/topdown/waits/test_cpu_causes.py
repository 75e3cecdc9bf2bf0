"""Causes of time in which threads could run and did not."""

from dataclasses import replace

import numpy as np

from tests.topdown.waits.wait_records_builder import MILLISECOND, build_records
from topdown.waits.cpu_causes import cpu_causes
from topdown.waits.run_queue import QueueUserKind, RunQueueUse
from topdown.waits.states import ThreadState
from topdown.waits.thread_states import summed_states
from topdown.waits.timeline import build_intervals

RECORDS = build_records(
    "w-1 R0-10 Q10-50 R50-100\nw-2@1 R0-100\nother R0-20 Q20-40 R40-100"
).records
AMOUNTS = summed_states(build_intervals(RECORDS), 3)
USERS = (
    RunQueueUse(QueueUserKind.PROCESS, "busy", 7, 30),
    RunQueueUse(QueueUserKind.PROCESS, "busy", 8, 15),
    RunQueueUse(QueueUserKind.PROCESS, "limited", 9, 10),
    RunQueueUse(QueueUserKind.UNKNOWN, "no record", None, 5),
)


def test_processes_with_one_name_are_one_cause_and_the_times_add_up() -> None:
    causes = cpu_causes(RECORDS, AMOUNTS, USERS, {7: "/", 9: "/x"})
    assert [(cause.kind, cause.name, cause.wait_ns // MILLISECOND) for cause in causes] == [
        ("cpu", "busy", 45),
        ("cpu", "limited in /x", 10),
        ("cpu", "not recorded", 5),
    ]
    assert [step.name for step in causes[0].chain] == ["w", "busy"]


def test_without_records_of_other_processes_the_cause_is_not_recorded() -> None:
    (cause,) = cpu_causes(RECORDS, AMOUNTS, (), {})
    assert (cause.name, cause.wait_ns) == ("not recorded", 60 * MILLISECOND)


def test_throttled_and_stolen_time_have_their_own_causes() -> None:
    amounts = np.zeros_like(AMOUNTS)
    amounts[0, ThreadState.THROTTLED] = 30
    amounts[2, ThreadState.THROTTLED] = 10
    amounts[1, ThreadState.STOLEN] = 20
    readings = tuple(replace(row, cgroup="/quota") for row in RECORDS.readings)
    causes = cpu_causes(replace(RECORDS, readings=readings), amounts, USERS, {})
    assert [(cause.kind, cause.name, cause.wait_ns) for cause in causes] == [
        ("throttle", "/quota", 40),
        ("steal", "hypervisor", 20),
    ]
