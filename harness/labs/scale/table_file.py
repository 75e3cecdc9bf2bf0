"""A table of throughput by threads from a file, such as a published one.

The file is CSV with a head: ``N`` and ``X``, or ``N`` and ``speed-up`` relative to the first row.
The CSV files of this lab have these columns too.
"""

import csv
from pathlib import Path

from harness.labs.scale.options import ScaleAxis
from harness.labs.scale.result import LabScalePoint, LabScaleResult, ScaleMachine
from stallscope.documents import LARGEST, read_bounded
from stallscope.errors import RecordingError

MAX_BYTES = 2**20
_MAX_POINTS = 10_000
_REMEDY = "the file needs columns N and X, or N and speed-up, with numbers above 0"


def read_table(path: Path) -> LabScaleResult:
    """Return the points of a file as a result without runs. Raises RecordingError."""
    try:
        text = read_bounded(path, MAX_BYTES).decode("utf-8", "replace")
    except OSError as error:
        raise RecordingError(f"{path} cannot be read: {error.strerror}", _REMEDY) from error
    rows = list(csv.DictReader(text.splitlines()))
    if not 0 < len(rows) <= _MAX_POINTS:
        raise RecordingError(f"{path} has {len(rows)} rows, expected 1 to {_MAX_POINTS}", _REMEDY)
    points = tuple(_point(row, f"{path}:{number}") for number, row in enumerate(rows, 2))
    return LabScaleResult(
        path="table",
        stages=False,
        pipeline=1,
        duration_s=0.0,
        machine=ScaleMachine(cpu_model=path.name, server_cpu=None, loader_cpu=None),
        settings=None,
        points=tuple(sorted(points, key=lambda point: (point.axis, point.n))),
        notes=("Read from a file, not measured here.",),
        interrupted=False,
    )


def _point(row: dict[str, str | None], where: str) -> LabScalePoint:
    try:
        number = int(row.get("N") or "")
        throughput = float(row.get("X") or row.get("speed-up") or "")
        axis = ScaleAxis(row.get("axis") or ScaleAxis.THREADS)
    except ValueError as error:
        raise RecordingError(f"{where}: no point", _REMEDY) from error
    if number < 1 or not 0 < throughput < LARGEST:
        raise RecordingError(f"{where}: a number is out of range", _REMEDY)
    return LabScalePoint(
        axis=axis,
        n=number,
        throughput_per_s=throughput,
        low_per_s=throughput,
        high_per_s=throughput,
        runs=(throughput,),
        connections=number if axis is ScaleAxis.CONNECTIONS else 1,
        threads=number if axis is ScaleAxis.THREADS else 1,
        loader_limited=0,
        shared_cpu=False,
    )
