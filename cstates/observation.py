"""A machine's sleep states, limits and frequency at one time, and rates over an interval."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cstates.frequency import Frequency, read_frequency
from cstates.idle.states import CpuIdle, IdleMachine, IdleState, read_idle_machine
from cstates.latency_limit import GlobalLimit, effective_limit_us, read_global_limit
from stallscope.system_files import Roots, read_text


@dataclass(frozen=True, slots=True)
class ObservationTime:
    """The time that rates and shares refer to; None if unknown."""

    seconds: float | None
    since_boot: bool


@dataclass(frozen=True, slots=True)
class StateActivity:
    """A state's counters over a span, on one or several CPUs; None if a counter was not read."""

    entries: int | None
    time_us: int | None
    above: int | None  # entries that were too deep
    below: int | None  # entries that were too shallow
    seconds: float | None
    cpus: int = 1

    @property
    def residency_share(self) -> float | None:
        """Return the share, 0..1, of the span that the CPUs spent in the state."""
        return _share(self.time_us, self.seconds and self.seconds * 1e6 * self.cpus)

    @property
    def entries_per_s(self) -> float | None:
        """Return entries per second, summed over these CPUs."""
        return _ratio(self.entries, self.seconds)

    @property
    def above_per_s(self) -> float | None:
        """Return entries per second that were too deep."""
        return _ratio(self.above, self.seconds)

    @property
    def below_per_s(self) -> float | None:
        """Return entries per second that were too shallow."""
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
    """One CPU: its states, their activity since boot and over the interval, and its limit."""

    idle: CpuIdle
    effective_limit_us: int | None
    since_boot: tuple[StateActivity, ...]  # in the order of the states
    over_interval: tuple[StateActivity, ...] | None


@dataclass(frozen=True, slots=True)
class Observation:
    """The state of a machine that `stallscope cstates show` prints."""

    machine: IdleMachine
    limit: GlobalLimit
    frequency: Frequency
    boot: ObservationTime
    interval: ObservationTime | None
    cpus: tuple[CpuObservation, ...]


def observe(
    roots: Roots,
    cpus: tuple[int, ...],
    *,
    interval_s: float | None = None,
    wait: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> Observation:
    """Return the state of the CPUs; with an interval, counters are read before and after it."""
    earlier, begin_s = (read_idle_machine(roots, cpus), clock()) if interval_s else (None, 0.0)
    if interval_s:
        wait(interval_s)
    machine = read_idle_machine(roots, cpus)
    interval = ObservationTime(clock() - begin_s, False) if earlier else None
    boot = ObservationTime(uptime_s(roots), True)
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
    """Return the seconds since boot from /proc/uptime; None if it cannot be read."""
    words = (read_text(roots.proc / "uptime", 256) or "").split()
    try:
        seconds = float(words[0])
    except (IndexError, ValueError):
        return None
    return seconds if 0 < seconds < float("inf") else None


def _between(before: CpuIdle, after: CpuIdle, span: ObservationTime) -> tuple[StateActivity, ...]:
    earlier = {state.index: state for state in before.states}
    return tuple(_activity(earlier.get(state.index, state), state, span) for state in after.states)


def _activity(before: IdleState | None, after: IdleState, span: ObservationTime) -> StateActivity:
    """Return a state's activity between two readings; since boot if the first is None."""
    entries, time_us, above, below = (
        _increase(earlier, later)
        for earlier, later in zip(
            _counters(before) if before else (0, 0, 0, 0), _counters(after), strict=True
        )
    )
    return StateActivity(entries, time_us, above, below, span.seconds)


def _counters(state: IdleState) -> tuple[int | None, ...]:
    return (state.usage, state.time_us, state.above, state.below)


def _increase(earlier: int | None, later: int | None) -> int | None:
    """Return a counter's increase; None if it decreased, as after hotplug."""
    if later is None or earlier is None or later < earlier:
        return None
    return later - earlier


def _ratio(part: float | None, whole: float | None) -> float | None:
    return part / whole if part is not None and whole else None


def _share(part: float | None, whole: float | None) -> float | None:
    """Return a share, at most 1: counters are read one after another while they change."""
    share = _ratio(part, whole)
    return None if share is None else min(share, 1.0)


def merged_activity(activities: Sequence[StateActivity]) -> StateActivity:
    """Return a state's activity on several CPUs over the same span; None if unknown for any."""
    return StateActivity(
        entries=_sum([activity.entries for activity in activities]),
        time_us=_sum([activity.time_us for activity in activities]),
        above=_sum([activity.above for activity in activities]),
        below=_sum([activity.below for activity in activities]),
        seconds=activities[0].seconds,
        cpus=sum(activity.cpus for activity in activities),
    )


def _sum(values: list[int | None]) -> int | None:
    numbers = [value for value in values if value is not None]
    return sum(numbers) if len(numbers) == len(values) else None
