"""What a load says to people: the line while it runs, and the table at its end."""

from harness.cli.terminal import printable, wrapped
from harness.workload.options import LoadOptions
from harness.workload.results import LoadResult, LoadSecond, Percentiles
from stallscope.json_fields import Fields
from stallscope.quantities import microseconds_text

_HEADS = ("p50", "p90", "p99", "p99.9", "max")


def second_line(second: LoadSecond, options: LoadOptions) -> str:
    """Return the live line of one second."""
    errors = f", {second.errors:,} errors" if second.errors else ""
    return (
        f"load: {second.t_s:.0f} of {options.duration_s:g} s (Ctrl-C ends it earlier), "
        f"{second.requests:,} requests/s, p50 {microseconds_text(second.p50_us)}, "
        f"p99 {microseconds_text(second.p99_us)}{errors}"
    )


def heading(result: LoadResult) -> str:
    """Return how the server was loaded, as the loader's document has it."""
    options = Fields(result.document, "load.json").fields("options")
    loop = "closed loop" if result.rate_asked is None else "open loop"
    return (
        f"{loop} against {printable(options.text('target', '?'))}: "
        f"{options.count('connections', 0):,} connections, pipeline {options.count('pipeline', 1)}"
    )


def result_lines(result: LoadResult, room: int) -> list[str]:
    """Return the table of a run, with what a reader of it must know."""
    asked = "" if result.rate_asked is None else f", asked {result.rate_asked:,.0f}"
    what = heading(result)
    rate = (
        f"achieved {rate_text(result.rate_achieved)}{asked}; {result.requests:,} requests, "
        f"{result.errors:,} errors; the loader took {result.cpu_s:.2f} s of CPU"
    )
    lines = [
        what,
        rate,
        *_checked(result),
        "",
        f"{'':24}" + "".join(f"{head:>10}" for head in _HEADS),
        _row("from the intended start", result.latency_us),
        _row("service, from sending", result.service_us),
        _row("send lag", result.send_lag_us),
    ]
    if result.limited_by_loader:
        lines += ["", *wrapped(f"The loader itself was the limit: {result.why}", room)]
    for warning in result.warnings:
        lines += wrapped(f"warning: {warning}", room, "  ")
    return lines


def _checked(result: LoadResult) -> list[str]:
    """Return what `--check` found; nothing where it was not asked for."""
    checked = result.document.get("checked")
    if not isinstance(checked, int):
        return []
    found = ", ".join(
        f"{result.document.get(name, 'n/a')} {name}"
        for name in ("lost", "doubled", "reordered", "foreign")
    )
    return [f"checked {checked:,} replies: {found}"]


def rate_text(rate: float | None) -> str:
    """Return a rate as a person reads it."""
    return "n/a" if rate is None else f"{rate:,.0f} requests/s"


def _row(what: str, found: Percentiles) -> str:
    values = (found.p50, found.p90, found.p99, found.p999, found.largest)
    return f"{what:24}" + "".join(f"{microseconds_text(value):>10}" for value in values)
