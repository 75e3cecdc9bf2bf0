"""The result of `stallscope cstates simulate`."""

from collections.abc import Sequence
from typing import Literal

from cstates.simulation.replay import Agreement, GovernorResult, SimulatedMachine
from cstates.simulation.trace import IdleTrace
from stallscope.documents import Amount, Count, Document, Record, Share

# "assumed": the trace has no such column, and the value is 0.
ColumnSource = Literal["assumed", "trace"]


class SimulatedExits(Record, frozen=True, kw_only=True):
    """Delays of wake-ups in us."""

    mean: Amount
    p50: Amount
    p99: Amount
    per_s: Amount | None  # summed over all CPUs, per second of the trace


class ChoiceAgreement(Record, frozen=True, kw_only=True):
    """How often a governor chose the state that the recorded kernel entered."""

    share: Share
    same: Count
    of: Count
    states_entered: Count


class SimulatedRow(Record, frozen=True, kw_only=True):
    """The result of one governor."""

    governor: str
    kernel: str
    intervals: Count
    entries: Count
    too_deep_share: Share
    too_shallow_share: Share
    exit_us: SimulatedExits
    residency: dict[str, Amount]  # share of idle time by state name
    agreement: ChoiceAgreement | None


class SimulateResult(Document, frozen=True, kw_only=True, tag="stallscope.cstates.simulate/1"):
    """Governors replayed on the same idle intervals; all numbers are modelled."""

    source: Literal["modelled"] = "modelled"
    table: str
    trace: str
    intervals: Count
    duration_s: Amount
    tick: Literal["modelled", "recorded"]
    tick_hz: Count
    iowaiters: ColumnSource = "assumed"
    load: ColumnSource = "assumed"
    latency_limit_us: Count | None
    closed: tuple[str, ...]
    rows: tuple[SimulatedRow, ...]


def simulate_result(
    trace: IdleTrace, machine: SimulatedMachine, governors: Sequence[GovernorResult]
) -> SimulateResult:
    """Return the result of a simulation."""
    return SimulateResult(
        table=machine.table.name,
        trace=trace.name,
        intervals=int(trace.idle_ns.size),
        duration_s=trace.duration_s,
        tick="modelled" if trace.next_event_ns is None else "recorded",
        tick_hz=machine.tick_hz,
        iowaiters="assumed" if trace.io_waiters is None else "trace",
        load="assumed" if trace.load is None else "trace",
        latency_limit_us=machine.latency_limit_us,
        closed=tuple(machine.table.states[index].name for index in sorted(machine.closed)),
        rows=tuple(map(_row, governors)),
    )


def _row(result: GovernorResult) -> SimulatedRow:
    agreement = result.agreement
    return SimulatedRow(
        governor=result.governor.name,
        kernel=result.governor.kernel,
        intervals=result.intervals,
        entries=result.entries,
        too_deep_share=result.too_deep_share,
        too_shallow_share=result.too_shallow_share,
        exit_us=SimulatedExits(
            mean=result.exit_mean_us,
            p50=result.exit_p50_us,
            p99=result.exit_p99_us,
            per_s=result.exit_us_per_s,
        ),
        residency=result.residency,
        agreement=None if agreement is None else _agreement(agreement),
    )


def _agreement(agreement: Agreement) -> ChoiceAgreement:
    return ChoiceAgreement(
        share=agreement.share,
        same=agreement.same,
        of=agreement.of,
        states_entered=agreement.states_entered,
    )
