"""A tree of slots as text: heading, nodes, metrics, explanations and missing values."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import click

from harness.cli.terminal import printable, shorten, wrapped
from harness.topdown.tree_rows import RowStyle, rows
from stallscope.errors import RecordingError, UsageError
from topdown.slots.detection import model_named
from topdown.slots.explanations import explanation
from topdown.slots.measurement import COUNTS, Kind, MeasuredNode, Measurement
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


def lines(measurement: Measurement, view: TreeView) -> Iterator[str]:
    """Yield the lines of a measurement, wrapped to ``view.width`` columns."""
    shown = shown_nodes(measurement, view.level)
    path = path_shown(measurement, view.level)
    yield click.style(printable(f"{measurement.cpu}  {measurement.title}".strip()), bold=True)
    yield from _heading(measurement, view)
    if shown:
        yield ""
        style = RowStyle(measurement.whole, view.width, view.origin)
        yield from rows(shown, frozenset(path), style)
    beside = [node for node in measurement.nodes if node.level is None and node.within(view.level)]
    yield from _metrics(beside, model_of(measurement), view.origin)
    if path:
        yield from _explained(measurement, path[-1], view.width)
    yield from _warnings([*shown, *beside], measurement.warnings, view.width)
    yield from _gaps(measurement, shown, view.width)


def model_of(measurement: Measurement) -> Model | None:
    """Return the CPU's model, or None without one."""
    try:
        return model_named(measurement.cpu) if measurement.cpu else None
    except UsageError:
        return None


def shown_nodes(measurement: Measurement, level: int | None) -> tuple[MeasuredNode, ...]:
    """Return nodes down to a level; None is 2, and deeper below nodes above a threshold."""
    names: set[str] = set()
    above = {node.name for node in measurement.nodes if node.above_threshold}
    marked = set(measurement.bottleneck or ())
    for node in measurement.nodes:
        if node.level is None or (node.parent is not None and node.parent not in names):
            continue
        is_relevant = level is None and node.parent in above | marked
        if node.level <= (level or DEFAULT_LEVEL) or is_relevant:
            names.add(node.name)
    return tuple(node for node in measurement.nodes if node.name in names)


def heading(measurement: Measurement, level: int | None = None) -> list[tuple[str, str]]:
    """Return the labels and texts of the heading."""
    texts = [("source", measurement.source)]
    if measurement.kind is Kind.MEASURED and not measurement.verified:
        texts.append(("model", UNVERIFIED))
    texts.append(("IPC", ipc_text(measurement)))
    texts += [("caution", warning) for warning in measurement.warnings]
    if measurement.kind is not Kind.UNAVAILABLE:
        texts.append(("interval", measurement.interval_label))
        texts.append(("bottleneck", _marked(measurement, path_shown(measurement, level))))
    return [*texts, *measurement.facts]


def path_shown(measurement: Measurement, level: int | None) -> tuple[str, ...]:
    """Return the marked path down to a level."""
    names = {node.name for node in shown_nodes(measurement, level)}
    return tuple(name for name in measurement.bottleneck or () if name in names)


def _heading(measurement: Measurement, view: TreeView) -> Iterator[str]:
    for label, text in heading(measurement, view.level):
        first, *others = wrapped(
            shorten(text, MAX_TEXT_CHARS), max(MIN_TEXT_WIDTH, view.width - LABEL)
        )
        yield f"{printable(label):<{LABEL}}{first}"
        yield from (" " * LABEL + line for line in others)


def ipc_text(measurement: Measurement) -> str:
    """Return instructions per cycle as text, with its interval if there is one."""
    ipc = measurement.ipc
    if ipc is None:
        reason = "instructions or cycles were not counted"
        return "n/a" if measurement.kind is Kind.UNAVAILABLE else f"n/a: {reason}"
    interval = ""
    if ipc.interval is not None:
        interval = f" [{ipc.interval.low:.2f}, {ipc.interval.high:.2f}]"
    modelled = ", modelled" if measurement.kind is Kind.MODELLED else ""
    return f"{ipc.value:.2f}{interval} instructions per cycle{modelled}"


