"""A run of `stallscope cstates record`: records, writes the files, prints the summary."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import click
from msgspec import structs

from cstates.idle.recording import IdleRecordingOptions, IdleTracing, record_idle
from cstates.observation import CpuObservation, Observation, observe
from cstates.sysfs import cpu_folder
from harness.cli.brief import document_text
from harness.cli.outputs import write_whole
from harness.cli.terminal import note, printable, report_command, warn, width
from harness.cstates.record.files import make_directory, write_manifest, write_result
from harness.cstates.record.options import RecordOptions
from harness.cstates.record.result import (
    IdleResult,
    RecordingOverhead,
    io_waiter_estimate,
    process_wakeups,
    state_lengths,
    state_wakeups,
)
from harness.cstates.record.text import lines
from harness.cstates.record.workload import RecordedWorkload
from harness.cstates.show.result import show_result
from harness.recordings.directory import remove_empty
from stallscope.cpu_lists import cpus_in_list
from stallscope.errors import ExitCode, UnableError
from stallscope.system_files import Roots, read_text

MIN_TRACED_SHARE = 0.8  # of the entries that the kernel counted
ENTRY_SLACK = 5  # entries while counters are read and tracing is turned on


def run_session(options: RecordOptions, *, as_json: bool) -> int:
    """Return the exit code, after recording, writing and printing."""
    result = record(options)
    _write_pictures(options, result)
    if as_json:
        click.echo(document_text(structs.replace(result, recording=str(options.output))))
    else:
        click.echo("\n".join(lines(result, width())))
        click.echo(f"\nrecording  {printable(str(options.output))}")
        note(f"report it with: {report_command(options.output)}")
    if result.end is not None and result.end.failed:
        warn(f"the command failed ({result.end.status}); its recording is complete")
        return int(ExitCode.TARGET_FAILED)
    return int(ExitCode.DONE)


def _write_pictures(options: RecordOptions, result: IdleResult) -> None:
    for path in options.pictures:
        from harness.cstates.record.picture import lengths_picture  # noqa: PLC0415 - matplotlib

        write_whole(path, [lengths_picture(result, path.suffix.lower().lstrip("."))])


def record(options: RecordOptions) -> IdleResult:
    """Return the result, after the workload has ended and all files are written."""
    make_directory(options.output, force=options.force)
    begin_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    write_manifest(options.output, options.command, begin_ns=begin_ns, end=None)
    workload = RecordedWorkload(options.command, options.duration_s)
    try:
        result = _Recorder(options, workload).run().result(options.command, workload)
    except BaseException:
        remove_empty(options.output)
        raise
    write_result(options.output, result)
    write_manifest(options.output, options.command, begin_ns=begin_ns, end=workload.end)
    return result


@dataclass(frozen=True, slots=True)
class _Measurement:
    """The counters and, if it was possible, the trace of a recording."""

    observation: Observation
    tracing: IdleTracing | None
    why_counters_only: str | None

    def result(self, command: Sequence[str], workload: RecordedWorkload) -> IdleResult:
        """Return the result of the recording."""
        span = self.observation.interval
        assert span is not None
        counters = IdleResult(
            source="counters",
            why_counters_only=self.why_counters_only or "",
            command=tuple(command),
            command_cpus=workload.cpus,
            end=workload.end,
            seconds=span.seconds or 0.0,
            machine=show_result(self.observation),
            siblings={cpu.idle.cpu: _siblings(cpu.idle.cpu) for cpu in self.observation.cpus},
            lost_events=None,
        )
        tracing = self.tracing
        if tracing is None:
            return counters
        warnings = untraced_warnings(tracing, self.observation.cpus)
        return structs.replace(
            counters,
            source="tracepoints",
            why_counters_only=None,
            seconds=tracing.seconds,
            intervals=tracing.summary.intervals,
            intervals_kept=tracing.kept,
            intervals_discarded=tracing.discarded,
            lost_events=tracing.lost_events,
            overhead=RecordingOverhead(events=tracing.events, reader_cpu_s=tracing.drain_cpu_s),
            missing_tracepoints=tracing.missing,
            iowaiters=io_waiter_estimate(tracing.summary) if tracing.estimates_io_waiters else None,
            warnings=(*tracing.warnings, *warnings),
            idle=state_lengths(tracing.summary),
            wakes=state_wakeups(tracing.summary),
            processes=process_wakeups(tracing.summary),
        )


def untraced_warnings(tracing: IdleTracing, cpus: Sequence[CpuObservation]) -> Iterator[str]:
    """Yield a warning for each CPU whose counters show far more entries than were traced."""
    for cpu in cpus:
        counts = [activity.entries for activity in cpu.over_interval or ()]
        counted = sum(count for count in counts if count is not None)
        traced = tracing.summary.intervals_of(cpu.idle.cpu)
        if traced < counted * MIN_TRACED_SHARE - ENTRY_SLACK and not tracing.lost_events:
            reason = "it does not trace all of that CPU's idle intervals"
            if tracing.lost_events is None:
                reason += ", or it lost events without reporting it"
            yield (
                f"CPU {cpu.idle.cpu}: the kernel counted {counted:,} entries and traced "
                f"{traced:,}: {reason}; the others are missing here"
            )


def _siblings(cpu: int) -> tuple[int, ...]:
    text = read_text(cpu_folder(Roots(), cpu) / "topology" / "thread_siblings_list", 4096)
    return tuple(cpus_in_list(text or "")) or (cpu,)


class _Recorder:
    """Runs the workload between two readings of the counters, traced if possible."""

    def __init__(self, options: RecordOptions, workload: RecordedWorkload) -> None:
        self._options = options
        self._workload = workload
        self._observation: Observation | None = None

    def run(self) -> _Measurement:
        """Return what was recorded."""
        tracing, reason = None, "requested by --counters-only"
        if not self._options.counters_only:
            tracing, reason = self._trace()
        if self._observation is None:
            self._observe()
        assert self._observation is not None
        return _Measurement(self._observation, tracing, None if tracing else reason)

    def _observe(self) -> None:
        self._observation = observe(
            Roots(), self._options.cpus, interval_s=1.0, wait=lambda _: self._workload.run()
        )

    def _trace(self) -> tuple[IdleTracing | None, str]:
        """Return the trace; None and the reason if tracing was not possible."""
        options = IdleRecordingOptions(
            folder=self._options.output,
            cpus=frozenset(self._options.cpus),
            max_intervals=self._options.max_intervals,
            target_residency_ns=_residencies(observe(Roots(), self._options.cpus).cpus),
        )
        try:
            return record_idle(options, self._observe), ""
        except UnableError as error:
            if self._observation is not None:
                raise
            warn(f"counters only: {error.message}; {error.remedy}")
            return None, error.message


def _residencies(cpus: Sequence[CpuObservation]) -> list[int | None]:
    """Return target residencies in ns by state; None if no shallower state is open."""
    residencies: list[int | None] = []
    cpu = next((cpu for cpu in cpus if cpu.idle.states), None)
    shallower_open = False
    for state in cpu.idle.states if cpu else ():
        target_us = state.target_residency_us
        has_target = target_us is not None and shallower_open
        residencies.append((target_us or 0) * 1000 if has_target else None)
        shallower_open = shallower_open or (
            cpu is not None and state.closed_by(cpu.effective_limit_us) is None
        )
    return residencies
