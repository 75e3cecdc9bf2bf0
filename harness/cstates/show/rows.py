"""What people read of an observation, line by line: shared by the table and the panel."""

from collections.abc import Iterator
from dataclasses import dataclass

from cstates.frequency import Frequency, FrequencyPolicy
from cstates.idle.states import ClosedBy, IdleState
from cstates.observation import CpuObservation, Observation, StateActivity, together
from harness.cli.terminal import percent, printable
from stallscope.cpu_lists import format_cpu_list

UNKNOWN = "n/a"
CLOSED = {
    ClosedBy.DISABLE: "disabled",
    ClosedBy.DEFAULT: "off by default",
    ClosedBy.LATENCY_LIMIT: "latency limit",
}
_SMT = {  # kernel/cpu.c; "on" and "off" stand as they are
    "forceoff": "off until the next boot",
    "notsupported": "these CPUs have none",
    "notimplemented": "this kernel does not control it",
}
HEADS = (
    "State",
    "Exit us",
    "Target us",
    "Open",
    "Entries/s",
    "Time",
    "Too deep/s",
    "Too shallow/s",
)


@dataclass(frozen=True, slots=True)
class StateRow:
    """The cells of one state, in the order of HEADS."""

    cells: tuple[str, ...]
    closed: bool


def facts(observation: Observation) -> Iterator[tuple[str, str]]:
    """Yield what holds for the whole machine, as label and text."""
    machine = observation.machine
    if machine.missing:
        yield "Sleep states", machine.missing
    else:
        others = ", ".join(machine.available_governors) or "one"
        yield "Driver", printable(machine.driver or UNKNOWN)
        yield "Governor", printable(f"{machine.governor or UNKNOWN} (of {others})")
    yield "Latency limit", limit_text(observation)
    yield from frequency_facts(observation.frequency)


def span_text(observation: Observation) -> str:
    """Return what the rates are over."""
    if observation.interval:
        return f"Counted over {observation.interval.seconds:.3g} s; rates are of a group's CPUs."
    seconds = observation.boot.seconds
    long = "the time since boot is unknown" if seconds is None else f"{seconds:,.0f} s"
    return f"Counted since boot ({long}); rates are of a group's CPUs. --interval S counts now."


def limit_text(observation: Observation) -> str:
    """Return the global latency limit and who holds the device."""
    limit = observation.limit
    text = "none" if limit.limit_us is None else f"{limit.limit_us} us"
    text = limit.missing or text
    if limit.holders:
        held = ", ".join(f"{printable(each.name)} ({each.pid})" for each in limit.holders)
        text += f"; /dev/cpu_dma_latency is held by {held}"
    if limit.unseen_processes:
        text += f"; {limit.unseen_processes} processes cannot be looked at by this user"
    return text


def frequency_facts(frequency: Frequency) -> Iterator[tuple[str, str]]:
    """Yield what bounds the frequency of all CPUs."""
    if frequency.missing:
        yield "Frequency", frequency.missing
    if frequency.driver_status:
        yield "Driver status", printable(frequency.driver_status)
    if frequency.turbo:
        allowed = "allowed" if frequency.turbo.allowed else "off"
        yield "Turbo", f"{allowed} ({frequency.turbo.source})"
    if frequency.smt:
        yield "SMT", _SMT.get(frequency.smt) or printable(frequency.smt)


def group_facts(
    group: tuple[CpuObservation, ...], frequency: Frequency
) -> Iterator[tuple[str, str]]:
    """Yield what holds for a group of equal CPUs."""
    first = group[0]
    if first.idle.missing:
        yield "No states", first.idle.missing
    if first.idle.resume_limit_us is not None:
        yield "Own latency limit", f"{first.idle.resume_limit_us} us"
    policy = frequency.policy_of(first.idle.cpu)
    if policy:
        yield "Frequency", policy_text(policy)
    bias = frequency.energy_bias.get(first.idle.cpu)
    if bias is not None:
        yield "Energy bias (EPB)", str(bias)


def policy_text(policy: FrequencyPolicy) -> str:
    """Return one policy's governor, limits, base and preference."""
    parts = [
        printable(f"{policy.driver or UNKNOWN}, governor {policy.governor or UNKNOWN}"),
        f"{mhz(policy.min_khz)} to {mhz(policy.max_khz)} MHz",
        f"hardware {mhz(policy.hardware_min_khz)} to {mhz(policy.hardware_max_khz)} MHz",
    ]
    if policy.base_khz:
        parts.append(f"base {mhz(policy.base_khz)} MHz")
    if policy.energy_preference:
        parts.append(f"EPP {printable(policy.energy_preference)}")
    return ", ".join(parts)


def mhz(khz: int | None) -> str:
    """Return a frequency in MHz."""
    return UNKNOWN if khz is None else f"{khz / 1000:g}"


def group_name(group: tuple[CpuObservation, ...]) -> str:
    """Return the CPUs of a group: "CPUs 0-3"."""
    cpus = format_cpu_list(cpu.idle.cpu for cpu in group)
    return f"CPU {cpus}" if len(group) == 1 else f"CPUs {cpus}"


def state_rows(group: tuple[CpuObservation, ...]) -> Iterator[StateRow]:
    """Yield a row for each state of equal CPUs: over the interval if there is one, else since boot.

    Rates are of all the group's CPUs together, shares of time their mean.
    """
    for place, state in enumerate(group[0].idle.states):
        activity = together([(cpu.over_interval or cpu.since_boot)[place] for cpu in group])
        closed = state.closed_by(group[0].effective_limit_us)
        yield StateRow(_cells(state, closed, activity), closed is not None)


def _cells(state: IdleState, closed: ClosedBy | None, activity: StateActivity) -> tuple[str, ...]:
    return (
        printable(state.name),
        number(state.exit_latency_us),
        number(state.target_residency_us),
        UNKNOWN if state.disabled is None else CLOSED[closed] if closed else "yes",
        rate(activity.entries_per_s),
        UNKNOWN if activity.residency_share is None else percent(activity.residency_share),
        _with_share(activity.above_per_s, activity.above_share),
        _with_share(activity.below_per_s, activity.below_share),
    )


def _with_share(per_s: float | None, share: float | None) -> str:
    return rate(per_s) if share is None else f"{rate(per_s)} ({share * 100:.0f} %)"


def number(value: int | None) -> str:
    """Return a whole number; a missing one as "n/a"."""
    return UNKNOWN if value is None else str(value)


def rate(per_s: float | None) -> str:
    """Return a rate with three figures; a missing one as "n/a"."""
    if per_s is None:
        return UNKNOWN
    return f"{per_s:,.0f}" if per_s >= 100 else f"{per_s:.3g}"
