"""What happened between the first and the last reading of a recording."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from harness.diagnose.readings.file import Readings
from harness.diagnose.readings.reading import (
    DiskTotals,
    FrequencyReading,
    IdleCounters,
    MachineReading,
    ReadingsHeader,
)

END_SLACK_NS = 400_000_000  # readings after the end of the recording that still belong to it


@dataclass(frozen=True, slots=True)
class DiskActivity:
    """A disk over the interval. ``max_in_flight``: of the readings.

    ``busy_share``: of the time, with at least one request in flight. ``mean_in_flight``: while it
    was busy; None if it was not.
    """

    name: str
    reads: int
    writes: int
    mean_read_ms: float | None
    mean_write_ms: float | None
    mean_in_flight: float | None
    max_in_flight: int
    busy_share: float

    @property
    def requests(self) -> int:
        """Return the number of completed requests."""
        return self.reads + self.writes

    @property
    def mean_ms(self) -> float | None:
        """Return the mean time of a request; None without requests."""
        if not self.requests:
            return None
        read_ms = self.reads * (self.mean_read_ms or 0.0)
        return (read_ms + self.writes * (self.mean_write_ms or 0.0)) / self.requests


@dataclass(frozen=True, slots=True)
class SleepActivity:
    """A sleep state over the interval, all CPUs together."""

    name: str
    exit_latency_us: int | None
    entries: int
    share: float  # of the time of all CPUs
    above_share: float | None  # of the entries, that were too deep; None without entries


@dataclass(frozen=True, slots=True)
class CpuFrequency:
    """Frequencies of a policy over the readings, in kHz."""

    policy: str
    median_khz: int
    lowest_limit_khz: int | None
    reference_khz: int  # without turbo if the driver reports it, else the largest


@dataclass(frozen=True, slots=True)
class MachineActivity:
    """The counters of a recording as amounts and shares over ``seconds``.

    ``pressures``: stalled share of the time by "cpu.some", "io.full", ... ``memory``: increments
    of fields of /proc/vmstat. ``steal_share``: of the time of all CPUs. ``throttled``: periods, and
    those of them in which the target's cgroup was stopped. ``fastest_share``: frequency of the
    fastest CPU over that without turbo, the median of the readings. A missing source is None
    or empty.
    """

    header: ReadingsHeader
    seconds: float
    readings: int
    disks: tuple[DiskActivity, ...] = ()
    states: tuple[SleepActivity, ...] = ()
    frequencies: tuple[CpuFrequency, ...] = ()
    fastest_share: float | None = None
    hot_s: float | None = None
    memory: dict[str, int] = field(default_factory=dict)
    pressures: dict[str, float] = field(default_factory=dict)
    steal_share: float | None = None
    idle_share: float | None = None
    throttled: tuple[int, int] | None = None
    minor_faults: int | None = None  # of the target
    major_faults: int | None = None
    fewest_cpus: int | None = None  # on which a thread of the target may run

    def disk(self, names: Iterable[str]) -> DiskActivity | None:
        """Return the busiest of the disks with these names; of all, if there are no names."""
        chosen = set(names)
        rows = [disk for disk in self.disks if not chosen or disk.name in chosen]
        return max(rows, key=lambda disk: disk.busy_share, default=None)


def machine_activity(readings: Readings | None, end_ns: int | None) -> MachineActivity | None:
    """Return the activity until ``end_ns``; None with fewer than two readings."""
    rows = [] if readings is None else list(readings.rows)
    if end_ns is not None:
        within = [row for row in rows if row.monotonic_ns <= end_ns + END_SLACK_NS]
        rows = within if len(within) > 1 else rows
    if readings is None or len(rows) < 2:
        return None
    first, last = rows[0], rows[-1]
    seconds = (last.monotonic_ns - first.monotonic_ns) / 1e9
    if seconds <= 0:
        return None
    minor, major = _faults(rows)
    frequencies = [row.frequencies for row in rows if row.frequencies is not None]
    return MachineActivity(
        header=readings.header,
        seconds=seconds,
        readings=len(rows),
        disks=tuple(_disks(rows, seconds)),
        states=_states([row.idle for row in rows if row.idle is not None], rows, readings.header),
        frequencies=tuple(_frequencies(frequencies)),
        fastest_share=_fastest_share(frequencies),
        hot_s=_hot_s(rows),
        memory=_increments(first.memory, last.memory),
        pressures={
            name: min(1.0, us / 1e6 / seconds)
            for name, us in _increments(first.pressures_us, last.pressures_us).items()
        },
        steal_share=_tick_share(rows, lambda row: row.cpu.stolen if row.cpu else 0),
        idle_share=_tick_share(rows, lambda row: row.cpu.idle if row.cpu else 0),
        throttled=_throttled(first, rows),
        minor_faults=minor,
        major_faults=major,
        fewest_cpus=min(
            (
                process.fewest_cpus
                for row in rows
                for process in row.processes
                if process.fewest_cpus is not None
            ),
            default=None,
        ),
    )


def _increments(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    return {
        name: value - before[name]
        for name, value in after.items()
        if name in before and value >= before[name]
    }


def _tick_share(
    rows: Sequence[MachineReading], ticks: Callable[[MachineReading], int]
) -> float | None:
    first, last = rows[0].cpu, rows[-1].cpu
    if first is None or last is None or last.all <= first.all:
        return None
    return min(1.0, max(0, ticks(rows[-1]) - ticks(rows[0])) / (last.all - first.all))


def _disks(rows: Sequence[MachineReading], seconds: float) -> Iterable[DiskActivity]:
    before = {disk.name: disk for disk in rows[0].disks}
    for last in rows[-1].disks:
        first = before.get(last.name)
        if first is not None and last.reads >= first.reads and last.writes >= first.writes:
            deepest = max(
                disk.in_flight for row in rows for disk in row.disks if disk.name == last.name
            )
            yield _disk(first, last, deepest, seconds)


def _disk(first: DiskTotals, last: DiskTotals, deepest: int, seconds: float) -> DiskActivity:
    reads, writes = last.reads - first.reads, last.writes - first.writes
    busy_ms = max(0, last.busy_ms - first.busy_ms)
    queue_ms = max(0, last.queue_ms - first.queue_ms)
    return DiskActivity(
        name=last.name,
        reads=reads,
        writes=writes,
        mean_read_ms=max(0, last.read_ms - first.read_ms) / reads if reads else None,
        mean_write_ms=max(0, last.write_ms - first.write_ms) / writes if writes else None,
        mean_in_flight=queue_ms / busy_ms if busy_ms else None,
        max_in_flight=deepest,
        busy_share=min(1.0, busy_ms / 1000 / seconds),
    )


def _states(
    readings: Sequence[tuple[IdleCounters, ...]],
    rows: Sequence[MachineReading],
    header: ReadingsHeader,
) -> tuple[SleepActivity, ...]:
    """Return the states between the first and the last reading that has them."""
    times_ns = [row.monotonic_ns for row in rows if row.idle is not None]
    if len(readings) < 2 or times_ns[-1] <= times_ns[0]:
        return ()
    whole_us = (times_ns[-1] - times_ns[0]) / 1e3 * max(1, header.cpus)
    before = {state.name: state for state in readings[0]}
    return tuple(
        SleepActivity(
            name=last.name,
            exit_latency_us=last.exit_latency_us,
            entries=last.usage - first.usage,
            share=min(1.0, max(0, last.time_us - first.time_us) / whole_us),
            above_share=min(1.0, max(0, last.above - first.above) / (last.usage - first.usage))
            if last.usage > first.usage
            else None,
        )
        for last in readings[-1]
        if (first := before.get(last.name)) is not None and last.usage >= first.usage
    )


def _frequencies(readings: Sequence[tuple[FrequencyReading, ...]]) -> Iterable[CpuFrequency]:
    policies: dict[str, list[FrequencyReading]] = {}
    for row in readings:
        for policy in row:
            policies.setdefault(policy.policy, []).append(policy)
    for name, values in policies.items():
        current = sorted(value.current_khz for value in values if value.current_khz)
        reference = values[0].base_khz or values[0].hardware_max_khz
        limits = [value.max_khz for value in values if value.max_khz]
        if current and reference:
            yield CpuFrequency(
                policy=name,
                median_khz=current[len(current) // 2],
                lowest_limit_khz=min(limits, default=None),
                reference_khz=reference,
            )


def _fastest_share(readings: Sequence[tuple[FrequencyReading, ...]]) -> float | None:
    shares = []
    for row in readings:
        known = [
            policy.current_khz / reference
            for policy in row
            if policy.current_khz and (reference := policy.base_khz or policy.hardware_max_khz)
        ]
        if known:
            shares.append(max(known))
    return sorted(shares)[len(shares) // 2] if shares else None


def _hot_s(rows: Sequence[MachineReading]) -> float | None:
    times = [row.hot_ms for row in rows if row.hot_ms is not None]
    return max(0, times[-1] - times[0]) / 1e3 if len(times) > 1 else None


def _throttled(first: MachineReading, rows: Sequence[MachineReading]) -> tuple[int, int] | None:
    """Return the periods and throttled periods of the target's cgroups; None without a quota."""
    last = next((row for row in reversed(rows) if row.cgroups), None)
    if last is None:
        return None
    before = {cgroup.path: cgroup for cgroup in first.cgroups}
    pairs = [(before[row.path], row) for row in last.cgroups if row.path in before]
    periods = sum(max(0, after.periods - begin.periods) for begin, after in pairs)
    stopped = sum(
        max(0, after.throttled_periods - begin.throttled_periods) for begin, after in pairs
    )
    return (periods, stopped) if periods else None


def _faults(rows: Sequence[MachineReading]) -> tuple[int | None, int | None]:
    """Return the minor and major faults of the target's processes while they were read."""
    firsts: dict[int, tuple[int, int]] = {}
    lasts: dict[int, tuple[int, int]] = {}
    for row in rows:
        for process in row.processes:
            values = (process.minor_faults, process.major_faults)
            firsts.setdefault(process.pid, values)
            lasts[process.pid] = values
    if not lasts:
        return None, None
    minor = sum(max(0, lasts[pid][0] - firsts[pid][0]) for pid in lasts)
    major = sum(max(0, lasts[pid][1] - firsts[pid][1]) for pid in lasts)
    return minor, major
