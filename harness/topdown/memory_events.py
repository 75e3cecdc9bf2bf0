"""Events of the memory hierarchy by CPU: loads, misses by level, stalls, write-backs."""

from topdown.slots.model import load

MEMORY_PRESET = "memory"  # stands for the events of the memory hierarchy
# The first name that a model has, else the generic name, which the kernel encodes for the CPU:
# LLC-loads are the loads that missed the level above the last one.
_EVENTS = {
    "loads": ("MEM_INST_RETIRED.ALL_LOADS", "MEM_UOPS_RETIRED.ALL_LOADS", "L1D_CACHE"),
    "L1 misses": ("MEM_LOAD_RETIRED.L1_MISS", "MEM_LOAD_UOPS_RETIRED.L1_MISS", "L1D_CACHE_REFILL"),
    "L2 misses": ("MEM_LOAD_RETIRED.L2_MISS", "MEM_LOAD_UOPS_RETIRED.L2_MISS", "L2D_CACHE_REFILL"),
    "L3 misses": ("MEM_LOAD_RETIRED.L3_MISS", "MEM_LOAD_UOPS_RETIRED.L3_MISS"),
    "stalls": ("CYCLE_ACTIVITY.STALLS_TOTAL", "STALL_BACKEND"),
}
_GENERIC = {
    "loads": "L1-dcache-loads",
    "L1 misses": "L1-dcache-load-misses",
    "L2 misses": "LLC-loads",
    "L3 misses": "LLC-load-misses",
    "stalls": "stalled-cycles-backend",
}
# Lines that the L2 writes back: Intel L2_TRANS.L2_WB (perfmon), Arm L2D_CACHE_WB (Arm ARM, D13).
_WRITE_BACKS = {"intel": "0x40f0", "neoverse": "0x18"}


def memory_events(key: str | None) -> dict[str, str]:
    """Return the events of a CPU model by what they count; None: a CPU without a model.

    What the CPU has no known event for is left out.
    """
    model_events = load(key).events if key is not None else {}
    events = {
        label: next((name for name in names if name in model_events), _GENERIC.get(label, ""))
        for label, names in _EVENTS.items()
    }
    if key is not None:
        family = "neoverse" if key.startswith("neoverse") else "intel"
        if not key.startswith("zen"):
            events["write-backs"] = _WRITE_BACKS[family]
    return {label: name for label, name in events.items() if name}
