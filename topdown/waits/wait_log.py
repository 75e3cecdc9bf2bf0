"""The log of a recording of waits: waits.jsonl, one JSON object per line.

The recorder writes what perf's records do not say: readings of /proc, open descriptors, throttling
of cgroups, stolen time, owners of locks, and which sources were not available. Lines are appended
while the target runs, so the last one may be unfinished. Names come from the target and are not
trusted. Times are those of CLOCK_MONOTONIC, in nanoseconds.

Cost: 2 us per line.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import msgspec

from stallscope.documents import Count, Integer, Record
from stallscope.printable import printable
from stallscope.regular_file import (
    MissingFileError,
    RefusedFileError,
    RegularFile,
    open_in_root,
)
from topdown.stacks.profile_warning import ProfileWarning

FILE = "waits.jsonl"
MAX_BYTES = 1 << 30
MAX_LINES = 2_000_000
MAX_LINE_BYTES = 1 << 20
_BLOCK = 4 << 20
_Word = Annotated[int, msgspec.Meta(ge=0)]  # 64 bits, unsigned


class WaitSource(Record, frozen=True, kw_only=True):
    """A source of information about waits, and how it becomes available."""

    name: str
    available: bool
    reason: str = ""
    remedy: str = ""


class ThreadLine(Record, frozen=True, kw_only=True):
    """A reading of /proc/PID/task/TID."""

    moment: str  # "start", "end" or "tick"
    at_ns: Count
    pid: Integer
    tid: Integer
    state: str = ""
    run_ns: Count | None = None
    queue_ns: Count | None = None
    syscall: tuple[int, ...] | None = None  # number and arguments; None: it runs
    cgroup: str = ""
    runs: Count | None = None  # how often it has come to a CPU
    major_faults: Count | None = None


class DescriptorLine(Record, frozen=True, kw_only=True):
    """An open descriptor of a process."""

    moment: str
    pid: Integer
    fd: Integer
    kind: str  # "file", "socket", "pipe", "eventfd", "epoll", "timerfd", "device", "block device"
    target: str = ""


class CgroupLine(Record, frozen=True, kw_only=True):
    """The throttling of a cgroup until now."""

    moment: str
    at_ns: Count
    path: str
    throttled_ns: Count | None = None
    periods_throttled: Count | None = None


class CpusLine(Record, frozen=True, kw_only=True):
    """Time that the hypervisor took from all CPUs until now."""

    moment: str
    at_ns: Count
    steal_ns: Count | None = None


class OwnerLine(Record, frozen=True, kw_only=True):
    """The owner of a lock while a thread waited for it."""

    at_ns: Count
    pid: Integer
    waiter: Integer  # TID
    address: _Word
    kind: str
    late_ns: Integer = 0  # delay of the reading after the thread left the CPU
    owner_tid: Integer | None = None
    reason: str = ""


class ModeLine(Record, frozen=True, kw_only=True):
    """How switches are recorded from now on: "all", "windows" or "ticks" (readings alone)."""

    at_ns: Count
    mode: str
    switches_per_s: float = 0.0  # of the target, before


class WindowLine(Record, frozen=True, kw_only=True):
    """A random window in which all switches are recorded."""

    begin_ns: Count
    end_ns: Count


@dataclass(frozen=True, slots=True)
class WaitLog:
    """The lines of a log by type, in the order of the file."""

    sources: tuple[WaitSource, ...] = ()
    threads: tuple[ThreadLine, ...] = ()
    descriptors: tuple[DescriptorLine, ...] = ()
    cgroups: tuple[CgroupLine, ...] = ()
    cpus: tuple[CpusLine, ...] = ()
    owners: tuple[OwnerLine, ...] = ()
    modes: tuple[ModeLine, ...] = ()
    windows: tuple[WindowLine, ...] = ()
    warnings: tuple[ProfileWarning, ...] = ()


class _LineType(msgspec.Struct):
    type: str


@dataclass(slots=True)
class _Lines:
    """Collects lines by type, and the numbers of bad lines."""

    by_type: dict[str, list[Any]] = field(default_factory=lambda: {key: [] for key in _DECODERS})
    first_bad: tuple[int, str] = (0, "")
    bad_count: int = 0

    def add(self, number: int, line: bytes) -> None:
        try:
            name = _TYPE_DECODER.decode(line).type
            if (decoder := _DECODERS.get(name)) is not None:
                self.by_type[name].append(decoder.decode(line))
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
            self.add_bad(number, str(error))

    def add_bad(self, number: int, reason: str) -> None:
        if not self.bad_count:
            self.first_bad = (number, printable(reason)[:200])
        self.bad_count += 1


_TYPE_DECODER = msgspec.json.Decoder(_LineType)
_DECODERS: dict[str, msgspec.json.Decoder[Any]] = {
    "source": msgspec.json.Decoder(WaitSource),
    "thread": msgspec.json.Decoder(ThreadLine),
    "descriptor": msgspec.json.Decoder(DescriptorLine),
    "cgroup": msgspec.json.Decoder(CgroupLine),
    "cpus": msgspec.json.Decoder(CpusLine),
    "owner": msgspec.json.Decoder(OwnerLine),
    "mode": msgspec.json.Decoder(ModeLine),
    "window": msgspec.json.Decoder(WindowLine),
}


def read_wait_log(recording: Path) -> WaitLog | None:
    """Return the log of a recording, None if it has none.

    Bad lines are left out; a warning names the file and the first of them. Lines of unknown types
    are those of newer versions and are ignored.
    """
    try:
        with open_in_root(recording, FILE.encode()) as file:
            return _read(file)
    except MissingFileError:
        return None
    except RefusedFileError as error:
        return WaitLog(warnings=(ProfileWarning("wait-log-refused", printable(error.message)),))


def _read(file: RegularFile) -> WaitLog:
    lines = _Lines()
    cut = False
    for number, line in enumerate(_split(file), 1):
        if number > MAX_LINES:
            cut = True
            break
        if len(line) > MAX_LINE_BYTES:
            lines.add_bad(number, f"longer than {MAX_LINE_BYTES} bytes")
        else:
            lines.add(number, line)
    warnings = []
    name = printable(file.name)
    if lines.bad_count:
        number, reason = lines.first_bad
        message = f"{name}: line {number} is damaged ({reason})"
        message += f"; {lines.bad_count} lines are left out" if lines.bad_count > 1 else ""
        warnings.append(ProfileWarning("wait-log-damaged", message))
    if cut or file.size > MAX_BYTES:
        limit = f"{MAX_LINES:,} lines or {MAX_BYTES >> 30} GiB"
        message = f"{name} is longer than {limit}; the rest is left out"
        warnings.append(ProfileWarning("wait-log-cut", message))
    by_type = lines.by_type
    return WaitLog(
        sources=tuple(by_type["source"]),
        threads=tuple(by_type["thread"]),
        descriptors=tuple(by_type["descriptor"]),
        cgroups=tuple(by_type["cgroup"]),
        cpus=tuple(by_type["cpus"]),
        owners=tuple(by_type["owner"]),
        modes=tuple(by_type["mode"]),
        windows=tuple(by_type["window"]),
        warnings=tuple(warnings),
    )


def _split(file: RegularFile) -> Iterator[bytes]:
    """Yield complete lines; text after the last newline is an unfinished line.

    Of a line that is too long, one byte more than the limit is kept.
    """
    end = min(file.size, MAX_BYTES)
    rest = b""
    for offset in range(0, end, _BLOCK):
        lines = (rest + file.read(offset, min(_BLOCK, end - offset))).split(b"\n")
        rest = lines.pop()[: MAX_LINE_BYTES + 1]
        yield from lines
