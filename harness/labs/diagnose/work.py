"""Programs with a known cause, until SIGTERM: python -m harness.labs.diagnose.work NAME PATH.

A unit of work is the same with --cured, without the cause. The report at the end has the fields of
stallscope-kernels: iterations, elapsed_ns and the number of threads.
"""

import argparse
import io
import json
import mmap
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from harness.labs.diagnose.submissions import Submissions

BLOCK = 4096
SPAN_BLOCKS = 1024
SCAN_BYTES = 1 << 20
COMPUTE_ROUNDS = 3000  # about 50 us
READ_ROUNDS = 20_000  # after a read: cold caches matter less in longer work
PAUSE_S = 2e-3
GROUP = 64  # records per flush, if cured
CALLS = 200  # of one byte, per unit
PAGES = 256  # per unit
FEW_REQUESTS, MANY_REQUESTS, MOST_IN_FLIGHT = 4, 128, 64
SUBMIT_ROUNDS = 20 * COMPUTE_ROUNDS
POLL_S = 500e-6
POOL = 16
WORKS = ("read", "flush", "pause", "scan", "calls", "faults", "submit")
Unit = Callable[[], None]


def compute(rounds: int = COMPUTE_ROUNDS) -> None:
    """Use the CPU without a system call: a clock of CPU time would be one."""
    sum(range(rounds))


def direct_reads(path: Path, seed: int) -> Unit:
    """Return a unit that reads a random block from the disk and computes."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECT)
    buffer = mmap.mmap(-1, BLOCK)
    choice = random.Random(seed)  # noqa: S311 - places of reads

    def unit() -> None:
        os.preadv(descriptor, [buffer], BLOCK * choice.randrange(SPAN_BLOCKS))
        compute(READ_ROUNDS)

    return unit


def memory_reads(path: Path, seed: int) -> Unit:
    """Return a unit that copies a random block of the same data from memory."""
    with path.open("rb") as file:
        data = file.read(BLOCK * SPAN_BLOCKS)
    choice = random.Random(seed)  # noqa: S311 - places of reads

    def unit() -> None:
        place = BLOCK * choice.randrange(SPAN_BLOCKS)
        bytes(data[place : place + BLOCK])
        compute(READ_ROUNDS)

    return unit


def flushes(path: Path, records: int) -> Unit:
    """Return a unit that appends a record, and flushes after a number of records."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    written = 0

    def unit() -> None:
        nonlocal written
        os.pwrite(descriptor, b"r" * BLOCK, BLOCK * (written % SPAN_BLOCKS))
        written += 1
        if written % records == 0:
            os.fdatasync(descriptor)
        compute()

    return unit


def small_calls(cured: bool) -> Unit:
    """Return a unit that reads single bytes, each with a system call, or from memory."""
    file = io.BytesIO(bytes(CALLS)) if cured else Path("/dev/zero").open("rb", buffering=0)  # noqa: SIM115

    def unit() -> None:
        if cured:
            file.seek(0)
        read = file.read
        for _ in range(CALLS):
            read(1)

    return unit


def page_writes(cured: bool) -> Unit:
    """Return a unit that writes to pages, which are dropped before, or kept."""
    area = mmap.mmap(-1, PAGES * mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    area.madvise(mmap.MADV_NOHUGEPAGE)
    ones = bytes(1 for _ in range(PAGES))

    def unit() -> None:
        if not cured:
            area.madvise(mmap.MADV_DONTNEED)
        area[:: mmap.PAGESIZE] = ones
        compute()

    return unit


def submitted_reads(path: Path, cured: bool) -> Unit:
    """Return a unit that submits a read and computes; the queue admits few requests, or many."""
    admitted = Path("/sys/block", path.name, "queue/nr_requests")
    admitted.write_text(str(MANY_REQUESTS if cured else FEW_REQUESTS))
    reads = Submissions(path, MOST_IN_FLIGHT, SPAN_BLOCKS)

    def unit() -> None:
        while not reads.submit():
            time.sleep(POLL_S)
        compute(SUBMIT_ROUNDS)

    return unit


def pauses() -> Unit:
    """Return a unit that sleeps as long as a read of a slow disk takes."""

    def unit() -> None:
        time.sleep(PAUSE_S)
        compute()

    return unit


def cached_scan(path: Path) -> Unit:
    """Return a unit that reads a megabyte of a file that is in memory."""
    path.write_bytes(bytes(16 * SCAN_BYTES))
    descriptor = os.open(path, os.O_RDONLY)
    buffer = bytearray(SCAN_BYTES)
    part = 0

    def unit() -> None:
        nonlocal part
        os.preadv(descriptor, [buffer], SCAN_BYTES * part)
        part = (part + 1) % 16

    return unit


def _unit(work: str, path: Path, cured: bool, thread: int) -> Unit:
    makers: dict[str, Callable[[], Unit]] = {
        "read": lambda: memory_reads(path, thread) if cured else direct_reads(path, thread),
        "flush": lambda: flushes(path, GROUP if cured else 1),
        "submit": lambda: submitted_reads(path, cured),
        "calls": lambda: small_calls(cured),
        "faults": lambda: page_writes(cured),
        "pause": pauses,
        "scan": lambda: cached_scan(path),
    }
    return makers[work]()


def start_beside(kind: str) -> None:
    """Start harmless threads: those of an idle pool, or one that polls."""
    work = threading.Event()

    def poll() -> None:
        while not work.is_set():
            time.sleep(POLL_S)

    threads = POOL if kind == "idle-pool" else 1 if kind == "poller" else 0
    for _ in range(threads):
        target = work.wait if kind == "idle-pool" else poll
        threading.Thread(target=target, name=kind, daemon=True).start()


def main(words: list[str]) -> int:
    """Run the work of the command line and print its report."""
    parser = argparse.ArgumentParser()
    parser.add_argument("work", choices=WORKS)
    parser.add_argument("path", type=Path)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--cured", action="store_true")
    parser.add_argument("--beside", default="")
    parser.add_argument("--cpu", type=int)
    options = parser.parse_args(words)
    if options.cpu is not None:
        os.sched_setaffinity(0, {options.cpu})
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    signal.signal(signal.SIGINT, lambda *_: ended.set())
    start_beside(options.beside)
    counts = [0] * options.threads

    def run(thread: int) -> None:
        unit = _unit(options.work, options.path, options.cured, thread)
        while True:  # at least once, so that a report never is about nothing
            unit()
            counts[thread] += 1
            if ended.is_set():
                return

    began = time.monotonic()
    others = [threading.Thread(target=run, args=(row,)) for row in range(1, options.threads)]
    for other in others:
        other.start()
    run(0)
    for other in others:
        other.join()
    report = {
        "schema": "stallscope.kernels/1",
        "iterations": sum(counts),
        "elapsed_ns": round((time.monotonic() - began) * 1e9),
        "parameters": {"threads": options.threads},
    }
    sys.stdout.write(json.dumps(report) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
