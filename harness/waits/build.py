"""The document of a recording of waits."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np

from harness.waits.analysis import WaitAnalysis
from harness.waits.locks_document import LockParts, cause_documents
from harness.waits.neighbours import read_neighbours
from harness.waits.result import (
    GroupWaits,
    MissingSource,
    QueueUser,
    StateSource,
    ThreadTimeline,
    ThreadWaits,
    WaitCause,
    WaitsPeriod,
    WaitsResult,
    WaitTimeline,
)
from harness.waits.window_parts import whole_parts
from stallscope.printable import printable
from topdown.waits.causes import MAX_CAUSES
from topdown.waits.cpu_causes import cpu_causes
from topdown.waits.records import WaitRecords
from topdown.waits.run_queue import CpuRuns, RunQueueUse, run_queue_users
from topdown.waits.state_timeline import dominant_states, state_steps
from topdown.waits.states import ThreadState
from topdown.waits.thread_states import ThreadTotals

MAX_THREADS = 10_000  # in a document; the longest waits of the others are in their groups
MAX_QUEUE_USERS = 100
TIMELINE_THREADS, TIMELINE_STEPS = 24, 240


@dataclass(frozen=True, slots=True)
class RecordingParts:
    """What is the same for each period of a recording."""

    cpu_runs: CpuRuns | None  # None without records of whole CPUs
    cgroups: Mapping[int, str]

    @classmethod
    def of(cls, records: WaitRecords, recording: Path) -> "RecordingParts":
        """Return the parts of a recording."""
        cpu_runs = CpuRuns.of(records) if records.whole_cpus else None
        return cls(cpu_runs, read_neighbours(recording))


def waits_result(
    analysis: WaitAnalysis,
    *,
    recording: Path,
    report: Path | None,
    common: RecordingParts | None = None,
    with_timeline: bool = True,
) -> WaitsResult:
    """Return the document; ``report`` is the path of the page, None without one.

    ``common``: the parts that other periods of the recording share, if they are known.
    """
    totals, records = analysis.totals, analysis.records
    wall = int(totals.wall_ns.sum())
    begin_ns, end_ns = analysis.extent_ns
    open_states = [ThreadState.OTHER, ThreadState.UNKNOWN]
    unattributed = int(totals.amounts[:, open_states].sum())
    parts = whole_parts(analysis)
    warnings = [*analysis.warnings]
    if common is None:
        common = RecordingParts.of(records, recording)
    users = run_queue_users(records, analysis.kinds.intervals, common.cpu_runs)
    cgroups = common.cgroups
    threads = _threads(analysis)
    if len(threads) > MAX_THREADS:
        warnings.append(
            f"{len(threads) - MAX_THREADS:,} threads that used less time are not listed; "
            "their groups include them"
        )
    return WaitsResult(
        title=printable(analysis.title),
        wall_ns=end_ns - begin_ns,
        period=None
        if analysis.period_ns is None
        else WaitsPeriod(
            begin_s=(begin_ns - records.begin_ns) / 1e9, end_s=(end_ns - records.begin_ns) / 1e9
        ),
        threads=threads[:MAX_THREADS],
        groups=_groups(analysis),
        locks=parts.locks,
        causes=_causes(analysis, parts, users, cgroups),
        idle_pools=parts.idle_pools,
        graph=parts.graph,
        lock_functions=parts.functions,
        kernel_locks=parts.kernel_locks,
        spinning=parts.spinning,
        ended_waits=parts.ended_waits,
        wakers_unavailable=parts.wakers_unavailable,
        run_queue=_run_queue(analysis, users, cgroups),
        timeline=_timeline(analysis, threads) if with_timeline else None,
        unattributed_share=unattributed / wall if wall else None,
        sources=tuple(
            StateSource(state=state.key, source=source, time_ns=amount)
            for state in ThreadState
            for source, amount in totals.sources.get(state, {}).items()
        ),
        missing=_missing(analysis),
        warnings=tuple(dict.fromkeys(warnings)),
        recording=str(recording),
        report=None if report is None else str(report),
    )


def _states(amounts: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> dict[str, int]:
    return {state.key: int(amounts[state]) for state in ThreadState}


def _errors(totals: ThreadTotals, threads: list[int]) -> dict[str, int] | None:
    """Return half the widths of the intervals of threads together; None without intervals."""
    if totals.errors is None:
        return None
    squares = (totals.errors[threads].astype(np.float64) ** 2).sum(axis=0)
    return _states(np.rint(np.sqrt(squares)).astype(np.int64))


def _threads(analysis: WaitAnalysis) -> tuple[ThreadWaits, ...]:
    """Return the threads with most CPU time first."""
    totals = analysis.totals
    busy = totals.amounts[:, [ThreadState.USER, ThreadState.SYSTEM]].sum(axis=1)
    rows = [(number, group) for group in analysis.groups for number in group.threads]
    rows.sort(key=lambda row: (-int(busy[row[0]]), row[0]))
    wall = totals.wall_ns
    threads = analysis.records.threads
    return tuple(
        ThreadWaits(
            tid=threads[number].tid,
            name=printable(threads[number].name),
            states_ns=_states(totals.amounts[number]),
            pid=threads[number].pid,
            process=printable(threads[number].process_name),
            group=printable(group.name),
            wall_ns=int(wall[number]),
            run_ns=totals.run_ns[number],
            queue_ns=totals.queue_ns[number],
            measured_run_ns=totals.measured_run_ns[number],
            measured_queue_ns=totals.measured_queue_ns[number],
            errors_ns=_errors(totals, [number]),
        )
        for number, group in rows
    )


def _missing(analysis: WaitAnalysis) -> tuple[MissingSource, ...]:
    """Return the missing sources, those with one reason and remedy together."""
    names: dict[tuple[str, str], list[str]] = {}
    for source in analysis.records.sources:
        if not source.available:
            key = (printable(source.reason), printable(source.remedy))
            names.setdefault(key, []).append(printable(source.name))
    return tuple(
        MissingSource(name=", ".join(sources), reason=reason, remedy=remedy)
        for (reason, remedy), sources in names.items()
    )


def _causes(
    analysis: WaitAnalysis,
    parts: LockParts,
    users: tuple[RunQueueUse, ...],
    cgroups: Mapping[int, str],
) -> tuple[WaitCause, ...]:
    """Return the causes of waits and of time in which threads could run, in order of cost."""
    causes = cause_documents(cpu_causes(analysis.records, analysis.totals.amounts, users, cgroups))
    whole = sorted((*parts.causes, *causes), key=lambda cause: -cause.wait_ns)
    return tuple(whole[:MAX_CAUSES])


def _run_queue(
    analysis: WaitAnalysis, users: tuple[RunQueueUse, ...], cgroups: Mapping[int, str]
) -> tuple[QueueUser, ...]:
    """Return what ran while the target was runnable, with the cgroups that were kept.

    If switches were recorded in windows only, the times are scaled to all time in the run queue.
    """
    scale = 1.0
    if analysis.records.limited_from_ns is not None:
        queued = int(analysis.totals.amounts[:, ThreadState.RUN_QUEUE].sum())
        scale = queued / max(1, sum(user.time_ns for user in users))
    return tuple(
        QueueUser(
            kind=user.kind.value,
            name=printable(user.name),
            pid=user.pid,
            cgroup=None if user.pid is None else _printable(cgroups.get(user.pid)),
            time_ns=round(user.time_ns * scale),
            beside_idle_ns=round(user.beside_idle_ns * scale),
        )
        for user in users[:MAX_QUEUE_USERS]
    )


def _printable(text: str | None) -> str | None:
    return None if text is None else printable(text)


def _timeline(analysis: WaitAnalysis, threads: tuple[ThreadWaits, ...]) -> WaitTimeline | None:
    records = analysis.records
    begin_ns, end_ns = analysis.extent_ns
    length = end_ns - begin_ns
    if length < TIMELINE_STEPS:
        return None
    edges = begin_ns + np.linspace(0, length, TIMELINE_STEPS + 1)
    edges_ns = np.rint(edges).astype(np.uint64)
    numbers = {(thread.pid, thread.tid): n for n, thread in enumerate(records.threads)}
    rows = []
    for thread in threads[:TIMELINE_THREADS]:
        number = numbers[thread.pid, thread.tid]
        states = dominant_states(state_steps(analysis.kinds.intervals, number, edges_ns))
        runs = [
            ("" if state < 0 else ThreadState(state).key, len(list(steps)))
            for state, steps in groupby(states.tolist())
        ]
        rows.append(ThreadTimeline(tid=thread.tid, name=thread.name, runs=tuple(runs)))
    return WaitTimeline(steps=TIMELINE_STEPS, step_ns=length / TIMELINE_STEPS, threads=tuple(rows))


def _groups(analysis: WaitAnalysis) -> tuple[GroupWaits, ...]:
    """Return the groups with most CPU time first."""
    groups = []
    for group in analysis.groups:
        amounts = analysis.totals.amounts[list(group.threads)].sum(axis=0)
        groups.append(
            GroupWaits(
                process=printable(group.process_name),
                name=printable(group.name),
                threads=len(group.threads),
                wall_ns=int(amounts.sum()),
                states_ns=_states(amounts),
                errors_ns=_errors(analysis.totals, list(group.threads)),
            )
        )
    running = ("user", "system", "run_queue")
    groups.sort(key=lambda group: (-sum(group.states_ns[key] for key in running), group.name))
    return tuple(groups)
