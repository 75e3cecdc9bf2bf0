"""Functions with known counts."""

from topdown.slots.function_slots import FunctionSlots
from topdown.slots.measurement import Interval, Ipc, MeasuredNode

NODES = (
    MeasuredNode("Retiring", 1, None, 0.2, "slots", False, Interval(0.15, 0.25)),
    MeasuredNode("Backend_Bound", 1, None, 0.8, "slots", True),
    MeasuredNode("Memory_Bound", 2, "Backend_Bound", 0.7, "slots", True),
    MeasuredNode("Bad_Speculation", 1, None, -0.1, "slots", None, impossible=True),
    MeasuredNode("Frontend_Bound", 1, None, None, "slots", None, warnings=("not counted",)),
)


def slots(index: int, samples: int, same: float = 1.0) -> FunctionSlots:
    ipc = Ipc(0.5, 50, 100, Interval(0.4, 0.6))
    few = samples < 30
    return FunctionSlots(
        index, samples, {"cycles": 100.0, "instructions": 50.0}, None if few else ipc,
        () if few else NODES, same, None if few else "Backend_Bound", few,
    )  # fmt: skip
