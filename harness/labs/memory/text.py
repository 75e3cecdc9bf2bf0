"""The memory lab's results for people: levels, the curve with bars, strides, threads, nodes."""

from collections.abc import Iterator, Mapping, Sequence
from math import log2
from statistics import median

from harness.cli.terminal import printable, wrapped
from harness.labs.memory.caches import SMALLER
from harness.labs.memory.experiment import LabResults, SectionResults
from harness.labs.memory.findings import Findings
from harness.labs.memory.plan import Section
from harness.labs.memory.points import LINE_BYTES, Measured, Pages
from harness.recordings.settings_text import settings_lines
from stallscope.quantities import size_text

_BAR = "█"
_MOST_THREADS = 8  # that have a line of counts each
# What the kernel's generic events are called where room is short.
_HEADS = {
    "l1d_read_misses": "L1D misses",
    "last_level_misses": "LLC misses",
    "dtlb_read_misses": "DTLB misses",
}


def lines(results: LabResults, findings: Findings, cpu_model: str, room: int) -> Iterator[str]:
    """Yield the lines of the whole result, for a terminal ``room`` columns wide."""
    cpu = results.machine.cpus[0]
    yield f"Latency of a load on CPU {cpu}, {printable(cpu_model)}: measured, in nanoseconds."
    yield from wrapped(
        f"Each ring's lines are walked in random order. Huge pages: {findings.pages_got}.",
        room,
    )
    for title, body in (
        ("Levels", _levels(findings)),
        (
            "Latency by ring size, least (median) of the repeats; bars are logarithmic",
            _curve(results.section(Section.CURVE), room),
        ),
        ("Latency by stride and lines", _strides(results.section(Section.STRIDES), findings, room)),
        ("Latency by threads, each with a ring of its own", _threads(results, findings, room)),
        ("Latency by NUMA nodes", _nodes(results.section(Section.NODES))),
    ):
        yield ""
        yield title
        yield from (f"  {line}".rstrip() for line in body)
    yield from _closing(results, findings, room)


def _levels(findings: Findings) -> Iterator[str]:
    if not findings.levels:
        yield "too few rings were measured to look for levels"
    yield f"{'':8}{'latency':>9}  {'ends between':<22}{'sysfs':>9}  confidence"
    for row in findings.rows:
        level = row.found
        latency = f"{level.latency_ns:.2f} ns" if level else "-"
        ends = ""
        if level and level.exceeds_bytes:
            ends = f"{size_text(level.fits_bytes)} and {size_text(level.exceeds_bytes)}"
        told = size_text(row.told.size_bytes) if row.told else "-"
        confidence = (level.confidence or "") if level else ""
        yield f"{row.name:8}{latency:>9}  {ends:<22}{told:>9}  {confidence:<10}  {row.verdict}"
    if any(row.verdict == SMALLER for row in findings.rows):
        yield "A cache smaller than sysfs says is shared, or not all given to this guest."


def _curve(section: SectionResults, room: int) -> Iterator[str]:
    """Yield a line for each octave; the rings between are in the document and the picture."""
    kinds = [pages for pages in Pages if any(e.point.pages is pages for e in section.measured)]
    if not kinds:
        yield section.note or "nothing was measured"
        return
    by_size: dict[int, dict[Pages, Measured]] = {}
    for each in section.measured:
        by_size.setdefault(each.point.ring_bytes, {})[each.point.pages] = each
    most = max(each.least_ns for each in section.measured)
    least = min(each.least_ns for each in section.measured)
    bar_room = max(10, min(40, room - 46))
    head = "".join(f"{f'{kind.value} pages':>18}" for kind in kinds)
    yield f"{'ring':>9}{head}"
    for size, found in sorted(by_size.items()):
        if size & (size - 1) and size != max(by_size):
            continue
        cells = "".join(_cell(found.get(kind)) for kind in kinds)
        shown = found.get(kinds[0])
        share = log2(shown.least_ns / least) / max(log2(most / least), 1e-9) if shown else 0
        yield f"{size_text(size):>9}{cells}  {_BAR * round(1 + share * (bar_room - 1))}".rstrip()


def _cell(each: Measured | None) -> str:
    return f"{f'{each.least_ns:.2f} ({each.median_ns:.2f})' if each else '-':>18}"


