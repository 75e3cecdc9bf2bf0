"""Intervals of threads in a state, from switches, wake-ups, readings and lost records.

Every nanosecond from a thread's start (or the beginning of the recording) to its exit (or the end)
is in one interval. A thread runs (USER stands for both running states), is in the run queue, waits
(OTHER; `topdown/waits/wait_kinds.py` has the cause) or is in an unknown state.

Without wake-up records a wait lasts until the thread runs again; it then includes time in the run
queue, which only the totals of schedstat separate (`topdown/waits/thread_states.py`).

Cost: about 0.5 us per record, without loops over records.
"""

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from topdown.waits.lost_states import StateParts, with_unknown_states
from topdown.waits.records import (
    NO_ROW,
    Codes,
    Indices,
    LostRecords,
    TaskKind,
    Times,
    WaitRecords,
)
from topdown.waits.run_time_fit import fit_run_time
from topdown.waits.states import Intervals, ThreadState
from topdown.waits.switch_times import MAX_GAP_NS, scheduler_times
from topdown.waits.thread_blocks import (
    IntervalColumns,
    ThreadBlock,
    rows_in_all,
    thread_blocks,
)

# A waker on another CPU may be recorded before the switch-out of the thread that it wakes.
EARLY_WAKE_UP_NS = 20_000

_IN, _OUT_ASLEEP, _OUT_PREEMPTED, _WAKE, _START, _EXIT = range(6)
_FIRST_RUNNING, _FIRST_WAITING, _FIRST_QUEUED, _FIRST_UNKNOWN, _FIRST_ABSENT = range(6, 11)
_ABSENT = 255  # state of a thread that has not started, or has exited
_STATE_AFTER = np.array(
    [
        ThreadState.USER,
        ThreadState.OTHER,
        ThreadState.RUN_QUEUE,
        ThreadState.RUN_QUEUE,
        ThreadState.RUN_QUEUE,  # a new thread can run
        _ABSENT,
        ThreadState.USER,
        ThreadState.OTHER,
        ThreadState.RUN_QUEUE,
        ThreadState.UNKNOWN,
        _ABSENT,
    ],
    np.uint8,
)
_STATE_BEFORE = np.full(11, ThreadState.UNKNOWN, np.uint8)
_STATE_BEFORE[[_OUT_ASLEEP, _OUT_PREEMPTED, _EXIT]] = ThreadState.USER
_STATE_BEFORE[_WAKE], _STATE_BEFORE[_IN] = ThreadState.OTHER, ThreadState.RUN_QUEUE
_STATE_OF_LETTER = {"S": ThreadState.OTHER, "D": ThreadState.OTHER, "T": ThreadState.OTHER}


@dataclass(frozen=True, slots=True)
class _Events:
    """Changes of threads' states. ``row`` is that of the wake-up or switch, else NO_ROW."""

    time_ns: Times
    thread: Indices
    kind: Codes
    row: Indices
    cpu: npt.NDArray[np.int32]

    def take(self, selection: npt.NDArray[np.generic]) -> "_Events":
        return _Events(
            self.time_ns[selection],
            self.thread[selection],
            self.kind[selection],
            self.row[selection],
            self.cpu[selection],
        )


def build_intervals(records: WaitRecords, *, fit: bool = True) -> Intervals:
    """Return the intervals of the target's threads, sorted by thread, then by time.

    ``fit``: whether run and queue times are made those of schedstat.
    """
    times = scheduler_times(records)
    wakes = 0 if records.wake_ups is None else len(records.wake_ups.time_ns)
    columns = IntervalColumns(len(times) + wakes + 2 * len(records.threads))
    for block in thread_blocks(records):
        columns.append(_of_block(block, times[block.switches]))
    intervals = columns.intervals()
    if fit:
        fit_run_time(intervals, records)
    return intervals


def _of_block(block: ThreadBlock, times: Times) -> Intervals:
    """Return the intervals of a block of threads; ``times``: of its switches."""
    records = block.records
    events = _with_first_states(_sorted_by_thread(_events(records), len(records.threads)), records)
    events = _at_scheduler_times(_without_ineffective(events, records.lost), times)
    parts = with_unknown_states(_between(events, records), records.lost, _unmoved(records))
    return Intervals(
        parts.thread,
        parts.begin_ns,
        parts.end_ns,
        parts.state,
        rows_in_all(_samples_of(parts, records), block.samples),
        rows_in_all(parts.wake_up, block.wake_ups),
    )


