"""Which sleeps of a recording hurt: what waking up from them cost, by cause and by process.

The cost is the time from the cause to the first sign of being awake: what the interrupt's handler
does then would be done without any sleep, too.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from cstates.idle.run import IdleRun, RunState, WakeRow
from cstates.simulation.trace import WAKES

MEANINGS = dict(
    zip(
        WAKES,
        (
            "timers",
            "waits for another CPU, as of a reply",
            "waits for a device, as of network or disk",
            "unknown causes",
        ),
        strict=True,
    )
)


@dataclass(frozen=True, slots=True)
class SleepCost:
    """What waking from one state by one cause cost; ``source`` tells where exit_us is from."""

    state: int
    wake: str
    wakes: int
    wakes_per_s: float
    exit_us: float | None  # mean of a wake-up
    source: str  # "measured", or "declared" where no cause had a time
    too_deep_share: float | None  # None where it was not counted
    pid: int | None = None
    name: str = ""

    @property
    def us_per_s(self) -> float | None:
        """Return microseconds of waiting in each second, of all CPUs together."""
        return None if self.exit_us is None else self.exit_us * self.wakes_per_s


@dataclass(frozen=True, slots=True)
class Explanation:
    """The costs, the dearest first; ``nothing`` says why there are none."""

    sleeps: tuple[SleepCost, ...]
    processes: tuple[SleepCost, ...]
    nothing: str | None


def explain(run: IdleRun) -> Explanation:
    """Return what the sleeps of a run cost."""
    if run.never_idle:
        return Explanation((), (), "the CPUs never idled: no sleep state cost anything")
    if run.why_counters_only is not None:
        return Explanation(_by_counters(run), (), None)
    if not run.wakes:
        return Explanation((), (), "no idle interval was traced: nothing can be said of wake-ups")
    states = {state.index: state for state in run.states}
    return Explanation(
        _dearest([_cost(row, states.get(row.state), run.seconds) for row in run.wakes]),
        _dearest([_cost(row, states.get(row.state), run.seconds) for row in run.processes]),
        None,
    )


def _cost(row: WakeRow, state: RunState | None, seconds: float) -> SleepCost:
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
    """Return a cost a state, of entries and declared latencies: all that counters tell."""
    return _dearest(
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


def _dearest(costs: Sequence[SleepCost]) -> tuple[SleepCost, ...]:
    return tuple(sorted(costs, key=lambda cost: -(cost.us_per_s or 0.0)))
