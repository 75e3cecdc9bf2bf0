"""Submission stalls of processes and their causes, from format files and raw trace pages."""

from pathlib import Path

import pytest

from ioprobe.block_queue.stalls import (
    QueueOccupancy,
    StallCause,
    SubmissionCounter,
    ThreadCounts,
    process_stalls,
    rounded_down,
)
from ioprobe.block_queue.tracing import (
    by_process,
)
from stallscope.system_files import Roots
from tests.ioprobe.block_queue.trace_events import EMPTY, FULL


def counts(**values: int) -> ThreadCounts:
    opcode = values.pop("opcode", 22)
    punts = values.pop("punts", 0)
    thread = ThreadCounts(bios=1, **values)
    thread.punts[opcode] += punts
    return thread


@pytest.mark.parametrize(
    ("thread", "occupancy", "cause"),
    [
        (counts(submitted=9), FULL, None),
        (counts(submitted=9, punts=7), FULL, StallCause.OVER_NR_REQUESTS),
        (counts(submitted=9, punts=7), EMPTY, StallCause.FILESYSTEM),
        (counts(submitted=9, punts=7), QueueOccupancy(None, None), StallCause.FILESYSTEM),
        (counts(calls=9, blocked_calls=1), FULL, StallCause.OVER_NR_REQUESTS),
        (counts(punts=8, opcode=23, direct_writes=8, appends=4), EMPTY, StallCause.APPENDING),
        (counts(punts=8, opcode=23, direct_writes=8, appends=1), EMPTY, StallCause.FILESYSTEM),
        (counts(punts=8, opcode=3), FULL, StallCause.OPERATION),
        (counts(punts=2, opcode=3, calls=9, blocked_calls=9), FULL, StallCause.OVER_NR_REQUESTS),
    ],
)
def test_a_stall_has_a_cause(
    thread: ThreadCounts, occupancy: QueueOccupancy, cause: StallCause | None
) -> None:
    assert process_stalls(7, "x", [thread], occupancy).cause == cause


def test_threads_and_ended_workers_count_for_their_process(tmp_path: Path) -> None:
    counter = SubmissionCounter()
    counter.bio(400, "iou-wrk-70")
    counter.bio(70, "db")
    counter.bio(500, "kworker/0:1")
    counter.punted(999, 22)  # of a process that did not use the devices
    processes = by_process(counter, FULL, Roots(proc=tmp_path))
    assert [(process.pid, process.name, process.requests) for process in processes] == [
        (70, "db", 2),
        (500, "kworker/0:1", 1),
    ]


def test_times_are_rounded_to_about_a_hundredth() -> None:
    for value in (0, 1, 127, 128, 4999, 18_087_999, 2**40 + 12345):
        assert rounded_down(value) <= value <= rounded_down(value) * 1.016
