"""The waits of threads for packets, by flow: the same thread and the same descriptor."""

import numpy as np
import numpy.typing as npt

from topdown.waits.kernel_waits import kernel_groups, program_groups
from topdown.waits.packet_senders import UNKNOWN_SENDER, FlowWaits
from topdown.waits.pseudo_nodes import PseudoNode
from topdown.waits.records import NO_ROW, REGISTER_NAMES, WaitRecords, WakeContext
from topdown.waits.stack_names import StackNames
from topdown.waits.states import Intervals, ThreadState
from topdown.waits.waiting_calls import CallGroup

# Descriptors are smaller; a larger first argument is an address, which is no descriptor.
_NO_DESCRIPTOR = 1 << 16
_ARGUMENT0 = REGISTER_NAMES.index("argument0")
_Integers = npt.NDArray[np.int64]
_Flags = npt.NDArray[np.bool_]


def flow_waits(
    records: WaitRecords,
    intervals: Intervals,
    names: StackNames,
    rows: _Integers,
    nodes: _Integers,
) -> tuple[_Integers, FlowWaits]:
    """Return the rows of the intervals that wait for packets, and these waits.

    ``rows`` (n_waits,): waits, as rows of the intervals. ``nodes`` (n_waits,): what each waits for
    by its wake-up, a node of the wait-for graph.
    """
    assert records.wake_ups is not None
    first = len(records.threads)
    deferred = nodes == first + PseudoNode.LOOPBACK
    limited = nodes == first + PseudoNode.TIMER
    wake_up = intervals.wake_up[rows]
    woken = wake_up != NO_ROW
    context = np.full(len(rows), WakeContext.TASK, np.uint8)
    context[woken] = records.wake_ups.context[wake_up[woken]]
    sent = (context == WakeContext.SOFT_INTERRUPT) & (nodes >= 0) & (nodes < first)
    is_open = (~woken | limited) & _receives(records, intervals, names, rows)
    chosen = np.flatnonzero(deferred | sent | is_open)
    thread = intervals.thread[rows[chosen]].astype(np.int64)
    cpu = np.full(len(chosen), -1, np.int64)
    late = deferred[chosen]
    cpu[late] = records.wake_ups.cpu[wake_up[chosen[late]]]
    descriptor = _descriptors(records, intervals, rows[chosen])
    return rows[chosen], FlowWaits(
        flow=thread * (_NO_DESCRIPTOR + 1) + descriptor,
        thread=thread,
        begin_ns=intervals.begin_ns[rows[chosen]].astype(np.int64),
        end_ns=intervals.end_ns[rows[chosen]].astype(np.int64),
        sender=np.where(sent[chosen], nodes[chosen], UNKNOWN_SENDER).astype(np.int64),
        cpu=cpu,
        open=is_open[chosen],
    )


def _receives(
    records: WaitRecords, intervals: Intervals, names: StackNames, rows: _Integers
) -> _Flags:
    """Return whether each wait is in a call that receives from one socket.

    The time limit of a poll says nothing about one peer.
    """
    kernel = kernel_groups(names)
    group = np.append(np.where(kernel >= 0, kernel, program_groups(names)), -1)
    sample = intervals.sample[rows].astype(np.int64)
    stack = np.full(len(rows), len(names), np.int64)
    sampled = sample != NO_ROW
    stack[sampled] = np.minimum(records.switch_samples.stack[sample[sampled]], len(names))
    is_network = intervals.state[rows] == ThreadState.NETWORK
    return np.asarray(is_network & (group[stack] == CallGroup.NETWORK))


def _descriptors(records: WaitRecords, intervals: Intervals, rows: _Integers) -> _Integers:
    """Return the first argument of the system call of each wait, or _NO_DESCRIPTOR."""
    samples = records.switch_samples
    sample = intervals.sample[rows].astype(np.int64)
    result = np.full(len(rows), _NO_DESCRIPTOR, np.int64)
    place = np.flatnonzero(sample != NO_ROW)
    register = samples.register_row[sample[place]].astype(np.int64)
    place, register = place[register != NO_ROW], register[register != NO_ROW]
    values = samples.registers[register, _ARGUMENT0]
    result[place] = np.minimum(values, np.uint64(_NO_DESCRIPTOR)).astype(np.int64)
    return result
