"""Intervals of a measurement as a terminal shows them: a line each, and a plot at the end."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import click

from harness.cli.terminal import printable, shorten, wrapped
from harness.topdown.categories import category
from harness.topdown.tree import LEAST_TEXT
from topdown.slots.measurement import MeasuredNode, Measurement, Slice

_STEPS = "▁▂▃▄▅▆▇█"
_TIME = 10
_IPC = 7
_COLUMN = 11
_LONGEST_BAR = 40
_LEAST_BAR = 10
_LEAST_SPARKS = 8
MOST_COLUMNS = 4000


class IntervalLines:
    """Lines of intervals as they come; the first is headed by the names of its nodes."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._headed = False
        self._column = _COLUMN

    def lines(self, each: Slice, measurement: Measurement) -> Iterator[str]:
        """Yield the text of one interval: its end, IPC, shares of the first level, a bar."""
        roots = first_level(each.nodes)
        if not self._headed:
            self._headed = True
            self._column = self._width_of(roots)
            yield self._head(roots, measurement)
        ipc = "n/a" if each.ipc is None else f"{each.ipc.value:.2f}"
        text = f"{each.end_s:{_TIME - 2}.2f} s{ipc:>{_IPC}}"
        for node in roots:
            text += f"{_share(node, measurement.whole):>{self._column}}"
        room = self._width - len(text) - 2
        if room >= _LEAST_BAR:
            text += f"  {stacked(roots, measurement.whole, room)}"
        yield text.rstrip()

    def _width_of(self, roots: Sequence[MeasuredNode]) -> int:
        """Return the columns of a node: as many as the longest name takes, if a bar fits beside."""
        longest = max((len(node.name) for node in roots), default=0) + 4
        room = self._width - _TIME - _IPC - _LEAST_BAR - 2
        return max(_COLUMN, min(longest, room // max(1, len(roots))))

    def _head(self, roots: Sequence[MeasuredNode], measurement: Measurement) -> str:
        heads = (
            f"{category(node.name).fill} {shorten(printable(node.name), self._column - 3)}"
            for node in roots
        )
        names = "".join(f"{head:>{self._column}}" for head in heads)
        return f"{measurement.kind:<{_TIME}}{'IPC':>{_IPC}}{names}"


def first_level(nodes: Sequence[MeasuredNode]) -> list[MeasuredNode]:
    """Return the nodes of the first level."""
    return [node for node in nodes if node.level == 1]


def root_names(measurement: Measurement) -> list[str]:
    """Return the names of the first level's nodes, of all intervals together."""
    found = (node.name for each in measurement.slices for node in first_level(each.nodes))
    return list(dict.fromkeys(found))


def _share(node: MeasuredNode, whole: float) -> str:
    if node.value is None:
        return "n/a"
    return f"{node.value / whole * 100:.1f} %{'!' if node.impossible else ''}"


def stacked(roots: Sequence[MeasuredNode], whole: float, room: int) -> str:
    """Return a bar of the first level's shares side by side; one impossible has none."""
    room = min(room, _LONGEST_BAR)
    text, sum_before = "", 0.0
    for node in roots:
        if node.value is None or node.impossible:
            continue
        begin = round(min(1.0, sum_before) * room)
        sum_before += max(0.0, node.value / whole)
        cells = round(min(1.0, sum_before) * room) - begin
        look = category(node.name)
        text += click.style(look.fill * cells, fg=look.terminal) if cells else ""
    return text


def plot(measurement: Measurement, width: int) -> Iterator[str]:
    """Yield each first-level node and IPC over time as a line of small bars."""
    slices = measurement.slices
    if not slices:
        return
    names = root_names(measurement)
    room = max(len("IPC"), *map(len, names)) + 2 if names else 5
    columns = max(_LEAST_SPARKS, min(MOST_COLUMNS, width - room - 20))
    length = slices[-1].end_s - slices[0].start_s
    yield (
        f"over {length:.2f} s, {len(slices)} intervals, {measurement.kind}: "
        "bars from 0 to the greatest of each line"
    )
    for name in names:
        values = [percent_of(each, name, measurement.whole) for each in slices]
        yield f"{printable(name):<{room}}{sparks(values, columns)}  {_range(values, ' %', 1)}"
    ipc = [None if each.ipc is None else each.ipc.value for each in slices]
    if any(value is not None for value in ipc):
        yield f"{'IPC':<{room}}{sparks(ipc, columns)}  {_range(ipc, '', 2)}"


def doubts(measurement: Measurement, width: int) -> Iterator[str]:
    """Yield why first-level nodes have no possible value in some intervals: the first's reason."""
    found: dict[tuple[str, bool], list[tuple[Slice, MeasuredNode]]] = {}
    for each in measurement.slices:
        for node in first_level(each.nodes):
            if node.value is None or node.impossible:
                found.setdefault((node.name, node.impossible), []).append((each, node))
    for (name, impossible), places in found.items():
        first, node = places[0]
        why = node.warnings[0] if node.warnings else "no reason was given"
        head = "!" if impossible else "no value for"
        where = f"in {len(places)} of {len(measurement.slices)} intervals"
        text = f"{head} {name} {where}, first until {first.end_s:.2f} s: {why}"
        yield from wrapped(text, max(LEAST_TEXT, width), "  ")


def percent_of(each: Slice, name: str, whole: float) -> float | None:
    """Return a node's percent in one interval; None where it has none that can be."""
    for node in first_level(each.nodes):
        if node.name == name and node.value is not None and not node.impossible:
            return node.value / whole * 100
    return None


def _range(values: Sequence[float | None], unit: str, digits: int) -> str:
    known = [value for value in values if value is not None]
    if not known:
        return "n/a"
    return f"{min(known):.{digits}f} .. {max(known):.{digits}f}{unit}"


def sparks(values: Sequence[float | None], columns: int) -> str:
    """Return values as small bars, means of several where there are more than columns.

    A gap stays a space: missing is not zero.
    """
    groups = _groups(values, columns)
    means = [sum(known) / len(known) if known else None for known in groups]
    most = max((mean for mean in means if mean is not None), default=0.0)
    return "".join(
        " "
        if mean is None
        else _STEPS[max(0, min(7, round(mean / most * 7)))]
        if most > 0
        else _STEPS[0]
        for mean in means
    )


def _groups(values: Sequence[float | None], columns: int) -> list[list[float]]:
    """Return the known values of each column, in order."""
    count = min(len(values), columns)
    edges = [at * len(values) // count for at in range(count + 1)]
    return [
        [value for value in values[begin:end] if value is not None]
        for begin, end in pairwise(edges)
    ]
