"""Writes captures with memory accesses, from the documented layout of perf.data files.

Such captures cannot be recorded on machines without PEBS, IBS or SPE. The layout is that of
linux/perf_event.h and of tools/perf/Documentation/perf.data-file-format.txt.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

SAMPLE_IP, SAMPLE_TID, SAMPLE_TIME, SAMPLE_ADDR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
SAMPLE_CPU, SAMPLE_WEIGHT, SAMPLE_DATA_SRC, SAMPLE_PHYS_ADDR = 1 << 7, 1 << 14, 1 << 15, 1 << 19
SAMPLE_TYPE = (
    SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_ADDR | SAMPLE_CPU | SAMPLE_WEIGHT
    | SAMPLE_DATA_SRC | SAMPLE_PHYS_ADDR
)  # fmt: skip
RECORD_COMM, RECORD_SAMPLE, RECORD_AUXTRACE_INFO, RECORD_AUXTRACE = 3, 9, 70, 71
MISC_USER = 2
FEATURE_NUMA, FEATURE_MEMORY = 14, 22
ATTRIBUTE_BYTES = 136
SAMPLE_ID_ALL = 1 << 18

# Words of perf_mem_data_src: operation, level and snoop.
LOAD, STORE = 0x02, 0x04
HIT_L1 = (0x02 | 0x08) << 5 | 0x1 << 33
HIT_L3 = (0x02 | 0x40) << 5 | 0x3 << 33
HIT_MEMORY = (0x02 | 0x80) << 5 | 0xD << 33
REMOTE = 1 << 37
MODIFIED = 0x10 << 19  # a hit in a line that another cache had changed


@dataclass(frozen=True)
class Access:
    """A sampled access."""

    address: int
    source: int
    tid: int = 11
    cpu: int = 0
    latency: int = 0
    physical: int = 0
    code: int = 0x1000


@dataclass(frozen=True)
class Node:
    """A memory node: its CPUs and the blocks of physical memory (by number)."""

    number: int
    cpus: str
    blocks: Sequence[int]


def record(kind: int, misc: int, body: bytes) -> bytes:
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def sample(access: Access, time_ns: int) -> bytes:
    body = struct.pack(
        "<QIIQQIIQQQ",
        access.code, 10, access.tid, time_ns, access.address, access.cpu, 0,
        access.latency, access.source, access.physical,
    )  # fmt: skip
    return record(RECORD_SAMPLE, MISC_USER, body)


def comm(tid: int, name: bytes) -> bytes:
    padded = name + b"\0" * (8 - len(name) % 8)
    return record(RECORD_COMM, 0, struct.pack("<II", 10, tid) + padded + bytes(8 + 8 + 8))


def attribute() -> bytes:
    fields = struct.pack("<IIQQQQQ", 4, ATTRIBUTE_BYTES, 0x1CD, 1, SAMPLE_TYPE, 0, SAMPLE_ID_ALL)
    return fields.ljust(ATTRIBUTE_BYTES, b"\0")


def header_string(text: bytes) -> bytes:
    size = (len(text) + 64) // 64 * 64
    return struct.pack("<I", size) + text.ljust(size, b"\0")


def node_features(nodes: Sequence[Node], block_bytes: int) -> list[tuple[int, bytes]]:
    cpus = struct.pack("<I", len(nodes))
    memory = struct.pack("<QQQ", 1, block_bytes, len(nodes))
    for node in nodes:
        cpus += struct.pack("<IQQ", node.number, 0, 0) + header_string(node.cpus.encode())
        bits = max(node.blocks, default=0) + 1
        words = (bits + 63) // 64
        bitmap = sum(1 << block for block in node.blocks).to_bytes(words * 8, "little")
        memory += struct.pack("<QQ", node.number, bits) + bitmap
    return [(FEATURE_NUMA, cpus), (FEATURE_MEMORY, memory)]


def write_capture(
    path: Path,
    accesses: Sequence[Access],
    *,
    threads: Sequence[tuple[int, bytes]] = (),
    nodes: Sequence[Node] = (),
    block_bytes: int = 1 << 20,
    traces: Sequence[bytes] = (),
    trace_kind: int = 4,
) -> None:
    """Write a capture in file mode with these accesses, nodes and traces."""
    records = b"".join(comm(tid, name) for tid, name in threads)
    if traces:
        info = struct.pack("<II", trace_kind, 0) + bytes(8)
        records += record(RECORD_AUXTRACE_INFO, 0, info)
    for number, trace in enumerate(traces):
        body = struct.pack("<QQQIiII", len(trace), 0, 0, number, -1, number, 0)
        records += record(RECORD_AUXTRACE, 0, body) + trace
    records += b"".join(sample(access, 1000 + index) for index, access in enumerate(accesses))
    features = node_features(nodes, block_bytes) if nodes else []
    attributes_at = 104
    data_at = attributes_at + ATTRIBUTE_BYTES + 16
    bits = sum(1 << number for number, _ in features)
    header = b"PERFILE2" + struct.pack("<QQ", 104, ATTRIBUTE_BYTES + 16)
    header += struct.pack("<QQ", attributes_at, ATTRIBUTE_BYTES + 16)
    header += struct.pack("<QQ", data_at, len(records)) + struct.pack("<QQ", 0, 0)
    header += bits.to_bytes(32, "little")
    content = header + attribute() + struct.pack("<QQ", 0, 0) + records
    at = len(content) + 16 * len(features)
    index = b""
    for _, section in features:
        index += struct.pack("<QQ", at, len(section))
        at += len(section)
    path.write_bytes(content + index + b"".join(section for _, section in features))
