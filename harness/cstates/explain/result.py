"""The result of `stallscope cstates explain`: the costs of sleeps by cause and by process."""

from typing import Any, Literal

from cstates.advice.sleep_costs import SleepCost, SleepCosts
from cstates.idle.run import IdleRun
from harness.cstates.record.analysis import state_name
from stallscope.documents import Amount, Count, Document, Integer, Record, Share


class CauseCost(Record, frozen=True, kw_only=True):
    """The cost of waking from one state by one cause."""

    state: str
    wake: str
    wakes: Count
    wakes_per_s: Amount
    exit_us: Amount | None  # mean per wake-up
    source: Literal["measured", "declared"]
    us_per_s: Amount | None  # summed over all CPUs
    too_deep_share: Share | None


class ProcessCost(CauseCost, frozen=True, kw_only=True):
    """The cost of wake-ups that one process followed."""

    pid: Integer
    name: str


class ExplainResult(Document, frozen=True, kw_only=True, tag="stallscope.cstates.explain/1"):
    """The costs of a recording's sleeps, the highest first."""

    seconds: Amount
    nothing: str | None  # why there are none
    sleeps: tuple[CauseCost, ...]
    processes: tuple[ProcessCost, ...]
    warnings: tuple[str, ...]


def explain_result(run: IdleRun, costs: SleepCosts) -> ExplainResult:
    """Return the result of an explanation of a recording."""
    return ExplainResult(
        seconds=run.seconds,
        nothing=costs.nothing,
        sleeps=tuple(CauseCost(**_fields(run, cost)) for cost in costs.sleeps),
        processes=tuple(
            ProcessCost(**_fields(run, cost), pid=cost.pid or 0, name=cost.name)
            for cost in costs.processes
        ),
        warnings=run.warnings,
    )


def _fields(run: IdleRun, cost: SleepCost) -> dict[str, Any]:
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
