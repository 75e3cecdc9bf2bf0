"""A tree of slots as text: heading, nodes, metrics, explanations and missing values."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import click

from harness.cli.terminal import pad, printable, shorten, wrapped
from harness.topdown.result import NodeRecord, Nodes, TopdownResult
from harness.topdown.tree_rows import RowStyle, rows
from stallscope.errors import RecordingError, UsageError
from topdown.slots.detection import model_named
from topdown.slots.explanations import explanation
from topdown.slots.measurement import COUNTS
from topdown.slots.model import Model

DEFAULT_LEVEL = 2
LABEL = 11  # columns before a heading's text
MIN_TEXT_WIDTH = 30
MAX_TEXT_CHARS = 1000  # a command line may have two megabytes
MAX_REPEATED_REASONS = 2  # a long reason of more counters is printed once
SHORT_REASON_CHARS = 40
MAX_NAMED_METRICS = 5  # without a value, beside the tree
UNVERIFIED = "unverified on this CPU: checked against published formulas only"


@dataclass(frozen=True, slots=True)
class TreeView:
    """The level and width of the text; level None is 2, and deeper below nodes above a threshold.

    ``origin`` is printed on each line, for example "measured"; empty prints nothing.
    """

    level: int | None
    width: int
    origin: str = ""


def lines(result: TopdownResult, view: TreeView) -> Iterator[str]:
    """Yield the lines of a result, wrapped to ``view.width`` columns."""
    nodes = shown_nodes(result, view.level)
    path = path_shown(result, view.level)
    yield click.style(printable(f"{result.cpu}  {result.title}".strip()), bold=True)
    yield from _heading(result, view)
    if nodes:
        yield ""
        style = RowStyle(result.whole, view.width, view.origin)
        yield from rows(nodes, frozenset(path), style)
    metrics = {
        name: node
        for name, node in result.nodes.items()
        if node.level is None and node.within(view.level)
    }
    yield from _metrics(metrics, model_of(result), view.origin)
    if path:
        yield from _explained(result, path[-1], view.width)
    yield from _warnings({**nodes, **metrics}, result.warnings, view.width)
    yield from _gaps(result, nodes, view.width)


def model_of(result: TopdownResult) -> Model | None:
    """Return the CPU's model, or None without one."""
    try:
        return model_named(result.cpu) if result.cpu else None
    except UsageError:
        return None


def shown_nodes(result: TopdownResult, level: int | None) -> dict[str, NodeRecord]:
    """Return nodes down to a level; None is 2, and deeper below nodes above a threshold."""
    nodes: dict[str, NodeRecord] = {}
    above = {name for name, node in result.nodes.items() if node.above_threshold}
    relevant = above.union(result.bottleneck or ())
    for name, node in result.nodes.items():
        if node.level is None or (node.parent is not None and node.parent not in nodes):
            continue
        is_relevant = level is None and node.parent in relevant
        if node.level <= (level or DEFAULT_LEVEL) or is_relevant:
            nodes[name] = node
    return nodes


def heading(result: TopdownResult, level: int | None = None) -> list[tuple[str, str]]:
    """Return the labels and texts of the heading."""
    texts = [("source", result.source)]
    if result.kind == "measured" and not result.verified:
        texts.append(("model", UNVERIFIED))
    texts.append(("IPC", ipc_text(result)))
    texts += [("caution", warning) for warning in result.warnings]
    if result.kind != "unavailable":
        texts.append(("interval", result.interval_label))
        texts.append(("bottleneck", _marked(result, path_shown(result, level))))
    return [*texts, *((fact.label, fact.text) for fact in result.facts)]


def path_shown(result: TopdownResult, level: int | None) -> tuple[str, ...]:
    """Return the marked path down to a level."""
    nodes = shown_nodes(result, level)
    return tuple(name for name in result.bottleneck or () if name in nodes)


def _heading(result: TopdownResult, view: TreeView) -> Iterator[str]:
    for label, text in heading(result, view.level):
        first, *others = wrapped(
            shorten(text, MAX_TEXT_CHARS), max(MIN_TEXT_WIDTH, view.width - LABEL)
        )
        yield f"{pad(printable(label), LABEL)}{first}"
        yield from (" " * LABEL + line for line in others)


def ipc_text(result: TopdownResult) -> str:
    """Return instructions per cycle as text, with its interval if there is one."""
    ipc = result.ipc
    if ipc is None:
        reason = "instructions or cycles were not counted"
        return "n/a" if result.kind == "unavailable" else f"n/a: {reason}"
    interval = ""
    if ipc.interval is not None:
        interval = f" [{ipc.interval.low:.2f}, {ipc.interval.high:.2f}]"
    modelled = ", modelled" if result.kind == "modelled" else ""
    return f"{ipc.value:.2f}{interval} instructions per cycle{modelled}"


