"""What sleeps cost and what to change, for people and as JSON."""

from collections.abc import Iterator
from dataclasses import asdict

from cstates.advice.sleep_costs import MEANINGS, Explanation, SleepCost
from cstates.advice.suggestions import Advice, Suggestion
from cstates.idle.run import IdleRun
from harness.cli.table import columns
from harness.cli.terminal import percent, printable, wrapped
from harness.cstates.record.text import state_name
from stallscope.cpu_lists import format_cpu_list

EXPLAIN_SCHEMA = "stallscope.cstates.explain/1"
ADVISE_SCHEMA = "stallscope.cstates.advise/1"
HEADS = ("Sleeps", "State", "Wakes/s", "Us a wake", "Us/s", "Too deep", "Source")
PROCESS_HEADS = ("Process", *HEADS[1:])
MOST_PROCESSES = 10


def explain_lines(run: IdleRun, found: Explanation, room: int) -> Iterator[str]:
    """Yield what sleeps cost, the dearest first."""
    if found.nothing:
        yield from wrapped(found.nothing[0].upper() + found.nothing[1:] + ".", room)
        return
    for heads, rows in explain_rows(run, found):
        yield from columns([heads, *rows])
        yield ""
    if len(found.processes) > MOST_PROCESSES:
        yield f"and {len(found.processes) - MOST_PROCESSES:,} more processes"
    yield from wrapped(
        "Us a wake: the mean time from the cause to the first that was traced of the CPU; us/s: of "
        "waiting in each second, all CPUs together. Declared: the driver's number, where no cause "
        "had a time.",
        room,
    )
    for text in run.warnings:
        yield from wrapped(f"Note: {text}", room, "  ")


def explain_rows(
    run: IdleRun, found: Explanation
) -> Iterator[tuple[tuple[str, ...], list[tuple[str, ...]]]]:
    """Yield the heads and rows of each table that is not empty: by cause, then by process."""
    if found.sleeps:
        yield HEADS, [(_sleeps(cost), *_cells(run, cost)) for cost in found.sleeps]
    shown = found.processes[:MOST_PROCESSES]
    if shown:
        names = [printable(f"{cost.name} ({cost.pid}), {cost.wake}") for cost in shown]
        cells = [_cells(run, cost) for cost in shown]
        yield PROCESS_HEADS, [(name, *row) for name, row in zip(names, cells, strict=True)]


def advise_lines(advice: Advice, room: int) -> Iterator[str]:
    """Yield what to change, the greatest gain first."""
    if advice.nothing:
        yield from wrapped(advice.nothing[0].upper() + advice.nothing[1:] + ".", room)
    elif not any(each.shown for each in advice.suggestions):
        yield from wrapped("Nothing is shown to gain; to be tried:", room)
    for number, each in enumerate(advice.suggestions, 1):
        kept = ", ".join(each.open_states)
        cpus = f"CPU{'s' if len(each.cpus) > 1 else ''} {format_cpu_list(each.cpus)}"
        what = f"{number}. On {cpus} keep only {kept} open"
        yield from wrapped(printable(f"{what}: {gain_text(each)}."), room, "   ")
        for cost in each.costs:
            yield from wrapped(printable(f"   Costs: {cost}."), room, "     ")
        for command in each.commands:
            yield f"     {printable(command)}"
    for note in advice.notes:
        yield from wrapped(printable(f"Note: {note}."), room, "  ")


def gain_text(each: Suggestion) -> str:
    """Return what a suggestion buys: shown, with its interval, or as far as it can be told."""
    if each.measured:
        return f"measured wake-ups gained: {'; '.join(each.measured)}"
    if not each.untimed:
        interval = f"95 % interval {each.least_us:.1f} to {each.most_us:.1f}"
        return (
            f"{each.gain_us:.1f} us less a wake-up ({interval}), {each.us_per_s:,.0f} us in each "
            f"second; exit times {each.sources}"
        )
    untimed = ", ".join(each.untimed)
    why = (
        f"leaving {untimed} was not timed here, and what is declared may be far from real: "
        "stallscope cstates latency shows whether anything is gained"
    )
    if each.most_us is None:
        return f"{each.gain_us:.1f} us less a wake-up by declared latencies alone; {why}"
    return f"not shown to gain, at most {each.most_us:.1f} us a wake-up; {why}"


def explain_document(run: IdleRun, found: Explanation) -> dict[str, object]:
    """Return ``stallscope.cstates.explain/1``."""
    return {
        "schema": EXPLAIN_SCHEMA,
        "seconds": run.seconds,
        "nothing": found.nothing,
        "sleeps": [_cost(run, cost) for cost in found.sleeps],
        "processes": [
            _cost(run, cost) | {"pid": cost.pid, "name": cost.name} for cost in found.processes
        ],
        "warnings": list(run.warnings),
    }


def advise_document(advice: Advice) -> dict[str, object]:
    """Return ``stallscope.cstates.advise/1``."""
    return {
        "schema": ADVISE_SCHEMA,
        "nothing": advice.nothing,
        "suggestions": [asdict(each) | {"shown": each.shown} for each in advice.suggestions],
        "notes": list(advice.notes),
    }


def _cost(run: IdleRun, cost: SleepCost) -> dict[str, object]:
    return {
        "state": state_name(run, cost.state),
        "wake": cost.wake,
        "wakes": cost.wakes,
        "wakes_per_s": cost.wakes_per_s,
        "exit_us": cost.exit_us,
        "source": cost.source,
        "us_per_s": cost.us_per_s,
        "too_deep_share": cost.too_deep_share,
    }


def _sleeps(cost: SleepCost) -> str:
    return MEANINGS.get(cost.wake, printable(cost.wake))


def _cells(run: IdleRun, cost: SleepCost) -> tuple[str, ...]:
    return (
        state_name(run, cost.state),
        f"{cost.wakes_per_s:,.2f}",
        "n/a" if cost.exit_us is None else f"{cost.exit_us:,.1f}",
        "n/a" if cost.us_per_s is None else f"{cost.us_per_s:,.0f}",
        "n/a" if cost.too_deep_share is None else percent(cost.too_deep_share),
        cost.source,
    )
