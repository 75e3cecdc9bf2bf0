"""A table of throughput by count: CSV, or columns between blanks.

The head names the columns; without a head they are N and X.

    N   X       R        U
    1   995.2   0.0010   0.98
    2   1878.9  0.00106  1.95
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from harness.bench.scale.readings import CountMeasurement, check_reading
from stallscope.errors import RecordingError

_REMEDY = (
    "the table needs columns N and X (or speed-up); R (response time in s), U (busy servers) and "
    "D (demand in s) are optional"
)
_MAX_ROWS = 100_000
_COLUMNS = {
    "n": "count", "threads": "count", "connections": "count", "clients": "count",
    "x": "throughput", "throughput": "throughput", "speed-up": "throughput",
    "speedup": "throughput",
    "r": "response_s", "response_s": "response_s",
    "u": "busy", "busy": "busy",
    "d": "demand_s", "demand_s": "demand_s",
}  # fmt: skip


def read_table(text: str, path: Path, *, axis: str = "threads") -> list[CountMeasurement]:
    """Return the readings of a table; a column ``axis`` selects the rows. Raises RecordingError."""
    rows = list(_rows(text))
    if not 0 < len(rows) <= _MAX_ROWS:
        raise RecordingError(f"{path} has {len(rows)} rows, expected 1 to {_MAX_ROWS}", _REMEDY)
    columns = [_COLUMNS.get(cell.lower(), cell.lower()) for cell in rows[0][1]]
    if _is_number(rows[0][1][0]):
        columns = ["count", "throughput"]
    else:
        del rows[0]
    for column in ("count", "throughput"):
        if column not in columns:
            raise RecordingError(f"{path} has no column of the {column}", _REMEDY)
    readings = []
    for number, cells in rows:
        values = dict(zip(columns, cells, strict=False))
        if values.get("axis", axis) == axis:
            readings.append(_reading(values, f"{path}:{number}"))
    if not readings:
        raise RecordingError(f"{path} has no row of the axis {axis}", "use another --axis")
    return readings


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield line numbers and cells, without blank lines and comments."""
    lines = text.splitlines()
    separated = next((line for line in lines if line.strip() and line.strip()[0] != "#"), "")
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        cells: Sequence[str] = next(csv.reader([line])) if "," in separated else line.split()
        yield number, [cell.strip() for cell in cells]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _reading(values: Mapping[str, str], place: str) -> CountMeasurement:
    return check_reading(
        CountMeasurement(
            count=_number(values, "count", place),
            throughput=_number(values, "throughput", place),
            place=place,
            response_s=_optional(values, "response_s", place),
            busy=_optional(values, "busy", place),
            demand_s=_optional(values, "demand_s", place),
        )
    )


def _number(values: Mapping[str, str], column: str, place: str) -> float:
    try:
        return float(values.get(column, ""))
    except ValueError as error:
        text = values.get(column, "")[:80]
        raise RecordingError(f"{place}: {text!r} is not a {column}", _REMEDY) from error


def _optional(values: Mapping[str, str], column: str, place: str) -> float | None:
    return _number(values, column, place) if values.get(column) else None
