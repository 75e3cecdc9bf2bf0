"""A tree of slots for people: what each number rests on, what is marked, what has no value."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import click

from harness.cli.terminal import printable, shorten, wrapped
from harness.topdown.rows import Look, rows
from stallscope.errors import RecordingError, UsageError
from topdown.slots.detection import model_named
from topdown.slots.explanations import explanation
from topdown.slots.measurement import COUNTS, Kind, MeasuredNode, Measurement
from topdown.slots.model import Model

DEFAULT_LEVEL = 2
LABEL = 11  # columns before a heading's text
LEAST_TEXT = 30
LONGEST_TEXT = 1000  # a command line may be two megabytes
FEW_REASONS = 2  # from here on a long reason is said once, and below it what it is of
SHORT_REASON = 40
FEW_METRICS = 5  # beside the tree and without a value that are named
UNVERIFIED = "unverified on this CPU: held to published formulas, not to a real one"


@dataclass(frozen=True, slots=True)
class View:
    """How much is shown: down to ``level`` (None: 2, and further where it matters), and how wide.

    ``origin`` is said on each line: "measured", "modelled"; empty where the heading says enough.
    """

    level: int | None
    width: int
    origin: str = ""


def lines(measurement: Measurement, view: View) -> Iterator[str]:
    """Yield the text of one measurement, at most ``view.width`` columns where words allow."""
    shown = shown_nodes(measurement, view.level)
    path = path_shown(measurement, view.level)
    yield click.style(printable(f"{measurement.cpu}  {measurement.title}".strip()), bold=True)
    yield from _heading(measurement, view)
    if shown:
        yield ""
        look = Look(measurement.whole, view.width, view.origin)
        yield from rows(shown, frozenset(path), look)
    beside = [node for node in measurement.nodes if node.level is None and node.within(view.level)]
    yield from _metrics(beside, model_of(measurement), view.origin)
    if path:
        yield from _explained(measurement, path[-1], view.width)
    yield from _doubts([*shown, *beside], measurement.warnings, view.width)
    yield from _gaps(measurement, shown, view.width)


def model_of(measurement: Measurement) -> Model | None:
    """Return the CPU's model; None where it has none, as a modelled CPU may."""
    try:
        return model_named(measurement.cpu) if measurement.cpu else None
    except UsageError:
        return None


def shown_nodes(measurement: Measurement, level: int | None) -> tuple[MeasuredNode, ...]:
    """Return the tree's nodes down to a level; without one 2, and below what is above threshold."""
    names: set[str] = set()
    above = {node.name for node in measurement.nodes if node.above_threshold}
    marked = set(measurement.bottleneck or ())
    for node in measurement.nodes:
        if node.level is None or (node.parent is not None and node.parent not in names):
            continue
        matters = level is None and node.parent in above | marked
        if node.level <= (level or DEFAULT_LEVEL) or matters:
            names.add(node.name)
    return tuple(node for node in measurement.nodes if node.name in names)


def heading(measurement: Measurement, level: int | None = None) -> list[tuple[str, str]]:
    """Return label and text of all that the numbers rest on, in the order in which it is told."""
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
    """Return the marked path as far as a level shows it."""
    names = {node.name for node in shown_nodes(measurement, level)}
    return tuple(name for name in measurement.bottleneck or () if name in names)


def _heading(measurement: Measurement, view: View) -> Iterator[str]:
    for label, text in heading(measurement, view.level):
        first, *others = wrapped(shorten(text, LONGEST_TEXT), max(LEAST_TEXT, view.width - LABEL))
        yield f"{printable(label):<{LABEL}}{first}"
        yield from (" " * LABEL + line for line in others)


