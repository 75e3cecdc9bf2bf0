"""Validated options of `stallscope requests`."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness.cli.recording_options import choice, default_output
from stallscope.errors import UsageError

if TYPE_CHECKING:
    from stallscope.collector import CollectorOptions

# Requests cannot be cut from the random windows of limited recordings.
MAX_COST = 0.25


@dataclass(frozen=True, slots=True)
class RequestsOptions:
    """What to record and how to print it."""

    collector: "CollectorOptions"
    as_json: bool


def requests_options(values: dict[str, Any]) -> RequestsOptions:
    """Return the validated options. Raises UsageError without a target."""
    from stallscope.collector import CollectorOptions  # noqa: PLC0415 - start-up stays light

    if not values["pids"] and not values["words"]:
        raise UsageError(
            "name a process with -p PID, or a command after --",
            "for example: stallscope requests -p $(pidof server)",
        )
    chosen = choice({**values, "system_wide": False, "cpus": "", "cgroup": ""}, "requests")
    return RequestsOptions(
        CollectorOptions(
            output=values["output"] or default_output(chosen),
            pids=chosen.pids,
            command=chosen.command,
            duration_s=chosen.duration_s,
            force=values["force"],
            max_size_mib=values["max_size_mib"],
            max_cost=values["max_cost"] or MAX_COST,
            waits=True,
            requests=True,
        ),
        values["as_json"],
    )
