from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.topdown.waits.wait_records_builder import MILLISECOND, Place, build_records
from topdown.waits.records import REGISTER_NAMES, Descriptor, ThreadReading
from topdown.waits.states import ThreadState
from topdown.waits.syscall_sites import NOT_IN_CALL
from topdown.waits.timeline import build_intervals
from topdown.waits.wait_kinds import Evidence, WaitKinds, classify_waits

FUTEX, READ, POLL, SELECT, EPOLL_WAIT, NANOSLEEP, FSYNC, RECVFROM = 202, 0, 7, 23, 232, 230, 74, 45
DESCRIPTORS = (
    Descriptor(1000, 3, "file", "/data"),
    Descriptor(1000, 4, "socket", "socket:[1]"),
    Descriptor(1000, 5, "pipe", "pipe:[2]"),
)


def classified(text: str, **options: Any) -> WaitKinds:
    built = build_records(text, **options)
    intervals = build_intervals(built.records)
    return classify_waits(built.records, intervals, built.names, built.syscalls)


def wait(place: Place, **options: Any) -> tuple[str, Evidence]:
    """Return the category of a wait with this place, and its source."""
    kinds = classified(
        "A R0-1 W(?,place)1-9 R9-10", places={"place": place}, descriptors=DESCRIPTORS, **options
    )
    return ThreadState(kinds.intervals.state[1]).key, Evidence(kinds.evidence[1])


@pytest.mark.parametrize(
    ("kernel", "category"),
    [
        (("futex_do_wait", "__futex_wait", "do_futex"), "condition"),
        (("folio_wait_bit_common", "filemap_read", "vfs_read"), "disk_read"),
        (("folio_wait_bit_common", "filemap_fault", "handle_mm_fault"), "page_fault"),
        (("rwsem_down_read_slowpath", "down_read", "do_user_addr_fault"), "lock"),
        (("jbd2_log_wait_commit", "ext4_sync_file", "do_fsync"), "disk_write"),
        (("sk_wait_data", "tcp_recvmsg_locked", "sock_recvmsg", "vfs_read"), "network"),
        (("do_nanosleep", "hrtimer_nanosleep.constprop.0"), "sleep"),
        (("anon_pipe_read", "vfs_read"), "condition"),
        (("do_signal_stop", "get_signal"), "stopped"),
        (("do_wait", "kernel_wait4"), "condition"),
        (("io_schedule", "bit_wait_io"), "disk_read"),
    ],
)
def test_the_kernel_chain_decides(kernel: tuple[str, ...], category: str) -> None:
    assert wait(Place(("main",), kernel)) == (category, Evidence.KERNEL_CHAIN)


@pytest.mark.parametrize(
    ("call", "arguments", "category"),
    [
        (READ, (3,), "disk_read"),
        (READ, (4,), "network"),
        (READ, (5,), "condition"),
        (FSYNC, (3,), "disk_write"),
        (RECVFROM, (4,), "network"),
        (EPOLL_WAIT, (8,), "network"),
        (POLL, (0x1000, 0), "sleep"),
        (POLL, (0x1000, 1), "network"),
        (SELECT, (0,), "sleep"),
        (NANOSLEEP, (0,), "sleep"),
        (FUTEX, (0x1000, 128, 2), "lock"),
        (FUTEX, (0x1000, 137, 0), "condition"),
        (FUTEX, (0x1000, 134, 0), "lock"),
    ],
)
def test_without_a_kernel_chain_the_system_call_decides(
    call: int, arguments: tuple[int, ...], category: str
) -> None:
    place = Place(("main",), syscall=call, arguments=arguments)
    assert wait(place) == (category, Evidence.SYSTEM_CALL)


@pytest.mark.parametrize(
    ("function", "category"),
    [
        ("pthread_mutex_lock", "lock"),
        ("pthread_cond_wait", "condition"),
        ("pthread_rwlock_wrlock", "lock"),
        ("sem_wait", "condition"),
        ("epoll_wait", "network"),
        ("__nanosleep", "sleep"),
    ],
)
def test_without_both_the_functions_decide(function: str, category: str) -> None:
    operation, value = (137, 0) if "cond" in function else (128, 2)
    place = Place((function, "main"), arguments=(0x1000, operation, value))
    assert wait(place) == (category, Evidence.FUNCTIONS)


def test_the_caller_of_a_futex_is_better_evidence_than_its_value() -> None:
    # musl's condition variables wait like a contended lock, on a futex in their stack.
    call = {"syscall": FUTEX, "arguments": (0x7FFF0010, 128, 2)}
    assert wait(Place(("pthread_cond_wait",), **call))[0] == "condition"
    gil = ("pthread_cond_timedwait", "take_gil", "PyEval_RestoreThread")
    assert wait(Place(gil, syscall=FUTEX, arguments=(0x1000, 137, 0)))[0] == "lock"


def test_a_wait_without_evidence_is_unknown() -> None:
    assert wait(Place(("work", "main"))) == ("unknown", Evidence.NONE)


