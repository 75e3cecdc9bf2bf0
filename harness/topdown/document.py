"""Where slots went, for scripts: the JSON document and the CSV table of `stallscope topdown`."""

import csv
import io
from collections.abc import Iterable, Iterator

from topdown.slots.measurement import Interval, Ipc, Kind, MeasuredNode, Measurement, Slice

SCHEMA = "stallscope.topdown/1"
COLUMNS = (
    "start_s",
    "end_s",
    "cpu",
    "node",
    "value",
    "unit",
    "level",
    "parent",
    "above_threshold",
    "low",
    "high",
    "kind",
    "warnings",
)
IPC = "IPC"


def document(measurement: Measurement, level: int | None) -> dict[str, object]:
    """Return the JSON document; with a level, no node below it, nor metrics.

    Values are shares of 0..1, of 0..100 where ``whole`` says so; null where warnings say why.
    """
    return {
        "schema": SCHEMA,
        "cpu": measurement.cpu,
        "title": measurement.title,
        "source": measurement.source,
        "kind": str(measurement.kind),
        "verified": measurement.verified,
        "whole": measurement.whole,
        "ipc": _ipc(measurement.ipc),
        "nodes": _nodes(measurement.nodes, level, measurement.kind),
        "bottleneck": None if measurement.bottleneck is None else list(measurement.bottleneck),
        "bottleneck_why": measurement.bottleneck_why,
        "interval_label": measurement.interval_label,
        "intervals": [
            {
                "start_s": each.start_s,
                "end_s": each.end_s,
                "ipc": _ipc(each.ipc),
                "nodes": _nodes(each.nodes, level, measurement.kind),
            }
            for each in measurement.slices
        ],
        "facts": [{"label": label, "text": text} for label, text in measurement.facts],
        "warnings": list(measurement.warnings),
    }


def _ipc(ipc: Ipc | None) -> dict[str, object] | None:
    if ipc is None:
        return None
    return {
        "value": ipc.value,
        "instructions": ipc.instructions,
        "cycles": ipc.cycles,
        "interval": _interval(ipc.interval),
    }


def _interval(interval: Interval | None) -> dict[str, float] | None:
    return None if interval is None else {"low": interval.low, "high": interval.high}


def _nodes(nodes: Iterable[MeasuredNode], level: int | None, kind: Kind) -> dict[str, object]:
    return {
        node.name: {
            "value": node.value,
            "level": node.level,
            "parent": node.parent,
            "unit": node.unit,
            "above_threshold": node.above_threshold,
            "interval": _interval(node.interval),
            "impossible": node.impossible,
            "warnings": list(node.warnings),
            "kind": str(_kind(node, kind)),
        }
        for node in nodes
        if node.within(level)
    }


def _kind(node: MeasuredNode, kind: Kind) -> Kind:
    return Kind.UNAVAILABLE if node.value is None else kind


def table(measurement: Measurement, level: int | None) -> Iterator[str]:
    """Yield the CSV table's text: one line a node, of each interval where there are any.

    Empty cells are what is not known.
    """
    yield header()
    if measurement.slices:
        for each in measurement.slices:
            yield slice_rows(each, measurement, level)
    else:
        yield _rows(("", ""), measurement, measurement.nodes, measurement.ipc, level)


def header() -> str:
    """Return the table's first line."""
    return ",".join(COLUMNS) + "\n"


def slice_rows(each: Slice, measurement: Measurement, level: int | None) -> str:
    """Return one interval's lines of the table."""
    times = (f"{each.start_s:.6f}", f"{each.end_s:.6f}")
    return _rows(times, measurement, each.nodes, each.ipc, level)


def _rows(
    times: tuple[str, str],
    measurement: Measurement,
    nodes: Iterable[MeasuredNode],
    ipc: Ipc | None,
    level: int | None,
) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if ipc is not None:
        unit = "instructions per cycle"
        whole = MeasuredNode(IPC, None, None, ipc.value, unit, interval=ipc.interval)
        nodes = (whole, *nodes)
    for node in nodes:
        if not (node.within(level) or node.name == IPC):
            continue
        writer.writerow((*times, measurement.cpu, *_cells(node, measurement.kind)))
    return text.getvalue()


def _cells(node: MeasuredNode, kind: Kind) -> tuple[str, ...]:
    interval = node.interval
    return (
        node.name,
        "" if node.value is None else repr(node.value),
        node.unit,
        "" if node.level is None else str(node.level),
        node.parent or "",
        "" if node.above_threshold is None else str(node.above_threshold).lower(),
        "" if interval is None else repr(interval.low),
        "" if interval is None else repr(interval.high),
        str(_kind(node, kind)),
        "; ".join(node.warnings),
    )
