"""Parsers of ``perf stat -x`` and ``perf stat -j``: one reading per interval.

Columns and keys: tools/perf/Documentation/perf-stat.txt of Linux 6.12, "CSV FORMAT" and "JSON
FORMAT". Counts of several CPUs, cores or sockets (``-A``, ``--per-core``) are summed. For an
event in several groups, the count of the group that ran longest is used.
"""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from stallscope.errors import RecordingError
from topdown.slots.counts import EventCounts

SEPARATORS = ",;\t|"
MAX_LINES = 1_000_000
MAX_LINE_CHARS = 4096
MAX_PERCENT = 101  # perf rounds shares of the time
MAX_COUNT = 2.0**96
REMEDY = "pass unchanged output of perf stat -x, or -j"
UNCOUNTED = {
    "<not counted>": "was not counted",
    "<not supported>": "is not supported on that machine",
}
_UNITS = ("", "msec", "ns", "Joules", "MiB", "Bytes", "C", "GHz")
_MAX_LEADING_COLUMNS = 5  # before the value: time, CPU or core, its CPUs
_NANOSECONDS = 1e-9
# JSON keys that identify the scope of a count.
_SCOPES = ("cpu", "core", "cluster", "cache", "die", "socket", "node", "thread", "cgroup")

Scope = tuple[str, ...]


@dataclass(slots=True)
class _IntervalCounts:
    """The counts of one interval, collected line by line.

    ``counts`` are (count, share of the time) by scope and event; ``uncounted`` holds reasons for
    missing counts by event and scope.
    """

    counts: dict[Scope, dict[str, tuple[float, float]]] = field(default_factory=dict)
    uncounted: dict[str, dict[Scope, str]] = field(default_factory=dict)

    def add(self, scope: Scope, event: str, value: str, running: float | None) -> None:
        """Add the value of one line."""
        scope_counts = self.counts.setdefault(scope, {})
        if value in UNCOUNTED:
            self.uncounted.setdefault(event, {})[scope] = UNCOUNTED[value]
            return
        count, share = float(value), 1.0 if running is None else running
        if event == "duration_time":
            count *= _NANOSECONDS
        if event not in scope_counts or scope_counts[event][1] < share:
            scope_counts[event] = (count, share)

    def reading(self, where: str) -> EventCounts:
        """Return the sums over all scopes, without events that one scope lacks."""
        counts: dict[str, float] = {}
        running: dict[str, float] = {}
        for scope_counts in self.counts.values():
            for event, (count, share) in scope_counts.items():
                counts[event] = counts.get(event, 0.0) + count
                if share < 1:
                    running[event] = min(share, running.get(event, 1.0))
        absent: dict[str, str] = {}
        for event, scopes in self.uncounted.items():
            why = next(iter(scopes.values()))
            if event not in counts:
                absent[event] = f"{event} {why}"
            elif any(self.counts[scope] and event not in self.counts[scope] for scope in scopes):
                counts.pop(event)
                running.pop(event, None)
                absent[event] = f"{event} {why} in some of the counted scopes"
        return EventCounts(where, counts=counts, absent=absent, running=running)


