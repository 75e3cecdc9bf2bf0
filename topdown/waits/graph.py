"""The wait-for graph: groups of threads and devices, and the waiting time between them.

Groups of threads with equal work are one node; its edges are the mean of its threads. Timers,
interrupts, unknown causes and light edges are left out. A knot is a strongly connected component
without edges to other components (wPerf): all other nodes wait, directly or not, for a knot, so
only a faster knot makes the whole faster.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

Edges = Mapping[tuple[int, int], float]


@dataclass(frozen=True, slots=True)
class WaitGraph:
    """Edges between groups in nanoseconds of waiting time of a mean thread of the first group."""

    names: tuple[str, ...]
    edges: dict[tuple[int, int], float]


def merge_groups(
    edges: Edges, group: Sequence[int], sizes: Sequence[int]
) -> dict[tuple[int, int], float]:
    """Return the edges between groups: the sum over the threads of a group, divided by its size.

    ``group``: per node. ``sizes``: threads per group. Edges within a group are left out.
    """
    merged: dict[tuple[int, int], float] = {}
    for (source, target), weight in edges.items():
        pair = group[source], group[target]
        if pair[0] != pair[1]:
            merged[pair] = merged.get(pair, 0.0) + weight / max(sizes[pair[0]], 1)
    return merged


def without_nodes(edges: Edges, left_out: Collection[int]) -> dict[tuple[int, int], float]:
    """Return the edges that touch none of the nodes."""
    return {
        pair: weight
        for pair, weight in edges.items()
        if pair[0] not in left_out and pair[1] not in left_out
    }


def knots(edges: Edges, threshold: float = 0.0) -> list[frozenset[int]]:
    """Return the components without outgoing edges, of edges with at least ``threshold``.

    A node without any remaining edge is not a knot: nothing waits for it.
    """
    heavy_pairs = [
        pair for pair, weight in edges.items() if weight >= threshold and pair[0] != pair[1]
    ]
    component = _components(heavy_pairs)
    leaving = {
        component[source]
        for source, target in heavy_pairs
        if component[source] != component[target]
    }
    members: dict[int, set[int]] = {}
    for node, number in component.items():
        if number not in leaving:
            members.setdefault(number, set()).add(node)
    return sorted((frozenset(nodes) for nodes in members.values()), key=min)


def knots_after_splitting(edges: Edges) -> tuple[list[frozenset[int]], float]:
    """Return the knots and the threshold at which the graph is more than a single component.

    If all nodes wait for each other, the lightest edges are left out until it splits.
    """
    nodes = {node for pair in edges for node in pair}
    for threshold in sorted(set(edges.values())):
        result = knots(edges, threshold)
        if result and result != [frozenset(nodes)]:
            return result, threshold
    return knots(edges), 0.0


def _components(pairs: Iterable[tuple[int, int]]) -> dict[int, int]:
    """Return the strongly connected component of each node (Kosaraju, without recursion)."""
    successors: dict[int, list[int]] = {}
    predecessors: dict[int, list[int]] = {}
    for source, target in pairs:
        for node in (source, target):
            successors.setdefault(node, [])
            predecessors.setdefault(node, [])
        successors[source].append(target)
        predecessors[target].append(source)
    finished: list[int] = []
    seen: set[int] = set()
    for start in successors:
        finished += _visit(start, successors, seen)
    component: dict[int, int] = {}
    seen = set()
    for start in reversed(finished):
        component.update(dict.fromkeys(_visit(start, predecessors, seen), start))
    return component


def _visit(start: int, neighbours: Mapping[int, Sequence[int]], seen: set[int]) -> list[int]:
    """Return the nodes that ``start`` reaches and that were not seen, in order of their end."""
    if start in seen:
        return []
    seen.add(start)
    ended, path = [], [(start, iter(neighbours[start]))]
    while path:
        node, remaining = path[-1]
        neighbour = next((other for other in remaining if other not in seen), None)
        if neighbour is None:
            ended.append(node)
            path.pop()
        else:
            seen.add(neighbour)
            path.append((neighbour, iter(neighbours[neighbour])))
    return ended
