# ruff: noqa: PYI021 - these docstrings are the contract; the module has none
"""The interface of the native module: it reads captures into numpy arrays, without policy."""

import os
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, final

import numpy as np
import numpy.typing as npt

VERSION: str

class CaptureError(Exception):
    """A file that cannot be read as a capture; ``args`` is (message, byte offset, path)."""

class UnwindTableError(ValueError):
    """Bytes without an unwind table: not an ELF file, damaged, or of another version."""

@final
class UnwindTable:
    """The rules that find callers' frames in the code of one binary (call frame information)."""

    rows: int
    bad_entries: int  # invalid entries that were dropped
    frame_pointer_share: float  # 0..1 of the described code: unwound by the frame pointer alone

    @staticmethod
    def compile(descriptor: int, debug_descriptor: int = -1) -> UnwindTable:
        """Return the table of the ELF file behind a descriptor.

        ``debug_descriptor``: its separate debug file, or -1. Costs about 40 ns per row, without the
        GIL. Raises UnwindTableError if it is not an ELF file, OSError if it cannot be read.
        """
    @staticmethod
    def from_image(image: bytes) -> UnwindTable:
        """Return the table of an ELF file in memory, such as the vdso. Raises UnwindTableError."""
    @staticmethod
    def from_bytes(content: bytes) -> UnwindTable:
        """Return a table that ``to_bytes`` wrote. Raises UnwindTableError, also of old versions."""
    def to_bytes(self) -> bytes:
        """Return the table in the format of the cache."""

@final
class Attribute:
    """One event attribute of the file (perf_event_attr)."""

    type: int
    config: int
    sample_type: int
    frequency_hz: int  # 0 if a fixed period was used
    period: int  # 0 if a frequency was used
    inherit: bool  # threads inherit the event
    exclude_user: bool
    exclude_kernel: bool
    name: str  # from EVENT_DESC or EVENT_UPDATE, or the kernel's name, or "type:config"

@final
class Object:
    """A mapped file, the kernel, the vdso or anonymous executable memory."""

    # As the kernel reports it: "/usr/lib/libc.so.6", "[vdso]", "//anon", "[kernel.kallsyms]".
    path: bytes
    build_id: bytes  # empty if unknown
    kernel: bool
    pid: int  # a process that mapped it; the only one for anonymous memory
    start: int  # of one of its mappings
    length: int
    page_offset: int
    major: int
    minor: int
    inode: int

@final
class Thread:
    """A thread of the capture with its last name, also after exec."""

    pid: int
    tid: int
    name: bytes
    process_name: bytes

@final
class MemoryNode:
    """A node of the machine's memory."""

    number: int
    cpus: str  # "0-3,8"
    memory: list[tuple[int, int]]  # ranges of physical addresses, [start, end)

@final
class TraceBlock:
    """The output of a tracing unit in the file: ``bytes`` at ``file_offset``."""

    file_offset: int
    bytes: int
    tid: int
    cpu: int

