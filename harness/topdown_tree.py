"""A tree of slots for people: bars, what is marked and why, what has no value and why."""

from collections.abc import Iterator

import click

from harness.terminal import printable, wrapped
from topdown.slots.counts import Reading
from topdown.slots.evaluation import NodeValue, Tree
from topdown.slots.explanations import explanation
from topdown.slots.marking import path_by_thresholds, publishes_thresholds

DEFAULT_LEVEL = 2
LABEL = 11  # columns before a heading's text
LONGEST_BAR = 40
MOST_UNKNOWN = 5
MARK = "<=="
_UNIT_WORDS = {
    "Slots": "slots",
    "Clocks": "cycles",
    "Stalls": "cycles",
    "Core": "core cycles",
    "Uops": "operations",
}


def lines(reading: Reading, tree: Tree, level: int | None, width: int) -> Iterator[str]:
    """Yield the text of one reading's tree, at most ``width`` columns where words allow."""
    path = tuple(
        node for node in path_by_thresholds(tree) if level is None or (node.level or 0) <= level
    )
    shown = _shown(tree, level)
    yield click.style(f"{tree.model.cpu}  {tree.model.title}", bold=True)
    yield from _heading(reading, tree, path, width)
    yield ""
    yield from _rows(tree, shown, {node.name for node in path}, width)
    if level is None:
        yield from _metrics(tree)
    if path:
        yield ""
        yield from _explained(tree, path[-1], width)
    yield from _doubts(shown, width)
    yield from _gaps(tree, shown, width)


def _heading(
    reading: Reading, tree: Tree, path: tuple[NodeValue, ...], width: int
) -> Iterator[str]:
    ipc = "n/a: instructions or cycles are not in the counts"
    if tree.ipc is not None:
        ipc = f"{tree.ipc:.2f} instructions a cycle"
    texts = [
        ("source", f"replay of {reading.where}"),
        ("model", "unverified on this CPU: held to published formulas, not to a real one"),
        ("IPC", ipc),
    ]
    texts += [("caution", note) for note in tree.notes]
    texts.append(("interval", "none: one reading without windows has no spread"))
    texts.append(("bottleneck", _marked(tree, path)))
    if tree.unknown:
        some = ", ".join(name[:80] for name in tree.unknown[:MOST_UNKNOWN])
        more = f" and {len(tree.unknown) - MOST_UNKNOWN} more"
        rest = more if len(tree.unknown) > MOST_UNKNOWN else ""
        texts.append(("unused", f"counts that this CPU's tree does not ask for: {some}{rest}"))
    for label, text in texts:
        first, *others = wrapped(text, max(30, width - LABEL))
        yield f"{label:<{LABEL}}{first}"
        yield from (" " * LABEL + line for line in others)


def _marked(tree: Tree, path: tuple[NodeValue, ...]) -> str:
    """Return the marked path in words, or why none is marked."""
    if not publishes_thresholds(tree):
        return "none: this vendor publishes no thresholds"
    roots = [node for node in tree.nodes.values() if node.level == 1]
    unsure = any(node.value is None or node.impossible for node in roots)
    if path:
        among = ", of those nodes that have a possible value" if unsure else ""
        return f"{' > '.join(node.name for node in path)} (by the vendor's thresholds{among})"
    if unsure:
        return "cannot be told: not all of level 1 has a possible value"
    return "none: nothing is over its vendor's threshold"


def _shown(tree: Tree, level: int | None) -> list[NodeValue]:
    """Return the tree's nodes in reading order, down to a level, or as far as it matters."""
    children: dict[str | None, list[NodeValue]] = {}
    for node in tree.nodes.values():
        if node.level is not None:
            children.setdefault(node.parent, []).append(node)
    ordered: list[NodeValue] = []

    def descend(parent: NodeValue | None) -> None:
        for node in children.get(parent.name if parent else None, ()):
            depth = node.level or 0
            matters = parent is not None and bool(parent.above_threshold)
            if depth <= (level or DEFAULT_LEVEL) or (level is None and matters):
                ordered.append(node)
                descend(node)

    # Slots of the other thread are no loss of this one: they stand apart, at the end.
    children.get(None, []).sort(key=lambda node: node.name == "smt_contention")
    descend(None)
    return ordered


