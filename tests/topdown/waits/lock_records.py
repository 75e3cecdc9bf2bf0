"""Futex waits of timelines in text, for tests of locks and owners."""

from dataclasses import replace
from typing import Any

import numpy as np

from tests.topdown.waits.wait_records_builder import BuiltRecords, Place, build_records
from topdown.waits.futex_waits import FutexWaits, futex_waits
from topdown.waits.owners import WaitOwners, wait_owners
from topdown.waits.records import WaitRecords
from topdown.waits.states import Intervals, ThreadState
from topdown.waits.timeline import build_intervals

ADDRESS = 0x5000
MS = 1_000_000
PLACES = {
    "mutex": Place(("pthread_mutex_lock", "insert", "work"), (), 202, (ADDRESS, 0x80, 2)),
    "other": Place(("pthread_mutex_lock", "remove", "work"), (), 202, (ADDRESS, 0x80, 2)),
    "condition": Place(("pthread_cond_wait", "next_job"), (), 202, (0x6028, 0x189, 0)),
    "musl": Place(("pthread_mutex_lock", "work"), (), 202, (0x7004, 0x80, 0x80000010)),
    "unnamed": Place(("work",), (), -1, (ADDRESS, 0x80, 2)),
    "disk": Place(("pwrite64", "flush"), ("io_schedule",), 18, (3, 0, 0)),
    "compute": Place(("hash", "insert", "work")),
}


def lock_records(
    text: str, **changes: Any
) -> tuple[BuiltRecords, Intervals, FutexWaits, WaitOwners]:
    """Return the records of the timelines, their intervals, futex waits and owners."""
    built = build_records(text, places=PLACES, **changes)
    intervals = as_locks(built.records)
    waits = futex_waits(built.records, intervals, built.names, built.syscalls)
    return built, intervals, waits, wait_owners(built.records, intervals, waits)


def as_locks(records: WaitRecords) -> Intervals:
    """Return the intervals of the records; all waits are waits for locks."""
    intervals = build_intervals(records)
    state = np.where(intervals.state == ThreadState.OTHER, ThreadState.LOCK, intervals.state)
    return replace(intervals, state=state.astype(np.uint8))
