"""The disk engine against fio: requests a second, CPU for each, and latency at depth 1.

Direct random reads of 4 KiB by io_uring, both real-time; on the disk under build/ and on a file in
zram. Depths are powers of two, for fio 3.33 rounds others up. Each tells its own CPU time while it
measured, user and system, so that starting is no part of it.
"""

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.effort import pairs, seconds
from benchmarks.pairs import Case, save
from benchmarks.zram_disk import zram_disk
from ioprobe.engine.engine import Measured, Point, measuring
from ioprobe.target.simulated import Simulated

PAIRS = 7
SECONDS = 3.0
DEPTHS = (1, 4, 32)
BATCH = {1: 1, 4: 4, 32: 16}
FILE_BYTES = 512 * 2**20
MEMORY_BYTES = 256 * 2**20
ROOM_BYTES = 160 * 2**20  # of zram beside the file
PLAIN = "depth {depth}, {place}, fio as it comes"
TUNED = "depth {depth}, {place}, fio with registerfiles, fixedbufs and batches of {batch}"


@dataclass(frozen=True, slots=True)
class Place:
    """A file to be read."""

    name: str
    path: str
    span_bytes: int
    descriptor: int | None = None
    offset_bytes: int = 0
    writable: bool = False
    simulated: Simulated | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """What one run came to."""

    iops: float
    cpu_us: float
    p50_us: float
    p99_us: float


def _ours(place: Place, depth: int, batch: int) -> Found:
    point = Point("a", depth=depth, batch=batch, duration_s=seconds(SECONDS))
    (found,) = (one for one in measuring(place, [point]) if isinstance(one, Measured))
    assert found.cpu_s is not None
    assert found.latency_ns is not None
    if not found.ok:
        print(f"   ours, depth {depth}: {'; '.join(found.self_check.failed)}", flush=True)
    return Found(
        iops=found.iops,
        cpu_us=found.cpu_s * 1e6 / found.requests,
        p50_us=found.latency_ns.p50 / 1000,
        p99_us=found.latency_ns.p99 / 1000,
    )


def _fio(path: str, span_bytes: int, depth: int, batch: int | None) -> list[str]:
    """Return fio's command; with a batch it registers file and buffers."""
    words = [
        *("fio", "--name=reads", "--thread", f"--filename={path}", f"--size={span_bytes}"),
        *("--readonly", "--rw=randread", "--bs=4k", "--direct=1", "--ioengine=io_uring"),
        *(f"--iodepth={depth}", "--norandommap", "--randrepeat=0", "--time_based"),
        *(f"--runtime={seconds(SECONDS):g}", "--lat_percentiles=1", "--output-format=json"),
    ]
    if batch is not None:
        words += ["--registerfiles", "--fixedbufs", f"--iodepth_batch={batch}"]
        words += [f"--iodepth_batch_complete_min={batch}", f"--iodepth_batch_complete_max={depth}"]
    return words


def _peer(place: Place, depth: int, batch: int | None) -> Found:
    command = ["chrt", "-f", "1", *_fio(place.path, place.span_bytes, depth, batch)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    job = json.loads(output)["jobs"][0]
    reads = job["read"]
    cpu_s = (job["usr_cpu"] + job["sys_cpu"]) / 100 * job["job_runtime"] / 1000
    percentiles = reads["lat_ns"]["percentile"]
    return Found(
        iops=reads["iops"],
        cpu_us=cpu_s * 1e6 / reads["total_ios"],
        p50_us=percentiles["50.000000"] / 1000,
        p99_us=percentiles["99.000000"] / 1000,
    )


def _pairs(place: Place, depth: int, batch: int | None) -> tuple[list[Found], list[Found]]:
    """Return ours and fio's, the order within a pair alternating; the first pair warms up."""
    ours, peer = [], []
    for turn in range(pairs(PAIRS) + 1):
        if turn % 2:
            ours.append(_ours(place, depth, batch or 1))
        peer.append(_peer(place, depth, batch))
        if turn % 2 == 0:
            ours.append(_ours(place, depth, batch or 1))
    return ours[1:], peer[1:]


def _cases(place: Place, depth: int) -> Iterator[Case]:
    plain = _pairs(place, depth, None)
    yield _case(PLAIN, ("requests/s", "at least 0.97", "iops"), (place, depth, None), plain)
    yield _case(PLAIN, ("CPU us a request", "at most 0.85", "cpu_us"), (place, depth, None), plain)
    if depth == 1:
        for name in ("p50_us", "p99_us"):
            metric = (f"{name[:3]} latency us", "within fio's spread", name)
            yield _case(PLAIN, metric, (place, depth, None), plain)
    batch = BATCH[depth]
    tuned = _pairs(place, depth, batch)
    metric = ("CPU us a request", "at most 1.05", "cpu_us")
    yield _case(TUNED, metric, (place, depth, batch), tuned)


def _case(
    name: str,
    metric: tuple[str, str, str],
    how: tuple[Place, int, int | None],
    found: tuple[list[Found], list[Found]],
) -> Case:
    place, depth, batch = how
    measured, bar, field = metric
    return Case(
        name=name.format(depth=depth, place=place.name, batch=batch),
        metric=measured,
        ours_command=f"stallscope-ioqueue points, depth {depth}, batch {batch or 1}",
        peer_command=" ".join(_fio("FILE", place.span_bytes, depth, batch)),
        bar=bar,
        ours=tuple(getattr(one, field) for one in found[0]),
        peer=tuple(getattr(one, field) for one in found[1]),
    )


@contextmanager
def _random_file(folder: Path, size_bytes: int) -> Iterator[str]:
    """Yield a file of bytes that cannot be compressed, written down to the disk."""
    with tempfile.NamedTemporaryFile(dir=folder, prefix="io-engine-") as file:
        for _ in range(size_bytes >> 20):
            file.write(os.urandom(1 << 20))
        file.flush()
        os.fsync(file.fileno())
        yield file.name


def places(folder: Path) -> Iterator[Place]:
    """Yield a file on the disk under a folder, then one in zram where root may make one."""
    folder.mkdir(exist_ok=True)
    with _random_file(folder, FILE_BYTES) as path:
        yield Place("the disk", path, FILE_BYTES)
    with (
        tempfile.TemporaryDirectory(dir=folder) as mount,
        zram_disk(MEMORY_BYTES + ROOM_BYTES, Path(mount)) as mounted,
    ):
        if mounted is None:
            print("   no zram here: its cases are left out")
            return
        with _random_file(mounted, MEMORY_BYTES) as path:
            yield Place("zram", path, MEMORY_BYTES)


def run() -> None:
    """Measure pairs at depths 1, 4 and 32 on the disk, and in zram where root may make one."""
    cases: list[Case] = []
    for place in places(Path("build")):
        for depth in DEPTHS:
            cases += _cases(place, depth)
    save("io_engine", "./dev bench io_engine", cases)
