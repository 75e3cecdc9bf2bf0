"""What runs under each setting: a command, or the loader against the reference server."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from cstates.pinning.session import PinnedRun
from harness.cstates.compare.front_end import RunningFrontEnd, running_front_end
from harness.cstates.compare.metrics import CPU, P50, P99, SERVER_CPU, WALL, metric_at
from harness.workload.loader import DOCUMENT, PROGRAM
from harness.workload.options import LoadOptions, ServerOptions
from harness.workload.results import LoadResult
from harness.workload.server import RunningServer, process_cpu_s, running_server
from stallscope.documents import read_document
from stallscope.programs import program
from stallscope.quantities import count_text


class CompareSubject(Protocol):
    """The command of a comparison, which runs once per round and setting."""

    @property
    def name(self) -> str:
        """Return what distinguishes it from the comparison's other subjects; empty if alone."""
        ...

    def command(self) -> Sequence[str]:
        """Return the command of the next run."""
        ...

    def metrics(self, run: PinnedRun) -> dict[str, float | None]:
        """Return the metrics of the last run; KeyboardInterrupt if it was interrupted."""
        ...

    def service_cpu_s(self) -> float:
        """Return the CPU time of the processes that served the last run."""
        ...

    def notes(self) -> Sequence[str]:
        """Return warnings about the metrics of all runs."""
        ...


@dataclass(frozen=True, slots=True)
class CommandSubject:
    """A user's command: its time, and its CPU time including children it waited for."""

    words: tuple[str, ...]
    name: str = ""

    def command(self) -> Sequence[str]:
        """Return the command."""
        return self.words

    def metrics(self, run: PinnedRun) -> dict[str, float | None]:
        """Return wall and CPU seconds."""
        return {WALL: run.exit.wall_s, CPU: run.exit.cpu_s}

    def service_cpu_s(self) -> float:
        """Return 0: no other process serves the command."""
        return 0.0

    def notes(self) -> Sequence[str]:
        """Return no warnings."""
        return ()


@dataclass(frozen=True, slots=True)
class LoadPlan:
    """A load of the reference server; with a front end, three processes form a chain."""

    rate_per_s: float | None  # None: a closed loop
    seconds: float
    warmup_s: float
    connections: tuple[int, ...]
    server_cpu: int
    loader_cpu: int
    front_end_cpu: int | None = None

    @property
    def processes(self) -> int:
        """Return the number of processes that a request wakes, including the loader."""
        return 2 if self.front_end_cpu is None else 3

    @property
    def cpus(self) -> frozenset[int]:
        """Return the CPUs of all processes."""
        cpus = {self.server_cpu, self.loader_cpu, self.front_end_cpu}
        return frozenset(cpu for cpu in cpus if cpu is not None)


class ServingProcesses:
    """The server and its front end, which serve all runs."""

    def __init__(self, server: RunningServer, front_end: RunningFrontEnd | None = None) -> None:
        self._server = server
        self._front_end = front_end

    @property
    def target(self) -> str:
        """Return the address that the loader connects to."""
        return self._front_end.target if self._front_end else self._server.target

    def check_alive(self) -> None:
        """Raise TargetError if the server has ended."""
        self._server.check_alive()

    def cpu_s(self) -> float:
        """Return their CPU time so far."""
        pids = [self._server.pid, *([self._front_end.pid] if self._front_end else [])]
        return sum(process_cpu_s(pid) for pid in pids)


class LoadSubject:
    """The loader with a number of connections against processes that serve all runs."""

    def __init__(
        self, plan: LoadPlan, connections: int, serving: ServingProcesses, folder: Path
    ) -> None:
        self._serving = serving
        self._connections = connections
        self._several = len(plan.connections) > 1
        self._options = LoadOptions(
            target=serving.target,
            output=folder,
            duration_s=plan.seconds,
            warmup_s=plan.warmup_s,
            connections=connections,
            rate_per_s=plan.rate_per_s,
            cpus=str(plan.loader_cpu),
        )
        self._runs = 0
        self._begin_cpu_s = 0.0
        self._last_cpu_s = 0.0
        self._limited = 0
        self._errors = 0

    @property
    def name(self) -> str:
        """Return the number of connections if several are compared."""
        return count_text(self._connections, "connection") if self._several else ""

    def command(self) -> Sequence[str]:
        """Return the loader's command, with a new output folder."""
        self._serving.check_alive()
        self._runs += 1
        output = self._options.output / str(self._runs)
        output.mkdir()
        self._begin_cpu_s = self._serving.cpu_s()
        arguments = replace(self._options, output=output).arguments()
        return (str(program(PROGRAM)), *arguments)

    def metrics(self, run: PinnedRun) -> dict[str, float | None]:
        """Return latency from the intended start; in an open loop, also the server's CPU seconds.

        In a closed loop, the server's CPU time depends on the number of requests it served.
        """
        del run
        self._last_cpu_s = self._serving.cpu_s() - self._begin_cpu_s
        load = read_document(self._options.output / str(self._runs) / DOCUMENT, LoadResult)
        if load.interrupted:
            raise KeyboardInterrupt
        self._limited += load.limited_by_loader
        self._errors += load.errors
        values = {P50: load.latency_us.p50, P99: load.latency_us.p99}
        if self._options.open_loop:
            values[SERVER_CPU] = self._last_cpu_s
        if not self._several:
            return values
        return {metric_at(name, self._connections): value for name, value in values.items()}

    def service_cpu_s(self) -> float:
        """Return the CPU time of the server and its front end."""
        return self._last_cpu_s

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
        return [f"{self.name}: {note}" for note in notes] if self._several else notes


@contextmanager
def load_subjects(plan: LoadPlan) -> Iterator[tuple[LoadSubject, ...]]:
    """Run the server, and its front end, until the end of the block; one subject per row."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = stack.enter_context(running_server(ServerOptions(cpus=str(plan.server_cpu))))
        front_end = None
        if plan.front_end_cpu is not None:
            assert server.port is not None
            front_end = stack.enter_context(running_front_end(server.port, plan.front_end_cpu))
        serving = ServingProcesses(server, front_end)
        subjects = []
        for connections in plan.connections:
            own_folder = folder / str(connections)
            own_folder.mkdir()
            subjects.append(LoadSubject(plan, connections, serving, own_folder))
        yield tuple(subjects)
