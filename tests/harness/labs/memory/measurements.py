"""Measurements of the memory lab on an invented machine."""

from harness.labs.memory.measurement import MemoryMeasurement, SectionReadings
from harness.labs.memory.options import MemoryOptions
from harness.labs.memory.plan import LabSection, make_plan
from harness.labs.memory.points import (
    ObtainedPages,
    Pages,
    PointReading,
    RingPoint,
    ThreadPointReading,
)
from harness.workload.machine import LabMachine, NumaNode
from stallscope.cpu_caches import CpuCache

KIB, MIB, GIB = 2**10, 2**20, 2**30
CACHES = (
    CpuCache(1, 32 * KIB, 8, 64, "0"),
    CpuCache(2, MIB, 8, 64, "0"),
    CpuCache(3, 32 * MIB, 16, 64, "0-3"),
)
DEFAULTS = MemoryOptions()
LATENCY_NS = (1.0, 3.8, 13.0, 110.0)
REFUSED = {"cycles": "No such file or directory", "instructions": "No such file or directory"}


def machine(*, cpus: int = 4, nodes: int = 1) -> LabMachine:
    numbers = tuple(range(cpus))
    parts = tuple(
        NumaNode(n, numbers[n * cpus // nodes : (n + 1) * cpus // nodes], True)
        for n in range(nodes)
    )
    return LabMachine(numbers, parts, CACHES, 64 * GIB)


def latency_ns(point: RingPoint) -> float:
    """The latency on a machine with LRU caches: by the ring's size, and by its sets."""
    for cache, hit_ns in zip(CACHES, LATENCY_NS, strict=False):
        assert cache.ways is not None
        way_bytes = cache.size_bytes // cache.ways
        sets = {index * point.stride_bytes % way_bytes for index in range(min(point.lines, 64))}
        fits = point.lines * 64 <= cache.size_bytes
        if fits and (point.lines > 64 or point.lines <= cache.ways * len(sets)):
            return hit_ns
    return LATENCY_NS[-1] * (1.5 if point.node not in (None, point.cpus[0]) else 1)


def reading(point: RingPoint, *, counted: bool = False) -> PointReading:
    ns = latency_ns(point)
    pages = ObtainedPages("small", 0, 4096)
    if point.pages is Pages.HUGE:
        pages = ObtainedPages("transparent", 2 * MIB, 2 * MIB)
    thread = ThreadPointReading(
        latency_ns=(ns * 1.02, ns, ns * 1.1),
        pages=pages,
        pages_by_node={0: 512},
        counts_per_step={
            "cycles": ns * 3 if counted else None,
            "instructions": 3.0 if counted else None,
        },
        counters_refused={} if counted else REFUSED,
    )
    return PointReading(point, (thread,) * len(point.cpus))


def measurement(
    options: MemoryOptions = DEFAULTS,
    *,
    on: LabMachine | None = None,
    limit_bytes: int = 4 * GIB,
    counted: bool = False,
) -> MemoryMeasurement:
    on = on or machine()
    sections = tuple(
        SectionReadings(
            part.section,
            tuple(reading(point, counted=counted) for point in part.points),
            part.left_out,
            part.note,
        )
        for part in make_plan(on, options, limit_bytes)
    )
    return MemoryMeasurement(on, limit_bytes, sections, 1.0, interrupted=False)


def without(whole: MemoryMeasurement, *missing: LabSection) -> MemoryMeasurement:
    """The measurement of a lab that was interrupted before some sections."""
    kept = tuple(section for section in whole.sections if section.section not in missing)
    return MemoryMeasurement(whole.machine, whole.limit_bytes, kept, 1.0, interrupted=True)
