"""The cost of reading the frames of Java and Node beyond sampling, at 999 Hz with two busy threads.

Windows without a recorder alternate with windows of a recorder that reads frames and of one that
only samples, with equal copies of stacks. The one that only samples writes the copies whole; the
other one learns where stacks end and writes them up to there, which pays for a part of the reading.
Bars: the reading takes at most 1 % of one CPU, 2 % for Node. The CPU time of the target per unit of
its work grows by at most 1 %, of which there are two rows: with sampling, and the reading alone.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from benchmarks.cases import Case, difference, ours
from benchmarks.effort import pairs
from benchmarks.record_targets import RecordTarget, running_pair
from benchmarks.recorder_cost import Recorder, WindowCost, readings

WINDOWS = 8
CPUS_OF_TARGET = 2
WARM_UP_S = 4.0
PROGRAMS = Path(__file__).parent / "runtimes"
OPTIONS = ("-F", "999", "--stacks", "dwarf", "--stack-bytes", "32768")
Start = Callable[[Path], AbstractContextManager[RecordTarget]]


def _recorder(name: str, *options: str) -> Recorder:
    def command(pid: int, output: Path) -> list[str]:
        words = [sys.executable, "-m", "stallscope", "record", "-p", str(pid), "-o", str(output)]
        return [*words, "--duration", "0", *OPTIONS, *options]

    return Recorder(name, command, ready=b"stacks: ")


READING = _recorder(" ".join(("stallscope record", *OPTIONS)))
SAMPLING = _recorder(" ".join(("stallscope record", *OPTIONS, "--python off")), "--python", "off")


def _java(folder: Path) -> AbstractContextManager[RecordTarget]:
    source = PROGRAMS / "BusyThreads.java"
    subprocess.run(["javac", "--release", "17", "-d", folder, source], check=True)
    return running_pair(
        ["java", "-Xmx256m", "-cp", str(folder), "BusyThreads"], folder / "counters"
    )


def _node(folder: Path) -> AbstractContextManager[RecordTarget]:
    return running_pair(["node", str(PROGRAMS / "busy_threads.js")], folder / "counters")


TARGETS: tuple[tuple[str, Start, float], ...] = (
    ("Java, two busy threads", _java, 1.0),
    ("Node, two busy threads", _node, 2.0),
)


def run() -> list[Case]:
    """Measure both runtimes."""
    cases: list[Case] = []
    count = pairs(WINDOWS)
    for seed, (name, start, max_percent) in enumerate(TARGETS):
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder, start(Path(folder)) as target:
            time.sleep(WARM_UP_S)
            recorders = [(READING, count), (SAMPLING, count)]
            results = readings(target, recorders, Path(folder), seed=seed)
        cases += cases_of(name, results, max_percent)
        for case in cases[-3:]:
            print(case.name, case.metric, case.ours, case.peer, flush=True)
    return cases


def cases_of(name: str, results: dict[str, list[WindowCost]], max_percent: float) -> list[Case]:
    """Return the cases of a runtime: the observer's CPU time, and the slowdown of the target."""
    reading, sampling = results[READING.name], results[SAMPLING.name]
    slowdowns = tuple(_slowdown(window) for window in reading)
    return [
        Case(
            name=name,
            metric="CPU time of the recorder, % of one CPU",
            ours_command=READING.name,
            peer_command=SAMPLING.name,
            bar=(difference(at_most=max_percent),),
            ours=tuple(of_one_cpu(window) for window in reading),
            peer=tuple(of_one_cpu(window) for window in sampling),
            by_difference=True,
        ),
        Case(
            name=name,
            metric="more CPU time of the target per unit of work, %",
            ours_command=READING.name,
            bar=(ours(at_most=1.0),),
            ours=slowdowns,
            by_difference=True,
        ),
        Case(
            name=name,
            metric="the same, beside sampling alone",
            ours_command=READING.name,
            peer_command=SAMPLING.name,
            bar=(difference(at_most=1.0),),
            ours=slowdowns,
            peer=tuple(_slowdown(window) for window in sampling),
            by_difference=True,
        ),
    ]


def of_one_cpu(window: WindowCost) -> float:
    """Return a recorder's CPU time in percent of one CPU; the target uses what is left of two."""
    share = window.recorder_percent / 100
    return 100 * CPUS_OF_TARGET * share / (1 + share)


def _slowdown(window: WindowCost) -> float:
    return window.extra_percent - window.recorder_percent
