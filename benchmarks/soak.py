"""A soak of the reference server: ten minutes at 80 % of its capacity, flat memory, no reply wrong.

Half of the load is numbered requests, whose replies the loader checks for order, loss and doubles;
the other half reads and writes keys of changing sizes. Memory is read once a second.
"""

import os
import statistics
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.effort import seconds
from benchmarks.pairs import Case, save
from harness.workload.cores import Cores, two_cores
from harness.workload.loader import fill_keys, run_load, running_load
from harness.workload.options import LoadOptions, ServerOptions
from harness.workload.server import RunningServer, running_server
from stallscope.system_files import Roots

DURATION_S = 600.0
SHARE = 0.8
CAPACITY_S = 2.0
MOST_GROWTH = 1.05
SETTLING_SHARE = 0.2  # of the soak, in which keys are rewritten in their new sizes


@dataclass(frozen=True, slots=True)
class Soak:
    """What a soak found: resident bytes a second apart, and the replies that were checked."""

    capacity_per_s: float
    resident_bytes: tuple[int, ...]
    checked: int
    mixed: int
    errors: int

    @property
    def ends(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the first and last quarter of the readings after the settling."""
        settled = self.resident_bytes[int(len(self.resident_bytes) * SETTLING_SHARE) :]
        quarter = max(1, len(settled) // 4)
        return settled[:quarter], settled[-quarter:]

    @property
    def growth(self) -> float:
        """Return the last quarter's median over the first's."""
        first, last = self.ends
        return statistics.median(last) / statistics.median(first)


def soak(duration_s: float, folder: Path) -> Soak:
    """Return what a soak of that length finds.

    Raises TargetError where a reply was lost, doubled or out of order, or the server ended.
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
        capacity = measured.rate_achieved
        assert capacity is not None
        mixed = _options(server, cores, folder / "mixed", check=False)
        fill_keys(mixed)
        return _soaked(server, checking, mixed, duration_s, capacity)


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


def _soaked(
    server: RunningServer,
    checking: LoadOptions,
    mixed: LoadOptions,
    duration_s: float,
    capacity: float,
) -> Soak:
    rate = capacity * SHARE / 2
    resident = []
    with ExitStack() as stack:
        loads = [
            stack.enter_context(
                running_load(replace(one, duration_s=duration_s, warmup_s=0.0, rate_per_s=rate))
            )
            for one in (checking, mixed)
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
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def run() -> None:
    """Soak for ten minutes, or as long as STALLSCOPE_BENCH_SECONDS says."""
    duration_s = seconds(DURATION_S)
    with tempfile.TemporaryDirectory() as folder:
        found = soak(duration_s, Path(folder))
    first, last = found.ends
    paired = min(len(first), len(last))
    notes = (
        f"{duration_s:g} s at {SHARE:.0%} of {found.capacity_per_s:,.0f} requests/s; "
        f"{found.checked:,} numbered replies, none lost, doubled or out of order; "
        f"{found.mixed:,} reads and writes; {found.errors} answered by errors"
    )
    case = Case(
        name="resident memory, last quarter against the first after settling",
        metric="MiB",
        ours_command="last quarter",
        peer_command="first quarter",
        bar=f"flat: at most {MOST_GROWTH:g}",
        ours=tuple(value / 2**20 for value in last[:paired]),
        peer=tuple(value / 2**20 for value in first[:paired]),
        notes=notes,
    )
    save("soak", "./dev bench soak", [case])
    if found.growth > MOST_GROWTH or found.errors:
        raise SystemExit(f"the soak failed: memory grew by {found.growth:.3f}; {notes}")
