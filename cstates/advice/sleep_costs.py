"""The cost of waking up from sleep states, by cause and by process.

The cost is the time from the cause to the first sign of being awake. Work that the interrupt
handler does afterwards would also be done without any sleep.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from cstates.idle.run import IdleRun, RecordedState, WakeRow
from cstates.simulation.trace import WAKES

WAKE_DESCRIPTIONS = dict(
    zip(
        WAKES,
        (
            "timers",
            "waits for another CPU, such as for a reply",
            "waits for a device, such as network or disk",
            "unknown causes",
        ),
        strict=True,
    )
)


@dataclass(frozen=True, slots=True)
class SleepCost:
    """The cost of waking from one state by one cause; ``source`` names the origin of exit_us."""

    state: int
    wake: str
    wakes: int
    wakes_per_s: float
    exit_us: float | None  # mean per wake-up
    source: str  # "measured", or "declared" if no cause had a time
    too_deep_share: float | None  # None if it was not counted
    pid: int | None = None
    name: str = ""

    @property
    def us_per_s(self) -> float | None:
        """Return microseconds of waiting per second, summed over all CPUs."""
        return None if self.exit_us is None else self.exit_us * self.wakes_per_s


@dataclass(frozen=True, slots=True)
class SleepCosts:
    """The costs, the highest first; ``nothing`` is the reason for having none."""

    sleeps: tuple[SleepCost, ...]
    processes: tuple[SleepCost, ...]
    nothing: str | None


def explain(run: IdleRun) -> SleepCosts:
    """Return the costs of the sleeps in a recording."""
    if run.never_idle:
        return SleepCosts((), (), "the CPUs never idled: no sleep state cost anything")
    if run.why_counters_only is not None:
        costs = _by_counters(run)
        unknown = run.states_missing or "no counter of a sleep state was read: costs are unknown"
        return SleepCosts(costs, (), None if costs else unknown)
    if not run.wakes:
        return SleepCosts((), (), "no idle interval was traced: wake-ups are unknown")
    states = {state.index: state for state in run.states}
    return SleepCosts(
        _highest_first([_cost(row, states.get(row.state), run.seconds) for row in run.wakes]),
        _highest_first([_cost(row, states.get(row.state), run.seconds) for row in run.processes]),
        None,
    )


def _cost(row: WakeRow, state: RecordedState | None, seconds: float) -> SleepCost:
    measured = row.awake_mean_us
    declared = state.exit_latency_us if state else None
    return SleepCost(
        state=row.state,
        wake=row.wake,
        wakes=row.wakes,
        wakes_per_s=row.wakes / seconds if seconds else 0.0,
        exit_us=declared if measured is None else measured,
        source="declared" if measured is None else "measured",
        too_deep_share=row.too_deep / row.wakes if row.wakes else 0.0,
        pid=row.pid,
        name=row.name,
    )


def _by_counters(run: IdleRun) -> tuple[SleepCost, ...]:
    """Return a cost per state from entries and declared latencies, as the causes are unknown."""
    return _highest_first(
        [
            SleepCost(
                state=state.index,
                wake="unknown",
                wakes=state.entries,
                wakes_per_s=state.entries / run.seconds if run.seconds else 0.0,
                exit_us=state.exit_latency_us,
                source="declared",
                too_deep_share=state.above,
            )
            for state in run.states
            if state.entries
        ]
    )


def _highest_first(costs: Sequence[SleepCost]) -> tuple[SleepCost, ...]:
    return tuple(sorted(costs, key=lambda cost: -(cost.us_per_s or 0.0)))
