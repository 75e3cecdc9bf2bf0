"""Extra CPU time of a target and its recorder, per unit of the target's work.

Windows without a recorder alternate with windows that have one, in random order of the recorders.
The cost of a window is the CPU time of target and recorder per unit of work above that of both
neighbours without a recorder, in percent. Short windows follow slow changes of the machine, and
many of them make the median's interval narrow.
"""

import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from benchmarks.record_targets import RecordTarget
from harness.workload.server import process_cpu_s
from stallscope.errors import TargetError

WINDOW_S = 1.0
# Recorders read the machine's symbols and the target's mappings when they start, which is no cost
# per unit of work. They have started when they use little CPU time.
SETTLE_S = 0.3
MAX_SETTLE_S = 4.0
STARTED_SHARE = 0.1
START_LIMIT_S = 20.0
END_LIMIT_S = 120


@dataclass(frozen=True, slots=True)
class Recorder:
    """A recorder's command line by target and output; ``ready``: its message when it records."""

    name: str
    command: Callable[[int, Path], list[str]]
    ready: bytes = b""  # empty: it prints none


@dataclass(frozen=True, slots=True)
class WindowCost:
    """The cost of one window with a recorder.

    ``extra_percent``: CPU time of target and recorder above that without a recorder.
    ``recorder_percent``: CPU time of the recorder, which other programs disturb less. Both are
    shares of the target's CPU time.
    """

    extra_percent: float
    recorder_percent: float
    bytes_per_s: float


@dataclass(frozen=True, slots=True)
class _Window:
    target_us: float  # per unit of work
    recorder_us: float = 0.0


def readings(
    target: RecordTarget, recorders: Sequence[tuple[Recorder, int]], folder: Path, *, seed: int
) -> dict[str, list[WindowCost]]:
    """Return the readings by the recorder's name, the given number of each."""
    order = schedule(recorders, seed=seed)
    results: dict[str, list[WindowCost]] = {recorder.name: [] for recorder, _ in recorders}
    before = _window(target)
    for number, recorder in enumerate(order):
        output = folder / f"recording-{number}"
        begin_s = time.monotonic()
        with running(recorder, target.pid, output) as pid:
            recorded = _window(target, pid)
        duration_s = time.monotonic() - begin_s
        after = _window(target)
        alone_us = (before.target_us + after.target_us) / 2
        results[recorder.name].append(
            WindowCost(
                extra_percent=100 * ((recorded.target_us + recorded.recorder_us) / alone_us - 1),
                recorder_percent=100 * recorded.recorder_us / recorded.target_us,
                bytes_per_s=_size(output) / duration_s,
            )
        )
        _remove(output)
        before = after
    return results


def schedule(recorders: Sequence[tuple[Recorder, int]], *, seed: int) -> list[Recorder]:
    """Return each recorder as often as requested, in random order within rounds."""
    generator = random.Random(seed)
    left = dict(enumerate(count for _, count in recorders))
    rounds = max(left.values())
    order: list[Recorder] = []
    for number in range(rounds):
        # Recorders with fewer readings take part in evenly spaced rounds.
        places = [
            place
            for place, (_, count) in enumerate(recorders)
            if (number + 1) * count // rounds > number * count // rounds
        ]
        generator.shuffle(places)
        order += [recorders[place][0] for place in places]
    return order


@contextmanager
def running(recorder: Recorder, target_pid: int, output: Path) -> Iterator[int]:
    """Yield the pid of a recorder that records; end it after the block."""
    command = recorder.command(target_pid, output)
    with tempfile.TemporaryFile("w+") as messages:
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=messages, start_new_session=True
        )
        try:
            deadline_s = time.monotonic() + START_LIMIT_S
            while (
                recorder.ready not in os.pread(messages.fileno(), 1 << 16, 0)
                and process.poll() is None
                and time.monotonic() < deadline_s
            ):
                time.sleep(0.02)
            _settle(process)
            if process.poll() is not None:
                raise RuntimeError(f"the recorder does not run: {command}")
            yield process.pid
        finally:
            with suppress(ProcessLookupError):
                process.send_signal(signal.SIGINT)
            process.wait(END_LIMIT_S)


def _settle(process: subprocess.Popen[bytes]) -> None:
    """Wait until a recorder that runs uses little CPU time."""
    deadline_s = time.monotonic() + MAX_SETTLE_S
    while time.monotonic() < deadline_s and process.poll() is None:
        cpu_s = sum(_tree_cpu_s(process.pid).values())
        time.sleep(SETTLE_S)
        if sum(_tree_cpu_s(process.pid).values()) - cpu_s < STARTED_SHARE * SETTLE_S:
            return


def _window(target: RecordTarget, recorder: int | None = None) -> _Window:
    """Return the CPU time per unit of work over a window."""
    recorder_s = {} if recorder is None else _tree_cpu_s(recorder)
    work, cpu_s = target.work(), process_cpu_s(target.pid)
    time.sleep(WINDOW_S)
    units = max(1, target.work() - work)
    target_s = process_cpu_s(target.pid) - cpu_s
    after_s = {} if recorder is None else _tree_cpu_s(recorder)
    used_s = sum(cpu_s - recorder_s.get(pid, 0.0) for pid, cpu_s in after_s.items())
    return _Window(1e6 * target_s / units, 1e6 * used_s / units)


def _tree_cpu_s(pid: int) -> dict[int, float]:
    """Return the CPU time of a recorder and its helpers that run, by pid."""
    times = {}
    for process in (psutil.Process(pid), *psutil.Process(pid).children(recursive=True)):
        with suppress(TargetError):
            times[process.pid] = process_cpu_s(process.pid)
    return times


def _size(output: Path) -> int:
    """Return the bytes of a recording, without copies of the kernel's symbols."""
    if not output.is_dir():
        return output.stat().st_size if output.exists() else 0
    files = (output / name for name in ("samples.perf", "waits.jsonl", "requests.bin"))
    return sum(path.stat().st_size for path in files if path.exists())


def _remove(output: Path) -> None:
    if output.is_dir():
        shutil.rmtree(output)
    else:
        output.unlink(missing_ok=True)
