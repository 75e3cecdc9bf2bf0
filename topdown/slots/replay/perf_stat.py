"""What ``perf stat -x`` and ``perf stat -j`` print, as readings: one for each interval.

Columns and keys: tools/perf/Documentation/perf-stat.txt of Linux 6.12, "CSV FORMAT" and "JSON
FORMAT". Counts of several CPUs, cores or sockets (``-A``, ``--per-core``) are added up; of an event
that stands in several groups the count is taken that ran longest.
"""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from stallscope.errors import RecordingError
from topdown.slots.counts import Reading

SEPARATORS = ",;\t|"
MOST_LINES = 1_000_000
LONGEST_LINE = 4096
LARGEST = 2.0**96
REMEDY = "give the output of perf stat -x, or -j, unchanged"
UNCOUNTED = {"<not counted>": "was not counted", "<not supported>": "is not supported there"}
_UNITS = ("", "msec", "ns", "Joules", "MiB", "Bytes", "C", "GHz")
_MOST_PLACES = 5  # columns that may stand before the value: time, CPU or core, its CPUs
_NANOSECONDS = 1e-9
# What says in a JSON line whose count it is.
_SCOPES = ("cpu", "core", "cluster", "cache", "die", "socket", "node", "thread", "cgroup")

Scope = tuple[str, ...]


@dataclass(slots=True)
class _Interval:
    """The counts of one interval while its lines are read.

    ``counts`` are (count, share of the time) of each scope's events, ``uncounted`` why perf has
    none of an event in a scope.
    """

    counts: dict[Scope, dict[str, tuple[float, float]]] = field(default_factory=dict)
    uncounted: dict[str, dict[Scope, str]] = field(default_factory=dict)

    def add(self, scope: Scope, event: str, value: str, running: float | None) -> None:
        """Take one line's value in, as perf printed it."""
        counted = self.counts.setdefault(scope, {})
        if value in UNCOUNTED:
            self.uncounted.setdefault(event, {})[scope] = UNCOUNTED[value]
            return
        count, share = float(value), 1.0 if running is None else running
        if event == "duration_time":
            count *= _NANOSECONDS
        if event not in counted or counted[event][1] < share:
            counted[event] = (count, share)

    def reading(self, where: str) -> Reading:
        """Return the sums over all scopes, without those that lack a part."""
        counts: dict[str, float] = {}
        running: dict[str, float] = {}
        for counted in self.counts.values():
            for event, (count, share) in counted.items():
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
                absent[event] = f"{event} {why} in a part of what the others were counted on"
        return Reading(where, counts=counts, absent=absent, running=running)


def first_line(text: str) -> str:
    """Return the first line that says something: perf begins a file with ``# started on``."""
    place = 0
    while place < len(text):
        end = text.find("\n", place) + 1 or len(text)
        line = text[place:end].strip()
        if line and not line.startswith("#"):
            return line
        place = end
    return ""


def looks_like_perf_json(line: str) -> bool:
    """Return whether a line is of ``perf stat -j``: an object with counter-value."""
    return line.startswith("{") and '"counter-value"' in line[:LONGEST_LINE]


def readings_of_json_lines(text: str, where: str) -> Iterator[Reading]:
    """Yield a reading for each interval of ``perf stat -j``."""
    intervals: dict[str, _Interval] = {}
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
            continue  # a metric of its own
        if value not in UNCOUNTED and _number(value) is None:
            raise RecordingError(f"{where}:{number}: {value[:40]!r} is no count", REMEDY)
        percent = values.get("pcnt-running")
        running = percent / 100 if isinstance(percent, int | float) else None
        interval = intervals.setdefault(str(values.get("interval", "")), _Interval())
        interval.add(tuple(str(values.get(key)) for key in _SCOPES), event, value, running)
    yield from _made(intervals, where)


def readings_of_csv(text: str, where: str) -> Iterator[Reading]:
    """Yield a reading for each interval of ``perf stat -x SEPARATOR``."""
    intervals: dict[str, _Interval] = {}
    for number, line in _lines(text, where):
        columns = _columns(line)
        if columns is not None and _is_metric(columns):
            continue
        place = None if columns is None else _place(columns)
        if columns is None or place is None:
            raise RecordingError(
                f"{where}:{number}: no line of perf stat -x, and no JSON: {line[:60]!r}", REMEDY
            )
        cgroup, running = _rest(columns[place + 3 :])
        interval = intervals.setdefault(_time(columns, place), _Interval())
        scope = (*columns[:place], cgroup)
        interval.add(scope, columns[place + 2], columns[place], running)
    yield from _made(intervals, where)


def _rest(columns: list[str]) -> tuple[str, float | None]:
    """Return what stands behind an event: its cgroup where there are any, its share of the time.

    With -r a spread in percent stands before the time counted and its share.
    """
    rest, cgroup = list(columns), ""
    if rest and rest[0] and _number(rest[0]) is None and not rest[0].endswith("%"):
        cgroup = rest.pop(0)
    if rest and rest[0].endswith("%"):
        rest.pop(0)
    percent = _number(rest[1]) if len(rest) > 1 else None
    return cgroup, None if percent is None else percent / 100


def _lines(text: str, where: str) -> Iterator[tuple[int, str]]:
    lines = text.splitlines()
    if len(lines) > MOST_LINES:
        raise RecordingError(f"{where}: {len(lines)} lines, at most {MOST_LINES}", REMEDY)
    for number, line in enumerate(lines, 1):
        if len(line) > LONGEST_LINE:
            raise RecordingError(f"{where}:{number}: a line of {len(line)} characters", REMEDY)
        if line.strip() and not line.lstrip().startswith("#"):
            yield number, line.strip()


def _columns(line: str) -> list[str] | None:
    """Return a line's columns; a comma between the slashes of an event's name parts none."""
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


def _place(columns: list[str]) -> int | None:
    """Return which column the value is: a number, then its unit, then an event's name."""
    for place in range(min(_MOST_PLACES, len(columns) - 2)):
        value, unit, event = columns[place : place + 3]
        counted = value in UNCOUNTED or _number(value) is not None
        named = any(letter.isalpha() for letter in event) and _number(event) is None
        if counted and unit in _UNITS and named:
            return place
    return None


def _is_metric(columns: list[str]) -> bool:
    """Return whether a line has but a metric of perf's own: value, unit and event are empty."""
    places = range(_MOST_PLACES - 1)
    empty = any(columns[place : place + 3] == ["", "", ""] for place in places)
    return empty and _place(columns) is None


def _time(columns: list[str], place: int) -> str:
    """Return the interval's time, the first column where it is a number with a point."""
    first = columns[0]
    return first if place > 0 and "." in first and _number(first) is not None else ""


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and abs(value) < LARGEST else None


def _made(intervals: Mapping[str, _Interval], where: str) -> Iterator[Reading]:
    for time, interval in intervals.items():
        yield interval.reading(f"{where} at {time} s" if time else where)
