"""`stallscope io probe` against `ioping -D`: latency of one direct read of 4 KiB at a time.

Both real-time. ioping tells every request's time, of which the percentiles are made here.
"""

import json
import re
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.effort import pairs, seconds
from benchmarks.io_engine import Place, places
from benchmarks.pairs import Case, save

PAIRS = 7
SECONDS = 3.0
MOST_REQUESTS = 100_000  # of ioping, which prints a line for each
_TIME = re.compile(rb"time=([0-9.]+) (ns|us|ms|s)\b")
_US = {b"ns": 1e-3, b"us": 1.0, b"ms": 1e3, b"s": 1e6}


def _ours(path: str) -> list[str]:
    return [
        *("stallscope", "io", "probe", path, "--ways", "direct", "--json"),
        *("--duration", f"{seconds(SECONDS):g}"),
    ]


def _peer(path: str) -> list[str]:
    return [
        *("chrt", "-f", "1", "ioping", "-D", "-i", "0", "-s", "4k"),
        *("-w", f"{seconds(SECONDS):g}", "-c", str(MOST_REQUESTS), path),
    ]


def _percentiles_of_ours(path: str) -> tuple[float, float]:
    """Return p50 and p99 in us."""
    command = [sys.executable, "-m", *_ours(path)]
    document = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    return document["latency_ns"]["p50"] / 1000, document["latency_ns"]["p99"] / 1000


def _percentiles_of_ioping(path: str) -> tuple[float, float]:
    output = subprocess.run(_peer(path), capture_output=True, check=True).stdout
    times_us = [float(number) * _US[unit] for number, unit in _TIME.findall(output)]
    hundredths = statistics.quantiles(times_us, n=100)
    return hundredths[49], hundredths[98]


def _cases(place: Place) -> Iterator[Case]:
    found: dict[str, list[tuple[float, float]]] = {"ours": [], "peer": []}
    measure: dict[str, Callable[[str], tuple[float, float]]] = {
        "ours": _percentiles_of_ours,
        "peer": _percentiles_of_ioping,
    }
    for turn in range(pairs(PAIRS)):
        for name in ("ours", "peer") if turn % 2 == 0 else ("peer", "ours"):
            found[name].append(measure[name](place.path))
    for number, metric in enumerate(("p50 latency us", "p99 latency us")):
        yield Case(
            name=f"one read at a time, {place.name}",
            metric=metric,
            ours_command=" ".join(_ours("FILE")),
            peer_command=" ".join(_peer("FILE")),
            bar="within ioping's spread",
            ours=tuple(one[number] for one in found["ours"]),
            peer=tuple(one[number] for one in found["peer"]),
        )


def run() -> None:
    """Measure pairs on the disk, and in zram where root may make one."""
    cases: list[Case] = []
    for place in places(Path("build")):
        cases += _cases(place)
    save("io_probe", "./dev bench io_probe", cases)
