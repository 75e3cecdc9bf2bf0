"""Writes captures as `perf record --latency` does (perf 6.15 and later).

The first event samples cycles; the context switches are records of a second event, dummy:u, which
records threads, mappings and switches and has no samples. The attributes are those that
`perf record --latency -vv` prints.
"""

from tests.captures.wait_capture import (
    CPU_SAMPLE,
    IDENTITY,
    SOFTWARE,
    WaitCapture,
    attribute,
)

HARDWARE, CPU_CYCLES, DUMMY = 0, 0, 9
DUMMY_ID = 2


class LatencyCapture(WaitCapture):
    """A capture in the making; periods of its CPU samples are cycles."""

    tracking_id = DUMMY_ID
    events = (
        (attribute(HARDWARE, CPU_CYCLES, CPU_SAMPLE), b"cycles:P"),
        (attribute(SOFTWARE, DUMMY, IDENTITY), b"dummy:u"),
    )
