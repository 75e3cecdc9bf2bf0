"""The slot trees of both sides as documents of `topdown`."""

from harness.labs.stages.measurement import SlotTrees
from harness.labs.stages.plan import Side
from harness.topdown.result import TopdownResult, topdown_result
from topdown.slots.measurement import Kind, Measurement


def slot_documents(trees: SlotTrees) -> dict[Side, TopdownResult]:
    """Return the document of each side; without slots it is unavailable and has no nodes."""
    return {
        side: topdown_result(trees.sides.get(side) or _no_slots(trees.unavailable)) for side in Side
    }


def tree_ipc(tree: TopdownResult) -> float | None:
    """Return instructions per cycle; None if unknown."""
    return None if tree.ipc is None else tree.ipc.value


def _no_slots(reason: str) -> Measurement:
    return Measurement(
        kind=Kind.UNAVAILABLE,
        source="unavailable",
        cpu="",
        title="",
        whole=1.0,
        nodes=(),
        ipc=None,
        interval_label="",
        bottleneck=None,
        bottleneck_why=reason,
    )
