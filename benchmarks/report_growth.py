"""`stallscope report` as recordings and binaries grow: CPU time, peak memory and page size.

Long recordings repeat a real one of five seconds (benchmarks/repeated_recording.py), so their
stacks are those of the real one: 24 hours at 99 Hz on two CPUs are 17 million samples. Binaries
have functions of real names, padded to their size. The symbol cache is empty in every run. Bar: 50
million samples in less than 2 GiB.
"""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.cases import Bar, Case, ours
from benchmarks.diagnose_cost import STALLSCOPE
from benchmarks.effort import pairs
from benchmarks.processes import checked
from benchmarks.repeated_recording import repeat_recording
from benchmarks.summary_cost import compile_many_symbols
from stallscope.programs import program
from stallscope.recordings import read_manifest

READINGS = 3
SAMPLES = (1_000_000, 10_000_000, 17_000_000, 50_000_000)
LARGEST_MIB = 2048
LARGEST_PAGE_MIB = 5
# MB of a binary: functions, and bytes between them
BINARIES = {1: (7_000, 0), 10: (60_000, 16), 100: (250_000, 250), 1000: (1_000_000, 850)}
RECORD = ("record", "--stacks", "fp", "-F", "4999", "--duration", "5", "-o")


def run() -> list[Case]:
    """Measure growing numbers of samples, then growing binaries."""
    cases: list[Case] = []
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        folder = Path(name)
        real = recorded(
            folder / "real",
            program("stallscope-kernels"), "mixed-generators", "--threads", "2", "--duration", "5",
        )  # fmt: skip
        for samples in SAMPLES:
            long = folder / "long"
            repeat_recording(
                real, long, -(-samples // read_manifest(real / "recording.json").samples)
            )
            cases += measured(f"{samples:,} samples", long, folder)
            shutil.rmtree(long)
        for megabytes, (symbols, padding_bytes) in BINARIES.items():
            target = compile_many_symbols(folder, symbols, padding_bytes)
            recording = recorded(folder / f"of-{megabytes}", target)
            size = round(target.stat().st_size / 1e6)
            cases += measured(f"{symbols:,} symbols, binary of {size:,} MB", recording, folder)
            target.unlink()
    return cases


def recorded(directory: Path, *command: str | Path) -> Path:
    """Return the recording of a command."""
    subprocess.run(
        [*STALLSCOPE, *RECORD, directory, "--", *command], check=True, capture_output=True
    )
    return directory


def measured(name: str, recording: Path, folder: Path) -> Iterator[Case]:
    """Yield the cases of one recording."""
    cache, page = folder / "cache", folder / "page.html"
    command = ["env", f"XDG_CACHE_HOME={cache}", *STALLSCOPE, "report", str(recording), "-o"]
    costs, pages = [], []
    for _ in range(pairs(READINGS)):
        shutil.rmtree(cache, ignore_errors=True)
        costs.append(checked([*command, str(page)]))
        pages.append(page.stat().st_size / 2**20)
    bars: dict[str, Bar] = {
        "CPU s": (),
        "peak MiB": (ours(at_most=LARGEST_MIB),),
        "page MiB": (ours(at_most=LARGEST_PAGE_MIB),),
    }
    readings = {
        "CPU s": tuple(cost.cpu_s for cost in costs),
        "peak MiB": tuple(cost.peak_mib for cost in costs),
        "page MiB": tuple(pages),
    }
    for metric, values in readings.items():
        yield Case(
            name=name,
            metric=metric,
            ours_command="stallscope report RUN (symbol cache empty)",
            bar=bars[metric],
            ours=values,
        )
