"""Records in blocks of threads, so that the analysis of many records needs little memory."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from topdown.waits.records import (
    NO_ROW,
    Indices,
    Switches,
    SwitchSamples,
    TaskEvents,
    WaitRecords,
    WakeUps,
)
from topdown.waits.states import Intervals

BLOCK_EVENTS = 1_000_000
_Rows = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class ThreadBlock:
    """Records of some threads; thread numbers are those of all records.

    ``switches``, ``wake_ups``, ``samples``: the rows of the block's records in all records.
    """

    records: WaitRecords
    switches: _Rows
    wake_ups: _Rows
    samples: _Rows


def thread_blocks(records: WaitRecords, block_events: int = BLOCK_EVENTS) -> Iterator[ThreadBlock]:
    """Yield the records in blocks of neighbouring threads, in order."""
    count = len(records.threads)
    number = np.bincount(_known(records.switches.thread, count), minlength=count)
    if records.wake_ups is not None:
        number += np.bincount(_known(records.wake_ups.wakee, count), minlength=count)
    block_of = np.cumsum(number) // block_events  # a busy thread ends its block
    for block in np.unique(block_of).tolist():
        threads = np.flatnonzero(block_of == block)
        yield _block(records, int(threads[0]), int(threads[-1]) + 1)


def _known(thread: Indices, count: int) -> Indices:
    return thread if not len(thread) or thread.max() < count else thread[thread < count]


def _block(records: WaitRecords, first: int, end: int) -> ThreadBlock:
    switches, wakes = records.switches, records.wake_ups
    samples, tasks = records.switch_samples, records.tasks
    switch_rows = _inside(switches.thread, first, end)
    wake_rows = np.zeros(0, np.intp) if wakes is None else _inside(wakes.wakee, first, end)
    sample_rows = _inside(samples.thread, first, end)
    task_rows = _inside(tasks.thread, first, end)
    part = replace(
        records,
        switches=Switches(
            switches.time_ns[switch_rows],
            switches.thread[switch_rows],
            switches.cpu[switch_rows],
            switches.kind[switch_rows],
            switches.other[switch_rows],
        ),
        switch_samples=SwitchSamples(
            samples.time_ns[sample_rows],
            samples.thread[sample_rows],
            samples.stack[sample_rows],
            samples.register_row[sample_rows],
            samples.registers,
        ),
        wake_ups=wakes
        and WakeUps(
            wakes.time_ns[wake_rows],
            wakes.wakee[wake_rows],
            wakes.waker[wake_rows],
            wakes.cpu[wake_rows],
            wakes.context[wake_rows],
            wakes.stack[wake_rows],
        ),
        tasks=TaskEvents(tasks.time_ns[task_rows], tasks.thread[task_rows], tasks.kind[task_rows]),
        readings=tuple(row for row in records.readings if first <= row.thread < end),
    )
    return ThreadBlock(part, switch_rows, wake_rows, sample_rows)


def _inside(thread: Indices, first: int, end: int) -> _Rows:
    return np.flatnonzero((thread >= first) & (thread < end))


def rows_in_all(rows: Indices, of_block: _Rows) -> Indices:
    """Return rows of a block as rows of all records; NO_ROW stays."""
    result = np.full(len(rows), NO_ROW, np.uint32)
    has_row = rows != NO_ROW
    result[has_row] = of_block[rows[has_row]]
    return result


class IntervalColumns:
    """Collects the intervals of blocks in place: parts and their sum never exist together.

    ``capacity`` is reserved, and memory is used only for the intervals that are appended.
    """

    def __init__(self, capacity: int) -> None:
        """Reserve room for a number of intervals."""
        self._columns = {name: np.empty(capacity, kind) for name, kind in _COLUMN_TYPES.items()}
        self._capacity, self._count = capacity, 0

    def append(self, intervals: Intervals) -> None:
        """Append the intervals of further threads."""
        end = self._count + len(intervals.thread)
        if end > self._capacity:  # intervals that lost records divide
            self._capacity = end + end // 4
            for name, column in self._columns.items():
                self._columns[name] = np.resize(column, self._capacity)
        for name, column in self._columns.items():
            column[self._count : end] = getattr(intervals, name)
        self._count = end

    def intervals(self) -> Intervals:
        """Return the appended intervals."""
        return Intervals(**{name: col[: self._count] for name, col in self._columns.items()})


_COLUMN_TYPES = {
    "thread": np.uint32,
    "begin_ns": np.uint64,
    "end_ns": np.uint64,
    "state": np.uint8,
    "sample": np.uint32,
    "wake_up": np.uint32,
}
