"""A result of the memory lab for the terminal: levels, curve with bars, strides, threads, nodes."""

from collections.abc import Iterator, Mapping, Sequence
from math import log2
from statistics import median

from harness.cli.terminal import printable, wrapped
from harness.labs.memory.caches import SMALLER
from harness.labs.memory.plan import ORDERS, STRIDED_BYTES
from harness.labs.memory.points import LINE_BYTES, ChaseOrder, Pages
from harness.labs.memory.result import (
    MemoryCounters,
    MemoryPoint,
    MemoryResult,
    MemorySection,
)
from harness.recordings.settings_text import settings_lines
from stallscope.quantities import size_text

_BAR = "█"
_NOT_MEASURED = "nothing was measured"
GROWTH_MARK = 1.25  # growth of a count per step above which it is marked
MIN_COUNT = 1e-3  # per step; a rarer event has no meaningful growth
_MAX_THREAD_LINES = 8  # with more threads their medians are shown
# Short names of the kernel's generic events.
_HEADS = {
    "l1d_read_misses": "L1D misses",
    "last_level_misses": "LLC misses",
    "dtlb_read_misses": "DTLB misses",
}


def lines(result: MemoryResult, room: int) -> Iterator[str]:
    """Yield the lines for a terminal ``room`` columns wide."""
    machine = result.machine
    yield (
        f"Latency of a load on CPU {machine.cpus[0]}, {printable(machine.cpu)}: measured, in "
        "nanoseconds."
    )
    yield from wrapped(
        f"Lines of a ring are read in random order. Huge pages: {result.huge_pages}.", room
    )
    for title, body in (
        ("Levels", _levels(result)),
        (
            "Latency by ring size, fastest repeat (median); bars are logarithmic",
            _curve(result.curve, room),
        ),
        ("Latency by stride and number of lines", _strides(result, room)),
        ("Latency by threads, with a private ring per thread", _threads(result, room)),
        ("Latency by NUMA nodes", _nodes(result.nodes)),
        ("Latency by order of the lines, and what prefetching gains", _orders(result.orders)),
    ):
        yield ""
        yield title
        yield from (f"  {line}".rstrip() for line in body)
    yield from _closing(result, room)


def stride_text(stride_bytes: int) -> str:
    """Return the size of a stride; an odd one is written as a power of two plus a line."""
    base = stride_bytes - LINE_BYTES
    if base > 0 and base & (base - 1) == 0 and stride_bytes & (stride_bytes - 1):
        return f"{size_text(base)}+{LINE_BYTES}"
    return size_text(stride_bytes)


def _levels(result: MemoryResult) -> Iterator[str]:
    if not any(level.detected for level in result.levels):
        yield "too few rings were measured to detect levels"
    yield f"{'':8}{'latency':>9}  {'ends between':<22}{'sysfs':>9}  confidence"
    for row in result.levels:
        level = row.detected
        latency = f"{level.latency_ns:.2f} ns" if level else "-"
        ends = ""
        if level and level.exceeds_bytes:
            ends = f"{size_text(level.fits_bytes)} and {size_text(level.exceeds_bytes)}"
        size = size_text(row.sysfs_bytes) if row.sysfs_bytes else "-"
        confidence = (level.confidence or "") if level else ""
        yield f"{row.name:8}{latency:>9}  {ends:<22}{size:>9}  {confidence:<10}  {row.verdict}"
    if any(row.verdict == SMALLER for row in result.levels):
        yield "A cache smaller than in sysfs is shared, or this guest has only a part of it."


