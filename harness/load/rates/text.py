"""Latency by rate for the terminal."""

from collections.abc import Iterator, Sequence

from harness.cli.terminal import printable, wrapped
from harness.load.rates.result import RateRow, RatesResult
from stallscope.quantities import microseconds_text

_HEADS = ("requests/s", "achieved", "mean", "p50", "p95", "p99", "replies/burst", "requests/burst",
          "wake-up")  # fmt: skip
_WIDTHS = (12, 11, 11, 11, 11, 11, 15, 16, 10)


def lines(result: RatesResult, room: int) -> Iterator[str]:
    """Yield the lines for a terminal ``room`` columns wide."""
    yield (
        f"open loops against {printable(result.target)}: {result.connections:,} connections, "
        f"pipeline {result.pipeline}; medians of {result.rounds} rounds"
    )
    yield ""
    yield _columns(_HEADS)
    yield from (_columns(_cells(row)) for row in result.rows)
    limited = [f"{row.rate_per_s:,.0f}" for row in result.rows if row.limited_by_loader]
    if limited:
        yield from wrapped(
            f"The loader was the bottleneck in some runs at {', '.join(limited)} requests/s.",
            room,
            "  ",
        )
    if result.interrupted:
        yield "Interrupted: only complete rounds are shown."
    yield ""
    yield from wrapped(f"{result.cause}: {result.reason}", room, "  ")


def _cells(row: RateRow) -> list[str]:
    achieved = row.achieved_per_s.median
    latencies = (row.mean_us, row.p50_us, row.p95_us, row.p99_us)
    bursts = (row.replies_per_burst, row.requests_per_burst)
    return [
        f"{row.rate_per_s:,.0f}",
        "n/a" if achieved is None else f"{achieved:,.0f}",
        *(microseconds_text(value.median) for value in latencies),
        *("n/a" if value is None else f"{value:.2f}" for value in bursts),
        "" if row.wake_us is None else microseconds_text(row.wake_us),
    ]


def _columns(texts: Sequence[str]) -> str:
    return "".join(f"{text:<{width}}" for text, width in zip(texts, _WIDTHS, strict=True)).rstrip()
