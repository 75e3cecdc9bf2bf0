"""The costs of sleeps for a terminal."""

from collections.abc import Iterator

from cstates.advice.sleep_costs import WAKE_DESCRIPTIONS
from harness.cli.table import columns
from harness.cli.terminal import percent, printable, wrapped
from harness.cstates.explain.result import CauseCost, ExplainResult

HEADS = ("Sleeps", "State", "Wakes/s", "Us a wake", "Us/s", "Too deep", "Source")
PROCESS_HEADS = ("Process", *HEADS[1:])
MAX_PROCESSES = 10


def explain_lines(result: ExplainResult, width: int) -> Iterator[str]:
    """Yield the costs, the highest first."""
    if result.nothing:
        yield from wrapped(result.nothing[0].upper() + result.nothing[1:] + ".", width)
        return
    for heads, rows in cost_tables(result):
        yield from columns([heads, *rows])
        yield ""
    if len(result.processes) > MAX_PROCESSES:
        yield f"and {len(result.processes) - MAX_PROCESSES:,} more processes"
    yield from wrapped(
        "Us a wake: mean time from the cause to the first traced event of the CPU. Us/s: waiting "
        "per second, summed over all CPUs. Declared: the driver's number, as no cause had a time.",
        width,
    )
    for text in result.warnings:
        yield from wrapped(f"Note: {text}", width, "  ")


def cost_tables(
    result: ExplainResult,
) -> Iterator[tuple[tuple[str, ...], list[tuple[str, ...]]]]:
    """Yield the heads and rows of each table that is not empty: by cause, then by process."""
    if result.sleeps:
        yield HEADS, [(_cause(cost), *_cells(cost)) for cost in result.sleeps]
    processes = result.processes[:MAX_PROCESSES]
    if processes:
        yield (
            PROCESS_HEADS,
            [
                (printable(f"{cost.name} ({cost.pid}), {cost.wake}"), *_cells(cost))
                for cost in processes
            ],
        )


def _cause(cost: CauseCost) -> str:
    return WAKE_DESCRIPTIONS.get(cost.wake, printable(cost.wake))


def _cells(cost: CauseCost) -> tuple[str, ...]:
    return (
        cost.state,
        f"{cost.wakes_per_s:,.2f}",
        "n/a" if cost.exit_us is None else f"{cost.exit_us:,.1f}",
        "n/a" if cost.us_per_s is None else f"{cost.us_per_s:,.0f}",
        "n/a" if cost.too_deep_share is None else percent(cost.too_deep_share),
        cost.source,
    )
