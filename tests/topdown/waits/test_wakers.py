"""Waits by place and by what ended them."""

import numpy as np

from tests.topdown.waits.wait_records_builder import Place, build_records
from topdown.waits.timeline import build_intervals
from topdown.waits.wakers import ended_waits, waker_shares

MILLISECOND = 1_000_000
PLACES = {
    "lock": Place(user=("pthread_mutex_lock", "work", "main")),
    "nap": Place(user=("nanosleep", "main")),
}
TEXT = """
    worker R0-10 W(holder,lock)10-50 R50-60 W(timer,nap)60-90 R90-100
    holder@1 R0-50 W(?)50-100
    idle@2 R0-1 W(timer,nap)1-99 R99-100
"""


def test_waits_are_named_by_their_functions_and_wakers() -> None:
    built = build_records(TEXT, places=PLACES)
    idle = np.array([False, False, True])
    intervals = build_intervals(built.records)
    ended = ended_waits(built.records, intervals, built.names, idle)
    shares = waker_shares(built.records, intervals, built.names, ended)
    rows = [
        (share.chain[:1], share.thread, share.waker, share.wait_ns // MILLISECOND, share.waits)
        for share in shares
    ]
    assert rows == [
        ((), "holder", "not recorded", 50, 1),
        (("pthread_mutex_lock",), "worker", "holder of target", 40, 1),
        (("nanosleep",), "worker", "timer", 30, 1),
    ]


def test_a_recording_without_waits_has_no_wakers() -> None:
    built = build_records("main R0-10", unit_ns=1)
    intervals = build_intervals(built.records)
    ended = ended_waits(built.records, intervals, built.names, np.zeros(1, np.bool_))
    assert waker_shares(built.records, intervals, built.names, ended) == []
