"""Writes captures with context switches, wake-ups and lost records, in perf's pipe format.

The layout is that of linux/perf_event.h. Events: CPU samples (id 1), context switches with stack
and registers (id 2), sched:sched_waking (id 3).
"""

import struct
from collections.abc import Sequence
from pathlib import Path

SAMPLE_IP, SAMPLE_TID, SAMPLE_TIME, SAMPLE_CALLCHAIN = 1 << 0, 1 << 1, 1 << 2, 1 << 5
SAMPLE_CPU, SAMPLE_PERIOD, SAMPLE_RAW = 1 << 7, 1 << 8, 1 << 10
SAMPLE_REGS_USER, SAMPLE_IDENTIFIER = 1 << 12, 1 << 16
IDENTITY = SAMPLE_IDENTIFIER | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU
CPU_SAMPLE = IDENTITY | SAMPLE_PERIOD | SAMPLE_CALLCHAIN
SWITCH_SAMPLE = IDENTITY | SAMPLE_CALLCHAIN | SAMPLE_REGS_USER
WAKING_SAMPLE = IDENTITY | SAMPLE_RAW | SAMPLE_CALLCHAIN
RECORD_LOST, RECORD_COMM, RECORD_EXIT, RECORD_FORK, RECORD_SAMPLE = 2, 3, 4, 7, 9
RECORD_MMAP2, RECORD_SWITCH, RECORD_SWITCH_CPU_WIDE = 10, 14, 15
RECORD_HEADER_ATTR, RECORD_EVENT_UPDATE = 64, 78
MISC_KERNEL, MISC_USER = 1, 2
MISC_EXEC = MISC_OUT = 1 << 13
MISC_PREEMPTED = 1 << 14
CONTEXT_USER = 0xFFFFFFFFFFFFFE00
REGISTERS_MASK = 0xFF01FF  # ax to ip, r8 to r15
REGISTER_BITS = {  # perf's numbers of x86-64 registers, by REGISTER_NAMES
    "ip": 8, "sp": 7, "result": 0, "argument0": 5, "argument1": 4, "argument2": 3,
    "argument3": 18, "argument4": 16, "argument5": 17, "return_address": 2,
}  # fmt: skip
SAMPLE_ID_ALL, USE_CLOCK_ID = 1 << 18, 1 << 25
CLOCK_MONOTONIC = 1
CODE, CODE_BYTES = 0x400000, 0x100000
NOBODY = 0xFFFFFFFF
TRACEPOINT, SOFTWARE, CPU_CLOCK, CONTEXT_SWITCHES, WAKING = 2, 1, 0, 3, 375


def record(kind: int, misc: int, body: bytes) -> bytes:
    """Return a record with its header."""
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def attribute(kind: int, config: int, sample_type: int, registers: int = 0) -> bytes:
    """Return a perf_event_attr of version 8."""
    flags = SAMPLE_ID_ALL | USE_CLOCK_ID
    fields = struct.pack("<IIQQQQQ", kind, 136, config, 1, sample_type, 0, flags)
    fields += struct.pack("<IIQQQQIi", 0, 0, 0, 0, 0, registers, 0, CLOCK_MONOTONIC)
    return fields.ljust(136, b"\0")