@final
class Capture:
    """A capture, sorted by time, with stacks and frames made unique.

    Samples, arrays (n_samples,): ``time_ns`` uint64 (0 if not recorded), ``thread`` uint32
    (index into ``threads``), ``cpu`` int32 (-1 if not recorded), ``period`` uint64, ``event``
    uint16 (index into ``attributes``), ``stack`` uint32 (index of a unique stack). Equal periods
    and equal events are held once, as read-only arrays with a stride of 0.
    Counts of a sample's group (PERF_SAMPLE_READ): ``read`` uint32 (n_samples,), the
    row of the sample's reading, 0xffffffff for none; empty if no sample has one. Readings, arrays
    (n_reads,): ``read_stream`` uint64 (the id of the group's leader), ``read_enabled_ns`` and
    ``read_running_ns`` uint64; ``read_offset`` uint64 (n_reads + 1,): the values of reading i are
    ``read_value[read_offset[i]:read_offset[i + 1]]`` uint64, cumulative, of the events
    ``read_event`` uint16 (index into ``attributes``, 0xffff unknown), the leader's first.
    ``read_paused`` uint8: 1 if the kernel throttled sampling since the previous reading.
    Memory accesses of samples that recorded address and data source: ``access`` uint32
    (n_samples,), the row of the access, 0xffffffff for none; empty if no sample has one. Rows,
    uint64 arrays (n_accesses,): ``access_address``, ``access_physical_address`` (0 if not
    recorded), ``access_source`` (perf_mem_data_src), ``access_weight`` (latency in cycles, 0 if
    not recorded).
    Context switches (PERF_RECORD_SWITCH, SWITCH_CPU_WIDE), arrays (n_switches,):
    ``switch_time_ns`` uint64, ``switch_thread`` uint32, ``switch_cpu`` int32 (-1 if not recorded),
    ``switch_kind`` uint8: 0 in, 1 out to sleep, 2 out but able to run; ``switch_other`` uint32:
    the previous or next thread of a CPU-wide record, 0xffffffff for none. Threads, (n_tasks,):
    ``task_time_ns`` uint64, ``task_thread`` uint32, ``task_kind`` uint8: 0 start, 1 exit, 2 exec;
    those before the recording are left out. Registers of samples of context switches:
    ``register_row`` uint32 (n_samples,), 0xffffffff for none, empty if no sample has any; the row
    of ``registers`` uint64 (n_rows, 10): ip, sp, result, six arguments, return address.
    Wake-ups (sched:sched_waking), (n_wakes,): ``wake_time_ns`` uint64, ``wake_wakee`` and
    ``wake_waker`` uint32 (threads), ``wake_cpu`` int32, ``wake_flags`` uint8 (common_flags: 8 in a
    hard interrupt, 16 in a soft interrupt), ``wake_stack`` uint32. Contended kernel locks
    (lock:contention_begin and _end): ``contention_time_ns`` and ``contention_address`` uint64,
    ``contention_thread``, ``contention_stack`` and ``contention_flags`` uint32 (the result of an
    end), ``contention_end`` uint8. Lost records (PERF_RECORD_LOST): ``lost_begin_ns`` (time of the
    CPU's last record before), ``lost_end_ns``, ``lost_count`` uint64, ``lost_cpu`` int32.
    Stacks: ``stack_offset`` uint64 (n_stacks + 1,), ``stack_frame`` uint32: frames of stack i are
    ``stack_frame[stack_offset[i]:stack_offset[i + 1]]``, leaf first. ``stack_end`` uint8
    (n_stacks,): the reason for the end of the stack: 0 not unwound, the kernel's own chain;
    1 complete; 2 beyond the copied bytes; 3 no unwind information; 4 the next frame is invalid;
    5 in unmapped memory; 6 on a stack that was not copied; 7 too deep; 8 no registers, as in a
    32-bit process. Equal frames with different ends are different stacks.
    Frames, arrays (n_frames,): ``frame_object`` int32 (-1: no mapping known), ``frame_address``
    uint64 (offset in the file; absolute for the kernel, anonymous memory and -1), callers as the
    return address minus one (except for the leaf and the address at which user code entered the
    kernel); ``frame_kind`` uint8: 0 user, 1 kernel, 2 guest kernel, 3 guest user, 4 hypervisor,
    5 unknown, 6 a run of managed frames, whose number is the address,
    7 code of an interpreter, whose number is the address.
    """

    format: str  # "pipe" or "file"
    byte_order: str  # "little" or "big"
    attributes: list[Attribute]
    objects: list[Object]  # the objects of frames
    threads: list[Thread]
    nodes: list[MemoryNode]  # empty if not recorded
    traces: list[TraceBlock]
    trace_kind: int  # PERF_AUXTRACE_*, 4 for Arm's statistical profiling extension; 0 without
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
    access: npt.NDArray[np.uint32]
    access_address: npt.NDArray[np.uint64]
    access_physical_address: npt.NDArray[np.uint64]
    access_source: npt.NDArray[np.uint64]
    access_weight: npt.NDArray[np.uint64]
    register_row: npt.NDArray[np.uint32]
    registers: npt.NDArray[np.uint64]
    switch_time_ns: npt.NDArray[np.uint64]
    switch_thread: npt.NDArray[np.uint32]
    switch_cpu: npt.NDArray[np.int32]
    switch_kind: npt.NDArray[np.uint8]
    switch_other: npt.NDArray[np.uint32]
    task_time_ns: npt.NDArray[np.uint64]
    task_thread: npt.NDArray[np.uint32]
    task_kind: npt.NDArray[np.uint8]
    wake_time_ns: npt.NDArray[np.uint64]
    wake_wakee: npt.NDArray[np.uint32]
    wake_waker: npt.NDArray[np.uint32]
    wake_cpu: npt.NDArray[np.int32]
    wake_flags: npt.NDArray[np.uint8]
    wake_stack: npt.NDArray[np.uint32]
    contention_time_ns: npt.NDArray[np.uint64]
    contention_thread: npt.NDArray[np.uint32]
    contention_address: npt.NDArray[np.uint64]
    contention_flags: npt.NDArray[np.uint32]
    contention_end: npt.NDArray[np.uint8]
    contention_stack: npt.NDArray[np.uint32]
    lost_begin_ns: npt.NDArray[np.uint64]
    lost_end_ns: npt.NDArray[np.uint64]
    lost_cpu: npt.NDArray[np.int32]
    lost_count: npt.NDArray[np.uint64]
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
    unknown_records: int  # of types newer than this reader
    deferred_stacks: int  # samples whose deferred user stack is not in the capture
    throttles: int
    truncated_at: int | None  # offset of a premature end of the file, if tolerated
    records_end: int | None  # end of the records by the file header; None in pipe mode
    bytes_read: int

