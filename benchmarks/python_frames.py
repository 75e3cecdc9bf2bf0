"""What reading Python frames costs: ours (native and Python frames) against py-spy record.

Both observe the same program of one busy thread, at py-spy's usual 100 Hz and at ten times that.
The target's CPU time a round is held against unobserved runs of the same session.
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

from benchmarks.pairs import Case, interleave, save
from stallscope.programs import program

TARGET = Path(__file__).parent / "targets" / "python_rounds.py"
INTERPRETER = "/usr/bin/python3"
PAIRS = 7
SECONDS = 4
RATES_HZ = (100, 999)


@dataclass(frozen=True, slots=True)
class Observed:
    """What a run of the target took, and its observer."""

    cpu_us_a_round: float
    rounds_a_second: float
    observer_cpu_ms_a_second: float


def observe(command: list[str]) -> Observed:
    """Return the costs of one run; ``command`` has PID for the target, [] is no observer."""
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
        lasted = time.monotonic() - begin
        rounds, target_cpu_s, target_s = map(float, target.stdout.read().split())
    per_second = 1e3 * cpu_s / lasted if words else 0.0
    return Observed(1e6 * target_cpu_s / rounds, rounds / target_s, per_second)


def compare(rate: int, folder: Path) -> list[Case]:
    """Return the cases of one rate."""
    ours = [str(program("stallscope-collect")), "-p", "PID", "-F", str(rate), "--stacks", "dwarf",
            "--force", "-o", str(folder / "run")]  # fmt: skip
    peer = [str(Path(sys.executable).with_name("py-spy")), "record", "-p", "PID", "-r", str(rate),
            "-d", str(SECONDS + 9), "-f", "raw", "-o", str(folder / "raw")]  # fmt: skip
    bare: list[Observed] = []
    seen: dict[str, list[Observed]] = {"ours": [], "peer": []}

    def measure(name: str, command: list[str]) -> float:
        bare.append(observe([]))
        seen[name].append(observe(command))
        return 0.0

    interleave(PAIRS, lambda: measure("ours", ours), lambda: measure("peer", peer))
    shutil.rmtree(folder / "run")
    unobserved = statistics.median(one.cpu_us_a_round for one in bare)
    said = f"unobserved {unobserved:.0f} us a round (n = {len(bare)})"
    commands = {"ours_command": " ".join(["stallscope-collect", *ours[1:-1], "DIR"]),
                "peer_command": " ".join(["py-spy", *peer[1:-1], "FILE"])}  # fmt: skip
    slower = {
        name: tuple(100 * (one.cpu_us_a_round / unobserved - 1) for one in runs)
        for name, runs in seen.items()
    }
    cpu = {name: tuple(one.observer_cpu_ms_a_second for one in runs) for name, runs in seen.items()}
    return [
        Case(f"target at {rate} Hz", "percent more CPU a round", **commands, bar="none",
             ours=slower["ours"], peer=slower["peer"], notes=said),
        Case(f"observer at {rate} Hz", "CPU ms a second", **commands, bar="none",
             ours=cpu["ours"], peer=cpu["peer"]),
    ]  # fmt: skip


def run() -> None:
    """Measure both rates."""
    with tempfile.TemporaryDirectory() as name:
        cases = [case for rate in RATES_HZ for case in compare(rate, Path(name))]
    for case in cases:
        print(case.name, case.metric, case.ours, case.peer, flush=True)
    save("python_frames", "./dev bench python_frames", cases)
