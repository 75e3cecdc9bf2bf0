"""Repeated measurement of the marked branch only, added below the first measurement."""

from collections.abc import Sequence
from dataclasses import replace

from topdown.slots.measurement import MeasuredNode, Measurement
from topdown.slots.model import Model


def nodes_below(model: Model, measurement: Measurement, marked: str) -> tuple[str, ...]:
    """Return the nodes to count below a marked node: its path and children.

    Empty if the node has no children, or if they are already measured: the path then ends for a
    reason that deeper nodes do not change.
    """
    children = [name for name, node in model.nodes.items() if node.parent == marked]
    if not children or any(node.parent == marked for node in measurement.nodes):
        return ()
    path: list[str] = []
    name: str | None = marked
    while name is not None:
        path.insert(0, name)
        name = model.nodes[name].parent
    return (*_with_siblings(model, path), *children)


def _with_siblings(model: Model, path: Sequence[str]) -> list[str]:
    """Return a path and the siblings of its nodes, against which the path is compared."""
    parents = {None, *path[:-1]}
    return [
        name
        for name, node in model.nodes.items()
        if node.level is not None and node.level <= len(path) and node.parent in parents
    ]


def merged_measurement(first: Measurement, second: Measurement) -> Measurement:
    """Return the first measurement with the additional nodes and the path of the second.

    If the second marks another branch, the first is returned with a warning.
    """
    counted = {node.name for node in first.nodes}
    added = [node for node in second.nodes if node.name not in counted]
    path, other = first.bottleneck or (), second.bottleneck or ()
    warnings = first.warnings
    if other[: len(path)] != path:
        branch = " > ".join(other) or "none"
        warnings = (*warnings, f"the repeated measurement marked another branch: {branch}")
        return replace(first, warnings=warnings)
    return replace(
        first,
        nodes=_inserted(first.nodes, added),
        bottleneck=other,
        bottleneck_why=second.bottleneck_why,
        warnings=tuple(dict.fromkeys((*warnings, *second.warnings))),
        facts=(*first.facts, ("drilled", f"below {path[-1]}: measured separately")),
    )


def _inserted(
    nodes: Sequence[MeasuredNode], added: Sequence[MeasuredNode]
) -> tuple[MeasuredNode, ...]:
    """Return the nodes with each added node after its parent's descendants."""
    ordered = list(nodes)
    for node in added:
        names = [member.name for member in ordered]
        index = names.index(node.parent) + 1 if node.parent in names else len(ordered)
        while index < len(ordered) and (ordered[index].level or 0) >= (node.level or 99):
            index += 1
        ordered.insert(index, node)
    return tuple(ordered)
