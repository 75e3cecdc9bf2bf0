"""From SIGKILL of `stallscope pin` to the last setting put back by its guardian; bar 50 ms.

On a made machine with intel_pstate, whose files are in memory, and on the kernel of this one with
its last CPU pinned. No peer restores.
"""

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.pairs import Case, save
from tests.cstates.machine_trees import expand

ROUNDS = 15
MADE = "ice-lake-server"


def once(folder: Path, options: list[str]) -> tuple[float, int]:
    """Return the milliseconds one restore took, and how many settings were pinned."""
    words = [Path(sys.executable).with_name("stallscope"), "pin", "--profile", "bench"]
    pin = subprocess.Popen(
        [*words, f"--run-root={folder}/run", *options, "--", "sh", "-c", "echo $$; exec sleep 600"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    command = os.pidfd_open(int(pin.stdout.readline()))
    journal = folder / "run" / "pin-0.json"
    count = len(json.loads(journal.read_bytes())["entries"])
    began = time.perf_counter()
    pin.send_signal(signal.SIGKILL)
    while journal.exists():  # it goes once all is put back
        time.sleep(0.0002)
    took = time.perf_counter() - began
    assert select.select([command], [], [], 10)[0]
    os.close(command)
    pin.wait()
    pin.stdout.close()
    return took * 1000, count


def measured(name: str, make_options) -> Case:
    """Kill and time, round by round; keep every figure."""
    figures, count = [], 0
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            took, count = once(Path(folder), make_options(Path(folder)))
            figures.append(took)
    return Case(
        name=f"SIGKILL to the last of {count} settings put back, {name}",
        metric="wall ms",
        ours_command="stallscope pin --profile bench",
        peer_command="",
        bar="under 50",
        ours=tuple(figures),
    )


def made(folder: Path) -> list[str]:
    """Return the options of the made machine, laid out below the folder."""
    tree = expand(MADE, folder / "machine")
    return [f"--sysfs-root={tree}/sys", f"--proc-root={tree}/proc"]


def run() -> None:
    """Measure both machines; the live one needs root and two CPUs."""
    cases = [measured(f"made machine {MADE}", made)]
    cpus = os.sched_getaffinity(0)
    if os.geteuid() == 0 and len(cpus) > 1:
        cases.append(measured("this machine", lambda _: [f"--cpus={max(cpus)}"]))
    save("pin_guardian", "./dev bench pin_guardian", cases)
