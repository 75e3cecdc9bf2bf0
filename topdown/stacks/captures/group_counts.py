"""Counts between samples: differences of the cumulative counts of an event group.

The kernel writes cumulative counts of a group's events into each sample (PERF_SAMPLE_READ). The
difference between two samples of one counter is assigned to the function of the second sample, as
periods are. If samples were lost, a difference over several periods may include them and belongs to
no single function: it is excluded and reported. Without losses such a difference means only that
the timer was late, or that the code that ran is not sampled (the kernel).
If the kernel throttled, it stopped the sampled event until the next tick, and before Linux 6.16
only that event: its count is one period as usual, and the counts of the others are too large.
"""

from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from topdown.stacks.captures.events import first_equal_attributes
from topdown.stacks.sample_counts import ExcludedSamples, SampleCounts

if TYPE_CHECKING:
    from stallscope._native import Capture

# Timers may be late and counters skid; a longer interval may include a lost sample.
LONGEST_INTERVAL_PERIODS = 3.0
LEAST_RUNNING_SHARE = 0.98
_NO_READING = np.uint32(0xFFFF_FFFF)
_Reals = npt.NDArray[np.float64]
_Indexes = npt.NDArray[np.intp]
_Scalar = TypeVar("_Scalar", bound=np.generic)


def count_samples(
    capture: "Capture", rows: _Indexes, node: npt.NDArray[np.int32]
) -> SampleCounts | None:
    """Return the counts of the samples at ``rows`` of one event; None if the group was not read."""
    if len(capture.read) == 0 or len(rows) == 0:
        return None
    readings = _group_readings(capture, rows)
    if readings is None:
        return None
    present, values, events, sampled = readings
    read = capture.read[rows[present]]
    streams = _streams(capture, rows[present], values[:, sampled])
    before = _previous(streams)
    delta, is_reset = _differences(values, before)
    period = capture.period[rows[present]].astype(np.float64)
    long = delta[:, sampled] > LONGEST_INTERVAL_PERIODS * np.maximum(period, 1.0)
    lossy = bool(capture.lost_records or capture.lost_samples or capture.throttles)
    first = (before < 0) & long
    paused = capture.read_paused[read] != 0
    gap = (long if lossy else first) | paused
    used = ~gap & ~is_reset
    scale, running = _scaling(capture, read, streams, capture.thread[rows[present]])
    in_gaps = delta[~used & ~is_reset, sampled].sum()
    whole = delta[~is_reset, sampled].sum()
    count = len(rows)
    return SampleCounts(
        events=events,
        sampled=sampled,
        delta=_scattered(
            np.where(used[:, None], delta * scale[:, None], 0.0),
            present,
            np.zeros((count, len(events))),
        ),
        used=_scattered(used, present, np.zeros(count, np.bool_)),
        before=_scattered(
            np.where(before < 0, -1, present[before]), present, np.full(count, -1, np.intp)
        ),
        node=node,
        left_out=ExcludedSamples(
            unread=count - len(present),
            first=int(np.count_nonzero(first)),
            gap=int(np.count_nonzero(gap & ~first)),
            reset=int(np.count_nonzero(is_reset)),
        ),
        running=running,
        gap_share=float(in_gaps / whole) if whole > 0 else 0.0,
    )


def _scattered(
    values: npt.NDArray[_Scalar], present: _Indexes, empty: npt.NDArray[_Scalar]
) -> npt.NDArray[_Scalar]:
    """Return ``empty``, which has a row per sample, with the values at their samples."""
    empty[present] = values
    return empty


class _GroupReadings(NamedTuple):
    """Readings of the whole group: indices of their samples, ``values`` (n, n_events), event names.

    ``sampled`` is the column of the sampled event.
    """

    present: _Indexes
    values: npt.NDArray[np.uint64]
    events: tuple[str, ...]
    sampled: int