def read_capture(
    path: str | os.PathLike[str],
    *,
    allow_truncated: bool = False,
    unwind_tables: Callable[[Object], UnwindTable | None] | None = None,
    managed: tuple[
        npt.NDArray[np.uint64],
        npt.NDArray[np.int32],
        npt.NDArray[np.uint64],
        npt.NDArray[np.uint64],
    ]
    | None = None,
    interpreters: tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]] | None = None,
) -> Capture:
    """Return the capture of a perf.data file, file or pipe mode, of either byte order.

    ``unwind_tables`` returns the table that unwinds copied stacks; it is called once for each
    object on a stack, and an exception in it ends reading. Without it copied stacks are skipped. An
    unwound stack replaces the user part of the kernel's chain, unless that is longer and the
    unwound stack is incomplete. Copied stacks of pipes and compressed files are stored in an
    unlinked file of at most 16 GiB in TMPDIR (or /var/tmp, /tmp).

    ``managed`` has the runs of managed frames of samples, read beside them: ``time_ns`` (n,)
    ascending, ``tid`` (n,), ``offset`` (n + 1,), and runs (m, 6): program counter and stack pointer
    of the entry, return address, stack pointer and frame pointer of the exit, and a number. Each
    run is a frame of kind 6 whose address is the number; unwinding continues from its exit.

    ``interpreters`` has the loops of interpreters, (n, 4): pid, begin and end of the function that
    calls the loop's core, DWARF number of the register that has the program counter of the core;
    and the code that they run, (m, 4), ascending and disjoint in each process: pid, begin, end,
    number. A frame of kind 7 between the core and its caller has the number as address.

    Raises CaptureError with the offset if the file is truncated (unless allowed), corrupt, or
    exceeds the memory limits; OSError if it cannot be opened, or, with that directory as its
    ``filename``, if the stacks cannot be stored.
    """

def demangle(names: list[bytes]) -> list[bytes]:
    """Return the demangled names (C++ and Rust, by libiberty).

    Names that are not mangled, that are longer than 16 KiB, or whose result would be longer than
    64 KiB stay unchanged.
    """

