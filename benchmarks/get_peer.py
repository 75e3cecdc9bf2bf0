"""GET at pipeline 16: the reference server against Debian's redis-server, same client and core."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.cases import Case, ratio
from benchmarks.effort import pairs, seconds
from benchmarks.interleaving import interleave
from benchmarks.record_targets import free_port, wait_for
from harness.workload.cores import two_cores
from harness.workload.loader import fill_keys, running_load
from harness.workload.options import LoadOptions, ServerOptions
from harness.workload.server import process_cpu_s, running_server
from harness.workload.server_queries import commands_processed
from stallscope.system_files import Roots

PAIRS = 7
DURATION_S = 1.5
PIPELINE = 16
REDIS = ("redis-server", "--bind", "127.0.0.1", "--save", "", "--appendonly", "no")
REFERENCE = ("stallscope-server", "--path", "kv")


@dataclass(frozen=True, slots=True)
class PeerServer:
    """A listening server."""

    pid: int
    target: str  # HOST:PORT


@dataclass(frozen=True, slots=True)
class ServerRun:
    """Replies per second, and the server's CPU time per request."""

    per_second: float
    cpu_us: float
    limited_by: str  # why the loader was the limit; empty if it was not


def run() -> list[Case]:
    """Measure pairs, every run against a fresh server."""
    cores = two_cores(Roots(), frozenset(os.sched_getaffinity(0)))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        runs = interleave(
            pairs(PAIRS),
            lambda: measure(reference(cores.server), cores.loader, folder),
            lambda: measure(redis(cores.server), cores.loader, folder),
        )
    limited = sum(bool(server_run.limited_by) for side in runs for server_run in side)
    version = subprocess.run(["redis-server", "--version"], capture_output=True, text=True,
                             check=True).stdout.split("sha")[0].strip()  # fmt: skip
    return [
        Case(
            name=f"GET, pipeline {PIPELINE}, 64 connections, one core",
            metric=metric,
            ours_command=" ".join(REFERENCE),
            peer_command=" ".join(REDIS),
            bar=(bound,),
            ours=tuple(getattr(server_run, field) for server_run in runs[0]),
            peer=tuple(getattr(server_run, field) for server_run in runs[1]),
            notes=f"{version}; the loader was the limit in {limited} of {2 * pairs(PAIRS)} runs",
        )
        for metric, bound, field in (
            ("requests/s", ratio(at_least=1.10), "per_second"),
            ("server CPU us per request", ratio(at_most=0.90), "cpu_us"),
        )
    ]


@contextmanager
def reference(cpu: int) -> Iterator[PeerServer]:
    """Run the reference server on one core until the end of the block."""
    with running_server(ServerOptions(path="kv", cpus=str(cpu))) as server:
        yield PeerServer(server.pid, server.target)


@contextmanager
def redis(cpu: int) -> Iterator[PeerServer]:
    """Run redis-server on one core until the end of the block."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [*REDIS, "--port", str(port), "--dir", folder],
            stdout=subprocess.DEVNULL,
            preexec_fn=lambda: os.sched_setaffinity(0, {cpu}),  # noqa: PLW1509 - single-threaded
        )
        try:
            wait_for(port)
            yield PeerServer(process.pid, f"127.0.0.1:{port}")
        finally:
            process.terminate()
            process.wait()


def measure(
    starting: AbstractContextManager[PeerServer], loader_cpu: int, folder: Path
) -> ServerRun:
    """Return one run against a fresh server."""
    with starting as server:
        options = LoadOptions(
            target=server.target,
            output=Path(tempfile.mkdtemp(dir=folder)),
            duration_s=seconds(DURATION_S),
            warmup_s=0.4,
            pipeline=PIPELINE,
            read_share=1.0,
            cpus=str(loader_cpu),
        )
        fill_keys(options)
        commands, cpu_s = commands_processed(server.target), process_cpu_s(server.pid)
        with running_load(options) as load:
            result, rate = load.finished_rate()
        used_s = process_cpu_s(server.pid) - cpu_s
        processed = commands_processed(server.target) - commands
    limit = (result.why or "") if result.limited_by_loader else ""
    return ServerRun(rate, used_s * 1e6 / processed, limit)