class WaitCapture:
    """A capture in the making; records are kept in the order of the calls."""

    tracking_id = 1  # of the event that records threads, mappings and switches
    events = (
        (attribute(SOFTWARE, CPU_CLOCK, CPU_SAMPLE), b"cpu-clock"),
        (attribute(SOFTWARE, CONTEXT_SWITCHES, SWITCH_SAMPLE, REGISTERS_MASK), b"context-switches"),
        (attribute(TRACEPOINT, WAKING, WAKING_SAMPLE), b"sched:sched_waking"),
    )

    def __init__(self, *, program: bytes = b"/bin/waits") -> None:
        self.records: list[bytes] = []
        self._program = program

    def _trailer(self, pid: int, tid: int, time_ns: int, cpu: int) -> bytes:
        return struct.pack("<IIQIIQ", pid & NOBODY, tid & NOBODY, time_ns, cpu, 0, self.tracking_id)

    def _sample(self, event: int, thread: tuple[int, int], time_ns: int, cpu: int) -> bytes:
        return struct.pack("<QIIQII", event, *thread, time_ns, cpu, 0)

    def process(self, pid: int, name: bytes = b"waits", *, time_ns: int = 0) -> None:
        """Add a process that maps its program at CODE."""
        self.name(pid, pid, name, time_ns=time_ns)
        path = self._program + b"\0" * (8 - len(self._program) % 8)
        body = struct.pack("<IIQQQ", pid, pid, CODE, CODE_BYTES, 0)
        body += struct.pack("<IIQQII", 8, 1, 77, 0, 5, 2) + path
        self.records.append(
            record(RECORD_MMAP2, MISC_USER, body + self._trailer(pid, pid, time_ns, 0))
        )

    def name(
        self, pid: int, tid: int, name: bytes, *, time_ns: int = 0, exec_: bool = False
    ) -> None:
        """Name a thread, or let it execute another program."""
        padded = name + b"\0" * (8 - len(name) % 8)
        body = struct.pack("<II", pid, tid) + padded + self._trailer(pid, tid, time_ns, 0)
        self.records.append(record(RECORD_COMM, MISC_EXEC if exec_ else 0, body))

    def start(self, pid: int, tid: int, time_ns: int, *, parent: int = 1) -> None:
        """Start a thread or a process."""
        self._task(RECORD_FORK, pid, tid, time_ns, parent)

    def exit(self, pid: int, tid: int, time_ns: int) -> None:
        """End a thread."""
        self._task(RECORD_EXIT, pid, tid, time_ns, 1)

    def _task(self, kind: int, pid: int, tid: int, time_ns: int, parent: int) -> None:
        body = struct.pack("<IIIIQ", pid, parent, tid, parent, time_ns)
        self.records.append(record(kind, 0, body + self._trailer(pid, tid, time_ns, 0)))

    def switch_in(self, pid: int, tid: int, time_ns: int, cpu: int = 0) -> None:
        """Let a thread start to run."""
        self.records.append(record(RECORD_SWITCH, 0, self._trailer(pid, tid, time_ns, cpu)))

    def switch_out(
        self, pid: int, tid: int, time_ns: int, cpu: int = 0, *, preempted: bool = False
    ) -> None:
        """Let a thread leave its CPU."""
        misc = MISC_OUT | (MISC_PREEMPTED if preempted else 0)
        self.records.append(record(RECORD_SWITCH, misc, self._trailer(pid, tid, time_ns, cpu)))

    def switch_cpu(
        self, leaving: tuple[int, int], arriving: tuple[int, int], time_ns: int, cpu: int = 0,
        *, preempted: bool = False,
    ) -> None:  # fmt: skip
        """Switch a CPU from one thread to another, as recorded CPU-wide: two records."""
        misc = MISC_OUT | (MISC_PREEMPTED if preempted else 0)
        out = struct.pack("<II", *arriving) + self._trailer(*leaving, time_ns, cpu)
        into = struct.pack("<II", *leaving) + self._trailer(*arriving, time_ns, cpu)
        self.records.append(record(RECORD_SWITCH_CPU_WIDE, misc, out))
        self.records.append(record(RECORD_SWITCH_CPU_WIDE, 0, into))

    def lost(self, count: int, time_ns: int, cpu: int = 0) -> None:
        """Lose records."""
        body = struct.pack("<QQ", 1, count) + self._trailer(1, 1, time_ns, cpu)
        self.records.append(record(RECORD_LOST, 0, body))

    def cpu_sample(
        self, pid: int, tid: int, time_ns: int, stack: Sequence[int], *,
        period: int = 1_000_000, cpu: int = 0,
    ) -> None:  # fmt: skip
        """Sample CPU time; the stack has offsets in the program, leaf first."""
        body = self._sample(1, (pid, tid), time_ns, cpu) + struct.pack("<Q", period)
        self.records.append(record(RECORD_SAMPLE, MISC_USER, body + self._chain(stack)))

    def switch_sample(
        self, pid: int, tid: int, time_ns: int, stack: Sequence[int], *, cpu: int = 0,
        registers: dict[str, int] | None = None,
    ) -> None:  # fmt: skip
        """Sample a context switch; without ``registers`` they are not recorded."""
        body = self._sample(2, (pid, tid), time_ns, cpu) + self._chain(stack)
        if registers is None:
            body += struct.pack("<Q", 0)
        else:
            bits = [bit for bit in range(64) if REGISTERS_MASK >> bit & 1]
            values = {REGISTER_BITS[name]: value for name, value in registers.items()}
            words = [values.get(bit, 0) for bit in bits]
            body += struct.pack(f"<Q{len(words)}Q", 2, *words)
        self.records.append(record(RECORD_SAMPLE, MISC_USER, body))

    def waking(
        self, waker: tuple[int, int], wakee: int, time_ns: int, *, cpu: int = 0, flags: int = 0,
        stack: Sequence[int] = (), name: bytes = b"waits",
    ) -> None:  # fmt: skip
        """Wake a thread."""
        fields = struct.pack("<HBBi", WAKING, flags, 0, waker[1])
        fields += name.ljust(16, b"\0") + struct.pack("<iii", wakee, 120, 0)
        body = self._sample(3, waker, time_ns, cpu) + self._chain(stack)
        body += struct.pack("<I", len(fields)) + fields
        self.records.append(record(RECORD_SAMPLE, MISC_KERNEL, body))

    def _chain(self, stack: Sequence[int]) -> bytes:
        words = [CONTEXT_USER, *(CODE + address for address in stack)]
        return struct.pack(f"<Q{len(words)}Q", len(words), *words)

    def content(self) -> bytes:
        """Return the file."""
        head = b"PERFILE2" + struct.pack("<Q", 16)
        for number, (described, name) in enumerate(self.events, 1):
            head += record(RECORD_HEADER_ATTR, 0, described + struct.pack("<Q", number))
            padded = name + b"\0" * (8 - len(name) % 8)
            head += record(RECORD_EVENT_UPDATE, 0, struct.pack("<QQ", 2, number) + padded)
        return head + b"".join(self.records)

    def write(self, path: Path) -> Path:
        """Write the file and return its path."""
        path.write_bytes(self.content())
        return path
