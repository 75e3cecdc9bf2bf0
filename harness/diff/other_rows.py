"""Rows of recordings without a profile: thread states, slots and counters, latencies."""

import numpy as np

from harness.diff.rows import RowKey, RowSums
from harness.diff.text import IPC_UNIT
from stallscope.errors import RecordingError
from stallscope.histograms import Histogram, IntervalLog
from stallscope.quantities import value_text
from stallscope.recordings import Recording
from stallscope.statistics.block_shares import BLOCKS

_BANDS_NS = tuple(
    step * 10**power for power in range(2, 11) for step in (1, 2, 5)
)  # 100 ns to 50 s
_NS = 1e9


def state_rows(recording: Recording) -> RowSums:
    """Return the states of all threads, and those of each thread group, by time."""
    from harness.waits.analysis import analyze_waits  # noqa: PLC0415 - of one kind only
    from topdown.waits.states import ThreadState  # noqa: PLC0415

    analysis = analyze_waits(recording)
    intervals = analysis.kinds.intervals
    begin, end = analysis.extent_ns
    edges = np.linspace(begin, end, BLOCKS + 1)
    group_of = np.full(len(analysis.records.threads), -1)
    for number, group in enumerate(analysis.groups):
        group_of[list(group.threads)] = number
    states = len(ThreadState)
    parts = np.zeros((len(analysis.groups) + 1, states, BLOCKS))
    starts, ends = intervals.begin_ns.astype(float), intervals.end_ns.astype(float)
    row = group_of[intervals.thread]
    for block in range(BLOCKS):
        inside = np.minimum(ends, edges[block + 1]) - np.maximum(starts, edges[block])
        used = (inside > 0) & (row >= 0)
        codes = intervals.state[used].astype(int)
        np.add.at(parts[:, :, block], (row[used] + 1, codes), inside[used])
        np.add.at(parts[0, :, block], codes, inside[used])
    names = ["", *(f"{group.name}: " for group in analysis.groups)]
    keys = [RowKey(name + ThreadState(code).key) for name in names for code in range(states)]
    flat = parts.reshape(-1, BLOCKS)
    # A single group has the states of all threads.
    shown = [
        place
        for place in range(len(keys))
        if flat[place].any() and (place < states or len(analysis.groups) > 1)
    ]
    return RowSums(
        tuple(keys[place] for place in shown),
        flat[shown],
        None,
        parts[0].sum(axis=0),
        None,
        "state",
        (end - begin) / _NS,
        1 / _NS,
    )


def slot_rows(recording: Recording) -> RowSums:
    """Return slots, other nodes and IPC of a recording of counters, by interval."""
    from harness.topdown.report import recorded_measurement  # noqa: PLC0415 - of one kind only
    from harness.topdown.result import topdown_result  # noqa: PLC0415

    result = topdown_result(recorded_measurement(recording.path))
    if len(result.intervals) < 4:
        raise RecordingError(
            f"{recording.path} has {len(result.intervals)} intervals; its noise needs at least 4",
            "record for longer",
        )
    seconds = np.array([part.end_s - part.start_s for part in result.intervals])
    keys, rows = [], []
    for name, node in result.nodes.items():
        values = [
            part.nodes[name].value if name in part.nodes else None for part in result.intervals
        ]
        known = [node.value if value is None else value for value in values]
        if node.value is not None and None not in known:
            keys.append(RowKey(name, node.unit))
            rows.append(np.array(known, dtype=float) / result.whole * seconds)
    ratios = [part.ipc.value if part.ipc is not None else None for part in result.intervals]
    if None not in ratios:
        keys.append(RowKey("IPC", IPC_UNIT))
        rows.append(np.array(ratios, dtype=float) * seconds)
    if not keys:
        raise RecordingError(f"{recording.path} has no value in every interval", "record longer")
    return RowSums(tuple(keys), np.stack(rows), None, seconds, None, "slot", float(seconds.sum()))


def latency_rows(recording: Recording) -> RowSums:
    """Return the share of requests in each band of latency, by interval of the log."""
    from harness.load.recording import read_load  # noqa: PLC0415 - of one kind only

    log = read_load(recording.path).logs["latency"]
    return band_rows(log, str(recording.path))


def band_rows(log: IntervalLog, title: str) -> RowSums:
    """Return the bands of a log of latencies."""
    if len(log.intervals) < 4:
        raise RecordingError(
            f"{title} has {len(log.intervals)} intervals; its noise needs at least 4",
            "run the load for longer",
        )
    counts = np.stack([_bands(interval.histogram) for interval in log.intervals], axis=1)
    if not counts.any():
        raise RecordingError(f"{title} has no completed request", "run the load for longer")
    names = [f"up to {value_text(limit, 'ns')}" for limit in _BANDS_NS]
    names.append(f"above {value_text(_BANDS_NS[-1], 'ns')}")
    used = np.flatnonzero(counts.any(axis=1))
    return RowSums(
        tuple(RowKey(names[place]) for place in used.tolist()),
        counts[used],
        None,
        counts.sum(axis=0),
        int(counts.sum()),
        "latency band",
    )


def _bands(histogram: Histogram) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    counts = np.zeros(len(_BANDS_NS) + 1)
    indices = np.flatnonzero(histogram.counts)
    _, upper = histogram.geometry.bounds(indices)
    np.add.at(counts, np.searchsorted(_BANDS_NS, upper), histogram.counts[indices])
    return counts
