"""Time from SIGKILL of `stallscope pin` until its guardian has restored the last setting.

Measured on a recorded machine with intel_pstate, whose files are in memory, and on the kernel of
this machine with its last CPU pinned. Bar: 50 ms. There is no peer that restores settings.
"""

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.cases import Case, ours
from tests.cstates.machine_trees import expand

ROUNDS = 15
RECORDED = "ice-lake-server"


def run() -> list[Case]:
    """Measure both machines; the live one needs root and two CPUs."""
    cases = [measure(f"recorded machine {RECORDED}", recorded_machine)]
    cpus = os.sched_getaffinity(0)
    if os.geteuid() == 0 and len(cpus) > 1:
        cases.append(measure("this machine", lambda _: [f"--cpus={max(cpus)}"]))
    return cases


def measure(name: str, make_options: Callable[[Path], list[str]]) -> Case:
    """Kill and time in every round."""
    readings, count = [], 0
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            elapsed_ms, count = restore_time(Path(folder), make_options(Path(folder)))
            readings.append(elapsed_ms)
    return Case(
        name=f"SIGKILL until the last of {count} settings is restored, {name}",
        metric="wall ms",
        ours_command="stallscope pin --profile bench",
        bar=(ours(at_most=50),),
        ours=tuple(readings),
    )


def restore_time(folder: Path, options: list[str]) -> tuple[float, int]:
    """Return the milliseconds of one restore, and the number of settings that were pinned."""
    words = [str(Path(sys.executable).with_name("stallscope")), "pin", "--profile", "bench"]
    pin = subprocess.Popen(
        [*words, f"--run-root={folder}/run", *options, "--", "sh", "-c", "echo $$; exec sleep 600"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert pin.stdout is not None
    command = os.pidfd_open(int(pin.stdout.readline()))
    journal = folder / "run" / "pin-0.json"
    count = len(json.loads(journal.read_bytes())["entries"])
    began = time.perf_counter()
    pin.send_signal(signal.SIGKILL)
    while journal.exists():  # the guardian removes it after the last setting
        time.sleep(0.0002)
    elapsed_s = time.perf_counter() - began
    assert select.select([command], [], [], 10)[0]
    os.close(command)
    pin.wait()
    pin.stdout.close()
    return elapsed_s * 1000, count


def recorded_machine(folder: Path) -> list[str]:
    """Return the options for the recorded machine, whose tree is created below the folder."""
    tree = expand(RECORDED, folder / "machine")
    return [f"--sysfs-root={tree}/sys", f"--proc-root={tree}/proc"]
