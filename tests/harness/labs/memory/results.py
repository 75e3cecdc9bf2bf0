"""Results of the memory lab as a known machine would give them."""

from harness.labs.memory.experiment import LabResults, SectionResults
from harness.labs.memory.plan import LabOptions, Section, make_plan
from harness.labs.memory.points import Measured, Pages, PagesGot, Point, ThreadChase
from harness.workload.machine import LabMachine, NumaNode
from stallscope.cpu_caches import CpuCache

KIB, MIB, GIB = 2**10, 2**20, 2**30
CACHES = (
    CpuCache(1, 32 * KIB, 8, 64, "0"),
    CpuCache(2, MIB, 8, 64, "0"),
    CpuCache(3, 32 * MIB, 16, 64, "0-3"),
)
DEFAULTS = LabOptions()
LATENCY_NS = (1.0, 3.8, 13.0, 110.0)
REFUSED = {"cycles": "No such file or directory", "instructions": "No such file or directory"}


def machine(*, cpus: int = 4, nodes: int = 1) -> LabMachine:
    own = tuple(range(cpus))
    parts = tuple(
        NumaNode(n, own[n * cpus // nodes : (n + 1) * cpus // nodes], True) for n in range(nodes)
    )
    return LabMachine(own, parts, CACHES, 64 * GIB)


def latency_ns(point: Point) -> float:
    """What a machine with LRU caches would take: by the ring's size, and by its sets."""
    for cache, hit_ns in zip(CACHES, LATENCY_NS, strict=False):
        assert cache.ways is not None
        way_bytes = cache.size_bytes // cache.ways
        sets = {place * point.stride_bytes % way_bytes for place in range(min(point.lines, 64))}
        fits = point.lines * 64 <= cache.size_bytes
        if fits and (point.lines > 64 or point.lines <= cache.ways * len(sets)):
            return hit_ns
    return LATENCY_NS[-1] * (1.5 if point.node not in (None, point.cpus[0]) else 1)


def measured(point: Point, *, counted: bool = False) -> Measured:
    ns = latency_ns(point)
    huge = point.pages is Pages.HUGE
    thread = ThreadChase(
        latency_ns=(ns * 1.02, ns, ns * 1.1),
        pages=PagesGot("transparent", 2 * MIB, 2 * MIB) if huge else PagesGot("small", 0, 4096),
        pages_by_node={0: 512},
        counts_per_step={
            "cycles": ns * 3 if counted else None,
            "instructions": 3.0 if counted else None,
        },
        counters_refused={} if counted else REFUSED,
    )
    return Measured(point, (thread,) * len(point.cpus))


def results(
    options: LabOptions = DEFAULTS,
    *,
    on: LabMachine | None = None,
    limit_bytes: int = 4 * GIB,
    counted: bool = False,
) -> LabResults:
    on = on or machine()
    sections = tuple(
        SectionResults(
            part.section,
            tuple(measured(point, counted=counted) for point in part.points),
            part.left_out,
            part.note,
        )
        for part in make_plan(on, options, limit_bytes)
    )
    return LabResults(on, limit_bytes, sections, 1.0, interrupted=False)


def without(whole: LabResults, *gone: Section) -> LabResults:
    """The results of a lab that was interrupted before some sections."""
    kept = tuple(each for each in whole.sections if each.section not in gone)
    return LabResults(whole.machine, whole.limit_bytes, kept, 1.0, interrupted=True)
