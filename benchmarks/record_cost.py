"""The cost of recording for its target: stallscope-collect against perf record.

Windows without a recorder alternate with windows that have one; the cost of a window is the work
that is missing compared with its neighbours, in percent ("points"). Windows of ours and of perf
alternate in order. Bar: at most 0.5 points more than perf.
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

import psutil

from benchmarks.cases import Bound, Case, difference, ours
from benchmarks.interleaving import sides
from benchmarks.record_targets import RecordTarget, busy_pair, redis_under_load
from harness.workload.server import process_cpu_s
from stallscope.programs import program
from stallscope.recordings import read_manifest

PAIRS = 14
WINDOW_S = 1.5
SETTLE_S = 0.3
RATES_HZ = (99, 999, 4999)


@dataclass(frozen=True, slots=True)
class RecordWindow:
    """Work done in one window, per second of wall time and per second of the target's CPU."""

    per_second: float
    per_cpu_second: float


@dataclass(frozen=True, slots=True)
class CollectorCost:
    """The resources that the collector used in one window, and its samples."""

    cpu_s: float
    memory_bytes: int
    lost: int
    samples: int


def perf_command(pid: int, rate_hz: int, output: Path) -> list[str]:
    """Return perf's command line with the event, stacks and buffers of the collector."""
    return ["perf", "record", "-q", "-e", "cpu-clock", "-F", str(rate_hz), "-g", "-m", "2M",
            "-p", str(pid), "-o", str(output)]  # fmt: skip


def collector_command(pid: int, rate_hz: int, output: Path) -> list[str]:
    """Return the collector's command line."""
    collector = str(program("stallscope-collect"))
    return [collector, "-p", str(pid), "-e", "cpu-clock", "-F", str(rate_hz), "-o", str(output)]


@dataclass(frozen=True, slots=True)
class RecorderComparison:
    """The command lines of both recorders, made from pid, rate and output, and the bar."""

    collector: Callable[[int, int, Path], list[str]]
    perf: Callable[[int, int, Path], list[str]]
    bound: Bound


FRAME_POINTERS = RecorderComparison(collector_command, perf_command, difference(at_most=0.5))


def run() -> list[Case]:
    """Measure both targets at all rates."""
    cases: list[Case] = []
    targets: tuple[Callable[[Path], AbstractContextManager[RecordTarget]], ...] = (
        busy_pair,
        redis_under_load,
    )
    for running_target in targets:
        with tempfile.TemporaryDirectory() as name, running_target(Path(name)) as target:
            time.sleep(1)
            for rate_hz in RATES_HZ:
                cases += compare(target, rate_hz, Path(name))
                print(cases[-1].name, cases[-1].notes, flush=True)
    return cases


def compare(
    target: RecordTarget,
    rate_hz: int,
    folder: Path,
    comparison: RecorderComparison = FRAME_POINTERS,
) -> list[Case]:
    """Return the cases of one target and rate."""
    missing: dict[str, list[tuple[float, float]]] = {"ours": [], "peer": []}
    costs: list[CollectorCost] = []
    before = window(target)
    for number, side in enumerate(sides(PAIRS)):
        output = folder / f"{side}-{rate_hz}-{number}"
        make_command = comparison.collector if side == "ours" else comparison.perf
        seen = observe(target, make_command(target.pid, rate_hz, output), costs, output)
        after = window(target)
        missing[side].append(_missing_points(before, seen, after))
        before = after
    lost = sum(cost.lost for cost in costs)
    notes = (
        f"collector: {statistics.median(cost.cpu_s for cost in costs) / WINDOW_S * 100:.2f} % of "
        f"one CPU, at most {max(cost.memory_bytes for cost in costs) / 2**20:.1f} MiB beside its "
        f"buffers, {lost} of {sum(cost.samples for cost in costs):,} samples lost"
    )
    name = f"{type(target).__name__} at {rate_hz} Hz"
    command = " ".join(["stallscope-collect", *comparison.collector(0, rate_hz, Path("DIR"))[1:]])
    points = [
        Case(
            name=name,
            metric=f"points of the target's work per {unit}",
            ours_command=command,
            peer_command=" ".join(comparison.perf(0, rate_hz, Path("FILE"))),
            bar=(comparison.bound,),
            ours=tuple(pair[place] for pair in missing["ours"]),
            peer=tuple(pair[place] for pair in missing["peer"]),
            by_difference=True,
            notes=notes,
        )
        for place, unit in enumerate(("second", "CPU second"))
    ]
    return [*points, lost_samples(name, command, lost)]


def lost_samples(name: str, command: str, lost: int) -> Case:
    """Return the case that no sample is lost."""
    return Case(
        name=name,
        metric="lost samples",
        ours_command=command,
        bar=(ours(at_most=0),),
        ours=(lost,),
        exact=True,
    )


def _missing_points(
    before: RecordWindow, seen: RecordWindow, after: RecordWindow
) -> tuple[float, float]:
    """Return the percentage of work missing per second and per CPU second."""
    return (
        100 * (1 - seen.per_second / ((before.per_second + after.per_second) / 2)),
        100 * (1 - seen.per_cpu_second / ((before.per_cpu_second + after.per_cpu_second) / 2)),
    )


def window(target: RecordTarget) -> RecordWindow:
    """Return the target's work over one window."""
    work, wall, cpu = target.work(), time.perf_counter(), process_cpu_s(target.pid)
    time.sleep(WINDOW_S)
    units, elapsed_s = target.work() - work, time.perf_counter() - wall
    return RecordWindow(units / elapsed_s, units / (process_cpu_s(target.pid) - cpu))


def observe(
    target: RecordTarget, command: list[str], costs: list[CollectorCost], output: Path
) -> RecordWindow:
    """Return the target's work while a recorder runs; append the cost if it is the collector."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(SETTLE_S)
    if process.poll() is not None:
        raise RuntimeError(f"the recorder ended at once: {command}")
    before = process_cpu_s(process.pid)
    seen = window(target)
    used_s, memory = process_cpu_s(process.pid) - before, memory_beside_buffers(process.pid)
    process.send_signal(signal.SIGINT)
    process.wait()
    if output.is_dir():
        manifest = read_manifest(output / "recording.json")
        costs.append(CollectorCost(used_s, memory, manifest.lost_samples, manifest.samples))
    return seen


def memory_beside_buffers(pid: int) -> int:
    """Return the resident bytes of a process without its perf ring buffers."""
    mappings = psutil.Process(pid).memory_maps(grouped=False)
    return sum(mapping.rss for mapping in mappings if "perf_event" not in mapping.path)