def _group_readings(capture: "Capture", rows: _Indexes) -> _GroupReadings | None:
    """Return the readings with all events of the group; None if the sampled event is not in it.

    The group is that of the reading with most values, because members are opened one by one.
    """
    read = capture.read[rows]
    present = np.flatnonzero(read != _NO_READING)
    if not len(present):
        return None
    at = capture.read_offset[read[present]].astype(np.intp)
    sizes = (
        capture.read_offset[read[present].astype(np.intp) + 1] - capture.read_offset[read[present]]
    )
    size = int(sizes.max())
    present, at = present[sizes == size], at[sizes == size]
    indexes = at[:, None] + np.arange(size)
    first_equal = np.append(first_equal_attributes(capture.attributes), -1)
    unknown = len(capture.attributes)
    events = first_equal[np.minimum(capture.read_event[indexes], unknown)]
    same = (events == events[0]).all(axis=1)
    present, indexes, group = present[same], indexes[same], events[0]
    grouped = np.flatnonzero(group >= 0)
    sampled_event = first_equal[capture.event[rows[0]]]
    if sampled_event not in group:
        return None
    names = tuple(capture.attributes[number].name for number in group[grouped].tolist())
    sampled = int(np.flatnonzero(group[grouped] == sampled_event)[0])
    return _GroupReadings(present, capture.read_value[indexes[:, grouped]], names, sampled)


def _streams(
    capture: "Capture", rows: _Indexes, values: npt.NDArray[np.uint64]
) -> npt.NDArray[np.int64]:
    """Return for each sample, (n,), the number of the counters that it read.

    Inherited events keep the id of their parent and count each thread separately: then the values
    of an id go backwards from one thread to the next.
    """
    stream = capture.read_stream[capture.read[rows]]
    _, ids = np.unique(stream, return_inverse=True)
    if not capture.attributes[int(capture.event[rows[0]])].inherit:
        return ids.astype(np.int64)
    before = _previous(ids)
    backwards = (before >= 0) & (values < values[before])
    by_thread = np.isin(ids, np.unique(ids[backwards]))
    thread = capture.thread[rows].astype(np.int64)
    key = ids.astype(np.int64) * (int(thread.max()) + 2) + np.where(by_thread, thread + 1, 0)
    return np.unique(key, return_inverse=True)[1].astype(np.int64)


def _previous(key: npt.NDArray[np.int64]) -> _Indexes:
    """Return the index of the previous element with the same key, (n,); -1 if there is none."""
    order = np.argsort(key, kind="stable")
    before = np.full(len(key), -1, np.intp)
    same = key[order][1:] == key[order][:-1]
    before[order[1:][same]] = order[:-1][same]
    return before


def _differences(
    values: npt.NDArray[np.uint64], before: _Indexes
) -> tuple[_Reals, npt.NDArray[np.bool_]]:
    """Return the counts since the previous sample, and which samples' counts went backwards.

    Counters start at 0 when they are opened: a first value is also a difference.
    """
    base = np.where((before >= 0)[:, None], values[before], np.uint64(0))
    is_reset: npt.NDArray[np.bool_] = np.any(values < base, axis=1)
    delta = np.where(is_reset[:, None], np.uint64(0), values - base)
    return delta.astype(np.float64), is_reset


def _scaling(
    capture: "Capture",
    read: npt.NDArray[np.uint32],
    streams: npt.NDArray[np.int64],
    thread: npt.NDArray[np.uint32],
) -> tuple[_Reals, float]:
    """Return the scale factor of each sample, (n,), and the smallest share of time counted.

    A thread's events are opened on each CPU: all are enabled while it runs, and one is running.
    Events of whole CPUs have samples of several threads and separate times.
    """
    last = np.zeros(int(streams.max()) + 1, np.intp)
    last[streams] = np.arange(len(streams))  # rows ascend in time, so the last row remains
    enabled = capture.read_enabled_ns[read[last]].astype(np.float64)
    running = capture.read_running_ns[read[last]].astype(np.float64)
    several = (np.bincount(streams, weights=thread != thread[last][streams]) > 0).any()
    owner = streams if several else thread.astype(np.int64)
    owners, owner_of = np.unique(owner, return_inverse=True)
    enabled_of, running_of = np.zeros(len(owners)), np.zeros(len(owners))
    np.maximum.at(enabled_of, owner_of[last], enabled)
    np.add.at(running_of, owner_of[last], running)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.minimum(running_of / enabled_of, 1.0)
    share = np.where(np.isfinite(share) & (share > 0), share, 1.0)
    factor = np.where(share < LEAST_RUNNING_SHARE, 1.0 / share, 1.0)
    return factor[owner_of], float(share.min(initial=1.0))
