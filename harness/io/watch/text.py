"""A watch for a terminal: the live line, tables by device, process and size, a heat map."""

from collections.abc import Iterator, Sequence

from harness.cli.table import fitting_rows
from harness.cli.terminal import printable, shorten, wrapped
from harness.io.probe.shown import LEAST_REQUESTS
from harness.io.watch.shown import HeatShown, RowShown, WatchShown
from ioprobe.engine.points import Latency
from ioprobe.watch.tracing import WatchProgress
from stallscope.quantities import value_text

HEADS = ("", "", "Requests", "MB/s", "Queue p50", "p99", "Device p50", "p90", "p99", "p99.9", "max")
_SPARED = ("p99.9", "p90", "MB/s", "p99", "Queue p50")  # on a narrow terminal, in this order
_TOP = 12
_SHADES = " \u2591\u2592\u2593\u2588"
_LONGEST_NAME = 28


def progress_line(progress: WatchProgress) -> str:
    """Return the live line."""
    lost = f", {progress.lost_events:,} events lost" if progress.lost_events else ""
    if progress.lost_events is None:
        lost = ", events lost: unknown"
    return (
        f"io watch: {progress.seconds:.0f} s (Ctrl-C ends it), "
        f"{progress.requests / progress.interval_s:,.0f} requests/s, "
        f"{progress.bytes / progress.interval_s / 1e6:,.1f} MB/s, p50 {_time(progress.p50_ns)}, "
        f"p99 {_time(progress.p99_ns)}, {progress.in_flight:,} under way{lost}"
    )


def lines(shown: WatchShown, room: int) -> Iterator[str]:
    """Yield what a person reads at the end."""
    devices = ", ".join(shown.devices) or "no device did anything"
    yield from wrapped(f"Block requests of {shown.seconds:.1f} s: {devices}", room)
    if shown.rows:
        yield ""
        yield from _table("Device", shown.rows, shown.seconds, room)
        yield ""
        yield from _table("Process", shown.processes, shown.seconds, room)
        yield ""
        yield from _table("Size", shown.sizes, shown.seconds, room)
        yield ""
        yield from heat_lines(shown.heat, room)
    yield ""
    for label, text in shown.facts:
        yield from wrapped(f"{label}: {text}", room, "  ")
    for name in shown.bios:
        what = "its times are those of bios, from queueing to completion"
        yield from wrapped(f"{name} has no request queue: {what}", room, "  ")
    for warning in shown.warnings:
        yield from wrapped(f"warning: {warning}", room, "  ")


def _table(what: str, rows: Sequence[RowShown], seconds: float, room: int) -> Iterator[str]:
    cells = [(what, *HEADS[1:]), *(cells_of(row, seconds) for row in rows[:_TOP])]
    yield from fitting_rows(cells, room, _SPARED)
    if len(rows) > _TOP:
        yield f"and {len(rows) - _TOP:,} more"


def cells_of(row: RowShown, seconds: float) -> tuple[str, ...]:
    """Return a row's cells, as HEADS names them."""
    label = printable(shorten(row.label, _LONGEST_NAME))
    place = printable(f"{row.device} {row.direction}")
    queue, device = row.queue, row.on_device
    return (
        label or place,
        place if label else "",
        f"{row.requests:,}",
        f"{row.size_bytes / seconds / 1e6:,.1f}" if seconds else "n/a",
        _time(queue and queue.p50),
        _time(queue.p99 if queue and row.queued >= LEAST_REQUESTS["p99"] else None),
        *(_times(device, row.requests)),
    )


def _times(found: Latency | None, requests: int) -> tuple[str, ...]:
    """Return the percentiles that so many requests tell, and the most."""
    if found is None:
        return ("n/a",) * 5
    told = found.document()
    return tuple(
        _time(told[name]) if requests >= LEAST_REQUESTS.get(name, 1) else "n/a"
        for name in ("p50", "p90", "p99", "p99.9", "max")
    )


def _time(time_ns: float | Latency | None) -> str:
    return value_text(round(time_ns), "ns") if isinstance(time_ns, int | float) else "n/a"


def heat_lines(heat: HeatShown, room: int) -> Iterator[str]:
    """Yield a heat map: latency upwards, an octave a line, time to the right."""
    rows = range(0, len(heat.edges_ns) - 1, 2)
    octaves = [[sum(column[at : at + 2]) for at in rows] for column in heat.columns]
    used = [at for at in range(len(heat.edges_ns) // 2) if any(column[at] for column in octaves)]
    if not used:
        return
    together = -(-len(octaves) // max(1, room - 12))
    joined = [
        [sum(each) for each in zip(*octaves[at : at + together], strict=True)]
        for at in range(0, len(octaves), together)
    ]
    most = max(max(column) for column in joined)
    for octave in range(used[-1], used[0] - 1, -1):
        cells = "".join(_shade(column[octave], most) for column in joined)
        yield f"{value_text(heat.edges_ns[2 * octave], 'ns'):>9} |{cells}".rstrip()
    yield f"{'':9}  each column is {heat.column_s * together:g} s, each line twice the one below"


def _shade(count: int, most: int) -> str:
    """Return a shade for a count: any that is not 0 is seen, steps are of a factor."""
    if not count:
        return _SHADES[0]
    steps = len(_SHADES) - 1
    share = count.bit_length() / max(1, most.bit_length())
    return _SHADES[max(1, min(steps, round(share * steps)))]
