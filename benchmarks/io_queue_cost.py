"""What the I/O queue itself costs: CPU per 4 KiB request on top of the same requests without it.

Over a device of no time, where nothing else is counted; and over io_uring on a file in the page
cache, against the disk engine at the same depth. Bar: at most 0.5 us.
"""

import json
import statistics
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.effort import pairs, seconds
from benchmarks.pairs import Case, interleave, save
from stallscope.programs import program

PAIRS = 11
DURATION_S = 1.0
DEPTHS = (1, 4, 32)
BLOCK_BYTES = 4096
FILE_BYTES = 16 << 20
BAR = "at most 0.5"


def _lines(command: str, plan: dict[str, Any] | None, *options: str) -> list[dict[str, Any]]:
    fd = plan["target"]["fd"] if plan else None
    run = subprocess.run(
        [program("stallscope-ioqueue"), command, *options],
        input=json.dumps(plan or {}),
        pass_fds=() if fd is None else (fd,),
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in run.stdout.splitlines()]


def without_device(way: str, depth: int) -> float:
    """Return the CPU us of a request over a device of no time."""
    (line,) = _lines("overhead", None, "--way", way, "--depth", str(depth))
    return float(line["cpu_ns_per_request"]) / 1000


def through_queue(target: dict[str, Any], depth: int) -> float:
    """Return the CPU us of a read from the page cache through the queue."""
    reader = {"depth": depth, "block_bytes": BLOCK_BYTES}
    one = {"reader": reader, "shares": [1, 1], "warmup_s": 0.1, "duration_s": seconds(DURATION_S)}
    plan = {"schema": "stallscope.io.storm/1", "target": target, "rounds": [one]}
    (found,) = [line for line in _lines("storm", plan) if line["kind"] == "round"]
    return float(found["cpu_s"]) * 1e6 / int(found["reader"]["requests"])


def bare_engine(target: dict[str, Any], depth: int) -> float:
    """Return the CPU us of a read from the page cache by the disk engine."""
    one = {"depth": depth, "block_bytes": BLOCK_BYTES, "warmup_s": 0.1,
           "duration_s": seconds(DURATION_S)}  # fmt: skip
    plan = {"schema": "stallscope.io.plan/1", "target": target, "points": [one]}
    (found,) = [line for line in _lines("points", plan) if line["kind"] == "point"]
    return float(found["cpu_s"]) * 1e6 / int(found["requests"])


def _difference(
    name: str, depth: int, ways: tuple[Callable[[], float], Callable[[], float]]
) -> Case:
    queue, bare = interleave(pairs(PAIRS), *ways)
    return Case(
        name=f"{name}, depth {depth}",
        metric="CPU us a request, with the queue less without",
        ours_command="",
        peer_command="",
        bar=BAR,
        ours=tuple(left - right for left, right in zip(queue, bare, strict=True)),
        notes=f"{statistics.median(queue):.2f} us with the queue, "
        f"{statistics.median(bare):.2f} without",
    )


def run() -> None:
    """Measure both, at each depth."""
    cases = [_no_time(depth) for depth in DEPTHS]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "cached"
        file.write_bytes(bytes(FILE_BYTES))
        with file.open("rb") as opened:
            target = {"path": str(file), "fd": opened.fileno(), "span_bytes": FILE_BYTES}
            cases += [_page_cache(target, depth) for depth in DEPTHS]
    save("io_queue_cost", "./dev bench io_queue_cost", cases)


def _no_time(depth: int) -> Case:
    return _difference(
        "device of no time",
        depth,
        (lambda: without_device("queue", depth), lambda: without_device("bare", depth)),
    )


def _page_cache(target: dict[str, Any], depth: int) -> Case:
    return _difference(
        "io_uring, page cache",
        depth,
        (lambda: through_queue(target, depth), lambda: bare_engine(target, depth)),
    )
