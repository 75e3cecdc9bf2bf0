"""What each governor would have chosen for the same idle intervals, and what that costs.

A model: the intervals stay as they were, whatever is chosen. The CPU is woken when it was woken in
the trace, then leaves its state in the declared exit latency, which nobody measured. Too deep and
too shallow are what the kernel counts as `above` and `below` (drivers/cpuidle/cpuidle.c,
cpuidle_enter_state); residency stands in for energy.

The tick runs when a CPU goes idle, as the kernel starts it again before any task; a tick that the
governor leaves running, and the limit of polling, wake the CPU, and the governor chooses again for
the rest. Where a trace shows the running tick, its time is that recorded; else ticks are at
multiples of its period.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cstates.simulation.governors import Governor
from cstates.simulation.trace import Trace
from cstates.tables.state_table import StateTable
from stallscope._native import IdleGovernor, replay_idle
from stallscope.errors import UsageError
from stallscope.statistics.quantiles import nearest_rank

NO_LIMIT_NS = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Machine:
    """What governors choose from."""

    table: StateTable
    closed: frozenset[int] = frozenset()  # indices of states that were disabled
    latency_limit_us: int | None = None
    tick_hz: int = 250


@dataclass(frozen=True, slots=True)
class Agreement:
    """How often a governor, told what the kernel entered, chose what the kernel then entered."""

    same: int
    of: int
    states_entered: int  # different ones; with a single one agreement says little

    @property
    def share(self) -> float:
        """Return the share of 0..1."""
        return self.same / self.of


@dataclass(frozen=True, slots=True)
class SimulatedRow:
    """What one governor did with the intervals; shares are 0..1."""

    governor: Governor
    intervals: int
    entries: int  # more than intervals where ticks or polling's limit cut them
    too_deep_share: float  # of entries
    too_shallow_share: float
    exit_mean_us: float  # what a wake-up waits for, over intervals
    exit_p50_us: float
    exit_p99_us: float
    exit_us_per_s: float | None  # of all CPUs together, per second of the trace
    residency: dict[str, float]  # share of idle time by the state's name
    agreement: Agreement | None


@dataclass(frozen=True, slots=True, eq=False)
class Replay:
    """The raw outcome of one replay: counts by state, and the first choice for each interval."""

    entries: tuple[int, ...]
    too_deep: tuple[int, ...]
    too_shallow: tuple[int, ...]
    wakeups: tuple[int, ...]
    residency_ns: tuple[int, ...]
    choices: npt.NDArray[np.uint8]


def simulate(trace: Trace, machine: Machine, governors: tuple[Governor, ...]) -> list[SimulatedRow]:
    """Return a row for each governor; each takes some 50 ns an interval.

    Raises UsageError where the table leaves nothing to choose.
    """
    if len(machine.table.states) < 2:
        raise UsageError(
            f"table {machine.table.name} has one state: the kernel asks no governor then",
            "name a table with more states",
        )
    return [_row(governor, trace, machine) for governor in governors]


def _row(governor: Governor, trace: Trace, machine: Machine) -> SimulatedRow:
    done = replay(governor, trace, machine)
    states = machine.table.states
    entries, intervals = sum(done.entries), sum(done.wakeups)
    exits = [state.exit_latency_us for state in states]
    total_us = sum(exit_us * count for exit_us, count in zip(exits, done.wakeups, strict=True))
    idle_ns = sum(done.residency_ns)
    duration_s = trace.duration_s
    return SimulatedRow(
        governor=governor,
        intervals=intervals,
        entries=entries,
        too_deep_share=sum(done.too_deep) / entries,
        too_shallow_share=sum(done.too_shallow) / entries,
        exit_mean_us=total_us / intervals,
        exit_p50_us=_exit_quantile(exits, done.wakeups, 0.50),
        exit_p99_us=_exit_quantile(exits, done.wakeups, 0.99),
        exit_us_per_s=total_us / duration_s if duration_s else None,
        residency={
            state.name: slept / idle_ns if idle_ns else 0.0
            for state, slept in zip(states, done.residency_ns, strict=True)
        },
        agreement=agreement(governor, trace, machine),
    )


def _exit_quantile(exits_us: list[int], counts: tuple[int, ...], share: float) -> float:
    return float(nearest_rank(sorted(zip(exits_us, counts, strict=True)), share) or 0)


def agreement(governor: Governor, trace: Trace, machine: Machine) -> Agreement | None:
    """Return how often the governor chose as the kernel did; None where the trace cannot tell."""
    entered = trace.entered
    if entered is None or trace.next_event_ns is None or not entered.size:
        return None
    if int(entered.max()) >= len(machine.table.states) or governor.native is IdleGovernor.FIXED:
        return None
    done = replay(governor, trace, machine, follow_entered=True)
    same = int((done.choices == entered).sum())
    return Agreement(same, entered.size, len(np.unique(entered)))


def replay(
    governor: Governor, trace: Trace, machine: Machine, *, follow_entered: bool = False
) -> Replay:
    """Return what the governor did, interval by interval.

    ``follow_entered``: it is told the states that the trace says were entered, not its own choices.
    """
    next_tick_ns, ended_by_tick = _ticks(trace, 1_000_000_000 // machine.tick_hz)
    limit_us = machine.latency_limit_us
    totals, choices = replay_idle(
        states=_state_rows(machine),
        latency_limit_ns=NO_LIMIT_NS if limit_us is None else limit_us * 1000,
        tick_ns=1_000_000_000 // machine.tick_hz,
        cpu=np.unique(trace.cpu, return_inverse=True)[1].astype(np.uint32),
        idle_ns=trace.idle_ns,
        sleep_length_ns=trace.next_timer_ns,
        next_tick_ns=next_tick_ns,
        ended_by_tick=ended_by_tick,
        entered=trace.entered if follow_entered and trace.entered is not None else _NOTHING,
        which=governor.native,
        fixed_state=governor.fixed_state,
        follow_entered=follow_entered,
    )
    entries, deep, shallow, wakeups, residency = zip(*totals, strict=True)
    return Replay(entries, deep, shallow, wakeups, residency, choices)


_NOTHING = np.empty(0, np.uint8)


def _state_rows(machine: Machine) -> npt.NDArray[np.int64]:
    return np.array(
        [
            (
                state.exit_latency_us * 1000,
                state.target_residency_us * 1000,
                state.polling,
                not state.enabled or index in machine.closed,
            )
            for index, state in enumerate(machine.table.states)
        ],
        dtype=np.int64,
    )


def _ticks(trace: Trace, tick_ns: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    """Return the time to the next event, the tick among them, and where the tick came last."""
    until_tick = tick_ns - trace.t_entry_ns % tick_ns
    ended_by_tick = np.zeros(trace.idle_ns.size, np.uint8)
    event_ns = trace.next_event_ns
    if event_ns is not None:
        ran = event_ns < trace.next_timer_ns  # where it is no sooner, the tick was stopped or later
        ended = ran & (trace.idle_ns >= event_ns)
        ended_by_tick[ended] = 1
        until_tick = np.where(ran, event_ns, until_tick)
    next_event_ns: npt.NDArray[np.int64] = np.minimum(until_tick, trace.next_timer_ns)
    # What is recorded beyond the tick is the waking up itself, not another idle.
    next_event_ns[ended_by_tick == 1] = trace.idle_ns[ended_by_tick == 1]
    return next_event_ns, ended_by_tick
