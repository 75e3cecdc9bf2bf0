"""The cost of recording waits: extra CPU time of the target and the recorder, and file size.

Windows without a recorder alternate with windows that have one. The cost of a window is the CPU
time of target and recorder per unit of the target's work, above that of its neighbours without a
recorder, in percent of the target's CPU time. Targets: redis under load, and two threads that pass
a turn back and forth as fast as they can, some 400,000 switches per second.
"""

import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from benchmarks.cases import Case, difference, ours, ratio
from benchmarks.record_targets import Target, redis_under_load
from harness.workload.server import process_cpu_s
from stallscope.programs import program

PAIRS = 7
WINDOW_S = 2.0
# Recorders read the machine's symbols and the target's mappings when they start, which is no cost
# per unit of work. They have started when they use little CPU time.
SETTLE_S = 0.5
MAX_START_S = 3.0
STARTED_SHARE = 0.05
END_S = 30.0
# Switches per second of the fast target are not limited; the bar is that of any rate.
MAX_POINTS = 5.0


@dataclass(frozen=True, slots=True)
class Window:
    """CPU time per unit of work, in microseconds, and bytes written by the recorder per second."""

    cpu_us: float
    bytes_per_s: float = 0.0


@dataclass(frozen=True, slots=True)
class SwitchingPair:
    """A program that counts the turns that two of its threads pass back and forth."""

    pid: int

    def work(self) -> int:
        """Return the context switches of all threads."""
        switches = 0
        for status in Path(f"/proc/{self.pid}/task").glob("*/status"):
            for line in status.read_text().splitlines():
                if "ctxt_switches" in line:
                    switches += int(line.split()[1])
        return switches


@contextmanager
def switching_pair(_: Path) -> Iterator[SwitchingPair]:
    """Run the program until the end of the block."""
    words = [str(program("stallscope-kernels")), "short-and-long-waits", "--duration", "0"]
    with subprocess.Popen([*words, "--rate", "10000000"], stdout=subprocess.DEVNULL) as process:
        try:
            yield SwitchingPair(process.pid)
        finally:
            process.kill()


def collector_command(pid: int, output: Path) -> list[str]:
    """Return the collector's command line."""
    return [str(program("stallscope-collect")), "--waits", "-p", str(pid), "-o", str(output)]


def perf_switch_command(pid: int, output: Path) -> list[str]:
    """Return the command line of a recording of switches with call chains."""
    words = ["perf", "record", "-q", "-e", "sched:sched_switch", "-g", "-m", "2M"]
    return [*words, "-p", str(pid), "-o", str(output)]


def perf_sched_command(_: int, output: Path) -> list[str]:
    """Return the command line of perf sched, which records whole CPUs."""
    return ["perf", "sched", "record", "-q", "-m", "2M", "-o", str(output)]


Command = Callable[[int, Path], list[str]]
PEERS: tuple[tuple[str, Command], ...] = (
    ("perf record -e sched:sched_switch -g", perf_switch_command),
    ("perf sched record", perf_sched_command),
)
Targets = tuple[tuple[str, Callable[[Path], AbstractContextManager[Target]]], ...]
TARGETS: Targets = (
    ("redis under load", redis_under_load),
    ("400,000 switches/s", switching_pair),
)


def run() -> list[Case]:
    """Measure both targets against both peers."""
    cases: list[Case] = []
    for name, running_target in TARGETS:
        with (
            tempfile.TemporaryDirectory(dir="/var/tmp") as folder,
            running_target(Path(folder)) as target,
        ):
            time.sleep(1)
            for peer, command in PEERS:
                cases += _compare(name, target, peer, command, Path(folder))
                for case in cases[-2:]:
                    print(case.name, case.metric, case.ours, case.peer, flush=True)
    return cases


def _compare(
    name: str, target: Target, peer: str, peer_command: Command, folder: Path
) -> list[Case]:
    """Return the cases of a target and a peer."""
    points: dict[str, list[float]] = {"ours": [], "peer": []}
    sizes: dict[str, list[float]] = {"ours": [], "peer": []}
    before = _window(target)
    for number in range(PAIRS):
        order = ("ours", "peer") if number % 2 == 0 else ("peer", "ours")
        for side in order:
            command = collector_command if side == "ours" else peer_command
            seen = _recorded(target, command, folder / f"{side}-{number}")
            after = _window(target)
            alone_us = (before.cpu_us + after.cpu_us) / 2
            points[side].append(100 * (seen.cpu_us / alone_us - 1))
            sizes[side].append(seen.bytes_per_s)
            before = after
    return [
        Case(
            name=name,
            metric="extra CPU time of target and recorder, %",
            bar=(ours(at_most=MAX_POINTS), difference(at_most=0)),
            ours=tuple(points["ours"]),
            peer=tuple(points["peer"]),
            by_difference=True,
            ours_command="stallscope-collect --waits",
            peer_command=peer,
        ),
        Case(
            name=name,
            metric="recording, bytes/s",
            bar=(ratio(at_most=1),),
            ours=tuple(sizes["ours"]),
            peer=tuple(sizes["peer"]),
            ours_command="stallscope-collect --waits",
            peer_command=peer,
        ),
    ]


def _window(target: Target) -> Window:
    """Return the cost of the target's work over a window without a recorder."""
    work, cpu_s = target.work(), process_cpu_s(target.pid)
    time.sleep(WINDOW_S)
    units = max(1, target.work() - work)
    return Window(1e6 * (process_cpu_s(target.pid) - cpu_s) / units)


def _recorded(target: Target, command: Command, output: Path) -> Window:
    """Return the cost of the target's work while a recorder runs, including the recorder's."""
    process = subprocess.Popen(
        command(target.pid, output), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        start_s = _start_time(process)
        if process.poll() is not None:
            raise RuntimeError(f"the recorder ended at once: {command(target.pid, output)}")
        recorder_s = _tree_cpu_s(process.pid)
        work, cpu_s = target.work(), process_cpu_s(target.pid)
        time.sleep(WINDOW_S)
        units = max(1, target.work() - work)
        used_s = process_cpu_s(target.pid) - cpu_s + _tree_cpu_s(process.pid) - recorder_s
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(END_S)
    # A recorder may write its buffers at the end only.
    written = _size(output)
    _remove(output)
    return Window(1e6 * used_s / units, written / (start_s + WINDOW_S))


def _start_time(process: subprocess.Popen[bytes]) -> float:
    """Return the seconds waited until the recorder has started."""
    begin = time.monotonic()
    while (waited_s := time.monotonic() - begin) < MAX_START_S and process.poll() is None:
        cpu_s = _tree_cpu_s(process.pid)
        time.sleep(SETTLE_S)
        if waited_s > 0 and _tree_cpu_s(process.pid) - cpu_s < STARTED_SHARE * SETTLE_S:
            break
    return time.monotonic() - begin


def _tree_cpu_s(pid: int) -> float:
    """Return the CPU time of a recorder and its helpers."""
    helpers = psutil.Process(pid).children(recursive=True)
    return process_cpu_s(pid) + sum(process_cpu_s(helper.pid) for helper in helpers)


def _size(output: Path) -> int:
    """Return the bytes of a recording, without copies of the kernel's symbols."""
    if not output.is_dir():
        return output.stat().st_size if output.exists() else 0
    files = (output / name for name in ("samples.perf", "waits.jsonl"))
    return sum(path.stat().st_size for path in files if path.exists())


def _remove(output: Path) -> None:
    if output.is_dir():
        shutil.rmtree(output)
    else:
        output.unlink(missing_ok=True)
