"""Validated options of `stallscope waits`."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.cli.recording_options import choice, default_output
from stallscope.errors import UsageError

if TYPE_CHECKING:
    from stallscope.collector import CollectorOptions


@dataclass(frozen=True, slots=True)
class WaitsOptions:
    """What to record, or the two recordings to compare."""

    collector: "CollectorOptions | None"
    compared: tuple[Path, Path] | None
    as_json: bool
    graph: bool = False  # print all causes with their chains


def waits_options(values: dict[str, Any]) -> WaitsOptions:
    """Return the validated options. Raises UsageError for options that exclude each other."""
    from stallscope.collector import CollectorOptions  # noqa: PLC0415 - start-up stays light

    if values["compared"]:
        if values["pids"] or values["words"] or values["output"] is not None:
            raise UsageError(
                "--compare reads two recordings and excludes a target and -o",
                "stallscope waits --compare ONE-THREAD FOUR-THREADS",
            )
        return WaitsOptions(None, values["compared"], values["as_json"])
    if not values["pids"] and not values["words"]:
        raise UsageError(
            "name a process with -p PID, or a command after --",
            "for example: stallscope waits -p $(pidof redis-server)",
        )
    chosen = choice({**values, "system_wide": False, "cpus": "", "cgroup": ""}, "waits")
    collector = CollectorOptions(
        output=values["output"] or default_output(chosen),
        pids=chosen.pids,
        command=chosen.command,
        duration_s=chosen.duration_s,
        force=values["force"],
        max_size_mib=values["max_size_mib"],
        max_cost=values["max_cost"],
        waits=True,
    )
    return WaitsOptions(collector, None, values["as_json"], graph=values.get("graph", False))
