"""A snapshot as lines of text, for the live view and for pipes."""

from collections.abc import Iterator

from harness.cli.terminal import pad, percent, printable, shorten, wrapped
from harness.top.keys import KEYS
from harness.top.result import TopResult

_BAR = 20
_NAME = 26


def lines(result: TopResult, width: int, *, by_name: bool = False) -> Iterator[str]:
    """Yield the lines, each at most ``width`` columns wide."""
    for line in _lines(result, width, by_name=by_name):
        yield shorten(line, width)


def key_lines() -> Iterator[str]:
    """Yield the keys."""
    yield ""
    for key, meaning in KEYS.items():
        yield f"  {key}   {meaning}"


def _lines(result: TopResult, width: int, *, by_name: bool) -> Iterator[str]:
    target = "whole machine"
    if result.pid is not None:
        threads = f"{result.threads_read} of {result.threads} threads read"
        target = f"{printable(result.process or '?')} (pid {result.pid}), {threads}"
    own = f"stallscope top: {result.cpu_share:.1%} of a CPU"
    yield f"{target}; {result.seconds:.1f} s; {own}"
    yield from wrapped(printable(result.verdict), width)
    yield ""
    yield "waits" if result.pid is not None else "CPUs"
    rows = [(wait.category, wait.share, wait.source) for wait in result.waits]
    for name, share, source in sorted(rows) if by_name else rows:
        yield f"{_row(name, share)}  {source}"
    queue = result.run_queue
    yield ""
    pressures = [
        f"{kind} {percent(value)}"
        for kind, value in (
            ("cpu", queue.cpu_pressure),
            ("io", queue.io_pressure),
            ("memory", queue.memory_pressure),
        )
        if value is not None
    ]
    running = "unknown" if queue.running is None else str(queue.running)
    yield f"run queue     {running} runnable on {queue.cpus} CPUs; pressure: " + (
        ", ".join(pressures) or "unavailable"
    )
    states = [
        f"{printable(state.state)} {'n/a' if state.share is None else percent(state.share)}"
        for state in result.idle
    ]
    yield f"sleep states  {', '.join(states) or 'unavailable'}"
    for disk in result.disks:
        yield (
            f"disk {pad(printable(disk.name), 9)}busy {percent(disk.busy_share)}, "
            f"reads {disk.reads_per_s:.0f}/s {_latency(disk.read_latency_ms)}, "
            f"writes {disk.writes_per_s:.0f}/s {_latency(disk.write_latency_ms)}"
        )
    if result.functions:
        yield ""
        yield "functions (49 Hz, last recording)"
        functions = [(item.name, item.share, item.binary) for item in result.functions]
        for name, share, binary in sorted(functions) if by_name else functions:
            yield f"{_row(printable(name), share)}  {printable(binary)}"
    if result.missing:
        yield ""
    for gap in result.missing:
        label = f"{gap.part}: unavailable: "
        yield from wrapped(f"{label}{printable(gap.reason)}", width, "  ")


def _row(name: str, share: float) -> str:
    bar = "█" * round(share * _BAR)
    return f"  {pad(shorten(name, _NAME), _NAME)} {percent(share):>8}  {pad(bar, _BAR)}"


def _latency(latency_ms: float | None) -> str:
    return "(no request ended)" if latency_ms is None else f"{latency_ms:.2f} ms"
