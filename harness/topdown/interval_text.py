"""Intervals of a measurement as text: a line per interval, and a plot at the end."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import click

from harness.cli.terminal import printable, shorten, wrapped
from harness.topdown.categories import category
from harness.topdown.text import MIN_TEXT_WIDTH
from topdown.slots.measurement import MeasuredNode, Measurement, Slice

_STEPS = "▁▂▃▄▅▆▇█"
_TIME = 10
_IPC = 7
_COLUMN = 11
_MAX_BAR = 40
_MIN_BAR = 10
_MIN_SPARKS = 8
MAX_COLUMNS = 4000


class IntervalLines:
    """Formats intervals one by one; a heading with node names precedes the first."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._has_heading = False
        self._column = _COLUMN

    def lines(self, time_slice: Slice, measurement: Measurement) -> Iterator[str]:
        """Yield the text of an interval: its end, IPC, shares of the first level, a bar."""
        roots = first_level(time_slice.nodes)
        if not self._has_heading:
            self._has_heading = True
            self._column = self._width_of(roots)
            yield self._heading(roots, measurement)
        ipc = "n/a" if time_slice.ipc is None else f"{time_slice.ipc.value:.2f}"
        text = f"{time_slice.end_s:{_TIME - 2}.2f} s{ipc:>{_IPC}}"
        for node in roots:
            text += f"{_share(node, measurement.whole):>{self._column}}"
        room = self._width - len(text) - 2
        if room >= _MIN_BAR:
            text += f"  {stacked(roots, measurement.whole, room)}"
        yield text.rstrip()

    def _width_of(self, roots: Sequence[MeasuredNode]) -> int:
        """Return the width of a node's column: the longest name, if the bar still fits."""
        longest = max((len(node.name) for node in roots), default=0) + 4
        room = self._width - _TIME - _IPC - _MIN_BAR - 2
        return max(_COLUMN, min(longest, room // max(1, len(roots))))

    def _heading(self, roots: Sequence[MeasuredNode], measurement: Measurement) -> str:
        headings = (
            f"{category(node.name).fill} {shorten(printable(node.name), self._column - 3)}"
            for node in roots
        )
        names = "".join(f"{heading:>{self._column}}" for heading in headings)
        return f"{measurement.kind:<{_TIME}}{'IPC':>{_IPC}}{names}"


def first_level(nodes: Sequence[MeasuredNode]) -> list[MeasuredNode]:
    """Return the nodes of the first level."""
    return [node for node in nodes if node.level == 1]


def root_names(measurement: Measurement) -> list[str]:
    """Return the names of the first-level nodes in all intervals."""
    nodes = (node for part in measurement.slices for node in first_level(part.nodes))
    return list(dict.fromkeys(node.name for node in nodes))


def _share(node: MeasuredNode, whole: float) -> str:
    if node.value is None:
        return "n/a"
    return f"{node.value / whole * 100:.1f} %{'!' if node.impossible else ''}"


def stacked(roots: Sequence[MeasuredNode], whole: float, room: int) -> str:
    """Return a stacked bar of the first level's shares, without impossible values."""
    room = min(room, _MAX_BAR)
    text, sum_before = "", 0.0
    for node in roots:
        if node.value is None or node.impossible:
            continue
        start = round(min(1.0, sum_before) * room)
        sum_before += max(0.0, node.value / whole)
        cells = round(min(1.0, sum_before) * room) - start
        style = category(node.name)
        text += click.style(style.fill * cells, fg=style.terminal) if cells else ""
    return text


def plot(measurement: Measurement, width: int) -> Iterator[str]:
    """Yield a line of small bars for each first-level node and for IPC over time."""
    slices = measurement.slices
    if not slices:
        return
    names = root_names(measurement)
    room = max(len("IPC"), *map(len, names)) + 2 if names else 5
    columns = max(_MIN_SPARKS, min(MAX_COLUMNS, width - room - 20))
    length = slices[-1].end_s - slices[0].start_s
    yield (
        f"over {length:.2f} s, {len(slices)} intervals, {measurement.kind}: "
        "bars from 0 to the maximum of each line"
    )
    for name in names:
        values = [percent_of(part, name, measurement.whole) for part in slices]
        yield f"{printable(name):<{room}}{sparks(values, columns)}  {_range(values, ' %', 1)}"
    ipc = [None if part.ipc is None else part.ipc.value for part in slices]
    if any(value is not None for value in ipc):
        yield f"{'IPC':<{room}}{sparks(ipc, columns)}  {_range(ipc, '', 2)}"


def missing_values(measurement: Measurement, width: int) -> Iterator[str]:
    """Yield first-level nodes without a possible value in some intervals, with the first reason."""
    occurrences: dict[tuple[str, bool], list[tuple[Slice, MeasuredNode]]] = {}
    for part in measurement.slices:
        for node in first_level(part.nodes):
            if node.value is None or node.impossible:
                occurrences.setdefault((node.name, node.impossible), []).append((part, node))
    for (name, impossible), affected in occurrences.items():
        first, node = affected[0]
        why = node.warnings[0] if node.warnings else "the reason is unknown"
        prefix = "!" if impossible else "no value for"
        where = f"in {len(affected)} of {len(measurement.slices)} intervals"
        text = f"{prefix} {name} {where}, first until {first.end_s:.2f} s: {why}"
        yield from wrapped(text, max(MIN_TEXT_WIDTH, width), "  ")


def percent_of(time_slice: Slice, name: str, whole: float) -> float | None:
    """Return a node's percent in one interval, or None without a possible value."""
    for node in first_level(time_slice.nodes):
        if node.name == name and node.value is not None and not node.impossible:
            return node.value / whole * 100
    return None


def _range(values: Sequence[float | None], unit: str, digits: int) -> str:
    known = [value for value in values if value is not None]
    if not known:
        return "n/a"
    return f"{min(known):.{digits}f} .. {max(known):.{digits}f}{unit}"


def sparks(values: Sequence[float | None], columns: int) -> str:
    """Return values as small bars; with more values than columns a bar is a mean.

    A missing value is a space.
    """
    groups = _groups(values, columns)
    means = [sum(known) / len(known) if known else None for known in groups]
    maximum = max((mean for mean in means if mean is not None), default=0.0)
    return "".join(
        " "
        if mean is None
        else _STEPS[max(0, min(7, round(mean / maximum * 7)))]
        if maximum > 0
        else _STEPS[0]
        for mean in means
    )


def _groups(values: Sequence[float | None], columns: int) -> list[list[float]]:
    """Return the known values of each column, in order."""
    count = min(len(values), columns)
    edges = [column * len(values) // count for column in range(count + 1)]
    return [
        [value for value in values[start:end] if value is not None]
        for start, end in pairwise(edges)
    ]
