"""Memory accesses in a trace of Arm's statistical profiling extension (SPE).

The layout is that of the Arm Architecture Reference Manual, section "Statistical Profiling
Extension sample record specification". It was tested on synthesized traces only.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from topdown.data.accesses import LEVELS, Accesses, MemoryLevel

TRACE_KIND = 4  # PERF_AUXTRACE_ARM_SPE

_PADDING, _END, _TIMESTAMP = 0x00, 0x01, 0x71
_EXTENDED, _EXTENDED_MASK = 0x20, 0xFC
_EVENTS, _EVENTS_MASK = 0x42, 0xCF
_OPERATION, _OPERATION_MASK = 0x48, 0xFC
_LOAD_OR_STORE = 0x49
_CONTEXT, _CONTEXT_MASK = 0x64, 0xFC
_ADDRESS, _ADDRESS_MASK = 0xB0, 0xF8
_COUNTER, _COUNTER_MASK = 0x98, 0xF8
_CODE, _DATA, _PHYSICAL = 0, 2, 3  # index of an address
_TOTAL_LATENCY = 0  # index of a counter
_IS_STORE = 0x01
_ADDRESS_BITS = (1 << 56) - 1  # the rest is a tag, or security state and exception level
_L1_ACCESS, _L1_REFILL, _LAST_ACCESS, _LAST_MISS, _REMOTE = 1 << 2, 1 << 3, 1 << 8, 1 << 9, 1 << 10


@dataclass(slots=True)
class SpeRecord:
    """An operation that the unit followed; numbers that it did not record are 0."""

    code: int = 0
    address: int = 0
    physical: int = 0
    is_access: bool = False
    is_store: bool = False
    events: int = 0
    latency: int = 0
    context: int | None = None


@dataclass(frozen=True, slots=True)
class SpeTrace:
    """The records of a trace, and the number of bytes that are not packets."""

    records: list[SpeRecord] = field(default_factory=list)
    skipped_bytes: int = 0


def read_trace(content: bytes) -> SpeTrace:
    """Return the records of a trace; bytes that are no packet are skipped and counted."""
    records: list[SpeRecord] = []
    record = SpeRecord()
    skipped = 0
    for header, index, payload in _packets(content):
        if header is None:
            skipped += 1
        elif header in (_END, _TIMESTAMP):
            records.append(record)
            record = SpeRecord()
        else:
            _add_packet(record, header, index, payload)
    return SpeTrace(records, skipped)


def _packets(content: bytes) -> Iterator[tuple[int | None, int, int]]:
    """Yield header, index and payload of each packet; None for a byte that is no packet."""
    at, end = 0, len(content)
    while at < end:
        header, index = content[at], 0
        at += 1
        if header == _PADDING:
            continue
        if header == _END:
            yield header, 0, 0
            continue
        if header & _EXTENDED_MASK == _EXTENDED:
            if at == end:
                return
            index = (header & 3) << 3
            header = content[at]
            at += 1
            if header == _PADDING:  # padding up to an alignment
                continue
        if not _is_known(header):
            yield None, 0, 0
            continue
        size = 1 << ((header >> 4) & 3)
        if at + size > end:  # the buffer ended within a record
            return
        yield header, index | (header & 7), int.from_bytes(content[at : at + size], "little")
        at += size


def _is_known(header: int) -> bool:
    return (
        header == _TIMESTAMP
        or header & _EVENTS_MASK in (_EVENTS, _EVENTS | 1)  # events, source of the data
        or header & _OPERATION_MASK == _OPERATION
        or header & _CONTEXT_MASK == _CONTEXT
        or header & _ADDRESS_MASK == _ADDRESS
        or header & _COUNTER_MASK == _COUNTER
    )


def _add_packet(record: SpeRecord, header: int, index: int, payload: int) -> None:
    if header & _ADDRESS_MASK == _ADDRESS:
        address = payload & _ADDRESS_BITS
        if index == _CODE:
            record.code = address
        elif index == _DATA:
            record.address = address
        elif index == _PHYSICAL:
            record.physical = address
    elif header & _COUNTER_MASK == _COUNTER:
        if index == _TOTAL_LATENCY:
            record.latency = payload
    elif header & _EVENTS_MASK == _EVENTS:
        record.events = payload
    elif header == _LOAD_OR_STORE:
        record.is_access = True
        record.is_store = bool(payload & _IS_STORE)
    elif header & _CONTEXT_MASK == _CONTEXT:
        record.context = payload


def trace_accesses(records: list[SpeRecord], *, tid: int, cpu: int) -> Accesses:
    """Return the loads and stores of a trace.

    Without a thread, neither of the trace nor in a record, an access belongs to the CPU: its
    ``thread`` is then -2 minus the CPU.
    """
    used = [record for record in records if record.is_access and record.address]
    count = len(used)
    unknown_thread = -2 - cpu
    threads = [tid if tid >= 0 else record.context for record in used]
    numbers = [unknown_thread if thread is None else thread for thread in threads]
    return Accesses(
        sample=np.full(count, -1, np.int64),
        address=np.array([record.address for record in used], np.uint64),
        physical=np.array([record.physical for record in used], np.uint64),
        is_store=np.array([record.is_store for record in used], np.bool_),
        level=np.array([LEVELS.index(_level(record.events)) for record in used], np.uint8),
        modified=np.zeros(count, np.bool_),
        latency=np.array([record.latency for record in used], np.uint64),
        thread=np.array(numbers, np.int64),
        cpu=np.full(count, cpu, np.int32),
        process=np.full(count, -1, np.int64),
        frame=np.full(count, -1, np.int64),
    )


def _level(events: int) -> MemoryLevel:
    """Return the level by the events of an operation."""
    remote = bool(events & _REMOTE)
    if events & _LAST_MISS:
        return MemoryLevel.REMOTE_MEMORY if remote else MemoryLevel.MEMORY
    if events & _LAST_ACCESS:
        return MemoryLevel.REMOTE_CACHE if remote else MemoryLevel.L3
    if events & _L1_REFILL:
        return MemoryLevel.L2
    return MemoryLevel.L1 if events & _L1_ACCESS else MemoryLevel.UNKNOWN
