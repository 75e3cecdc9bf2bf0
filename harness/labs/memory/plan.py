"""Which points the memory lab measures: ring sizes, strides, threads and NUMA nodes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from harness.labs.memory.points import LINE_BYTES, LeftOut, Pages, Point
from harness.labs.memory.program import Pace
from harness.workload.machine import LabMachine
from stallscope.quantities import size_text

KIB, MIB, GIB = 2**10, 2**20, 2**30
SMALLEST_BYTES = 4 * KIB
# How many lines stand at each stride: around the ways that caches have.
LINE_COUNTS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 18, 20, 21, 24, 32)
# Powers of two from below one way of a level 1 cache to beyond one of level 2.
STRIDES = tuple(512 << shift for shift in range(12))
_ODD_STRIDES = (4 * KIB, 64 * KIB, 256 * KIB)  # each is walked with one line more as well
_THREADS_FROM = 16 * KIB
_THREADS_TO = 256 * MIB
_THREADS_TOTAL = 4 * GIB  # of all rings at once: many threads need no more to leave every cache
_PARALLEL = 8  # threads that fill their rings at the same time without slowing each other much
_BUILD_NS_PER_BYTE = 1.0  # page faults, and linking a line of 64 bytes
_POINT_NS = 4e6  # threads, calibration, settling


class Section(StrEnum):
    """The experiments, in the order in which they run."""

    CURVE = "curve"
    STRIDES = "strides"
    THREADS = "threads"
    NODES = "nodes"


@dataclass(frozen=True, slots=True)
class LabOptions:
    """What is asked for; empty tuples stand for the defaults."""

    least_bytes: int = SMALLEST_BYTES
    most_bytes: int = GIB
    pages: tuple[Pages, ...] = (Pages.HUGE, Pages.SMALL)
    strides: tuple[int, ...] = ()
    threads: tuple[int, ...] = ()
    quick: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """One section's points and pace, and those that memory does not allow."""

    section: Section
    points: tuple[Point, ...]
    left_out: tuple[LeftOut, ...]
    pace: Pace
    note: str = ""  # why the section is empty

    @property
    def expected_s(self) -> float:
        """Return an estimate of the time the points take."""
        return sum(expected_s(point, self.pace) for point in self.points)


def expected_s(point: Point, pace: Pace) -> float:
    """Return an estimate of one point's time in seconds."""
    repeats_ns = (pace.repeats + 1) * pace.repeat_ns
    filled_bytes = point.ring_bytes * max(1, len(point.cpus) / _PARALLEL)
    return (_POINT_NS + repeats_ns + filled_bytes * _BUILD_NS_PER_BYTE) / 1e9


def make_plan(machine: LabMachine, options: LabOptions, limit_bytes: int) -> tuple[Part, ...]:
    """Return the parts to be measured, each with what does not fit ``limit_bytes`` left out."""
    pace = Pace(5, 1_000_000) if options.quick else Pace(15, 1_500_000)
    short = Pace(5, 200_000) if options.quick else Pace(7, 400_000)
    parts = (
        Part(Section.CURVE, tuple(_curve(machine, options)), (), pace),
        Part(Section.STRIDES, tuple(_strides(machine, options)), (), short),
        _threads(machine, options, pace),
        _nodes(machine, options, pace),
    )
    why = f"more than the {size_text(limit_bytes)} that the lab may take: a quarter of what is free"
    return tuple(_within(part, limit_bytes, why) for part in parts)


def ring_sizes(least: int, most: int, dense_to: int) -> Iterator[int]:
    """Yield ring sizes: four an octave up to ``dense_to``, then one; ``most`` is the last."""
    octave = SMALLEST_BYTES
    while octave <= most:
        steps = (4, 5, 6, 7) if octave < dense_to else (4,)
        yield from (size for step in steps if least <= (size := octave * step // 4) < most)
        octave *= 2
    yield most


def largest_cache(machine: LabMachine) -> int:
    """Return the size of the largest cache in sysfs; 32 MiB where none is told."""
    return max((cache.size_bytes for cache in machine.caches), default=32 * MIB)


def _curve(machine: LabMachine, options: LabOptions) -> Iterator[Point]:
    beyond = max(64 * MIB, 4 * largest_cache(machine))
    most = min(options.most_bytes, beyond) if options.quick else options.most_bytes
    cpus = machine.cpus[:1]
    first, *others = options.pages
    for place, size in enumerate(ring_sizes(options.least_bytes, most, beyond)):
        yield Point(size // LINE_BYTES, LINE_BYTES, first, cpus)
        # Levels are looked for with the first kind of pages; some of the rings will do for what
        # the other kind costs.
        if place % (4 if options.quick else 2) == 0 or size == most:
            for pages in others:
                yield Point(size // LINE_BYTES, LINE_BYTES, pages, cpus)


def _strides(machine: LabMachine, options: LabOptions) -> Iterator[Point]:
    strides: Sequence[int] = options.strides
    if not strides:
        powers = STRIDES[3::2] if options.quick else STRIDES
        strides = sorted({*powers, *(stride + LINE_BYTES for stride in _ODD_STRIDES)})
    for stride in strides:
        for lines in LINE_COUNTS:
            yield Point(lines, stride, options.pages[0], machine.cpus[:1])


def _threads(machine: LabMachine, options: LabOptions, pace: Pace) -> Part:
    most = len(machine.cpus)
    counts = options.threads or tuple(sorted({*_powers_to(most), most}))
    if counts == (1,):
        note = "one thread was asked for" if options.threads else "there is one CPU to use"
        return Part(Section.THREADS, (), (), pace, note)
    octaves = _powers_to(min(options.most_bytes, _THREADS_TO) // _THREADS_FROM)
    sizes = [_THREADS_FROM * power for power in octaves][:: 2 if options.quick else 1]
    points = (
        Point(size // LINE_BYTES, LINE_BYTES, options.pages[0], machine.cpus[:count])
        for size in sizes
        if size >= options.least_bytes
        for count in counts
    )
    why = f"more than the {size_text(_THREADS_TOTAL)} that all threads take together"
    return _within(Part(Section.THREADS, tuple(points), (), pace), _THREADS_TOTAL, why)


def _powers_to(most: int) -> tuple[int, ...]:
    return tuple(1 << shift for shift in range(most.bit_length()))


def _nodes(machine: LabMachine, options: LabOptions, pace: Pace) -> Part:
    if len(machine.nodes) == 1:
        return Part(Section.NODES, (), (), pace, "this machine has one NUMA node")
    size = min(options.most_bytes, max(64 * MIB, 4 * largest_cache(machine)))
    points = (
        Point(size // LINE_BYTES, LINE_BYTES, options.pages[0], near.cpus[:1], far.number)
        for near in machine.nodes
        for far in machine.nodes
        if near.cpus and far.has_memory
    )
    return Part(Section.NODES, tuple(points), (), pace)


def _within(part: Part, limit_bytes: int, why: str) -> Part:
    """Return the part without the points whose rings take more than that."""
    fits = tuple(point for point in part.points if point.total_bytes <= limit_bytes)
    others = (point for point in part.points if point.total_bytes > limit_bytes)
    left_out = (*part.left_out, *(LeftOut(point, why) for point in others))
    return replace(part, points=fits, left_out=left_out)