class IdleGovernor(Enum):
    """A cpuidle governor of a kernel version; FIXED always takes the same state."""

    MENU_4_9 = ...
    MENU_TIMER = ...
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
    io_waiters: npt.NDArray[np.uint32],
    load_hundredths: npt.NDArray[np.uint32],
    which: IdleGovernor,
    fixed_state: int,
    follow_entered: bool,
) -> tuple[list[tuple[int, int, int, int, int]], npt.NDArray[np.uint8]]:
    """Return the counts of every state, and the state first chosen for every interval.

    ``states`` is (n_states, 4): exit latency and target residency in ns, polling, disabled. The
    other arrays are (n_intervals,), in order of time within a CPU: ``cpu`` is dense from 0,
    ``next_tick_ns`` is the time to the next timer including the tick, ``ended_by_tick`` is not 0 if
    the tick ended the interval; ``entered``, ``io_waiters`` and ``load_hundredths`` (100 times the
    CPU's load) are empty if unknown. A running tick and the limit of polling wake the CPU during an
    interval. With ``follow_entered`` the governor learns the entered state, not its own choice. The
    counts of a state are entries, too deep, too shallow, wake-ups, residency in ns. Costs about
    200 ns per interval, without the GIL. Raises ValueError if the arrays do not match.
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
    """Return the records in pages of one CPU's trace buffer, as columns (n_records,).

    Time (ns of the buffer's clock), number of the tracepoint (-1 for lost events or an invalid
    page), thread, and begin and end of the record in ``pages``. Costs about 10 ns per record.
    """

class BlockEvent(Enum):
    """The event that a block tracepoint reports."""

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
    """Pairs the events of block requests in the trace buffers of all CPUs; see pairing.hpp."""

    def __init__(
        self,
        layouts: list[tuple[int, BlockEvent, list[tuple[int, int]]]],
        page_bytes: int,
        disks: dict[int, int],
    ) -> None:
        """Describe the tracepoints: number, kind, and (offset, size) of their seven fields.

        The fields are device, sector, sectors, bytes, error, rwbs and comm; the size is 0 for a
        missing field. ``disks`` maps partitions to disks. Devices are major << 20 | minor.
        """
    def add_pages(self, cpu: int, pages: bytes) -> None:
        """Read pages of one CPU in order. Costs about 50 ns per event, without the GIL."""
    def settle(self, until_ns: int) -> None:
        """Pair the events before a time up to which the events of all CPUs have been added."""
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

        End (ns), time queued (ns, -1 if unknown), time on the device (ns), device, bytes, thread
        that issued the request, error (0 for none), operation (0 read, 1 write, 2 discard, 3 flush,
        4 other), and index of the thread's name in the last column, a list of names.
        """
    def counts(self) -> dict[str, int]:
        """Return the number of events, losses, and the fields of pairing_counts in pairing.hpp."""

@final
class BenchmarkResults:
    """Benchmark results of files in the Go format, in columns by series."""

    dropped_errors: int  # errors beyond those that are kept
    result_lines: int
    def __init__(self) -> None: ...
    def read(self, descriptor: int, file: int) -> None:
        """Read a file to its end; ``file`` is its number. Raises OSError. Without the GIL."""
    def names(self) -> list[str]:
        """Return the distinct names without "Benchmark"; invalid UTF-8 becomes surrogates."""
    def units(self) -> list[str]:
        """Return the distinct units, in base units and as written."""
    def configurations(self) -> list[list[tuple[str, str]]]:
        """Return the distinct configurations as keys and values in order."""
    def series(self) -> dict[str, npt.NDArray[np.int64]]:
        """Return file, configuration, name, unit, original_unit, unscaled and size by series."""
    def values(self, series: int) -> npt.NDArray[np.float64]:
        """Return the values of a series in base units, in the order of the lines."""
    def unit_metadata(self) -> list[tuple[str, str, str]]:
        """Return base unit, key and value of ``Unit`` lines."""
    def errors(self) -> list[tuple[int, int, str]]:
        """Return file, line and message of lines that were not read."""

