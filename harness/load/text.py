"""A load for the terminal: the live line, and the table at the end."""

from collections.abc import Iterator

from harness.cli.terminal import printable, wrapped
from harness.workload.results import STATISTICS, LoadResult, LoadSecond, Percentiles
from stallscope.quantities import microseconds_text


def second_line(second: LoadSecond) -> str:
    """Return the live line of one second."""
    errors = f", {second.errors:,} errors" if second.errors else ""
    return (
        f"{second.requests:,} requests/s, p50 {microseconds_text(second.p50_us)}, "
        f"p99 {microseconds_text(second.p99_us)}{errors} (Ctrl-C ends it)"
    )


def heading(result: LoadResult) -> str:
    """Return the kind of load in one line."""
    options = result.options
    loop = "closed loop" if result.requested_rate_per_s is None else "open loop"
    return (
        f"{loop} against {printable(options.target)}: {connections_text(result)}, "
        f"pipeline {options.pipeline}"
    )


def connections_text(result: LoadResult) -> str:
    """Return the number of connections, with those that were open if they were fewer."""
    achieved, requested = result.connections_achieved, result.options.connections
    if achieved is None or achieved == requested:
        return f"{requested:,} connections"
    return f"{achieved:,} of {requested:,} connections"


def lines(result: LoadResult, room: int) -> Iterator[str]:
    """Yield the table of a run for a terminal ``room`` columns wide."""
    requested = ""
    if result.requested_rate_per_s is not None:
        requested = f", requested {result.requested_rate_per_s:,.0f}"
    yield heading(result)
    if result.connections_achieved is not None:
        yield f"achieved {result.connections_achieved:,} connections"
    yield (
        f"achieved {rate_text(result.achieved_rate_per_s)}{requested}; {result.requests:,} "
        f"requests, {result.errors:,} errors; the loader used {result.cpu_s:.2f} s of CPU"
    )
    if result.checked is not None:
        counts = ", ".join(
            f"{'n/a' if count is None else count} {name}"
            for name, count in result.check_counts.items()
        )
        yield f"checked {result.checked:,} replies: {counts}"
    yield ""
    yield f"{'':24}" + "".join(f"{name:>10}" for name in STATISTICS)
    yield _row("from the intended start", result.latency_us)
    yield _row("service, from sending", result.service_us)
    yield _row("send lag", result.send_lag_us)
    if result.limited_by_loader:
        yield ""
        yield from wrapped(f"The loader itself was the bottleneck: {result.why}", room)
    for warning in result.warnings:
        yield from wrapped(f"warning: {warning}", room, "  ")


def rate_text(rate_per_s: float | None) -> str:
    """Return a rate such as "3,012 requests/s"; "n/a" if unknown."""
    return "n/a" if rate_per_s is None else f"{rate_per_s:,.0f} requests/s"


def _row(name: str, percentiles: Percentiles) -> str:
    texts = map(microseconds_text, percentiles.by_name.values())
    return f"{name:24}" + "".join(f"{text:>10}" for text in texts)
