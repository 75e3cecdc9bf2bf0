import numpy as np
import pytest

from tests.topdown.waits.lock_records import ADDRESS, MS, lock_records
from topdown.waits.futex import LockKind
from topdown.waits.locks import find_locks, waiting_functions
from topdown.waits.records import OwnerReading

CONTENDED = """
    H@1 R(compute)0-60
    A R0-1 W(H,mutex)1-11 R11-12 W(H,mutex)12-22 R22-50
    B R0-1 W(H,other)1-21 R21-50
    I R0-1 W(H,condition)1-49 R49-50
"""


def test_locks_are_ordered_by_waiting_time_before_other_objects() -> None:
    readings = tuple(
        OwnerReading(round(at * MS), waiter, ADDRESS, "mutex", 100)
        for at, waiter in ((1.1, 1), (12.1, 1), (1.2, 2))
    )
    built, intervals, waits, owners = lock_records(CONTENDED, owners=readings, cpu_sample_every=1)
    mutex, condition = find_locks(waits, owners, intervals, built.records.wake_ups)
    assert (mutex.kind, mutex.address, mutex.waits) == (LockKind.MUTEX, ADDRESS, 3)
    assert mutex.wait_ns == 40 * MS
    assert mutex.longest_ns == 20 * MS
    assert mutex.waiters == 2
    assert mutex.mean_waiters == pytest.approx(40 / 21)
    (owner,) = mutex.owners
    assert (owner.thread, owner.waits, owner.wait_ns) == (0, 3, 40 * MS)
    assert built.names.user(owner.stack) == ("hash", "insert", "work")
    assert mutex.owner_unknown == ""
    assert condition.kind == LockKind.CONDITION
    assert condition.owners == ()
    assert condition.owner_unknown == "a condition variable has no owner"
    assert condition.owner_unknown_ns == condition.wait_ns == 48 * MS


def test_background_threads_are_left_out() -> None:
    built, intervals, waits, owners = lock_records(CONTENDED)
    background = np.array([False, True, False, True])
    (lock,) = find_locks(waits, owners, intervals, built.records.wake_ups, background=background)
    assert lock.waits == 1
    assert [f.name for f in waiting_functions(waits, built.names, background=background)][:1] == [
        "pthread_mutex_lock"
    ]


def test_functions_have_attributed_and_inclusive_lock_time() -> None:
    built, _, waits, _ = lock_records(CONTENDED)
    functions = {function.name: function for function in waiting_functions(waits, built.names)}
    assert functions["insert"].attributed_ns == functions["insert"].inclusive_ns == 20 * MS
    work = functions["work"]
    assert (work.attributed_ns, work.inclusive_ns, work.waits) == (0, 40 * MS, 3)
    assert dict(work.callees) == {"insert": 20 * MS, "remove": 20 * MS}
    assert dict(functions["pthread_mutex_lock"].callers) == dict(work.callees)
    assert "next_job" not in functions


def test_threads_woken_by_the_same_call_are_counted_together() -> None:
    herd = "\n".join(
        f"T{n} R0-1 W(M,mutex)1-5.{n:03d} R5.{n:03d}-5.05 W(M,mutex)5.05-9.{n} R9.{n}-11"
        for n in range(4)
    )
    built, intervals, waits, owners = lock_records(f"{herd}\nM@1 R0-20")
    (lock,) = find_locks(waits, owners, intervals, built.records.wake_ups)
    assert lock.woken_per_wake_up == pytest.approx(8 / 5)
    assert lock.vain_share == pytest.approx(0.5)


def test_a_thread_that_is_woken_again_at_once_was_woken_by_another_call() -> None:
    begins = (1.0, 1.02, 1.04)
    turns = " ".join(
        f"W(M,mutex){at}-{at + 0.01:.2f} R{at + 0.01:.2f}-{at + 0.02:.2f}" for at in begins
    )
    built, intervals, waits, owners = lock_records(f"T R0-1 {turns}\nM@1 R0-20")
    (lock,) = find_locks(waits, owners, intervals, built.records.wake_ups)
    assert lock.woken_per_wake_up == pytest.approx(1.0)


def test_without_wake_ups_the_threads_per_wake_up_are_not_known() -> None:
    built, intervals, waits, owners = lock_records(CONTENDED, wakers=False)
    lock = find_locks(waits, owners, intervals, built.records.wake_ups)[0]
    assert (lock.woken_per_wake_up, lock.vain_share) == (None, None)


def test_no_waits_give_no_locks() -> None:
    _, intervals, waits, owners = lock_records("A R0-10")
    assert find_locks(waits, owners, intervals, None) == []
