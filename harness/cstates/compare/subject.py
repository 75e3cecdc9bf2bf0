"""What runs under each setting: a command, or the loader against the reference server."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from cstates.pinning.session import PinnedRun
from harness.cstates.compare.metrics import CPU, P50, P99, SERVER_CPU, WALL
from harness.workload.loader import DOCUMENT, PROGRAM
from harness.workload.options import LoadOptions, ServerOptions
from harness.workload.results import LoadResult
from harness.workload.server import RunningServer, process_cpu_s, running_server
from stallscope.documents import read_document
from stallscope.programs import program

_CONNECTIONS = 4
_WARMUP_S = 0.2


class CompareSubject(Protocol):
    """The command of a comparison, which runs once per round and setting."""

    def command(self) -> Sequence[str]:
        """Return the command of the next run."""
        ...

    def metrics(self, run: PinnedRun) -> dict[str, float | None]:
        """Return the metrics of the last run; KeyboardInterrupt if it was interrupted."""
        ...

    def notes(self) -> Sequence[str]:
        """Return warnings about the metrics of all runs."""
        ...


@dataclass(frozen=True, slots=True)
class CommandSubject:
    """A user's command: its time, and its CPU time including children it waited for."""

    words: tuple[str, ...]

    def command(self) -> Sequence[str]:
        """Return the command."""
        return self.words

    def metrics(self, run: PinnedRun) -> dict[str, float | None]:
        """Return wall and CPU seconds."""
        return {WALL: run.exit.wall_s, CPU: run.exit.cpu_s}

    def notes(self) -> Sequence[str]:
        """Return no warnings."""
        return ()


@dataclass(frozen=True, slots=True)
class LoadPlan:
    """A low open-loop load; server and loader have a CPU each."""

    rate_per_s: float
    seconds: float
    server_cpu: int
    loader_cpu: int


class LoadSubject:
    """The loader against one server process that serves all runs."""

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
        """Return the loader's command, with a new output folder."""
        self._server.check_alive()
        self._runs += 1
        output = self._options.output / str(self._runs)
        output.mkdir()
        self._cpu_s = process_cpu_s(self._server.pid)
        arguments = replace(self._options, output=output).arguments()
        return (str(program(PROGRAM)), *arguments)

    def metrics(self, run: PinnedRun) -> dict[str, float | None]:
        """Return latency from the intended start, and the server's CPU seconds."""
        del run
        server_cpu_s = process_cpu_s(self._server.pid) - self._cpu_s
        load = read_document(self._options.output / str(self._runs) / DOCUMENT, LoadResult)
        if load.interrupted:
            raise KeyboardInterrupt
        self._limited += load.limited_by_loader
        self._errors += load.errors
        return {P50: load.latency_us.p50, P99: load.latency_us.p99, SERVER_CPU: server_cpu_s}

    def notes(self) -> Sequence[str]:
        """Return the number of runs limited by the loader, and of error replies."""
        notes = []
        if self._limited:
            notes.append(
                f"the loader was late in {self._limited} of {self._runs} runs: their latency "
                "includes the loader's wake-ups"
            )
        if self._errors:
            notes.append(f"{self._errors:,} requests got an error reply")
        return notes


@contextmanager
def load_subject(plan: LoadPlan) -> Iterator[LoadSubject]:
    """Run the reference server until the end of the block."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running_server(ServerOptions(cpus=str(plan.server_cpu))) as server,
    ):
        yield LoadSubject(plan, server, Path(folder))