def _events(records: WaitRecords) -> _Events:
    """Return the events of target threads in time order; wake-ups before switches."""
    tasks, switches, wakes = records.tasks, records.switches, records.wake_ups
    starts, exits = tasks.kind == TaskKind.START, tasks.kind == TaskKind.EXIT
    parts = [(tasks.time_ns[starts], tasks.thread[starts], _START)]
    rows = [np.full(int(starts.sum()), NO_ROW, np.uint32)]
    if wakes is not None:
        parts.append((wakes.time_ns, wakes.wakee, _WAKE))
        rows.append(np.arange(len(wakes.time_ns), dtype=np.uint32))
    parts.append((switches.time_ns, switches.thread, _IN))
    rows.append(np.arange(len(switches.time_ns), dtype=np.uint32))
    parts.append((tasks.time_ns[exits], tasks.thread[exits], _EXIT))
    rows.append(np.full(int(exits.sum()), NO_ROW, np.uint32))
    kinds = [np.full(len(part[0]), part[2], np.uint8) for part in parts]
    kinds[-2] = switches.kind.astype(np.uint8)
    cpus = [np.full(len(part[0]), -1, np.int32) for part in parts]
    cpus[-2] = switches.cpu.astype(np.int32)
    events = _Events(
        np.concatenate([part[0] for part in parts]).astype(np.uint64),
        np.concatenate([part[1] for part in parts]).astype(np.uint32),
        np.concatenate(kinds),
        np.concatenate(rows),
        np.concatenate(cpus),
    )
    is_target = np.array([thread.target for thread in records.threads] or [False], np.bool_)
    has_thread = events.thread < len(is_target)
    selected = has_thread & is_target[np.where(has_thread, events.thread, 0)]
    selected &= (events.time_ns >= records.begin_ns) & (events.time_ns <= records.end_ns)
    return events if selected.all() else events.take(selected)


def _at_scheduler_times(events: _Events, times: Times) -> _Events:
    """Return the events with the times of switches at which the scheduler counts them."""
    switched = (events.row != NO_ROW) & (events.kind <= _OUT_PREEMPTED)
    moved = events.time_ns.copy()
    moved[switched] = times[events.row[switched]]
    if len(moved):  # not before the previous event of the thread, such as its wake-up
        same = events.thread[1:] == events.thread[:-1]
        np.maximum(moved[1:], moved[:-1], out=moved[1:], where=same)
    return replace(events, time_ns=moved)


def _sorted_by_thread(events: _Events, threads: int) -> _Events:
    order = np.argsort(events.time_ns, kind="stable")
    thread = events.thread[order]
    if threads <= 2**16:
        thread = thread.astype(np.uint16)  # sorted by radix
    order = order[np.argsort(thread, kind="stable")]
    return events.take(order)


def _with_first_states(events: _Events, records: WaitRecords) -> _Events:
    """Return the events with the state of every thread at the beginning of the recording."""
    first = _first_kinds(events, records)
    threads = np.flatnonzero(first != _FIRST_ABSENT).astype(np.uint32)
    count = len(threads)
    places = np.searchsorted(events.thread, threads, side="left")
    return _Events(
        np.insert(events.time_ns, places, np.full(count, records.begin_ns, np.uint64)),
        np.insert(events.thread, places, threads),
        np.insert(events.kind, places, first[threads]),
        np.insert(events.row, places, np.full(count, NO_ROW, np.uint32)),
        np.insert(events.cpu, places, np.full(count, -1, np.int32)),
    )


def _first_kinds(events: _Events, records: WaitRecords) -> Codes:
    """Return the pseudo event with which each thread begins, (n_threads,).

    The first record of a thread decides; without one, or with an ambiguous one, the first reading.
    """
    count = len(records.threads)
    kinds = np.full(count, _FIRST_ABSENT, np.uint8)
    for reading in reversed(records.readings):  # the earliest reading last
        if reading.thread < count and reading.state not in ("", "X", "Z"):
            waiting = reading.state != "R"
            kinds[reading.thread] = _FIRST_WAITING if waiting else _FIRST_RUNNING
    seen, place = np.unique(events.thread, return_index=True)
    event = events.kind[place]
    by_reading = kinds[seen]
    unread = by_reading == _FIRST_ABSENT
    before_in = np.where(unread, _FIRST_UNKNOWN, by_reading)
    running = by_reading == _FIRST_RUNNING
    before_in[running] = _FIRST_QUEUED
    decided = np.select(
        [event == _START, event == _IN, event == _WAKE, event == _EXIT],
        [
            np.full(len(seen), _FIRST_ABSENT),
            before_in,
            # If records were lost, the switch-out before the wake-up may be among them.
            np.where(running & bool(records.lost), _FIRST_RUNNING, _FIRST_WAITING),
            np.where(unread, _FIRST_UNKNOWN, _FIRST_RUNNING),
        ],
        _FIRST_RUNNING,  # a thread that leaves a CPU has run
    )
    kinds[seen] = decided
    targets = np.array([thread.target for thread in records.threads], np.bool_)
    kinds[~targets] = _FIRST_ABSENT
    return kinds


