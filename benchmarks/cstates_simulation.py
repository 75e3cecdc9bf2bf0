"""1,000,000 idle intervals through nine governors of `stallscope cstates simulate`. Bar: 10 s.

Each run includes start-up and reading the trace: four CPUs with exponential idle times around
250 us, with the sleep states of a Xeon X5650.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.cases import Case, ours
from benchmarks.processes import checked

RUNS = 7
INTERVALS = 1_000_000
CPUS = 4
GOVERNORS = "menu-6.1,menu-6.12,menu-6.18,teo-6.12,teo-6.18,ladder,haltpoll,pin:POLL,pin:C1"


def run() -> list[Case]:
    """Measure wall time, CPU time and memory of whole runs."""
    stallscope = str(Path(sys.executable).with_name("stallscope"))
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "idle.csv"
        write_trace(trace)
        command = [stallscope, "cstates", "simulate", "--table", "Z600", "--trace", str(trace)]
        command += ["--governors", GOVERNORS]
        costs = [checked([*command, "--json"]) for _ in range(RUNS)]
    return [
        Case(
            name=f"{INTERVALS:,} intervals, 9 governors",
            metric=metric,
            ours_command="stallscope cstates simulate --table Z600 --trace FILE --json",
            bar=bar,
            ours=tuple(getattr(cost, field) for cost in costs),
        )
        for metric, bar, field in (
            ("wall s", (ours(at_most=10),), "wall_s"),
            ("CPU s", (), "cpu_s"),
            ("peak MiB", (), "peak_mib"),
        )
    ]


def write_trace(path: Path) -> None:
    """Write exponential idle intervals, CPU by CPU in turn; the next timer is up to 4 ms later."""
    random = np.random.default_rng(0)
    idle_ns = random.exponential(250_000, INTERVALS).astype(np.int64)
    timer_ns = idle_ns + random.exponential(4_000_000, INTERVALS).astype(np.int64)
    entry_ns = np.cumsum(idle_ns + 30_000) - idle_ns
    with open(path, "w", encoding="utf-8") as file:
        file.write("cpu,t_entry_ns,idle_ns,next_hrtimer_ns,wake\n")
        for number, row in enumerate(zip(entry_ns, idle_ns, timer_ns, strict=True)):
            file.write(f"{number % CPUS},{row[0]},{row[1]},{row[2]},ipi\n")
