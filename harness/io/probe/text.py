"""`stallscope io probe` for a terminal: percentiles, histogram, where time went, the self check."""

from collections.abc import Iterator, Sequence

from harness.cli.table import columns
from harness.cli.terminal import wrapped
from harness.io.probe.buckets import Bucket, Scale, buckets
from harness.io.probe.shown import LEAST_REQUESTS, NAMES, ProbeShown, ReadsShown
from stallscope.quantities import share_text, size_text, value_text

BLOCK = "█"
_BAR = 40
MOST_OFF = 0.02  # by Little's law; the engine lets pass what is more by time of its own only
_PARTS = {
    "queued": "before submitting",
    "submitting": "submitting",
    "device": "device",
    "own_cpu": "waiting for our CPU (at most)",
}


def lines(shown: ProbeShown, scale: Scale, room: int) -> Iterator[str]:
    """Yield the table, each way's histogram, and what a reader must know of the numbers."""
    yield from wrapped(shown.title, room, "  ")
    if not shown.complete:
        yield "interrupted: what was measured until then"
    yield ""
    yield from _table(shown.reads, room)
    yield from _too_few(shown.reads, room)
    for reads in shown.reads:
        if reads.histogram:
            yield ""
            yield f"{reads.name}, {reads.requests:,} requests:"
            yield from histogram_lines(buckets(reads.histogram, scale), room)
            yield from wrapped(_where(reads), room, "  ")
    yield ""
    for reads in shown.reads:
        yield from wrapped(f"{reads.name}: {check_text(reads)}", room, "  ")
        for text in (*errors_text(reads), *reads.notes):
            yield from wrapped(f"{reads.name}: {text}", room, "  ")
    for text in (*shown.missing, *(f"warning: {each}" for each in shown.warnings)):
        yield from wrapped(text, room, "  ")


def _table(reads: Sequence[ReadsShown], room: int) -> Iterator[str]:
    heads = ["", "Requests/s", *NAMES]
    rows = [[each.name, _rate(each), *_latencies(each)] for each in reads]
    table = list(columns([heads, *rows]))
    if max(map(len, table)) <= room:
        yield from table
        return
    # A narrow terminal has a row for each figure instead of a column.
    yield from columns([list(each) for each in zip(heads, *rows, strict=True)])


def _rate(reads: ReadsShown) -> str:
    return "n/a" if reads.iops is None else f"{reads.iops:,.0f}"


def _latencies(reads: ReadsShown) -> list[str]:
    return [
        value_text(round(reads.latencies[name]), "ns") if name in reads.latencies else "n/a"
        for name in NAMES
    ]


def _too_few(reads: Sequence[ReadsShown], room: int) -> Iterator[str]:
    least = min(each.requests for each in reads)
    absent = [f"{name} {wanted:,}" for name, wanted in LEAST_REQUESTS.items() if least < wanted]
    if absent and least:
        text = f"It takes this many requests to tell: {', '.join(absent)}; ask for a longer time."
        yield from wrapped(text, room, "  ")


def histogram_lines(rows: Sequence[Bucket], room: int) -> Iterator[str]:
    """Yield a histogram's rows with their bars."""
    total, most = sum(row.count for row in rows), max(row.count for row in rows)
    spans = [_span(row) for row in rows]
    counts = [f"{row.count:,}" for row in rows]
    span_width, count_width = max(map(len, spans)), max(map(len, counts))
    bar = min(_BAR, max(6, room - span_width - count_width - 16))
    for row, span, count in zip(rows, spans, counts, strict=True):
        share = share_text(row.count / total)
        drawn = BLOCK * round(bar * row.count / most) or ("▏" if row.count else "")
        yield f"  {span:>{span_width}}  {count:>{count_width}}  {share:>8}  {drawn}".rstrip()


def _span(row: Bucket) -> str:
    low = value_text(round(row.low_ns), "ns")
    return f"{low} and more" if row.high_ns is None else f"{low} - {_end(row.high_ns)}"


def _end(high_ns: float) -> str:
    return value_text(round(high_ns), "ns")


def _where(reads: ReadsShown) -> str:
    # Where submitting and waiting are one call, nobody knows which of it the device took.
    one_call = {} if "submitting" in reads.parts else {"device": "in the system call"}
    told = [
        f"{text} {value_text(round(reads.parts[part]), 'ns')}"
        for part, text in (_PARTS | one_call).items()
        if part in reads.parts
    ]
    rate = "" if reads.bytes_per_s is None else f"; {size_text(int(reads.bytes_per_s))}/s"
    return f"a request's mean time, of a sample: {', '.join(told) or 'not told in parts'}{rate}"


def check_text(reads: ReadsShown) -> str:
    """Return what the self check found, in words."""
    if not reads.ok:
        reasons = "; ".join(reads.failed) or "no reason was given"
        return f"SELF CHECK FAILED: do not rely on these numbers: {reasons}"
    law, delay = reads.littles_law_error, reads.cpu_delay_share
    own = ", which is our own time between two requests" if law and law > MOST_OFF else ""
    told = [] if law is None else [f"off Little's law by {share_text(abs(law))}{own}"]
    if delay is not None:
        told.append(f"{share_text(delay)} of the time spent waiting for our own CPU")
    return f"self check passed: {', '.join(told) or 'neither check applies'}"


def errors_text(reads: ReadsShown) -> Iterator[str]:
    """Yield how many requests failed, and how."""
    for name, count in reads.errors.items():
        yield f"{count:,} requests failed with {name}; they are in no latency"
