"""The CPU time that the I/O queue adds to a request of 4 KiB. Bar: 0.5 us.

Measured on a device without latency, where nothing else costs CPU, and on a file in the page cache
by io_uring, against the disk engine at the same depth.
"""

import json
import statistics
import subprocess
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.cases import Case, ours
from benchmarks.effort import pairs, seconds
from benchmarks.interleaving import interleave
from stallscope.programs import program
from stallscope.statistics.pairs import paired_differences

PAIRS = 11
DURATION_S = 1.0
DEPTHS = (1, 4, 32)
BLOCK_BYTES = 4096
FILE_BYTES = 16 << 20


def run() -> list[Case]:
    """Measure both at every depth."""
    cases = [
        _added_cost(
            "device without latency",
            depth,
            with_queue=partial(device_without_latency, "queue", depth),
            without=partial(device_without_latency, "bare", depth),
        )
        for depth in DEPTHS
    ]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "cached"
        file.write_bytes(bytes(FILE_BYTES))
        with file.open("rb") as opened:
            target = {"path": str(file), "fd": opened.fileno(), "span_bytes": FILE_BYTES}
            cases += [
                _added_cost(
                    "io_uring, page cache",
                    depth,
                    with_queue=partial(through_queue, target, depth),
                    without=partial(through_engine, target, depth),
                )
                for depth in DEPTHS
            ]
    return cases


def _added_cost(
    name: str, depth: int, *, with_queue: Callable[[], float], without: Callable[[], float]
) -> Case:
    queue, bare = interleave(pairs(PAIRS), with_queue, without)
    return Case(
        name=f"{name}, depth {depth}",
        metric="CPU us per request, with the queue minus without",
        ours_command="",
        bar=(ours(at_most=0.5),),
        ours=tuple(paired_differences(queue, bare)),
        notes=f"{statistics.median(queue):.2f} us with the queue, "
        f"{statistics.median(bare):.2f} without",
    )


def device_without_latency(path: str, depth: int) -> float:
    """Return the CPU us of a request; the path is "queue" or "bare"."""
    (line,) = _lines("overhead", None, "--way", path, "--depth", str(depth))
    return float(line["cpu_ns_per_request"]) / 1000


def through_queue(target: dict[str, Any], depth: int) -> float:
    """Return the CPU us of a read from the page cache through the queue."""
    reader = {"depth": depth, "block_bytes": BLOCK_BYTES}
    plan_round = {"reader": reader, "shares": [1, 1], "warmup_s": 0.1,
                  "duration_s": seconds(DURATION_S)}  # fmt: skip
    plan = {"schema": "stallscope.io.storm/1", "target": target, "rounds": [plan_round]}
    (line,) = [line for line in _lines("storm", plan) if line["kind"] == "round"]
    return float(line["cpu_s"]) * 1e6 / int(line["reader"]["requests"])


def through_engine(target: dict[str, Any], depth: int) -> float:
    """Return the CPU us of a read from the page cache by the disk engine."""
    point = {"depth": depth, "block_bytes": BLOCK_BYTES, "warmup_s": 0.1,
             "duration_s": seconds(DURATION_S)}  # fmt: skip
    plan = {"schema": "stallscope.io.plan/1", "target": target, "points": [point]}
    (line,) = [line for line in _lines("points", plan) if line["kind"] == "point"]
    return float(line["cpu_s"]) * 1e6 / int(line["requests"])


def _lines(command: str, plan: dict[str, Any] | None, *options: str) -> list[dict[str, Any]]:
    fd = plan["target"]["fd"] if plan else None
    process = subprocess.run(
        [program("stallscope-ioqueue"), command, *options],
        input=json.dumps(plan or {}),
        pass_fds=() if fd is None else (fd,),
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in process.stdout.splitlines()]
