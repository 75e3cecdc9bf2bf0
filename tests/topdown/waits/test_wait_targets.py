from dataclasses import replace

import numpy as np
import pytest

from tests.topdown.waits.wait_records_builder import Place, build_records
from topdown.waits.cascade import cascade
from topdown.waits.pseudo_nodes import PseudoNode
from topdown.waits.records import OwnerReading, WaitRecords
from topdown.waits.stack_names import StackNames
from topdown.waits.states import Intervals, ThreadState
from topdown.waits.timeline import build_intervals
from topdown.waits.wait_chains import Activity
from topdown.waits.wait_targets import node_names, wait_segments

MUTEX = Place(user=("pthread_mutex_lock", "work"), syscall=202, arguments=(0x55000, 128, 2))
EPOLL = Place(user=("epoll_wait", "serve"), syscall=232, arguments=(0x55000, 128, 2))
MS = 1_000_000


def intervals_of(records: WaitRecords, wait_state: ThreadState) -> Intervals:
    """Return the intervals of the records, all waits in one state."""
    intervals = build_intervals(records)
    state = np.where(intervals.state == ThreadState.OTHER, wait_state, intervals.state)
    return replace(intervals, state=state.astype(np.uint8))


def targets(text: str, names: StackNames, records: WaitRecords, intervals: Intervals) -> list[str]:
    """Return "thread>node" of each wait."""
    nodes = node_names([thread.name for thread in records.threads])
    segments = wait_segments(records, intervals, names)
    waits = segments.activity == Activity.WAIT
    return [
        f"{nodes[thread]}>{nodes[target]}"
        for thread, target in zip(segments.thread[waits], segments.target[waits], strict=True)
    ]


def test_wakers_are_threads_devices_timers_and_unknown() -> None:
    text = """
        A R0-10 W(B)10-20 R20-30 W(disk)30-40 R40-50 W(timer)50-60 R60-61 W(network)61-70 R70-71
        B R0-80
        C R0-10 W(?)10-20 R20-30
    """
    built = build_records(text)
    intervals = intervals_of(built.records, ThreadState.CONDITION)
    assert targets(text, built.names, built.records, intervals) == [
        "A>B",
        "A>disk",
        "A>timer",
        "A>network",
        "C>unknown",
    ]


def test_disk_waits_and_sleeps_do_not_depend_on_the_waker() -> None:
    text = "A R0-10 W(B)10-20 R20-30 W(B)30-40 R40-41\nB R0-50"
    built = build_records(text)
    for state, node in ((ThreadState.DISK_WRITE, "disk"), (ThreadState.SLEEP, "timer")):
        intervals = intervals_of(built.records, state)
        assert set(targets(text, built.names, built.records, intervals)) == {f"A>{node}"}


def test_a_lock_wait_without_recorded_wake_ups_is_a_wait_for_the_owner_that_was_read() -> None:
    text = "A R0-10 W(B,mutex)10-20 R20-30 W(B,mutex)30-40 R40-41\nB R0-50"
    owner = OwnerReading(12 * MS, 0, 0x55000, "mutex", 101)
    built = build_records(text, places={"mutex": MUTEX}, wakers=False, owners=(owner,))
    intervals = intervals_of(built.records, ThreadState.LOCK)
    assert targets(text, built.names, built.records, intervals) == ["A>B", "A>unknown"]


def test_a_false_wake_up_is_joined_with_the_next_wait() -> None:
    text = """
        A R0-1 W(B,mutex)1-5 R5-5.05 W(C,mutex)5.05-9 R9-10
        B R0-10
        C R0-10
    """
    built = build_records(text, places={"mutex": MUTEX})
    intervals = intervals_of(built.records, ThreadState.LOCK)
    segments = wait_segments(built.records, intervals, built.names)
    result = cascade(segments, origins=np.array([True, False, False]))
    assert result.edges == {(0, 2): 8 * MS}


def test_an_event_loop_that_handled_a_request_did_not_wake_up_in_vain() -> None:
    text = """
        A R0-1 W(B,epoll)1-5 R5-5.05 W(C,epoll)5.05-9 R9-10
        B R0-10
        C R0-10
    """
    built = build_records(text, places={"epoll": EPOLL})
    intervals = intervals_of(built.records, ThreadState.NETWORK)
    segments = wait_segments(built.records, intervals, built.names)
    result = cascade(segments, origins=np.array([True, False, False]))
    assert result.edges == {(0, 1): 4 * MS, (0, 2): pytest.approx(3.95 * MS)}


def test_pseudo_nodes_follow_the_threads() -> None:
    assert node_names(["a", "b"])[2 + PseudoNode.DISK] == "disk"