def _marked(result: TopdownResult, path: tuple[str, ...]) -> str:
    """Return the marked path as text, or the reason without one."""
    why = result.bottleneck_why
    if result.bottleneck is None:
        return why if why.startswith("unknown") else f"none: {why}"
    return f"{' > '.join(path)} ({why})"


def _metrics(metrics: Nodes, model: Model | None, origin: str) -> Iterator[str]:
    """Yield the metrics with a value, by their vendor's groups."""
    groups: dict[str, dict[str, NodeRecord]] = {}
    for name, node in metrics.items():
        if node.value is not None:
            definition = model.nodes.get(name) if model is not None else None
            groups.setdefault(definition.group if definition else COUNTS, {})[name] = node
    for group, nodes in groups.items():
        yield ""
        yield printable(group.replace("_", " "))
        for name, node in nodes.items():
            sign = "!" if node.impossible else " "
            value = number_text(node.value, node.unit)
            text = f"  {pad(printable(name), 32)}{value:>12}{sign} {printable(node.unit)}"
            if node.interval is not None:
                ends = (
                    number_text(end, node.unit) for end in (node.interval.low, node.interval.high)
                )
                text += f"  [{', '.join(ends)}]"
            yield f"{text}  {origin}".rstrip()


def number_text(value: float | None, unit: str) -> str:
    """Return a metric's value: counts in full, other values with four digits."""
    if value is None:
        return "n/a"
    return f"{value:,.0f}" if unit == COUNTS else f"{value:.4g}"


def explained(result: TopdownResult, name: str) -> list[tuple[str, str]]:
    """Return a node's explanation, its remedy and the events to sample, as far as known."""
    texts = []
    try:
        text = explanation(name)
        texts = [(name, text.meaning), ("try", text.remedy)]
    except RecordingError:  # there is no explanation of this name
        pass
    model = model_of(result)
    node = model.nodes.get(name) if model is not None else None
    if node is not None and node.locate_with:
        texts.append(("locate", f"sample on {' or '.join(node.locate_with)}"))
    return texts


def _explained(result: TopdownResult, name: str, width: int) -> Iterator[str]:
    texts = explained(result, name)
    if texts:
        yield ""
    for label, text in texts:
        yield from wrapped(f"{label}: {text}", max(MIN_TEXT_WIDTH, width), "  ")


def nodes_by_warning(nodes: Nodes, general: Sequence[str] = ()) -> dict[str, list[str]]:
    """Return the names of nodes with a value by their warnings, without the general warnings."""
    by_text: dict[str, list[str]] = {}
    for name, node in nodes.items():
        for warning in node.warnings if node.value is not None else ():
            if warning not in general:
                by_text.setdefault(warning, []).append(name)
    return by_text


def _warnings(nodes: Nodes, general: Sequence[str], width: int) -> Iterator[str]:
    """Yield each warning once with its nodes, except the general ones in the heading."""
    by_text = nodes_by_warning(nodes, general)
    if by_text:
        yield ""
    for text, names in by_text.items():
        yield from wrapped(f"! {', '.join(names)}: {text}", max(MIN_TEXT_WIDTH, width), "  ")


def _gaps(result: TopdownResult, shown: Nodes, width: int) -> Iterator[str]:
    """Yield the nodes without a value, with the reasons."""
    absent = {name: node for name, node in result.nodes.items() if node.value is None}
    metrics = {name: node for name, node in absent.items() if node.level is None}
    missing = {name: node for name, node in absent.items() if name in shown}
    name_all = len(metrics) <= MAX_NAMED_METRICS
    missing |= {name: node for name, node in metrics.items() if name_all or node.unit == COUNTS}
    if absent:
        yield ""
    for text in gaps(missing):
        hanging = "    " if text.startswith(" ") else "  "
        yield from wrapped(text, max(MIN_TEXT_WIDTH, width), hanging)
    if others := len(absent) - len(missing):
        deeper = any(node.level is not None for name, node in absent.items() if name not in shown)
        deepest = max((node.level or 0 for node in result.nodes.values()), default=0)
        where = f"-l {deepest} or --json" if deeper else "--json"
        yield f"no value for {others} nodes that are not shown; {where} shows the reasons"


def gaps(missing: Nodes) -> Iterator[str]:
    """Yield the reasons of missing values; a reason for many counters is printed once."""
    by_reason: dict[str, dict[str, list[str]]] = {}
    for name, node in missing.items():
        warning = node.warnings[0] if node.warnings else "the reason is unknown"
        counters, _, reason = warning.partition(": ")
        by_reason.setdefault(reason, {}).setdefault(counters, []).append(name)
    for reason, by_counters in by_reason.items():
        if len(by_counters) > MAX_REPEATED_REASONS and len(reason) > SHORT_REASON_CHARS:
            yield f"no value, because {reason}:"
            for counters, names in by_counters.items():
                yield f"  {', '.join(names)}: {counters}"
        else:
            for counters, names in by_counters.items():
                yield f"no value for {', '.join(names)}: {counters}{reason and ': '}{reason}"
