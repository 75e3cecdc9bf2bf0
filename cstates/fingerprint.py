"""What a measurement ran under: governors, limits, turbo, open states, and what CPUs entered.

Two measurements can be compared where these are alike; what makes one less repeatable is a warning.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from cstates.frequency import Frequency, FrequencyPolicy
from cstates.idle.states import POLL
from cstates.observation import CpuObservation, Observation
from stallscope.json_fields import Fields


@dataclass(frozen=True, slots=True)
class StateUse:
    """A sleep state of all these CPUs together."""

    name: str
    exit_latency_us: int | None  # declared; the greatest of the CPUs'
    cpus: int  # that have it
    open_cpus: int  # on which nothing closed it at the end
    entries: int | None  # while it ran; None where a counter was not read, or went back


@dataclass(frozen=True, slots=True)
class FrequencySetting:
    """What policies that are alike are set to; unknown is None."""

    governor: str | None
    min_khz: int | None
    max_khz: int | None
    base_khz: int | None
    energy_preference: str | None


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """A machine's settings at the end of a measurement, and its sleep states' entries during it."""

    cpus: int
    idle_governor: str | None
    idle_missing: str | None  # why there are no states
    latency_limit_us: int | None
    latency_limit_missing: str | None  # why the limit is not known
    states: tuple[StateUse, ...]
    frequencies: tuple[FrequencySetting, ...]
    frequency_missing: str | None
    turbo_allowed: bool | None
    warnings: tuple[str, ...]

    def document(self) -> dict[str, object]:
        """Return it as recording.json holds it."""
        return asdict(self)

    @classmethod
    def of(cls, fields: Fields) -> "Fingerprint":
        """Return what recording.json holds; RecordingError where it is damaged."""
        return cls(
            cpus=fields.count("cpus"),
            idle_governor=fields.maybe_text("idle_governor"),
            idle_missing=fields.maybe_text("idle_missing"),
            latency_limit_us=fields.maybe_count("latency_limit_us"),
            latency_limit_missing=fields.maybe_text("latency_limit_missing"),
            states=tuple(
                StateUse(
                    name=state.text("name"),
                    exit_latency_us=state.maybe_count("exit_latency_us"),
                    cpus=state.count("cpus"),
                    open_cpus=state.count("open_cpus"),
                    entries=state.maybe_count("entries"),
                )
                for state in fields.objects("states")
            ),
            frequencies=tuple(
                FrequencySetting(
                    governor=each.maybe_text("governor"),
                    min_khz=each.maybe_count("min_khz"),
                    max_khz=each.maybe_count("max_khz"),
                    base_khz=each.maybe_count("base_khz"),
                    energy_preference=each.maybe_text("energy_preference"),
                )
                for each in fields.objects("frequencies")
            ),
            frequency_missing=fields.maybe_text("frequency_missing"),
            turbo_allowed=None
            if fields.values.get("turbo_allowed") is None
            else fields.boolean("turbo_allowed"),
            warnings=fields.texts("warnings"),
        )


def fingerprint(before: Observation, after: Observation) -> Fingerprint:
    """Return what a measurement between two observations of the same CPUs ran under."""
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
    before: Sequence[CpuObservation], after: Sequence[CpuObservation]
) -> tuple[StateUse, ...]:
    usage = {
        (cpu.idle.cpu, state.index): state.usage for cpu in before for state in cpu.idle.states
    }
    found: dict[str, list[StateUse]] = {}
    for cpu in after:
        for state in cpu.idle.states:
            earlier, later = usage.get((cpu.idle.cpu, state.index)), state.usage
            known = earlier is not None and later is not None and later >= earlier
            is_open = state.closed_by(cpu.effective_limit_us) is None
            entries = (later or 0) - (earlier or 0) if known else None
            use = StateUse(state.name, state.exit_latency_us, 1, int(is_open), entries)
            found.setdefault(state.name, []).append(use)
    return tuple(_together(each) for each in found.values())


def _together(uses: Sequence[StateUse]) -> StateUse:
    latencies = [use.exit_latency_us for use in uses if use.exit_latency_us is not None]
    counts = [use.entries for use in uses if use.entries is not None]
    return StateUse(
        name=uses[0].name,
        exit_latency_us=max(latencies, default=None),
        cpus=len(uses),
        open_cpus=sum(use.open_cpus for use in uses),
        entries=sum(counts) if len(counts) == len(uses) else None,
    )


def _setting(policy: FrequencyPolicy) -> FrequencySetting:
    return FrequencySetting(
        policy.governor, policy.min_khz, policy.max_khz, policy.base_khz, policy.energy_preference
    )


def _warnings(before: Observation, after: Observation, states: Sequence[StateUse]) -> Iterator[str]:
    yield from _not_fixed(after.frequency)
    sleeping = [state for state in states if state.name != POLL and state.open_cpus]
    deepest = max(sleeping, key=lambda state: state.exit_latency_us or 0, default=None)
    # With one state that sleeps there is no shallower one to keep to, and nothing to warn of.
    if deepest is not None and len(sleeping) > 1 and deepest.entries != 0:
        latency = deepest.exit_latency_us
        times = "" if deepest.entries is None else f", entered {deepest.entries:,} times"
        yield f"{deepest.name} open ({'?' if latency is None else latency} us){times}"
    for what, former, now in _changes(before, after):
        yield f"{what} changed during the run: {former} before, {now} after"


def _not_fixed(frequency: Frequency) -> Iterator[str]:
    settings = tuple(dict.fromkeys(map(_setting, frequency.policies)))
    moving = [each for each in settings if each.min_khz is None or each.min_khz != each.max_khz]
    if moving:
        each = moving[0]
        limits = f"{each.min_khz or '?'} to {each.max_khz or '?'} kHz"
        yield f"frequency not fixed ({limits}, governor {each.governor or 'unknown'})"
    elif (turbo := frequency.turbo) is not None and turbo.allowed:
        beyond = [each for each in settings if (each.max_khz or 0) > (each.base_khz or 0)]
        if beyond:
            yield "turbo allowed, and the frequency is fixed beyond its base"


def _changes(before: Observation, after: Observation) -> Iterator[tuple[str, object, object]]:
    """Yield what differs of the settings: what, before, after."""
    pairs = (
        ("idle governor", before.machine.governor, after.machine.governor),
        ("latency limit", before.limit.limit_us, after.limit.limit_us),
        ("closed sleep states", _closed(before), _closed(after)),
        ("frequency", _settings_text(before.frequency), _settings_text(after.frequency)),
        ("turbo", _turbo_text(before.frequency), _turbo_text(after.frequency)),
    )
    yield from ((what, former, now) for what, former, now in pairs if former != now)


def _closed(observation: Observation) -> str:
    """Return the states that somebody closed, with how many CPUs'."""
    counts: dict[str, int] = {}
    for cpu in observation.cpus:
        for state in cpu.idle.states:
            if state.disabled:
                counts[state.name] = counts.get(state.name, 0) + 1
    return ", ".join(f"{name} on {count} CPUs" for name, count in counts.items()) or "none"


def _settings_text(frequency: Frequency) -> str:
    settings = dict.fromkeys(map(_setting, frequency.policies))
    return "; ".join(f"{each.governor} {each.min_khz}-{each.max_khz} kHz" for each in settings)


def _turbo_text(frequency: Frequency) -> str:
    if frequency.turbo is None:
        return "unknown"
    return "allowed" if frequency.turbo.allowed else "forbidden"
