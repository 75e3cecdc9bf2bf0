"""Senders of packets over loopback, for waits whose wake-up does not show the sender.

A packet over loopback is delivered in a soft interrupt of its sender, so the kernel's call chain of
the wake-up shows a send. Three kinds of waits have no such chain: the kernel deferred the delivery
to ksoftirqd or to another interrupt, the receive call reached its time limit, or the recording
ended before the wait did. The sender is then inferred from the other waits of the same flow, that
is of the same thread for the same descriptor.

A deferred packet was queued on the CPU that delivers it. So the sender must have run on this CPU
during the wait. A flow without a recorded sender has one only if a single thread woke up there
during each of its waits, and ran there last before most deliveries. A thread that only keeps the
CPU busy did not wake up in each wait.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from topdown.waits.records import NO_THREAD, SwitchKind, WaitRecords
from topdown.waits.run_queue import is_kernel_thread

# A sender is inferred from at least this share of the flow's recorded senders.
LEAST_CONFIDENCE = 0.6
# Deferred deliveries of a flow from which a sender is inferred without a recorded one.
LEAST_DELIVERIES = 5
MAX_DELIVERIES_EXAMINED = 64
# A packet may be queued shortly before its receiver begins to wait.
QUEUED_BEFORE_NS = 1_000_000
UNKNOWN_SENDER = -1
_Integers = npt.NDArray[np.int64]
_Shares = npt.NDArray[np.float32]
_Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class FlowWaits:
    """Waits for packets, in order of thread and time; all arrays (n_waits,).

    ``flow``: equal for waits of a thread for the same descriptor. ``sender``: the thread that the
    wake-up shows, or UNKNOWN_SENDER. ``cpu``: of a deferred delivery, else -1. ``open``: the wait
    has no sender because nothing was delivered: it reached its time limit, or did not end.
    """

    flow: _Integers
    thread: _Integers
    begin_ns: _Integers
    end_ns: _Integers
    sender: _Integers
    cpu: _Integers
    open: _Flags


def inferred_senders(records: WaitRecords, waits: FlowWaits) -> tuple[_Integers, _Shares]:
    """Return the sender of each wait, or UNKNOWN_SENDER, and the confidence in it.

    The confidence is 1 for a sender that the wake-up shows and 0 without a sender. Else it is the
    share of the flow's recorded senders, or of its deliveries, that agree, by the rule of
    succession: (n + 1) / (N + 2).
    """
    sender = waits.sender.copy()
    confidence = (sender != UNKNOWN_SENDER).astype(np.float32)
    missing = (sender == UNKNOWN_SENDER) & (waits.open | (waits.cpu >= 0))
    if not missing.any():
        return sender, confidence
    runs = _CpuRuns(records) if (waits.cpu[missing] >= 0).any() else None
    order = np.argsort(waits.flow, kind="stable")
    bounds = np.flatnonzero(np.diff(waits.flow[order])) + 1
    for rows in np.split(order, bounds):
        lacking = rows[missing[rows]]
        if not len(lacking):
            continue
        known = rows[waits.sender[rows] != UNKNOWN_SENDER]
        if len(known):
            _from_history(waits, known, lacking, runs, (sender, confidence))
        elif runs is not None:
            _from_wake_ups(records, waits, lacking, runs, (sender, confidence))
    return sender, confidence


def _from_history(
    waits: FlowWaits,
    known: _Integers,
    lacking: _Integers,
    runs: "_CpuRuns | None",
    result: tuple[_Integers, _Shares],
) -> None:
    """Set the senders that the flow's last recorded sender before each wait's end suggests.

    A wait that reached its time limit continues in the next one, so the next sender counts.
    """
    place = np.searchsorted(waits.end_ns[known], waits.end_ns[lacking], "right")
    following = np.minimum(place, len(known) - 1)
    previous = np.maximum(place - 1, 0)
    candidate = waits.sender[known[np.where(waits.open[lacking], following, previous)]]
    threads, counts = np.unique(waits.sender[known], return_counts=True)
    agreeing = counts[np.searchsorted(threads, candidate)]
    confidence = (agreeing + 1) / (len(known) + 2)
    accepted = confidence >= LEAST_CONFIDENCE
    deferred = waits.cpu[lacking] >= 0
    if runs is not None:
        accepted[deferred] &= runs.ran(
            candidate[deferred],
            waits.cpu[lacking[deferred]],
            waits.begin_ns[lacking[deferred]] - QUEUED_BEFORE_NS,
            waits.end_ns[lacking[deferred]],
        )
    rows = lacking[accepted]
    result[0][rows], result[1][rows] = candidate[accepted], confidence[accepted]


def _from_wake_ups(
    records: WaitRecords,
    waits: FlowWaits,
    lacking: _Integers,
    runs: "_CpuRuns",
    result: tuple[_Integers, _Shares],
) -> None:
    """Set the sender of a flow if one thread alone woke up on the CPU during each of its waits."""
    deferred = lacking[waits.cpu[lacking] >= 0]
    if len(deferred) < LEAST_DELIVERIES:
        return
    step = -(-len(deferred) // MAX_DELIVERIES_EXAMINED)
    examined = deferred[::step]
    other = np.array([not is_kernel_thread(thread) for thread in records.threads], np.bool_)
    other[waits.thread[lacking[0]]] = False
    possible = other.copy()
    last_runs = np.zeros(len(other), np.int64)
    for row in examined.tolist():
        cpu, end = int(waits.cpu[row]), int(waits.end_ns[row])
        threads, woken = runs.within(cpu, int(waits.begin_ns[row]) - QUEUED_BEFORE_NS, end)
        possible[np.setdiff1d(np.flatnonzero(possible), threads[woken])] = False
        threads = threads[other[threads]]
        last_runs[threads[-1:]] += 1
    senders = np.flatnonzero(possible)
    if len(senders) == 1 and 2 * last_runs[senders[0]] > len(examined):
        result[0][lacking] = senders[0]
        result[1][lacking] = (last_runs[senders[0]] + 1) / (len(examined) + 2)


class _CpuRuns:
    """When threads ran on each CPU, from the switch records of whole CPUs."""

    def __init__(self, records: WaitRecords) -> None:
        switches = records.switches
        order = np.lexsort((switches.time_ns, switches.thread))
        thread = switches.thread[order].astype(np.int64)
        time_ns = switches.time_ns[order].astype(np.int64)
        kind = switches.kind[order]
        comes = np.flatnonzero(kind == SwitchKind.IN)
        same_next = np.append(thread[1:] == thread[:-1], False)
        following = np.minimum(comes + 1, max(0, len(order) - 1))
        has_end = same_next[comes]
        self._thread = thread[comes]
        self._begin = time_ns[comes]
        self._end = np.where(has_end, time_ns[following], np.int64(records.end_ns))
        self._cpu = switches.cpu[order][comes].astype(np.int64)
        before = np.maximum(comes - 1, 0)
        has_before = (comes > 0) & (thread[before] == self._thread)
        self._was_asleep = ~has_before | (kind[before] == SwitchKind.OUT_ASLEEP)
        self._cpus = int(self._cpu.max(initial=0)) + 1
        place = self._thread * self._cpus + self._cpu
        self._order = np.lexsort((self._begin, place))
        self._place = place[self._order]
        by_cpu = np.lexsort((self._begin, self._cpu))
        self._of_cpu = {
            cpu: by_cpu[self._cpu[by_cpu] == cpu] for cpu in np.unique(self._cpu).tolist()
        }

    def ran(self, thread: _Integers, cpu: _Integers, begin: _Integers, end: _Integers) -> _Flags:
        """Return whether each thread ran on the CPU within its period."""
        result = np.zeros(len(thread), np.bool_)
        for row in range(len(thread)):
            place = int(thread[row]) * self._cpus + int(cpu[row])
            if cpu[row] >= self._cpus or thread[row] == NO_THREAD:
                continue
            low, high = np.searchsorted(self._place, (place, place + 1))
            runs = self._order[low:high]
            last = int(np.searchsorted(self._begin[runs], end[row], "left")) - 1
            result[row] = last >= 0 and self._end[runs[last]] > begin[row]
        return result

    def within(self, cpu: int, begin: int, end: int) -> tuple[_Integers, _Flags]:
        """Return the threads that came to a CPU in a period, and whether from a sleep."""
        runs = self._of_cpu.get(cpu, np.zeros(0, np.int64))
        low, high = np.searchsorted(self._begin[runs], (begin, end))
        chosen = runs[low:high]
        return self._thread[chosen], self._was_asleep[chosen]