def _curve(section: MemorySection, room: int) -> Iterator[str]:
    """Yield a line per octave; document and picture have the rings in between as well."""
    kinds = [pages for pages in Pages if any(point.pages is pages for point in section.points)]
    if not kinds:
        yield section.note or _NOT_MEASURED
        return
    by_size: dict[int, dict[Pages, MemoryPoint]] = {}
    for point in section.points:
        by_size.setdefault(point.ring_bytes, {})[point.pages] = point
    largest = max(point.min_ns for point in section.points)
    smallest = min(point.min_ns for point in section.points)
    bar_room = max(10, min(40, room - 46))
    head = "".join(f"{f'{kind.value} pages':>18}" for kind in kinds)
    yield f"{'ring':>9}{head}"
    for size, points in sorted(by_size.items()):
        if size & (size - 1) and size != max(by_size):
            continue
        cells = "".join(_cell(points.get(kind)) for kind in kinds)
        first = points.get(kinds[0])
        share = log2(first.min_ns / smallest) / max(log2(largest / smallest), 1e-9) if first else 0
        yield f"{size_text(size):>9}{cells}  {_BAR * round(1 + share * (bar_room - 1))}".rstrip()


def _cell(point: MemoryPoint | None) -> str:
    return f"{f'{point.min_ns:.2f} ({point.median_ns:.2f})' if point else '-':>18}"


