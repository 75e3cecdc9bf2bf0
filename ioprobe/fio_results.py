"""Results of fio: the output of ``fio --output-format=json``."""

from pathlib import Path

import msgspec
from msgspec import Struct, field

from stallscope.documents import read_bounded
from stallscope.errors import RecordingError


class _Latency(Struct):
    """Statistics of latencies in nanoseconds; ``percentile`` by its number as text."""

    mean: float | None = None
    max: float | None = None
    count: int = field(default=0, name="N")
    percentile: dict[str, float] = {}


class _Direction(Struct):
    total_ios: int = 0
    iops: float | None = None
    completion: _Latency = field(default_factory=_Latency, name="clat_ns")


class _Job(Struct):
    jobname: str = ""
    read: _Direction = field(default_factory=_Direction)
    write: _Direction = field(default_factory=_Direction)
    trim: _Direction = field(default_factory=_Direction)


class _File(Struct):
    version: str = field(name="fio version")
    jobs: list[_Job]


class FioLatency(Struct, frozen=True):
    """Completion latencies of one direction of a job; percentiles by percent."""

    job: str
    direction: str  # "read", "write" or "trim"
    requests: int
    rate_per_s: float | None
    mean_ns: float | None  # None: not in the file
    max_ns: float | None
    percentiles_ns: dict[float, float]


def read_fio_results(path: Path) -> tuple[FioLatency, ...]:
    """Return the directions that had requests; RecordingError if the file is not fio's."""
    try:
        file = msgspec.json.decode(read_bounded(path), type=_File)
        return tuple(
            _latency(job, name, direction)
            for job in file.jobs
            for name, direction in (("read", job.read), ("write", job.write), ("trim", job.trim))
            if direction.total_ios
        )
    except (msgspec.DecodeError, ValueError) as error:
        raise RecordingError(
            f"{path} is not a result of fio: {error}", "write it with fio --output-format=json"
        ) from error


def _latency(job: _Job, name: str, direction: _Direction) -> FioLatency:
    percentiles = {
        float(percent): value for percent, value in direction.completion.percentile.items()
    }
    return FioLatency(
        job.jobname,
        name,
        direction.total_ios,
        direction.iops,
        direction.completion.mean,
        direction.completion.max,
        percentiles,
    )
