"""The cost of recording all the time: CPU time and memory of the recorder, against its budget.

`stallscope record --continuous --budget 1%` records a busy target. CPU time and memory of all
processes of the recorder are read from outside, over windows as long as a segment, which begin
after the start of the program. Bars: 1 % of a CPU, 250 MB. The CPU time of the samples in the
kernel is not in it: record_cost and flight_cost measure it in the target. The recorder's own report
of its CPU time is compared with that of the processes.
"""

import json
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from benchmarks.cases import Case, ours
from benchmarks.record_targets import RecordTarget, busy_pair, redis_under_load

SEGMENT_S = 30.0
WINDOWS = 6
WINDOW_S = SEGMENT_S + 5  # a segment may be longer, to divide its start and close
READINGS = 7  # of memory in a window
MAX_PERCENT = 1.0
MAX_MB = 250.0
END_LIMIT_S = 60
COMMAND = "stallscope record --continuous --budget 1% --segment 30s"
Start = Callable[[Path], AbstractContextManager[RecordTarget]]
TARGETS: tuple[tuple[str, Start], ...] = (
    ("two busy threads", busy_pair),
    ("redis, busy", redis_under_load),
)


@dataclass(frozen=True, slots=True)
class ContinuousCost:
    """CPU time in percent of a CPU by window, memory in MB by reading, and the own report."""

    percent: tuple[float, ...]
    memory_mb: tuple[float, ...]
    whole_percent: float  # with the start, and the modelled time of the samples
    reported_ratio: float  # reported CPU time to that of the processes
    frequency_hz: int
    covered_share: float


def run() -> list[Case]:
    """Measure both targets and return their cases."""
    cases: list[Case] = []
    for name, start in TARGETS:
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder, start(Path(folder)) as target:
            cost = cost_of(target.pid, Path(folder) / "run")
        cases += cases_of(name, cost)
        for case in cases[-4:]:
            print(case.name, case.metric, case.ours, case.notes, flush=True)
    return cases


def cost_of(pid: int, output: Path) -> ContinuousCost:
    """Return the cost of recording a process."""
    words = [sys.executable, "-m", "stallscope", "record", "--continuous", "--budget", "1%"]
    words += ["--segment", f"{SEGMENT_S:g}s", "-p", str(pid), "-o", str(output), "--json"]
    percent, memory_mb = [], []
    ended_before_s = _ended_cpu_s()
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as recorder:
        process = psutil.Process(recorder.pid)
        while not (output / "segment-000001" / "samples.perf").exists():
            time.sleep(0.05)
        for _ in range(WINDOWS):
            before_s, begin_s = _cpu_s(process), time.monotonic()
            for _ in range(READINGS):
                time.sleep(WINDOW_S / READINGS)
                memory_mb.append(_memory_mb(process))
            used_s = _cpu_s(process) - before_s
            percent.append(100 * used_s / (time.monotonic() - begin_s))
        recorder.send_signal(signal.SIGINT)
        text, _ = recorder.communicate(timeout=END_LIMIT_S)
    ended_s = _ended_cpu_s() - ended_before_s
    document = json.loads(text)
    cost = document["cost"]
    return ContinuousCost(
        percent=tuple(percent),
        memory_mb=tuple(memory_mb),
        whole_percent=100 * cost["used_share"],
        reported_ratio=cost["recorder_cpu_s"] / ended_s,
        frequency_hz=document["frequency_hz"],
        covered_share=document["covered_s"] / cost["elapsed_s"],
    )


def _cpu_s(process: psutil.Process) -> float:
    """Return the CPU time of a recorder, with helpers that run and those that have ended."""
    times = process.cpu_times()
    used_s = times.user + times.system + times.children_user + times.children_system
    for helper in process.children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            times = helper.cpu_times()
            used_s += times.user + times.system
    return float(used_s)


def _ended_cpu_s() -> float:
    """Return the CPU time of this process's children that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _memory_mb(process: psutil.Process) -> float:
    """Return the memory of a recorder and its helpers, shared pages divided among their users."""
    memory_bytes = 0
    for member in (process, *process.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            memory_bytes += member.memory_full_info().pss
    return memory_bytes / 1e6


def cases_of(name: str, cost: ContinuousCost) -> list[Case]:
    """Return the cases of a target."""
    notes = (
        f"last rate {cost.frequency_hz} Hz, {100 * cost.covered_share:.1f} % of the time covered"
    )
    return [
        Case(
            name=name,
            metric="CPU time of recorder, % of a CPU",
            bar=(ours(at_most=MAX_PERCENT),),
            ours=cost.percent,
            by_difference=True,
            ours_command=COMMAND,
            notes=notes,
        ),
        Case(
            name=name,
            metric="memory of recorder (PSS), MB",
            bar=(ours(at_most=MAX_MB),),
            ours=cost.memory_mb,
            ours_command=COMMAND,
        ),
        Case(
            name=name,
            metric="start, recorder and modelled samples over the run, % of a CPU",
            ours=(cost.whole_percent,),
            by_difference=True,
            ours_command=COMMAND,
        ),
        Case(
            name=name,
            metric="reported CPU time / CPU time of the processes",
            ours=(cost.reported_ratio,),
            ours_command=COMMAND,
        ),
    ]
