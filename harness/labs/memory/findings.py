"""Conclusions of the memory lab: levels, ways, obtained pages, counters, warnings."""

from collections import Counter
from dataclasses import dataclass

from harness.labs.memory.associativity import CacheWays, find_ways
from harness.labs.memory.caches import CacheRow, compare_with_sysfs
from harness.labs.memory.levels import RingLatency, find_levels
from harness.labs.memory.measurement import MemoryMeasurement
from harness.labs.memory.plan import LabSection
from harness.labs.memory.points import Pages, PointReading

_DISTURBED_FACTOR = 1.25
_PAGE_KINDS = {
    "hugetlb": "reserved (MAP_HUGETLB)",
    "transparent": "transparent (madvise)",
    "partly transparent": "transparent (madvise), for a part of the ring only",
    "small": "none, the kernel provided small pages",
    "unknown": "unknown, /proc/self/smaps does not report it",
}


@dataclass(frozen=True, slots=True)
class MemoryFindings:
    """The conclusions from all readings."""

    levels_from: Pages | None  # the curve in which levels were detected; None: none was measured
    rows: tuple[CacheRow, ...]
    ways: tuple[CacheWays, ...]
    huge_pages: str  # obtained by the rings that requested them, in words
    counters: tuple[str, ...]  # that counted
    counters_refused: dict[str, str]  # reason by counter; empty if all count
    warnings: tuple[str, ...]


def memory_findings(lab: MemoryMeasurement) -> MemoryFindings:
    """Return the conclusions from a measurement."""
    curve = lab.section(LabSection.CURVE).readings
    page_sizes = {reading.point.pages for reading in curve}
    chosen = next((pages for pages in Pages if pages in page_sizes), None)
    rings = [reading for reading in curve if reading.point.pages is chosen]
    levels = find_levels(
        [RingLatency(reading.point.ring_bytes, reading.min_ns) for reading in rings]
    )
    largest = max((reading.point.ring_bytes for reading in rings), default=0)
    obtained = _obtained_pages(lab)
    strides = lab.section(LabSection.STRIDES).readings
    return MemoryFindings(
        levels_from=chosen,
        rows=compare_with_sysfs(levels, lab.machine.caches, largest),
        ways=find_ways(strides, levels, lab.machine.caches),
        huge_pages=_huge_pages_text(obtained),
        counters=_counters(lab),
        counters_refused=_counters_refused(lab),
        warnings=tuple(_warnings(chosen, rings, obtained)),
    )


def _obtained_pages(lab: MemoryMeasurement) -> Counter[str]:
    """Return the number of rings by the kind of pages obtained, if huge pages were requested."""
    return Counter(
        thread.pages.kind
        for reading in lab.all_readings()
        if reading.point.pages is Pages.HUGE
        for thread in reading.threads
    )


def _huge_pages_text(obtained: Counter[str]) -> str:
    if not obtained:
        return "not requested"
    total = sum(obtained.values())
    parts = [
        _PAGE_KINDS.get(kind, kind) + ("" if count == total else f" ({count} of {total} rings)")
        for kind, count in obtained.most_common()
    ]
    return "; ".join(parts)


def _counters(lab: MemoryMeasurement) -> tuple[str, ...]:
    names: dict[str, None] = {}
    for reading in lab.all_readings():
        for thread in reading.threads:
            counts = thread.counts_per_step
            names.update({name: None for name, count in counts.items() if count is not None})
    return tuple(names)


def _counters_refused(lab: MemoryMeasurement) -> dict[str, str]:
    refused: dict[str, str] = {}
    for reading in lab.all_readings():
        for thread in reading.threads:
            refused.update(thread.counters_refused)
    return refused


def _warnings(chosen: Pages | None, rings: list[PointReading], obtained: Counter[str]) -> list[str]:
    warnings = []
    huge = obtained["hugetlb"] + obtained["transparent"]
    if chosen is Pages.SMALL or (obtained and huge < sum(obtained.values())):
        warnings.append(
            "levels were detected in a curve with small pages: a step can be that of a translation "
            "buffer instead of a cache"
        )
    disturbed = [
        reading for reading in rings if reading.median_ns > _DISTURBED_FACTOR * reading.min_ns
    ]
    if len(disturbed) > len(rings) // 4:
        warnings.append(
            f"{len(disturbed)} of {len(rings)} rings were disturbed: their median repeat was more "
            "than 25 % slower than the fastest; other programs use this machine"
        )
    return warnings
