"""The document of `stallscope cstates simulate --json`."""

from collections.abc import Sequence

from cstates.simulation.replay import Machine, SimulatedRow
from cstates.simulation.trace import Trace

SCHEMA = "stallscope.cstates.simulate/1"


def document(trace: Trace, machine: Machine, rows: Sequence[SimulatedRow]) -> dict[str, object]:
    """Return the rows as JSON takes them."""
    return {
        "schema": SCHEMA,
        "source": "modelled",
        "table": machine.table.name,
        "trace": trace.name,
        "intervals": int(trace.idle_ns.size),
        "duration_s": trace.duration_s,
        "tick": "modelled" if trace.next_event_ns is None else "recorded",
        "tick_hz": machine.tick_hz,
        "latency_limit_us": machine.latency_limit_us,
        "closed": [machine.table.states[index].name for index in sorted(machine.closed)],
        "rows": [_row(row) for row in rows],
    }


def _row(row: SimulatedRow) -> dict[str, object]:
    agreement = row.agreement
    return {
        "governor": row.governor.name,
        "kernel": row.governor.kernel,
        "intervals": row.intervals,
        "entries": row.entries,
        "too_deep_share": row.too_deep_share,
        "too_shallow_share": row.too_shallow_share,
        "exit_us": {
            "mean": row.exit_mean_us,
            "p50": row.exit_p50_us,
            "p99": row.exit_p99_us,
            "per_s": row.exit_us_per_s,
        },
        "residency": row.residency,
        "agreement": agreement
        and {
            "share": agreement.share,
            "same": agreement.same,
            "of": agreement.of,
            "states_entered": agreement.states_entered,
        },
    }
