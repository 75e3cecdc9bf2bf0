"""The events that count accesses and misses of the level-1 instruction cache, by CPU model.

Codes: Intel Software Developer's Manual volume 3, ICACHE.HIT and ICACHE.MISSES, and
ICACHE_64B.IFTAG_HIT and IFTAG_MISS; AMD Processor Programming Reference, PMCx18E.
"""

from dataclasses import dataclass

from topdown.slots.measurement import Measurement


@dataclass(frozen=True, slots=True)
class CacheEvents:
    """Names or codes of events; without ``hits`` and ``accesses``, misses are per instruction."""

    misses: str
    hits: str = ""
    accesses: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """Return the events to count."""
        return tuple(name for name in (self.misses, self.hits, self.accesses) if name)


_HASWELL = CacheEvents(misses="0x280", hits="0x180")
_SKYLAKE = CacheEvents(misses="0x283", hits="0x183")
_SAPPHIRE_RAPIDS = CacheEvents(misses="FRONTEND_RETIRED.L1I_MISS")  # accesses are not counted
_ZEN = CacheEvents(misses="0x10000188e", accesses="0x100001f8e")
_ARM = CacheEvents(misses="L1I_CACHE_REFILL", accesses="L1I_CACHE")
_BY_FAMILY = {
    ("hsx", "bdx"): _HASWELL,
    ("skl", "skx", "clx", "icl", "icx"): _SKYLAKE,
    ("spr", "emr", "gnr"): _SAPPHIRE_RAPIDS,
    ("zen4", "zen5"): _ZEN,
}


def cache_events(cpu: str) -> CacheEvents | None:
    """Return the events of a CPU model, None if they are unknown."""
    if cpu.startswith("neoverse"):
        return _ARM
    return next((events for family, events in _BY_FAMILY.items() if cpu in family), None)


def counted_miss_ratio(measurement: Measurement, events: CacheEvents | None) -> float | None:
    """Return misses per access, or per instruction if accesses are not counted.

    None if a count is missing.
    """
    if events is None:
        return None
    counts = {node.name: node.value for node in measurement.nodes}
    misses = counts.get(events.misses)
    total = _accesses(measurement, events, counts)
    return None if misses is None or not total else misses / total


def _accesses(
    measurement: Measurement, events: CacheEvents, counts: dict[str, float | None]
) -> float | None:
    if events.accesses:
        return counts.get(events.accesses)
    if events.hits:
        hits, misses = counts.get(events.hits), counts.get(events.misses)
        return None if hits is None or misses is None else hits + misses
    return None if measurement.ipc is None else measurement.ipc.instructions
