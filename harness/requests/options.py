"""Validated options of `stallscope requests`."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.cli.recording_options import choice, default_output
from stallscope.errors import UsageError

if TYPE_CHECKING:
    from stallscope.collector import CollectorOptions

# Requests cannot be cut from the random windows of limited recordings.
MAX_COST = 0.25


@dataclass(frozen=True, slots=True)
class RequestsOptions:
    """What to record, or the recording to show; ``page``: None is the default place."""

    collector: "CollectorOptions | None"
    as_json: bool
    recording: Path | None = None
    page: Path | None = None
    trace_marker: bool = False  # marks written to trace_marker count, too


def requests_options(values: dict[str, Any]) -> RequestsOptions:
    """Return the validated options. Raises UsageError without a target."""
    from stallscope.collector import CollectorOptions  # noqa: PLC0415 - start-up stays light

    if not values["pids"] and not values["words"]:
        raise UsageError(
            "name a process with -p PID, a command after --, or a recording",
            "for example: stallscope requests -p $(pidof server)",
        )
    words = values["words"]
    if len(words) == 1 and not values["pids"] and Path(words[0]).is_dir():
        return _shown(Path(words[0]), values)
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
        trace_marker=values.get("trace_marker", False),
    )


def _shown(recording: Path, values: dict[str, Any]) -> RequestsOptions:
    """Return the options of a recording that is shown again."""
    for name in ("duration", "force", "max_cost", "max_size_mib", "trace_marker"):
        if values.get(name):
            flag = name.replace("_mib", "").replace("_", "-")
            raise UsageError(
                f"--{flag} is for recording, and {recording} is shown", "leave the option out"
            )
    return RequestsOptions(None, values["as_json"], recording=recording, page=values["output"])
