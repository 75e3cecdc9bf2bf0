"""The command as it runs by itself: CPU time by the kernel's account, a few times over.

The first run has the command's own output and errors; what repeats it is silent. Standard input
that comes from a pipe is kept and given to every run again.
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

MOST_INPUT_BYTES = 2**30
PIECE_BYTES = 2**20
PROGRESS_S = 5.0
SILENT_INPUT_S = 1.0
WAITS_FOR_INPUT = (
    "waiting for the end of standard input, which every run is given: < /dev/null gives none"
)
PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class NativeRun:
    """What one run took, in seconds.

    ``queued_s`` is time it was ready and had no CPU, as far as the kernel tells; ``idle_s`` the
    time, summed over the machine's CPUs, in which they had nothing to do: infinite where unknown.
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
        """Return how long it waited for something other than a CPU, at the most.

        Who is ready runs where a CPU is idle: more than all idle time nobody has waited for
        anything but a CPU that others had.
        """
        return min(max(0.0, self.wall_s - self.cpu_s - self.queued_s), self.idle_s)


class TooLongError(UnableError):
    """A run that was ended because it took longer than allowed."""


class CommandInput:
    """The command's standard input, from its start for every run."""

    def __init__(self, file: IO[bytes] | None) -> None:
        """Take a file to be read from where it stands; without one there is no input."""
        self._file = file
        self._start = file.tell() if file is not None else 0

    def rewound(self) -> int | IO[bytes]:
        """Return what subprocess takes as the input of the next run."""
        if self._file is None:
            return subprocess.DEVNULL
        os.lseek(self._file.fileno(), self._start, os.SEEK_SET)
        return self._file


@contextmanager
def standard_input(
    descriptor: int = 0, *, on_wait: Callable[[str], None] = lambda _: None
) -> Iterator[CommandInput]:
    """Yield this process's standard input for a command that runs more than once.

    A terminal gives nothing: nobody types the same twice. ``on_wait`` is told where a pipe gives
    nothing and does not end. Raises UsageError beyond 1 GiB.
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
        with tempfile.TemporaryFile() as kept:
            _copy(source, kept, on_wait)
            yield CommandInput(kept)


def _copy(source: IO[bytes], kept: IO[bytes], on_wait: Callable[[str], None]) -> None:
    left = MOST_INPUT_BYTES
    if not select.select([source], [], [], SILENT_INPUT_S)[0]:
        on_wait(WAITS_FOR_INPUT)
    while part := source.read(PIECE_BYTES):
        left -= len(part)
        if left < 0:
            raise UsageError(
                "the command's input is a pipe of more than 1 GiB",
                "put it into a file and redirect that: it is read once for every run",
            )
        kept.write(part)
    kept.flush()
    kept.seek(0)


def run_once(
    command: Sequence[str],
    given: CommandInput,
    *,
    silent: bool,
    timeout_s: float | None = None,
    on_wait: Callable[[float], None] | None = None,
) -> NativeRun:
    """Return what one run of the command took.

    Raises TargetError where it cannot be started, and TooLongError when it was ended after
    ``timeout_s``. A silent run is a session of its own, which ends whole.
    """
    quiet = subprocess.DEVNULL if silent else None
    machine = read_machine_time(PROC)
    start = time.monotonic()
    try:
        child = subprocess.Popen(
            list(command),
            stdin=given.rewound(),
            stdout=quiet,
            stderr=quiet,
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
    """Wait until the process has ended, without taking its status."""
    descriptor = os.pidfd_open(pid)
    try:
        waiting = select.poll()
        waiting.register(descriptor, select.POLLIN)
        while not waiting.poll(
            PROGRESS_S * 1000 if timeout_s is None else _left_ms(start, timeout_s)
        ):
            gone = time.monotonic() - start
            if timeout_s is not None and gone >= timeout_s:
                raise TooLongError(
                    f"the simulated run was ended after {timeout_s:.0f} s",
                    "give the command less work, or a longer --model-timeout",
                )
            if on_wait is not None:
                on_wait(gone)
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
    """Return how long an ended process's first thread waited for a CPU; 0 where unknown."""
    words = (read_text(PROC / str(pid) / "schedstat", 256) or "").split()
    return int(words[1]) / 1e9 if len(words) == 3 and words[1].isdecimal() else 0.0
