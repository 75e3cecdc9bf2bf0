"""What is run under each setting: a command, or the loader against the reference server."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from cstates.pinning.session import RunResult
from harness.workload.loader import DOCUMENT, PROGRAM
from harness.workload.options import LoadOptions, ServerOptions
from harness.workload.results import LoadResult
from harness.workload.server import RunningServer, process_cpu_s, running_server
from stallscope.documents import read_document
from stallscope.programs import program

WALL, CPU = "wall_s", "cpu_s"
P50, P99, SERVER_CPU = "latency_p50_us", "latency_p99_us", "server_cpu_s"
_CONNECTIONS = 4
_WARMUP_S = 0.2


class Subject(Protocol):
    """What is run again and again."""

    def command(self) -> Sequence[str]:
        """Return the words of the next run."""
        ...

    def metrics(self, result: RunResult) -> dict[str, float | None]:
        """Return what the run that just ended measured; KeyboardInterrupt where it was cut off."""
        ...

    def notes(self) -> Sequence[str]:
        """Return what a reader of all the runs' numbers must know."""
        ...


@dataclass(frozen=True, slots=True)
class CommandSubject:
    """A person's command: its time, and its CPU time with that of what it waited for."""

    words: tuple[str, ...]

    def command(self) -> Sequence[str]:
        """Return the command."""
        return self.words

    def metrics(self, result: RunResult) -> dict[str, float | None]:
        """Return wall and CPU seconds."""
        return {WALL: result.ended.wall_s, CPU: result.ended.cpu_s}

    def notes(self) -> Sequence[str]:
        """Return nothing: what a command says itself goes to standard error."""
        return ()


@dataclass(frozen=True, slots=True)
class LoadPlan:
    """A low open-loop load on the reference server, each on a CPU of its own."""

    rate_per_s: float
    seconds: float
    server_cpu: int
    loader_cpu: int


class LoadSubject:
    """The loader against a server that runs throughout, so that it is the same for all settings."""

    def __init__(self, plan: LoadPlan, server: RunningServer, folder: Path) -> None:
        self._server = server
        self._options = LoadOptions(
            target=server.target,
            output=folder,
            duration_s=plan.seconds,
            warmup_s=_WARMUP_S,
            connections=_CONNECTIONS,
            rate_per_s=plan.rate_per_s,
            cpus=str(plan.loader_cpu),
        )
        self._runs = 0
        self._cpu_s = 0.0
        self._limited = 0
        self._errors = 0

    def command(self) -> Sequence[str]:
        """Return the loader's words, for a folder of its own."""
        self._server.check_alive()
        self._runs += 1
        output = self._options.output / str(self._runs)
        output.mkdir()
        self._cpu_s = process_cpu_s(self._server.pid)
        words = replace(self._options, output=output).arguments()
        return (str(program(PROGRAM)), *words)

    def metrics(self, result: RunResult) -> dict[str, float | None]:
        """Return latency from the intended start, and the server's CPU seconds."""
        del result
        server_cpu_s = process_cpu_s(self._server.pid) - self._cpu_s
        found = read_document(self._options.output / str(self._runs) / DOCUMENT, LoadResult)
        if found.interrupted:
            raise KeyboardInterrupt
        self._limited += found.limited_by_loader
        self._errors += found.errors
        return {P50: found.latency_us.p50, P99: found.latency_us.p99, SERVER_CPU: server_cpu_s}

    def notes(self) -> Sequence[str]:
        """Return in how many runs the loader was the limit, and how many replies were errors."""
        said = []
        if self._limited:
            said.append(
                f"the loader's own lateness stands out in {self._limited} of {self._runs} runs: "
                "their latency is its wake-ups' as well as the server's"
            )
        if self._errors:
            said.append(f"{self._errors:,} requests were answered by errors")
        return said


@contextmanager
def load_subject(plan: LoadPlan) -> Iterator[LoadSubject]:
    """Run the reference server until the end of the block, to be loaded."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running_server(ServerOptions(cpus=str(plan.server_cpu))) as server,
    ):
        yield LoadSubject(plan, server, Path(folder))
