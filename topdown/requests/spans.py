"""Requests and the spans of time in which threads work on them, from marks.

Between two marks of a request, either a thread works on it (a segment) or it is away: suspended,
for a reason that the program names. A thread may have several requests open at the same time; its
time then counts for all of them, because all of them pass it.
"""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from topdown.requests.marks import MarkAction, RequestMarks
from topdown.waits.records import NO_THREAD, TaskKind, WaitRecords

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Segments:
    """Spans in which a thread works on a request; arrays (n_segments,).

    ``thread``: index into the threads of the records, or NO_THREAD.
    """

    request: Rows
    thread: npt.NDArray[np.uint32]
    begin_ns: npt.NDArray[np.uint64]
    end_ns: npt.NDArray[np.uint64]

    def on_recorded_threads(self) -> "Segments":
        """Return the segments on threads that are in the recording."""
        rows = self.thread != NO_THREAD
        return Segments(
            self.request[rows], self.thread[rows], self.begin_ns[rows], self.end_ns[rows]
        )


@dataclass(frozen=True, slots=True)
class Pauses:
    """Spans in which a request is suspended; arrays (n_pauses,). ``name``: of the reason."""

    request: Rows
    duration_ns: Rows
    name: Rows


@dataclass(frozen=True, slots=True)
class MarkFaults:
    """Marks and requests that could not be used, or need a note."""

    unfinished: int = 0  # requests without an end
    begun_before: int = 0  # requests that began before the recording: marks without a begin
    stray: int = 0  # marks after the end of their request
    outside: int = 0  # requests that are not completely inside the recording
    overlapping: int = 0  # requests that share a thread with another one at the same time
    unknown_threads: int = 0  # segments on threads that are not in the recording


@dataclass(frozen=True, slots=True)
class Requests:
    """Complete requests in order of their begin; arrays (n_requests,).

    ``name``: index into ``names``, also used by the pauses.
    """

    identity: npt.NDArray[np.uint64]
    begin_ns: npt.NDArray[np.uint64]
    end_ns: npt.NDArray[np.uint64]
    name: Rows
    names: tuple[str, ...]
    segments: Segments
    pauses: Pauses
    faults: MarkFaults

    @property
    def wall_ns(self) -> Rows:
        """Return the time from begin to end."""
        return (self.end_ns - self.begin_ns).astype(np.int64)

    def __len__(self) -> int:
        """Return the number of requests."""
        return len(self.begin_ns)


def find_requests(marks: RequestMarks, records: WaitRecords) -> Requests:
    """Return the requests that begin and end inside the recording.

    Marks of trace_marker have no process; those of threads outside of the target are left out.
    """
    tids = [thread.tid for thread in records.threads if thread.target]
    marks = marks.take((marks.pid != 0) | np.isin(marks.tid, tids))
    order = np.lexsort((np.arange(len(marks)), marks.time_ns, marks.identity, marks.pid))
    time, action = marks.time_ns[order], marks.action[order]
    new_key = np.ones(len(order), np.bool_)
    new_key[1:] = (np.diff(marks.identity[order].astype(np.uint64)) != 0) | (
        np.diff(marks.pid[order].astype(np.int64)) != 0
    )
    begins = action == MarkAction.BEGIN
    start = begins | new_key  # the rows from a start to the next one are those of one request
    number = np.cumsum(start) - 1
    has_begin = begins[start]
    ends = np.flatnonzero((action == MarkAction.END) & has_begin[number])
    finished, first_end = np.unique(number[ends], return_index=True)
    end_row = np.full(len(has_begin), -1, np.int64)
    end_row[finished] = ends[first_end]
    begin_row = np.flatnonzero(start)
    complete = end_row >= 0
    inside = complete.copy()
    inside[complete] &= time[begin_row[complete]] >= records.begin_ns
    inside[complete] &= time[end_row[complete]] <= records.end_ns
    after_end = (end_row[number] >= 0) & (np.arange(len(order)) > end_row[number])
    inside_rows = np.flatnonzero(inside)
    inside_rows = inside_rows[np.argsort(time[begin_row[inside_rows]], kind="stable")]
    rank = np.full(len(has_begin), -1, np.int64)
    rank[inside_rows] = np.arange(len(inside_rows))
    rows = np.flatnonzero(inside[number] & ~after_end & (action != MarkAction.END))
    segments, pauses = _spans(marks, records, order[rows], rank[number[rows]], time[rows + 1])
    return Requests(
        identity=marks.identity[order][begin_row[inside_rows]],
        begin_ns=time[begin_row[inside_rows]],
        end_ns=time[end_row[inside_rows]],
        name=marks.name[order][begin_row[inside_rows]],
        names=marks.names,
        segments=segments,
        pauses=pauses,
        faults=MarkFaults(
            unfinished=int((has_begin & ~complete).sum()),
            begun_before=int((~has_begin).sum()),
            stray=int(after_end.sum()),
            outside=int((complete & ~inside).sum()),
            overlapping=_overlapping(segments),
            unknown_threads=int((segments.thread == NO_THREAD).sum()),
        ),
    )


