"""Which path of a tree is marked as the bottleneck: only what the error bars allow to be said."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from topdown.slots.measurement import Interval, MeasuredNode

Difference = Callable[[MeasuredNode, MeasuredNode], Interval | None]
# Slots that the core's other thread took are no loss of this one.
APART = ("smt_contention",)
USEFUL = ("retiring",)


@dataclass(frozen=True, slots=True)
class BottleneckPath:
    """The marked path from a root down, None where none is; and by what, or why not."""

    path: tuple[str, ...] | None
    why: str


def mark(
    nodes: Sequence[MeasuredNode], difference: Difference, *, thresholds: bool
) -> BottleneckPath:
    """Return the marked path: at each level the greatest node that is surely greater.

    A node is marked when the interval of its difference to every sibling excludes 0 and, where
    the vendor publishes ``thresholds``, it is over its own.
    """
    roots = [node for node in nodes if node.level == 1]
    unsure = [
        node.name
        for node in roots
        if (node.value is None or node.impossible) and node.name not in APART
    ]
    if unsure or not roots:
        what = ", ".join(unsure) or "level 1"
        return BottleneckPath(None, f"cannot be told: {what} has no possible value")
    path: list[str] = []
    why = ""
    while True:
        parent = path[-1] if path else None
        siblings = [node for node in nodes if (node.parent, node.level) == (parent, len(path) + 1)]
        if not siblings:
            break
        chosen, why = _chosen(siblings, difference, thresholds=thresholds)
        if chosen is None:
            break
        path.append(chosen.name)
        why = ""
    by = "by the vendor's thresholds" if thresholds else "the greatest: no thresholds are published"
    if not path:
        return BottleneckPath(None, why)
    return BottleneckPath(tuple(path), f"{by}; below it {why}" if why else by)


def _chosen(
    siblings: Sequence[MeasuredNode], difference: Difference, *, thresholds: bool
) -> tuple[MeasuredNode | None, str]:
    """Return the one sibling that is marked, or None and why none is."""
    able = [
        node
        for node in siblings
        if node.value is not None and not node.impossible and node.name not in APART
    ]
    over = [node for node in able if node.above_threshold or not thresholds]
    if not over:
        return None, "nothing is over its vendor's threshold"
    chosen = max(over, key=lambda node: node.value or 0.0)
    for other in able:
        if other is chosen or _is_no_loss(other, thresholds=thresholds):
            continue
        between = difference(chosen, other)
        if between is None:
            return None, (
                f"{chosen.name} is greatest, and there is no interval to say "
                f"that it is greater than {other.name}"
            )
        if between.low <= 0 <= between.high:
            return None, (
                f"{chosen.name} and {other.name} differ by less than their error, "
                "a longer measurement or --no-multiplex tells"
            )
    return chosen, ""


def _is_no_loss(node: MeasuredNode, *, thresholds: bool) -> bool:
    """Return whether a node is useful work, and not so much that its vendor would name it."""
    return thresholds and node.name.lower() in USEFUL and not node.above_threshold
