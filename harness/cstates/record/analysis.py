"""A recorded result as the analyses of cstates read it: states and lengths summed over CPUs."""

from collections.abc import Iterable, Sequence
from typing import Any

from cstates.idle.length_counts import histogram_of
from cstates.idle.run import IdleRun, LatencyPercentiles, RecordedState, WakeRow
from harness.cli.terminal import printable
from harness.cstates.record.result import (
    IdleResult,
    ProcessWakeups,
    RecordingOverhead,
    StateWakeups,
    TimePercentiles,
    WakeupCounts,
)
from harness.cstates.show.result import ActivityCounts, CpuRecord, IdleStateRecord

MAX_COUNT = 2**40  # per bucket, so that sums cannot overflow


def idle_run(result: IdleResult) -> IdleRun:
    """Return the recording as the analyses read it."""
    machine, overhead = result.machine, result.overhead or RecordingOverhead()
    return IdleRun(
        command=result.command,
        seconds=result.seconds,
        driver=machine.driver,
        governor=machine.governor,
        why_counters_only=result.why_counters_only,
        cpus=tuple(cpu.cpu for cpu in machine.cpus),
        states=_recorded_states(machine.cpus),
        intervals=result.intervals,
        intervals_kept=result.intervals_kept,
        intervals_discarded=result.intervals_discarded,
        lost_events=result.lost_events,
        events=overhead.events,
        reader_cpu_s=overhead.reader_cpu_s,
        warnings=result.warnings,
        siblings=result.siblings,
        command_cpus=result.command_cpus or (),
        lengths={
            (row.cpu, row.state): histogram_of(
                {bucket: min(count, MAX_COUNT) for bucket, count in row.lengths.counts.items()}
            )
            for row in result.idle
        },
        wakes=tuple(map(_wake_row, result.wakes)),
        processes=tuple(map(_process_row, result.processes)),
        states_missing=machine.missing,
    )


def state_name(run: IdleRun, index: int) -> str:
    """Return a state's name for display, or its index if it has none."""
    names = {state.index: state.name for state in run.states}
    return printable(names.get(index, f"state{index}"))


def _recorded_states(cpus: Iterable[CpuRecord]) -> tuple[RecordedState, ...]:
    by_index: dict[int, list[IdleStateRecord]] = {}
    for cpu in cpus:
        for state in cpu.states:
            by_index.setdefault(state.index, []).append(state)
    return tuple(_recorded_state(states) for _, states in sorted(by_index.items()))


def _recorded_state(states: Sequence[IdleStateRecord]) -> RecordedState:
    first = states[0]
    activities = [state.over_interval or ActivityCounts() for state in states]
    entries = [activity.entries for activity in activities if activity.entries is not None]
    return RecordedState(
        index=first.index,
        name=first.name,
        exit_latency_us=first.exit_latency_us,
        target_residency_us=first.target_residency_us,
        closed_by=first.closed_by,
        entries=sum(entries) if len(entries) == len(activities) else None,
        above=_mean_share([(item.above_share, item.entries or 0) for item in activities]),
        below=_mean_share([(item.below_share, item.entries or 0) for item in activities]),
    )


def _mean_share(shares: Sequence[tuple[float | None, int]]) -> float | None:
    """Return the mean share weighted by entries; None without entries or with an unknown share."""
    entered = [(share, entries) for share, entries in shares if entries]
    measured = [(share, entries) for share, entries in entered if share is not None]
    if not entered or len(measured) < len(entered):
        return None
    total = sum(entries for _, entries in measured)
    return sum(share * entries for share, entries in measured) / total


def _wake_row(row: StateWakeups) -> WakeRow:
    return WakeRow(
        **_counts(row),
        awake=_latency_percentiles(row.awake_us),
        exits=_latency_percentiles(row.exit_us),
    )


def _process_row(row: ProcessWakeups) -> WakeRow:
    return WakeRow(**_counts(row), pid=row.pid, name=row.name)


def _counts(row: WakeupCounts) -> dict[str, Any]:
    return {name: getattr(row, name) for name in WakeupCounts.__struct_fields__}


def _latency_percentiles(times: TimePercentiles | None) -> LatencyPercentiles | None:
    if times is None:
        return None
    return LatencyPercentiles(times.p50, times.p90, times.p99, times.max)
