"""A watch for a terminal: the live line, tables by device, process and size, a heat map."""

from collections.abc import Iterator, Sequence

from harness.cli.table import fitting_rows
from harness.cli.terminal import printable, shorten, wrapped
from harness.io.latencies import MIN_REQUESTS, latency_values
from harness.io.watch.result import HeatMapCounts, RequestRow, WatchResult
from ioprobe.engine.points import Latency
from ioprobe.watch.tracing import WatchProgress
from stallscope.quantities import value_text

HEADS = ("", "", "Requests", "MB/s", "Queue p50", "p99", "Device p50", "p90", "p99", "p99.9", "max")
_OPTIONAL = ("p99.9", "p90", "MB/s", "p99", "Queue p50")  # left out in this order if narrow
_MAX_ROWS = 12
_SHADES = " \u2591\u2592\u2593\u2588"
_MAX_NAME = 28


def progress_line(progress: WatchProgress) -> str:
    """Return the live line."""
    lost = f", {progress.lost_events:,} events lost" if progress.lost_events else ""
    if progress.lost_events is None:
        lost = ", lost events: unknown"
    return (
        f"io watch: {progress.seconds:.0f} s (Ctrl-C ends it), "
        f"{progress.requests / progress.interval_s:,.0f} requests/s, "
        f"{progress.bytes / progress.interval_s / 1e6:,.1f} MB/s, p50 "
        f"{_time_text(progress.p50_ns)}, p99 {_time_text(progress.p99_ns)}, "
        f"{progress.in_flight:,} in flight{lost}"
    )


def lines(result: WatchResult, width: int) -> Iterator[str]:
    """Yield the tables, the heat map and the facts."""
    devices = result.device_names or "no device was active"
    yield from wrapped(f"Block requests of {result.seconds:.1f} s: {devices}", width)
    if result.rows:
        yield ""
        yield from _table("Device", result.rows, result.seconds, width)
        yield ""
        yield from _table("Process", result.processes, result.seconds, width)
        yield ""
        yield from _table("Size", result.sizes, result.seconds, width)
        yield ""
        yield from heat_map_lines(result.heat, width)
    yield ""
    for label, text in facts(result):
        yield from wrapped(f"{label}: {text}", width, "  ")
    for summary in result.devices:
        if summary.traced == "bios":
            text = "its latencies are those of bios, from queueing to completion"
            yield from wrapped(f"{summary.device} has no request queue: {text}", width, "  ")
    for warning in result.warnings:
        yield from wrapped(f"warning: {warning}", width, "  ")


def _table(title: str, rows: Sequence[RequestRow], seconds: float, width: int) -> Iterator[str]:
    cells = [(title, *HEADS[1:]), *(row_cells(row, seconds) for row in rows[:_MAX_ROWS])]
    yield from fitting_rows(cells, width, _OPTIONAL)
    if len(rows) > _MAX_ROWS:
        yield f"and {len(rows) - _MAX_ROWS:,} more"


def row_cells(row: RequestRow, seconds: float) -> tuple[str, ...]:
    """Return the cells of a row in the order of HEADS."""
    label = printable(shorten(row.label, _MAX_NAME))
    place = printable(f"{row.device} {row.direction}")
    queue = row.queue_ns
    has_p99 = queue is not None and row.queued >= MIN_REQUESTS["p99"]
    return (
        label or place,
        place if label else "",
        f"{row.requests:,}",
        f"{row.bytes / seconds / 1e6:,.1f}" if seconds else "n/a",
        _time_text(queue.p50 if queue else None),
        _time_text(queue.p99 if queue and has_p99 else None),
        *_latency_cells(row.device_ns, row.requests),
    )


def _latency_cells(latency: Latency | None, requests: int) -> tuple[str, ...]:
    """Return the percentiles that the number of requests supports, and the maximum."""
    values = latency_values(latency, requests)
    return tuple(_time_text(values.get(name)) for name in ("p50", "p90", "p99", "p99.9", "max"))


def _time_text(time_ns: float | None) -> str:
    return "n/a" if time_ns is None else value_text(round(time_ns), "ns")


def heat_map_lines(heat: HeatMapCounts, width: int) -> Iterator[str]:
    """Yield a heat map: one octave of latency per line, time from left to right."""
    rows = range(0, len(heat.row_edges_ns) - 1, 2)
    octaves = [[sum(column[row : row + 2]) for row in rows] for column in heat.columns]
    used = [
        octave
        for octave in range(len(heat.row_edges_ns) // 2)
        if any(column[octave] for column in octaves)
    ]
    if not used:
        return
    merged = -(-len(octaves) // max(1, width - 12))  # columns per character
    columns = [
        [sum(counts) for counts in zip(*octaves[start : start + merged], strict=True)]
        for start in range(0, len(octaves), merged)
    ]
    maximum = max(max(column) for column in columns)
    for octave in range(used[-1], used[0] - 1, -1):
        cells = "".join(_shade(column[octave], maximum) for column in columns)
        yield f"{value_text(heat.row_edges_ns[2 * octave], 'ns'):>9} |{cells}".rstrip()
    yield (
        f"{'':9}  a column is {heat.column_s * merged:g} s, a line twice the latency of the next"
    )


def _shade(count: int, maximum: int) -> str:
    """Return the shade of a count on a logarithmic scale; every count above 0 is visible."""
    if not count:
        return _SHADES[0]
    steps = len(_SHADES) - 1
    share = count.bit_length() / max(1, maximum.bit_length())
    return _SHADES[max(1, min(steps, round(share * steps)))]


def facts(result: WatchResult) -> Iterator[tuple[str, str]]:
    """Yield labels and texts about requests without a latency, losses and overhead."""
    start = result.under_way.at_start
    yield (
        "under way",
        (
            f"{'an unknown number' if start is None else f'{start:,}'} at the start, "
            f"{result.under_way.at_end:,} at the end; their latency is unknown"
        ),
    )
    events = result.lost.events
    yield (
        "lost",
        (
            f"{'an unknown number of' if events is None else f'{events:,}'} events; "
            f"{result.lost.requests_discarded:,} requests under way were discarded"
        ),
    )
    on_the_way = result.on_the_way
    yield (
        "on the way",
        (
            f"{on_the_way.requeues:,} requeued, {on_the_way.merged_requests:,} merged after "
            f"queueing, {on_the_way.splits:,} splits, {on_the_way.partial:,} partial completions, "
            f"{on_the_way.same_sector:,} for a sector already under way"
        ),
    )
    yield "overhead", _overhead_text(result)
    if result.other_processes is not None:
        yield "others", f"{result.other_processes:,} requests of other processes are left out"
    for summary in result.devices:
        counts = summary.kernel_counted
        if counts is not None:
            yield (
                f"kernel counters of {summary.device}",
                (
                    f"{counts.reads:,} reads ({counts.read_merges:,} merged), {counts.writes:,} "
                    f"writes and flushes ({counts.write_merges:,} merged)"
                ),
            )


def _overhead_text(result: WatchResult) -> str:
    overhead = result.overhead
    share, rate = overhead.own_cpu_share, overhead.events_per_s
    share_text = "" if share is None else f" ({share * 100:.1f} % of one CPU)"
    rate_text = "" if rate is None else f" ({rate:,.0f}/s)"
    return (
        f"{overhead.own_cpu_s:.2f} s of CPU time{share_text} for {overhead.events:,} "
        f"events{rate_text}; the kernel's time to write them is not included"
    )
