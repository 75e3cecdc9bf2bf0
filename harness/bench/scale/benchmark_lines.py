"""Readings from lines of the Go benchmark format, whose names end in a count.

``Get-8`` is the time of an operation with 8 threads, all together: X = 1 / time. ``Get·8`` is the
time of an operation as each of 8 clients sees it: X = 8 / time. A rate, such as ``req/s``, is X.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from harness.bench.scale.readings import CountMeasurement, check_reading
from stallscope.benchmark_text.results import read_benchmarks
from stallscope.errors import RecordingError

if TYPE_CHECKING:
    from stallscope._native import BenchmarkResults

_NAME = re.compile(r"(?P<base>.*?)(?P<separator>[·-])(?P<count>\d{1,15})")
_MICROSECONDS = ("us", "\u00b5s", "\u03bcs")  # both letters mu are in use
_TIMES = {"ns": 1e-9, "ms": 1e-3, "s": 1.0, "sec": 1.0} | dict.fromkeys(_MICROSECONDS, 1e-6)
_REMEDY = "the format is: BenchmarkName-8 <iterations> <value> <unit>"
_MAX_NAMES = 5


@dataclass(frozen=True, slots=True)
class BenchmarkLine:
    """A result line: its name without "Benchmark", and values by unit."""

    name: str
    values: dict[str, float]
    place: str


def lines_of_file(path: Path) -> tuple[list[BenchmarkLine], tuple[str, ...]]:
    """Return the result lines of a file, and the lines that could not be read, in words.

    Raises RecordingError if the file cannot be read.
    """
    results = read_benchmarks([str(path)])
    for problem in results.problems:
        if problem.line is None:
            raise RecordingError(f"cannot read {path}: {problem.message}", _REMEDY)
    return _lines(results.native, str(path)), tuple(map(str, results.problems))


def lines_of_output(output: bytes, source: str) -> list[BenchmarkLine]:
    """Return the result lines that a command printed; all others are skipped."""
    from stallscope._native import BenchmarkResults  # noqa: PLC0415 - start-up stays light

    results = BenchmarkResults()
    descriptor = os.memfd_create("benchmark-output", os.MFD_CLOEXEC)
    try:
        os.pwrite(descriptor, output, 0)
        results.read(descriptor, 0)
    finally:
        os.close(descriptor)
    return _lines(results, source)


def _lines(results: "BenchmarkResults", source: str) -> list[BenchmarkLine]:
    """Return the values of each name by unit, in base units; a line is the n-th value of each."""
    names, units, columns = results.names(), results.units(), results.series()
    values: dict[tuple[int, int], dict[str, list[float]]] = {}
    for series, (configuration, name, unit) in enumerate(
        zip(columns["configuration"], columns["name"], columns["unit"], strict=True)
    ):
        by_unit = values.setdefault((int(configuration), int(name)), {})
        by_unit.setdefault(units[unit], []).extend(results.values(series).tolist())
    lines = []
    for (_, name), by_unit in values.items():
        for number in range(max(map(len, by_unit.values()))):
            row = {unit: row[number] for unit, row in by_unit.items() if number < len(row)}
            lines.append(BenchmarkLine(names[name], row, f"{source}: {names[name]}"))
    return lines


def base_unit(unit: str | None) -> str | None:
    """Return the unit in which values are held, such as sec/op for ns/op."""
    from stallscope._native import benchmark_base_unit  # noqa: PLC0415

    return None if unit is None else benchmark_base_unit(unit)


def readings_of_names(
    lines: Sequence[BenchmarkLine], source: str, *, name: str | None, unit: str | None
) -> tuple[list[CountMeasurement], str, str]:
    """Return the readings of lines whose names end in a count, their base name and unit of X.

    Raises RecordingError if several benchmarks or no counts are there.
    """
    split = [(match, line) for line in lines if (match := _NAME.fullmatch(line.name))]
    bases = list(dict.fromkeys(match["base"] for match, _ in split))
    if name is not None:
        bases = [base for base in bases if base == name]
    if len(bases) != 1:
        some = ", ".join(bases[:_MAX_NAMES]) + (", ..." if len(bases) > _MAX_NAMES else "")
        raise RecordingError(
            f"{source} has {len(bases)} benchmarks with counts in their names"
            + (f": {some}" if bases else ""),
            "choose one with --name" if bases else _REMEDY,
        )
    chosen = [(match, line) for match, line in split if match["base"] == bases[0]]
    used = base_unit(unit) or default_unit([line for _, line in chosen])
    readings = []
    for match, line in chosen:
        if used in line.values:
            count = int(match["count"])
            parallel = count if match["separator"] == "·" else 1
            readings.append(reading(line, used, count, parallel))
    if not readings:
        raise RecordingError(
            f"{source} has no value of the unit {unit or used}", "use another --unit"
        )
    return readings, bases[0], rate_unit(used)


def default_unit(lines: Sequence[BenchmarkLine]) -> str:
    """Return the unit to use: the first rate, otherwise the first time."""
    units = list(dict.fromkeys(unit for line in lines for unit in line.values))
    rates = [unit for unit in units if unit.endswith("/s") and unit not in {"MB/s", "B/s"}]
    times = [unit for unit in units if _seconds(unit) is not None]
    rest = [unit for unit in units if unit.endswith("/s")]
    return (rates + times + rest + ["sec/op"])[0]


def reading(line: BenchmarkLine, unit: str, count: int, parallel: int) -> CountMeasurement:
    """Return the reading of a line; times become rates of ``parallel`` clients."""
    value = line.values[unit]
    seconds = _seconds(unit)
    if seconds is None:
        return check_reading(CountMeasurement(count, value, line.place, _response_s(line)))
    if not value > 0:
        raise RecordingError(f"{line.place}: {value:g} {unit} is not a time above 0", _REMEDY)
    response_s = value * seconds if parallel > 1 else _response_s(line)
    return check_reading(
        CountMeasurement(count, parallel / (value * seconds), line.place, response_s)
    )


def rate_unit(unit: str) -> str:
    """Return the unit of X: that of a rate, or "op/s" for a time per op."""
    if _seconds(unit) is None:
        return unit
    return f"{unit.partition('/')[2]}/s"


def _seconds(unit: str) -> float | None:
    """Return the seconds in a unit of time per something, such as "ns/op"; None for others."""
    time, slash, _ = unit.partition("/")
    return _TIMES.get(time) if slash else None


def _response_s(line: BenchmarkLine) -> float | None:
    """Return the mean response time, which a loader prints as "ns/req-mean" or "mean-ns"."""
    for unit, value in line.values.items():
        words = re.split(r"[/_-]", unit)
        if "mean" in words and (factor := next(filter(None, map(_TIMES.get, words)), None)):
            return value * factor
    return None
