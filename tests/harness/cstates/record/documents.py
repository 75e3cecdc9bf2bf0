"""Documents of `stallscope cstates record` for tests, as the command writes them."""

from typing import Any

import msgspec

from cstates.idle.summary import IdleSummary
from harness.cstates.record.result import (
    IdleResult,
    process_wakeups,
    state_lengths,
    state_wakeups,
)

ACTIVITY = {"entries": 0, "above_share": 0.5, "below_share": 0.0}


def state_document(index: int, name: str, exit_us: int, target_us: int) -> dict[str, Any]:
    """Return a state of a CPU without counters."""
    unknown = ("disabled", "default_disabled", "closed_by", "usage", "time_us", "above", "below")
    return dict.fromkeys((*unknown, "rejected", "over_interval")) | {
        "index": index,
        "name": name,
        "description": "",
        "exit_latency_us": exit_us,
        "target_residency_us": target_us,
        "since_boot": {},
    }


def machine_document(cpu: int, *states: dict[str, Any]) -> dict[str, Any]:
    """Return a machine with a single CPU, as `stallscope cstates show` describes it."""
    frequency = dict.fromkeys(("missing", "driver_status", "turbo", "smt"))
    return {
        "schema": "stallscope.cstates.show/1",
        "driver": "intel_idle",
        "governor": "menu",
        "available_governors": ["menu"],
        "missing": None,
        "uptime_s": None,
        "interval_s": None,
        "latency_limit": {
            "global_us": None, "missing": None, "holders": [], "unseen_processes": 0,
        },
        "frequency": frequency | {"energy_bias": {}, "policies": []},
        "cpus": [
            {
                "cpu": cpu,
                "online": True,
                "missing": None,
                "latency_limit_us": None,
                "resume_latency_limit_us": None,
                "states": list(states),
            }
        ],
    }  # fmt: skip


def idle_document(
    summary: IdleSummary, machine: dict[str, Any], **fields: object
) -> dict[str, Any]:
    """Return the document of a recording with the summary's intervals."""
    document: dict[str, Any] = msgspec.to_builtins(
        {
            "schema": IdleResult.__struct_config__.tag,
            "seconds": 1.0,
            "machine": machine,
            "intervals": summary.intervals,
            "intervals_kept": summary.intervals,
            "intervals_discarded": 0,
            "lost_events": 0,
            "idle": state_lengths(summary),
            "wakes": state_wakeups(summary),
            "processes": process_wakeups(summary),
        },
        str_keys=True,
    )
    return document | fields
