"""The parts of the slots that wait for memory: latency, bandwidth, shared and remote lines."""

from dataclasses import dataclass

from harness.diagnose.findings.pipeline import stands_out
from harness.diagnose.slots import SlotFacts

LEAST = 0.2  # of the slots, that wait for memory
_LEVELS = ("level 1 cache", "level 2 cache", "level 3 cache", "DRAM", "stores")


@dataclass(frozen=True, slots=True)
class MemorySlots:
    """Shares of slots; together at most those that wait for memory.

    ``level``: the level of memory with most stalls, empty if the tree does not say.
    ``divided``: whether latency and bandwidth of DRAM are known apart.
    """

    latency: float
    bandwidth: float
    shared: float
    remote: float
    level: str
    divided: bool


def memory_slots(slots: SlotFacts | None) -> MemorySlots | None:
    """Return the parts; None if the slots that wait for memory do not stand out."""
    if slots is None or not stands_out(slots, "memory", LEAST):
        return None
    if slots.kind == "modelled":
        return _modelled(slots)
    memory = slots.share("memory")
    stalls = {level: slots.share(level) for level in _LEVELS if slots.has(level)}
    whole = sum(stalls.values())
    if not whole:
        return MemorySlots(memory, 0.0, 0.0, 0.0, "", divided=False)
    scale = memory / max(whole, memory)
    level = max(stalls, key=lambda name: stalls[name])
    shared = scale * min(
        max(slots.share("false sharing"), slots.share("contested lines")),
        stalls.get("stores", 0.0) + stalls.get("level 3 cache", 0.0),
    )
    dram = scale * stalls.get("DRAM", 0.0)
    bandwidth_cycles, latency_cycles = slots.share("DRAM bandwidth"), slots.share("DRAM latency")
    divided = slots.has("DRAM bandwidth", "DRAM latency")
    both = bandwidth_cycles + latency_cycles
    bandwidth = dram * bandwidth_cycles / both if both else 0.0
    stores = scale * stalls.get("stores", 0.0)
    remote = min(
        scale * (slots.share("remote memory") + slots.share("remote cache")), dram - bandwidth
    )
    rest = scale * whole - shared - bandwidth - max(0.0, remote) - stores
    return MemorySlots(max(0.0, rest), bandwidth, shared, max(0.0, remote), level, divided)


def _modelled(slots: SlotFacts) -> MemorySlots:
    levels = {name: slots.share(name) for name in _LEVELS if slots.has(name)}
    bandwidth = slots.share("DRAM bandwidth")
    level = max(levels, key=lambda name: levels[name], default="")
    return MemorySlots(sum(levels.values()), bandwidth, 0.0, 0.0, level, divided=True)