def _without_ineffective(events: _Events, lost: tuple[LostRecords, ...]) -> _Events:
    """Return the events that change a state.

    A wake-up of a thread that does not wait has no effect, except shortly before its switch-out,
    or if its switch-out may be among lost records.
    Events of a thread that has exited are those of its last moments.
    """
    events = _with_early_wake_ups(events)
    count = len(events.kind)
    if not count:
        return events
    before = np.empty(count, np.uint8)
    before[0] = _FIRST_ABSENT
    before[1:] = events.kind[:-1]
    wakes = events.kind == _WAKE
    sleeps = (before == _OUT_ASLEEP) | (before == _FIRST_WAITING) | (before == _FIRST_UNKNOWN)
    is_change = ~wakes | sleeps
    if lost:
        begins = np.sort(np.array([record.begin_ns for record in lost], np.uint64))
        passed = np.searchsorted(begins, events.time_ns)
        is_change[1:] |= passed[1:] > passed[:-1]
    events = events.take(is_change) if not is_change.all() else events
    return _without_dead(events)


def _with_early_wake_ups(events: _Events) -> _Events:
    """Return the events with a wake-up just before a switch-out moved behind it."""
    if len(events.kind) < 3:
        return events
    wake, out, following = events.kind[:-2], events.kind[1:-1], events.kind[2:]
    early = (wake == _WAKE) & (out == _OUT_ASLEEP) & (following == _IN)
    early &= events.thread[:-2] == events.thread[2:]
    early &= events.time_ns[1:-1] - events.time_ns[:-2] <= EARLY_WAKE_UP_NS
    places = np.flatnonzero(early)
    if not len(places):
        return events
    order = np.arange(len(events.kind))
    order[places], order[places + 1] = places + 1, places
    moved = events.take(order)
    moved.time_ns[places + 1] = moved.time_ns[places]
    return moved


def _without_dead(events: _Events) -> _Events:
    """Return the events without those after an exit and before the next start of the thread."""
    exits = events.kind == _EXIT
    if not exits.any():
        return events
    place = np.arange(len(events.kind))
    last_exit = np.maximum.accumulate(np.where(exits, place, -1))
    last_birth = np.maximum.accumulate(
        np.where((events.kind == _START) | (events.kind >= _FIRST_RUNNING), place, -1)
    )
    dead = (last_exit > last_birth) & (last_exit < place)
    dead &= events.thread == events.thread[np.maximum(last_exit, 0)]
    return events.take(~dead)


def _between(events: _Events, records: WaitRecords) -> StateParts:
    """Return the intervals between the events; those without length are left out."""
    count = len(events.kind)
    end = np.full(count, records.end_ns, np.uint64)
    same = np.zeros(count, np.bool_)
    if count:
        same[:-1] = events.thread[1:] == events.thread[:-1]
        np.copyto(end[:-1], events.time_ns[1:], where=same[:-1])
    state = _STATE_AFTER[events.kind]
    next_kind = np.full(count, _EXIT, np.uint8)
    next_kind[:-1] = events.kind[1:]
    after = _before_next(state, next_kind, ~same, events.thread, records)
    has_time = (state != _ABSENT) & (end > events.time_ns)
    end = end[has_time]
    wake_up = np.full(count, NO_ROW, np.uint32)
    np.copyto(wake_up[:-1], events.row[1:], where=(same & (next_kind == _WAKE))[:-1])
    wake_up = wake_up[has_time]
    state, kind = state[has_time], events.kind[has_time]
    begin_row, cpu = events.row[has_time], events.cpu[has_time]
    begin_row[kind == _WAKE] = NO_ROW
    cpu[state != ThreadState.USER] = -1
    return StateParts(
        events.thread[has_time],
        events.time_ns[has_time],
        end,
        state,
        begin_row,
        wake_up,
        cpu,
        after[has_time],
    )


