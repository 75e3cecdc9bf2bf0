"""All that a machine tells about sleeping and frequency at once, and its rates over time."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cstates.frequency import Frequency, read_frequency
from cstates.idle.states import CpuIdle, IdleMachine, IdleState, read_idle_machine
from cstates.latency_limit import GlobalLimit, effective_limit_us, read_global_limit
from stallscope.system_files import Roots, read_text


@dataclass(frozen=True, slots=True)
class Span:
    """The time that rates and shares are over; unknown is None."""

    seconds: float | None
    since_boot: bool


@dataclass(frozen=True, slots=True)
class StateActivity:
    """What one state did over a span, on one CPU or several; None where counters are not read."""

    entries: int | None
    time_us: int | None
    above: int | None  # entries that were too deep
    below: int | None  # and too shallow
    seconds: float | None
    cpus: int = 1

    @property
    def residency_share(self) -> float | None:
        """Return the share, 0..1, of the span that the CPUs spent in the state."""
        return _share(self.time_us, self.seconds and self.seconds * 1e6 * self.cpus)

    @property
    def entries_per_s(self) -> float | None:
        """Return entries a second, of all these CPUs together."""
        return _ratio(self.entries, self.seconds)

    @property
    def above_per_s(self) -> float | None:
        """Return entries a second that were too deep."""
        return _ratio(self.above, self.seconds)

    @property
    def below_per_s(self) -> float | None:
        """Return entries a second that were too shallow."""
        return _ratio(self.below, self.seconds)

    @property
    def above_share(self) -> float | None:
        """Return the share, 0..1, of entries that were too deep; None without entries."""
        return _share(self.above, self.entries)

    @property
    def below_share(self) -> float | None:
        """Return the share, 0..1, of entries that were too shallow; None without entries."""
        return _share(self.below, self.entries)


@dataclass(frozen=True, slots=True)
class CpuObservation:
    """One CPU: its states, what each did since boot and over the interval, and its limit."""

    idle: CpuIdle
    effective_limit_us: int | None
    since_boot: tuple[StateActivity, ...]  # one of each state
    over_interval: tuple[StateActivity, ...] | None


@dataclass(frozen=True, slots=True)
class Observation:
    """A machine as it sleeps: what `stallscope cstates show` tells."""

    machine: IdleMachine
    limit: GlobalLimit
    frequency: Frequency
    boot: Span
    interval: Span | None
    cpus: tuple[CpuObservation, ...]


def observe(
    roots: Roots,
    cpus: tuple[int, ...],
    *,
    interval_s: float | None = None,
    wait: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> Observation:
    """Return what the CPUs tell; with an interval, counters are read before and after it."""
    earlier, began = (read_idle_machine(roots, cpus), clock()) if interval_s else (None, 0.0)
    if interval_s:
        wait(interval_s)
    machine = read_idle_machine(roots, cpus)
    interval = Span(clock() - began, False) if earlier else None
    boot = Span(uptime_s(roots), True)
    limit = read_global_limit(roots)
    before = {cpu.cpu: cpu for cpu in earlier.cpus} if earlier else {}
    return Observation(
        machine=machine,
        limit=limit,
        frequency=read_frequency(roots, cpus),
        boot=boot,
        interval=interval,
        cpus=tuple(
            CpuObservation(
                idle=cpu,
                effective_limit_us=effective_limit_us(limit.limit_us, cpu.resume_limit_us),
                since_boot=tuple(_activity(None, state, boot) for state in cpu.states),
                over_interval=_between(before[cpu.cpu], cpu, interval) if interval else None,
            )
            for cpu in machine.cpus
        ),
    )


def uptime_s(roots: Roots) -> float | None:
    """Return the seconds since boot from /proc/uptime; None where it cannot be read."""
    words = (read_text(roots.proc / "uptime", 256) or "").split()
    try:
        seconds = float(words[0])
    except (IndexError, ValueError):
        return None
    return seconds if 0 < seconds < float("inf") else None


def _between(before: CpuIdle, after: CpuIdle, span: Span) -> tuple[StateActivity, ...]:
    former = {state.index: state for state in before.states}
    return tuple(_activity(former.get(state.index, state), state, span) for state in after.states)


def _activity(before: IdleState | None, after: IdleState, span: Span) -> StateActivity:
    """Return what a state did between two readings; since boot with None as the first."""
    entries, time_us, above, below = (
        _grown(former, later)
        for former, later in zip(
            _counters(before) if before else (0, 0, 0, 0), _counters(after), strict=True
        )
    )
    return StateActivity(entries, time_us, above, below, span.seconds)


def _counters(state: IdleState) -> tuple[int | None, ...]:
    return (state.usage, state.time_us, state.above, state.below)


def _grown(earlier: int | None, later: int | None) -> int | None:
    """Return by how much a counter grew; None where it went back, as after hotplug."""
    if later is None or earlier is None or later < earlier:
        return None
    return later - earlier


def _ratio(part: float | None, whole: float | None) -> float | None:
    return part / whole if part is not None and whole else None


def _share(part: float | None, whole: float | None) -> float | None:
    """Return a share, 1 at the most: counters are read one after another, while they move."""
    share = _ratio(part, whole)
    return None if share is None else min(share, 1.0)


def together(activities: Sequence[StateActivity]) -> StateActivity:
    """Return what a state did on several CPUs, over the same span; unknown of one is unknown."""
    return StateActivity(
        entries=_sum([each.entries for each in activities]),
        time_us=_sum([each.time_us for each in activities]),
        above=_sum([each.above for each in activities]),
        below=_sum([each.below for each in activities]),
        seconds=activities[0].seconds,
        cpus=sum(each.cpus for each in activities),
    )


def _sum(values: list[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def groups(observation: Observation) -> tuple[tuple[CpuObservation, ...], ...]:
    """Return the CPUs in groups that are equal in all but their counters, in order.

    Equal are states as declared, what is closed and by what, limits, frequency policy and EPB.
    """
    found: dict[object, list[CpuObservation]] = {}
    for cpu in observation.cpus:
        found.setdefault(_likeness(cpu, observation.frequency), []).append(cpu)
    return tuple(tuple(group) for group in found.values())


def _likeness(cpu: CpuObservation, frequency: Frequency) -> object:
    policy = frequency.policy_of(cpu.idle.cpu)
    states = tuple(
        (s.index, s.name, s.exit_latency_us, s.target_residency_us, s.disabled, s.default_disabled)
        for s in cpu.idle.states
    )
    settings = policy and (
        policy.driver,
        policy.governor,
        policy.min_khz,
        policy.max_khz,
        policy.hardware_min_khz,
        policy.hardware_max_khz,
        policy.base_khz,
        policy.energy_preference,
    )
    bias = frequency.energy_bias.get(cpu.idle.cpu)
    return (cpu.idle.online, cpu.idle.missing, states, cpu.effective_limit_us, settings, bias)
