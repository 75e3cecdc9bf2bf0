"""Readings from lines of the Go benchmark format, whose names end in a count.

``Get-8`` is the time of an operation with 8 threads, all together: X = 1 / time. ``Get·8`` is the
time of an operation as each of 8 clients sees it: X = 8 / time. A rate, such as ``req/s``, is X.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from harness.bench.scale.readings import Reading, check_reading
from stallscope.errors import RecordingError

_NAME = re.compile(r"(?P<base>.*?)(?P<separator>[·-])(?P<count>\d+)")
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


def benchmark_lines(text: str, source: str) -> Iterator[BenchmarkLine]:
    """Yield the result lines of a text; other lines are not of the format and are skipped."""
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if len(words) < 4 or not words[0].startswith("Benchmark") or not words[1].isdecimal():
            continue
        try:
            values = {
                unit: float(word) for word, unit in zip(words[2::2], words[3::2], strict=False)
            }
        except ValueError:
            continue
        yield BenchmarkLine(words[0].removeprefix("Benchmark"), values, f"{source}:{number}")


def readings_of_names(
    lines: Sequence[BenchmarkLine], source: str, *, name: str | None, unit: str | None
) -> tuple[list[Reading], str, str]:
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
    used = unit or default_unit([line for _, line in chosen])
    readings = []
    for match, line in chosen:
        if used in line.values:
            count = int(match["count"])
            parallel = count if match["separator"] == "·" else 1
            readings.append(reading(line, used, count, parallel))
    if not readings:
        raise RecordingError(f"{source} has no value of the unit {used}", "use another --unit")
    return readings, bases[0], rate_unit(used)


def default_unit(lines: Sequence[BenchmarkLine]) -> str:
    """Return the unit to use: the first rate, otherwise the first time."""
    units = list(dict.fromkeys(unit for line in lines for unit in line.values))
    rates = [unit for unit in units if unit.endswith("/s") and unit not in {"MB/s", "B/s"}]
    times = [unit for unit in units if _seconds(unit) is not None]
    rest = [unit for unit in units if unit.endswith("/s")]
    return (rates + times + rest + ["ns/op"])[0]


def reading(line: BenchmarkLine, unit: str, count: int, parallel: int) -> Reading:
    """Return the reading of a line; times become rates of ``parallel`` clients."""
    value = line.values[unit]
    seconds = _seconds(unit)
    if seconds is None:
        return check_reading(Reading(count, value, line.place, _response_s(line)))
    if not value > 0:
        raise RecordingError(f"{line.place}: {value:g} {unit} is not a time above 0", _REMEDY)
    response_s = value * seconds if parallel > 1 else _response_s(line)
    return check_reading(Reading(count, parallel / (value * seconds), line.place, response_s))


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
