"""Validated options of `stallscope requests`."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.cli.wait_recording_options import recorded_page, wait_collector_options
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
    if not values["pids"] and not values["words"]:
        raise UsageError(
            "name a process with -p PID, a command after --, or a recording",
            "for example: stallscope requests -p $(pidof server)",
        )
    words = values["words"]
    if len(words) == 1 and not values["pids"] and Path(words[0]).is_dir():
        recording = Path(words[0])
        page = recorded_page(recording, values, "trace_marker")
        return RequestsOptions(None, values["as_json"], recording=recording, page=page)
    collector = wait_collector_options(values, "requests", max_cost=MAX_COST)
    return RequestsOptions(
        replace(collector, requests=True),
        values["as_json"],
        trace_marker=values.get("trace_marker", False),
    )
