"""The load generator against redis-benchmark: highest rate of GET, and client CPU per request."""

import csv
import json
import os
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from benchmarks.cases import Case, ratio
from benchmarks.effort import pairs
from benchmarks.get_peer import redis
from benchmarks.interleaving import interleave
from harness.workload.cores import two_cores
from stallscope.programs import program
from stallscope.system_files import Roots

PAIRS = 5
CONNECTIONS = 50
KEYS = 100_000
REQUESTS = {1: 60_000, 16: 800_000}  # by pipeline depth; about a second each


@dataclass(frozen=True, slots=True)
class ClientRun:
    """The request rate of a client, and its own CPU time per request."""

    per_second: float
    cpu_us: float


def run() -> list[Case]:
    """Measure pairs at pipeline 1 and 16."""
    cores = two_cores(Roots(), frozenset(os.sched_getaffinity(0)))
    cases = []
    with redis(cores.server) as server:
        for pipeline, requests in REQUESTS.items():
            load = _load_command(server.target, pipeline)
            peer = _redis_benchmark(server.target, pipeline)
            runs = interleave(
                pairs(PAIRS),
                partial(_run, load, cores.loader, requests, _rate_of_load),
                partial(_run, peer, cores.loader, requests, _rate_of_peer),
            )
            cases += _cases(pipeline, runs)
    return cases


def _run(
    command: Sequence[str], cpu: int, requests: int, rate_of: Callable[[str], float]
) -> ClientRun:
    """Return the result of a client on one CPU; its start and end count in its CPU time."""
    with subprocess.Popen(
        ["taskset", "-c", str(cpu), *command], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{command[0]} ended with status {process.returncode}")
    return ClientRun(rate_of(output), (usage.ru_utime + usage.ru_stime) * 1e6 / requests)


def _load_command(target: str, pipeline: int) -> list[str]:
    return [
        *(str(program("stallscope-load")), "--target", target, "--read-share", "1"),
        *("--connections", str(CONNECTIONS), "--pipeline", str(pipeline)),
        *("--requests", str(REQUESTS[pipeline]), "--keys", str(KEYS)),
        *("--warmup", "0", "--duration", "60"),
    ]


def _redis_benchmark(target: str, pipeline: int) -> list[str]:
    return [
        *("redis-benchmark", "-p", target.rpartition(":")[2], "-t", "get", "--csv"),
        *("-c", str(CONNECTIONS), "-P", str(pipeline)),
        *("-n", str(REQUESTS[pipeline]), "-r", str(KEYS)),
    ]


def _rate_of_load(output: str) -> float:
    return float(json.loads(output.splitlines()[-1])["rate_achieved"])


def _rate_of_peer(output: str) -> float:
    return float(next(csv.DictReader(output.splitlines()))["rps"])


def _cases(pipeline: int, runs: tuple[tuple[ClientRun, ...], tuple[ClientRun, ...]]) -> list[Case]:
    return [
        Case(
            name=f"GET, pipeline {pipeline}, {CONNECTIONS} connections, redis on another core",
            metric=metric,
            ours_command=" ".join(["stallscope-load", *_load_command("HOST:PORT", pipeline)[1:]]),
            peer_command=" ".join(_redis_benchmark("HOST:PORT", pipeline)),
            bar=(bound,),
            ours=tuple(getattr(client, field) for client in runs[0]),
            peer=tuple(getattr(client, field) for client in runs[1]),
        )
        for metric, bound, field in (
            ("requests/s", ratio(at_least=1), "per_second"),
            ("client CPU us per request", ratio(at_most=1), "cpu_us"),
        )
    ]
