"""Traces of Arm SPE, synthesized from the documented packets; none was recorded on hardware."""

import struct

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from topdown.data.accesses import LEVELS, MemoryLevel
from topdown.data.spe_packets import read_trace, trace_accesses

L1_ACCESS, L1_REFILL, LAST_ACCESS, LAST_MISS, REMOTE = 1 << 2, 1 << 3, 1 << 8, 1 << 9, 1 << 10


def access(
    address: int, *, store: bool = False, events: int = L1_ACCESS, latency: int = 7
) -> bytes:
    return (
        b"\xb0" + struct.pack("<Q", 0xFFFF_8000_1234)
        + b"\x65" + struct.pack("<I", 42)
        + b"\x49" + bytes([0x01 if store else 0x00])
        + b"\x52" + struct.pack("<H", events)
        + b"\x98" + struct.pack("<H", latency)
        + b"\xb2" + struct.pack("<Q", address | 0xAB << 56)
        + b"\xb3" + struct.pack("<Q", 0x1000)
        + b"\x00\x00"
        + b"\x71" + struct.pack("<Q", 123)
    )  # fmt: skip


def test_loads_and_stores_have_address_level_and_latency() -> None:
    trace = read_trace(
        access(0x5000)
        + access(0x6008, store=True, events=LAST_ACCESS | LAST_MISS | REMOTE, latency=300)
    )
    assert trace.skipped_bytes == 0
    rows = trace_accesses(trace.records, tid=-1, cpu=3)
    assert rows.address.tolist() == [0x5000, 0x6008]
    assert rows.physical.tolist() == [0x1000, 0x1000]
    assert rows.is_store.tolist() == [False, True]
    assert rows.latency.tolist() == [7, 300]
    assert rows.thread.tolist() == [42, 42]
    assert [LEVELS[level] for level in rows.level] == [MemoryLevel.L1, MemoryLevel.REMOTE_MEMORY]


def test_branches_are_no_accesses() -> None:
    branch = b"\x4a\x01" + b"\xb1" + struct.pack("<Q", 0x99) + b"\x01"
    assert len(trace_accesses(read_trace(branch).records, tid=1, cpu=0)) == 0


def test_without_a_thread_the_cpu_stands_for_it() -> None:
    packet = b"\x49\x00" + b"\xb2" + struct.pack("<Q", 0x10) + b"\x01"
    assert trace_accesses(read_trace(packet).records, tid=-1, cpu=5).thread.tolist() == [-7]


def test_bytes_that_are_no_packets_are_counted_and_skipped() -> None:
    trace = read_trace(b"\xff\xfe" + access(0x5000))
    assert trace.skipped_bytes == 2
    assert len(trace.records) == 1


def test_a_trace_that_ends_within_a_packet_keeps_the_records_before() -> None:
    assert len(read_trace(access(0x5000) + access(0x6000)[:20]).records) == 1


@given(st.binary(max_size=200))
def test_any_bytes_are_read_without_an_error(content: bytes) -> None:
    trace = read_trace(content)
    rows = trace_accesses(trace.records, tid=-1, cpu=0)
    assert len(rows) <= len(trace.records) <= len(content)
    assert rows.address.dtype == np.uint64
