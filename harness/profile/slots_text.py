"""IPC, slots and counts by function as a table for the terminal."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import click

from harness.cli.terminal import percent, printable, shorten, width
from harness.profile.counted import MIN_SAME_SHARE
from topdown.slots.function_slots import MIN_SAMPLES, FunctionSlots, SlotsByFunction
from topdown.stacks.profile import Function

_MIN_NAME_WIDTH = 16
_MISSING = "\u2013"


def table(slots: SlotsByFunction, functions: Sequence[Function], top: int) -> list[str]:
    """Return the table's lines: a heading, one line per function, and the number of others."""
    plain = slots.cpu is None and slots.total.ipc is None
    heads, *rows = plain_rows(slots) if plain else slot_rows(slots)
    printed = rows[: top + 1]
    widths = [
        max(len(row.cells[column]) for row in (heads, *printed))
        for column in range(len(heads.cells))
    ]
    name_width = max(_MIN_NAME_WIDTH, width() - sum(widths) - 2 * len(widths))
    lines = []
    for row in (heads, *printed):
        name = row.name or printable(functions[row.index].name)
        cells = [cell.rjust(size) for cell, size in zip(row.cells, widths, strict=True)]
        lines.append("  ".join([*cells, shorten(name, name_width)]))
    lines[0] = click.style(lines[0], bold=True)
    rest = len(rows) - len(printed)
    return lines + ([f"and {rest:,} more functions"] if rest > 0 else [])


@dataclass(frozen=True, slots=True)
class CountRow:
    """A row of the table: its cells, and the function by index or a fixed name."""

    cells: tuple[str, ...]
    index: int = -1
    name: str = ""


def slot_rows(slots: SlotsByFunction) -> list[CountRow]:
    """Return heading, total and functions with IPC and shares of slots by their own samples."""
    names = [node.name for node in slots.total.nodes if node.level == 1]
    rows = [CountRow(("samples", "IPC", *map(title, names)), name="function")]
    for function in (slots.total, *slots.functions):
        values = (ipc_text(function), *(_share(slots, function, name) for name in names))
        if function.few:
            values = (f"< {MIN_SAMPLES} samples", *("" for _ in names))
        name = "all" if function.index < 0 else ""
        cells = (f"{blend_mark(function)}{function.samples:,}", *values)
        rows.append(CountRow(cells, function.index, name))
    return rows


def plain_rows(slots: SlotsByFunction) -> list[CountRow]:
    """Return heading, total and functions with each event's count: self, and with callees.

    Functions are sorted by the total of the first event that is not the sampled one.
    """
    events = [name for name in slots.events if name != slots.sampled] or [slots.sampled]
    heads = [text for name in events for text in (printable(name)[:24], "total")]
    rows = [CountRow(("samples", *heads), name="function")]
    totals = tuple(f"{slots.total.counts[name]:,.0f}" for name in events for _ in (0, 1))
    rows.append(CountRow((f"{slots.total.samples:,}", *totals), name="all"))
    own_counts = {function.index: function for function in slots.functions}
    for called in sorted(slots.called, key=lambda function: -function.counts[events[0]]):
        own = own_counts.get(called.index) or FunctionSlots.nothing(called.index, events)
        counts = [f"{values.counts[name]:,.0f}" for name in events for values in (own, called)]
        rows.append(CountRow((f"{blend_mark(own)}{own.samples:,}", *counts), called.index))
    return rows


def blend_mark(function: FunctionSlots) -> str:
    """Return "~" if most of a function's counts are blended with those of others."""
    return "~" if function.same_share < MIN_SAME_SHARE else ""


def ipc_text(function: FunctionSlots) -> str:
    """Return a function's IPC with half the width of its interval."""
    if function.ipc is None:
        return _MISSING
    if function.ipc.interval is None:
        return f"{function.ipc.value:.2f}"
    half = (function.ipc.interval.high - function.ipc.interval.low) / 2
    return f"{function.ipc.value:.2f} \u00b1{half:.2f}"


def _share(slots: SlotsByFunction, function: FunctionSlots, name: str) -> str:
    node = function.node(name)
    if node is None or node.value is None:
        return _MISSING
    mark = "!" if node.impossible else "*" if node.name == function.dominating else ""
    return f"{mark}{percent(node.value / slots.whole)}"


_SHORT_NAMES: Mapping[str, str] = {
    "frontend_bound": "frontend",
    "backend_bound": "backend",
    "bad_speculation": "bad spec",
    "retiring": "retiring",
    "smt_contention": "SMT",
    "frontend_stalled_cycles": "fe stalled",
    "backend_stalled_cycles": "be stalled",
}


def title(node: str) -> str:
    """Return a short name of a level-1 node."""
    return _SHORT_NAMES.get(node.lower(), node.lower()[:10])
