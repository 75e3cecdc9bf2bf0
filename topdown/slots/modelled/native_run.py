"""Native runs of a command, with the kernel's accounting of their CPU time.

The first run has the command's output and errors; repeats are silent. Standard input from a pipe is
stored and passed to every run.
"""

import math
import os
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from stallscope.errors import TargetError, UnableError, UsageError
from stallscope.machine_time import MachineTime, read_machine_time
from stallscope.printable import printable
from stallscope.system_files import read_text

MAX_INPUT_BYTES = 2**30
PIECE_BYTES = 2**20
PROGRESS_S = 5.0
INPUT_WAIT_S = 1.0
WAITS_FOR_INPUT = (
    "waiting for the end of standard input, which every run receives; < /dev/null provides none"
)
PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class NativeRun:
    """The times of one run, in seconds.

    ``queued_s`` is the time ready without a CPU, as far as the kernel reports it. ``idle_s`` is the
    idle time of all the machine's CPUs, infinite if unknown.
    """

    wall_s: float
    user_s: float
    system_s: float
    queued_s: float
    voluntary_switches: int
    status: int
    idle_s: float = math.inf

    @property
    def cpu_s(self) -> float:
        """Return user and system time together."""
        return self.user_s + self.system_s

    @property
    def waited_s(self) -> float:
        """Return the maximum time it waited for anything other than a CPU.

        A ready thread runs on an idle CPU, so that waits for other things cannot exceed the idle
        time of all CPUs.
        """
        return min(max(0.0, self.wall_s - self.cpu_s - self.queued_s), self.idle_s)


class TooLongError(UnableError):
    """A run that exceeded its time limit."""


class CommandInput:
    """The command's standard input, rewound for every run."""

    def __init__(self, file: IO[bytes] | None) -> None:
        """Use a file from its current position; without one there is no input."""
        self._file = file
        self._start = file.tell() if file is not None else 0

    def rewound(self) -> int | IO[bytes]:
        """Return the subprocess argument for the input of the next run."""
        if self._file is None:
            return subprocess.DEVNULL
        os.lseek(self._file.fileno(), self._start, os.SEEK_SET)
        return self._file


@contextmanager
def standard_input(
    descriptor: int = 0, *, on_wait: Callable[[str], None] = lambda _: None
) -> Iterator[CommandInput]:
    """Yield this process's standard input for a command that runs several times.

    A terminal provides no input, because it cannot be rewound. ``on_wait`` is called if a pipe
    provides no data and does not end. Raises UsageError beyond 1 GiB.
    """
    try:
        terminal = os.isatty(descriptor)
        copy = os.dup(descriptor)
    except OSError:
        yield CommandInput(None)
        return
    with open(copy, "rb", buffering=0) as source:
        if terminal:
            yield CommandInput(None)
            return
        try:
            seekable = source.seekable()
        except OSError:
            seekable = False
        if seekable:
            yield CommandInput(source)
            return
        with tempfile.TemporaryFile() as copied:
            _copy(source, copied, on_wait)
            yield CommandInput(copied)


def _copy(source: IO[bytes], copied: IO[bytes], on_wait: Callable[[str], None]) -> None:
    remaining_bytes = MAX_INPUT_BYTES
    if not select.select([source], [], [], INPUT_WAIT_S)[0]:
        on_wait(WAITS_FOR_INPUT)
    while chunk := source.read(PIECE_BYTES):
        remaining_bytes -= len(chunk)
        if remaining_bytes < 0:
            raise UsageError(
                "the command's input is a pipe of more than 1 GiB",
                "redirect it from a file, which every run can read",
            )
        copied.write(chunk)
    copied.flush()
    copied.seek(0)


def run_once(
    command: Sequence[str],
    command_input: CommandInput,
    *,
    silent: bool,
    timeout_s: float | None = None,
    on_wait: Callable[[float], None] | None = None,
) -> NativeRun:
    """Return the times of one run of the command.

    Raises TargetError if it cannot start, and TooLongError after ``timeout_s``. A silent run is a
    separate session, all of whose processes are ended.
    """
    output = subprocess.DEVNULL if silent else None
    machine = read_machine_time(PROC)
    start = time.monotonic()
    try:
        child = subprocess.Popen(
            list(command),
            stdin=command_input.rewound(),
            stdout=output,
            stderr=output,
            start_new_session=silent,
        )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise TargetError(
            f"cannot start {printable(command[0])}: {reason}",
            "name a program that is on PATH, or its path",
        ) from error
    try:
        _wait(child.pid, start, timeout_s, on_wait)
    except BaseException:
        _end(child.pid, whole_session=silent)
        child.returncode = os.waitstatus_to_exitcode(os.waitpid(child.pid, 0)[1])
        raise
    wall = time.monotonic() - start
    queued = _queued_s(child.pid)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    idle = _idle_s(machine, read_machine_time(PROC))
    times = usage.ru_utime, usage.ru_stime, queued
    return NativeRun(wall, *times, usage.ru_nvcsw, child.returncode, idle)


def _wait(
    pid: int, start: float, timeout_s: float | None, on_wait: Callable[[float], None] | None
) -> None:
    """Wait until the process has ended, without reaping it."""
    descriptor = os.pidfd_open(pid)
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        while not poll.poll(PROGRESS_S * 1000 if timeout_s is None else _left_ms(start, timeout_s)):
            elapsed_s = time.monotonic() - start
            if timeout_s is not None and elapsed_s >= timeout_s:
                raise TooLongError(
                    f"the simulated run was ended after {timeout_s:.0f} s",
                    "give the command less work, or a longer --model-timeout",
                )
            if on_wait is not None:
                on_wait(elapsed_s)
    finally:
        os.close(descriptor)


def _left_ms(start: float, timeout_s: float) -> float:
    return 1000 * max(0.001, min(PROGRESS_S, start + timeout_s - time.monotonic()))


def _end(pid: int, *, whole_session: bool) -> None:
    with suppress(OSError):
        if whole_session:
            os.killpg(pid, signal.SIGKILL)
        else:
            os.kill(pid, signal.SIGKILL)


def _idle_s(before: MachineTime | None, after: MachineTime | None) -> float:
    if before is None or after is None:
        return math.inf
    return (after.idle - before.idle) / os.sysconf("SC_CLK_TCK")


def _queued_s(pid: int) -> float:
    """Return how long the first thread of an ended process waited for a CPU; 0 if unknown."""
    words = (read_text(PROC / str(pid) / "schedstat", 256) or "").split()
    return int(words[1]) / 1e9 if len(words) == 3 and words[1].isdecimal() else 0.0
