"""A process that reads untrusted files under kernel limits on memory, CPU time and output.

Sizes and counts in ELF files, debug information and symbol maps are untrusted: any reader of them
can loop or grow, and a file of a stalled file system never answers. A forked process therefore
opens and reads them. The kernel limits its memory (RLIMIT_AS), CPU time (ITIMER_PROF, RLIMIT_CPU)
and output (RLIMIT_FSIZE); this process limits the elapsed time. One process reads any number of
files, one after another, and is replaced if it exceeds a limit. A fork costs 3 ms, a file 0.1 ms.

    with LimitedReader(read) as reader:  # read: a function from a request to blocks of bytes
        for path in paths:
            output = reader.output(path)

The result is written to a file in memory, so that its part before a forced end is not lost.
"""

import gc
import math
import os
import resource
import select
import signal
import struct
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NoReturn

from stallscope.closing import Closing
from stallscope.errors import StallscopeError
from topdown.stacks.symbols.reading_limits import ReadingBudget, ReadingLimits

Read = Callable[[bytes], Iterable[bytes | memoryview]]

_REQUEST = struct.Struct("<Idqq")  # length of the request that follows, limits
_REPORT = struct.Struct("<BdI")  # status, CPU seconds, length of the message that follows
_DONE, _NO_MEMORY, _REFUSED, _TOO_LARGE, _FAILED = range(5)
_MESSAGE_LIMIT = 4096
_KILL_WAIT_S = 2.0
_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class ReaderOutput:
    """The bytes that were written, and why reading did not finish; empty if it did."""

    content: bytes
    failure: str = ""


@dataclass(slots=True)
class _Reader:
    """A running process: its PID, and the pipes for requests and for reports."""

    pid: int
    requests: int
    reports: int
    output: int


@dataclass(slots=True)
class LimitedReader(Closing):
    """Calls ``read`` in a limited process that is started when the first output is requested.

    ``read`` yields bytes. It runs in a copy of this process: it can use its objects, and changes to
    them are lost. A StallscopeError that it raises becomes the failure. Not for several threads.
    """

    read: Read
    limits: ReadingLimits = field(default_factory=ReadingLimits)
    budget: ReadingBudget = field(default_factory=ReadingBudget)
    _running: _Reader | None = None

    def close(self) -> None:
        """End the process."""
        self._end()

    def __del__(self) -> None:
        """End the process of a reader that was not closed."""
        self._end()

    def output(self, request: bytes, limits: ReadingLimits | None = None) -> ReaderOutput:
        """Return the output for a request, with the limit that ended it if it did not finish."""
        if self.budget.exhausted:
            return ReaderOutput(b"", self.budget.exhausted)
        limits = limits or self.limits
        reader = self._running or self._start()
        start_s = time.monotonic()
        header = _REQUEST.pack(len(request), limits.cpu_s, limits.memory_bytes, limits.output_bytes)
        with suppress(BrokenPipeError):
            _write(reader.requests, header + request)
        wall_s = min(limits.wall_s, self.budget.wall_s)
        report = _receive(reader.reports, start_s + wall_s)
        if report is None:
            self.budget.cpu_s -= limits.cpu_s
            content = _content(reader.output, limits.output_bytes)
            failure = self._failure(limits, late=time.monotonic() - start_s >= wall_s)
        else:
            status, cpu_s, message = report
            self.budget.cpu_s -= cpu_s
            content = _content(reader.output, limits.output_bytes)
            failure = _failure_of(status, message, limits)
        self.budget.wall_s -= time.monotonic() - start_s
        return ReaderOutput(content, failure)

    def _start(self) -> _Reader:
        request_end, requests = os.pipe2(os.O_CLOEXEC)
        reports, report_end = os.pipe2(os.O_CLOEXEC)
        output = os.memfd_create("stallscope-reader", os.MFD_CLOEXEC)
        pid = os.fork()
        if pid == 0:
            _serve(self.read, request_end, report_end, output)
        os.close(request_end)
        os.close(report_end)
        self._running = _Reader(pid, requests, reports, output)
        return self._running

    def _failure(self, limits: ReadingLimits, *, late: bool) -> str:
        """End the process, and return why it did not report."""
        status = self._end()
        if late:
            return f"the time limit of {limits.wall_s:.3g} s was reached"
        if status in (-signal.SIGPROF, -signal.SIGXCPU):
            return f"the limit of {limits.cpu_s:.3g} s of CPU time was reached"
        return f"its reader ended unexpectedly (status {status})"

    def _end(self) -> int | None:
        """Return the exit status of the process after it was ended; None if it cannot end."""
        reader, self._running = self._running, None
        if reader is None:
            return 0
        os.close(reader.requests)
        status = _wait(reader.pid, 0.0)
        if status is None and select.select([reader.reports], [], [], 0.05)[0]:
            status = _wait(reader.pid, 0.05)
        if status is None:
            with suppress(ProcessLookupError):
                os.kill(reader.pid, signal.SIGKILL)
            # A process in an uninterruptible read is left: it has no descriptor of this process.
            status = _wait(reader.pid, _KILL_WAIT_S)
        os.close(reader.reports)
        os.close(reader.output)
        return status


def read_limited(
    task: Callable[[], Iterable[bytes | memoryview]],
    limits: ReadingLimits | None = None,
    budget: ReadingBudget | None = None,
) -> ReaderOutput:
    """Return the output of a single task."""
    limits, budget = limits or ReadingLimits(), budget or ReadingBudget()
    with LimitedReader(lambda _request: task(), limits, budget) as reader:
        return reader.output(b"")


