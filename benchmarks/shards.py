"""Two shards of the reference server against one; needs a third CPU for the loader."""

import os
import tempfile
from pathlib import Path

from benchmarks.cases import Case
from benchmarks.effort import pairs, seconds
from benchmarks.interleaving import interleave
from harness.workload.loader import fill_keys, running_load
from harness.workload.machine import read_machine
from harness.workload.options import LoadOptions, ServerOptions
from harness.workload.server import running_server
from stallscope.system_files import Roots

PAIRS = 5
DURATION_S = 1.5


def run() -> list[Case]:
    """Measure pairs; return no cases if there are fewer than three CPUs."""
    allowed = frozenset(os.sched_getaffinity(0))
    if len(allowed) < 3:
        print("not measured: two shards and the loader need three CPUs")
        return []
    first, second, *others = read_machine(Roots(), allowed).cpus
    loader = tuple(others[:2])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        two_shards, one_shard = interleave(
            pairs(PAIRS),
            lambda: throughput((first, second), loader, folder),
            lambda: throughput((first,), loader, folder),
        )
    return [
        Case(
            name="GET, pipeline 16, 64 connections: two shards against one",
            metric="requests/s",
            ours_command="stallscope-server --threads 2",
            peer_command="stallscope-server --threads 1",
            ours=two_shards,
            peer=one_shard,
        )
    ]


def throughput(cpus: tuple[int, ...], loader_cpus: tuple[int, ...], folder: Path) -> float:
    """Return replies per second of a server with one shard on each of the CPUs."""
    options = ServerOptions(path="kv", threads=len(cpus), cpus=",".join(map(str, cpus)))
    with running_server(options) as server:
        load = LoadOptions(
            target=server.target,
            output=Path(tempfile.mkdtemp(dir=folder)),
            duration_s=seconds(DURATION_S),
            warmup_s=0.4,
            pipeline=16,
            threads=len(loader_cpus),
            read_share=1.0,
            cpus=",".join(map(str, loader_cpus)),
        )
        fill_keys(load)
        with running_load(load) as loader:
            return loader.finished_rate()[1]
