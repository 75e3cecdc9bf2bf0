"""The tree of a replayed reading as a measurement, for the common renderers."""

from topdown.slots.counts import EventCounts
from topdown.slots.evaluation import NodeValue, Tree
from topdown.slots.measured_nodes import measured_nodes
from topdown.slots.measurement import Ipc, Kind, Measurement
from topdown.slots.threshold_path import has_thresholds, path_by_thresholds

MAX_UNKNOWN = 5
NO_INTERVALS = "none: a single reading has no intervals"


def measurement_of_reading(reading: EventCounts, tree: Tree) -> Measurement:
    """Return a reading's tree as a measurement; the source names the file."""
    path = path_by_thresholds(tree)
    return Measurement(
        kind=Kind.MEASURED,
        source=f"replay of {reading.where}",
        cpu=tree.model.cpu,
        title=tree.model.title,
        whole=tree.model.whole,
        nodes=measured_nodes(tree),
        ipc=None if tree.ipc is None else Ipc(tree.ipc),
        interval_label=NO_INTERVALS,
        bottleneck=tuple(node.name for node in path) or None,
        bottleneck_why=_why(tree, path),
        warnings=tree.notes,
        facts=_facts(tree),
    )


def _why(tree: Tree, path: tuple[NodeValue, ...]) -> str:
    """Return why the path is marked, or why there is none."""
    if not has_thresholds(tree.model):
        return "this vendor publishes no thresholds"
    roots = [node for node in tree.nodes.values() if node.level == 1]
    unsure = any(node.value is None or node.impossible for node in roots)
    if path:
        among = ", among the nodes with a possible value" if unsure else ""
        return f"by the vendor's thresholds{among}"
    if unsure:
        return "unknown: not all nodes of level 1 have a possible value"
    return "no node is above its vendor's threshold"


def _facts(tree: Tree) -> tuple[tuple[str, str], ...]:
    if not tree.unknown:
        return ()
    first = ", ".join(name[:80] for name in tree.unknown[:MAX_UNKNOWN])
    rest = len(tree.unknown) - MAX_UNKNOWN
    more = f" and {rest} more" if rest > 0 else ""
    return (("unused", f"counts that this CPU's tree does not use: {first}{more}"),)
