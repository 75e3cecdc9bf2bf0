"""A replayed tree as a measurement, so that one renderer reads both."""

from topdown.slots.counts import Reading
from topdown.slots.evaluation import NodeValue, Tree
from topdown.slots.measured_nodes import measured_nodes
from topdown.slots.measurement import Ipc, Kind, Measurement
from topdown.slots.threshold_path import has_thresholds, path_by_thresholds

MOST_UNKNOWN = 5
NO_WINDOWS = "none: one reading without windows has no spread"


def measurement_of_reading(reading: Reading, tree: Tree) -> Measurement:
    """Return a reading's tree with what is known of where it came from.

    Its counts were measured, by whom and where only the file can tell: the source says so.
    """
    path = path_by_thresholds(tree)
    return Measurement(
        kind=Kind.MEASURED,
        source=f"replay of {reading.where}",
        cpu=tree.model.cpu,
        title=tree.model.title,
        whole=tree.model.whole,
        nodes=measured_nodes(tree),
        ipc=None if tree.ipc is None else Ipc(tree.ipc),
        interval_label=NO_WINDOWS,
        bottleneck=tuple(node.name for node in path) or None,
        bottleneck_why=_why(tree, path),
        warnings=tree.notes,
        facts=_facts(tree),
    )


def _why(tree: Tree, path: tuple[NodeValue, ...]) -> str:
    """Return by what the path is marked, or why none is."""
    if not has_thresholds(tree):
        return "this vendor publishes no thresholds"
    roots = [node for node in tree.nodes.values() if node.level == 1]
    unsure = any(node.value is None or node.impossible for node in roots)
    if path:
        among = ", of those nodes that have a possible value" if unsure else ""
        return f"by the vendor's thresholds{among}"
    if unsure:
        return "cannot be told: not all of level 1 has a possible value"
    return "nothing is over its vendor's threshold"


def _facts(tree: Tree) -> tuple[tuple[str, str], ...]:
    if not tree.unknown:
        return ()
    some = ", ".join(name[:80] for name in tree.unknown[:MOST_UNKNOWN])
    rest = len(tree.unknown) - MOST_UNKNOWN
    more = f" and {rest} more" if rest > 0 else ""
    return (("unused", f"counts that this CPU's tree does not ask for: {some}{more}"),)