def _before_next(
    state: Codes,
    next_kind: Codes,
    last: npt.NDArray[np.bool_],
    thread: Indices,
    records: WaitRecords,
) -> Codes:
    """Return the state just before the next record, as that record shows; else as read at the end.

    Without wake-up records, a thread that comes to a CPU may have waited or been in the run queue.
    """
    after = _STATE_BEFORE[next_kind]
    if records.wake_ups is None:
        comes = next_kind == _IN
        off_cpu = (state == ThreadState.OTHER) | (state == ThreadState.RUN_QUEUE)
        after = np.where(comes, np.where(off_cpu, state, ThreadState.UNKNOWN), after)
    final = np.full(len(records.threads), ThreadState.UNKNOWN, np.uint8)
    for reading in sorted(records.readings, key=lambda reading: reading.at_ns):
        if reading.thread < len(final):
            final[reading.thread] = _STATE_OF_LETTER.get(reading.state, ThreadState.UNKNOWN)
    return np.where(last, final[thread], after).astype(np.uint8)


def _unmoved(records: WaitRecords) -> npt.NDArray[np.bool_]:
    """Return whether each thread did not run between its first and last reading, by schedstat."""
    run: dict[int, set[int]] = {}
    for reading in records.readings:
        if reading.run_ns is not None:
            run.setdefault(reading.thread, set()).add(reading.run_ns)
    counts = Counter(reading.thread for reading in records.readings)
    result = np.zeros(len(records.threads), np.bool_)
    for thread, values in run.items():
        if thread < len(result):
            result[thread] = len(values) == 1 and counts[thread] > 1
    return result


def _samples_of(parts: StateParts, records: WaitRecords) -> Indices:
    """Return the row of the switch sample with which each interval began, or NO_ROW.

    The kernel takes the sample just before it writes the record of the switch-out, so a sample
    belongs to the first switch-out of its thread that follows it. The tracepoint sched_switch,
    which windows record instead, is before the sample: a switch-out shortly before a sample has it,
    if the next one is farther away.
    """
    samples = records.switch_samples
    row = np.full(len(parts.thread), NO_ROW, np.uint32)
    off_cpu = (parts.state == ThreadState.OTHER) | (parts.state == ThreadState.RUN_QUEUE)
    outs = np.flatnonzero(off_cpu & (parts.begin_row != NO_ROW))
    if not len(samples.time_ns) or not len(outs):
        return row
    out_keys = _keys(parts.thread[outs], parts.begin_ns[outs], records)
    sample_keys = _keys(samples.thread, samples.time_ns, records)
    place = np.searchsorted(out_keys, sample_keys, side="left")
    place[_nearer_to_previous(out_keys, sample_keys, place)] -= 1
    order = np.flatnonzero(place < len(outs))
    target = outs[place[order]]
    same = parts.thread[target] == samples.thread[order]
    same &= samples.time_ns[order] >= records.begin_ns
    row[target[same]] = order[same].astype(np.uint32)  # the last of several stays
    return row


def _nearer_to_previous(
    out_keys: npt.NDArray[np.uint64],
    sample_keys: npt.NDArray[np.uint64],
    place: npt.NDArray[np.intp],
) -> npt.NDArray[np.bool_]:
    """Return whether a sample is nearer to the switch-out before it than to that at ``place``."""
    since = sample_keys - out_keys[np.maximum(place - 1, 0)]
    until = out_keys[np.minimum(place, len(out_keys) - 1)] - sample_keys
    until[place == len(out_keys)] = np.iinfo(np.uint64).max
    return np.asarray((place > 0) & (since <= np.uint64(MAX_GAP_NS)) & (since < until))


def _keys(thread: Indices, time_ns: Times, records: WaitRecords) -> npt.NDArray[np.uint64]:
    """Return numbers that sort by thread, then by time; of a coarser time if they need 64 bits."""
    time_bits = max(1, (records.end_ns - records.begin_ns).bit_length())
    thread_bits = max(1, len(records.threads).bit_length())
    dropped = max(0, time_bits + thread_bits - 64)
    limited = np.clip(time_ns, records.begin_ns, records.end_ns) - np.uint64(records.begin_ns)
    shift = np.uint64(time_bits - dropped)
    return (thread.astype(np.uint64) << shift) | (limited >> np.uint64(dropped))
