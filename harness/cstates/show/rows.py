"""Facts and table rows of sleep states, shared by text and page."""

from collections.abc import Iterator
from dataclasses import dataclass

from cstates.frequency import FrequencyPolicy
from cstates.idle.states import ClosedBy
from harness.cli.terminal import percent, printable
from harness.cstates.show.groups import CpuGroup, StateSummary
from harness.cstates.show.result import FrequencyRecord, ShowResult

UNKNOWN = "n/a"
CLOSED = {
    ClosedBy.DISABLE: "disabled",
    ClosedBy.DEFAULT: "off by default",
    ClosedBy.LATENCY_LIMIT: "latency limit",
}
_SMT = {  # kernel/cpu.c; "on" and "off" are printed unchanged
    "forceoff": "off until the next boot",
    "notsupported": "not supported by these CPUs",
    "notimplemented": "not controlled by this kernel",
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


def facts(result: ShowResult) -> Iterator[tuple[str, str]]:
    """Yield labels and texts of the whole machine."""
    if result.missing:
        yield "Sleep states", result.missing
    else:
        available = ", ".join(result.available_governors) or "none"
        yield "Driver", printable(result.driver or UNKNOWN)
        yield "Governor", printable(f"{result.governor or UNKNOWN} (available: {available})")
    yield "Latency limit", limit_text(result)
    yield from frequency_facts(result.frequency)


def span_text(result: ShowResult) -> str:
    """Return the time span of the rates."""
    if result.interval_s is not None:
        return f"Counted over {result.interval_s:.3g} s; rates are sums over a group's CPUs."
    span = "uptime unknown" if result.uptime_s is None else f"{result.uptime_s:,.0f} s"
    return (
        f"Counted since boot ({span}); rates are sums over a group's CPUs. "
        "--interval S counts from now."
    )


def limit_text(result: ShowResult) -> str:
    """Return the global latency limit and the processes that hold the device."""
    limit = result.latency_limit
    text = "none" if limit.global_us is None else f"{limit.global_us} us"
    text = limit.missing or text
    if limit.holders:
        holders = ", ".join(f"{printable(item.name)} ({item.pid})" for item in limit.holders)
        text += f"; /dev/cpu_dma_latency is held by {holders}"
    if limit.unseen_processes:
        text += f"; {limit.unseen_processes} processes cannot be inspected by this user"
    return text


def frequency_facts(frequency: FrequencyRecord) -> Iterator[tuple[str, str]]:
    """Yield labels and texts of the frequency settings of all CPUs."""
    if frequency.missing:
        yield "Frequency", frequency.missing
    if frequency.driver_status:
        yield "Driver status", printable(frequency.driver_status)
    if frequency.turbo:
        allowed = "allowed" if frequency.turbo.allowed else "off"
        yield "Turbo", f"{allowed} ({frequency.turbo.source})"
    if frequency.smt:
        yield "SMT", _SMT.get(frequency.smt) or printable(frequency.smt)


def group_facts(group: CpuGroup, frequency: FrequencyRecord) -> Iterator[tuple[str, str]]:
    """Yield labels and texts of a group of equal CPUs."""
    first = group.first
    if first.missing:
        yield "No states", first.missing
    if first.resume_latency_limit_us is not None:
        yield "Own latency limit", f"{first.resume_latency_limit_us} us"
    policy = frequency.policy_of(first.cpu)
    if policy:
        yield "Frequency", policy_text(policy)
    bias = frequency.energy_bias.get(first.cpu)
    if bias is not None:
        yield "Energy bias (EPB)", str(bias)


def policy_text(policy: FrequencyPolicy) -> str:
    """Return a policy's governor, limits, base frequency and energy preference."""
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


def state_rows(group: CpuGroup) -> Iterator[StateRow]:
    """Yield a row for each state: rates are sums over the group's CPUs, times their mean."""
    for summary in group.states:
        yield StateRow(_cells(summary), summary.state.closed_by is not None)


def _cells(summary: StateSummary) -> tuple[str, ...]:
    state, activity = summary.state, summary.activity
    opened = CLOSED[state.closed_by] if state.closed_by else "yes"
    return (
        printable(state.name),
        number(state.exit_latency_us),
        number(state.target_residency_us),
        UNKNOWN if state.disabled is None else opened,
        rate(activity.entries_per_s),
        UNKNOWN if activity.residency_share is None else percent(activity.residency_share),
        _with_share(activity.above_per_s, activity.above_share),
        _with_share(activity.below_per_s, activity.below_share),
    )


def _with_share(per_s: float | None, share: float | None) -> str:
    return rate(per_s) if share is None else f"{rate(per_s)} ({share * 100:.0f} %)"


def number(value: int | None) -> str:
    """Return an integer, or "n/a"."""
    return UNKNOWN if value is None else str(value)


def rate(per_s: float | None) -> str:
    """Return a rate with three digits, or "n/a"."""
    if per_s is None:
        return UNKNOWN
    return f"{per_s:,.0f}" if per_s >= 100 else f"{per_s:.3g}"
