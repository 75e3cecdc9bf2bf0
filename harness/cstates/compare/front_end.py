"""A front end between the loader and the reference server, for chains of three processes."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from harness.workload.process import ChildProcess, read_first_line, running_program
from stallscope.documents import Count, Record

PROGRAM = "stallscope-wake"


class _ReadyRecord(Record, frozen=True):
    pid: Count
    port: Count


@dataclass(frozen=True, slots=True)
class RunningFrontEnd:
    """A process that passes the requests of its clients on to a server on this host."""

    child: ChildProcess
    pid: int
    port: int

    @property
    def target(self) -> str:
        """Return its address in the form that the loader accepts."""
        return f"127.0.0.1:{self.port}"


@contextmanager
def running_front_end(server_port: int, cpu: int) -> Iterator[RunningFrontEnd]:
    """Run the front end on a CPU until the end of the block; it then accepts connections."""
    arguments = ["--front-end-of", str(server_port), "--cpus", str(cpu)]
    with running_program(PROGRAM, arguments) as child:
        ready = read_first_line(child, _ReadyRecord)
        yield RunningFrontEnd(child, ready.pid, ready.port)
