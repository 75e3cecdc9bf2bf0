"""The CSV table of `stallscope topdown`."""

import csv
import io
from collections.abc import Iterable, Iterator

from harness.topdown.result import node_kind
from topdown.slots.measurement import Ipc, Kind, MeasuredNode, Measurement

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


def table(measurement: Measurement, level: int | None) -> Iterator[str]:
    """Yield the text of the table: one line per node, or per interval and node.

    The cells of unknown values are empty.
    """
    yield ",".join(COLUMNS) + "\n"
    for part in measurement.slices:
        times = (f"{part.start_s:.6f}", f"{part.end_s:.6f}")
        yield _lines(times, measurement, part.nodes, part.ipc, level)
    if not measurement.slices:
        yield _lines(("", ""), measurement, measurement.nodes, measurement.ipc, level)


def _lines(
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
        ipc_node = MeasuredNode(IPC, None, None, ipc.value, unit, interval=ipc.interval)
        nodes = (ipc_node, *nodes)
    for node in nodes:
        if node.within(level) or node.name == IPC:
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
        str(node_kind(node, kind)),
        "; ".join(node.warnings),
    )