def _spans(
    marks: RequestMarks,
    records: WaitRecords,
    rows: npt.NDArray[np.intp],
    request: Rows,
    end_ns: npt.NDArray[np.uint64],
) -> tuple[Segments, Pauses]:
    """Return the spans that begin at the marks ``rows`` and last until the next mark."""
    away = marks.action[rows] == MarkAction.SUSPEND
    begin_ns = marks.time_ns[rows]
    works = ~away & (end_ns > begin_ns)
    segments = Segments(
        request[works],
        _threads_at(records, marks.tid[rows[works]], begin_ns[works]),
        begin_ns[works],
        end_ns[works],
    )
    pauses = Pauses(
        request[away],
        (end_ns[away] - begin_ns[away]).astype(np.int64),
        marks.name[rows[away]],
    )
    return segments, pauses


def _threads_at(
    records: WaitRecords, tids: npt.NDArray[np.uint32], time_ns: npt.NDArray[np.uint64]
) -> npt.NDArray[np.uint32]:
    """Return the target's threads with these ids at these times; ids may be used again."""
    lives: dict[int, list[int]] = defaultdict(list)
    for row, thread in enumerate(records.threads):
        if thread.target:
            lives[thread.tid].append(row)
    starts: dict[int, int] = {}
    is_start = records.tasks.kind == TaskKind.START
    for row, at_ns in zip(
        records.tasks.thread[is_start].tolist(),
        records.tasks.time_ns[is_start].tolist(),
        strict=True,
    ):
        starts.setdefault(row, at_ns)
    unique, inverse = np.unique(tids, return_inverse=True)
    result = np.full(len(tids), NO_THREAD, np.uint32)
    inverse = inverse.reshape(-1)
    for place, tid in enumerate(unique.tolist()):
        rows = lives.get(tid, [])
        if len(rows) == 1:
            result[inverse == place] = rows[0]
        elif rows:
            rows = sorted(rows, key=lambda row: starts.get(row, 0))
            begins = np.array([starts.get(row, 0) for row in rows], np.uint64)
            of_tid = np.flatnonzero(inverse == place)
            life = np.searchsorted(begins, time_ns[of_tid], side="right") - 1
            result[of_tid] = np.array(rows, np.uint32)[np.maximum(life, 0)]
    return result


def _overlapping(segments: Segments) -> int:
    """Return the number of requests with a segment that begins within one of another request."""
    order = np.lexsort((segments.begin_ns, segments.thread))
    order = order[segments.thread[order] != NO_THREAD]
    thread, request = segments.thread[order], segments.request[order]
    if not len(order):
        return 0
    latest = segments.end_ns[order].astype(np.int64)
    base = thread.astype(np.int64) << 46  # the running maximum restarts with each thread
    begin = segments.begin_ns[order].astype(np.int64)
    origin = int(begin.min())
    highest = np.maximum.accumulate(base + (latest - origin))
    overlaps = np.zeros(len(order), np.bool_)
    overlaps[1:] = base[1:] + (begin[1:] - origin) < highest[:-1]
    return len(np.unique(request[overlaps]))