def test_a_known_place_without_a_rule_is_another_cause() -> None:
    chain = ("schedule", "wait_for_completion", "__flush_work")
    assert wait(Place(("work",), chain)) == ("other", Evidence.KERNEL_CHAIN)
    assert wait(Place(("work",), syscall=221)) == ("other", Evidence.SYSTEM_CALL)


def test_a_reading_explains_a_wait_without_a_sample() -> None:
    reading = ThreadReading(0, 0, "S", None, None, (READ, 4, 0, 0, 0, 0, 0))
    kinds = _read(reading, "A W0-50")
    assert ThreadState(kinds.intervals.state[0]) is ThreadState.NETWORK
    assert kinds.evidence[0] == Evidence.READING


def _read(reading: ThreadReading, text: str, **options: Any) -> WaitKinds:
    built = build_records(text, descriptors=DESCRIPTORS, **options)
    records = replace(built.records, readings=(*built.records.readings, reading))
    intervals = build_intervals(records)
    return classify_waits(records, intervals, built.names, built.syscalls)


def test_a_stopped_thread_does_not_wait_for_a_page() -> None:
    places = {"stop": Place(("main",), syscall=NOT_IN_CALL, in_syscall=False)}
    reading = ThreadReading(5 * MILLISECOND, 0, "T", None, None)
    kinds = _read(reading, "A R0-1 W(?,stop)1-9 R9-10", places=places)
    assert ThreadState(kinds.intervals.state[1]) is ThreadState.STOPPED


def test_a_preempted_thread_with_throttling_in_its_chain_is_throttled() -> None:
    places = {
        "throttled": Place(("spin",), ("schedule", "task_work_run", "exit_to_user_mode_loop")),
        "preempted": Place(("spin",), ("schedule", "exit_to_user_mode_loop")),
    }
    text = "A R0-20 Q(?,throttled)20-100 R100-110 Q(?,preempted)110-120 R120-121"
    kinds = classified(text, places=places)
    states = [ThreadState(state) for state in kinds.intervals.state]
    assert states[1] is ThreadState.THROTTLED
    assert states[3] is ThreadState.RUN_QUEUE


def test_running_and_queueing_are_known_from_switches() -> None:
    kinds = classified("A R0-5 Q5-9 R9-10")
    assert np.all(kinds.evidence == Evidence.SWITCH)


@pytest.mark.parametrize(("waker", "category"), [("network", "network"), ("timer", "condition")])
def test_a_poll_that_a_packet_ended_waits_for_the_network(waker: str, category: str) -> None:
    place = Place(("main",), ("poll_schedule_timeout", "do_sys_poll"), POLL, (0x5000, 2))
    pipes = (Descriptor(1000, 5, "pipe", "pipe:[2]"),)
    text = f"A R0-1 W({waker},place)1-9 R9-10"
    kinds = classified(text, places={"place": place}, descriptors=pipes)
    assert ThreadState(kinds.intervals.state[1]).key == category


@pytest.mark.parametrize(
    ("kernel", "faults", "category"),
    [
        ((), (5, 6), ("page_fault", Evidence.SYSTEM_CALL)),
        (("schedule",), (5, 6), ("page_fault", Evidence.SYSTEM_CALL)),
        ((), (5, 5), ("unknown", Evidence.NONE)),
        ((), (None, None), ("unknown", Evidence.NONE)),
        (("schedule", "some_driver"), (5, 6), ("other", Evidence.KERNEL_CHAIN)),
        (("schedule", "filemap_fault"), (5, 5), ("page_fault", Evidence.KERNEL_CHAIN)),
    ],
)
def test_a_page_fault_needs_a_kernel_chain_or_a_count_that_rose(
    kernel: tuple[str, ...],
    faults: tuple[int | None, int | None],
    category: tuple[str, Evidence],
) -> None:
    places = {"place": Place(("main",), kernel, syscall=NOT_IN_CALL, in_syscall=False)}
    built = build_records("A R0-10 W(?,place)10-90 R90-100", places=places)
    readings = tuple(
        replace(reading, major_faults=count)
        for reading, count in zip(built.records.readings, faults, strict=True)
    )
    records = replace(built.records, readings=readings)
    kinds = classify_waits(records, build_intervals(records), built.names, built.syscalls)
    state = ThreadState(kinds.intervals.state[1]).key
    assert (state, Evidence(kinds.evidence[1])) == category


def test_a_futex_on_the_stack_of_the_thread_that_waits_is_not_a_lock() -> None:
    arguments = (0x7FFF_0000 + 64, 128, 2)  # those of a contended mutex
    place = Place(("wait", "main"), syscall=FUTEX, arguments=arguments)
    built = build_records("A R0-10 W(?,place)10-90 R90-100", places={"place": place})
    samples = built.records.switch_samples
    registers = samples.registers.copy()
    registers[:, REGISTER_NAMES.index("sp")] = 0x7FFF_0000
    records = replace(built.records, switch_samples=replace(samples, registers=registers))
    kinds = classify_waits(records, build_intervals(records), built.names, built.syscalls)
    assert ThreadState(kinds.intervals.state[1]) is ThreadState.CONDITION
