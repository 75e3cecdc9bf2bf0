"""The analysis of ten million context switches: time and memory on one core.

The recording is synthesised: 64 threads on four CPUs, with one stack, registers and wake-up per
ten switches, as the recorder writes at a high rate. Readings of schedstat, five per second, make
the analysis fit run and queue times. The whole document is made, with locks and causes.
"""

import json
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from unittest import mock

import numpy as np
import numpy.typing as npt

from benchmarks.cases import Case, ours
from harness.recordings import wait_records
from harness.waits import analysis
from harness.waits.analysis import WaitAnalysis
from stallscope._native import Capture
from stallscope.recordings import Recording
from tests.captures.wait_capture import WaitCapture
from topdown.waits.records import ThreadReading, WaitRecords
from topdown.waits.wait_log import WaitLog

SWITCHES = 10_000_000
RUNS = 5
PID, THREADS, CPUS = 1000, 64, 4
PAIRS_PER_CYCLE = 5  # switches in and out
CYCLES_PER_CHUNK = 20_000
SWITCHES_PER_S = 2e6
FUTEX_WAIT = 128
READINGS_PER_S = 5
RUN_SHARE = 0.3  # of a CPU's time, that the readings have
_Cycle = npt.NDArray[np.uint8]

# Placeholders, of which the cycle's bytes have the offsets of its fields.
_TID, _CPU = 0x7EADBEEF, 0x7EADC0DE
_TIME = 0x7A5E_0000_0000_0000

_ANALYSIS = """
import json, resource, sys, time
from pathlib import Path
from benchmarks.waits_analysis import analyze_with_readings
from harness.waits.build import waits_result
from stallscope.recordings import open_recording
began_s = time.process_time()
recording = open_recording(Path(sys.argv[1]))
result = waits_result(analyze_with_readings(recording), recording=recording.path, report=None)
usage = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({"cpu_s": time.process_time() - began_s, "threads": len(result.threads),
                  "peak_bytes": usage.ru_maxrss * 1024}))
"""


