"""The validated options of `stallscope record --flight`."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from harness.cli.quantity_options import seconds_of
from harness.flight.conditions import (
    Condition,
    EndCondition,
    RequestCondition,
    parse_condition,
)
from stallscope.collector import CollectorOptions
from stallscope.errors import UsageError

# 999 samples per second cost a busy target 1 to 3 % of its CPU time, 99 cost 0.1 to 0.3 %.
FREQUENCY_HZ = 99
DEFAULT_COOL_DOWN_S = 60.0
# Of the target's CPU time, for recording waits that are most likely overwritten.
MAX_COST_OF_WAITS = 0.01
# Options without effect if --flight is not given, by parameter.
_FLIGHT_ONLY = {
    "conditions": "--on",
    "flight_after": "--flight-after",
    "flight_memory_mib": "--flight-memory",
    "repeat": "--repeat",
    "cool_down": "--cool-down",
}


@dataclass(frozen=True, slots=True)
class FlightOptions:
    """The last seconds before a trigger: how many, which triggers, and how often."""

    collector: CollectorOptions
    before_s: float
    conditions: tuple[Condition, ...]
    after_s: float = 2.0
    repeat: int = 1  # recordings at most
    cool_down_s: float = DEFAULT_COOL_DOWN_S  # from a recording to the first check for the next
    max_total_bytes: int | None = None  # of all recordings

    @property
    def slow_requests_ns(self) -> tuple[int, ...]:
        """Return the limits of the conditions on requests, in their order."""
        return tuple(
            condition.limit_ns
            for condition in self.conditions
            if isinstance(condition, RequestCondition)
        )

    @property
    def ends(self) -> tuple[str, ...]:
        """Return the ends after which the collector writes the last seconds."""
        ends = {"stopped"}
        for condition in self.conditions:
            if isinstance(condition, EndCondition):
                ends.update(condition.ends)
        return tuple(sorted(ends))

    def collector_for(self, number: int, duration_s: float | None) -> CollectorOptions:
        """Return the collector's options for the recording with this number, from 1."""
        output = self.collector.output
        if self.repeat > 1:
            output = output.with_name(f"{output.name}-{number}")
        return replace(
            self.collector,
            output=output,
            duration_s=duration_s,
            flight_s=self.before_s + self.after_s,
            flight_ends=self.ends,
            max_size_mib=None,
            requests=self.collector.requests or bool(self.slow_requests_ns),
            slow_requests_ns=self.slow_requests_ns,
        )


def flight_options(collector: CollectorOptions, values: dict[str, Any]) -> FlightOptions | None:
    """Return the options; None without --flight. UsageError if they contradict each other."""
    if values["flight"] is None:
        for name, option in _FLIGHT_ONLY.items():
            if values[name]:
                raise UsageError(f"{option} belongs to --flight", "add --flight 30s --on CONDITION")
        return None
    conditions = tuple(parse_condition(text) for text in values["conditions"])
    if not conditions:
        raise UsageError(
            "--flight needs a trigger", "for example: --on 'psi.io>20%', --on signal or --on end"
        )
    if values["slots"]:
        raise UsageError("--slots and --flight exclude each other", "leave out --slots")
    if (values["repeat"] or 1) > 1 and collector.command:
        raise UsageError(
            "--repeat would start the command again", "start it first, and name it with -p"
        )
    sampled = collector.frequency_hz is not None or collector.period is not None
    max_size_mib = collector.max_size_mib
    return FlightOptions(
        collector=replace(
            collector,
            frequency_hz=collector.frequency_hz if sampled else FREQUENCY_HZ,
            flight_memory_mib=values["flight_memory_mib"],
        ),
        before_s=seconds_of("--flight", values["flight"]),
        conditions=conditions,
        after_s=seconds_of("--flight-after", values["flight_after"])
        if values["flight_after"]
        else 2.0,
        repeat=values["repeat"] or 1,
        cool_down_s=seconds_of("--cool-down", values["cool_down"])
        if values["cool_down"]
        else DEFAULT_COOL_DOWN_S,
        max_total_bytes=None if max_size_mib is None else max_size_mib << 20,
    )


def size_of(folder: Path) -> int:
    """Return the bytes of the files in a folder, without subfolders."""
    return sum(path.stat().st_size for path in folder.iterdir() if path.is_file())
