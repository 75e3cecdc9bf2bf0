# ruff: noqa: PYI021 - the docstrings are the contract: the module itself has none
"""The native module's face: reads captures into numpy arrays. It holds no policy."""

import os
from collections.abc import Callable
from enum import Enum
from typing import final

import numpy as np
import numpy.typing as npt

VERSION: str

class CaptureError(Exception):
    """A file that cannot be read as a capture; ``args`` is (message, byte offset, path)."""

class UnwindTableError(ValueError):
    """Bytes that no unwind table can be made of: no ELF file, damaged, or of another version."""

@final
class UnwindTable:
    """How the callers' frames are found in the code of one binary (its call frame information)."""

    rows: int
    bad_entries: int  # left out, as they made no sense
    frame_pointer_share: float  # 0..1, of the code described: found by the frame pointer alone

    @staticmethod
    def compile(descriptor: int, debug_descriptor: int = -1) -> UnwindTable:
        """Return the table of the ELF file behind a descriptor.

        ``debug_descriptor``: its separate debug file, -1 for none. Some 40 ns a row, without the
        GIL. Raises UnwindTableError where it is no such file, OSError where it cannot be read.
        """
    @staticmethod
    def from_image(image: bytes) -> UnwindTable:
        """Return the table of an ELF file in memory, as the vdso's. Raises UnwindTableError."""
    @staticmethod
    def from_bytes(content: bytes) -> UnwindTable:
        """Return a table that ``to_bytes`` wrote. Raises UnwindTableError, also of old versions."""
    def to_bytes(self) -> bytes:
        """Return the table in the form that a cache keeps."""

@final
class Attribute:
    """One event attribute of the file (perf_event_attr)."""

    type: int
    config: int
    sample_type: int
    frequency_hz: int  # 0 where a fixed period was used
    period: int  # 0 where a frequency was used
    inherit: bool  # events of a thread count for those that it starts, too
    exclude_user: bool
    exclude_kernel: bool
    name: str  # from EVENT_DESC or EVENT_UPDATE, else the kernel's name, else "type:config"

@final
class Object:
    """A mapped file, the kernel, the vdso or anonymous executable memory."""

    # As the kernel gave it: "/usr/lib/libc.so.6", "[vdso]", "//anon", "[kernel.kallsyms]".
    path: bytes
    build_id: bytes  # empty where unknown
    kernel: bool
    pid: int  # a process that mapped it; for anonymous memory the only one
    start: int  # of one mapping of it
    length: int
    page_offset: int
    major: int
    minor: int
    inode: int

@final
class Thread:
    """A thread seen in the capture, with its last name; exec'd processes keep their last."""

    pid: int
    tid: int
    name: bytes
    process_name: bytes

