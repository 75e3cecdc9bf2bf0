"""Compiling unwind tables: a library of 220 MB made for this, and large ones at hand, in memory.

Bar: a library of 200 MB within 0.1 s. There is no peer: others parse while they unwind.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.pairs import Case, save
from stallscope._native import UnwindTable

RUNS = 9
FUNCTIONS = 250_000
SOURCE = Path(__file__).parent / "targets" / "many_frames.py"
BINARIES = (
    Path("/usr/lib/chromium/chromium"),
    Path("/usr/lib/x86_64-linux-gnu/libLLVM-14.so.1"),
    Path("/usr/lib/x86_64-linux-gnu/libc.so.6"),
)


def timings(path: Path) -> tuple[tuple[float, ...], UnwindTable]:
    """Return the CPU milliseconds of each compilation after the first, and the table."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        table = UnwindTable.compile(descriptor)
        taken = []
        for _ in range(RUNS):
            start = time.thread_time()
            UnwindTable.compile(descriptor)
            taken.append((time.thread_time() - start) * 1e3)
    finally:
        os.close(descriptor)
    return tuple(taken), table


def large_library(folder: Path) -> Path:
    """Return a shared library of 220 MB with 1.75 million rows."""
    source, library = folder / "many_frames.s", folder / "many_frames.so"
    with source.open("w") as sink:
        subprocess.run([sys.executable, SOURCE, str(FUNCTIONS)], stdout=sink, check=True)
    subprocess.run(["cc", "-shared", "-o", library, source], check=True)
    return library


def run() -> None:
    """Measure the large library, and each other that is here."""
    with tempfile.TemporaryDirectory() as folder:
        cases = measured((large_library(Path(folder)), *BINARIES))
    save("unwind_tables", "./dev bench unwind_tables", cases)


def measured(paths: tuple[Path, ...]) -> list[Case]:
    """Return a case for each binary that is there."""
    cases = []
    for path in paths:
        if not path.exists():
            print(f"{path.name}: not installed here", flush=True)
            continue
        taken, table = timings(path)
        megabytes = path.stat().st_size / 1e6
        cases.append(
            Case(
                name=f"{path.name}, {megabytes:,.0f} MB, {table.rows:,} rows",
                metric="CPU ms",
                ours_command="UnwindTable.compile",
                peer_command="",
                bar="200 MB within 100 ms",
                ours=taken,
            )
        )
        print(cases[-1].name, cases[-1].ours, flush=True)
    return cases
