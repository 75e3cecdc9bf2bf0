"""`stallscope io probe` against `ioping -D`: latency of direct reads of 4 KiB, one at a time.

Both run with real-time priority. ioping prints the time of every request; its percentiles are
computed here.
"""

import json
import re
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.cases import PEER_RANGE, Case
from benchmarks.effort import pairs, seconds
from benchmarks.interleaving import interleave
from benchmarks.io_engine import ReadFile, read_files

PAIRS = 7
SECONDS = 3.0
MAX_REQUESTS = 100_000  # of ioping, which prints a line per request
_TIME = re.compile(rb"time=([0-9.]+) (ns|us|ms|s)\b")
_US = {b"ns": 1e-3, b"us": 1.0, b"ms": 1e3, b"s": 1e6}


def run() -> list[Case]:
    """Measure pairs on the disk, and on zram if root can create one."""
    return [case for file in read_files(Path("build")) for case in _cases(file)]


def _cases(file: ReadFile) -> Iterator[Case]:
    probe, ioping = interleave(
        pairs(PAIRS), lambda: _probe_percentiles(file.path), lambda: _ioping_percentiles(file.path)
    )
    for number, metric in enumerate(("p50 latency us", "p99 latency us")):
        yield Case(
            name=f"one read at a time, {file.name}",
            metric=metric,
            ours_command=" ".join(_probe_command("FILE")),
            peer_command=" ".join(_ioping_command("FILE")),
            bar=(PEER_RANGE,),
            ours=tuple(percentiles[number] for percentiles in probe),
            peer=tuple(percentiles[number] for percentiles in ioping),
        )


def _probe_command(path: str) -> list[str]:
    return [
        *("stallscope", "io", "probe", path, "--read-path", "direct", "--json"),
        *("--duration", f"{seconds(SECONDS):g}"),
    ]


def _ioping_command(path: str) -> list[str]:
    return [
        *("chrt", "-f", "1", "ioping", "-D", "-i", "0", "-s", "4k"),
        *("-w", f"{seconds(SECONDS):g}", "-c", str(MAX_REQUESTS), path),
    ]


def _probe_percentiles(path: str) -> tuple[float, float]:
    """Return p50 and p99 in us."""
    command = [sys.executable, "-m", *_probe_command(path)]
    document = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    return document["latency_ns"]["p50"] / 1000, document["latency_ns"]["p99"] / 1000


def _ioping_percentiles(path: str) -> tuple[float, float]:
    """Return p50 and p99 in us."""
    output = subprocess.run(_ioping_command(path), capture_output=True, check=True).stdout
    times_us = [float(number) * _US[unit] for number, unit in _TIME.findall(output)]
    hundredths = statistics.quantiles(times_us, n=100)
    return hundredths[49], hundredths[98]
