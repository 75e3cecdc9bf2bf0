"""What the memory lab concludes from its results: levels, ways, pages truly got, counters."""

from collections import Counter
from dataclasses import dataclass

from harness.labs.memory.associativity import Ways, find_ways
from harness.labs.memory.caches import CacheRow, against_sysfs
from harness.labs.memory.experiment import LabResults
from harness.labs.memory.levels import CurvePoint, Level, find_levels
from harness.labs.memory.plan import Section
from harness.labs.memory.points import Measured, Pages

_TELLING = {
    "hugetlb": "from the reserve (MAP_HUGETLB)",
    "transparent": "transparent ones (madvise)",
    "partly transparent": "transparent ones (madvise) for a part of the ring only",
    "small": "none, the kernel gave small ones",
    "unknown": "unknown, /proc/self/smaps does not tell",
}


@dataclass(frozen=True, slots=True)
class Findings:
    """The conclusions, each from what was measured."""

    levels_from: Pages | None  # which curve the levels were looked for in; None: none was measured
    levels: tuple[Level, ...]
    rows: tuple[CacheRow, ...]
    ways: tuple[Ways, ...]
    pages_got: str  # of the rings that asked for huge ones, in words
    counters: tuple[str, ...]  # those that counted
    counters_refused: dict[str, str]  # why, by counter; empty where all count
    warnings: tuple[str, ...]


def conclude(results: LabResults) -> Findings:
    """Return what the results say."""
    curve = results.section(Section.CURVE).measured
    kinds = {each.point.pages for each in curve}
    chosen = next((pages for pages in Pages if pages in kinds), None)
    rings = [each for each in curve if each.point.pages is chosen]
    levels = find_levels([CurvePoint(each.point.ring_bytes, each.least_ns) for each in rings])
    largest = max((each.point.ring_bytes for each in rings), default=0)
    got = _kinds_got(results)
    return Findings(
        levels_from=chosen,
        levels=levels,
        rows=against_sysfs(levels, results.machine.caches, largest),
        ways=find_ways(results.section(Section.STRIDES).measured, levels, results.machine.caches),
        pages_got=_in_words(got),
        counters=_counted(results),
        counters_refused=_refused(results),
        warnings=tuple(_warnings(chosen, rings, got)),
    )


def all_measured(results: LabResults) -> tuple[Measured, ...]:
    """Return every point of every section that was measured."""
    return tuple(each for section in results.sections for each in section.measured)


def _kinds_got(results: LabResults) -> Counter[str]:
    asked = (each for each in all_measured(results) if each.point.pages is Pages.HUGE)
    return Counter(thread.pages.kind for each in asked for thread in each.threads)


def _in_words(got: Counter[str]) -> str:
    if not got:
        return "none were asked for"
    total = sum(got.values())
    parts = [
        _TELLING.get(kind, kind) + ("" if count == total else f" ({count} of {total} rings)")
        for kind, count in got.most_common()
    ]
    return "; ".join(parts)


def _counted(results: LabResults) -> tuple[str, ...]:
    counts = (thread.counts_per_step for each in all_measured(results) for thread in each.threads)
    names = {name: None for each in counts for name, count in each.items() if count is not None}
    return tuple(names)


def _refused(results: LabResults) -> dict[str, str]:
    refused: dict[str, str] = {}
    for each in all_measured(results):
        for thread in each.threads:
            refused.update(thread.counters_refused)
    return refused


def _warnings(chosen: Pages | None, rings: list[Measured], got: Counter[str]) -> list[str]:
    warnings = []
    huge = got["hugetlb"] + got["transparent"]
    if chosen is Pages.SMALL or (got and huge < sum(got.values())):
        warnings.append(
            "levels were looked for in a curve with small pages: a step may be that of a "
            "translation buffer and not of a cache"
        )
    disturbed = [each for each in rings if each.median_ns > 1.25 * each.least_ns]
    if len(disturbed) > len(rings) // 4:
        warnings.append(
            f"{len(disturbed)} of {len(rings)} rings were disturbed: their median repeat took a "
            "quarter longer than the least; others use this machine"
        )
    return warnings
