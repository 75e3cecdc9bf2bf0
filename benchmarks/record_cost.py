"""What recording costs its target: stallscope-collect against perf record, and nothing at all.

Windows without a recorder stand between those with one; the cost of a window is the work that is
missing against its neighbours. Ours and perf's windows alternate in order.
"""

import signal
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.pairs import Case, save
from benchmarks.record_targets import Target, busy_pair, cpu_seconds, redis_under_load
from stallscope.programs import program
from stallscope.recordings import read_manifest

PAIRS = 14
WINDOW_S = 1.5
SETTLE_S = 0.3
RATES = (99, 999, 4999)


@dataclass(frozen=True, slots=True)
class Window:
    """Work done in one window, per second of wall time and per second of the target's CPU."""

    per_second: float
    per_cpu_second: float


@dataclass(frozen=True, slots=True)
class Own:
    """What the collector itself took in one window."""

    cpu_s: float
    memory_bytes: int
    lost: int
    samples: int


def window(target: Target) -> Window:
    """Return the target's work over one window."""
    work, wall, cpu = target.work(), time.perf_counter(), cpu_seconds(target.pid)
    time.sleep(WINDOW_S)
    done, taken = target.work() - work, time.perf_counter() - wall
    return Window(done / taken, done / (cpu_seconds(target.pid) - cpu))


def perf_command(pid: int, rate: int, output: Path) -> list[str]:
    """Return perf's command line with our event, stacks and rings."""
    return ["perf", "record", "-q", "-e", "cpu-clock", "-F", str(rate), "-g", "-m", "2M",
            "-p", str(pid), "-o", str(output)]  # fmt: skip


def our_command(pid: int, rate: int, output: Path) -> list[str]:
    """Return the collector's command line."""
    collector = str(program("stallscope-collect"))
    return [collector, "-p", str(pid), "-e", "cpu-clock", "-F", str(rate), "-o", str(output)]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The two recorders' command lines, made of pid, rate and output, and the bar in words."""

    ours: Callable[[int, int, Path], list[str]]
    perf: Callable[[int, int, Path], list[str]]
    bar: str


FRAME_POINTERS = Comparison(
    our_command, perf_command, "upper 95 % bound of ours - perf at most +0.5 points"
)


def memory_beside_rings(pid: int) -> int:
    """Return the resident bytes of a process without its perf rings."""
    resident, is_ring = 0, False
    for line in Path(f"/proc/{pid}/smaps").read_text().splitlines():
        if "-" in line.split(" ")[0]:
            is_ring = "perf_event" in line
        elif line.startswith("Rss:") and not is_ring:
            resident += int(line.split()[1]) * 1024
    return resident


def observed(target: Target, command: list[str], own: list[Own], output: Path) -> Window:
    """Return the target's work while a recorder observes it."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(SETTLE_S)
    if process.poll() is not None:
        raise RuntimeError(f"the recorder ended at once: {command}")
    before = cpu_seconds(process.pid)
    seen = window(target)
    spent, memory = cpu_seconds(process.pid) - before, memory_beside_rings(process.pid)
    process.send_signal(signal.SIGINT)
    process.wait()
    if output.is_dir():
        manifest = read_manifest(output / "recording.json")
        own.append(Own(spent, memory, manifest.lost_samples, manifest.samples))
    return seen


def costs(
    target: Target, rate: int, folder: Path, compared: Comparison = FRAME_POINTERS
) -> list[Case]:
    """Return the cases of one target and rate."""
    series: dict[str, list[list[float]]] = {"ours": [[], []], "perf": [[], []]}
    own: list[Own] = []
    bare = window(target)
    for turn in range(PAIRS):
        for name in ("ours", "perf") if turn % 2 == 0 else ("perf", "ours"):
            output = folder / f"{name}-{rate}-{turn}"
            make = compared.ours if name == "ours" else compared.perf
            seen = observed(target, make(target.pid, rate, output), own, output)
            after = window(target)
            for place, pick in enumerate((lambda w: w.per_second, lambda w: w.per_cpu_second)):
                neighbours = (pick(bare) + pick(after)) / 2
                series[name][place].append((1 - pick(seen) / neighbours) * 100)
            bare = after
    notes = (
        f"collector: {statistics.median(o.cpu_s for o in own) / WINDOW_S * 100:.2f} % of one CPU, "
        f"{max(o.memory_bytes for o in own) / 2**20:.1f} MiB beside the rings at most, "
        f"{sum(o.lost for o in own)} of {sum(o.samples for o in own):,} samples lost"
    )
    return [
        Case(
            name=f"{type(target).__name__} at {rate} Hz",
            metric=f"points of the target's work per {unit}",
            ours_command=" ".join(["stallscope-collect", *compared.ours(0, rate, Path("DIR"))[1:]]),
            peer_command=" ".join(compared.perf(0, rate, Path("FILE"))),
            bar=compared.bar,
            ours=tuple(series["ours"][place]),
            peer=tuple(series["perf"][place]),
            notes=notes,
        )
        for place, unit in enumerate(("second", "CPU second"))
    ]


def run() -> None:
    """Measure both targets at all rates."""
    cases: list[Case] = []
    makers: tuple[Callable[[Path], AbstractContextManager[Target]], ...] = (
        busy_pair,
        redis_under_load,
    )
    for make in makers:
        with tempfile.TemporaryDirectory() as name, make(Path(name)) as target:
            time.sleep(1)
            for rate in RATES:
                cases += costs(target, rate, Path(name))
                print(cases[-1].name, cases[-1].notes, flush=True)
    save("record_cost", "./dev bench record_cost", cases)
