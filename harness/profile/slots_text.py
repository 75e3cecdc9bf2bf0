"""IPC, slots and counts by function: the table for people and the part of the document."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import click

from harness.cli.terminal import percent, printable, shorten, width
from topdown.slots.function_slots import MIN_SAMPLES, FunctionSlots, SlotsByFunction
from topdown.slots.measurement import Interval, MeasuredNode
from topdown.stacks.profile import Function

INTERVAL_LABEL = "95 % across samples (jackknife of ten groups)"
# Below, more of a function's counts lie between its samples and others' than between its own.
LEAST_SAME_SHARE = 0.5
TELLING_GAP_SHARE = 0.01
_NARROWEST_NAME = 16
Functions = Sequence[Function]


def document(found: SlotsByFunction | None, functions: Functions) -> dict[str, object] | None:
    """Return what a JSON document says of counts by function; None if nothing was counted.

    Shares are 0..1, nodes in the model's unit; null is what is not known.
    """
    if found is None:
        return None
    return {
        "kind": "measured",
        "events": list(found.events),
        "cpu": found.cpu,
        "interval_label": INTERVAL_LABEL,
        "running_share": found.running,
        "gap_share": found.gap_share,
        "left_out": {
            "unread": found.left_out.unread,
            "first": found.left_out.first,
            "gap": found.left_out.gap,
            "reset": found.left_out.reset,
        },
        "total": _values(found.total),
        "functions": [_function(found, functions, index) for index in _indexes(found)],
        "warnings": cautions(found),
    }


def _indexes(found: SlotsByFunction) -> list[int]:
    """Return all functions, those with most counts of their own first."""
    own = [each.index for each in found.functions]
    return list(dict.fromkeys([*own, *(each.index for each in found.called)]))


def _of(functions: Sequence[FunctionSlots], index: int) -> FunctionSlots | None:
    return next((each for each in functions if each.index == index), None)


def _function(found: SlotsByFunction, functions: Functions, index: int) -> dict[str, object]:
    own, called = _of(found.functions, index), _of(found.called, index)
    return {
        "name": functions[index].name,
        "module": functions[index].module,
        **_values(own or FunctionSlots.nothing(index, found.events)),
        "total_samples": None if called is None else called.samples,
        "total_counts": None if called is None else dict(called.counts),
    }


def _values(each: FunctionSlots) -> dict[str, object]:
    return {
        "samples": each.samples,
        "too_few": each.few,
        "counts": dict(each.counts),
        "same_share": each.same_share if math.isfinite(each.same_share) else None,
        "ipc": None
        if each.ipc is None
        else {"value": each.ipc.value, "interval": _ends(each.ipc.interval)},
        "nodes": {node.name: _node(node) for node in each.nodes},
        "dominating": each.dominating,
    }


def _node(node: MeasuredNode) -> dict[str, object]:
    return {
        "value": node.value,
        "level": node.level,
        "parent": node.parent,
        "above_threshold": node.above_threshold,
        "interval": _ends(node.interval),
        "warnings": list(node.warnings),
    }


def _ends(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [interval.low, interval.high]


def cautions(found: SlotsByFunction) -> list[str]:
    """Return what a reader of counts by function must know."""
    told = []
    if found.running < 1 - TELLING_GAP_SHARE:
        told.append(
            f"The group of events was counted for {percent(found.running)} of the time of some "
            "thread or CPU, as others use its counters too: counts are scaled up."
        )
    if found.gap_share > TELLING_GAP_SHARE:
        told.append(
            f"{percent(found.gap_share)} of the counts lie where samples are missing (lost, late, "
            "or the first of a thread): they are given to no function."
        )
    if found.left_out.unread or found.left_out.reset:
        number = found.left_out.unread + found.left_out.reset
        told.append(f"{number:,} samples hold no counts of the whole group, or went backwards.")
    blended = [
        each for each in found.functions if not each.few and each.same_share < LEAST_SAME_SHARE
    ]
    if blended:
        told.append(
            f"Functions marked ~ ({len(blended)}) run for less than a sampling interval at a time: "
            "their counts are blended with those of what runs next to them. Sample more often "
            "(-F, -c) to tell them apart."
        )
    return told


def table(found: SlotsByFunction, functions: Functions, top: int) -> list[str]:
    """Return the table's lines: a heading, one line a function, and how many more there are."""
    plain = found.cpu is None and found.total.ipc is None
    rows = plain_rows(found) if plain else slot_rows(found)
    heads, *body = rows
    shown = body[: top + 1]
    cells = [row.cells for row in (heads, *shown)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(heads.cells))]
    room = max(_NARROWEST_NAME, width() - sum(widths) - 2 * len(widths))
    lines = []
    for row in (heads, *shown):
        name = row.name or printable(functions[row.index].name)
        padded = [cell.rjust(size) for cell, size in zip(row.cells, widths, strict=True)]
        lines.append("  ".join([*padded, shorten(name, room)]))
    lines[0] = click.style(lines[0], bold=True)
    rest = len(body) - len(shown)
    return lines + ([f"and {rest:,} more functions"] if rest > 0 else [])


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table: its cells, and the function it is about, or another name."""

    cells: tuple[str, ...]
    index: int = -1
    name: str = ""


def slot_rows(found: SlotsByFunction) -> list[Row]:
    """Return heading, whole and functions with IPC and shares of slots, of their own samples."""
    top = [node.name for node in found.total.nodes if node.level == 1]
    rows = [Row(("samples", "IPC", *map(title, top)), name="function")]
    for each in (found.total, *found.functions):
        mark = "~" if each.same_share < LEAST_SAME_SHARE else ""
        values = (ipc_text(each), *(_share(found, each, name) for name in top))
        if each.few:
            values = (f"< {MIN_SAMPLES} samples", *("" for _ in top))
        name = "all" if each.index < 0 else ""
        rows.append(Row((f"{mark}{each.samples:,}", *values), each.index, name))
    return rows


def plain_rows(found: SlotsByFunction) -> list[Row]:
    """Return heading, whole and functions with each event's count: self, and with what they called.

    The function that has most of the first event that does not sample comes first.
    """
    events = [name for name in found.events if name != found.sampled] or [found.sampled]
    heads = [text for name in events for text in (printable(name)[:24], "total")]
    rows = [Row(("samples", *heads), name="function")]
    whole = tuple(f"{found.total.counts[name]:,.0f}" for name in events for _ in (0, 1))
    rows.append(Row((f"{found.total.samples:,}", *whole), name="all"))
    for called in sorted(found.called, key=lambda each: -each.counts[events[0]]):
        own = _of(found.functions, called.index) or FunctionSlots.nothing(called.index, events)
        counts = [f"{each.counts[name]:,.0f}" for name in events for each in (own, called)]
        mark = "~" if own.same_share < LEAST_SAME_SHARE else ""
        rows.append(Row((f"{mark}{own.samples:,}", *counts), called.index))
    return rows


def ipc_text(each: FunctionSlots) -> str:
    """Return a function's IPC with its reach."""
    if each.ipc is None:
        return "\u2013"
    if each.ipc.interval is None:
        return f"{each.ipc.value:.2f}"
    reach = (each.ipc.interval.high - each.ipc.interval.low) / 2
    return f"{each.ipc.value:.2f} \u00b1{reach:.2f}"


def _share(found: SlotsByFunction, each: FunctionSlots, name: str) -> str:
    node = each.node(name)
    if node is None or node.value is None:
        return "\u2013"
    mark = "!" if node.impossible else "*" if node.name == each.dominating else ""
    return f"{mark}{percent(node.value / found.whole)}"


_SHORT: Mapping[str, str] = {
    "frontend_bound": "frontend",
    "backend_bound": "backend",
    "bad_speculation": "bad spec",
    "retiring": "retiring",
    "smt_contention": "SMT",
    "frontend_stalled_cycles": "fe stalled",
    "backend_stalled_cycles": "be stalled",
}


def title(node: str) -> str:
    """Return a level-1 node's name where there is little room."""
    return _SHORT.get(node.lower(), node.lower()[:10])
