"""Captures in the format of pipes."""

import struct


def pipe_content(file: bytes) -> bytes:
    """Return the records of a file with a single event, after the header of a pipe."""
    entry, attributes, data, size = struct.unpack_from("<QQ8xQQ", file, 16)
    attribute = file[attributes : attributes + entry - 16]
    head = struct.pack("<8sQIHH", b"PERFILE2", 16, 64, 0, 8 + len(attribute))
    return head + attribute + file[data : data + size]