def first_line(text: str) -> str:
    """Return the first line with content; perf starts a file with ``# started on``."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        line = text[start:end].strip()
        if line and not line.startswith("#"):
            return line
        start = end
    return ""


def is_perf_json(line: str) -> bool:
    """Return whether a line is output of ``perf stat -j``: an object with counter-value."""
    return line.startswith("{") and '"counter-value"' in line[:MAX_LINE_CHARS]


def readings_of_json_lines(text: str, where: str) -> Iterator[EventCounts]:
    """Yield a reading per interval of ``perf stat -j``."""
    intervals: dict[str, _IntervalCounts] = {}
    for number, line in _lines(text, where):
        if not line.startswith("{"):
            continue
        try:
            values = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise RecordingError(f"{where}:{number}: not JSON: {error}", REMEDY) from error
        event = values.get("event")
        value = str(values.get("counter-value", "")).strip()
        if not isinstance(event, str) or not event:
            continue  # a metric without a count
        if value not in UNCOUNTED and _number(value) is None:
            raise RecordingError(f"{where}:{number}: expected a count, not {value[:40]!r}", REMEDY)
        running = _share(str(values.get("pcnt-running", "")), f"{where}:{number}")
        interval = intervals.setdefault(str(values.get("interval", "")), _IntervalCounts())
        interval.add(tuple(str(values.get(key)) for key in _SCOPES), event, value, running)
    yield from _interval_readings(intervals, where)


def readings_of_csv(text: str, where: str) -> Iterator[EventCounts]:
    """Yield a reading per interval of ``perf stat -x SEPARATOR``."""
    intervals: dict[str, _IntervalCounts] = {}
    for number, line in _lines(text, where):
        columns = _columns(line)
        if columns is not None and _is_metric(columns):
            continue
        at = None if columns is None else _value_column(columns)
        if columns is None or at is None:
            raise RecordingError(
                f"{where}:{number}: neither a line of perf stat -x nor JSON: {line[:60]!r}", REMEDY
            )
        cgroup, percent = _trailing_columns(columns[at + 3 :])
        running = _share(percent, f"{where}:{number}")
        interval = intervals.setdefault(_time(columns, at), _IntervalCounts())
        scope = (*columns[:at], cgroup)
        interval.add(scope, columns[at + 2], columns[at], running)
    yield from _interval_readings(intervals, where)


def _share(percent: str, where: str) -> float | None:
    """Return a share of the time from its percentage; None if the text is not a number."""
    value = _number(percent)
    if value is None:
        return None
    if not 0 <= value <= MAX_PERCENT:
        raise RecordingError(
            f"{where}: expected a share of the time in percent, not {percent[:40]!r}", REMEDY
        )
    return min(1.0, value / 100)


def _trailing_columns(columns: list[str]) -> tuple[str, str]:
    """Return the cgroup and the percentage of the time, from the columns after an event.

    With -r a deviation in percent precedes the time counted and its share.
    """
    rest, cgroup = list(columns), ""
    if rest and rest[0] and _number(rest[0]) is None and not rest[0].endswith("%"):
        cgroup = rest.pop(0)
    if rest and rest[0].endswith("%"):
        rest.pop(0)
    return cgroup, rest[1] if len(rest) > 1 else ""


def _lines(text: str, where: str) -> Iterator[tuple[int, str]]:
    lines = text.splitlines()
    if len(lines) > MAX_LINES:
        raise RecordingError(f"{where}: {len(lines)} lines; the limit is {MAX_LINES}", REMEDY)
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_LINE_CHARS:
            raise RecordingError(f"{where}:{number}: a line of {len(line)} characters", REMEDY)
        if line.strip() and not line.lstrip().startswith("#"):
            yield number, line.strip()


def _columns(line: str) -> list[str] | None:
    """Return a line's columns; a comma between the slashes of an event name is no separator."""
    for separator in SEPARATORS:
        if separator not in line:
            continue
        columns: list[str] = []
        for word in line.split(separator):
            if columns and columns[-1].count("/") % 2:
                columns[-1] += separator + word
            else:
                columns.append(word.strip())
        if len(columns) > 2:
            return columns
    return None


def _value_column(columns: list[str]) -> int | None:
    """Return the column of the value, which precedes its unit and the event's name."""
    for column in range(min(_MAX_LEADING_COLUMNS, len(columns) - 2)):
        value, unit, event = columns[column : column + 3]
        counted = value in UNCOUNTED or _number(value) is not None
        named = any(letter.isalpha() for letter in event) and _number(event) is None
        if counted and unit in _UNITS and named:
            return column
    return None


def _is_metric(columns: list[str]) -> bool:
    """Return whether a line contains only a metric of perf: value, unit and event are empty."""
    empty = any(
        columns[column : column + 3] == ["", "", ""] for column in range(_MAX_LEADING_COLUMNS - 1)
    )
    return empty and _value_column(columns) is None


def _time(columns: list[str], value_column: int) -> str:
    """Return the interval's time: the first column if it is a number with a decimal point."""
    first = columns[0]
    return first if value_column > 0 and "." in first and _number(first) is not None else ""


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and abs(value) < MAX_COUNT else None


def _interval_readings(
    intervals: Mapping[str, _IntervalCounts], where: str
) -> Iterator[EventCounts]:
    for time, interval in intervals.items():
        yield interval.reading(f"{where} at {time} s" if time else where)
