"""Wake-up latency for a terminal."""

from collections.abc import Iterator

from harness.cli.table import columns
from harness.cli.terminal import printable, wrapped
from harness.cstates.latency.result import LatencyResult, SettingLatency
from stallscope.quantities import count_text

HEADS = ("Test", "States", "Samples", "p50 us", "p99", "Rounds' p50", "Entries")


def lines(result: LatencyResult, width: int) -> Iterator[str]:
    """Yield the table and the verdicts."""
    cpus = ",".join(map(str, result.cpus))
    rounds = count_text(result.rounds, "round")
    length = "" if result.seconds is None else f" of {result.seconds:g} s"
    yield from wrapped(
        f"Wake-ups on CPUs {cpus}, {rounds}{length}, settings in alternating order. Entries: on "
        "the test's CPUs.",
        width,
    )
    yield ""
    yield from columns([HEADS, *map(_cells, result.results)])
    yield ""
    for verdict in result.verdicts:
        text = f"{verdict.test}, {verdict.states}: {verdict.text}"
        yield from wrapped(printable(text), width, "  ")
    for note in result.notes:
        yield from wrapped(printable(f"Note: {note}"), width, "  ")


def _cells(setting: SettingLatency) -> tuple[str, ...]:
    entries = ", ".join(f"{name} {count:,}" for name, count in setting.entries.items())
    rounds = setting.rounds_p50_us
    return (
        printable(setting.test),
        printable(setting.states),
        f"{setting.samples:,}",
        _us(setting.latency_us.p50),
        _us(setting.latency_us.p99),
        f"{min(rounds):.1f}-{max(rounds):.1f}" if rounds else "n/a",
        printable(entries) or "n/a",
    )


def _us(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.1f}"
