"""What was counted between samples: differences of the counts that samples hold of their group.

The kernel puts cumulative counts of a group's events into each sample (PERF_SAMPLE_READ). Between
two samples of one counter their difference is what was counted there; it is given to the function
in which the second sample stood, as periods are. Where samples were lost, a difference over several
periods may hold them, and belongs to no one function: it is left out and told. Without losses it
only says that the timer was late, or that what ran meanwhile is not sampled (the kernel).
Where the kernel throttled, it stopped the sampled event until the next tick, and before Linux 6.16
that event alone: its count is one period as always, and the others' counts are too large for it.
"""

from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt

from topdown.stacks.captures.events import first_equal_attributes
from topdown.stacks.sample_counts import ExcludedSamples, SampleCounts

if TYPE_CHECKING:
    from stallscope._native import Capture

# A timer may come late and a counter skid; what is longer than this may have held another sample.
LONGEST_INTERVAL_PERIODS = 3.0
LEAST_RUNNING_SHARE = 0.98
_NO_READING = np.uint32(0xFFFF_FFFF)
_Reals = npt.NDArray[np.float64]
_Places = npt.NDArray[np.intp]
_Scalar = TypeVar("_Scalar", bound=np.generic)


def count_samples(
    capture: "Capture", rows: _Places, node: npt.NDArray[np.int32]
) -> SampleCounts | None:
    """Return what was counted with the samples at ``rows`` of one event; None where nothing was."""
    if len(capture.read) == 0 or len(rows) == 0:
        return None
    layout = _layout(capture, rows)
    if layout is None:
        return None
    there, values, events, sampled = layout
    read = capture.read[rows[there]]
    streams = _streams(capture, rows[there], values[:, sampled])
    before = _previous(streams)
    delta, went_back = _differences(values, before)
    period = capture.period[rows[there]].astype(np.float64)
    long = delta[:, sampled] > LONGEST_INTERVAL_PERIODS * np.maximum(period, 1.0)
    lossy = bool(capture.lost_records or capture.lost_samples or capture.throttles)
    first = (before < 0) & long
    paused = capture.read_paused[read] != 0
    gap = (long if lossy else first) | paused
    used = ~gap & ~went_back
    scale, running = _scaling(capture, read, streams, capture.thread[rows[there]])
    in_gaps = delta[~used & ~went_back, sampled].sum()
    whole = delta[~went_back, sampled].sum()
    count = len(rows)
    return SampleCounts(
        events=events,
        sampled=sampled,
        delta=_placed(
            np.where(used[:, None], delta * scale[:, None], 0.0),
            there,
            np.zeros((count, len(events))),
        ),
        used=_placed(used, there, np.zeros(count, np.bool_)),
        before=_placed(np.where(before < 0, -1, there[before]), there, np.full(count, -1, np.intp)),
        node=node,
        left_out=ExcludedSamples(
            unread=count - len(there),
            first=int(np.count_nonzero(first)),
            gap=int(np.count_nonzero(gap & ~first)),
            reset=int(np.count_nonzero(went_back)),
        ),
        running=running,
        gap_share=float(in_gaps / whole) if whole > 0 else 0.0,
    )


def _placed(
    values: npt.NDArray[_Scalar], there: _Places, empty: npt.NDArray[_Scalar]
) -> npt.NDArray[_Scalar]:
    """Return ``empty``, one for each sample, with values at their samples."""
    empty[there] = values
    return empty


def _layout(
    capture: "Capture", rows: _Places
) -> tuple[_Places, npt.NDArray[np.uint64], tuple[str, ...], int] | None:
    """Return the samples that hold the whole group, values (n, n_events), names, the sampled one.

    The group is that of the reading with most values: members are opened one after the other.
    """
    read = capture.read[rows]
    there = np.flatnonzero(read != _NO_READING)
    if not len(there):
        return None
    at = capture.read_offset[read[there]].astype(np.intp)
    sizes = capture.read_offset[read[there].astype(np.intp) + 1] - capture.read_offset[read[there]]
    size = int(sizes.max())
    there, at = there[sizes == size], at[sizes == size]
    places = at[:, None] + np.arange(size)
    first_equal = np.append(first_equal_attributes(capture.attributes), -1)
    unknown = len(capture.attributes)
    events = first_equal[np.minimum(capture.read_event[places], unknown)]
    same = (events == events[0]).all(axis=1)
    there, places, group = there[same], places[same], events[0]
    known = np.flatnonzero(group >= 0)
    own = first_equal[capture.event[rows[0]]]
    if own not in group:
        return None
    names = tuple(capture.attributes[number].name for number in group[known].tolist())
    sampled = int(np.flatnonzero(group[known] == own)[0])
    return there, capture.read_value[places[:, known]], names, sampled


def _streams(
    capture: "Capture", rows: _Places, values: npt.NDArray[np.uint64]
) -> npt.NDArray[np.int64]:
    """Return the number of the counters, (n,), whose values each sample holds.

    Inherited events keep the id of the one they come from, and count each thread for itself: then
    the values of an id go backwards from thread to thread.
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


def _previous(key: npt.NDArray[np.int64]) -> _Places:
    """Return the place of the last one before with the same key, (n,); -1 where there is none."""
    order = np.argsort(key, kind="stable")
    before = np.full(len(key), -1, np.intp)
    same = key[order][1:] == key[order][:-1]
    before[order[1:][same]] = order[:-1][same]
    return before


def _differences(
    values: npt.NDArray[np.uint64], before: _Places
) -> tuple[_Reals, npt.NDArray[np.bool_]]:
    """Return what was counted since the sample before, and where counts went backwards.

    Counters begin at 0 when they are opened: a first value is a difference, too.
    """
    base = np.where((before >= 0)[:, None], values[before], np.uint64(0))
    went_back: npt.NDArray[np.bool_] = np.any(values < base, axis=1)
    delta = np.where(went_back[:, None], np.uint64(0), values - base)
    return delta.astype(np.float64), went_back


def _scaling(
    capture: "Capture",
    read: npt.NDArray[np.uint32],
    streams: npt.NDArray[np.int64],
    thread: npt.NDArray[np.uint32],
) -> tuple[_Reals, float]:
    """Return the factor of each sample, (n,), and the least share that a group was counted for.

    A thread's events are opened on each CPU: all are enabled while it runs, and one is running.
    Events of whole CPUs have samples of several threads, and times of their own.
    """
    last = np.zeros(int(streams.max()) + 1, np.intp)
    last[streams] = np.arange(len(streams))  # rows ascend in time: the last one stays
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