def _rows(tree: Tree, shown: list[NodeValue], marked: set[str], width: int) -> Iterator[str]:
    names = max((len(node.name) + 2 * (node.level or 1) for node in shown), default=0)
    room = max(5, min(LONGEST_BAR, width - names - 30))
    for node in shown:
        indented = f"{'  ' * ((node.level or 1) - 1)}{node.name}"
        text = f"{indented:<{names}}{_percent(node, tree)}  {_unit(node, tree):<13}"
        if node.value is not None and not node.impossible:
            text += _bar(node.value / tree.model.whole, room)
        if node.name in marked:
            text = click.style(f"{text} {MARK}", fg="red", bold=True)
        yield text.rstrip()


def _percent(node: NodeValue, tree: Tree) -> str:
    if node.value is None:
        return f"{'n/a':>9}"
    sign = "!" if node.impossible else " "
    return f"{node.value / tree.model.whole * 100:6.1f} %{sign}"


def _unit(node: NodeValue, tree: Tree) -> str:
    domain = tree.model.nodes[node.name].domain
    if tree.model.unit == "percent":
        return domain.removeprefix("percent of ")
    first, _, kind = domain.partition("_")
    return f"{_UNIT_WORDS.get(first, first.lower())}{', est.' if kind == 'Estimated' else ''}"


def _bar(share: float, room: int) -> str:
    eighths = round(max(0.0, min(1.0, share)) * room * 8)
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()


def _metrics(tree: Tree) -> Iterator[str]:
    """Yield the metrics beside the tree that have a value, by their vendor's groups."""
    groups: dict[str, list[NodeValue]] = {}
    for node in tree.nodes.values():
        if node.level is None and node.value is not None:
            groups.setdefault(tree.model.nodes[node.name].group, []).append(node)
    for group, nodes in groups.items():
        yield ""
        yield group.replace("_", " ")
        for node in nodes:
            sign = "!" if node.impossible else " "
            unit = tree.model.nodes[node.name].domain
            yield f"  {node.name:<32}{node.value:>12.4g}{sign} {unit}"


def _explained(tree: Tree, node: NodeValue, width: int) -> Iterator[str]:
    """Yield what the last marked node is, what to try, and what to sample for its place."""
    told = explanation(node.name)
    located = tree.model.nodes[node.name].locate_with
    texts = [(node.name, told.what), ("try", told.remedy)]
    if located:
        texts.append(("locate", f"sample on {' or '.join(located)}"))
    for label, text in texts:
        yield from wrapped(f"{label}: {text}", max(30, width), "  ")


def _doubts(shown: list[NodeValue], width: int) -> Iterator[str]:
    """Yield what to doubt: each warning once, with the nodes it is of."""
    by_text: dict[str, list[str]] = {}
    for node in shown:
        for warning in node.warnings if node.value is not None else ():
            by_text.setdefault(warning, []).append(node.name)
    if by_text:
        yield ""
    for text, names in by_text.items():
        yield from wrapped(f"! {_some(names)}: {text}", max(30, width), "  ")


def _gaps(tree: Tree, shown: list[NodeValue], width: int) -> Iterator[str]:
    """Yield which nodes have no value, and why: the missing counters by name."""
    by_reason: dict[str, list[str]] = {}
    for node in shown:
        if node.value is None:
            by_reason.setdefault(node.warnings[0], []).append(node.name)
    others = sum(node.value is None for node in tree.nodes.values()) - sum(
        map(len, by_reason.values())
    )
    if by_reason or others:
        yield ""
    for reason, names in by_reason.items():
        yield from wrapped(f"no value for {_some(names)}: {reason}", max(30, width), "  ")
    if others:
        yield (
            f"no value for {others} nodes that are not shown: "
            f"-l {tree.model.deepest} or --json says why"
        )


def _some(names: list[str]) -> str:
    return ", ".join(printable(name) for name in names)
