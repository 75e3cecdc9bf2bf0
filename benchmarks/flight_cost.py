"""The cost of waiting for a trigger: extra CPU time of the target and the recorder.

Windows without a recorder alternate with windows in which `stallscope record --flight` waits, or
perf's recorder with overwriting rings. The cost of a window is the CPU time of target and recorder
per unit of the target's work, above that of its neighbours without a recorder, in percent of the
target's CPU time. The recorder's own CPU time, which other programs on the machine do not disturb,
is a separate case. Bar: 1 %.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from benchmarks.cases import Case, ours
from benchmarks.interleaving import sides
from benchmarks.record_targets import Target, busy_pair, redis_under_load
from harness.workload.server import process_cpu_s
from stallscope.errors import TargetError

PAIRS = 15
WINDOW_S = 2.0
START_LIMIT_S = 20.0
SETTLE_S = 1.5  # the recorder reads the target's mappings
MAX_PERCENT = 1.0

Command = Callable[[int, Path], list[str]]


@dataclass(frozen=True, slots=True)
class Window:
    """CPU time per unit of work, and of the recorder in percent of the target's."""

    cpu_us: float
    recorder_percent: float = 0.0


def flight_command(pid: int, output: Path) -> list[str]:
    """Return the command line of the flight recorder; its triggers do not fire."""
    words = [sys.executable, "-m", "stallscope", "record", "-p", str(pid), "-o", str(output)]
    return [*words, "--flight", "30s", "--on", "psi.memory>90%", "--on", "signal"]


def perf_command(pid: int, output: Path) -> list[str]:
    """Return the command line of perf with overwriting rings."""
    words = ["perf", "record", "-q", "--overwrite", "--switch-output=signal", "-e", "cpu-clock"]
    return [*words, "-F", "99", "--call-graph", "dwarf", "-p", str(pid), "-o", str(output)]


def run() -> list[Case]:
    """Measure both targets."""
    cases: list[Case] = []
    targets: tuple[Callable[[Path], AbstractContextManager[Target]], ...] = (
        busy_pair,
        redis_under_load,
    )
    for running_target in targets:
        with tempfile.TemporaryDirectory() as name, running_target(Path(name)) as target:
            time.sleep(1)
            cases += _compare(target, Path(name))
            for case in cases[-2:]:
                print(case.name, case.metric, case.ours, case.peer, flush=True)
    return cases


def _compare(target: Target, folder: Path) -> list[Case]:
    """Return the cases of a target."""
    extra: dict[str, list[float]] = {"ours": [], "peer": []}
    own: dict[str, list[float]] = {"ours": [], "peer": []}
    commands: dict[str, Command] = {"ours": flight_command, "peer": perf_command}
    before = _window(target)
    for number, side in enumerate(sides(PAIRS)):
        with _recorder(commands[side](target.pid, folder / f"{side}-{number}")) as pid:
            with_recorder = _window(target, pid)
        after = _window(target)
        extra[side].append(100 * (with_recorder.cpu_us / ((before.cpu_us + after.cpu_us) / 2) - 1))
        own[side].append(with_recorder.recorder_percent)
        before = after
    metrics = (
        ("extra CPU time of target and recorder, %", extra),
        ("CPU time of recorder, %", own),
    )
    return [
        Case(
            name=type(target).__name__,
            metric=metric,
            bar=(ours(at_most=MAX_PERCENT),),
            ours=tuple(values["ours"]),
            peer=tuple(values["peer"]),
            by_difference=True,
            ours_command="stallscope record --flight 30s",
            peer_command="perf record --overwrite -F 99 --call-graph dwarf",
        )
        for metric, values in metrics
    ]


@contextmanager
def _recorder(command: list[str]) -> Iterator[int]:
    """Yield the pid of a recorder that waits; end it after the block."""
    with tempfile.TemporaryFile("w+") as messages:
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=messages, start_new_session=True
        )
        try:
            deadline_s = time.monotonic() + START_LIMIT_S
            waits = command[0] == "perf"
            while not waits and process.poll() is None and time.monotonic() < deadline_s:
                time.sleep(0.05)
                waits = b"waiting for" in os.pread(messages.fileno(), 1 << 16, 0)
            time.sleep(SETTLE_S)
            if not waits or process.poll() is not None:
                raise RuntimeError(f"the recorder does not run: {command}")
            yield process.pid
        finally:
            with suppress(ProcessLookupError):
                process.send_signal(signal.SIGINT)
            process.wait(START_LIMIT_S)


def _window(target: Target, recorder: int | None = None) -> Window:
    """Return the cost of the target's work over a window."""
    recorder_s = {} if recorder is None else _tree_cpu_s(recorder)
    work, cpu_s = target.work(), process_cpu_s(target.pid)
    time.sleep(WINDOW_S)
    units = max(1, target.work() - work)
    target_s = process_cpu_s(target.pid) - cpu_s
    after_s = {} if recorder is None else _tree_cpu_s(recorder)
    used_s = sum(cpu_s - recorder_s.get(pid, 0.0) for pid, cpu_s in after_s.items())
    return Window(1e6 * (target_s + used_s) / units, 100 * used_s / target_s)


def _tree_cpu_s(pid: int) -> dict[int, float]:
    """Return the CPU time of a recorder and its helpers that run, by pid."""
    times = {}
    for process in (psutil.Process(pid), *psutil.Process(pid).children(recursive=True)):
        with suppress(TargetError):
            times[process.pid] = process_cpu_s(process.pid)
    return times
