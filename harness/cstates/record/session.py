"""One `stallscope cstates record`: the directory, what runs, the document, what is printed."""

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from cstates.idle.recording import IdleOutcome, IdleRequest, record_idle
from cstates.idle.run import SCHEMA, IdleRun, idle_run
from cstates.observation import CpuObservation, Observation, observe
from cstates.sysfs import cpu_folder
from harness.cli.terminal import note, printable, report_command, warn, width
from harness.cstates.record.files import (
    DOCUMENT,
    Ending,
    make_directory,
    write_document,
    write_manifest,
)
from harness.cstates.record.target import Target
from harness.cstates.record.text import lines
from harness.cstates.show.document import document as machine_document
from harness.recordings.directory import forget_unbegun
from stallscope.cpu_lists import cpus_in_list
from stallscope.errors import ExitCode, UnableError
from stallscope.json_fields import Fields
from stallscope.system_files import Roots, read_text

LEAST_TRACED = 0.8  # of the entries that the kernel counted
SLACK = 5  # entries while counters are read and tracing is turned on


@dataclass(frozen=True, slots=True)
class RecordOptions:
    """What was asked."""

    command: tuple[str, ...]
    duration_s: float | None
    cpus: tuple[int, ...]
    most_intervals: int
    counters_only: bool
    output: Path
    force: bool


def run_session(options: RecordOptions, *, as_json: bool) -> int:
    """Return the exit code, once what was asked has run and its recording is written."""
    made = record(options)
    if as_json:
        click.echo(json.dumps(made.document | {"recording": str(options.output)}, allow_nan=False))
    else:
        click.echo("\n".join(lines(made.run, width())))
        click.echo(f"\nrecording  {printable(str(options.output))}")
        note(f"see it with: {report_command(options.output)}")
    if made.ending.failed:
        warn(f"the command failed ({made.ending.status}); its recording is kept and whole")
        return int(ExitCode.TARGET_FAILED)
    return int(ExitCode.DONE)


@dataclass(frozen=True, slots=True)
class IdleRecorded:
    """A recording that is written: its document as it stands and as it is read."""

    document: dict[str, object]
    run: IdleRun
    ending: Ending


def record(options: RecordOptions) -> IdleRecorded:
    """Return what was recorded, once what was asked has run and all is on disk."""
    make_directory(options.output, force=options.force)
    begin_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    write_manifest(options.output, options.command, begin_ns=begin_ns, ending=None)
    target = Target(options.command, options.duration_s)
    try:
        done = _Recorder(options, target).run()
    except BaseException:
        forget_unbegun(options.output)
        raise
    document = done.document()
    run = idle_run(Fields(document, DOCUMENT))
    write_document(options.output, document)
    write_manifest(options.output, options.command, begin_ns=begin_ns, ending=target.ending)
    return IdleRecorded(document, run, target.ending)


@dataclass(frozen=True, slots=True)
class _Done:
    """A recording's outcome, before it is told."""

    observation: Observation
    ending: Ending
    command: Sequence[str]
    command_cpus: Sequence[int] | None
    traced: IdleOutcome | None
    why_not: str | None

    def document(self) -> dict[str, object]:
        """Return idle.json."""
        span = self.observation.interval
        assert span is not None
        document: dict[str, object] = {
            "schema": SCHEMA,
            "source": "counters" if self.traced is None else "tracepoints",
            "why_counters_only": self.why_not,
            "command": list(self.command),
            "command_cpus": None if self.command_cpus is None else list(self.command_cpus),
            "end": {"reason": self.ending.reason, "status": self.ending.status or None},
            "seconds": span.seconds if self.traced is None else self.traced.seconds,
            "machine": machine_document(self.observation),
            "siblings": {str(cpu.idle.cpu): _siblings(cpu.idle.cpu) for cpu in self._cpus},
        }
        if self.traced is None:
            return document | _untraced()
        return document | _traced(self.traced, tuple(untraced(self.traced, self._cpus)))

    @property
    def _cpus(self) -> Sequence[CpuObservation]:
        return self.observation.cpus


