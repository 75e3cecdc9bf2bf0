"""The points of the memory lab: ring sizes, strides, threads and NUMA nodes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from harness.labs.memory.options import GIB, KIB, MIB, SMALLEST_BYTES, MemoryOptions
from harness.labs.memory.points import LINE_BYTES, ChaseOrder, RingPoint, SkippedPoint
from harness.labs.memory.program import Repeats
from harness.workload.machine import LabMachine
from stallscope.quantities import size_text

# Numbers of lines at each stride, around the number of ways that caches have.
LINE_COUNTS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 18, 20, 21, 24, 32)
# Powers of two from less than one way of a level 1 cache to more than one of level 2.
STRIDES = tuple(512 << shift for shift in range(12))
_ODD_STRIDES = (4 * KIB, 64 * KIB, 256 * KIB)  # each is also measured with one more line
# Each order with the distance of its lines: sequential, strided, random, random with prefetches.
STRIDED_BYTES = 256
ORDERS = (
    (ChaseOrder.ASCENDING, LINE_BYTES),
    (ChaseOrder.ASCENDING, STRIDED_BYTES),
    (ChaseOrder.RANDOM, LINE_BYTES),
    (ChaseOrder.PREFETCHED, LINE_BYTES),
)
_THREADS_FROM = 16 * KIB
_THREADS_TO = 256 * MIB
_THREADS_TOTAL = 4 * GIB  # of all rings together, enough to exceed every cache
_PARALLEL_FILLS = 8  # threads that fill their rings together without slowing each other down much
_FILL_NS_PER_BYTE = 1.0  # page faults, and linking a line of 64 bytes
_POINT_NS = 4e6  # start of threads, calibration, settling


class LabSection(StrEnum):
    """The experiments, in the order in which they run."""

    CURVE = "curve"
    STRIDES = "strides"
    THREADS = "threads"
    NODES = "nodes"
    ORDERS = "orders"


@dataclass(frozen=True, slots=True)
class PlanPart:
    """The points of a section, and those that need too much memory."""

    section: LabSection
    points: tuple[RingPoint, ...]
    left_out: tuple[SkippedPoint, ...]
    repeats: Repeats
    note: str = ""  # the reason if the section is empty

    @property
    def expected_s(self) -> float:
        """Return the expected time of the points."""
        return sum(expected_s(point, self.repeats) for point in self.points)


def expected_s(point: RingPoint, repeats: Repeats) -> float:
    """Return the expected time of one point in seconds."""
    repeats_ns = (repeats.count + 1) * repeats.repeat_ns
    filled_bytes = point.ring_bytes * max(1, len(point.cpus) / _PARALLEL_FILLS)
    return (_POINT_NS + repeats_ns + filled_bytes * _FILL_NS_PER_BYTE) / 1e9


def make_plan(
    machine: LabMachine, options: MemoryOptions, limit_bytes: int
) -> tuple[PlanPart, ...]:
    """Return the parts of the lab; points that exceed ``limit_bytes`` are left out."""
    long = Repeats(5, 1_000_000) if options.quick else Repeats(15, 1_500_000)
    short = Repeats(5, 200_000) if options.quick else Repeats(7, 400_000)
    parts = (
        PlanPart(LabSection.CURVE, tuple(_curve(machine, options)), (), long),
        PlanPart(LabSection.STRIDES, tuple(_strides(machine, options)), (), short),
        _threads(machine, options, long),
        _nodes(machine, options, long),
        PlanPart(LabSection.ORDERS, tuple(_orders(machine, options)), (), long),
    )
    why = f"more than the lab's limit of {size_text(limit_bytes)}, a quarter of available memory"
    return tuple(_within(part, limit_bytes, why) for part in parts)


def ring_sizes(smallest: int, largest: int, dense_to: int) -> Iterator[int]:
    """Yield ring sizes: four per octave up to ``dense_to``, then one; ``largest`` is the last."""
    octave = SMALLEST_BYTES
    while octave <= largest:
        steps = (4, 5, 6, 7) if octave < dense_to else (4,)
        yield from (size for step in steps if smallest <= (size := octave * step // 4) < largest)
        octave *= 2
    yield largest


def largest_cache(machine: LabMachine) -> int:
    """Return the size of the largest cache in sysfs; 32 MiB if sysfs has none."""
    return max((cache.size_bytes for cache in machine.caches), default=32 * MIB)


def _curve(machine: LabMachine, options: MemoryOptions) -> Iterator[RingPoint]:
    beyond = max(64 * MIB, 4 * largest_cache(machine))
    largest = min(options.max_bytes, beyond) if options.quick else options.max_bytes
    cpus = machine.cpus[:1]
    first, *others = options.pages
    for index, size in enumerate(ring_sizes(options.min_bytes, largest, beyond)):
        yield RingPoint(size // LINE_BYTES, LINE_BYTES, first, cpus)
        # Levels are detected with the first page size; a part of the rings shows the cost of the
        # other one.
        if index % (4 if options.quick else 2) == 0 or size == largest:
            for pages in others:
                yield RingPoint(size // LINE_BYTES, LINE_BYTES, pages, cpus)


def _strides(machine: LabMachine, options: MemoryOptions) -> Iterator[RingPoint]:
    strides: Sequence[int] = options.strides
    if not strides:
        powers = STRIDES[3::2] if options.quick else STRIDES
        strides = sorted({*powers, *(stride + LINE_BYTES for stride in _ODD_STRIDES)})
    for stride in strides:
        for lines in LINE_COUNTS:
            yield RingPoint(lines, stride, options.pages[0], machine.cpus[:1])


def _threads(machine: LabMachine, options: MemoryOptions, repeats: Repeats) -> PlanPart:
    largest = len(machine.cpus)
    counts = options.threads or tuple(sorted({*_powers_to(largest), largest}))
    if counts == (1,):
        note = "--threads is 1" if options.threads else "there is only one usable CPU"
        return PlanPart(LabSection.THREADS, (), (), repeats, note)
    octaves = _powers_to(min(options.max_bytes, _THREADS_TO) // _THREADS_FROM)
    sizes = [_THREADS_FROM * power for power in octaves][:: 2 if options.quick else 1]
    points = (
        RingPoint(size // LINE_BYTES, LINE_BYTES, options.pages[0], machine.cpus[:count])
        for size in sizes
        if size >= options.min_bytes
        for count in counts
    )
    why = f"more than the limit of {size_text(_THREADS_TOTAL)} for all threads together"
    return _within(PlanPart(LabSection.THREADS, tuple(points), (), repeats), _THREADS_TOTAL, why)


def _powers_to(largest: int) -> tuple[int, ...]:
    return tuple(1 << shift for shift in range(largest.bit_length()))


def _nodes(machine: LabMachine, options: MemoryOptions, repeats: Repeats) -> PlanPart:
    if len(machine.nodes) == 1:
        return PlanPart(LabSection.NODES, (), (), repeats, "this machine has one NUMA node")
    size = min(options.max_bytes, max(64 * MIB, 4 * largest_cache(machine)))
    points = (
        RingPoint(size // LINE_BYTES, LINE_BYTES, options.pages[0], near.cpus[:1], far.number)
        for near in machine.nodes
        for far in machine.nodes
        if near.cpus and far.has_memory
    )
    return PlanPart(LabSection.NODES, tuple(points), (), repeats)


def _orders(machine: LabMachine, options: MemoryOptions) -> Iterator[RingPoint]:
    """Yield rings of a size per level, in every order, so that the prefetcher's effect shows."""
    beyond = max(64 * MIB, 4 * largest_cache(machine))
    sizes = [cache.size_bytes // 2 for cache in machine.caches] + [min(beyond, options.max_bytes)]
    for size in sorted({size for size in sizes if options.min_bytes <= size <= options.max_bytes}):
        for order, stride in ORDERS:
            yield RingPoint(
                lines=max(2, size // stride),
                stride_bytes=stride,
                pages=options.pages[0],
                cpus=machine.cpus[:1],
                order=order,
            )


def _within(part: PlanPart, limit_bytes: int, why: str) -> PlanPart:
    """Return the part without the points whose rings exceed the limit."""
    fits = tuple(point for point in part.points if point.total_bytes <= limit_bytes)
    others = (point for point in part.points if point.total_bytes > limit_bytes)
    left_out = (*part.left_out, *(SkippedPoint(point, why) for point in others))
    return replace(part, points=fits, left_out=left_out)
