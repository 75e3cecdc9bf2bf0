"""Writes pages of the kernel's trace ring buffer with known content."""

import struct

PAGE_BYTES = 4096


def record(number: int, pid: int, content: bytes) -> bytes:
    """Return a record: the common fields and the content, padded to words."""
    whole = struct.pack("=HBBi", number, 0, 0, pid) + content
    return whole + b"\0" * (-len(whole) % 4)


def event(delta_ns: int, data: bytes) -> bytes:
    """Return an event of a page; short events have their length in the header."""
    if len(data) <= 28 * 4:
        return struct.pack("=I", delta_ns << 5 | len(data) // 4) + data
    return struct.pack("=II", delta_ns << 5, len(data) + 4) + data


def time_extend(delta_ns: int) -> bytes:
    """Return the event that adds a time of more than 27 bits."""
    return struct.pack("=II", (delta_ns & (1 << 27) - 1) << 5 | 30, delta_ns >> 27)


def time_stamp(t_ns: int) -> bytes:
    """Return the event that sets the time, all but its highest 5 bits."""
    return struct.pack("=II", (t_ns & (1 << 27) - 1) << 5 | 31, t_ns >> 27 & (1 << 32) - 1)


def padding(size: int) -> bytes:
    """Return a discarded event of this size in bytes."""
    return struct.pack("=II", 1 << 5 | 29, size - 4) + b"\xee" * (size - 8)


def page(t_ns: int, *events: bytes, missed: bool = False) -> bytes:
    """Return a page whose first event is at this time."""
    content = b"".join(events)
    commit = len(content) | (1 << 31 if missed else 0)
    return (struct.pack("=QQ", t_ns, commit) + content).ljust(PAGE_BYTES, b"\0")
