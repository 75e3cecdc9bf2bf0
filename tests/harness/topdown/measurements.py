"""Hand-written measurements of slots with numbers that a reader can check."""

from dataclasses import replace

from topdown.slots.measurement import Interval, Ipc, Kind, MeasuredNode, Measurement, Slice

SCALED = "scaled: an event was counted 34 % of the time"
MISSING = "not in the counts: OFFCORE_REQUESTS_OUTSTANDING.ALL_DATA_RD"


def node(
    name: str,
    value: float | None,
    *above: str,
    level: int = 1,
    half: float | None = None,
    marked: bool = False,
    warnings: tuple[str, ...] = (),
) -> MeasuredNode:
    between = None if half is None or value is None else Interval(value - half, value + half)
    parent = above[0] if above else None
    return MeasuredNode(name, level, parent, value, "slots", marked, between, warnings)


NODES = (
    node("Frontend_Bound", 0.128, half=0.004),
    node("Fetch_Latency", 0.081, "Frontend_Bound", level=2, half=0.011, warnings=(SCALED,)),
    node("Bad_Speculation", 0.122, half=0.002),
    node("Backend_Bound", 0.55, half=0.006, marked=True),
    node("Memory_Bound", 0.46, "Backend_Bound", level=2, half=0.02, marked=True),
    node("L3_Bound", 0.31, "Memory_Bound", level=3, half=0.03, marked=True, warnings=(SCALED,)),
    node("DRAM_Bound", None, "Memory_Bound", level=3, warnings=(MISSING,)),
    node("Core_Bound", 0.09, "Backend_Bound", level=2, half=0.01),
    node("Retiring", 0.2, half=0.0),
)
COUNTED = Measurement(
    kind=Kind.MEASURED,
    source="hardware counters of pid 4711 for 10.0 s",
    cpu="skl",
    title="Skylake, client",
    whole=1.0,
    nodes=NODES,
    ipc=Ipc(0.79, 7.9e9, 1e10, Interval(0.78, 0.8)),
    interval_label="multiplexing error only",
    bottleneck=("Backend_Bound", "Memory_Bound", "L3_Bound"),
    bottleneck_why="the intervals of its differences to its siblings exclude 0",
    warnings=("the NMI watchdog holds a counter",),
    facts=(("counted", "3 groups, each 34 % of the time"),),
)
MODELLED = replace(
    COUNTED,
    kind=Kind.MODELLED,
    source="interval model of ./work under callgrind, anchored to its native time",
    nodes=tuple(replace(slot, interval=None) for slot in NODES),
    interval_label="none: one modelled run has no spread",
    cpu="",
    title="this host's caches",
)
UNAVAILABLE = replace(
    COUNTED,
    kind=Kind.UNAVAILABLE,
    source="no hardware counters",
    nodes=(),
    ipc=None,
    bottleneck=None,
    warnings=("this virtual machine has no PMU",),
)


def slices(count: int) -> tuple[Slice, ...]:
    """Intervals of 0.1 s in which the frontend takes over from the backend."""
    result = []
    for at in range(count):
        late = at / (count - 1)
        nodes = (
            node("Frontend_Bound", 0.1 + 0.5 * late),
            node("Bad_Speculation", None if at == 1 else 0.1, warnings=(MISSING,)),
            node("Backend_Bound", 0.6 - 0.5 * late),
            node("Retiring", 0.2),
        )
        result.append(Slice(at / 10, (at + 1) / 10, nodes, Ipc(0.8 + late)))
    return tuple(result)


SLICED = replace(COUNTED, slices=slices(20))
