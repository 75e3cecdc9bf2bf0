"""A recording of idle intervals for a terminal: facts, states, wake-ups."""

from collections.abc import Iterator

from cstates.idle.run import RecordedState
from harness.cli.table import columns
from harness.cli.terminal import percent, printable, wrapped
from harness.cstates.record.analysis import idle_run, state_name
from harness.cstates.record.result import IdleResult

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


def lines(result: IdleResult, width: int) -> Iterator[str]:
    """Yield the summary of a recording."""
    for label, text in facts(result):
        yield from wrapped(f"{label}: {text}", width, "  ")
    states = tuple(state_rows(result))
    if states:
        yield ""
        yield from columns([STATE_HEADS, *states])
    if result.wakes:
        yield ""
        yield from columns([WAKE_HEADS, *wake_rows(result)])
        yield ""
        yield from wrapped(EXPLANATION, width)


def facts(result: IdleResult) -> Iterator[tuple[str, str]]:
    """Yield labels and texts: what was recorded, what was lost, what it cost."""
    machine = result.machine
    target = printable(" ".join(result.command)) if result.command else "all CPUs"
    yield "Recorded", f"{target}, {result.seconds:.1f} s on {len(machine.cpus)} CPUs"
    names = f"{machine.driver or 'none'}, {machine.governor or 'none'}"
    yield "Driver and governor", printable(names)
    if machine.missing is not None:
        yield "Sleep states", printable(machine.missing)
    if result.why_counters_only is not None:
        yield "Source", f"counters only: {printable(result.why_counters_only)}"
    else:
        in_trace = f", the first {result.intervals_kept:,} of them in the trace"
        suffix = in_trace if result.intervals_kept != result.intervals else ""
        yield "Idle intervals", f"{result.intervals:,}{suffix}"
        lost = "events: unknown" if result.lost_events is None else f"{result.lost_events:,} events"
        yield "Lost", f"{lost}; {result.intervals_discarded:,} intervals discarded"
        yield "I/O waiters", io_waiters_text(result)
        yield "Overhead", overhead_text(result)
    if idle_run(result).never_idle:
        yield "Idle", "the CPUs never idled: no sleep state cost anything"
    for text in result.warnings:
        yield "Note", printable(text)


def io_waiters_text(result: IdleResult) -> str:
    """Return the estimate of tasks that wait for block I/O."""
    estimate = result.iowaiters
    if estimate is None:
        return "unavailable: block requests are not in the recording"
    return (
        f"modelled: {estimate.intervals:,} intervals began while a task waited for block I/O, "
        f"{estimate.mean:.2f} tasks on average"
    )


def overhead_text(result: IdleResult) -> str:
    """Return what the recording cost."""
    cost = result.overhead
    if cost is None or cost.events is None or cost.reader_cpu_s is None or not result.seconds:
        return "unknown: not in the recording"
    return (
        f"{cost.events / result.seconds:,.0f} trace events per second on all CPUs, and "
        f"{cost.reader_cpu_s:.2f} s of CPU time to read them"
    )


def state_rows(result: IdleResult) -> Iterator[tuple[str, ...]]:
    """Yield a row for each state."""
    run = idle_run(result)
    for state in run.all_states:
        lengths = run.lengths_of(state.index)
        p50, p99 = (lengths.percentile(rank) if lengths else None for rank in (50, 99))
        yield (
            printable(state.name),
            "n/a" if state.entries is None else f"{state.entries:,}",
            "n/a" if state.above is None else percent(state.above),
            _us(None if p50 is None else p50 / 1000),
            _us(None if p99 is None else p99 / 1000),
            _declared(state),
        )


def wake_rows(result: IdleResult) -> Iterator[tuple[str, ...]]:
    """Yield a row for each state and cause: measured times beside the declared latency."""
    run = idle_run(result)
    declared = {state.index: _declared(state) for state in run.states}
    for row in result.wakes:
        awake, exits = row.awake_us, row.exit_us
        yield (
            state_name(run, row.state),
            printable(row.wake),
            f"{row.wakes:,}",
            f"{row.timed:,}",
            _us(awake.p50 if awake else None),
            _us(exits.p50 if exits else None),
            _us(exits.p90 if exits else None),
            _us(exits.p99 if exits else None),
            declared.get(row.state, "n/a"),
        )


def _declared(state: RecordedState) -> str:
    return "n/a" if state.exit_latency_us is None else str(state.exit_latency_us)


def _us(value: float | None) -> str:
    return "n/a" if value is None else f"{value:,.1f}"
