"""A probe for a terminal: percentiles, histograms, parts of the latency, the self check."""

from collections.abc import Iterator, Mapping, Sequence

from harness.cli.table import columns
from harness.cli.terminal import wrapped
from harness.io.latencies import MIN_REQUESTS, NAMES, latency_values
from harness.io.probe.histogram_rows import HistogramRow, LatencyScale, histogram_rows
from harness.io.probe.result import ProbeResult, ReadResult
from stallscope.quantities import share_text, size_text, value_text

BLOCK = "█"
_MAX_BAR = 40
# Relative error by Little's law; the engine accepts more if its own time explains it.
SMALL_LAW_ERROR = 0.02
_PARTS = {
    "queued": "before submission",
    "submitting": "submission",
    "device": "device",
    "own_cpu": "waiting for our CPU (at most)",
}


def lines(
    result: ProbeResult, width: int, scale: LatencyScale = LatencyScale.LOGARITHMIC
) -> Iterator[str]:
    """Yield the table, the histograms, the self checks and the notes."""
    title = f"{result.path} ({result.kind}): {result.reads_text}, one at a time, {result.source}"
    yield from wrapped(title, width, "  ")
    if not result.complete:
        yield "interrupted: results up to that moment"
    yield ""
    yield from _table(result.reads, width)
    yield from _too_few_requests(result.reads, width)
    for name, reads in result.reads.items():
        if reads.histogram:
            yield ""
            yield f"{name}, {reads.requests:,} requests:"
            yield from histogram_lines(histogram_rows(reads.histogram, scale), width)
            yield from wrapped(_parts_text(reads), width, "  ")
    yield ""
    for name, reads in result.reads.items():
        yield from wrapped(f"{name}: {check_text(reads)}", width, "  ")
        for text in (*errors_text(reads), *reads.notes):
            yield from wrapped(f"{name}: {text}", width, "  ")
    for text in (*result.missing, *(f"warning: {warning}" for warning in result.warnings)):
        yield from wrapped(text, width, "  ")


def _table(reads: Mapping[str, ReadResult], width: int) -> Iterator[str]:
    heads = ["", "Requests/s", *NAMES]
    rows = [[name, _rate_text(result), *latency_cells(result)] for name, result in reads.items()]
    table = list(columns([heads, *rows]))
    if max(map(len, table)) <= width:
        yield from table
        return
    # On a narrow terminal the table is transposed.
    yield from columns([list(cells) for cells in zip(heads, *rows, strict=True)])


def _rate_text(reads: ReadResult) -> str:
    return "n/a" if reads.iops is None else f"{reads.iops:,.0f}"


def latency_cells(reads: ReadResult) -> list[str]:
    """Return the latencies in the order of NAMES."""
    values = latency_values(reads.latency_ns, reads.requests)
    return [value_text(round(values[name]), "ns") if name in values else "n/a" for name in NAMES]


def _too_few_requests(reads: Mapping[str, ReadResult], width: int) -> Iterator[str]:
    fewest = min(result.requests for result in reads.values())
    absent = [f"{name} {needed:,}" for name, needed in MIN_REQUESTS.items() if fewest < needed]
    if absent and fewest:
        text = f"Requests needed: {', '.join(absent)}; use a longer --duration."
        yield from wrapped(text, width, "  ")


def histogram_lines(rows: Sequence[HistogramRow], width: int) -> Iterator[str]:
    """Yield the rows of a histogram with bars."""
    total, maximum = sum(row.count for row in rows), max(row.count for row in rows)
    ranges = [_range_text(row) for row in rows]
    counts = [f"{row.count:,}" for row in rows]
    range_width, count_width = max(map(len, ranges)), max(map(len, counts))
    bar_width = min(_MAX_BAR, max(6, width - range_width - count_width - 16))
    for row, text, count in zip(rows, ranges, counts, strict=True):
        share = share_text(row.count / total)
        bar = BLOCK * round(bar_width * row.count / maximum) or ("▏" if row.count else "")
        yield f"  {text:>{range_width}}  {count:>{count_width}}  {share:>8}  {bar}".rstrip()


def _range_text(row: HistogramRow) -> str:
    low = value_text(round(row.low_ns), "ns")
    if row.high_ns is None:
        return f"{low} and more"
    return f"{low} - {value_text(round(row.high_ns), 'ns')}"


def _parts_text(reads: ReadResult) -> str:
    parts = reads.parts_ns
    values = {
        "queued": parts.queued,
        "submitting": parts.submitting,
        "device": parts.device,
        "own_cpu": parts.own_cpu,
    }
    # If submission and wait are one system call, its time cannot be divided.
    labels = _PARTS if parts.submitting is not None else _PARTS | {"device": "in the system call"}
    texts = [
        f"{labels[name]} {value_text(round(value), 'ns')}"
        for name, value in values.items()
        if value is not None
    ]
    rate = "" if reads.bytes_per_s is None else f"; {size_text(int(reads.bytes_per_s))}/s"
    return f"mean time of a request, from a sample: {', '.join(texts) or 'parts unknown'}{rate}"


def check_text(reads: ReadResult) -> str:
    """Return the outcome of the self check in words."""
    check = reads.self_check
    if not check.ok:
        reasons = "; ".join(check.failed) or "without a reason"
        return f"SELF CHECK FAILED: do not rely on these numbers: {reasons}"
    error, delay = check.littles_law_error, check.cpu_delay_share
    cause = ", our own time between requests" if error and error > SMALL_LAW_ERROR else ""
    texts = [] if error is None else [f"{share_text(abs(error))} off Little's law{cause}"]
    if delay is not None:
        texts.append(f"{share_text(delay)} of the time spent waiting for our own CPU")
    return f"self check passed: {', '.join(texts) or 'neither check applies'}"


def errors_text(reads: ReadResult) -> Iterator[str]:
    """Yield the number of failed requests by error."""
    for name, count in reads.errors.items():
        yield f"{count:,} requests failed with {name}; the latencies do not include them"
