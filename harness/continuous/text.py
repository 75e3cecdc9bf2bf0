"""A continuous recording for a terminal."""

from collections.abc import Iterator

from harness.cli.terminal import percent, printable, wrapped
from harness.continuous.result import ContinuousResult, SentProfiles


def lines(result: ContinuousResult, width: int) -> Iterator[str]:
    """Yield segments, coverage, cost against the budget, and what was sent."""
    cost = result.cost
    yield from wrapped(
        f"{result.segments:,} segments in {printable(result.directory)} "
        f"({cost.disk_bytes / 1e6:,.1f} of {cost.disk_limit_bytes / 1e6:,.0f} MB), "
        f"{result.removed:,} removed, {result.empty:,} without samples",
        width,
    )
    rate = f" at up to {result.frequency_hz} Hz" if result.frequency_hz else ""
    yield from wrapped(
        f"{result.samples:,} samples, {result.lost:,} lost{rate}; "
        f"{_covered(result)} of {cost.elapsed_s:,.0f} s recorded, {result.paused_s:,.0f} s paused",
        width,
    )
    yield from wrapped(
        f"cost: {percent(cost.used_share)} of a CPU, budget {percent(cost.budget_share)}: "
        f"recorder {cost.recorder_cpu_s:.2f} s (measured), sampling {cost.sampling_cpu_s:.2f} s "
        f"(modelled); memory {cost.memory_bytes / 1e6:,.0f} MB and "
        f"{cost.ring_bytes / 1e6:,.0f} MB of ring buffers",
        width,
        "  ",
    )
    if result.sent is not None:
        yield from _sent(result.sent, width)
    for warning in result.warnings:
        yield from wrapped(f"warning: {warning}", width, "  ")


def _covered(result: ContinuousResult) -> str:
    elapsed_s = result.cost.elapsed_s
    return percent(min(1.0, result.covered_s / elapsed_s)) if elapsed_s else "n/a"


def _sent(sent: SentProfiles, width: int) -> Iterator[str]:
    dropped = sum(row.segments for row in sent.dropped)
    yield from wrapped(
        f"sent to {sent.url}: {sent.segments:,} segments ({sent.bytes / 1e6:,.1f} MB), "
        f"{sent.retries:,} retries, {dropped:,} dropped, {sent.rejected:,} profiles rejected",
        width,
        "  ",
    )
    for row in sent.dropped:
        yield from wrapped(f"  dropped: {row.segments:,}: {row.reason}", width, "    ")
