"""Measuring again just what the marked branch needs, and putting it below what was there."""

from collections.abc import Sequence
from dataclasses import replace

from topdown.slots.measurement import MeasuredNode, Measurement
from topdown.slots.model import Model


def below(model: Model, measurement: Measurement, marked: str) -> tuple[str, ...]:
    """Return what to count below a marked node: its path and children; empty where it has none.

    A path that ended above the measured leaves ended for a reason, which deeper nodes of it do
    not change.
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
    """Return a path with its siblings: the marked branch is told from them again."""
    wanted = {None, *path[:-1]}
    return [
        name
        for name, node in model.nodes.items()
        if node.level is not None and node.level <= len(path) and node.parent in wanted
    ]


def joined(first: Measurement, again: Measurement) -> Measurement:
    """Return the first measurement with the nodes that only the second has, and its path.

    Where the second marks another branch, the first's stays, and that is said.
    """
    known = {node.name for node in first.nodes}
    added = [node for node in again.nodes if node.name not in known]
    path, other = first.bottleneck or (), again.bottleneck or ()
    warnings = first.warnings
    if other[: len(path)] != path:
        found = " > ".join(other) or "nothing"
        warnings = (*warnings, f"measured again, the marked branch was {found}: no deeper is told")
        return replace(first, warnings=warnings)
    return replace(
        first,
        nodes=_placed(first.nodes, added),
        bottleneck=other,
        bottleneck_why=again.bottleneck_why,
        warnings=tuple(dict.fromkeys((*warnings, *again.warnings))),
        facts=(*first.facts, ("drilled", f"below {path[-1]}: measured again, by itself")),
    )


def _placed(
    nodes: Sequence[MeasuredNode], added: Sequence[MeasuredNode]
) -> tuple[MeasuredNode, ...]:
    """Return the nodes with each added one behind its parent and that one's descendants."""
    placed = list(nodes)
    for node in added:
        names = [each.name for each in placed]
        place = names.index(node.parent) + 1 if node.parent in names else len(placed)
        while place < len(placed) and (placed[place].level or 0) >= (node.level or 99):
            place += 1
        placed.insert(place, node)
    return tuple(placed)
