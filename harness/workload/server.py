"""The reference server as a child: started, ready, asked for its counts, ended."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from harness.workload.options import ServerOptions
from harness.workload.process import Child, first_line, messages, started
from stallscope.errors import TargetError

PROGRAM = "stallscope-server"


@dataclass(frozen=True, slots=True)
class ServerThread:
    """A thread of the server; ``cpu`` is the one it is pinned to, None where it is not."""

    tid: int
    cpu: int | None


@dataclass(frozen=True, slots=True)
class RunningServer:
    """A server that answers."""

    options: ServerOptions
    child: Child
    pid: int
    port: int | None
    metrics_port: int | None
    threads: tuple[ServerThread, ...]

    @property
    def target(self) -> str:
        """Return where it listens, as the loader takes it."""
        if self.port is None:
            return f"unix:{self.options.unix}"
        return f"{self.options.bind or '127.0.0.1'}:{self.port}"

    def check_alive(self) -> None:
        """Raise TargetError where the server has ended."""
        status = self.child.process.poll()
        if status is not None:
            said = messages(self.child)
            raise TargetError(
                f"{PROGRAM} ended with status {status} while it was measured"
                f"{f': {said[-1]}' if said else ''}",
                f"run {PROGRAM} by itself to see why",
            )


@contextmanager
def running_server(options: ServerOptions) -> Iterator[RunningServer]:
    """Run the server until the end of the block; it answers when the block begins.

    Raises what it says itself where it cannot start, TargetError where it is not ready in time.
    """
    with started(PROGRAM, options.arguments()) as child:
        ready = first_line(child)
        yield RunningServer(
            options=options,
            child=child,
            pid=ready.count("pid"),
            port=ready.maybe_count("port"),
            metrics_port=ready.maybe_count("metrics_port"),
            threads=tuple(
                ServerThread(thread.count("tid"), thread.maybe_count("cpu"))
                for thread in ready.objects("threads")
            ),
        )


def process_cpu_s(pid: int) -> float:
    """Return the CPU seconds that a process and its threads have taken, by its own clock.

    Raises TargetError where there is no such process any more.
    """
    clock = (~pid << 3) | 2  # as clock_getcpuclockid(3) makes it
    try:
        return time.clock_gettime(clock)
    except OSError as error:
        raise TargetError(
            f"process {pid} ended while it was measured", "look at what it said"
        ) from error