@final
class Capture:
    """A capture, sorted by time, with stacks and frames made unique.

    Samples, arrays (n_samples,): ``time_ns`` uint64 (0 where not recorded), ``thread`` uint32
    (index into ``threads``), ``cpu`` int32 (-1 where not recorded), ``period`` uint64, ``event``
    uint16 (index into ``attributes``), ``stack`` uint32 (index of a unique stack).
    Counts that samples hold of their group (PERF_SAMPLE_READ): ``read`` uint32 (n_samples,), the
    row of the sample's reading, 0xffffffff for none; empty where none has one. Readings, arrays
    (n_reads,): ``read_stream`` uint64 (the id of the group's leader), ``read_enabled_ns`` and
    ``read_running_ns`` uint64; ``read_offset`` uint64 (n_reads + 1,): the values of reading i are
    ``read_value[read_offset[i]:read_offset[i + 1]]`` uint64, cumulative, of the events
    ``read_event`` uint16 (index into ``attributes``, 0xffff unknown), the leader's first.
    ``read_paused`` uint8: 1 where the kernel had throttled sampling since the reading before.
    Stacks: ``stack_offset`` uint64 (n_stacks + 1,), ``stack_frame`` uint32: frames of stack i are
    ``stack_frame[stack_offset[i]:stack_offset[i + 1]]``, leaf first. ``stack_end`` uint8
    (n_stacks,): why the stack ends where it ends: 0 not unwound, the kernel's own chain;
    1 complete; 2 beyond the bytes that were copied; 3 no unwind information; 4 the next frame made
    no sense; 5 in nothing that was mapped; 6 left for a stack that was not copied; 7 too deep;
    8 no registers, as of a 32-bit process. Equal frames with another end are another stack.
    Frames, arrays (n_frames,): ``frame_object`` int32 (-1: no mapping known), ``frame_address``
    uint64 (offset in the file; absolute for the kernel, anonymous memory and -1), callers as the
    return address minus one (the leaf, and the place where user code was left for the kernel, as
    they are); ``frame_kind`` uint8: 0 user, 1 kernel, 2 guest kernel, 3 guest user, 4 hypervisor,
    5 unknown.
    """

    format: str  # "pipe" or "file"
    byte_order: str  # "little" or "big"
    attributes: list[Attribute]
    objects: list[Object]  # those that frames stand in
    threads: list[Thread]
    host_name: str
    kernel_release: str
    architecture: str
    command_line: list[str]
    clock_id: int | None
    time_ns: npt.NDArray[np.uint64]
    thread: npt.NDArray[np.uint32]
    cpu: npt.NDArray[np.int32]
    period: npt.NDArray[np.uint64]
    event: npt.NDArray[np.uint16]
    stack: npt.NDArray[np.uint32]
    read: npt.NDArray[np.uint32]
    read_stream: npt.NDArray[np.uint64]
    read_enabled_ns: npt.NDArray[np.uint64]
    read_running_ns: npt.NDArray[np.uint64]
    read_offset: npt.NDArray[np.uint64]
    read_event: npt.NDArray[np.uint16]
    read_value: npt.NDArray[np.uint64]
    read_paused: npt.NDArray[np.uint8]
    stack_offset: npt.NDArray[np.uint64]
    stack_end: npt.NDArray[np.uint8]
    stack_frame: npt.NDArray[np.uint32]
    frame_object: npt.NDArray[np.int32]
    frame_address: npt.NDArray[np.uint64]
    frame_kind: npt.NDArray[np.uint8]
    lost_records: int  # sum of PERF_RECORD_LOST
    lost_samples: int  # sum of PERF_RECORD_LOST_SAMPLES
    throttles: int
    truncated_at: int | None  # offset at which the file ends too early, if tolerated
    records_end: int | None  # end of the records by the file header; None in pipe mode
    bytes_read: int

def read_capture(
    path: str | os.PathLike[str],
    *,
    allow_truncated: bool = False,
    unwind_tables: Callable[[Object], UnwindTable | None] | None = None,
) -> Capture:
    """Return the capture of a perf.data file, file or pipe mode, of either byte order.

    ``unwind_tables``: stacks that samples copied are unwound with the tables that it gives; it is
    called once for each object that a stack runs into, and what it raises ends the reading. Without
    it copied stacks are passed over. An unwound stack takes the place of the user part of the
    kernel's chain, unless that is longer and the unwound one not complete.
    Copied stacks of pipes and compressed files wait in an unlinked file in TMPDIR (else /var/tmp,
    /tmp), 16 GiB at most.

    Raises CaptureError with the offset where the file is truncated (unless allowed), corrupt, or
    beyond the limits of memory; OSError where it cannot be opened, or with that directory as its
    ``filename`` where stacks cannot wait there.
    """

def demangle(names: list[bytes]) -> list[bytes]:
    """Return each name demangled (C++ and Rust, by libiberty), or as it was.

    Names that are not mangled, longer than 16 KiB, or that would become longer than 64 KiB stay.
    """

class IdleGovernor(Enum):
    """A governor of cpuidle, as of a kernel's version; FIXED takes one state whatever comes."""

    MENU_6_1 = ...
    MENU_6_12 = ...
    MENU_6_18 = ...
    TEO_6_12 = ...
    TEO_6_18 = ...
    LADDER = ...
    HALTPOLL = ...
    FIXED = ...

