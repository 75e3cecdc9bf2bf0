"""Trees of slots by the names of nodes, for tests of rules."""

from harness.diagnose.slots import SlotFacts
from harness.topdown.result import NodeRecord, SlotInterval, TopdownResult, topdown_result
from topdown.slots.counts import EventCounts, counts_of
from topdown.slots.evaluation import evaluate
from topdown.slots.model import load
from topdown.slots.replay.measurement import measurement_of_reading

LEVELS = {"frontend_bound": 1, "bad_speculation": 1, "backend_bound": 1, "retiring": 1}


def node(
    value: float | None,
    *,
    level: int = 2,
    unit: str = "slots",
    above: bool | None = None,
    error: float | None = None,
    impossible: bool = False,
) -> NodeRecord:
    """Return a node; ``error``: half the width of its interval."""
    interval = None
    if error is not None and value is not None:
        interval = SlotInterval(low=value - error, high=value + error)
    return NodeRecord(
        value=value,
        level=level,
        parent=None,
        unit=unit,
        above_threshold=above,
        interval=interval,
        impossible=impossible,
        warnings=(),
        kind="measured" if value is not None else "unavailable",
    )


def tree(
    *,
    kind: str = "measured",
    whole: float = 1.0,
    bottleneck: tuple[str, ...] | None = None,
    cpu: str = "skx",
    **nodes: float | NodeRecord,
) -> TopdownResult:
    """Return a tree with these nodes."""
    return TopdownResult(
        cpu=cpu,
        title=cpu,
        source="counters" if kind == "measured" else "model: simulation",
        kind=kind,  # type: ignore[arg-type]
        verified=False,
        whole=whole,
        ipc=None,
        nodes={
            name: value
            if isinstance(value, NodeRecord)
            else node(value, level=LEVELS.get(name.lower(), 2))
            for name, value in nodes.items()
        },
        bottleneck=bottleneck,
        bottleneck_why="",
        interval_label="",
        intervals=(),
        facts=(),
        warnings=(),
    )


def slots(**options: object) -> SlotFacts:
    """Return the facts of a tree."""
    facts = SlotFacts.of(tree(**options))  # type: ignore[arg-type]
    assert facts is not None
    return facts


def counted_slots(cpu: str, counts: dict[str, float]) -> SlotFacts:
    """Return the facts of counts of a CPU model, by its published formulas."""
    model = load(cpu)
    reading = EventCounts("test", cpu, counts=counts)
    measurement = measurement_of_reading(reading, evaluate(model, counts_of(model, reading)))
    facts = SlotFacts.of(topdown_result(measurement))
    assert facts is not None
    return facts
