"""The windows in which a recording has all switches, and the gaps between them."""

import numpy as np

from topdown.waits.records import LostRecords, Times
from topdown.waits.wait_log import WaitLog


def recorded_windows(log: WaitLog | None) -> tuple[int | None, Times]:
    """Return from when on the recorder limited its cost, None if never, and the windows (n, 2).

    Windows that overlap or do not end after their begin are left out.
    """
    limits = [line.at_ns for line in log.modes if line.mode != "all"] if log is not None else []
    if log is None or not limits:
        return None, np.zeros((0, 2), np.uint64)
    begin_ns, last = min(limits), min(limits)
    rows = []
    for line in sorted(log.windows, key=lambda line: line.begin_ns):
        if line.begin_ns >= last and line.end_ns > line.begin_ns:
            rows.append((line.begin_ns, line.end_ns))
            last = line.end_ns
    return begin_ns, np.array(rows, np.uint64).reshape(-1, 2)


def gaps_between(
    limited_from_ns: int | None, windows: Times, end_ns: int
) -> tuple[LostRecords, ...]:
    """Return the periods without records: in these the states of threads are unknown."""
    if limited_from_ns is None:
        return ()
    begins = [limited_from_ns, *windows[:, 1].tolist()]
    ends = [*windows[:, 0].tolist(), max(end_ns, begins[-1])]
    return tuple(
        LostRecords(begin, end, -1, 0)
        for begin, end in zip(begins, ends, strict=True)
        if end > begin
    )
