"""Writes captures as `perf record --latency` does (perf 6.15 and later).

The first event samples cycles; the context switches are records of a second event, dummy:u, which
records threads, mappings and switches and has no samples. The attributes are those that
`perf record --latency -vv` prints.
"""

import struct

from tests.captures.wait_capture import (
    CPU_SAMPLE,
    IDENTITY,
    RECORD_EVENT_UPDATE,
    RECORD_HEADER_ATTR,
    SOFTWARE,
    WaitCapture,
    attribute,
    record,
)

HARDWARE, CPU_CYCLES, DUMMY = 0, 0, 9
DUMMY_ID = 2


class LatencyCapture(WaitCapture):
    """A capture in the making; periods of its CPU samples are cycles."""

    tracking_id = DUMMY_ID

    def content(self) -> bytes:
        """Return the file."""
        events = (
            (attribute(HARDWARE, CPU_CYCLES, CPU_SAMPLE), b"cycles:P"),
            (attribute(SOFTWARE, DUMMY, IDENTITY), b"dummy:u"),
        )
        head = b"PERFILE2" + struct.pack("<Q", 16)
        for number, (described, name) in enumerate(events, 1):
            head += record(RECORD_HEADER_ATTR, 0, described + struct.pack("<Q", number))
            padded = name + b"\0" * (8 - len(name) % 8)
            head += record(RECORD_EVENT_UPDATE, 0, struct.pack("<QQ", 2, number) + padded)
        return head + b"".join(self.records)
