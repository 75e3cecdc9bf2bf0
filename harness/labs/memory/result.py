"""The result of `stallscope lab memory`: levels, ways, and all points by section."""

from typing import Literal, TypeVar

from msgspec import convert
from msgspec.structs import asdict

from cstates.fingerprint import Fingerprint
from harness.labs.memory.associativity import CacheWays
from harness.labs.memory.caches import CacheRow
from harness.labs.memory.findings import MemoryFindings, memory_findings
from harness.labs.memory.levels import Confidence
from harness.labs.memory.measurement import MemoryMeasurement, SectionReadings
from harness.labs.memory.plan import LabSection
from harness.labs.memory.points import (
    ChaseOrder,
    Pages,
    PointReading,
    SkippedPoint,
    ThreadPointReading,
)
from stallscope.documents import Amount, Count, Document, Natural, Record

T = TypeVar("T", bound=Record)


class SysfsCache(Record, frozen=True, kw_only=True):
    """A cache of the first CPU in sysfs."""

    level: Natural
    size_bytes: Count
    ways: Count | None
    line_bytes: Count | None
    shared_cpus: str | None


class MemoryNode(Record, frozen=True, kw_only=True):
    """A NUMA node with its usable CPUs."""

    node: Count
    cpus: tuple[Count, ...]


class MemoryMachine(Record, frozen=True, kw_only=True):
    """The machine, limited to the CPUs of the lab."""

    cpu: str
    cpus: tuple[Count, ...]
    nodes: tuple[MemoryNode, ...]
    caches: tuple[SysfsCache, ...]
    memory_limit_bytes: Count


class DetectedLevel(Record, frozen=True, kw_only=True):
    """A level of memory in the latency curve; the last level has no end."""

    latency_ns: Amount
    first_bytes: Count | None = None  # the smallest ring on the plateau
    fits_bytes: Count
    exceeds_bytes: Count | None
    confidence: Confidence | None
    noise: Amount


class LabMemoryLevel(Record, frozen=True, kw_only=True):
    """A level, as detected and as in sysfs; either may be None."""

    name: str
    detected: DetectedLevel | None
    sysfs_bytes: Count | None
    verdict: str


class MemoryWays(Record, frozen=True, kw_only=True):
    """The number of lines of one set that a level holds."""

    level: Natural
    fits_lines: Count
    exceeds_lines: Count
    way_bytes: Count
    sysfs_ways: Count | None


class MemoryCounters(Record, frozen=True, kw_only=True):
    """The hardware counters: those that counted, and the reasons of those that were refused."""

    kind: Literal["measured", "unavailable"]
    counted: tuple[str, ...]
    refused: dict[str, str]


class MemoryThread(Record, frozen=True, kw_only=True):
    """Latencies and counters of one thread."""

    latency_ns: tuple[Amount, ...]  # per step, by repeat
    obtained_pages: str
    huge_bytes: Count
    page_bytes: Count
    pages_by_node: dict[str, Count]
    counts_per_step: dict[str, Amount | None]


class MemoryRing(Record, frozen=True, kw_only=True):
    """A ring of lines, and the CPUs that walk it."""

    ring_bytes: Count
    lines: Count
    stride_bytes: Count
    pages: Pages  # requested
    cpus: tuple[Count, ...]
    node: Count | None
    order: ChaseOrder = ChaseOrder.RANDOM


class MemoryPoint(MemoryRing, frozen=True, kw_only=True):
    """A measured point; with several threads a latency is the median over threads."""

    kind: Literal["measured"] = "measured"
    min_ns: Amount
    median_ns: Amount
    max_ns: Amount
    threads: tuple[MemoryThread, ...]


class MemorySkippedPoint(MemoryRing, frozen=True, kw_only=True):
    """A point that was not measured, with the reason."""

    why: str


class MemorySection(Record, frozen=True, kw_only=True):
    """The points of a section; ``note`` is the reason if it is empty."""

    points: tuple[MemoryPoint, ...]
    left_out: tuple[MemorySkippedPoint, ...]
    note: str | None


