"""The disk engine against fio: requests per second, CPU per request, and latency at depth 1.

Direct random reads of 4 KiB by io_uring, both with real-time priority, on the disk below build/ and
on a file in zram. Depths are powers of two because fio 3.33 rounds others up. Both report their
own user and system time of the measurement, so that start-up does not count.
"""

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.cases import PEER_RANGE, Bound, Case, ratio
from benchmarks.effort import pairs, seconds
from benchmarks.interleaving import interleave
from benchmarks.zram_disk import zram_disk
from ioprobe.engine.engine import Point, PointResult, measure_points
from ioprobe.target.simulated import SimulatedDisk

PAIRS = 7
SECONDS = 3.0
DEPTHS = (1, 4, 32)
BATCH = {1: 1, 4: 4, 32: 16}  # by depth
FILE_BYTES = 512 * 2**20
ZRAM_FILE_BYTES = 256 * 2**20
ZRAM_FREE_BYTES = 160 * 2**20
DEFAULT_FIO = "depth {depth}, {file}, fio as it comes"
TUNED_FIO = "depth {depth}, {file}, fio with registerfiles, fixedbufs and batches of {batch}"


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file to read from, as a target of the engine."""

    name: str
    path: str
    span_bytes: int
    descriptor: int | None = None
    offset_bytes: int = 0
    writable: bool = False
    simulated: SimulatedDisk | None = None


@dataclass(frozen=True, slots=True)
class ReadRun:
    """The result of one run."""

    iops: float
    cpu_us: float  # per request
    p50_us: float
    p99_us: float


@dataclass(frozen=True, slots=True)
class EngineExperiment:
    """A file, a depth, and fio's batch size; without a batch fio runs with its defaults."""

    file: ReadFile
    depth: int
    batch: int | None

    @property
    def name(self) -> str:
        """Return the name of the cases."""
        name = DEFAULT_FIO if self.batch is None else TUNED_FIO
        return name.format(depth=self.depth, file=self.file.name, batch=self.batch)


def run() -> list[Case]:
    """Measure pairs at depths 1, 4 and 32 on the disk, and on zram if root can create one."""
    return [
        case
        for file in read_files(Path("build"))
        for depth in DEPTHS
        for case in _cases(file, depth)
    ]


def _cases(file: ReadFile, depth: int) -> Iterator[Case]:
    default = EngineExperiment(file, depth, None)
    runs = _measure_pairs(default)
    yield _case(default, "requests/s", "iops", ratio(at_least=0.97), runs)
    yield _case(default, "CPU us per request", "cpu_us", ratio(at_most=0.85), runs)
    if depth == 1:
        yield _case(default, "p50 latency us", "p50_us", PEER_RANGE, runs)
        yield _case(default, "p99 latency us", "p99_us", PEER_RANGE, runs)
    tuned = EngineExperiment(file, depth, BATCH[depth])
    runs = _measure_pairs(tuned)
    yield _case(tuned, "CPU us per request", "cpu_us", ratio(at_most=1.05), runs)


def _measure_pairs(experiment: EngineExperiment) -> tuple[tuple[ReadRun, ...], tuple[ReadRun, ...]]:
    """Return the runs of both; one more pair warms up and is dropped."""
    engine, fio = interleave(
        pairs(PAIRS) + 1, lambda: _run_engine(experiment), lambda: _run_fio(experiment)
    )
    return engine[1:], fio[1:]


def _run_engine(experiment: EngineExperiment) -> ReadRun:
    point = Point(
        "a", depth=experiment.depth, batch=experiment.batch or 1, duration_s=seconds(SECONDS)
    )
    lines = measure_points(experiment.file, [point])
    (measured,) = (line for line in lines if isinstance(line, PointResult))
    assert measured.iops is not None
    assert measured.cpu_s is not None
    assert measured.latency_ns is not None
    if not measured.ok:
        failures = "; ".join(measured.self_check.failed)
        print(f"   engine at depth {experiment.depth}: {failures}", flush=True)
    return ReadRun(
        iops=measured.iops,
        cpu_us=measured.cpu_s * 1e6 / measured.requests,
        p50_us=measured.latency_ns.p50 / 1000,
        p99_us=measured.latency_ns.p99 / 1000,
    )


def _run_fio(experiment: EngineExperiment) -> ReadRun:
    command = ["chrt", "-f", "1", *_fio_command(experiment, experiment.file.path)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    job = json.loads(output)["jobs"][0]
    reads = job["read"]
    cpu_s = (job["usr_cpu"] + job["sys_cpu"]) / 100 * job["job_runtime"] / 1000
    percentiles = reads["lat_ns"]["percentile"]
    return ReadRun(
        iops=reads["iops"],
        cpu_us=cpu_s * 1e6 / reads["total_ios"],
        p50_us=percentiles["50.000000"] / 1000,
        p99_us=percentiles["99.000000"] / 1000,
    )


def _fio_command(experiment: EngineExperiment, path: str) -> list[str]:
    """Return fio's command line; with a batch it registers the file and the buffers."""
    depth, batch = experiment.depth, experiment.batch
    words = [
        *("fio", "--name=reads", "--thread", f"--filename={path}"),
        *(f"--size={experiment.file.span_bytes}",),
        *("--readonly", "--rw=randread", "--bs=4k", "--direct=1", "--ioengine=io_uring"),
        *(f"--iodepth={depth}", "--norandommap", "--randrepeat=0", "--time_based"),
        *(f"--runtime={seconds(SECONDS):g}", "--lat_percentiles=1", "--output-format=json"),
    ]
    if batch is not None:
        words += ["--registerfiles", "--fixedbufs", f"--iodepth_batch={batch}"]
        words += [f"--iodepth_batch_complete_min={batch}", f"--iodepth_batch_complete_max={depth}"]
    return words


def _case(
    experiment: EngineExperiment,
    metric: str,
    field: str,
    bound: Bound,
    runs: tuple[tuple[ReadRun, ...], tuple[ReadRun, ...]],
) -> Case:
    batch = experiment.batch or 1
    return Case(
        name=experiment.name,
        metric=metric,
        ours_command=f"stallscope-ioqueue points, depth {experiment.depth}, batch {batch}",
        peer_command=" ".join(_fio_command(experiment, "FILE")),
        bar=(bound,),
        ours=tuple(getattr(read_run, field) for read_run in runs[0]),
        peer=tuple(getattr(read_run, field) for read_run in runs[1]),
    )


@contextmanager
def _random_file(folder: Path, size_bytes: int) -> Iterator[str]:
    """Yield the path of a file of incompressible bytes that are on the disk."""
    with tempfile.NamedTemporaryFile(dir=folder, prefix="io-engine-") as file:
        for _ in range(size_bytes >> 20):
            file.write(os.urandom(1 << 20))
        file.flush()
        os.fsync(file.fileno())
        yield file.name


def read_files(folder: Path) -> Iterator[ReadFile]:
    """Yield a file on the disk below a folder, then a file on zram if root can create one."""
    folder.mkdir(exist_ok=True)
    with _random_file(folder, FILE_BYTES) as path:
        yield ReadFile("the disk", path, FILE_BYTES)
    with (
        tempfile.TemporaryDirectory(dir=folder) as mount,
        zram_disk(ZRAM_FILE_BYTES + ZRAM_FREE_BYTES, Path(mount)) as mounted,
    ):
        if mounted is None:
            print("   no zram here; its cases are skipped")
            return
        with _random_file(mounted, ZRAM_FILE_BYTES) as path:
            yield ReadFile("zram", path, ZRAM_FILE_BYTES)