def ipc_text(measurement: Measurement) -> str:
    """Return instructions per cycle in words, with its interval where there is one."""
    ipc = measurement.ipc
    if ipc is None:
        unknown = "instructions or cycles are not in the counts"
        return "n/a" if measurement.kind is Kind.UNAVAILABLE else f"n/a: {unknown}"
    between = ""
    if ipc.interval is not None:
        between = f" [{ipc.interval.low:.2f}, {ipc.interval.high:.2f}]"
    modelled = ", modelled" if measurement.kind is Kind.MODELLED else ""
    return f"{ipc.value:.2f}{between} instructions per cycle{modelled}"


def _marked(measurement: Measurement, path: tuple[str, ...]) -> str:
    """Return the marked path in words, or why none is marked."""
    why = measurement.bottleneck_why
    if measurement.bottleneck is None:
        return why if why.startswith("unknown") else f"none: {why}"
    return f"{' > '.join(path)} ({why})"


def _metrics(beside: Iterable[MeasuredNode], model: Model | None, origin: str) -> Iterator[str]:
    """Yield the metrics beside the tree that have a value, by their vendor's groups."""
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
    """Return a metric's value: counts in full, all else with four digits."""
    if value is None:
        return "n/a"
    return f"{value:,.0f}" if unit == COUNTS else f"{value:.4g}"


def explained(measurement: Measurement, name: str) -> list[tuple[str, str]]:
    """Return what a node is, what to try, and what to sample for its place, as far as known."""
    texts = []
    try:
        told = explanation(name)
        texts = [(name, told.what), ("try", told.remedy)]
    except RecordingError:  # of a name that no text is kept for
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
        yield from wrapped(f"{label}: {text}", max(LEAST_TEXT, width), "  ")


def _doubts(shown: Sequence[MeasuredNode], told: Sequence[str], width: int) -> Iterator[str]:
    """Yield what to doubt: each warning once, with the nodes it is of; not what was told of all."""
    by_text: dict[str, list[str]] = {}
    for node in shown:
        for warning in node.warnings if node.value is not None else ():
            if warning in told:
                continue
            by_text.setdefault(warning, []).append(node.name)
    if by_text:
        yield ""
    for text, names in by_text.items():
        yield from wrapped(f"! {', '.join(names)}: {text}", max(LEAST_TEXT, width), "  ")


def _gaps(measurement: Measurement, shown: Sequence[MeasuredNode], width: int) -> Iterator[str]:
    """Yield which nodes have no value, and why: the missing counters by name."""
    absent = [node for node in measurement.nodes if node.value is None]
    metrics = [node for node in absent if node.level is None]
    names = {node.name for node in shown}
    missing = [node for node in absent if node.name in names]
    few = len(metrics) <= FEW_METRICS
    missing += [node for node in metrics if few or node.unit == COUNTS]
    if absent:
        yield ""
    for text in gaps(missing):
        hanging = "    " if text.startswith(" ") else "  "
        yield from wrapped(text, max(LEAST_TEXT, width), hanging)
    if others := len(absent) - len(missing):
        deeper = any(node.level is not None for node in absent if node.name not in names)
        deepest = max((node.level or 0 for node in measurement.nodes), default=0)
        where = f"-l {deepest} or --json" if deeper else "--json"
        yield f"no value for {others} nodes that are not shown: {where} says why"


def gaps(missing: Iterable[MeasuredNode]) -> Iterator[str]:
    """Yield why nodes have no value; of one reason for many counters, the reason once."""
    by_reason: dict[str, dict[str, list[str]]] = {}
    for node in missing:
        told = node.warnings[0] if node.warnings else "no reason was given"
        counters, _, reason = told.partition(": ")
        by_reason.setdefault(reason, {}).setdefault(counters, []).append(node.name)
    for reason, by_counters in by_reason.items():
        if len(by_counters) > FEW_REASONS and len(reason) > SHORT_REASON:
            yield f"no value, because {reason}:"
            for counters, names in by_counters.items():
                yield f"  {', '.join(names)}: {counters}"
        else:
            for counters, names in by_counters.items():
                yield f"no value for {', '.join(names)}: {counters}{reason and ': '}{reason}"