def _strides(result: MemoryResult, room: int) -> Iterator[str]:
    section = result.strides
    if not section.points:
        yield section.note or _NOT_MEASURED
        return
    counts = _thinned(sorted({point.lines for point in section.points}), (room - 14) // 7)
    latency_ns = {(point.stride_bytes, point.lines): point.min_ns for point in section.points}
    yield f"{'lines:':>12}" + "".join(f"{count:>7}" for count in counts)
    for stride in sorted({stride for stride, _ in latency_ns}):
        cells = (latency_ns.get((stride, count)) for count in counts)
        row = "".join(f"{cell:>7.2f}" if cell is not None else f"{'-':>7}" for cell in cells)
        yield f"{stride_text(stride):>12}{row}"
    for ways in result.ways:
        sysfs = f"; sysfs: {ways.sysfs_ways} ways" if ways.sysfs_ways else ""
        yield (
            f"L{ways.level} holds {ways.fits_lines} lines, not {ways.exceeds_lines}, at strides "
            f"from {size_text(ways.way_bytes)} on: it has {ways.fits_lines} ways{sysfs}"
        )
    if not result.ways:
        yield "no stride makes a few lines evict each other: associativity is not visible"


def _thinned(counts: Sequence[int], largest: int) -> list[int]:
    """Return at most ``most`` of the counts, at least three, with the first and the last."""
    largest = max(3, largest)
    if len(counts) <= largest:
        return list(counts)
    step = (len(counts) - 1) / (largest - 1)
    return [counts[round(index * step)] for index in range(largest)]


def _threads(result: MemoryResult, room: int) -> Iterator[str]:
    section = result.threads
    counts = sorted({len(point.cpus) for point in section.points})
    if not counts:
        yield section.note or _NOT_MEASURED
        return
    counts = _thinned(counts, (room - 11) // 12)
    points = {(point.ring_bytes, len(point.cpus)): point for point in section.points}
    yield f"{'ring':>9}" + "".join(
        f"{f'{count} thread' + ('s' if count > 1 else ''):>12}" for count in counts
    )
    for size in sorted({size for size, _ in points}):
        cells = (points.get((size, count)) for count in counts)
        row = "".join(f"{cell.min_ns:>12.2f}" if cell else f"{'-':>12}" for cell in cells)
        yield f"{size_text(size):>9}{row}"
    yield from _counters(section, result.counters)


def _counters(section: MemorySection, counters: MemoryCounters) -> Iterator[str]:
    """Yield the table of counts per step by ring and thread, or why there is none."""
    yield ""
    if not counters.counted:
        reasons = ", ".join(sorted(set(counters.refused.values())))
        yield f"counters: unavailable ({printable(reasons)}): see stallscope doctor"
        return
    first_counts: dict[int, dict[str, float | None]] = {}
    heads = "".join(f"{_HEADS.get(name, name)[:13]:>14}" for name in counters.counted)
    yield f"{'per step:':>9}{'thread':>15}{heads}"
    for point in section.points:
        base = first_counts.setdefault(point.ring_bytes, _median_counts(point))
        for label, counts in _thread_counts(point):
            row = "".join(
                f"{_count_cell(counts.get(name), base.get(name)):>14}" for name in counters.counted
            )
            yield f"{size_text(point.ring_bytes):>9}{label:>15}{row}"
    yield f"!: more than {GROWTH_MARK:g} times the count of the first number of threads"
    for name, why in counters.refused.items():
        yield f"{_HEADS.get(name, name)}: unavailable ({printable(why)})"


def _thread_counts(point: MemoryPoint) -> Iterator[tuple[str, Mapping[str, float | None]]]:
    """Yield the counts of each thread, or the medians of many; the document has all."""
    total = len(point.threads)
    if total <= _MAX_THREAD_LINES:
        for number, thread in enumerate(point.threads, 1):
            yield f"{number} of {total}", thread.counts_per_step
        return
    yield f"median of {total}", _median_counts(point)


def _median_counts(point: MemoryPoint) -> dict[str, float | None]:
    medians: dict[str, float | None] = {}
    for name in point.threads[0].counts_per_step:
        counts = [thread.counts_per_step.get(name) for thread in point.threads]
        numbers = [count for count in counts if count is not None]
        medians[name] = median(numbers) if numbers else None
    return medians


def _count_cell(count: float | None, first: float | None) -> str:
    if count is None:
        return "-"
    grows = first is not None and first >= MIN_COUNT and count > GROWTH_MARK * first
    return f"{count:.3f}{'!' if grows else ''}"


def _nodes(section: MemorySection) -> Iterator[str]:
    nodes = sorted({point.node for point in section.points if point.node is not None})
    if not nodes:
        yield section.note or _NOT_MEASURED
        return
    points = {(point.cpus[0], point.node): point for point in section.points}
    yield f"{'':>9}" + "".join(f"{f'memory {node}':>12}" for node in nodes)
    for cpu in sorted({cpu for cpu, _ in points}):
        cells = (points.get((cpu, node)) for node in nodes)
        row = "".join(f"{cell.min_ns:>12.2f}" if cell else f"{'-':>12}" for cell in cells)
        yield f"{f'CPU {cpu}':>9}{row}"


def _orders(section: MemorySection) -> Iterator[str]:
    """Yield a line per size: sequential and strided show the CPU's prefetchers at work."""
    if not section.points:
        yield section.note or _NOT_MEASURED
        return
    heads = ("sequential", f"strided {STRIDED_BYTES} B", "random", "with prefetches")
    yield f"{'ring':>9}" + "".join(f"{head:>17}" for head in heads)
    points = {
        (point.ring_bytes, point.order, point.stride_bytes): point.min_ns
        for point in section.points
    }
    for size in sorted({size for size, _, _ in points}):
        row = [points.get((size, order, stride)) for order, stride in ORDERS]
        random_ns = points.get((size, ChaseOrder.RANDOM, LINE_BYTES))
        cells = "".join(_order_cell(latency_ns, random_ns) for latency_ns in row)
        yield f"{size_text(size):>9}{cells}"


def _order_cell(latency_ns: float | None, random_ns: float | None) -> str:
    if latency_ns is None:
        return f"{'-':>17}"
    gain = f" ({random_ns / latency_ns:.1f}x)" if random_ns and latency_ns != random_ns else ""
    return f"{f'{latency_ns:.2f}{gain}':>17}"


def _closing(result: MemoryResult, room: int) -> Iterator[str]:
    notes = [f"warning: {warning}" for warning in result.warnings]
    for name, section in result.sections.items():
        sizes_by_reason: dict[str, list[str]] = {}
        for point in section.left_out:
            threads = len(point.cpus)
            size = size_text(point.ring_bytes) + (f" in {threads} threads" * (threads > 1))
            sizes_by_reason.setdefault(point.why, []).append(size)
        notes += [
            f"left out of {name}: rings of {', '.join(dict.fromkeys(sizes))}: {printable(why)}"
            for why, sizes in sizes_by_reason.items()
        ]
    if result.interrupted:
        notes.append("interrupted: only the points measured before are shown")
    if notes:
        yield ""
    for note in notes:
        yield from wrapped(note, room, "  ")
    yield from settings_lines(result.settings, room)
