"""GET at pipeline 16: the reference server against Debian's redis-server, same client and core."""

import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.effort import pairs, seconds
from benchmarks.pairs import Case, save
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
OURS = ("stallscope-server", "--path", "kv")


@dataclass(frozen=True, slots=True)
class Peer:
    """A server that listens: its pid, and where."""

    pid: int
    target: str


@contextmanager
def ours(cpu: int) -> Iterator[Peer]:
    """Run the reference server on one core until the end of the block."""
    with running_server(ServerOptions(path="kv", cpus=str(cpu))) as server:
        yield Peer(server.pid, server.target)


@contextmanager
def redis(cpu: int) -> Iterator[Peer]:
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
            yield Peer(process.pid, f"127.0.0.1:{port}")
        finally:
            process.terminate()
            process.wait()


@dataclass(frozen=True, slots=True)
class Found:
    """One run: replies a second, and the server's CPU a request."""

    per_second: float
    cpu_us: float
    limited_by: str


def measured(peer: AbstractContextManager[Peer], loader_cpu: int, folder: Path) -> Found:
    """Return one run against a fresh server."""
    with peer as server:
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
        taken_s = process_cpu_s(server.pid) - cpu_s
        done = commands_processed(server.target) - commands
    return Found(rate, taken_s * 1e6 / done, result.why if result.limited_by_loader else "")


def run() -> None:
    """Measure pairs, the order within a pair alternating."""
    cores = two_cores(Roots(), frozenset(os.sched_getaffinity(0)))
    found: dict[str, list[Found]] = {"ours": [], "redis": []}
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(pairs(PAIRS)):
            for name in ("ours", "redis") if turn % 2 == 0 else ("redis", "ours"):
                peer = ours(cores.server) if name == "ours" else redis(cores.server)
                found[name].append(measured(peer, cores.loader, Path(folder)))
    limited = sum(bool(one.limited_by) for side in found.values() for one in side)
    version = subprocess.run(["redis-server", "--version"], capture_output=True, text=True,
                             check=True).stdout.split("sha")[0].strip()  # fmt: skip
    notes = f"{version}; the loader was the limit in {limited} of {2 * pairs(PAIRS)} runs"
    rates, cpu = (
        [[getattr(one, name) for one in side] for side in found.values()]
        for name in ("per_second", "cpu_us")
    )
    cases = [
        _case("requests/s", "at least 1.10", rates, notes),
        _case("server CPU us a request", "at most 0.90", cpu, notes),
    ]
    save("get_peer", "./dev bench get_peer", cases)


def _case(metric: str, bar: str, both: Sequence[Sequence[float]], notes: str) -> Case:
    return Case(
        name=f"GET, pipeline {PIPELINE}, 64 connections, one core",
        metric=metric,
        ours_command=" ".join(OURS),
        peer_command=" ".join(REDIS),
        bar=bar,
        ours=tuple(both[0]),
        peer=tuple(both[1]),
        notes=notes,
    )
