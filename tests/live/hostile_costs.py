"""Time and CPU time of root's `stallscope record -a` beside each hostile process of another user.

    python -m tests.live.hostile_costs [RUNS]

Prints a table: medians and ranges of the time from Ctrl-C to the end, and of the CPU time beyond
the median with an honest target, which is a Python program of the same user. The kinds are those
of targets/hostile.c.
"""

import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.live.test_hostile_targets import SOURCE, write_sparse_elf

KINDS = ("honest", "userfaultfd", "fuse-memory", "fuse-code", "symbols", "structures")
RECORD_S = 5.0
HONEST = "import sys; print('ready', flush=True)\nwhile True: sum(range(1000))"


def start_target(kind: str, folder: Path) -> "subprocess.Popen[str]":
    """Start the target and wait until it works."""
    program = folder / "python3.11"
    words = [str(program), kind]
    if kind == "honest":
        words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        words += ["/usr/bin/python3", "-c", HONEST]
    elif kind == "symbols":
        words.append(str(folder / "libpython3.99.so"))
    elif kind.startswith("fuse"):
        words.append(tempfile.mkdtemp(dir=folder))
    target = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert target.stdout is not None
    assert target.stdout.readline() == "ready\n", kind
    return target


def measure(kind: str, folder: Path, number: int) -> tuple[float, float, int]:
    """Return seconds from Ctrl-C to the end, CPU seconds, and the exit status of a recording."""
    target = start_target(kind, folder)
    output = folder / f"{kind}-{number}"
    words = [sys.executable, "-m", "stallscope", "record", "-a", "-d", "0", "-o", str(output)]
    process = subprocess.Popen(
        words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    while not (output / "samples.perf").exists():
        time.sleep(0.05)
    time.sleep(RECORD_S)
    begin_s = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    _, status, usage = os.wait4(process.pid, 0)
    end_s = time.monotonic() - begin_s
    process.returncode = os.waitstatus_to_exitcode(status)
    os.killpg(target.pid, signal.SIGKILL)
    target.communicate(timeout=20)
    return end_s, usage.ru_utime + usage.ru_stime, process.returncode


def main() -> None:
    """Measure all kinds in turn, and print the table."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    ends: dict[str, list[float]] = {kind: [] for kind in KINDS}
    costs: dict[str, list[float]] = {kind: [] for kind in KINDS}
    with tempfile.TemporaryDirectory(prefix="hostile-", dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        program = folder / "python3.11"
        subprocess.run(["cc", "-O1", "-rdynamic", "-o", str(program), str(SOURCE)], check=True)
        write_sparse_elf(folder / "libpython3.99.so", 4000, 255 << 20)
        for number in range(runs):
            for kind in KINDS:
                end_s, cpu_s, status = measure(kind, folder, number)
                assert status == 0, (kind, status)
                ends[kind].append(end_s)
                costs[kind].append(cpu_s)
    honest_s = statistics.median(costs["honest"])
    print("| target | seconds from Ctrl-C to the end | CPU seconds beyond an honest target |")
    print("|---|---|---|")
    for kind in KINDS:
        print(f"| {kind} | {spread(ends[kind])} | {spread([s - honest_s for s in costs[kind]])} |")


def spread(values: list[float]) -> str:
    """Return "median (smallest to largest)"."""
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


if __name__ == "__main__":
    main()
