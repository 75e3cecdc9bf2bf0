"""Windows of counts: what counters.jsonl holds, as differences for each group of events.

The collector writes cumulative counts, one line for each read of a group; a window is what came
in between. The file may be a stranger's, and its last line cut off where the collector was
killed: it is read line by line as far as bounds, and what is wrong in it is one error, or is
left out and said.
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
LARGEST_BYTES = 2**30
LONGEST_LINE = 2**16
MOST_GROUPS = 1024
MOST_EVENTS = 128  # of one group
MOST_SCOPES = 2**20  # threads, CPUs: each group of each has counts of its own
MOST_SCOPE_KEYS = 4
MOST_WINDOWS = 10_000_000
_PIECE = 2**20
_LARGEST_VALUE = 2**64
_NANOSECONDS = 1e-9


Scope: TypeAlias = tuple[tuple[str, object], ...]


class Window(NamedTuple):
    """One window of one group: all scopes added up, times in nanoseconds."""

    start_ns: int
    end_ns: int
    enabled_ns: float
    running_ns: float
    counts: list[float]


@dataclass(frozen=True, slots=True, eq=False)
class GroupWindows:
    """The windows of one group of events that were counted together, in order of time.

    ``start_s`` and ``end_s`` (n,) are seconds since the first window's start; ``enabled`` and
    ``running`` (n,) nanoseconds; ``counts`` (n, n_events) what was counted while it ran.
    """

    events: tuple[str, ...]
    start_s: "Floats"
    end_s: "Floats"
    enabled: "Floats"
    running: "Floats"
    counts: "Floats"

    @property
    def multiplexed(self) -> bool:
        """Return whether the group was at times not counted while it should have been."""
        return bool(self.running.sum() < self.enabled.sum())

    def part(self, chosen: "NDArray[np.intp] | slice") -> "GroupWindows":
        """Return the group with some of its windows."""
        arrays = (self.start_s, self.end_s, self.enabled, self.running, self.counts)
        return GroupWindows(self.events, *(each[chosen] for each in arrays))

    def without(self, events: frozenset[str]) -> "GroupWindows":
        """Return the group without some of its events."""
        kept = [place for place, event in enumerate(self.events) if event not in events]
        names = tuple(self.events[place] for place in kept)
        times = (self.start_s, self.end_s, self.enabled, self.running)
        return GroupWindows(names, *times, self.counts[:, kept])


@dataclass(frozen=True, slots=True)
class Windows:
    """All groups of a recording, and what a reader of the numbers must know of the reading."""

    groups: tuple[GroupWindows, ...]
    seconds: float
    warnings: tuple[str, ...] = ()


@dataclass(slots=True)
class _Building:
    """A group while its lines are read: its windows, and each scope's latest counts."""

    events: tuple[str, ...]
    last: dict[Scope, tuple[int, int, int, list[int]]] = field(default_factory=dict)
    windows: dict[int, Window] = field(default_factory=dict)
    backward: set[int] = field(default_factory=set)