def run() -> list[Case]:
    """Measure the analysis of a synthesised recording."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        path = Path(name) / "switches.perf"
        write_switches(path, SWITCHES)
        readings = [_analyze(path) for _ in range(RUNS)]
    return [
        Case(
            name=f"{SWITCHES:,} switches",
            metric=metric,
            ours_command="stallscope waits, from the recording to the document",
            bar=(ours(at_most=limit),),
            ours=tuple(value(reading) for reading in readings),
        )
        for metric, limit, value in _QUANTITIES
    ]


_QUANTITIES: tuple[tuple[str, float, Callable[[dict[str, float]], float]], ...] = (
    ("CPU s", 30, lambda reading: reading["cpu_s"]),
    ("peak memory, GiB", 1, lambda reading: reading["peak_bytes"] / 2**30),
)


def _analyze(path: Path) -> dict[str, float]:
    """Return CPU time and memory of an analysis on one CPU."""
    words = ["taskset", "-c", "0", sys.executable, "-c", _ANALYSIS, str(path)]
    run_ = subprocess.run(words, capture_output=True, text=True, check=True)
    reading: dict[str, float] = json.loads(run_.stdout)
    print(reading, flush=True)
    return reading


def analyze_with_readings(recording: Recording) -> WaitAnalysis:
    """Return the analysis of the recording as if its log had readings of schedstat.

    Every thread ran a little less than its switches show.
    """

    read = wait_records.wait_records_of

    def records_of(recording: Recording, capture: Capture) -> tuple[WaitRecords, WaitLog | None]:
        records, log = read(recording, capture)
        span_ns = records.end_ns - records.begin_ns
        count = READINGS_PER_S * span_ns // 1_000_000_000
        run_ns = round(RUN_SHARE * span_ns * CPUS / THREADS)
        readings = tuple(
            ThreadReading(
                records.begin_ns + span_ns * number // count,
                thread,
                "S",
                run_ns * number // count,
                run_ns * number // count // 10,
            )
            for number in range(count + 1)
            for thread in range(len(records.threads))
        )
        return replace(records, readings=readings), log

    with mock.patch.object(wait_records, "wait_records_of", records_of):
        return analysis.analyze_waits(recording)


def write_switches(path: Path, switches: int, per_s: float = SWITCHES_PER_S) -> None:
    """Write a capture with this number of switches of either direction, ``per_s`` per second."""
    cycle_ns = round(2 * PAIRS_PER_CYCLE * CPUS / per_s * 1e9)
    start = WaitCapture()
    start.process(PID)
    for tid in range(PID + 1, PID + THREADS):
        start.start(PID, tid, 1, parent=PID)
    cycle, offsets = _cycle(cycle_ns)
    cycles = switches // (2 * PAIRS_PER_CYCLE)
    with path.open("wb") as file:
        file.write(start.content())
        for first in range(0, cycles, CYCLES_PER_CHUNK):
            numbers = np.arange(first, min(cycles, first + CYCLES_PER_CHUNK), dtype=np.uint64)
            chunk = np.tile(cycle, (len(numbers), 1))
            begin = 1_000 + numbers * np.uint64(cycle_ns // CPUS)
            for offset, delta in offsets["time"]:
                _set(chunk, offset, begin + np.uint64(delta))
            for offset, _ in offsets["tid"]:
                _set(chunk, offset, (PID + numbers % np.uint64(THREADS)).astype(np.uint32))
            for offset, _ in offsets["cpu"]:
                _set(chunk, offset, (numbers % np.uint64(CPUS)).astype(np.uint32))
            file.write(chunk.tobytes())


def _set(chunk: _Cycle, offset: int, values: npt.NDArray[np.unsignedinteger]) -> None:
    width = values.dtype.itemsize
    chunk[:, offset : offset + width] = values.view(np.uint8).reshape(-1, width)


def _cycle(cycle_ns: int) -> tuple[_Cycle, dict[str, list[tuple[int, int]]]]:
    """Return the records of a cycle, and the offsets of its fields with their distances."""
    empty = len(WaitCapture().content())
    made = WaitCapture()
    step = cycle_ns // CPUS // (3 * PAIRS_PER_CYCLE)
    for pair in range(PAIRS_PER_CYCLE):
        made.switch_in(PID, _TID, _TIME + 2 * pair * step, _CPU)
        if pair == PAIRS_PER_CYCLE - 1:
            registers = {"ip": 0x400123, "return_address": 0x400123, "argument0": 0x500000,
                         "argument1": FUTEX_WAIT, "argument2": 2}  # fmt: skip
            made.switch_sample(
                PID, _TID, _TIME + (2 * pair + 1) * step, [0x123, 0x456, 0x789], cpu=_CPU,
                registers=registers,
            )  # fmt: skip
        made.switch_out(PID, _TID, _TIME + (2 * pair + 1) * step, _CPU)
    made.waking((PID, PID), _TID, _TIME + 2 * PAIRS_PER_CYCLE * step, cpu=_CPU)
    content = made.content()[empty:]
    offsets = {
        "tid": _places(content, struct.pack("<I", _TID)),
        "cpu": _places(content, struct.pack("<I", _CPU)),
        "time": [],
    }
    for delta in range(0, (2 * PAIRS_PER_CYCLE + 1) * step, step):
        offsets["time"] += [
            (offset, delta) for offset, _ in _places(content, struct.pack("<Q", _TIME + delta))
        ]
    return np.frombuffer(content, np.uint8), offsets


def _places(content: bytes, pattern: bytes) -> list[tuple[int, int]]:
    """Return the offsets of a pattern."""
    places, at = [], content.find(pattern)
    while at >= 0:
        places.append((at, 0))
        at = content.find(pattern, at + 1)
    return places
