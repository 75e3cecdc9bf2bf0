"""The machine settings of a measurement: governors, limits, turbo, open states, their entries.

Measurements with the same settings are comparable. Settings that make one less repeatable give a
warning.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import to_builtins

from stallscope.documents import Count, Record

if TYPE_CHECKING:
    from cstates.frequency import Frequency, FrequencyPolicy
    from cstates.observation import CpuObservation, Observation


class StateUse(Record, frozen=True):
    """A sleep state, summed over all CPUs."""

    name: str
    exit_latency_us: Count | None  # declared; the maximum over the CPUs
    cpus: Count  # CPUs that have the state
    open_cpus: Count  # CPUs on which it was open at the end
    entries: Count | None  # during the measurement; None if a counter was not read or decreased


class FrequencySetting(Record, frozen=True):
    """The settings of frequency policies with equal settings; unknown values are None."""

    governor: str | None
    min_khz: Count | None
    max_khz: Count | None
    base_khz: Count | None
    energy_preference: str | None


class Fingerprint(Record, frozen=True):
    """A machine's settings at the end of a measurement, and state entries during it."""

    cpus: Count
    idle_governor: str | None
    idle_missing: str | None  # why there are no states
    latency_limit_us: Count | None
    latency_limit_missing: str | None  # why the limit is unknown
    states: tuple[StateUse, ...]
    frequencies: tuple[FrequencySetting, ...]
    frequency_missing: str | None
    turbo_allowed: bool | None
    warnings: tuple[str, ...]

    def document(self) -> dict[str, Any]:
        """Return the fields as recording.json stores them."""
        document: dict[str, Any] = to_builtins(self)
        return document


def fingerprint(before: "Observation", after: "Observation") -> Fingerprint:
    """Return the settings of a measurement between two observations of the same CPUs."""
    states = _states(before.cpus, after.cpus)
    turbo = after.frequency.turbo
    return Fingerprint(
        cpus=len(after.cpus),
        idle_governor=after.machine.governor,
        idle_missing=after.machine.missing,
        latency_limit_us=after.limit.limit_us,
        latency_limit_missing=after.limit.missing,
        states=states,
        frequencies=tuple(dict.fromkeys(map(_setting, after.frequency.policies))),
        frequency_missing=after.frequency.missing,
        turbo_allowed=turbo.allowed if turbo else None,
        warnings=tuple(_warnings(before, after, states)),
    )


def _states(
    before: Sequence["CpuObservation"], after: Sequence["CpuObservation"]
) -> tuple[StateUse, ...]:
    usage = {
        (cpu.idle.cpu, state.index): state.usage for cpu in before for state in cpu.idle.states
    }
    by_name: dict[str, list[StateUse]] = {}
    for cpu in after:
        for state in cpu.idle.states:
            earlier, later = usage.get((cpu.idle.cpu, state.index)), state.usage
            is_counted = earlier is not None and later is not None and later >= earlier
            is_open = state.closed_by(cpu.effective_limit_us) is None
            entries = (later or 0) - (earlier or 0) if is_counted else None
            use = StateUse(state.name, state.exit_latency_us, 1, int(is_open), entries)
            by_name.setdefault(state.name, []).append(use)
    return tuple(_merged(uses) for uses in by_name.values())


def _merged(uses: Sequence[StateUse]) -> StateUse:
    latencies = [use.exit_latency_us for use in uses if use.exit_latency_us is not None]
    counts = [use.entries for use in uses if use.entries is not None]
    return StateUse(
        name=uses[0].name,
        exit_latency_us=max(latencies, default=None),
        cpus=len(uses),
        open_cpus=sum(use.open_cpus for use in uses),
        entries=sum(counts) if len(counts) == len(uses) else None,
    )


def _setting(policy: "FrequencyPolicy") -> FrequencySetting:
    return FrequencySetting(
        policy.governor, policy.min_khz, policy.max_khz, policy.base_khz, policy.energy_preference
    )


def _warnings(
    before: "Observation", after: "Observation", states: Sequence[StateUse]
) -> Iterator[str]:
    from cstates.idle.states import POLL  # noqa: PLC0415 - reports read settings only

    yield from _frequency_warnings(after.frequency)
    sleeping = [state for state in states if state.name != POLL and state.open_cpus]
    deepest = max(sleeping, key=lambda state: state.exit_latency_us or 0, default=None)
    # A machine with one sleep state has no shallower state to stay in, so there is no warning.
    if deepest is not None and len(sleeping) > 1 and deepest.entries != 0:
        latency = deepest.exit_latency_us
        times = "" if deepest.entries is None else f", entered {deepest.entries:,} times"
        yield f"{deepest.name} open ({'?' if latency is None else latency} us){times}"
    for name, old, new in _changes(before, after):
        yield f"{name} changed during the run: {old} before, {new} after"


def _frequency_warnings(frequency: "Frequency") -> Iterator[str]:
    settings = tuple(dict.fromkeys(map(_setting, frequency.policies)))
    variable = [item for item in settings if item.min_khz is None or item.min_khz != item.max_khz]
    if variable:
        first = variable[0]
        limits = f"{first.min_khz or '?'} to {first.max_khz or '?'} kHz"
        yield f"frequency not fixed ({limits}, governor {first.governor or 'unknown'})"
    elif (turbo := frequency.turbo) is not None and turbo.allowed:
        above_base = any((item.max_khz or 0) > (item.base_khz or 0) for item in settings)
        if above_base:
            yield "turbo allowed, and the frequency is fixed above its base"


def _changes(before: "Observation", after: "Observation") -> Iterator[tuple[str, object, object]]:
    """Yield the settings that differ: name, value before, value after."""
    pairs = (
        ("idle governor", before.machine.governor, after.machine.governor),
        ("latency limit", before.limit.limit_us, after.limit.limit_us),
        ("closed sleep states", _closed(before), _closed(after)),
        ("frequency", _settings_text(before.frequency), _settings_text(after.frequency)),
        ("turbo", _turbo_text(before.frequency), _turbo_text(after.frequency)),
    )
    yield from ((name, old, new) for name, old, new in pairs if old != new)


def _closed(observation: "Observation") -> str:
    """Return the disabled states, with their numbers of CPUs."""
    counts: dict[str, int] = {}
    for cpu in observation.cpus:
        for state in cpu.idle.states:
            if state.disabled:
                counts[state.name] = counts.get(state.name, 0) + 1
    return ", ".join(f"{name} on {count} CPUs" for name, count in counts.items()) or "none"


def _settings_text(frequency: "Frequency") -> str:
    settings = dict.fromkeys(map(_setting, frequency.policies))
    return "; ".join(f"{item.governor} {item.min_khz}-{item.max_khz} kHz" for item in settings)


def _turbo_text(frequency: "Frequency") -> str:
    if frequency.turbo is None:
        return "unknown"
    return "allowed" if frequency.turbo.allowed else "forbidden"
