"""The footprint sweep for the terminal: two tables and the finding."""

from collections.abc import Iterator, Sequence

from harness.cli.terminal import wrapped
from harness.labs.stages.quantities import ratio_text
from harness.labs.stages.sweep.result import SweepPointRecord, SweepResult
from harness.labs.verdict import pairs_text

COLUMNS = (
    "footprint",
    "batch limit",
    "unstaged/s",
    "staged/s",
    "gain",
    "average batch",
    "I1 misses unstaged",
    "staged",
    "ns per saved miss",
)
_WIDTHS = (11, 13, 12, 10, 30, 15, 20, 9, 17)


def heading(result: SweepResult) -> str:
    """Return the load, the CPUs and their caches in one sentence."""
    options, machine = result.options, result.machine
    return (
        f"path codec (synthetic code): {options.connections} connections, pipeline "
        f"{options.pipeline}; server on CPU {machine.server_cpu} ({machine.cpu_model}, L1I "
        f"{size_text(machine.l1i_bytes)}, L2 {size_text(result.l2_bytes)}), loader on CPU "
        f"{machine.loader_cpu}; {pairs_text(options.pairs)} per point, saturated, "
        f"{options.duration_s:g} s per run (longer above 512 KB)"
    )


def lines(result: SweepResult, room: int) -> Iterator[str]:
    """Yield the lines for a terminal ``room`` columns wide."""
    yield from wrapped(heading(result), room)
    for points in (result.footprints, result.batches):
        if points:
            yield ""
            yield _columns(COLUMNS)
            yield from (_columns(cells(point)) for point in points)
    yield ""
    if result.simulation:
        yield f"throughput is measured; misses per request are modelled: {result.simulation}"
    elif result.simulation_unavailable:
        yield from wrapped(f"no simulated misses: {result.simulation_unavailable}", room, "  ")
    for note in result.notes:
        yield from wrapped(note, room, "  ")
    yield ""
    yield from wrapped(f"finding: {result.finding}", room, "  ")


def cells(point: SweepPointRecord) -> list[str]:
    """Return the cells of a point; "n/a" for unknown values."""
    misses = point.icache_misses_per_request
    worth = point.saved_ns_per_miss
    return [
        f"{point.footprint_kb} KB",
        "default" if point.max_batch is None else str(point.max_batch),
        _whole(point.unstaged_per_s),
        _whole(point.staged_per_s),
        ratio_text(point.gain) or "n/a",
        "n/a" if point.average_batch is None else f"{point.average_batch:.3g}",
        _whole(misses.unstaged),
        _whole(misses.staged),
        "n/a" if worth is None else f"{worth:.2f}",
    ]


def size_text(size_bytes: int | None) -> str:
    """Return a size in KB, "unknown" without one."""
    return "unknown" if size_bytes is None else f"{size_bytes // 1024} KB"


def _columns(texts: Sequence[str]) -> str:
    return "".join(f"{text:<{width}}" for text, width in zip(texts, _WIDTHS, strict=True)).rstrip()


def _whole(value: float | None) -> str:
    return "n/a" if value is None else f"{value:,.0f}"