@final
class BenchmarkSamples:
    """Sorted samples of cells; cell i holds the series ``series[offsets[i]:offsets[i + 1]]``."""

    def __init__(
        self,
        results: BenchmarkResults,
        offsets: npt.NDArray[np.int64],
        series: npt.NDArray[np.int64],
    ) -> None: ...
    def sizes(self) -> npt.NDArray[np.int64]:
        """Return the number of values of each cell, NaN included."""
    def nan_counts(self) -> npt.NDArray[np.int64]:
        """Return the number of NaN of each cell."""
    def values(self, cell: int) -> npt.NDArray[np.float64]:
        """Return the values of a cell in ascending order, NaN first."""
    def order_statistics(self, ranks: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Return the value of a rank of each cell, from 1; infinite outside its size."""
    def compare(
        self, bases: npt.NDArray[np.int64], heads: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """Return the U tests of pairs of cells: p, benchstat's p, and the kind.

        The kind is 0 (exact), 1 (normal approximation), 2 (all values equal) or 3 (no value).
        """

def benchmark_base_unit(unit: str) -> str:
    """Return the unit in which values are held: sec instead of ns, B instead of MB."""

def geometric_mean(values: npt.NDArray[np.float64]) -> float:
    """Return the geometric mean with the rounding of Go; NaN if a value is not positive."""

def go_binomial(n: int, k: int) -> float:
    """Return the binomial coefficient with the rounding of go-moremath."""

class PerfScriptSamples:
    """Samples in the text of perf script, counted by stack (`native/perf_script/samples.hpp`).

    Names are bytes as they stand in the text. ``shorten``: names as those of stackcollapse-perf.
    """

    event: bytes
    malformed_lines: int
    first_malformed_line: int
    endless: bool
    without_period: int  # samples that count as 1
    expanded_frames: int  # with ``by_address``: whose inlined functions are in the text
    duration_ns: int | None  # largest minus smallest time; None if no sample has a time
    has_too_many_times: bool  # more than ``max_times``
    def __init__(
        self,
        *,
        shorten: bool,
        kernel: bool,
        jit: bool,
        addresses: bool,
        process_ids: bool,
        thread_ids: bool,
        event: str,
        max_times: int = 0,
        by_address: bool = False,
    ) -> None:
        """Select samples and names; ``max_times``: number of samples whose times are kept.

        ``by_address``: a function per address in a file, so that ``set_names`` can name it.
        """
    def read(self, descriptor: int) -> None:
        """Read a file to its end. Raises OSError. Without the GIL."""
    def times(self) -> dict[str, npt.NDArray[np.int64]]:
        """Return time_ns, stack and period by sample; empty with more than ``max_times``."""
    def folded(self) -> bytes:
        """Return the stacks as folded text, sorted, weighted by periods."""
    def commands(self) -> list[bytes]:
        """Return the distinct commands, with their ids if requested."""
    def names(self) -> list[bytes]:
        """Return the distinct names of functions."""
    def files(self) -> list[bytes]:
        """Return the distinct files: paths, "[kernel.kallsyms]", "inlined"."""
    def functions(self) -> list[tuple[int, int, bool]]:
        """Return name, file, and whether it is inlined, by function."""
    def file_addresses(self) -> list[tuple[bytes, int, bytes, int | None]]:
        """Return file, address, symbol and offset to its begin; with ``by_address`` only."""
    def set_names(self, address: int, names: bytes) -> None:
        """Name the functions at an address by its number: outermost first, divided by ";"."""
    def frames(self) -> npt.NDArray[np.uint32]:
        """Return the functions of all stacks, leaf first."""
    def stacks(self) -> dict[str, npt.NDArray[np.int64]]:
        """Return command, begin and size in frames, samples and period by stack."""
    def events(self) -> list[tuple[bytes, int]]:
        """Return the events and their samples, including events that are left out."""

class ZstdStream:
    """The content of a zstd stream in pieces of at most 1 MiB; the caller bounds their sum."""

    complete: bool  # the input so far ends with a complete frame
    def __init__(self) -> None: ...
    def feed(self, compressed: bytes) -> None:
        """Continue with these compressed bytes, after all pieces of those before."""
    def produce(self) -> bytes:
        """Return the next piece; empty if more input is needed. Raises ValueError if damaged."""

class SourceLocationReader:
    """Source lines and inlined functions in debug information (`native/dwarf/locations.hpp`).

    ``places``: by name of a section, objects with offset, stored_bytes, size_bytes and compression.
    ``supplementary_descriptor``: of the file of .gnu_debugaltlink, -1 without. The descriptors stay
    open as long as the reader. Raises ValueError for debug information that contradicts itself,
    MemoryError and OSError.
    """

    unreadable_units: int
    def __init__(
        self,
        descriptor: int,
        places: Mapping[str, object],
        supplementary_descriptor: int,
        supplementary_places: Mapping[str, object],
    ) -> None: ...
    def assign(self, addresses: npt.NDArray[np.uint64]) -> int:
        """Return the number of units with addresses; other addresses are left out. No GIL."""
    def locate(self, part: int) -> dict[str, Any]:
        """Return the columns of one of these units (`UnitLocations`). Without the GIL.

        ``address`` uint64, ``file`` int32, ``line`` int64, ``function`` int32; of functions
        ``caller``, ``name``, ``call_file`` int32, ``call_line`` int64; ``texts``: list of bytes;
        ``damaged`` and ``split``: bool.
        """