def replay_idle(
    *,
    states: npt.NDArray[np.int64],
    latency_limit_ns: int,
    tick_ns: int,
    cpu: npt.NDArray[np.uint32],
    idle_ns: npt.NDArray[np.int64],
    sleep_length_ns: npt.NDArray[np.int64],
    next_tick_ns: npt.NDArray[np.int64],
    ended_by_tick: npt.NDArray[np.uint8],
    entered: npt.NDArray[np.uint8],
    which: IdleGovernor,
    fixed_state: int,
    follow_entered: bool,
) -> tuple[list[tuple[int, int, int, int, int]], npt.NDArray[np.uint8]]:
    """Return what each state counted, and the state first chosen for each interval.

    ``states`` is (n_states, 4): exit latency and target residency in ns, polling, disabled. The
    other arrays are (n_intervals,), in order of time within a CPU: ``cpu`` is dense from 0,
    ``next_tick_ns`` is to the next timer with the tick among them, ``ended_by_tick`` is not 0 where
    the tick came last, ``entered`` is empty where unknown. Ticks left running and limits of polling
    wake the CPU in between. ``follow_entered``: the governor is told what was entered, not what it
    chose. A state's counts are entries, too deep, too shallow, wake-ups, residency in ns. Some 200
    ns an interval, without the GIL. Raises ValueError where columns do not fit together.
    """

def read_ring_pages(
    pages: bytes, page_bytes: int
) -> tuple[
    npt.NDArray[np.uint64],
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
    npt.NDArray[np.uint64],
    npt.NDArray[np.uint64],
]:
    """Return the records of whole pages of one CPU's trace buffer, as columns (n_records,).

    Time (ns, of the buffer's clock), the tracepoint's number, or -1 where events were lost or a
    page makes no sense, the task, and where the record begins and ends in ``pages``. Some 10 ns a
    record.
    """

class BlockEvent(Enum):
    """What a block tracepoint tells of a request."""

    SPLIT = ...
    FLUSH_ASKED = ...
    BIO_FRONT_MERGE = ...
    REQUEST_MERGE = ...
    INSERT = ...
    REQUEUE = ...
    BIO_QUEUE = ...
    ISSUE = ...
    COMPLETE = ...
    BIO_COMPLETE = ...

@final
class BlockRequests:
    """Follows block requests through raw pages of all CPUs' trace buffers; see pairing.hpp."""

    def __init__(
        self,
        layouts: list[tuple[int, BlockEvent, list[tuple[int, int]]]],
        page_bytes: int,
        disks: dict[int, int],
    ) -> None:
        """Take the tracepoints: number, kind, and (offset, size) of their seven fields.

        The fields are device, sector, sectors, bytes, error, rwbs and comm; size 0 where one is
        not there. ``disks`` are the disks of partitions. Devices are major << 20 | minor.
        """
    def add_pages(self, cpu: int, pages: bytes) -> None:
        """Read whole pages of one CPU, in their order. Some 50 ns an event, without the GIL."""
    def settle(self, until_ns: int) -> None:
        """Pair the events up to a time before which every CPU's have been added."""
    def finished(
        self,
    ) -> tuple[
        npt.NDArray[np.uint64],
        npt.NDArray[np.int64],
        npt.NDArray[np.int64],
        npt.NDArray[np.uint32],
        npt.NDArray[np.uint32],
        npt.NDArray[np.int32],
        npt.NDArray[np.int32],
        npt.NDArray[np.uint8],
        npt.NDArray[np.uint32],
        list[bytes],
    ]:
        """Return the requests that completed since the last call, as columns (n_requests,).

        When they ended (ns), the time queued (ns, -1 where it is unknown), on the device (ns), the
        device, bytes, the thread that asked, the error (0: none), the operation (0 read, 1 write,
        2 discard, 3 flush, 4 other), and the place of the thread's name in the list at the end.
        """
    def counts(self) -> dict[str, int]:
        """Return events, places of losses, and what pairing_counts of pairing.hpp names."""
