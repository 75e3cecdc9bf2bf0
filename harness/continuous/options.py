"""The validated options of `stallscope record --continuous`."""

from dataclasses import dataclass, replace
from typing import Any

from harness.cli.quantity_options import seconds_of, share_of
from harness.continuous.endpoint import Endpoint, parse_endpoint
from stallscope.collector import CollectorOptions
from stallscope.errors import UsageError

DEFAULT_BUDGET = 0.01
DEFAULT_SEGMENT_S = 60.0
DEFAULT_TOTAL_BYTES = 250_000_000
MIN_TOTAL_MIB = 48  # four segments and the symbols of the kernel
FREQUENCY_HZ = 99
# Options without effect if --continuous is not given, by parameter.
_CONTINUOUS_ONLY = {"budget": "--budget", "segment": "--segment", "otlp": "--otlp"}
# Options that exclude --continuous, by parameter.
_EXCLUDED = {
    "flight": "--flight",
    "waits": "--waits",
    "slots": "--slots",
    "counted": "--with",
    "force": "--force",
}


@dataclass(frozen=True, slots=True)
class ContinuousOptions:
    """A recording all the time: what, within which budget, and where it is sent.

    ``collector.output`` is the directory of the segments, ``collector.frequency_hz`` the largest
    rate. ``budget_share``: of one CPU. ``segment_s``: the shortest length of a segment.
    """

    collector: CollectorOptions
    budget_share: float = DEFAULT_BUDGET
    segment_s: float = DEFAULT_SEGMENT_S
    max_total_bytes: int = DEFAULT_TOTAL_BYTES
    endpoint: Endpoint | None = None


def continuous_options(
    collector: CollectorOptions, values: dict[str, Any]
) -> ContinuousOptions | None:
    """Return the options; None without --continuous. UsageError if they contradict each other."""
    if not values["continuous"]:
        for name, option in _CONTINUOUS_ONLY.items():
            if values[name]:
                raise UsageError(f"{option} belongs to --continuous", "add --continuous")
        return None
    for name, option in _EXCLUDED.items():
        if values[name]:
            raise UsageError(f"{option} and --continuous exclude each other", f"leave out {option}")
    if collector.command:
        raise UsageError(
            "--continuous restarts the collector, which would restart the command too",
            "start the command first, and name it with -p",
        )
    if collector.period is not None:
        raise UsageError(
            "--continuous lowers the rate to keep its budget, so that -c has no effect", "use -F"
        )
    mib = collector.max_size_mib
    if mib is not None and mib < MIN_TOTAL_MIB:
        raise UsageError(
            f"--max-size {mib} is too small for --continuous", f"use at least {MIN_TOTAL_MIB}"
        )
    return ContinuousOptions(
        collector=replace(
            collector,
            frequency_hz=collector.frequency_hz or FREQUENCY_HZ,
            duration_s=collector.duration_s,
        ),
        budget_share=_budget(values["budget"]),
        segment_s=seconds_of("--segment", values["segment"])
        if values["segment"]
        else DEFAULT_SEGMENT_S,
        max_total_bytes=DEFAULT_TOTAL_BYTES if mib is None else mib << 20,
        endpoint=parse_endpoint(values["otlp"]) if values["otlp"] else None,
    )


def _budget(text: str | None) -> float:
    """Return the share of one CPU; UsageError if it is none, or 0."""
    if text is None:
        return DEFAULT_BUDGET
    share = share_of("--budget", text)
    if share == 0:
        raise UsageError(f"--budget {text}: nothing can be recorded", "for example: --budget 1%")
    return share
