"""The content of an imported file for a terminal."""

from collections.abc import Iterator

from harness.cli.table import columns
from harness.cli.terminal import percent, printable, wrapped
from harness.exchange.result import ImportedStacks, ImportResult
from stallscope.quantities import count_text, microseconds_text


def lines(result: ImportResult, width: int) -> Iterator[str]:
    """Yield the format, the table of the content, warnings, and the commands that show more."""
    yield f"{printable(result.file)}: {result.format}"
    yield ""
    yield from columns(_rows(result))
    if result.stacks is not None:
        yield from wrapped(_times_text(result.stacks), width, "  ")
    for warning in result.warnings:
        yield from wrapped(f"warning: {warning}", width, "  ")
    if result.commands:
        yield ""
        yield "more:"
        for command in result.commands:
            yield f"  {printable(command)}"


def _times_text(stacks: ImportedStacks) -> str:
    """Return whether the samples have times, and what does not work without them."""
    duration_s = stacks.duration_s
    duration = "" if duration_s is None else f" The recording lasts {duration_s:,.3f} s."
    if stacks.has_times:
        return f"Samples have times.{duration}"
    return f"Samples have no times: no timeline, no --period, no stallscope diff.{duration}"


def _rows(result: ImportResult) -> list[tuple[str, ...]]:
    if result.stacks is not None:
        stacks = result.stacks
        event = "" if stacks.event == "samples" else f" of {stacks.event}"
        title = (
            f"{count_text(stacks.samples, 'sample')}{event}, {count_text(stacks.threads, 'thread')}"
        )
        return [
            (title, "self", "total"),
            *(
                (function.name, percent(function.self_share), percent(function.total_share))
                for function in stacks.functions
            ),
        ]
    if result.counts:
        return [
            ("event", "count", "counted during"),
            *(
                (
                    row.event,
                    f"{row.count:,.0f}" if row.count is not None else (row.reason or "n/a"),
                    percent(row.running_share) if row.running_share is not None else "n/a",
                )
                for row in result.counts
            ),
        ]
    if result.benchmarks:
        return [
            ("benchmark", "unit", "n", "median"),
            *(
                (
                    row.name,
                    row.unit,
                    f"{row.n:,}",
                    f"{row.median:.6g}" if row.median is not None else "n/a",
                )
                for row in result.benchmarks
            ),
        ]
    return [
        ("latency", "requests", "per s", "mean", "p50", "p90", "p99", "p99.9", "max"),
        *(
            (
                row.name,
                f"{row.requests:,}",
                f"{row.rate_per_s:,.0f}" if row.rate_per_s is not None else "n/a",
                *map(
                    _us,
                    (row.mean_ns, row.p50_ns, row.p90_ns, row.p99_ns, row.p999_ns, row.max_ns),
                ),
            )
            for row in result.latencies
        ),
    ]


def _us(value_ns: float | None) -> str:
    return microseconds_text(None if value_ns is None else value_ns / 1000)
