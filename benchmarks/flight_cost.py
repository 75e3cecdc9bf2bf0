"""The cost of waiting for a trigger: extra CPU time of the target and the recorder.

Windows without a recorder alternate with windows in which `stallscope record --flight` waits, or
perf's recorder with overwriting rings. The recorder's own CPU time, which other programs on the
machine do not disturb, is a separate case. Bar: 1 %.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from benchmarks.cases import Case, ours
from benchmarks.record_targets import RecordTarget, busy_pair, pinned, redis_under_load
from benchmarks.recorder_cost import Recorder, WindowCost, readings

OURS = 16
PEERS = 8
MAX_PERCENT = 1.0
OURS_COMMAND = "stallscope record --flight 30s"


def flight_command(pid: int, output: Path) -> list[str]:
    """Return the command line of the flight recorder; its triggers do not fire."""
    words = [sys.executable, "-m", "stallscope", "record", "-p", str(pid), "-o", str(output)]
    return [*words, "--flight", "30s", "--on", "psi.memory>90%", "--on", "signal"]


def perf_command(pid: int, output: Path) -> list[str]:
    """Return the command line of perf with overwriting rings."""
    words = ["perf", "record", "-q", "--overwrite", "--switch-output=signal", "-e", "cpu-clock"]
    return [*words, "-F", "99", "--call-graph", "dwarf", "-p", str(pid), "-o", str(output)]


FLIGHT = Recorder(OURS_COMMAND, flight_command, ready=b"waiting for")
PERF = Recorder("perf record --overwrite -F 99 --call-graph dwarf", perf_command)
Start = Callable[[Path], AbstractContextManager[RecordTarget]]
TARGETS: tuple[tuple[str, Start], ...] = (
    ("two busy threads", busy_pair),
    ("redis, busy", lambda folder: pinned(redis_under_load(folder))),
)


def run() -> list[Case]:
    """Measure both targets."""
    cases: list[Case] = []
    for seed, (name, start) in enumerate(TARGETS):
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder, start(Path(folder)) as target:
            time.sleep(1)
            results = readings(target, [(FLIGHT, OURS), (PERF, PEERS)], Path(folder), seed=seed)
        cases += cases_of(name, results)
        for case in cases[-3:]:
            print(case.name, case.metric, case.ours, case.peer, flush=True)
    return cases


def cases_of(name: str, results: dict[str, list[WindowCost]]) -> list[Case]:
    """Return the cases of a target: the bar, and the same beside perf."""
    own, peer = results[OURS_COMMAND], results[PERF.name]
    extra = "extra CPU time of target and recorder, %"
    beside_peer = own[OURS // PEERS - 1 :: OURS // PEERS]
    return [
        Case(
            name=name,
            metric=extra,
            bar=(ours(at_most=MAX_PERCENT),),
            ours=tuple(reading.extra_percent for reading in own),
            by_difference=True,
            ours_command=OURS_COMMAND,
        ),
        Case(
            name=name,
            metric="CPU time of recorder, %",
            bar=(ours(at_most=MAX_PERCENT),),
            ours=tuple(reading.recorder_percent for reading in own),
            by_difference=True,
            ours_command=OURS_COMMAND,
        ),
        Case(
            name=f"{name}, beside perf",
            metric=extra,
            ours=tuple(reading.extra_percent for reading in beside_peer),
            peer=tuple(reading.extra_percent for reading in peer),
            by_difference=True,
            ours_command=OURS_COMMAND,
            peer_command=PERF.name,
        ),
    ]
