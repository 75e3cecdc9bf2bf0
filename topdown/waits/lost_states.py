"""States of threads around lost records.

While records are lost, a thread may change its state unseen. The first record after them shows the
state before it: a thread that wakes has waited, one that leaves a CPU has run. So the state is
unknown from the beginning of the loss to its end, and if no record follows, to the end. If less
than two records were lost and the state before and after is the same, nothing can have happened
between: a change and the change back are two records.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from topdown.waits.records import NO_ROW, Codes, Indices, LostRecords, Times
from topdown.waits.states import ThreadState

_HIDDEN_CHANGES = 2  # a thread changes its state and changes it back


@dataclass(frozen=True, slots=True)
class StateParts:
    """Intervals of threads, sorted by thread and time, with what ends them.

    ``begin_row``: the switch that began it, or NO_ROW; ``wake_up``: the wake-up that ended it, or
    NO_ROW. ``cpu``: -1 unless the thread runs. ``after``: state just before the next record, as
    that record shows, or UNKNOWN.
    """

    thread: Indices
    begin_ns: Times
    end_ns: Times
    state: Codes
    begin_row: Indices
    wake_up: Indices
    cpu: npt.NDArray[np.int32]
    after: Codes

    def take(self, selection: npt.NDArray[np.generic]) -> "StateParts":
        """Return the selected intervals."""
        return StateParts(*(getattr(self, field.name)[selection] for field in fields(self)))


def with_unknown_states(
    parts: StateParts, lost: Sequence[LostRecords], unmoved: npt.NDArray[np.bool_]
) -> StateParts:
    """Return the intervals with unknown states around lost records.

    ``unmoved`` (n_threads,): threads that did not run at all, by schedstat, and so lost nothing. A
    thread that runs on another CPU than that of the full ring lost nothing either.
    """
    if not lost or not len(parts.thread):
        return parts
    count = np.zeros(len(parts.thread), np.int64)
    begin = parts.end_ns.copy()
    end = parts.begin_ns.copy()
    for cpu in sorted({record.cpu for record in lost}):
        starts, ends, numbers = _periods([record for record in lost if record.cpu == cpu])
        first = np.searchsorted(ends, parts.begin_ns, side="right")
        last = np.searchsorted(starts, parts.end_ns, side="left")
        inside = (first < last) & ~unmoved[parts.thread]
        if cpu != -1:
            inside &= (parts.cpu == -1) | (parts.cpu == cpu)
        rows = np.flatnonzero(inside)
        total = np.append(0, np.cumsum(numbers))
        count[rows] += total[last[rows]] - total[first[rows]]
        begin[rows] = np.minimum(begin[rows], starts[first[rows]])
        end[rows] = np.maximum(end[rows], ends[last[rows] - 1])
    unchanged = (parts.after == parts.state) & (count < _HIDDEN_CHANGES)
    affected = np.flatnonzero((count > 0) & ~unchanged)
    return _divided(parts, affected, begin[affected], end[affected])


def _periods(
    lost: Sequence[LostRecords],
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64], npt.NDArray[np.int64]]:
    """Return begin, end and number of records of periods without overlaps, in time order."""
    periods: list[list[int]] = []
    for record in sorted(lost, key=lambda record: record.begin_ns):
        end = max(record.end_ns, record.begin_ns + 1)
        number = record.records or _HIDDEN_CHANGES  # 0: it is not known how many
        if periods and record.begin_ns <= periods[-1][1]:
            periods[-1][1] = max(periods[-1][1], end)
            periods[-1][2] += number
        else:
            periods.append([record.begin_ns, end, number])
    columns = list(zip(*periods, strict=True))
    return (
        np.array(columns[0], np.uint64),
        np.array(columns[1], np.uint64),
        np.array(columns[2], np.int64),
    )


def _divided(
    parts: StateParts,
    affected: npt.NDArray[np.intp],
    begin: npt.NDArray[np.uint64],
    end: npt.NDArray[np.uint64],
) -> StateParts:
    """Return the intervals with ``affected`` ones divided: before, during and after a loss."""
    whole = parts.take(affected)
    begin = np.clip(begin, whole.begin_ns, whole.end_ns)
    end = np.clip(end, begin, whole.end_ns)
    none = np.full(len(affected), NO_ROW, np.uint32)
    stopped = np.full(len(affected), -1, np.int32)
    unknown = np.full(len(affected), ThreadState.UNKNOWN, np.uint8)
    before = StateParts(
        whole.thread,
        whole.begin_ns,
        begin,
        whole.state,
        whole.begin_row,
        none,
        whole.cpu,
        whole.state,
    )
    during = StateParts(whole.thread, begin, end, unknown, none, none, stopped, unknown)
    after = StateParts(
        whole.thread, end, whole.end_ns, whole.after, none, whole.wake_up, stopped, whole.after
    )
    is_kept = np.ones(len(parts.thread), np.bool_)
    is_kept[affected] = False
    blocks = (parts.take(is_kept), before, during, after)
    joined = StateParts(
        *(
            np.concatenate([getattr(block, field.name) for block in blocks])
            for field in fields(StateParts)
        )
    )
    place = np.concatenate([np.flatnonzero(is_kept) * 3, *(affected * 3 + n for n in range(3))])
    order = np.argsort(place, kind="stable")
    order = order[joined.end_ns[order] > joined.begin_ns[order]]
    return joined.take(order)
