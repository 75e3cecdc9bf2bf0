"""Windows of counts: differences between the reads of each event group in counters.jsonl.

The collector writes cumulative counts, one line per read of a group; a window is the difference of
two reads. The file is untrusted, and its last line may be incomplete if the collector was killed.
It is read line by line with limits; an error is reported, or the affected window is omitted with a
warning.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from stallscope.errors import RecordingError
from stallscope.json_fields import LARGEST_COUNT, REMEDY, Fields
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
        kept = [column for column, event in enumerate(self.events) if event not in events]
        names = tuple(self.events[column] for column in kept)
        times = (self.start_s, self.end_s, self.enabled, self.running)
        return GroupWindows(names, *times, self.counts[:, kept])


@dataclass(frozen=True, slots=True)
class Windows:
    """All groups of a recording, with warnings about the file."""

    groups: tuple[GroupWindows, ...]
    seconds: float
    warnings: tuple[str, ...] = ()


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
        raise RecordingError(f"{where} is empty", REMEDY)
    groups, start_ns = _header(first[1], where)
    warnings: list[str] = []
    scopes = 0
    for number, text, complete in lines:
        line = _line(text, f"{where}:{number}")
        if line is None:
            if complete:
                raise RecordingError(f"{where}:{number}: expected a JSON object", REMEDY)
            warnings.append("the recording was cut off: its last line is incomplete")
            break
        scopes += _add_line(line, groups, start_ns)
        if scopes > MAX_SCOPES:
            raise RecordingError(f"{where}:{number}: more than {MAX_SCOPES} scopes", REMEDY)
    return _windows(groups, warnings)


def _lines(file: RegularFile, where: str) -> Iterator[tuple[int, str, bool]]:
    """Yield number and text of each line, and whether it is complete."""
    rest, number = b"", 0
    for offset in range(0, file.size, _PIECE):
        *ended, rest = (rest + file.read(offset, min(_PIECE, file.size - offset))).split(b"\n")
        for raw in (*ended, rest):
            if len(raw) > MAX_LINE_BYTES:
                raise RecordingError(f"{where}:{number + 1}: a line of {len(raw)} bytes", REMEDY)
        for raw in ended:
            number += 1
            yield number, raw.decode("utf-8", "replace"), True
    if rest:
        yield number + 1, rest.decode("utf-8", "replace"), False


def _line(text: str, where: str) -> Fields | None:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return Fields(values, where) if isinstance(values, dict) else None


def _header(text: str, where: str) -> tuple[list[_GroupReader], int | None]:
    """Return the groups, and the start time of their counters if it is known."""
    fields = _line(text, f"{where}:1")
    if fields is None or fields.text("schema", "") != SCHEMA:
        raise RecordingError(f"{where}:1: expected the schema {SCHEMA}", REMEDY)
    groups = [_GroupReader(group.texts("events")) for group in fields.objects("groups")]
    if len(groups) > MAX_GROUPS or any(len(group.events) > MAX_EVENTS for group in groups):
        raise RecordingError(f"{where}:1: more than {MAX_GROUPS} groups or {MAX_EVENTS} events")
    if any(len(set(group.events)) != len(group.events) for group in groups):
        raise RecordingError(f"{where}:1: a group contains an event twice", REMEDY)
    return groups, fields.maybe_count("start_ns")


def _add_line(line: Fields, groups: list[_GroupReader], start_ns: int | None) -> int:
    """Add a line to its group and return 1 if its scope is new, else 0."""
    group = _group_of(line, groups)
    time, window = line.count("t"), line.count("w")
    enabled, running = line.count("enabled"), line.count("running")
    values = _values(line, len(group.events))
    scope = _scope(line)
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
    known = group.windows.get(number)
    if known is not None:
        group.windows[number] = Window(
            min(known.start_ns, window.start_ns),
            max(known.end_ns, window.end_ns),
            known.enabled_ns + window.enabled_ns,
            known.running_ns + window.running_ns,
            [sum(pair) for pair in zip(known.counts, window.counts, strict=True)],
        )
    elif len(group.windows) < MAX_WINDOWS:
        group.windows[number] = window


def _scope(line: Fields) -> Scope:
    """Return the scope of a line as a key: a thread, a process, a CPU, or a cgroup on a CPU."""
    values = line.fields("scope").values
    if len(values) > MAX_SCOPE_KEYS or not all(isinstance(v, int | str) for v in values.values()):
        raise RecordingError(f"{line.where}: scope must be a few names and numbers", REMEDY)
    return tuple(values.items())


def _group_of(line: Fields, groups: list[_GroupReader]) -> _GroupReader:
    number = line.count("g")
    if number >= len(groups):
        raise RecordingError(f"{line.where}: unknown group {number}", REMEDY)
    return groups[number]


def _values(line: Fields, expected: int) -> list[int]:
    values = list(line.integers("v"))
    if len(values) != expected:
        raise RecordingError(f"{line.where}: {len(values)} counts, expected {expected}", REMEDY)
    if not all(0 <= value < _LARGEST_VALUE for value in values):
        raise RecordingError(f"{line.where}: a count exceeds 64 bits", REMEDY)
    if line.count("running", LARGEST_COUNT) > line.count("enabled"):
        raise RecordingError(f"{line.where}: running exceeds enabled", REMEDY)
    return values


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