def _marked(measurement: Measurement, path: tuple[str, ...]) -> str:
    """Return the marked path as text, or the reason without one."""
    why = measurement.bottleneck_why
    if measurement.bottleneck is None:
        return why if why.startswith("unknown") else f"none: {why}"
    return f"{' > '.join(path)} ({why})"


def _metrics(beside: Iterable[MeasuredNode], model: Model | None, origin: str) -> Iterator[str]:
    """Yield the metrics with a value, by their vendor's groups."""
    groups: dict[str, list[MeasuredNode]] = {}
    for node in beside:
        if node.value is not None:
            known = model.nodes.get(node.name) if model is not None else None
            groups.setdefault(known.group if known else COUNTS, []).append(node)
    for group, nodes in groups.items():
        yield ""
        yield printable(group.replace("_", " "))
        for node in nodes:
            sign = "!" if node.impossible else " "
            value = number_text(node.value, node.unit)
            text = f"  {printable(node.name):<32}{value:>12}{sign} {node.unit}"
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


def explained(measurement: Measurement, name: str) -> list[tuple[str, str]]:
    """Return a node's explanation, its remedy and the events to sample, as far as known."""
    texts = []
    try:
        text = explanation(name)
        texts = [(name, text.what), ("try", text.remedy)]
    except RecordingError:  # there is no explanation of this name
        pass
    model = model_of(measurement)
    node = model.nodes.get(name) if model is not None else None
    if node is not None and node.locate_with:
        texts.append(("locate", f"sample on {' or '.join(node.locate_with)}"))
    return texts


def _explained(measurement: Measurement, name: str, width: int) -> Iterator[str]:
    texts = explained(measurement, name)
    if texts:
        yield ""
    for label, text in texts:
        yield from wrapped(f"{label}: {text}", max(MIN_TEXT_WIDTH, width), "  ")


def _warnings(shown: Sequence[MeasuredNode], general: Sequence[str], width: int) -> Iterator[str]:
    """Yield each warning once with its nodes, except the general ones in the heading."""
    by_text: dict[str, list[str]] = {}
    for node in shown:
        for warning in node.warnings if node.value is not None else ():
            if warning in general:
                continue
            by_text.setdefault(warning, []).append(node.name)
    if by_text:
        yield ""
    for text, names in by_text.items():
        yield from wrapped(f"! {', '.join(names)}: {text}", max(MIN_TEXT_WIDTH, width), "  ")


def _gaps(measurement: Measurement, shown: Sequence[MeasuredNode], width: int) -> Iterator[str]:
    """Yield the nodes without a value, with the reasons."""
    absent = [node for node in measurement.nodes if node.value is None]
    metrics = [node for node in absent if node.level is None]
    names = {node.name for node in shown}
    missing = [node for node in absent if node.name in names]
    name_all = len(metrics) <= MAX_NAMED_METRICS
    missing += [node for node in metrics if name_all or node.unit == COUNTS]
    if absent:
        yield ""
    for text in gaps(missing):
        hanging = "    " if text.startswith(" ") else "  "
        yield from wrapped(text, max(MIN_TEXT_WIDTH, width), hanging)
    if others := len(absent) - len(missing):
        deeper = any(node.level is not None for node in absent if node.name not in names)
        deepest = max((node.level or 0 for node in measurement.nodes), default=0)
        where = f"-l {deepest} or --json" if deeper else "--json"
        yield f"no value for {others} nodes that are not shown; {where} shows the reasons"


def gaps(missing: Iterable[MeasuredNode]) -> Iterator[str]:
    """Yield the reasons of missing values; a reason for many counters is printed once."""
    by_reason: dict[str, dict[str, list[str]]] = {}
    for node in missing:
        warning = node.warnings[0] if node.warnings else "the reason is unknown"
        counters, _, reason = warning.partition(": ")
        by_reason.setdefault(reason, {}).setdefault(counters, []).append(node.name)
    for reason, by_counters in by_reason.items():
        if len(by_counters) > MAX_REPEATED_REASONS and len(reason) > SHORT_REASON_CHARS:
            yield f"no value, because {reason}:"
            for counters, names in by_counters.items():
                yield f"  {', '.join(names)}: {counters}"
        else:
            for counters, names in by_counters.items():
                yield f"no value for {', '.join(names)}: {counters}{reason and ': '}{reason}"
