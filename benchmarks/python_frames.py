"""The cost of reading Python frames: the collector (native and Python frames) against py-spy.

Both observe the same program of one busy thread, at py-spy's default of 100 Hz and at ten times
that. The target's CPU time per round is compared with unobserved runs of the same session.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.cases import Case
from benchmarks.interleaving import interleave
from stallscope.programs import program

TARGET = Path(__file__).parent / "targets" / "python_rounds.py"
INTERPRETER = "/usr/bin/python3"
PAIRS = 7
SECONDS = 4
RATES_HZ = (100, 999)


@dataclass(frozen=True, slots=True)
class ObservedRun:
    """The cost of one run of the target, and of its observer."""

    cpu_us_per_round: float
    observer_cpu_ms_per_s: float


def run() -> list[Case]:
    """Measure both rates."""
    with tempfile.TemporaryDirectory() as name:
        cases = [case for rate_hz in RATES_HZ for case in compare(rate_hz, Path(name))]
    for case in cases:
        print(case.name, case.metric, case.ours, case.peer, flush=True)
    return cases


def compare(rate_hz: int, folder: Path) -> list[Case]:
    """Return the cases of one rate."""
    ours = [str(program("stallscope-collect")), "-p", "PID", "-F", str(rate_hz), "--stacks",
            "dwarf", "--force", "-o", str(folder / "run")]  # fmt: skip
    peer = [str(Path(sys.executable).with_name("py-spy")), "record", "-p", "PID",
            "-r", str(rate_hz), "-d", str(SECONDS + 9), "-f", "raw",
            "-o", str(folder / "raw")]  # fmt: skip
    unobserved: list[ObservedRun] = []

    def measure(command: list[str]) -> ObservedRun:
        unobserved.append(observe([]))
        return observe(command)

    runs = interleave(PAIRS, lambda: measure(ours), lambda: measure(peer))
    shutil.rmtree(folder / "run")
    baseline_us = statistics.median(bare.cpu_us_per_round for bare in unobserved)
    slowdown = [
        tuple(100 * (observed.cpu_us_per_round / baseline_us - 1) for observed in side)
        for side in runs
    ]
    cpu = [tuple(observed.observer_cpu_ms_per_s for observed in side) for side in runs]
    ours_command = " ".join(["stallscope-collect", *ours[1:-1], "DIR"])
    peer_command = " ".join(["py-spy", *peer[1:-1], "FILE"])
    return [
        Case(
            name=f"target at {rate_hz} Hz",
            metric="percent more CPU per round",
            ours_command=ours_command,
            peer_command=peer_command,
            ours=slowdown[0],
            peer=slowdown[1],
            by_difference=True,
            notes=f"unobserved {baseline_us:.0f} us per round (n = {len(unobserved)})",
        ),
        Case(
            name=f"observer at {rate_hz} Hz",
            metric="CPU ms per second",
            ours_command=ours_command,
            peer_command=peer_command,
            ours=cpu[0],
            peer=cpu[1],
        ),
    ]


def observe(command: list[str]) -> ObservedRun:
    """Return the costs of one run; PID in the command is the target, [] is no observer."""
    with subprocess.Popen(
        [INTERPRETER, "-S", "-E", TARGET, str(SECONDS)], stdout=subprocess.PIPE, text=True
    ) as target:
        assert target.stdout is not None
        target.stdout.readline()
        words = [str(target.pid) if word == "PID" else word for word in command]
        begin = time.monotonic()
        cpu_s = 0.0
        if words:
            observer = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            _, _, usage = os.wait4(observer.pid, 0)
            observer.returncode = 0
            cpu_s = usage.ru_utime + usage.ru_stime
        elapsed_s = time.monotonic() - begin
        rounds, target_cpu_s, _ = map(float, target.stdout.read().split())
    return ObservedRun(1e6 * target_cpu_s / rounds, 1e3 * cpu_s / elapsed_s if words else 0.0)