def _wait(pid: int, limit_s: float) -> int | None:
    """Return the exit status of a child, None if it runs for longer than ``limit_s``."""
    end_s = time.monotonic() + limit_s
    while True:
        try:
            ended, status = os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            return 0
        if ended:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() >= end_s:
            return None
        time.sleep(0.001)


def _receive(descriptor: int, end_s: float) -> tuple[int, float, str] | None:
    """Return status, CPU time and message of a report, None if there is none until ``end_s``."""
    content = b""
    length = _REPORT.size
    while len(content) < length:
        if not select.select([descriptor], [], [], max(0.0, end_s - time.monotonic()))[0]:
            return None
        chunk = os.read(descriptor, length - len(content))
        if not chunk:
            return None
        content += chunk
        if len(content) == _REPORT.size:
            length += min(_REPORT.unpack(content)[2], _MESSAGE_LIMIT)
    status, cpu_s, _ = _REPORT.unpack_from(content)
    return status, max(0.0, cpu_s), content[_REPORT.size :].decode("utf-8", "replace")


def _content(descriptor: int, limit: int) -> bytes:
    size = min(os.fstat(descriptor).st_size, limit)
    parts: list[bytes] = []
    offset = 0
    while offset < size and (chunk := os.pread(descriptor, size - offset, offset)):
        parts.append(chunk)
        offset += len(chunk)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _failure_of(status: int, message: str, limits: ReadingLimits) -> str:
    if status == _DONE:
        return ""
    if status == _NO_MEMORY:
        return f"the limit of {limits.memory_bytes // _MIB:,} MiB of memory was reached"
    if status == _TOO_LARGE:
        return f"the limit of {limits.output_bytes // _MIB:,} MiB of names was reached"
    return message if status == _REFUSED else f"its reader failed: {message}"


def _serve(read: Read, requests: int, reports: int, output: int) -> NoReturn:
    """Answer requests until the other end closes; never returns."""
    try:
        gc.disable()  # a collection would write to, and so copy, the pages of the parent
        _detach(requests, reports, output)
        while len(header := _received(requests, _REQUEST.size)) == _REQUEST.size:
            length, cpu_s, memory_bytes, output_bytes = _REQUEST.unpack(header)
            request = _received(requests, length)
            start_s = time.process_time()
            os.ftruncate(output, 0)
            os.lseek(output, 0, os.SEEK_SET)
            _limit(cpu_s, memory_bytes, output_bytes)
            status, message = _run(read, request, output)
            signal.setitimer(signal.ITIMER_PROF, 0)
            content = message.encode("utf-8", "replace")[:_MESSAGE_LIMIT]
            used_s = time.process_time() - start_s
            os.write(reports, _REPORT.pack(status, used_s, len(content)) + content)
    finally:
        os._exit(0)


def _detach(*kept: int) -> None:
    """Keep no descriptor but these, and no signal handler: the process may have to be abandoned."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGPROF, signal.SIGALRM, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    null = os.open("/dev/null", os.O_RDWR)
    for standard in range(3):
        os.dup2(null, standard)
    first = 3
    for descriptor in sorted(kept):
        os.closerange(first, descriptor)
        first = descriptor + 1
    os.closerange(first, os.sysconf("SC_OPEN_MAX"))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _limit(cpu_s: float, memory_bytes: int, output_bytes: int) -> None:
    """Set the limits of the next task; hard limits stay, so that the next task can have others."""
    with open("/proc/self/statm", "rb") as file:
        pages = int(file.read().split()[0])
    _set_soft_limit(resource.RLIMIT_AS, pages * resource.getpagesize() + memory_bytes)
    _set_soft_limit(resource.RLIMIT_FSIZE, output_bytes)
    # The timer has fine resolution; the limit cannot be changed by a task that disarms the timer.
    _set_soft_limit(resource.RLIMIT_CPU, math.ceil(time.process_time() + cpu_s) + 1)
    signal.setitimer(signal.ITIMER_PROF, cpu_s)


def _set_soft_limit(kind: int, value: int) -> None:
    hard = resource.getrlimit(kind)[1]
    resource.setrlimit(kind, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


def _run(read: Read, request: bytes, output: int) -> tuple[int, str]:
    try:
        for block in read(request):
            try:
                _write(output, block)
            except OSError as error:
                raise _OutputLimitError(error.errno, error.strerror) from error
    except MemoryError:
        return _NO_MEMORY, ""
    except StallscopeError as error:
        return _REFUSED, error.message
    except OSError as error:
        too_large = isinstance(error, _OutputLimitError)
        return (_TOO_LARGE, "") if too_large else (_FAILED, f"{error.strerror}")
    except Exception as error:  # noqa: BLE001 - any failure of a reader is a missing result
        return _FAILED, type(error).__name__
    return _DONE, ""


class _OutputLimitError(OSError):
    """The output exceeds its limit."""


def _received(descriptor: int, length: int) -> bytes:
    """Return ``length`` bytes of a pipe, fewer if its other end is closed."""
    content = b""
    while len(content) < length and (chunk := os.read(descriptor, length - len(content))):
        content += chunk
    return content


def _write(descriptor: int, block: bytes | memoryview) -> None:
    rest = memoryview(block)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
