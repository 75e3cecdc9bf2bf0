"""A recording of idle intervals for a terminal: facts, states, wake-ups."""

from collections.abc import Iterator

from cstates.idle.run import IdleRun, RecordedState
from harness.cli.table import columns
from harness.cli.terminal import percent, printable, wrapped

STATE_HEADS = ("State", "Entries", "Too deep", "Idle us: p50", "p99", "Declared exit us")
WAKE_HEADS = (
    "State",
    "Woken by",
    "Wakes",
    "Timed",
    "Awake us: p50",
    "Exit us: p50",
    "p90",
    "p99",
    "Declared us",
)
EXPLANATION = (
    "Awake and exit: time from the cause of the wake-up (the timer's expiry, the sending of the "
    "IPI) to the first traced event of the CPU, and to the end of the idle state. Timed: wake-ups "
    "whose cause has a time. Declared: the driver's number, not measured."
)


def lines(run: IdleRun, width: int) -> Iterator[str]:
    """Yield the summary of a recording."""
    for label, text in facts(run):
        yield from wrapped(f"{label}: {text}", width, "  ")
    if run.all_states:
        yield ""
        yield from columns([STATE_HEADS, *state_rows(run)])
    if run.wakes:
        yield ""
        yield from columns([WAKE_HEADS, *wake_rows(run)])
        yield ""
        yield from wrapped(EXPLANATION, width)


def facts(run: IdleRun) -> Iterator[tuple[str, str]]:
    """Yield labels and texts: what was recorded, what was lost, what it cost."""
    target = printable(" ".join(run.command)) if run.command else "all CPUs"
    yield "Recorded", f"{target}, {run.seconds:.1f} s on {len(run.cpus)} CPUs"
    yield "Driver and governor", printable(f"{run.driver or 'none'}, {run.governor or 'none'}")
    if run.states_missing is not None:
        yield "Sleep states", printable(run.states_missing)
    if run.why_counters_only is not None:
        yield "Source", f"counters only: {printable(run.why_counters_only)}"
    else:
        kept = f", the first {run.intervals_kept:,} of them in the trace"
        suffix = kept if run.intervals_kept != run.intervals else ""
        yield "Idle intervals", f"{run.intervals:,}{suffix}"
        lost = "events: unknown" if run.lost_events is None else f"{run.lost_events:,} events"
        yield "Lost", f"{lost}; {run.intervals_discarded:,} intervals discarded"
        yield "Overhead", overhead_text(run)
    if run.never_idle:
        yield "Idle", "the CPUs never idled: no sleep state cost anything"
    for text in run.warnings:
        yield "Note", printable(text)


def overhead_text(run: IdleRun) -> str:
    """Return what the recording cost."""
    if run.events is None or run.reader_cpu_s is None or not run.seconds:
        return "unknown: not in the recording"
    return (
        f"{run.events / run.seconds:,.0f} trace events per second on all CPUs, and "
        f"{run.reader_cpu_s:.2f} s of CPU time to read them"
    )


def state_rows(run: IdleRun) -> Iterator[tuple[str, ...]]:
    """Yield a row for each state."""
    for state in run.all_states:
        lengths = run.lengths_of(state.index)
        p50, p99 = (lengths.percentile(rank) if lengths else None for rank in (50, 99))
        yield (
            state_name(run, state.index),
            "n/a" if state.entries is None else f"{state.entries:,}",
            "n/a" if state.above is None else percent(state.above),
            _us(None if p50 is None else p50 / 1000),
            _us(None if p99 is None else p99 / 1000),
            _declared(state),
        )


def wake_rows(run: IdleRun) -> Iterator[tuple[str, ...]]:
    """Yield a row for each state and cause: measured times beside the declared latency."""
    declared = {state.index: _declared(state) for state in run.states}
    for row in run.wakes:
        awake, exits = row.awake, row.exits
        yield (
            state_name(run, row.state),
            printable(row.wake),
            f"{row.wakes:,}",
            f"{row.timed:,}",
            _us(awake.p50_us if awake else None),
            _us(exits.p50_us if exits else None),
            _us(exits.p90_us if exits else None),
            _us(exits.p99_us if exits else None),
            declared.get(row.state, "n/a"),
        )


def state_name(run: IdleRun, index: int) -> str:
    """Return a state's name, or its index if it has none."""
    names = {state.index: state.name for state in run.states}
    return printable(names.get(index, f"state{index}"))


def _declared(state: RecordedState) -> str:
    return "n/a" if state.exit_latency_us is None else str(state.exit_latency_us)


def _us(value: float | None) -> str:
    return "n/a" if value is None else f"{value:,.1f}"
