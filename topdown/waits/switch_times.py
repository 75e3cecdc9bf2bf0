"""Times of switches as the scheduler counts them.

The kernel takes the time of a switch before perf writes the sample and the record of the thread
that leaves, and long before it writes the record of the thread that comes. schedstat charges this
work, several microseconds per switch, to the thread that comes. So both records of a switch get the
time of the leaving thread's sample; without a sample, that of its record. This needs the records of
whole CPUs, which show what ran before.
"""

import numpy as np
import numpy.typing as npt

from topdown.waits.records import NO_THREAD, SwitchKind, Times, WaitRecords

# A sample is taken just before its record, and both records of a switch stand together; what is
# longer apart, such as after lost records, is not one switch.
MAX_GAP_NS = 200_000


def scheduler_times(records: WaitRecords) -> Times:
    """Return the time of each switch, (n_switches,), not later than its record."""
    switches = records.switches
    time_ns = switches.time_ns.copy()
    if not len(time_ns):
        return time_ns
    outs = np.flatnonzero(switches.kind != SwitchKind.IN)
    time_ns[outs] = _sample_times(records, outs)
    if not records.whole_cpus:
        return time_ns
    order = np.argsort(switches.cpu.astype(np.int16), kind="stable")  # by CPU, then by time
    for rows in np.split(order, np.flatnonzero(np.diff(switches.cpu[order])) + 1):
        if switches.cpu[rows[0]] >= 0:
            _join_switches(records, rows, time_ns)
    return time_ns


def _join_switches(records: WaitRecords, rows: npt.NDArray[np.intp], time_ns: Times) -> None:
    """Set the times of switch-ins to those of the switch-outs before them on a CPU.

    The records of the idle thread may be missing between two of other threads. Then the thread that
    left is not the one that ran before the thread that comes.
    """
    switches = records.switches
    comes = switches.kind[rows] == SwitchKind.IN
    thread, previous = switches.thread[rows], switches.other[rows]
    joined = comes[1:] & ~comes[:-1] & (thread[1:] != thread[:-1])
    joined &= (previous[1:] == thread[:-1]) | (previous[1:] == NO_THREAD)
    joined &= np.diff(switches.time_ns[rows]) <= np.uint64(MAX_GAP_NS)
    places = np.flatnonzero(joined)
    time_ns[rows[places + 1]] = time_ns[rows[places]]


def _sample_times(records: WaitRecords, outs: npt.NDArray[np.intp]) -> Times:
    """Return the times of the samples of switch-outs; without a sample, of the switch-out."""
    switches, samples = records.switches, records.switch_samples
    result = switches.time_ns[outs]
    if not len(samples.time_ns):
        return result
    order = np.argsort(samples.thread.astype(np.uint32), kind="stable")
    thread, time = samples.thread[order], samples.time_ns[order]
    first = np.searchsorted(thread, np.arange(len(records.threads) + 1))
    by_thread = np.argsort(switches.thread[outs], kind="stable")
    of_thread = switches.thread[outs][by_thread]
    begin = np.searchsorted(of_thread, np.arange(len(records.threads) + 1))
    for number in np.unique(thread).tolist():
        rows = by_thread[begin[number] : begin[number + 1]]
        times = time[first[number] : first[number + 1]]
        recorded = result[rows]
        place = np.searchsorted(times, recorded, side="right") - 1
        nearest = times[np.maximum(place, 0)]
        near = (place >= 0) & (recorded - nearest <= MAX_GAP_NS)
        # The sample may be that of the switch-out before: of a tracepoint, it follows the record.
        near[1:] &= nearest[1:] >= recorded[:-1]
        near[1:] &= recorded[1:] - nearest[1:] <= nearest[1:] - recorded[:-1]
        result[rows[near]] = nearest[near]
    return result
