"""The cause of a wait as a category, from what was recorded when the thread left the CPU.

In this order: the kernel's call chain; the system call and the kind of its descriptor; the
program's functions; a reading of /proc while the thread waited. Every category names its source.
A wait without any of these is unknown.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from topdown.waits.blocked_calls import (
    UNKNOWN_GROUP,
    BlockedCalls,
    DescriptorKinds,
    processes_with_sockets,
)
from topdown.waits.futex import FutexCall, LockKind, classify_futex
from topdown.waits.kernel_waits import (
    PAGE_FAULT,
    Groups,
    kernel_groups,
    program_groups,
    throttled_stacks,
)
from topdown.waits.records import (
    NO_ROW,
    NO_STACK,
    REGISTER_NAMES,
    Codes,
    TaskKind,
    ThreadReading,
    WaitRecords,
    WakeContext,
)
from topdown.waits.stack_names import StackNames
from topdown.waits.states import Intervals, ThreadState
from topdown.waits.syscall_sites import NOT_IN_CALL, UNKNOWN_CALL, Numbers
from topdown.waits.waiting_calls import CallGroup

_LARGEST_FRAME_BYTES = 64 << 10  # a futex of musl's condition variables is on the stack
_STACK_POINTER = REGISTER_NAMES.index("sp")
_ARGUMENT = REGISTER_NAMES.index("argument0")
_STOPPED_LETTERS = ("T", "t")


class Evidence(IntEnum):
    """Source of the category of an interval."""

    NONE = 0
    KERNEL_CHAIN = 1
    SYSTEM_CALL = 2
    FUNCTIONS = 3
    READING = 4
    SWITCH = 5  # running, or in the run queue: the switch records say it

    @property
    def text(self) -> str:
        """Return the source in words."""
        return _EVIDENCE_TEXTS[self]


_EVIDENCE_TEXTS = {
    Evidence.NONE: "none",
    Evidence.KERNEL_CHAIN: "call chain of the kernel at the switch",
    Evidence.SYSTEM_CALL: "system call and descriptor at the switch",
    Evidence.FUNCTIONS: "functions of the program at the switch",
    Evidence.READING: "/proc while the thread waited",
    Evidence.SWITCH: "switch records",
}


@dataclass(frozen=True, slots=True)
class WaitKinds:
    """Intervals with the category of each wait, and the source of the category (Evidence)."""

    intervals: Intervals
    evidence: Codes


def classify_waits(
    records: WaitRecords,
    intervals: Intervals,
    names: StackNames,
    calls: Numbers,
    *,
    architecture: str = "x86_64",
) -> WaitKinds:
    """Return the intervals with categories.

    ``calls``: number of the system call of each switch sample, see
    `topdown/waits/syscall_sites.py`.
    """
    sockets = processes_with_sockets(records, names)
    descriptors = DescriptorKinds(records.descriptors, sockets)
    samples = _sample_kinds(records, names, calls, descriptors, architecture)
    state, evidence = intervals.state.copy(), np.zeros(len(intervals.state), np.uint8)
    by_switch = (state != ThreadState.OTHER) & (state != ThreadState.UNKNOWN)
    evidence[by_switch] = Evidence.SWITCH
    waits = np.flatnonzero(state == ThreadState.OTHER)
    state[waits] = ThreadState.UNKNOWN
    sampled = waits[intervals.sample[waits] != NO_ROW]
    rows = intervals.sample[sampled]
    state[sampled], evidence[sampled] = samples.state[rows], samples.evidence[rows]
    queued = np.flatnonzero((state == ThreadState.RUN_QUEUE) & (intervals.sample != NO_ROW))
    throttled = queued[samples.throttled[intervals.sample[queued]]]
    state[throttled], evidence[throttled] = ThreadState.THROTTLED, Evidence.KERNEL_CHAIN
    _use_packets(records, intervals, sampled[samples.poll[rows]], state)
    kinds = WaitKinds(replace(intervals, state=state), evidence)
    _use_readings(records, waits, kinds, sockets, architecture)
    return kinds


def _use_packets(
    records: WaitRecords, intervals: Intervals, polls: npt.NDArray[np.intp], state: Codes
) -> None:
    """Count polls that a soft interrupt ended as waits for the network.

    The descriptors of a poll are not recorded, and sockets may be newer than the list of
    descriptors. Timers and threads do not wake in soft interrupts, except by packets.
    """
    if records.wake_ups is None:
        return
    ended = polls[intervals.wake_up[polls] != NO_ROW]
    context = records.wake_ups.context[intervals.wake_up[ended]]
    state[ended[context == WakeContext.SOFT_INTERRUPT]] = ThreadState.NETWORK


@dataclass(frozen=True, slots=True)
class _SampleKinds:
    """Of each switch sample: the state if its thread waits, the evidence, whether throttled.

    ``poll``: whether it waits for one of several descriptors.
    """

    state: Codes
    evidence: Codes
    throttled: npt.NDArray[np.bool_]
    poll: npt.NDArray[np.bool_]


def _sample_kinds(
    records: WaitRecords,
    names: StackNames,
    calls: Numbers,
    descriptors: DescriptorKinds,
    architecture: str,
) -> _SampleKinds:
    samples = records.switch_samples
    pids = np.array([thread.pid for thread in records.threads] or [0], np.int64)
    arguments = np.zeros((len(samples.time_ns), 6), np.uint64)
    known = samples.register_row != NO_ROW
    arguments[known] = samples.registers[samples.register_row[known]][:, _ARGUMENT : _ARGUMENT + 6]
    blocked = BlockedCalls(pids[samples.thread], calls, arguments, descriptors, architecture)
    call_groups = blocked.groups()
    stacks = np.where(samples.stack == NO_STACK, len(names), samples.stack)
    with_kernel = np.append(names.with_kernel_chain, np.bool_(False))[stacks]
    # Without the kernel's chain, blocking outside of system calls alone does not show a page fault.
    unproven = (call_groups == PAGE_FAULT) & ~_with_major_faults(records)[samples.thread]
    call_groups[unproven | ((call_groups == PAGE_FAULT) & with_kernel)] = UNKNOWN_GROUP
    program = _of_stacks(program_groups(names), stacks)
    kernel = _of_stacks(kernel_groups(names), stacks)
    state = np.full(len(stacks), ThreadState.UNKNOWN, np.uint8)
    evidence = np.zeros(len(stacks), np.uint8)
    futex, poll = np.zeros(len(stacks), np.bool_), np.zeros(len(stacks), np.bool_)
    for groups, source in (
        (program, Evidence.FUNCTIONS),
        (call_groups, Evidence.SYSTEM_CALL),
        (kernel, Evidence.KERNEL_CHAIN),
    ):
        has_group = groups != UNKNOWN_GROUP
        state[has_group], evidence[has_group] = blocked.states(groups)[has_group], source
        futex[has_group] = groups[has_group] == CallGroup.FUTEX
        poll[has_group] = groups[has_group] == CallGroup.POLL
    unclear = (evidence == Evidence.NONE) | (evidence == Evidence.FUNCTIONS)
    unclear &= calls != NOT_IN_CALL
    by_caller = _futex_states(records, names, np.flatnonzero(futex | unclear))
    has_state = by_caller != ThreadState.UNKNOWN
    state[has_state] = by_caller[has_state]
    evidence[has_state & unclear] = Evidence.FUNCTIONS
    # A known place without a rule is another cause than those listed, and not unknown.
    unlisted = state == ThreadState.UNKNOWN
    for shown, source in (
        (calls >= 0, Evidence.SYSTEM_CALL),
        (with_kernel, Evidence.KERNEL_CHAIN),
    ):
        state[unlisted & shown], evidence[unlisted & shown] = ThreadState.OTHER, source
    throttled = np.append(throttled_stacks(names), np.bool_(False))[stacks]
    return _SampleKinds(state, evidence, throttled, poll)


def _with_major_faults(records: WaitRecords) -> npt.NDArray[np.bool_]:
    """Return whether each thread had page faults that needed a disk, (n_threads,).

    Between two readings; the first one of a thread that started during the recording is zero.
    """
    result = np.zeros(max(1, len(records.threads)), np.bool_)
    tasks = records.tasks
    born = tasks.thread[(tasks.kind == TaskKind.START) & (tasks.time_ns > records.begin_ns)]
    first: dict[int, int] = dict.fromkeys(born.tolist(), 0)
    for reading in sorted(records.readings, key=lambda reading: reading.at_ns):
        if reading.thread < len(result) and reading.major_faults is not None:
            before = first.setdefault(reading.thread, reading.major_faults)
            result[reading.thread] |= reading.major_faults > before
    return result


def _futex_states(records: WaitRecords, names: StackNames, rows: npt.NDArray[np.intp]) -> Codes:
    """Return whether samples are waits for a lock or an event, by caller and arguments.

    The caller's name is better evidence than operation and value of the futex. UNKNOWN: no caller
    is known.
    """
    samples = records.switch_samples
    result = np.full(len(samples.time_ns), ThreadState.UNKNOWN, np.uint8)
    # A wait without registers has the arguments of a contended mutex.
    keys = np.tile(np.array([0, 128, 2, 0, 0], np.uint64), (len(rows), 1))
    keys[:, 0] = np.where(samples.stack[rows] == NO_STACK, len(names), samples.stack[rows])
    known = np.flatnonzero(samples.register_row[rows] != NO_ROW)
    registers = samples.registers[samples.register_row[rows[known]]]
    address, stack_pointer = registers[:, _ARGUMENT], registers[:, _STACK_POINTER]
    keys[known, 1:3] = registers[:, _ARGUMENT + 1 : _ARGUMENT + 3]
    keys[known, 3] = address - stack_pointer < np.uint64(_LARGEST_FRAME_BYTES)
    keys[known, 4] = address % np.uint64(8)
    unique, inverse = np.unique(keys, axis=0, return_inverse=True)
    states = np.full(len(unique), ThreadState.UNKNOWN, np.uint8)
    for place, (stack, operation, value, on_stack, remainder) in enumerate(unique.tolist()):
        call = FutexCall(operation, value, remainder, 0 if on_stack else _LARGEST_FRAME_BYTES)
        kind = classify_futex(call, names.user(stack)).kind
        if kind is not LockKind.FUTEX:
            states[place] = ThreadState.LOCK if kind.is_lock else ThreadState.CONDITION
        elif on_stack:  # only the thread that waits can wait there
            states[place] = ThreadState.CONDITION
    result[rows] = states[inverse.reshape(-1)]
    return result


def _of_stacks(groups: Groups, stacks: npt.NDArray[np.integer]) -> Groups:
    """Return the groups of stacks; the number behind the last stack stands for none."""
    return np.asarray(np.append(groups, np.int16(UNKNOWN_GROUP))[stacks])


def _use_readings(
    records: WaitRecords,
    waits: npt.NDArray[np.intp],
    kinds: WaitKinds,
    sockets: frozenset[int],
    architecture: str,
) -> None:
    """Set the states of waits that nothing else explains, from readings taken during the wait.

    A stopped thread looks like one that waits for a page, so its reading replaces that.
    """
    rows = [
        reading
        for reading in records.readings
        if reading.thread < len(records.threads)
        and (reading.syscall or reading.state in _STOPPED_LETTERS)
    ]
    if not rows or not len(waits):
        return
    thread = np.array([reading.thread for reading in rows], np.int64)
    time = np.array([reading.at_ns for reading in rows], np.uint64)
    limited = np.clip(time, records.begin_ns, max(records.begin_ns, records.end_ns - 1))
    place = _covering(kinds.intervals, waits, thread, limited)
    states = reading_states(records, rows, architecture, sockets=sockets)
    stopped = np.array([row.state in _STOPPED_LETTERS for row in rows], np.bool_)
    used = place >= 0
    used &= stopped | (kinds.evidence[np.maximum(place, 0)] == Evidence.NONE)
    kinds.intervals.state[place[used]] = states[used]
    kinds.evidence[place[used]] = Evidence.READING


def reading_states(
    records: WaitRecords,
    readings: Sequence[ThreadReading],
    architecture: str = "x86_64",
    *,
    sockets: Collection[int] = (),
) -> Codes:
    """Return the state of each reading's thread, if it waits; OTHER if its call is not known.

    ``sockets``: processes that have sockets.
    """
    numbers = np.array([(*row.syscall, UNKNOWN_CALL)[0] for row in readings], np.int32)
    arguments = np.array(
        [[value % 2**64 for value in (*row.syscall[1:], *[0] * 6)[:6]] for row in readings],
        np.uint64,
    ).reshape(-1, 6)
    pids = np.array([records.threads[row.thread].pid for row in readings], np.int64)
    descriptors = DescriptorKinds(records.descriptors, sockets)
    blocked = BlockedCalls(pids, numbers, arguments, descriptors, architecture)
    groups = blocked.groups()
    states = np.where(groups == UNKNOWN_GROUP, ThreadState.OTHER, blocked.states(groups))
    states[[row.state in _STOPPED_LETTERS for row in readings]] = ThreadState.STOPPED
    return states.astype(np.uint8)


def _covering(
    intervals: Intervals,
    waits: npt.NDArray[np.intp],
    thread: npt.NDArray[np.int64],
    time_ns: npt.NDArray[np.uint64],
) -> npt.NDArray[np.int64]:
    """Return the wait that covers a time of a thread, as a row of the intervals, or -1."""
    result = np.full(len(thread), -1, np.int64)
    first = np.searchsorted(intervals.thread[waits], np.arange(int(thread.max()) + 2))
    for number in np.unique(thread).tolist():
        rows = np.flatnonzero(thread == number)
        of_thread = waits[first[number] : first[number + 1]]
        place = np.searchsorted(intervals.begin_ns[of_thread], time_ns[rows], "right") - 1
        inside = place >= 0
        inside[inside] = intervals.end_ns[of_thread[place[inside]]] > time_ns[rows[inside]]
        result[rows[inside]] = of_thread[place[inside]]
    return result
