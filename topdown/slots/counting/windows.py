"""Windows of counts: differences between the reads of each event group in counters.jsonl.

The collector writes cumulative counts, one line per read of a group; a window is the difference of
two reads. The file is untrusted, and its last line may be incomplete if the collector was killed.
It is read line by line with limits; an error is reported, or the affected window is omitted with a
warning.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from stallscope.documents import DAMAGED, Count, Record, decode
from stallscope.documents import field as document_field
from stallscope.errors import RecordingError
from stallscope.regular_file import RefusedFileError, RegularFile, open_regular

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

SCHEMA = "stallscope.counters/1"
MAX_BYTES = 2**30
MAX_LINE_BYTES = 2**16
MAX_GROUPS = 1024
MAX_EVENTS = 128  # per group
MAX_SCOPES = 2**20  # threads or CPUs, each with separate counts per group
MAX_SCOPE_KEYS = 4
MAX_WINDOWS = 10_000_000
_PIECE = 2**20
_LARGEST_VALUE = 2**64
_NANOSECONDS = 1e-9


Scope: TypeAlias = tuple[tuple[str, object], ...]


class Window(NamedTuple):
    """A window of one group, summed over scopes; times in nanoseconds."""

    start_ns: int
    end_ns: int
    enabled_ns: float
    running_ns: float
    counts: list[float]


@dataclass(frozen=True, slots=True, eq=False)
class GroupWindows:
    """The windows of an event group, in order of time.

    ``start_s`` and ``end_s`` (n,) are seconds since the start of the first window; ``enabled`` and
    ``running`` (n,) are nanoseconds; ``counts`` (n, n_events) are unscaled.
    """

    events: tuple[str, ...]
    start_s: "Floats"
    end_s: "Floats"
    enabled: "Floats"
    running: "Floats"
    counts: "Floats"

    @property
    def multiplexed(self) -> bool:
        """Return whether the group was enabled longer than it was window."""
        return bool(self.running.sum() < self.enabled.sum())

    def part(self, chosen: "NDArray[np.intp] | slice") -> "GroupWindows":
        """Return the group with some of its windows."""
        arrays = (self.start_s, self.end_s, self.enabled, self.running, self.counts)
        return GroupWindows(self.events, *(array[chosen] for array in arrays))

    def without(self, events: frozenset[str]) -> "GroupWindows":
        """Return the group without some of its events."""
        columns = [column for column, event in enumerate(self.events) if event not in events]
        names = tuple(self.events[column] for column in columns)
        times = (self.start_s, self.end_s, self.enabled, self.running)
        return GroupWindows(names, *times, self.counts[:, columns])


@dataclass(frozen=True, slots=True)
class Windows:
    """All groups of a recording, with warnings about the file."""

    groups: tuple[GroupWindows, ...]
    seconds: float
    warnings: tuple[str, ...] = ()


class _Group(Record, frozen=True):
    events: tuple[str, ...] = ()


class _Header(Record, frozen=True):
    """The first line of a counters.jsonl."""

    schema: str = ""
    groups: tuple[_Group, ...] = ()
    start_ns: Count | None = None


class _GroupReading(Record, frozen=True, kw_only=True):
    """A reading of a group's counters, a line of the file, whose names are short.

    ``scope`` is a thread, a process, a CPU, or a cgroup on a CPU.
    """

    group: Count = document_field(name="g")
    time_ns: Count = document_field(name="t")
    window: Count = document_field(name="w")
    enabled: Count
    running: Count
    counts: list[int] = document_field(name="v")
    scope: dict[str, int | str] = document_field(default_factory=dict)


@dataclass(slots=True)
class _GroupReader:
    """The windows of a group and the latest counts by scope, while lines are read."""

    events: tuple[str, ...]
    last: dict[Scope, tuple[int, int, int, list[int]]] = field(default_factory=dict)
    windows: dict[int, Window] = field(default_factory=dict)
    decreasing: set[int] = field(default_factory=set)


def read_windows(path: Path) -> Windows:
    """Return the windows in a counters.jsonl. Raises RecordingError for other content.

    If the first line has no start time of the counters, a scope's first read is only a start value.
    """
    try:
        with open_regular(path) as file:
            if file.size > MAX_BYTES:
                raise RecordingError(
                    f"{path} has {file.size} bytes; the limit is {MAX_BYTES}",
                    "measure for a shorter time, or with longer windows",
                )
            return _read(file, str(path))
    except RefusedFileError as error:
        raise RecordingError(error.message, "name a recording of `stallscope topdown`") from error


def _read(file: RegularFile, where: str) -> Windows:
    lines = _lines(file, where)
    first = next(lines, None)
    if first is None:
        raise RecordingError(f"{where} is empty", DAMAGED)
    groups, start_ns = _header(first[1], where)
    warnings: list[str] = []
    scopes = 0
    for number, text, complete in lines:
        source = f"{where}:{number}"
        try:
            reading = decode(text, _GroupReading, source)
        except RecordingError:
            if complete:
                raise
            warnings.append("the recording was cut off: its last line is incomplete")
            break
        scopes += _add_line(reading, groups, start_ns, source)
        if scopes > MAX_SCOPES:
            raise RecordingError(f"{where}:{number}: more than {MAX_SCOPES} scopes", DAMAGED)
    return _windows(groups, warnings)


def _lines(file: RegularFile, where: str) -> Iterator[tuple[int, str, bool]]:
    """Yield number and text of each line, and whether it is complete."""
    rest, number = b"", 0
    for offset in range(0, file.size, _PIECE):
        *ended, rest = (rest + file.read(offset, min(_PIECE, file.size - offset))).split(b"\n")
        for raw in (*ended, rest):
            if len(raw) > MAX_LINE_BYTES:
                raise RecordingError(f"{where}:{number + 1}: a line of {len(raw)} bytes", DAMAGED)
        for raw in ended:
            number += 1
            yield number, raw.decode("utf-8", "replace"), True
    if rest:
        yield number + 1, rest.decode("utf-8", "replace"), False


def _header(text: str, where: str) -> tuple[list[_GroupReader], int | None]:
    """Return the groups, and the start time of their counters if it is known."""
    header = decode(text, _Header, f"{where}:1")
    if header.schema != SCHEMA:
        raise RecordingError(f"{where}:1: expected the schema {SCHEMA}", DAMAGED)
    groups = [_GroupReader(group.events) for group in header.groups]
    if len(groups) > MAX_GROUPS or any(len(group.events) > MAX_EVENTS for group in groups):
        raise RecordingError(f"{where}:1: more than {MAX_GROUPS} groups or {MAX_EVENTS} events")
    if any(len(set(group.events)) != len(group.events) for group in groups):
        raise RecordingError(f"{where}:1: a group contains an event twice", DAMAGED)
    return groups, header.start_ns


def _add_line(
    reading: _GroupReading, groups: list[_GroupReader], start_ns: int | None, source: str
) -> int:
    """Add a line to its group and return 1 if its scope is new, else 0."""
    if reading.group >= len(groups):
        raise RecordingError(f"{source}: unknown group {reading.group}", DAMAGED)
    group = groups[reading.group]
    _check_values(reading, len(group.events), source)
    if len(reading.scope) > MAX_SCOPE_KEYS:
        raise RecordingError(f"{source}: scope has more than {MAX_SCOPE_KEYS} names", DAMAGED)
    time, window, enabled, running, values = (
        reading.time_ns,
        reading.window,
        reading.enabled,
        reading.running,
        reading.counts,
    )
    scope = tuple(reading.scope.items())
    previous = group.last.get(scope)
    group.last[scope] = (time, enabled, running, values)
    is_new = previous is None
    if previous is None:
        if start_ns is None:
            return 1
        previous = (_window_start_ns(group, window, time, start_ns), 0, 0, [0] * len(values))
    counts = [float(now - then) for now, then in zip(values, previous[3], strict=True)]
    enabled_ns, running_ns = float(enabled - previous[1]), float(running - previous[2])
    if min(enabled_ns, running_ns, time - previous[0], *counts) < 0:
        group.decreasing.add(window)
    else:
        _add(group, window, Window(previous[0], time, enabled_ns, running_ns, counts))
    return int(is_new)


def _window_start_ns(group: _GroupReader, window: int, time: int, start_ns: int) -> int:
    """Return the start of the window in which a scope, such as a new thread, first appears."""
    current, previous = group.windows.get(window), group.windows.get(window - 1)
    start = current.start_ns if current else previous.end_ns if previous else start_ns
    return min(time, start)


def _add(group: _GroupReader, number: int, window: Window) -> None:
    earlier = group.windows.get(number)
    if earlier is not None:
        group.windows[number] = Window(
            min(earlier.start_ns, window.start_ns),
            max(earlier.end_ns, window.end_ns),
            earlier.enabled_ns + window.enabled_ns,
            earlier.running_ns + window.running_ns,
            [sum(pair) for pair in zip(earlier.counts, window.counts, strict=True)],
        )
    elif len(group.windows) < MAX_WINDOWS:
        group.windows[number] = window


def _check_values(reading: _GroupReading, expected: int, source: str) -> None:
    if len(reading.counts) != expected:
        raise RecordingError(
            f"{source}: {len(reading.counts)} counts, expected {expected}", DAMAGED
        )
    if not all(0 <= value < _LARGEST_VALUE for value in reading.counts):
        raise RecordingError(f"{source}: a count exceeds 64 bits", DAMAGED)
    if reading.running > reading.enabled:
        raise RecordingError(f"{source}: running exceeds enabled", DAMAGED)


def _windows(groups: list[_GroupReader], warnings: list[str]) -> Windows:
    for number, group in enumerate(groups):
        for window in group.decreasing:
            group.windows.pop(window, None)
        if group.decreasing:
            warnings.append(
                f"{len(group.decreasing)} windows of group {number} are omitted: "
                "a counter decreased"
            )
    windows = [window for group in groups for window in group.windows.values()]
    start_ns = min((window.start_ns for window in windows), default=0)
    end_ns = max((window.end_ns for window in windows), default=0)
    arrays = tuple(_arrays(group, start_ns) for group in groups if group.events)
    return Windows(arrays, (end_ns - start_ns) * _NANOSECONDS, tuple(warnings))


def _arrays(group: _GroupReader, first_ns: int) -> GroupWindows:
    import numpy as np  # noqa: PLC0415 - start-up stays light

    rows = [group.windows[window] for window in sorted(group.windows)]
    return GroupWindows(
        group.events,
        np.array([(row.start_ns - first_ns) * _NANOSECONDS for row in rows], dtype=float),
        np.array([(row.end_ns - first_ns) * _NANOSECONDS for row in rows], dtype=float),
        np.array([row.enabled_ns for row in rows], dtype=float),
        np.array([row.running_ns for row in rows], dtype=float),
        np.array([row.counts for row in rows], dtype=float).reshape(len(rows), len(group.events)),
    )
