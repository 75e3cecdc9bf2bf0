"""Time to the page, peak memory and page size as recordings, binaries and threads grow.

Long recordings of CPU samples repeat a real one of five seconds, so that their stacks are those of
the real one; it is the first row. 24 hours at 99 Hz on two CPUs are 17 million samples. Recordings
of waits are synthesised, 100 switches per second of 64 threads. They end at `--max-size` (2 GiB)
and keep what they have; only `record --continuous` removes old samples, and it records no waits. A
switch with a copied stack takes some 500 bytes, so that 24 hours fit at 50 such switches per
second. Binaries have functions of real names, padded to their size. Threads sleep and run in turn,
half of a CPU together. The symbol cache is empty in every run. Bar: 50 million samples in less than
2 GiB, pages below 5 MiB. `diagnose_cost` has the costs of recording.
"""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.cases import Bar, Case, ours
from benchmarks.diagnose_cost import STALLSCOPE, many_threads, target
from benchmarks.effort import pairs
from benchmarks.processes import checked
from benchmarks.repeated_recording import repeat_recording
from benchmarks.summary_cost import compile_many_symbols
from benchmarks.waits_analysis import write_switches
from stallscope.programs import program
from stallscope.recordings import read_manifest

READINGS = 3
LONG_SAMPLES = 10_000_000  # are read once: their time varies less
# Name of a recording of CPU samples, and its samples.
SAMPLES = {
    "1 minute at 99 Hz on 2 CPUs": 11_880,
    "1 hour at 99 Hz on 2 CPUs": 712_800,
    "24 hours at 99 Hz on 2 CPUs": 17_107_200,
    "50 million samples": 50_000_000,
}
WAITS_S = {"1 second": 1, "1 minute": 60, "1 hour": 3600, "24 hours": 86_400}
SWITCHES_PER_S = 100
LARGEST_MIB = 2048
LARGEST_PAGE_MIB = 5
# MB of a binary: functions, and bytes between them
BINARIES = {1: (11_500, 0), 10: (60_000, 70), 100: (250_000, 310), 1000: (1_000_000, 910)}
THREADS = (1, 10, 100, 1000, 5000)
RECORD = ("record", "--stacks", "fp", "-F", "4999", "-o")


def run() -> list[Case]:
    """Measure growing samples, switches, binaries and threads."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        folder = Path(name)
        parts = (samples, waits, binaries, threads)
        return [case for part in parts for case in part(folder)]


def samples(folder: Path) -> Iterator[Case]:
    """Yield the cases of growing numbers of samples."""
    real = recorded(
        folder / "real", "5", "--",
        program("stallscope-kernels"), "mixed-generators", "--threads", "2", "--duration", "5",
    )  # fmt: skip
    number = read_manifest(real / "recording.json").samples
    yield from reported(f"5 seconds, recorded ({number:,} samples)", real, folder)
    for name, count in SAMPLES.items():
        long = folder / "long"
        repeat_recording(real, long, -(-count // number))
        yield from reported(name, long, folder, 1 if count >= LONG_SAMPLES else READINGS)
        shutil.rmtree(long)


def waits(folder: Path) -> Iterator[Case]:
    """Yield the cases of growing recordings of waits."""
    for name, length_s in WAITS_S.items():
        capture = folder / "switches.perf"
        write_switches(capture, length_s * SWITCHES_PER_S, SWITCHES_PER_S)
        readings = 1 if length_s > WAITS_S["1 hour"] else READINGS
        subject = f"waits, {name}, {SWITCHES_PER_S} switches per second"
        yield from measured(subject, "waits", capture, folder, readings)
        capture.unlink()


def binaries(folder: Path) -> Iterator[Case]:
    """Yield the cases of growing binaries."""
    for megabytes, (symbols, padding_bytes) in BINARIES.items():
        binary = compile_many_symbols(folder, symbols, padding_bytes)
        recording = recorded(folder / f"of-{megabytes}", "2", "--", binary)
        size = round(binary.stat().st_size / 1e6)
        yield from reported(f"binary of {size:,} MB, {symbols:,} symbols", recording, folder)
        binary.unlink()


def threads(folder: Path) -> Iterator[Case]:
    """Yield the cases of growing numbers of threads."""
    binary = many_threads(folder)
    for number in THREADS:
        with target(binary, number) as pid:
            recording = recorded(folder / f"threads-{number}", "2", "-p", str(pid))
        yield from reported(f"{number:,} thread{'s' * (number > 1)}, 2 seconds", recording, folder)


def recorded(directory: Path, seconds: str, *words: str | Path) -> Path:
    """Return the recording of a command or of a process."""
    subprocess.run(
        [*STALLSCOPE, *RECORD, directory, "--duration", seconds, *words],
        check=True,
        capture_output=True,
    )
    return directory


def reported(name: str, recording: Path, folder: Path, readings: int = READINGS) -> Iterator[Case]:
    """Yield the cases of `stallscope report`."""
    yield from measured(name, "report", recording, folder, readings)


def measured(name: str, verb: str, recording: Path, folder: Path, readings: int) -> Iterator[Case]:
    """Yield the cases of a command that writes the page of a recording."""
    cache, page = folder / "cache", folder / "page.html"
    command = ["env", f"XDG_CACHE_HOME={cache}", *STALLSCOPE, verb, str(recording), "-o"]
    costs, pages = [], []
    for _ in range(pairs(readings)):
        shutil.rmtree(cache, ignore_errors=True)
        costs.append(checked([*command, str(page)]))
        pages.append(page.stat().st_size / 2**20)
    rows: dict[str, tuple[Bar, tuple[float, ...]]] = {
        "time to page, s": ((), tuple(cost.wall_s for cost in costs)),
        "time to page, CPU s": ((), tuple(cost.cpu_s for cost in costs)),
        "peak MiB": ((ours(at_most=LARGEST_MIB),), tuple(cost.peak_mib for cost in costs)),
        "page MiB": ((ours(at_most=LARGEST_PAGE_MIB),), tuple(pages)),
    }
    print(name, *(f"{metric} {values[0]:.2f}" for metric, (_, values) in rows.items()), flush=True)
    for metric, (bar, values) in rows.items():
        yield Case(
            name=name,
            metric=metric,
            ours_command=f"stallscope {verb} RUN (symbol cache empty)",
            bar=bar,
            ours=values,
            exact=metric == "page MiB",
        )
