"""The panel "CPU slots" of a page: the tree of a result, over time and by node."""

from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup

from harness.page.document import fragment
from harness.topdown.categories import category
from harness.topdown.interval_text import share_text
from harness.topdown.result import NodeRecord, Nodes, TopdownResult, first_level
from harness.topdown.styles import FOLDER
from harness.topdown.text import (
    explained,
    gaps,
    heading,
    nodes_by_warning,
    number_text,
    shown_nodes,
)
from harness.topdown.time_panel import stacked_time
from harness.topdown.tree_rows import interval_text

_MAX_DEPTH_CLASS = 6


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of the tree; ``percent`` is the length of its bar."""

    name: str
    depth: int
    marked: bool
    share_text: str
    percent: float
    category: str
    interval: str
    unit: str
    kind: str


@dataclass(frozen=True, slots=True)
class _Part:
    """A category of the first level: its bar in percent of all slots, and its legend."""

    name: str
    category: str
    share_text: str
    start: float
    width: float
    drawn: bool


@dataclass(frozen=True, slots=True)
class _Metric:
    """A metric beside the tree, or a requested event."""

    name: str
    value_text: str
    unit: str


def slots_panel(result: TopdownResult) -> Markup:
    """Return the panel's markup: heading, first level, intervals over time, tree, warnings."""
    nodes = shown_nodes(result, None)
    tree = {name: node for name, node in result.nodes.items() if node.level is not None}
    has_intervals = any(node.interval for node in result.nodes.values())
    return fragment(
        f"{FOLDER}/panel.html",
        kind=result.kind,
        facts=heading(result),
        whole=list(_whole(result)),
        time=stacked_time(result),
        interval_head="Interval" if has_intervals else "",
        tree_rows=list(_rows(result, nodes)),
        explanation=explained(result, result.bottleneck[-1]) if result.bottleneck else [],
        warnings=list(_warnings(result, nodes)),
        all_rows=list(_rows(result, tree)) if len(tree) > len(nodes) else [],
        metrics=list(_metrics(result)),
    )


def _percent(node: NodeRecord, whole: float) -> float:
    """Return a node's share for a bar, in 0..100; 0 without a possible value."""
    return 100 * min(max(0.0, (node.possible or 0.0) / whole), 1.0)


def _whole(result: TopdownResult) -> Iterator[_Part]:
    """Yield the first level as a stacked bar with its legend, which includes missing values."""
    start = 0.0
    for name, node in first_level(result.nodes).items():
        width = _percent(node, result.whole)
        text = share_text(node, result.whole)
        drawn = node.possible is not None
        yield _Part(name, category(name).key, text, start, width, drawn)
        start += width


def _rows(result: TopdownResult, nodes: Nodes) -> Iterator[_Row]:
    marked = set(result.bottleneck or ())
    for name, node in nodes.items():
        yield _Row(
            name=name,
            depth=min(node.level or 1, _MAX_DEPTH_CLASS),
            marked=name in marked,
            share_text=share_text(node, result.whole),
            percent=_percent(node, result.whole),
            category=category(_root(name, result.nodes)).key,
            interval=interval_text(node.interval, result.whole),
            unit=node.unit,
            kind=node.kind,
        )


def _root(name: str, nodes: Nodes) -> str:
    """Return the name of a node's first-level ancestor."""
    for _ in nodes:
        parent = nodes[name].parent if name in nodes else None
        if parent is None:
            break
        name = parent
    return name


def _warnings(result: TopdownResult, shown: Nodes) -> Iterator[str]:
    """Yield each warning once with its nodes, and the reasons of missing values."""
    metrics = {name: node for name, node in result.nodes.items() if node.level is None}
    for text, names in nodes_by_warning({**shown, **metrics}).items():
        yield f"{', '.join(names)}: {text}"
    yield from gaps({name: node for name, node in shown.items() if node.value is None})


def _metrics(result: TopdownResult) -> Iterator[_Metric]:
    for name, node in result.nodes.items():
        if node.level is None and node.value is not None:
            mark = "!" if node.impossible else ""
            yield _Metric(name, f"{number_text(node.value, node.unit)}{mark}", node.unit)