def read_windows(path: Path) -> Windows:
    """Return the windows in a counters.jsonl; RecordingError where it is none.

    Where its first line does not say when the counters were started, a scope's first reading only
    says where it began.
    """
    try:
        with open_regular(path) as file:
            if file.size > LARGEST_BYTES:
                raise RecordingError(
                    f"{path} has {file.size} bytes: at most {LARGEST_BYTES} are read",
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
    for number, text, whole in lines:
        line = _line(text, f"{where}:{number}")
        if line is None:
            if whole:
                raise RecordingError(f"{where}:{number} is no JSON object", REMEDY)
            warnings.append("the recording was cut off: its last line is not whole")
            break
        scopes += _take(line, groups, start_ns)
        if scopes > MOST_SCOPES:
            raise RecordingError(f"{where}:{number}: more than {MOST_SCOPES} scopes", REMEDY)
    return _windows(groups, warnings)


def _lines(file: RegularFile, where: str) -> Iterator[tuple[int, str, bool]]:
    """Yield each line's number and text, and whether it has its end."""
    kept, number = b"", 0
    for offset in range(0, file.size, _PIECE):
        *ended, kept = (kept + file.read(offset, min(_PIECE, file.size - offset))).split(b"\n")
        for raw in (*ended, kept):
            if len(raw) > LONGEST_LINE:
                raise RecordingError(f"{where}:{number + 1}: a line of {len(raw)} bytes", REMEDY)
        for raw in ended:
            number += 1
            yield number, raw.decode("utf-8", "replace"), True
    if kept:
        yield number + 1, kept.decode("utf-8", "replace"), False


def _line(text: str, where: str) -> Fields | None:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return Fields(values, where) if isinstance(values, dict) else None


def _header(text: str, where: str) -> tuple[list[_Building], int | None]:
    """Return the groups, and when their counters were started, where that is said."""
    fields = _line(text, f"{where}:1")
    if fields is None or fields.text("schema", "") != SCHEMA:
        raise RecordingError(f"{where}:1 does not begin with {SCHEMA}", REMEDY)
    groups = [_Building(group.texts("events")) for group in fields.objects("groups")]
    if len(groups) > MOST_GROUPS or any(len(group.events) > MOST_EVENTS for group in groups):
        raise RecordingError(f"{where}:1: more than {MOST_GROUPS} groups or {MOST_EVENTS} events")
    if any(len(set(group.events)) != len(group.events) for group in groups):
        raise RecordingError(f"{where}:1: a group has an event twice", REMEDY)
    return groups, fields.maybe_count("start_ns")


def _take(line: Fields, groups: list[_Building], start_ns: int | None) -> int:
    """Take one line in; return 1 where it is of a scope that was not seen before."""
    group = _group_of(line, groups)
    time, window = line.count("t"), line.count("w")
    enabled, running = line.count("enabled"), line.count("running")
    values = _values(line, len(group.events))
    scope = _scope(line)
    before = group.last.get(scope)
    group.last[scope] = (time, enabled, running, values)
    new = before is None
    if before is None:
        if start_ns is None:
            return 1
        before = (_opened_ns(group, window, time, start_ns), 0, 0, [0] * len(values))
    counts = [float(now - then) for now, then in zip(values, before[3], strict=True)]
    spent, ran = float(enabled - before[1]), float(running - before[2])
    if min(spent, ran, time - before[0], *counts) < 0:
        group.backward.add(window)
    else:
        _add(group, window, Window(before[0], time, spent, ran, counts))
    return int(new)


def _opened_ns(group: _Building, window: int, time: int, start_ns: int) -> int:
    """Return where the window began in which a scope is first seen: a thread born since."""
    here, before = group.windows.get(window), group.windows.get(window - 1)
    return min(time, here.start_ns if here else before.end_ns if before else start_ns)


def _add(group: _Building, window: int, counted: Window) -> None:
    known = group.windows.get(window)
    if known is not None:
        group.windows[window] = Window(
            min(known.start_ns, counted.start_ns),
            max(known.end_ns, counted.end_ns),
            known.enabled_ns + counted.enabled_ns,
            known.running_ns + counted.running_ns,
            [one + other for one, other in zip(known.counts, counted.counts, strict=True)],
        )
    elif len(group.windows) < MOST_WINDOWS:
        group.windows[window] = counted


def _scope(line: Fields) -> Scope:
    """Return whose counts a line has, as a key: a thread, a process, a CPU, a cgroup on one."""
    values = line.fields("scope").values
    if len(values) > MOST_SCOPE_KEYS or not all(isinstance(v, int | str) for v in values.values()):
        raise RecordingError(f"{line.where}: scope should be a few names and numbers", REMEDY)
    return tuple(values.items())


def _group_of(line: Fields, groups: list[_Building]) -> _Building:
    number = line.count("g")
    if number >= len(groups):
        raise RecordingError(f"{line.where}: there is no group {number}", REMEDY)
    return groups[number]


def _values(line: Fields, wanted: int) -> list[int]:
    values = list(line.integers("v"))
    if len(values) != wanted:
        raise RecordingError(f"{line.where}: {len(values)} counts, expected {wanted}", REMEDY)
    if not all(0 <= value < _LARGEST_VALUE for value in values):
        raise RecordingError(f"{line.where}: a count that no counter of 64 bits has", REMEDY)
    if line.count("running", LARGEST_COUNT) > line.count("enabled"):
        raise RecordingError(f"{line.where}: counted for longer than it was enabled", REMEDY)
    return values


def _windows(groups: list[_Building], warnings: list[str]) -> Windows:
    for place, group in enumerate(groups):
        for window in group.backward:
            group.windows.pop(window, None)
        if group.backward:
            warnings.append(
                f"{len(group.backward)} windows of group {place} were left out: its counters "
                "went backwards there"
            )
    each = [window for group in groups for window in group.windows.values()]
    begin = min((window.start_ns for window in each), default=0)
    end = max((window.end_ns for window in each), default=0)
    done = tuple(_arrays(group, begin) for group in groups if group.events)
    return Windows(done, (end - begin) * _NANOSECONDS, tuple(warnings))


def _arrays(group: _Building, begin_ns: int) -> GroupWindows:
    import numpy as np  # noqa: PLC0415 - start-up stays light

    rows = [group.windows[window] for window in sorted(group.windows)]
    return GroupWindows(
        group.events,
        np.array([(row.start_ns - begin_ns) * _NANOSECONDS for row in rows], dtype=float),
        np.array([(row.end_ns - begin_ns) * _NANOSECONDS for row in rows], dtype=float),
        np.array([row.enabled_ns for row in rows], dtype=float),
        np.array([row.running_ns for row in rows], dtype=float),
        np.array([row.counts for row in rows], dtype=float).reshape(len(rows), len(group.events)),
    )
