"""The CSV table of `stallscope topdown`."""

import csv
import io
from collections.abc import Iterator

from harness.topdown.result import IpcRecord, NodeRecord, Nodes, TopdownResult

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


def table(result: TopdownResult) -> Iterator[str]:
    """Yield the text of the table: one line per node, or per interval and node.

    The cells of unknown values are empty.
    """
    yield ",".join(COLUMNS) + "\n"
    for time_slice in result.intervals:
        times = (f"{time_slice.start_s:.6f}", f"{time_slice.end_s:.6f}")
        yield _lines((*times, result.cpu), time_slice.nodes, _ipc_node(time_slice.ipc, result))
    if not result.intervals:
        yield _lines(("", "", result.cpu), result.nodes, _ipc_node(result.ipc, result))


def _lines(first_cells: tuple[str, str, str], nodes: Nodes, ipc: NodeRecord | None) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if ipc is not None:
        writer.writerow((*first_cells, *_cells(IPC, ipc)))
    for name, node in nodes.items():
        writer.writerow((*first_cells, *_cells(name, node)))
    return text.getvalue()


def _ipc_node(ipc: IpcRecord | None, result: TopdownResult) -> NodeRecord | None:
    if ipc is None:
        return None
    return NodeRecord(
        value=ipc.value,
        level=None,
        parent=None,
        unit="instructions per cycle",
        above_threshold=None,
        interval=ipc.interval,
        impossible=False,
        warnings=(),
        kind=result.kind,
    )


def _cells(name: str, node: NodeRecord) -> tuple[str, ...]:
    interval = node.interval
    return (
        name,
        "" if node.value is None else repr(node.value),
        node.unit,
        "" if node.level is None else str(node.level),
        node.parent or "",
        "" if node.above_threshold is None else str(node.above_threshold).lower(),
        "" if interval is None else repr(interval.low),
        "" if interval is None else repr(interval.high),
        node.kind,
        "; ".join(node.warnings),
    )
