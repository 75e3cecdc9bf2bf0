"""Which states each governor would have chosen for the same idle intervals, and what that costs.

This is a model: the intervals stay the same whatever is chosen. The CPU is woken at the time in the
trace and then leaves its state in the declared exit latency, which is not measured. Too deep and
too shallow are defined as the kernel's counters `above` and `below` (drivers/cpuidle/cpuidle.c,
cpuidle_enter_state). Residency stands in for energy.

The tick runs when a CPU goes idle, as the kernel restarts it before any task. A tick that the
governor leaves running, and the limit of polling, wake the CPU, and the governor chooses again for
the rest. If a trace shows the running tick, its recorded time is used; otherwise ticks are at
multiples of their period.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cstates.simulation.governors import SimulatedGovernor
from cstates.simulation.trace import IdleTrace
from cstates.tables.state_table import StateTable
from stallscope._native import IdleGovernor, replay_idle
from stallscope.errors import UsageError
from stallscope.statistics.quantiles import nearest_rank

NO_LIMIT_NS = 2**63 - 1


@dataclass(frozen=True, slots=True)
class SimulatedMachine:
    """The states that governors choose from, and what restricts them."""

    table: StateTable
    closed: frozenset[int] = frozenset()  # indices of disabled states
    latency_limit_us: int | None = None
    tick_hz: int = 250


@dataclass(frozen=True, slots=True)
class Agreement:
    """How often a governor chose the state that the kernel entered, after the same history."""

    same: int
    of: int
    states_entered: int  # distinct states; with one, agreement means little

    @property
    def share(self) -> float:
        """Return the share of matching choices, 0..1."""
        return self.same / self.of


@dataclass(frozen=True, slots=True)
class GovernorResult:
    """The result of one governor on the intervals; shares are 0..1."""

    governor: SimulatedGovernor
    intervals: int
    entries: int  # more than intervals if ticks or the polling limit split them
    too_deep_share: float  # of entries
    too_shallow_share: float
    exit_mean_us: float  # delay of a wake-up, per interval
    exit_p50_us: float
    exit_p99_us: float
    exit_us_per_s: float | None  # summed over CPUs, per second of the trace
    residency: dict[str, float]  # share of idle time by state name
    agreement: Agreement | None


@dataclass(frozen=True, slots=True, eq=False)
class GovernorCounts:
    """The counts of one replay by state, and the first choice for each interval."""

    entries: tuple[int, ...]
    too_deep: tuple[int, ...]
    too_shallow: tuple[int, ...]
    wakeups: tuple[int, ...]
    residency_ns: tuple[int, ...]
    choices: npt.NDArray[np.uint8]


def simulate(
    trace: IdleTrace, machine: SimulatedMachine, governors: tuple[SimulatedGovernor, ...]
) -> list[GovernorResult]:
    """Return the result of each governor; a governor takes about 50 ns per interval.

    Raises UsageError if the table has only one state.
    """
    if len(machine.table.states) < 2:
        raise UsageError(
            f"table {machine.table.name} has one state, so that no governor has a choice",
            "name a table with more states",
        )
    return [_result(governor, trace, machine) for governor in governors]


def _result(
    governor: SimulatedGovernor, trace: IdleTrace, machine: SimulatedMachine
) -> GovernorResult:
    counts = replay(governor, trace, machine)
    states = machine.table.states
    entries, intervals = sum(counts.entries), sum(counts.wakeups)
    exits = [state.exit_latency_us for state in states]
    total_us = sum(exit_us * count for exit_us, count in zip(exits, counts.wakeups, strict=True))
    idle_ns = sum(counts.residency_ns)
    duration_s = trace.duration_s
    return GovernorResult(
        governor=governor,
        intervals=intervals,
        entries=entries,
        too_deep_share=sum(counts.too_deep) / entries,
        too_shallow_share=sum(counts.too_shallow) / entries,
        exit_mean_us=total_us / intervals,
        exit_p50_us=_exit_quantile(exits, counts.wakeups, 0.50),
        exit_p99_us=_exit_quantile(exits, counts.wakeups, 0.99),
        exit_us_per_s=total_us / duration_s if duration_s else None,
        residency={
            state.name: residency_ns / idle_ns if idle_ns else 0.0
            for state, residency_ns in zip(states, counts.residency_ns, strict=True)
        },
        agreement=agreement(governor, trace, machine),
    )


def _exit_quantile(exits_us: list[int], counts: tuple[int, ...], share: float) -> float:
    return float(nearest_rank(sorted(zip(exits_us, counts, strict=True)), share) or 0)


def agreement(
    governor: SimulatedGovernor, trace: IdleTrace, machine: SimulatedMachine
) -> Agreement | None:
    """Return the agreement with the kernel's choices; None if the trace lacks what it takes."""
    entered = trace.entered
    if entered is None or trace.next_event_ns is None or not entered.size:
        return None
    if int(entered.max()) >= len(machine.table.states) or governor.native is IdleGovernor.FIXED:
        return None
    counts = replay(governor, trace, machine, follow_entered=True)
    same = int((counts.choices == entered).sum())
    return Agreement(same, entered.size, len(np.unique(entered)))


def replay(
    governor: SimulatedGovernor,
    trace: IdleTrace,
    machine: SimulatedMachine,
    *,
    follow_entered: bool = False,
) -> GovernorCounts:
    """Return the governor's choices for all intervals.

    With ``follow_entered`` its history is the entered states of the trace, not its own choices.
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
        entered=trace.entered if follow_entered and trace.entered is not None else _NO_STATES,
        io_waiters=_NO_COUNTS if trace.io_waiters is None else trace.io_waiters.astype(np.uint32),
        load_hundredths=_NO_COUNTS if trace.load is None else _hundredths(trace.load),
        which=governor.native,
        fixed_state=governor.fixed_state,
        follow_entered=follow_entered,
    )
    entries, deep, shallow, wakeups, residency = zip(*totals, strict=True)
    return GovernorCounts(entries, deep, shallow, wakeups, residency, choices)


_NO_STATES = np.empty(0, np.uint8)
_NO_COUNTS = np.empty(0, np.uint32)


def _hundredths(load: npt.NDArray[np.float64]) -> npt.NDArray[np.uint32]:
    """Return loads times 100, rounded down; the slack is for decimals that have no exact binary."""
    return np.floor(load * 100 + 1e-6).astype(np.uint32)


def _state_rows(machine: SimulatedMachine) -> npt.NDArray[np.int64]:
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


def _ticks(trace: IdleTrace, tick_ns: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    """Return the time to the next timer or tick, and which intervals the tick ended."""
    until_tick = tick_ns - trace.t_entry_ns % tick_ns
    ended_by_tick = np.zeros(trace.idle_ns.size, np.uint8)
    event_ns = trace.next_event_ns
    if event_ns is not None:
        ran = event_ns < trace.next_timer_ns  # otherwise the tick was stopped or later
        ended = ran & (trace.idle_ns >= event_ns)
        ended_by_tick[ended] = 1
        until_tick = np.where(ran, event_ns, until_tick)
    next_event_ns: npt.NDArray[np.int64] = np.minimum(until_tick, trace.next_timer_ns)
    # Recorded time after the tick is the wake-up itself, not another idle interval.
    next_event_ns[ended_by_tick == 1] = trace.idle_ns[ended_by_tick == 1]
    return next_event_ns, ended_by_tick
