"""The loader against redis-benchmark: highest rate of GET, and client CPU a request."""

import csv
import json
import os
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks.effort import pairs
from benchmarks.get_peer import redis
from benchmarks.pairs import Case, save
from harness.workload.cores import two_cores
from stallscope.programs import program
from stallscope.system_files import Roots

PAIRS = 5
CONNECTIONS = 50
KEYS = 100_000
REQUESTS = {1: 60_000, 16: 800_000}  # by pipeline; about a second each


@dataclass(frozen=True, slots=True)
class Client:
    """What a client made of its requests: their rate, and its own CPU for each."""

    per_second: float
    cpu_us: float


def _run(
    command: Sequence[str], cpu: int, requests: int, rate_of: Callable[[str], float]
) -> Client:
    """Return what a client on that CPU found; its start and end are part of its CPU."""
    with subprocess.Popen(
        ["taskset", "-c", str(cpu), *command], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{command[0]} ended with status {process.returncode}")
    return Client(rate_of(output), (usage.ru_utime + usage.ru_stime) * 1e6 / requests)


def _ours(target: str, pipeline: int) -> list[str]:
    return [
        *(str(program("stallscope-load")), "--target", target, "--read-share", "1"),
        *("--connections", str(CONNECTIONS), "--pipeline", str(pipeline)),
        *("--requests", str(REQUESTS[pipeline]), "--keys", str(KEYS)),
        *("--warmup", "0", "--duration", "60"),
    ]


def _peer(target: str, pipeline: int) -> list[str]:
    return [
        *("redis-benchmark", "-p", target.rpartition(":")[2], "-t", "get", "--csv"),
        *("-c", str(CONNECTIONS), "-P", str(pipeline)),
        *("-n", str(REQUESTS[pipeline]), "-r", str(KEYS)),
    ]


def _rate_told_by_us(output: str) -> float:
    return float(json.loads(output.splitlines()[-1])["rate_achieved"])


def _rate_told_by_peer(output: str) -> float:
    return float(next(csv.DictReader(output.splitlines()))["rps"])


def run() -> None:
    """Measure pairs at pipeline 1 and 16, the order within a pair alternating."""
    cores = two_cores(Roots(), frozenset(os.sched_getaffinity(0)))
    cases = []
    with redis(cores.server) as server:
        for pipeline, requests in REQUESTS.items():
            clients = {
                "ours": (_ours(server.target, pipeline), _rate_told_by_us),
                "peer": (_peer(server.target, pipeline), _rate_told_by_peer),
            }
            found: dict[str, list[Client]] = {"ours": [], "peer": []}
            for turn in range(pairs(PAIRS)):
                for name in ("ours", "peer") if turn % 2 == 0 else ("peer", "ours"):
                    command, rate_of = clients[name]
                    found[name].append(_run(command, cores.loader, requests, rate_of))
            cases += _cases(pipeline, found)
    save("load_rate", "./dev bench load_rate", cases)


def _cases(pipeline: int, found: dict[str, list[Client]]) -> list[Case]:
    return [
        Case(
            name=f"GET, pipeline {pipeline}, {CONNECTIONS} connections, redis on another core",
            metric=metric,
            ours_command=" ".join(["stallscope-load", *_ours("HOST:PORT", pipeline)[1:]]),
            peer_command=" ".join(_peer("HOST:PORT", pipeline)),
            bar=bar,
            ours=tuple(getattr(one, name) for one in found["ours"]),
            peer=tuple(getattr(one, name) for one in found["peer"]),
        )
        for metric, bar, name in (
            ("requests/s", "at least 1.00", "per_second"),
            ("client CPU us a request", "at most 1.00", "cpu_us"),
        )
    ]
