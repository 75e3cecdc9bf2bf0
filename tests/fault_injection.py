"""System calls that fail on request: strace makes one call of a program return an error.

Record the calls of a normal run first, then repeat the run once per fault::

    with started(program, prefix=recorder(log)): ...
    for fault in faults_of(calls_in(log)):
        with started(program, prefix=fault.prefix(other_log)): ...
        assert was_injected(other_log)

The program keeps its process number: strace runs beside it and ends with it.
"""

import random
import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

ERRORS = ("ENOSPC", "EIO", "EINTR", "EAGAIN", "ENOMEM", "EMFILE")

# The C library starts and ends processes and threads with these, and cannot go on if they fail. A kernel closes the
# descriptor even if close() fails; strace would leave it open.
_LEFT_OUT = frozenset(
    [
        "arch_prctl",
        "brk",
        "close",
        "execve",
        "exit",
        "exit_group",
        "futex",
        "madvise",
        "mprotect",
        "munmap",
        "restart_syscall",
        "rseq",
        "rt_sigprocmask",
        "rt_sigreturn",
        "set_robust_list",
        "set_tid_address",
    ]
)
_CALL = re.compile(r"(\d+)\s+(\w+)\(")


@dataclass(frozen=True, slots=True)
class Fault:
    """One failing call: the `occurrence`-th call of each thread, from 1."""

    system_call: str
    error: str
    occurrence: int
    path: str = ""  # only calls with this path count

    def prefix(self, log: Path) -> tuple[str, ...]:
        """A command that starts a program with this fault, and logs the failing calls."""
        inject = f"inject={self.system_call}:error={self.error}:when={self.occurrence}"
        path = ("-P", self.path) if self.path else ()
        return (*_tracer(log), *path, "-e", f"trace={self.system_call}", "-e", inject)

    def __str__(self) -> str:
        return f"{self.system_call} {self.occurrence}: {self.error}"


def need_strace() -> None:
    if shutil.which("strace") is None:
        pytest.skip("needs the program strace")


def recorder(log: Path) -> tuple[str, ...]:
    """A command that starts a program and logs its calls."""
    return _tracer(log)


def _tracer(log: Path) -> tuple[str, ...]:
    return ("strace", "-D", "-f", "-qq", "--seccomp-bpf", "-s", "200", "-o", str(log))


def calls_in(log: Path) -> dict[str, int]:
    """The largest number of calls that one thread has made, by system call."""
    by_thread: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for match in map(_CALL.match, log.read_text(errors="replace").splitlines()):
        if match:
            by_thread[match[2]][match[1]] += 1
    return {
        name: max(threads.values())
        for name, threads in sorted(by_thread.items())
        if name not in _LEFT_OUT
    }


def faults_of(calls: Mapping[str, int], errors: Iterable[str] = ERRORS) -> list[Fault]:
    """Each error at each call, in a fixed random order; any first part has as many faults of each system call."""
    choice = random.Random(1)
    ranked: list[tuple[int, float, Fault]] = []
    for name, count in calls.items():
        for error in errors:
            occurrences = choice.sample(range(1, count + 1), count)
            ranked.extend(
                (rank, choice.random(), Fault(name, error, occurrence))
                for rank, occurrence in enumerate(occurrences)
            )
    return [fault for _, _, fault in sorted(ranked, key=lambda entry: entry[:2])]


def was_injected(log: Path) -> bool:
    """Whether the fault was reached."""
    return "(INJECTED)" in log.read_text(errors="replace")