class MemoryResult(Document, frozen=True, kw_only=True, tag="stallscope.lab.memory/1"):
    """Latencies in ns per step, sizes in bytes; an unknown value is None."""

    machine: MemoryMachine
    settings: Fingerprint | None
    seconds: Amount
    interrupted: bool
    warnings: tuple[str, ...]
    huge_pages: str
    levels_from: Pages | None
    levels: tuple[LabMemoryLevel, ...]
    ways: tuple[MemoryWays, ...]
    counters: MemoryCounters
    curve: MemorySection
    strides: MemorySection
    threads: MemorySection
    nodes: MemorySection
    orders: MemorySection = MemorySection(points=(), left_out=(), note=None)

    @property
    def sections(self) -> dict[LabSection, MemorySection]:
        """Return the sections in the order in which they ran."""
        values = (self.curve, self.strides, self.threads, self.nodes, self.orders)
        return dict(zip(LabSection, values, strict=True))


def memory_result(lab: MemoryMeasurement, cpu_model: str) -> MemoryResult:
    """Return the result of a measurement."""
    findings = memory_findings(lab)
    return MemoryResult(
        machine=_machine(lab, cpu_model),
        settings=lab.settings,
        seconds=lab.seconds,
        interrupted=lab.interrupted,
        warnings=findings.warnings,
        huge_pages=findings.huge_pages,
        levels_from=findings.levels_from,
        levels=tuple(map(_level, findings.rows)),
        ways=tuple(map(_ways, findings.ways)),
        counters=_counters(findings),
        curve=_section(lab.section(LabSection.CURVE)),
        strides=_section(lab.section(LabSection.STRIDES)),
        threads=_section(lab.section(LabSection.THREADS)),
        nodes=_section(lab.section(LabSection.NODES)),
        orders=_section(lab.section(LabSection.ORDERS)),
    )


def _machine(lab: MemoryMeasurement, cpu_model: str) -> MemoryMachine:
    machine = lab.machine
    return MemoryMachine(
        cpu=cpu_model,
        cpus=machine.cpus,
        nodes=tuple(MemoryNode(node=node.number, cpus=node.cpus) for node in machine.nodes),
        caches=tuple(_record(SysfsCache, cache) for cache in machine.caches),
        memory_limit_bytes=lab.limit_bytes,
    )


def _level(row: CacheRow) -> LabMemoryLevel:
    return LabMemoryLevel(
        name=row.name,
        detected=None if row.level is None else _record(DetectedLevel, row.level),
        sysfs_bytes=None if row.cache is None else row.cache.size_bytes,
        verdict=row.verdict,
    )


def _ways(ways: CacheWays) -> MemoryWays:
    return MemoryWays(
        level=ways.level,
        fits_lines=ways.fits,
        exceeds_lines=ways.exceeds,
        way_bytes=ways.way_bytes,
        sysfs_ways=ways.sysfs_ways,
    )


def _counters(findings: MemoryFindings) -> MemoryCounters:
    return MemoryCounters(
        kind="measured" if findings.counters else "unavailable",
        counted=findings.counters,
        refused=findings.counters_refused,
    )


def _section(section: SectionReadings) -> MemorySection:
    return MemorySection(
        points=tuple(map(_point, section.readings)),
        left_out=tuple(map(_skipped_point, section.left_out)),
        note=section.note or None,
    )


def _point(reading: PointReading) -> MemoryPoint:
    return MemoryPoint(
        **asdict(_record(MemoryRing, reading.point)),
        min_ns=reading.min_ns,
        median_ns=reading.median_ns,
        max_ns=reading.max_ns,
        threads=tuple(map(_thread, reading.threads)),
    )


def _thread(thread: ThreadPointReading) -> MemoryThread:
    return MemoryThread(
        latency_ns=thread.latency_ns,
        obtained_pages=thread.pages.kind,
        huge_bytes=thread.pages.huge_bytes,
        page_bytes=thread.pages.page_bytes,
        pages_by_node={str(node): pages for node, pages in thread.pages_by_node.items()},
        counts_per_step=dict(thread.counts_per_step),
    )


def _skipped_point(skipped: SkippedPoint) -> MemorySkippedPoint:
    return MemorySkippedPoint(**asdict(_record(MemoryRing, skipped.point)), why=skipped.why)


def _record(kind: type[T], source: object) -> T:
    """Return a record with the attributes of the same names of a measured object."""
    return convert(source, kind, from_attributes=True)
