"""A soak of the reference server: ten minutes at 80 % of its capacity.

Bars: memory does not grow by more than 5 %, and no reply is wrong. Half of the load is numbered
requests, whose replies the loader checks for order, loss and duplicates; the other half reads and
writes keys of changing sizes. Memory is read once a second.
"""

import os
import statistics
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import psutil

from benchmarks.cases import Case, ours, ratio
from benchmarks.effort import seconds
from harness.workload.cores import Cores, two_cores
from harness.workload.loader import fill_keys, run_load, running_load
from harness.workload.options import LoadOptions, ServerOptions
from harness.workload.server import RunningServer, running_server
from stallscope.system_files import Roots

DURATION_S = 600.0
LOAD_SHARE = 0.8  # of the capacity
CAPACITY_S = 2.0
MAX_GROWTH = 1.05
SETTLING_SHARE = 0.2  # of the soak, in which keys are rewritten in their new sizes


@dataclass(frozen=True, slots=True)
class Soak:
    """The result of a soak: resident bytes, once a second, and the replies."""

    capacity_per_s: float
    resident_bytes: tuple[int, ...]
    checked: int  # numbered replies
    mixed: int  # reads and writes
    errors: int

    @property
    def quarters(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the first and the last quarter of the memory readings after settling."""
        settled = self.resident_bytes[int(len(self.resident_bytes) * SETTLING_SHARE) :]
        length = max(1, len(settled) // 4)
        return settled[:length], settled[-length:]

    @property
    def growth(self) -> float:
        """Return the median of the last quarter over that of the first."""
        first, last = self.quarters
        return statistics.median(last) / statistics.median(first)


def run() -> list[Case]:
    """Soak for ten minutes, or for STALLSCOPE_BENCH_SECONDS."""
    duration_s = seconds(DURATION_S)
    with tempfile.TemporaryDirectory() as folder:
        result = soak(duration_s, Path(folder))
    first, last = result.quarters
    count = min(len(first), len(last))
    notes = (
        f"{duration_s:g} s at {LOAD_SHARE:.0%} of {result.capacity_per_s:,.0f} requests/s; "
        f"{result.checked:,} numbered replies, none lost, duplicated or out of order; "
        f"{result.mixed:,} reads and writes"
    )
    return [
        Case(
            name="resident memory, last quarter against the first after settling",
            metric="MiB",
            ours_command="last quarter",
            peer_command="first quarter",
            bar=(ratio(at_most=MAX_GROWTH),),
            ours=tuple(value / 2**20 for value in last[:count]),
            peer=tuple(value / 2**20 for value in first[:count]),
            notes=notes,
        ),
        Case(
            name="replies",
            metric="errors",
            ours_command="the whole soak",
            bar=(ours(at_most=0),),
            ours=(result.errors,),
            exact=True,
        ),
    ]


def soak(duration_s: float, folder: Path) -> Soak:
    """Return the result of a soak of this length.

    Raises TargetError if a reply was lost, duplicated or out of order, or if the server ended.
    """
    cores = two_cores(Roots(), frozenset(os.sched_getaffinity(0)))
    with running_server(ServerOptions(path="kv", cpus=str(cores.server))) as server:
        checking = _options(server, cores, folder / "checked", check=True)
        first = replace(
            checking,
            output=folder / "first",
            duration_s=min(CAPACITY_S, duration_s / 3),
            warmup_s=0.1,
        )
        measured, _ = run_load(first)
        capacity = measured.achieved_rate_per_s
        assert capacity is not None
        mixed = _options(server, cores, folder / "mixed", check=False)
        fill_keys(mixed)
        return _run_loads(server, checking, mixed, duration_s, capacity)


def _options(server: RunningServer, cores: Cores, folder: Path, *, check: bool) -> LoadOptions:
    return LoadOptions(
        target=server.target,
        output=folder,
        connections=32,
        pipeline=4,
        keys=20_000,
        key_distribution="zipf",
        value_bytes="16-2048",
        read_share=0.5,
        check=check,
        cpus=str(cores.loader),
    )


def _run_loads(
    server: RunningServer,
    checking: LoadOptions,
    mixed: LoadOptions,
    duration_s: float,
    capacity: float,
) -> Soak:
    rate = capacity * LOAD_SHARE / 2
    resident = []
    with ExitStack() as stack:
        loads = [
            stack.enter_context(
                running_load(replace(options, duration_s=duration_s, warmup_s=0.0, rate_per_s=rate))
            )
            for options in (checking, mixed)
        ]
        step_s = min(1.0, duration_s / 40)
        while any(load.child.process.poll() is None for load in loads):
            server.check_alive()
            resident.append(resident_bytes(server.pid))
            time.sleep(step_s)
        checked, other = (load.finish() for load in loads)
    return Soak(
        capacity,
        tuple(resident),
        checked.requests,
        other.requests,
        checked.errors + other.errors,
    )


def resident_bytes(pid: int) -> int:
    """Return the resident memory of a process."""
    return int(psutil.Process(pid).memory_info().rss)