def untraced(outcome: IdleOutcome, cpus: Sequence[CpuObservation]) -> Iterator[str]:
    """Yield a warning for each CPU whose counters moved far more often than it was traced."""
    for cpu in cpus:
        counts = [each.entries for each in cpu.over_interval or ()]
        counted = sum(count for count in counts if count is not None)
        traced = outcome.summary.intervals_of(cpu.idle.cpu)
        if traced < counted * LEAST_TRACED - SLACK and not outcome.lost_events:
            why = "it does not trace all of that CPU's idle"
            if outcome.lost_events is None:
                why += ", or lost events, of which it told nothing"
            yield (
                f"CPU {cpu.idle.cpu}: the kernel counted {counted:,} entries and traced "
                f"{traced:,}: {why}, and what is told here leaves it out"
            )


def _siblings(cpu: int) -> list[int]:
    text = read_text(cpu_folder(Roots(), cpu) / "topology" / "thread_siblings_list", 4096)
    return list(cpus_in_list(text or "")) or [cpu]


def _traced(outcome: IdleOutcome, warnings: Sequence[str]) -> dict[str, object]:
    return {
        "intervals": outcome.summary.intervals,
        "intervals_kept": outcome.kept,
        "intervals_discarded": outcome.discarded,
        "lost_events": outcome.lost_events,
        "overhead": {"events": outcome.events, "reader_cpu_s": outcome.drain_cpu_s},
        "missing_tracepoints": list(outcome.missing),
        "warnings": [*outcome.warnings, *warnings],
        **outcome.summary.documents(),
    }


def _untraced() -> dict[str, object]:
    nothing = ("intervals", "intervals_kept", "intervals_discarded", "lost_events", "overhead")
    return dict.fromkeys(nothing) | {
        "missing_tracepoints": [],
        "warnings": [],
        "idle": [],
        "wakes": [],
        "processes": [],
    }


class _Recorder:
    """Runs the target between two readings of the counters, traced if that can be."""

    def __init__(self, options: RecordOptions, target: Target) -> None:
        self._options = options
        self._target = target
        self._observation: Observation | None = None

    def run(self) -> _Done:
        """Return what was recorded."""
        traced, why_not = None, "asked for"
        if not self._options.counters_only:
            traced, why_not = self._trace()
        if self._observation is None:
            self._observe()
        assert self._observation is not None
        return _Done(
            self._observation,
            self._target.ending,
            self._options.command,
            self._target.cpus,
            traced,
            None if traced else why_not,
        )

    def _observe(self) -> None:
        self._observation = observe(
            Roots(), self._options.cpus, interval_s=1.0, wait=lambda _: self._target.run()
        )

    def _trace(self) -> tuple[IdleOutcome | None, str]:
        """Return the trace; None, and why, where there can be none, before anything ran."""
        request = IdleRequest(
            folder=self._options.output,
            cpus=frozenset(self._options.cpus),
            most_intervals=self._options.most_intervals,
            target_residency_ns=_residencies(observe(Roots(), self._options.cpus).cpus),
        )
        try:
            return record_idle(request, self._observe), ""
        except UnableError as error:
            if self._observation is not None:
                raise
            warn(f"counters only: {error.message}; {error.remedy}")
            return None, error.message


def _residencies(cpus: Sequence[CpuObservation]) -> list[int | None]:
    """Return target residencies in ns by state; None where no shallower open one precedes."""
    found: list[int | None] = []
    cpu = next((each for each in cpus if each.idle.states), None)
    shallower = False
    for state in cpu.idle.states if cpu else ():
        target = state.target_residency_us
        found.append(target * 1000 if target is not None and shallower else None)
        shallower = shallower or (
            cpu is not None and state.closed_by(cpu.effective_limit_us) is None
        )
    return found
