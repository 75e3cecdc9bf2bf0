"""The programs of stallscope-kernels, whose bottleneck is known."""

import resource
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from stallscope.documents import Count, Record, decode
from stallscope.errors import RecordingError, UnableError, UsageError
from stallscope.programs import program

PROGRAM = "stallscope-kernels"
T = TypeVar("T")
_REMEDY = "reinstall stallscope, or run ./dev build in a checkout"
_LIST_TIMEOUT_S = 30
_TRIAL_S = 0.1
_SET_UP_TIMEOUT_S = 300
REQUESTS = "requests:"  # programs whose answer `stallscope requests` gives
_KERNEL_ANSWERS = ("kernel:", "waiting:")


@dataclass(frozen=True, slots=True)
class KnownKernel:
    """A program and its expected answer; a held-out one was not used to tune any model."""

    name: str
    expected: str
    threads: int
    held_out: bool

    @property
    def is_slot_answer(self) -> bool:
        """Return whether the answer is a path of slots, not kernel time or waiting."""
        return not self.expected.startswith(_KERNEL_ANSWERS)

    def command(self, *options: str) -> tuple[str, ...]:
        """Return the command line that runs the program."""
        return (str(program(PROGRAM)), self.name, "--json", *options)


def known_kernels(names: tuple[str, ...] = ()) -> tuple[KnownKernel, ...]:
    """Return the programs with these names in list order; all programs without names.

    Programs whose threads measure their states belong to `stallscope lab waits`, those with
    requests to `stallscope requests`.

    Raises UsageError for an unknown name.
    """
    kernels = _list_kernels()
    known_names = [kernel.name for kernel in kernels]
    unknown = [name for name in names if name not in known_names]
    if unknown:
        import difflib  # noqa: PLC0415 - only for a mistyped name

        near = difflib.get_close_matches(unknown[0], known_names, n=3)
        hint = f"did you mean {' or '.join(near)}? " if near else ""
        raise UsageError(
            f"unknown kernel {unknown[0]!r}", f"{hint}known kernels: {', '.join(known_names)}"
        )
    return tuple(kernel for kernel in kernels if not names or kernel.name in names)


class _KernelRecord(Record, frozen=True):
    name: str
    expected: str
    threads: Count = 1
    held_out: bool = False
    measures_states: bool = False


class _ListRecord(Record, frozen=True):
    kernels: tuple[_KernelRecord, ...] = ()


class _RunRecord(Record, frozen=True):
    cpu_ns: Count
    elapsed_ns: Count
    iterations: Count


def _list_kernels() -> tuple[KnownKernel, ...]:
    words = (str(program(PROGRAM)), "--list", "--json")
    return tuple(
        KnownKernel(kernel.name, kernel.expected, kernel.threads, kernel.held_out)
        for kernel in run_program(words, _LIST_TIMEOUT_S, _ListRecord).kernels
        if not kernel.measures_states and not kernel.expected.startswith(REQUESTS)
    )


def run_program(words: tuple[str, ...], timeout_s: float, kind: type[T]) -> T:
    """Return the document that the program prints."""
    try:
        run = subprocess.run(words, capture_output=True, timeout=timeout_s, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UnableError(f"{PROGRAM} failed: {error}", _REMEDY) from error
    if run.returncode != 0:
        messages = run.stderr.decode("utf-8", "replace").strip().splitlines()
        reason = messages[0] if messages else f"exit status {run.returncode}"
        raise UnableError(f"{PROGRAM} failed: {reason}", _REMEDY)
    try:
        return decode(run.stdout, kind, PROGRAM)
    except RecordingError as error:
        raise UnableError(error.message, _REMEDY) from error


@dataclass(frozen=True, slots=True)
class KernelTrial:
    """The speed of a program, and the time in which it sets up its working set.

    ``set_up_s`` is wall time, which also passes while other programs have the CPU.
    """

    iterations_per_cpu_s: float
    set_up_s: float
    set_up_cpu_s: float


def try_kernel(kernel: KnownKernel) -> KernelTrial:
    """Return the result of a run of 0.1 s; raises UnableError if the program cannot run here."""
    began_s, began_cpu_s = time.monotonic(), _children_cpu_s()
    words = kernel.command("--duration", f"{_TRIAL_S}")
    report = run_program(words, _SET_UP_TIMEOUT_S, _RunRecord)
    total_s, total_cpu_s = time.monotonic() - began_s, _children_cpu_s() - began_cpu_s
    cpu_s, loop_s = max(1, report.cpu_ns) / 1e9, report.elapsed_ns / 1e9
    return KernelTrial(
        iterations_per_cpu_s=report.iterations / cpu_s,
        set_up_s=max(0.0, total_s - loop_s),
        set_up_cpu_s=max(0.0, total_cpu_s - cpu_s),
    )


def _children_cpu_s() -> float:
    """Return the CPU time of all child processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


@contextmanager
def running_kernel(kernel: KnownKernel, max_s: float) -> Iterator[int]:
    """Run the program during the block, at most for ``max_s``, and yield its pid."""
    words = kernel.command("--duration", f"{max_s}")
    with subprocess.Popen(
        words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    ) as process:
        try:
            yield process.pid
        finally:
            process.kill()
