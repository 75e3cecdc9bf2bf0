"""Intervals of a measurement as text: a line per interval, and a plot at the end."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import click

from harness.cli.terminal import display_width, pad, printable, shorten, wrapped
from harness.topdown.categories import category
from harness.topdown.result import NodeRecord, Nodes, SliceRecord, TopdownResult, first_level
from harness.topdown.text import MIN_TEXT_WIDTH

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

    def lines(self, time_slice: SliceRecord, *, kind: str, whole: float) -> Iterator[str]:
        """Yield the text of an interval: its end, IPC, shares of the first level, a bar.

        ``kind`` is the source of the numbers, ``whole`` the value of all slots.
        """
        roots = first_level(time_slice.nodes)
        if not self._has_heading:
            self._has_heading = True
            self._column = self._width_of(roots)
            yield self._heading(roots, kind)
        ipc = "n/a" if time_slice.ipc is None else f"{time_slice.ipc.value:.2f}"
        text = f"{time_slice.end_s:{_TIME - 2}.2f} s{ipc:>{_IPC}}"
        for node in roots.values():
            text += f"{share_text(node, whole):>{self._column}}"
        room = self._width - len(text) - 2
        if room >= _MIN_BAR:
            text += f"  {stacked(roots, whole, room)}"
        yield text.rstrip()

    def _width_of(self, roots: Nodes) -> int:
        """Return the width of a node's column: the longest name, if the bar still fits."""
        longest = max(map(len, roots), default=0) + 4
        room = self._width - _TIME - _IPC - _MIN_BAR - 2
        return max(_COLUMN, min(longest, room // max(1, len(roots))))

    def _heading(self, roots: Nodes, kind: str) -> str:
        headings = (
            f"{category(name).fill} {shorten(printable(name), self._column - 3)}" for name in roots
        )
        names = "".join(f"{heading:>{self._column}}" for heading in headings)
        return f"{kind:<{_TIME}}{'IPC':>{_IPC}}{names}"


def root_names(result: TopdownResult) -> list[str]:
    """Return the names of the first-level nodes in all intervals."""
    return list(
        dict.fromkeys(
            name for time_slice in result.intervals for name in first_level(time_slice.nodes)
        )
    )


def share_text(node: NodeRecord, whole: float) -> str:
    """Return a node's share in percent, "n/a" without one, with "!" if it is impossible."""
    if node.value is None:
        return "n/a"
    return f"{node.value / whole * 100:.1f} %{'!' if node.impossible else ''}"


def stacked(roots: Nodes, whole: float, room: int) -> str:
    """Return a stacked bar of the first level's shares, without impossible values."""
    room = min(room, _MAX_BAR)
    text, sum_before = "", 0.0
    for name, node in roots.items():
        if node.possible is None:
            continue
        start = round(min(1.0, sum_before) * room)
        sum_before += max(0.0, node.possible / whole)
        cells = round(min(1.0, sum_before) * room) - start
        style = category(name)
        text += click.style(style.fill * cells, fg=style.terminal) if cells else ""
    return text


def plot(result: TopdownResult, width: int) -> Iterator[str]:
    """Yield a line of small bars for each first-level node and for IPC over time."""
    slices = result.intervals
    if not slices:
        return
    names = root_names(result)
    room = 2 + max(display_width(printable(name)) for name in ("IPC", *names))
    columns = max(_MIN_SPARKS, min(MAX_COLUMNS, width - room - 20))
    length = slices[-1].end_s - slices[0].start_s
    yield (
        f"over {length:.2f} s, {len(slices)} intervals, {result.kind}: "
        "bars from 0 to the maximum of each line"
    )
    for name in names:
        values = [percent_of(time_slice, name, result.whole) for time_slice in slices]
        yield f"{pad(printable(name), room)}{sparks(values, columns)}  {_range(values, ' %', 1)}"
    ipc = [None if time_slice.ipc is None else time_slice.ipc.value for time_slice in slices]
    if any(value is not None for value in ipc):
        yield f"{'IPC':<{room}}{sparks(ipc, columns)}  {_range(ipc, '', 2)}"


def missing_values(result: TopdownResult, width: int) -> Iterator[str]:
    """Yield first-level nodes without a possible value in some intervals, with the first reason."""
    occurrences: dict[tuple[str, bool], list[tuple[SliceRecord, NodeRecord]]] = {}
    for time_slice in result.intervals:
        for name, node in first_level(time_slice.nodes).items():
            if node.possible is None:
                occurrences.setdefault((name, node.impossible), []).append((time_slice, node))
    for (name, impossible), affected in occurrences.items():
        first, node = affected[0]
        why = node.warnings[0] if node.warnings else "the reason is unknown"
        prefix = "!" if impossible else "no value for"
        where = f"in {len(affected)} of {len(result.intervals)} intervals"
        text = f"{prefix} {name} {where}, first until {first.end_s:.2f} s: {why}"
        yield from wrapped(text, max(MIN_TEXT_WIDTH, width), "  ")


def percent_of(time_slice: SliceRecord, name: str, whole: float) -> float | None:
    """Return a node's percent in one interval, or None without a possible value."""
    node = time_slice.nodes.get(name)
    return None if node is None or node.possible is None else node.possible / whole * 100


def _range(values: Sequence[float | None], unit: str, digits: int) -> str:
    numbers = [value for value in values if value is not None]
    if not numbers:
        return "n/a"
    return f"{min(numbers):.{digits}f} .. {max(numbers):.{digits}f}{unit}"


def sparks(values: Sequence[float | None], columns: int) -> str:
    """Return values as small bars; with more values than columns a bar is a mean.

    A missing value is a space.
    """
    groups = _groups(values, columns)
    means = [sum(group) / len(group) if group else None for group in groups]
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
