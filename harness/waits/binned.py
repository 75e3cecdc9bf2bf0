"""Values of a page's cells by time, for selecting a period: series of a number per bin.

A bin is a period of the recording that was analyzed as such, so a selection of bins shows what
`--period` shows. The number of bins and of series is bounded.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from harness.waits.analysis import WaitAnalysis
from harness.waits.build import RecordingParts, waits_result
from harness.waits.period import within
from harness.waits.result import WaitsResult
from topdown.waits.idle_pools import idle_threads

BINS = 40
MAX_INTERVALS = 2_000_000  # more take too long to analyze by bin
MAX_THREADS = 2_000
MAX_SERIES = 20_000
_US = 1000
Key = tuple[Hashable, ...]


@dataclass(slots=True)
class BinnedValues:
    """Values by key and bin, and the series that the page uses.

    Times are in microseconds in the page. ``seconds``: length of a bin.
    """

    count: int
    seconds: float
    values: dict[Key, dict[int, int]] = field(default_factory=dict)
    series: list[list[int]] = field(default_factory=list)
    numbers: dict[Key, int] = field(default_factory=dict)

    def time(self, *key: Hashable) -> int:
        """Return the number of the series of a time, -1 if the page has too many."""
        return self._number(("time", *key), _US)

    def number(self, *key: Hashable) -> int:
        """Return the number of the series of a count, -1 if the page has too many."""
        return self._number(("count", *key), 1)

    def _number(self, key: Key, unit: int) -> int:
        if key not in self.numbers:
            if len(self.series) >= MAX_SERIES:
                return -1
            self.numbers[key] = len(self.series)
            rows = sorted(self.values.get(key, {}).items())
            self.series.append(
                [part for place, value in rows for part in (place, round(value / unit))]
            )
        return self.numbers[key]

    def payload(self) -> dict[str, object]:
        """Return what the script reads; a series has bins and values in turn."""
        return {"count": self.count, "seconds": self.seconds, "series": self.series}


def binned_values(analysis: WaitAnalysis, recording: Path) -> BinnedValues | None:
    """Return the values by bin; None if they would take too long, or are not known by time."""
    records, intervals = analysis.records, analysis.kinds.intervals
    begin, end = analysis.extent_ns
    lived = int((analysis.totals.wall_ns > 0).sum())
    if records.limited_from_ns is not None or len(intervals.thread) > MAX_INTERVALS:
        return None
    if lived > MAX_THREADS or end - begin < BINS * _US or not len(intervals.thread):
        return None
    idle = analysis.idle if analysis.idle is not None else idle_threads(records, intervals)
    edges = np.linspace(begin, end, BINS + 1).astype(np.int64).tolist()
    binned = BinnedValues(BINS, (end - begin) / BINS / 1e9)
    common = RecordingParts.of(records, recording)
    for number in range(BINS):
        part = within(analysis, edges[number], edges[number + 1], idle)
        result = waits_result(
            part, recording=recording, report=None, common=common, with_timeline=False
        )
        for key, value in _entries(result):
            if value:
                rows = binned.values.setdefault(key, {})
                rows[number] = rows.get(number, 0) + value
    return binned


def _entries(result: WaitsResult) -> Iterator[tuple[Key, int]]:
    """Yield the values of a result by key."""
    for group in result.groups:
        key: Key = ("group", group.process, group.name)
        yield ("time", *key), group.wall_ns
        for state, value in group.states_ns.items():
            yield ("time", *key, state), value
    for thread in result.threads:
        key = ("thread", thread.pid, thread.tid)
        yield ("time", *key), thread.wall_ns
        for state, value in thread.states_ns.items():
            yield ("time", *key, state), value
    for lock in result.locks:
        yield from _waits(("lock", lock.address, lock.kind), lock.wait_ns, lock.waits)
    for function in result.lock_functions:
        key = ("function", function.function)
        yield from _waits(key, function.inclusive_ns, function.waits)
        yield ("time", *key, "attributed"), function.attributed_ns
    for kernel in result.kernel_locks:
        key = ("kernel", kernel.address, kernel.kind, kernel.function)
        yield from _waits(key, kernel.wait_ns, kernel.waits)
    for wait in result.ended_waits:
        yield from _waits(ended_key(wait), wait.wait_ns, wait.waits)
    yield from _causes(result)
    for user in result.run_queue:
        yield ("time", "queue", user.kind, user.name, user.pid), user.time_ns
        yield ("time", "queue"), user.time_ns


def _causes(result: WaitsResult) -> Iterator[tuple[Key, int]]:
    if result.graph is None:
        return
    yield ("time", "graph"), result.graph.wait_ns
    for cause in result.causes:
        yield ("time", "cause", cause.kind, cause.name), cause.wait_ns
    for edge in result.graph.edges:
        yield ("time", "edge", edge.waiter, edge.cause), edge.wait_ns


def _waits(key: Key, wait_ns: int, waits: int) -> Sequence[tuple[Key, int]]:
    return ((("time", *key), wait_ns), (("count", *key), waits))


def ended_key(wait: object) -> Key:
    """Return the key of waits by place and waker."""
    names = ("thread", "functions", "waker", "waker_functions")
    return ("ended", *(getattr(wait, name) for name in names))