def _strides(section: SectionResults, findings: Findings, room: int) -> Iterator[str]:
    if not section.measured:
        yield section.note or "nothing was measured"
        return
    counts = _spread(sorted({each.point.lines for each in section.measured}), (room - 14) // 7)
    found = {(e.point.stride_bytes, e.point.lines): e.least_ns for e in section.measured}
    yield f"{'lines:':>12}" + "".join(f"{count:>7}" for count in counts)
    for stride in sorted({stride for stride, _ in found}):
        cells = (found.get((stride, count)) for count in counts)
        row = "".join(f"{cell:>7.2f}" if cell is not None else f"{'-':>7}" for cell in cells)
        yield f"{stride_text(stride):>12}{row}"
    for ways in findings.ways:
        told = f"; sysfs: {ways.told} ways" if ways.told else ""
        yield (
            f"L{ways.level} holds {ways.fits} lines, not {ways.exceeds}, at strides from "
            f"{size_text(ways.way_bytes)} on: that many ways{told}"
        )
    if not findings.ways:
        yield "no stride makes few lines evict one another: associativity does not show"


def _spread(counts: Sequence[int], most: int) -> list[int]:
    """Return at most so many of the counts, three at least, the first and last among them."""
    most = max(3, most)
    if len(counts) <= most:
        return list(counts)
    step = (len(counts) - 1) / (most - 1)
    return [counts[round(place * step)] for place in range(most)]


def stride_text(stride: int) -> str:
    """Return a stride's size; of an odd one as what it is beyond a power of two."""
    base = stride - LINE_BYTES
    if base > 0 and base & (base - 1) == 0 and stride & (stride - 1):
        return f"{size_text(base)}+{LINE_BYTES}"
    return size_text(stride)


def _threads(results: LabResults, findings: Findings, room: int) -> Iterator[str]:
    section = results.section(Section.THREADS)
    counts = sorted({len(each.point.cpus) for each in section.measured})
    if not counts:
        yield section.note or "nothing was measured"
        return
    counts = _spread(counts, (room - 11) // 12)
    found = {(e.point.ring_bytes, len(e.point.cpus)): e for e in section.measured}
    yield f"{'ring':>9}" + "".join(
        f"{f'{count} thread' + ('s' if count > 1 else ''):>12}" for count in counts
    )
    for size in sorted({size for size, _ in found}):
        cells = (found.get((size, count)) for count in counts)
        row = "".join(f"{cell.least_ns:>12.2f}" if cell else f"{'-':>12}" for cell in cells)
        yield f"{size_text(size):>9}{row}"
    yield from _counters(section, findings)


def _counters(section: SectionResults, findings: Findings) -> Iterator[str]:
    """Yield the table of counts a step, by ring and threads, or why there is none."""
    yield ""
    if not findings.counters:
        reasons = ", ".join(sorted(set(findings.counters_refused.values())))
        yield f"counters: unavailable ({printable(reasons)}): stallscope doctor says more"
        return
    heads = "".join(f"{_HEADS.get(name, name):>14}" for name in findings.counters)
    yield f"{'per step:':>9}{'thread':>15}{heads}"
    for each in section.measured:
        for of, counts in _counts(each):
            cells = (counts.get(name) for name in findings.counters)
            row = "".join(f"{cell:>14.3f}" if cell is not None else f"{'-':>14}" for cell in cells)
            yield f"{size_text(each.point.ring_bytes):>9}{of:>15}{row}"
    for name, why in findings.counters_refused.items():
        yield f"{_HEADS.get(name, name)}: unavailable ({printable(why)})"


def _counts(each: Measured) -> Iterator[tuple[str, Mapping[str, float | None]]]:
    """Yield each thread's counts, or of many threads their medians; the document has all."""
    of = len(each.threads)
    if of <= _MOST_THREADS:
        for place, thread in enumerate(each.threads, 1):
            yield f"{place} of {of}", thread.counts_per_step
        return
    medians: dict[str, float | None] = {}
    for name in each.threads[0].counts_per_step:
        counts = [thread.counts_per_step.get(name) for thread in each.threads]
        known = [count for count in counts if count is not None]
        medians[name] = median(known) if known else None
    yield f"median of {of}", medians


def _nodes(section: SectionResults) -> Iterator[str]:
    nodes = sorted({each.point.node for each in section.measured if each.point.node is not None})
    if not nodes:
        yield section.note or "nothing was measured"
        return
    found = {(each.point.cpus[0], each.point.node): each for each in section.measured}
    yield f"{'':>9}" + "".join(f"{f'memory {node}':>12}" for node in nodes)
    for cpu in sorted({cpu for cpu, _ in found}):
        cells = (found.get((cpu, node)) for node in nodes)
        row = "".join(f"{cell.least_ns:>12.2f}" if cell else f"{'-':>12}" for cell in cells)
        yield f"{f'CPU {cpu}':>9}{row}"


def _closing(results: LabResults, findings: Findings, room: int) -> Iterator[str]:
    notes = [f"warning: {warning}" for warning in findings.warnings]
    for section in results.sections:
        by_why: dict[str, list[str]] = {}
        for each in section.left_out:
            threads = len(each.point.cpus)
            size = size_text(each.point.ring_bytes) + (f" in {threads} threads" * (threads > 1))
            by_why.setdefault(each.why, []).append(size)
        notes += [
            f"left out of {section.section}: rings of {', '.join(dict.fromkeys(sizes))}: "
            f"{printable(why)}"
            for why, sizes in by_why.items()
        ]
    if results.interrupted:
        notes.append("interrupted: what was measured until then is shown")
    if notes:
        yield ""
    for note in notes:
        yield from wrapped(note, room, "  ")
    yield from settings_lines(results.settings, room)
