"""The path of a tree that is marked as the bottleneck, if intervals allow it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from topdown.slots.measurement import Interval, MeasuredNode

Difference = Callable[[MeasuredNode, MeasuredNode], Interval | None]
# Slots of the other thread of the core are not a loss of this one.
NO_LOSS = ("smt_contention",)
USEFUL = ("retiring",)


@dataclass(frozen=True, slots=True)
class BottleneckPath:
    """The marked path from a root down, or None, with the reason."""

    path: tuple[str, ...] | None
    why: str


def bottleneck_path(
    nodes: Sequence[MeasuredNode], difference: Difference, *, thresholds: bool
) -> BottleneckPath:
    """Return the marked path: at each level the greatest node, if it is significantly greater.

    A node is marked if the interval of its difference to each sibling excludes 0 and, if the vendor
    publishes ``thresholds``, it is above its own.
    """
    roots = [node for node in nodes if node.level == 1]
    unknown = [
        node.name
        for node in roots
        if (node.value is None or node.impossible) and node.name not in NO_LOSS
    ]
    if unknown or not roots:
        names = ", ".join(unknown) or "level 1"
        return BottleneckPath(None, f"unknown: {names} has no possible value")
    path: list[str] = []
    why = ""
    while True:
        parent = path[-1] if path else None
        siblings = [node for node in nodes if (node.parent, node.level) == (parent, len(path) + 1)]
        if not siblings:
            break
        chosen, why = _marked_sibling(siblings, difference, thresholds=thresholds)
        if chosen is None:
            break
        path.append(chosen.name)
        why = ""
    by = "by the vendor's thresholds" if thresholds else "the greatest; no thresholds are published"
    if not path:
        return BottleneckPath(None, why)
    return BottleneckPath(tuple(path), f"{by}; below: {why}" if why else by)


def _marked_sibling(
    siblings: Sequence[MeasuredNode], difference: Difference, *, thresholds: bool
) -> tuple[MeasuredNode | None, str]:
    """Return the marked sibling, or None with the reason."""
    candidates = [
        node
        for node in siblings
        if node.value is not None and not node.impossible and node.name not in NO_LOSS
    ]
    above = [node for node in candidates if node.above_threshold or not thresholds]
    if not above:
        return None, "no node is above its vendor's threshold"
    chosen = max(above, key=lambda node: node.value or 0.0)
    for other in candidates:
        if other is chosen or _is_useful_work(other, thresholds=thresholds):
            continue
        interval = difference(chosen, other)
        if interval is None:
            return None, (
                f"{chosen.name} is the greatest, but its difference to {other.name} has no interval"
            )
        if interval.low <= 0 <= interval.high:
            return None, (
                f"{chosen.name} and {other.name} differ by less than their error; "
                "measure longer, or use --no-multiplex"
            )
    return chosen, ""


def _is_useful_work(node: MeasuredNode, *, thresholds: bool) -> bool:
    """Return whether a node is useful work below its vendor's threshold."""
    return thresholds and node.name.lower() in USEFUL and not node.above_threshold
