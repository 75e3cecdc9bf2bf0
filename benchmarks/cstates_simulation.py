"""1,000,000 idle intervals through all governors by `stallscope cstates simulate`; bar 10 s.

A whole run each time, start-up and reading of the trace's CSV included: four CPUs with exponential
idles around 250 us, on the states of a Xeon X5650.
"""

import json
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.pairs import Case, save
from benchmarks.processes import run as run_process

RUNS = 7
INTERVALS = 1_000_000
CPUS = 4


def run() -> None:
    """Measure wall and CPU seconds of whole runs."""
    stallscope = str(Path(sys.executable).with_name("stallscope"))
    with tempfile.TemporaryDirectory() as place:
        trace = Path(place) / "idle.csv"
        write_trace(trace)
        command = [stallscope, "cstates", "simulate", "--table", "Z600", "--trace", str(trace)]
        costs = [run_process([*command, "--json"]) for _ in range(RUNS)]
    if any(cost.status for cost in costs):
        raise RuntimeError(f"stallscope ended with {json.dumps([cost.status for cost in costs])}")
    cases = [
        Case(
            name=f"{INTERVALS:,} intervals, 9 governors",
            metric=metric,
            ours_command="stallscope cstates simulate --table Z600 --trace FILE --json",
            peer_command="",
            bar=bar,
            ours=tuple(values),
        )
        for metric, bar, values in (
            ("wall s", "under 10", [cost.wall_s for cost in costs]),
            ("CPU s", "", [cost.cpu_s for cost in costs]),
            ("peak MiB", "", [cost.peak_bytes / 2**20 for cost in costs]),
        )
    ]
    save("cstates_simulation", "./dev bench cstates_simulation", cases)


def write_trace(path: Path) -> None:
    """Write exponential idles of CPUs that take turns, the next timer up to 4 ms behind."""
    random = np.random.default_rng(0)
    idle_ns = random.exponential(250_000, INTERVALS).astype(np.int64)
    timer_ns = idle_ns + random.exponential(4_000_000, INTERVALS).astype(np.int64)
    entry_ns = np.cumsum(idle_ns + 30_000) - idle_ns
    with open(path, "w", encoding="utf-8") as file:
        file.write("cpu,t_entry_ns,idle_ns,next_hrtimer_ns,wake\n")
        for number, row in enumerate(zip(entry_ns, idle_ns, timer_ns, strict=True)):
            file.write(f"{number % CPUS},{row[0]},{row[1]},{row[2]},ipi\n")
