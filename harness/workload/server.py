"""The reference server as a child process: start, readiness, CPU time, end."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from harness.workload.options import ServerOptions
from harness.workload.process import (
    ChildProcess,
    read_first_line,
    running_program,
    stderr_lines,
)
from stallscope.documents import Count, Record
from stallscope.errors import TargetError

PROGRAM = "stallscope-server"


class ServerThread(Record, frozen=True):
    """A thread of the server; ``cpu`` is None if the thread is not pinned."""

    tid: Count
    cpu: Count | None = None


class _ReadyRecord(Record, frozen=True):
    pid: Count
    port: Count | None = None
    metrics_port: Count | None = None
    threads: tuple[ServerThread, ...] = ()


@dataclass(frozen=True, slots=True)
class RunningServer:
    """A server that accepts connections."""

    options: ServerOptions
    child: ChildProcess
    pid: int
    port: int | None
    metrics_port: int | None
    threads: tuple[ServerThread, ...]

    @property
    def target(self) -> str:
        """Return its address in the form that the loader accepts."""
        if self.port is None:
            return f"unix:{self.options.unix}"
        return f"{self.options.bind or '127.0.0.1'}:{self.port}"

    def check_alive(self) -> None:
        """Raise TargetError if the server has ended."""
        status = self.child.process.poll()
        if status is not None:
            messages = stderr_lines(self.child)
            raise TargetError(
                f"{PROGRAM} exited with status {status} during the measurement"
                f"{f': {messages[-1]}' if messages else ''}",
                f"run {PROGRAM} alone to see why",
            )


@contextmanager
def running_server(options: ServerOptions) -> Iterator[RunningServer]:
    """Run the server until the end of the block; it accepts connections when the block begins.

    Raises the server's own error if it cannot start, TargetError if it is not ready in time.
    """
    with running_program(PROGRAM, options.arguments()) as child:
        ready = read_first_line(child, _ReadyRecord)
        yield RunningServer(
            options=options,
            child=child,
            pid=ready.pid,
            port=ready.port,
            metrics_port=ready.metrics_port,
            threads=ready.threads,
        )


def process_cpu_s(pid: int) -> float:
    """Return the CPU time of a process and its threads in seconds, from its CPU-time clock.

    Raises TargetError if the process no longer exists.
    """
    clock_id = (~pid << 3) | 2  # the encoding of clock_getcpuclockid(3)
    try:
        return time.clock_gettime(clock_id)
    except OSError as error:
        raise TargetError(
            f"process {pid} ended during the measurement", "check its messages"
        ) from error
