"""Wake-up latency for people and as JSON."""

from collections.abc import Iterator

from cstates.advice.evidence import SCHEMA
from cstates.wake_latency import WakeResult, verdicts
from harness.cli.table import columns
from harness.cli.terminal import printable, wrapped
from harness.cstates.latency.session import LatencyOutcome

HEADS = ("Test", "States", "Samples", "p50 us", "p99", "Rounds' p50", "Entries")


def document(outcome: LatencyOutcome) -> dict[str, object]:
    """Return ``stallscope.cstates.latency/1``."""
    return {
        "schema": SCHEMA,
        "source": "measured",
        "cpus": list(outcome.request.cpus),
        "rounds": outcome.request.rounds,
        "results": [_result(result) for result in outcome.results],
        "verdicts": [
            {
                "test": verdict.test.name,
                "states": verdict.setting.name,
                "closed": list(verdict.setting.closed),
                "gain_us": verdict.gain_us,
                "least_us": verdict.least_us,
                "most_us": verdict.most_us,
                "finding": verdict.finding,
                "text": verdict.text,
            }
            for verdict in verdicts(outcome.results)
        ],
        "notes": list(outcome.notes),
    }


def lines(outcome: LatencyOutcome, room: int) -> Iterator[str]:
    """Yield the table and the verdicts."""
    cpus = ",".join(map(str, outcome.request.cpus))
    rounds = outcome.request.rounds
    what = (
        f"Wake-ups on CPUs {cpus}, {rounds} round{'s' if rounds > 1 else ''} of "
        f"{outcome.request.seconds:g} s"
    )
    yield from wrapped(f"{what}, settings in alternating order. Entries: of the test's CPUs.", room)
    yield ""
    yield from columns([HEADS, *(_cells(result) for result in outcome.results)])
    yield ""
    for verdict in verdicts(outcome.results):
        text = f"{verdict.test.name}, {verdict.setting.name}: {verdict.text}"
        yield from wrapped(printable(text), room, "  ")
    for note in outcome.notes:
        yield from wrapped(printable(f"Note: {note}"), room, "  ")


def _result(result: WakeResult) -> dict[str, object]:
    latency = {f"p{percent:g}": _us(result, percent) for percent in (50, 90, 99, 99.9)}
    return {
        "test": result.test.name,
        "kind": result.test.kind,
        "think_us": result.test.think_us,
        "processes": result.test.processes,
        "states": result.setting.name,
        "closed": list(result.setting.closed),
        "limit_us": result.setting.limit_us,
        "samples": result.latencies.total,
        "latency_us": latency | {"max": _us(result, 100)},
        "rounds_p50_us": list(result.rounds_p50_us),
        "histogram_ns": result.latencies.rows(),
        "entries": result.entries,
    }


def _us(result: WakeResult, percent: float) -> float | None:
    value = result.latencies.percentile(percent)
    return None if value is None else value / 1000


def _cells(result: WakeResult) -> tuple[str, ...]:
    entries = ", ".join(f"{name} {count:,}" for name, count in result.entries.items())
    spread = f"{min(result.rounds_p50_us):.1f}-{max(result.rounds_p50_us):.1f}"
    return (
        result.test.name,
        printable(result.setting.name),
        f"{result.latencies.total:,}",
        f"{_us(result, 50) or 0:.1f}",
        f"{_us(result, 99) or 0:.1f}",
        spread,
        printable(entries) or "n/a",
    )
