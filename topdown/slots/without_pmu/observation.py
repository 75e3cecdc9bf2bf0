"""Observing a process or command where no hardware counter can be read: one entry for commands."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from stallscope.collector import CollectorOptions, Outcome, Progress, collect
from stallscope.errors import ExitCode, StallscopeError
from stallscope.host import read_host
from stallscope.recordings import open_recording
from topdown.slots.measurement import Kind, Measurement
from topdown.slots.without_pmu.facts import facts
from topdown.slots.without_pmu.finding import Finding, find
from topdown.slots.without_pmu.process_watch import CounterWatch, KernelCounters
from topdown.slots.without_pmu.sampled_work import SampledWork, read_sampled_work

CLOCK = "cpu-clock"
DEFAULT_FREQUENCY_HZ = 997  # no divisor of the ticks that programs and the kernel keep
SOURCE = "samples of cpu-clock and the kernel's counters: no slots"
NO_INTERVAL = "binomial, of samples"
IDLE = "nothing was sampled: the target used next to no CPU time"
NO_SLOTS = "slots are not counted here: no hardware counter can be read"


@dataclass(frozen=True, slots=True)
class Observation:
    """What was seen of a target without hardware counters; ``work`` None where none was sampled."""

    counters: KernelCounters
    work: SampledWork | None
    finding: Finding | None
    outcome: Outcome

    def measurement(self, title: str = "") -> Measurement:
        """Return it as every renderer reads it: no node has a value, the facts say the rest."""
        return Measurement(
            kind=Kind.UNAVAILABLE,
            source=SOURCE,
            cpu="",
            title=title or read_host().cpu_model,
            whole=1.0,
            nodes=(),
            ipc=None,
            interval_label=NO_INTERVAL,
            bottleneck=None,
            bottleneck_why=NO_SLOTS,
            warnings=() if self.work is not None else (IDLE,),
            facts=facts(self.counters, self.work, self.finding),
        )


def observe(
    options: CollectorOptions,
    on_progress: Callable[[Progress], None] = lambda _: None,
    command_output: IO[str] | None = None,
) -> Observation:
    """Return what samples and kernel counters say of the processes or command of ``options``.

    The recording is left in ``options.output``. Raises what the collector and the reader raise.
    """
    options = replace(
        options,
        event=CLOCK,
        frequency_hz=options.frequency_hz or DEFAULT_FREQUENCY_HZ,
        stacks="fp",
        python="off",
    )
    with CounterWatch(Path("/proc"), with_children=bool(options.command)) as watch:

        def follow(progress: Progress) -> None:
            if progress.kind == "started":
                watch.start(progress.pids or options.pids)
            elif progress.kind == "finished":
                watch.stop()
            on_progress(progress)

        outcome = _collected(options, follow, command_output)
        watch.stop()
        counters = watch.counters()
    recording = open_recording(options.output)
    manifest = recording.manifest
    sampled = manifest is None or manifest.samples > 0
    work = read_sampled_work(recording) if sampled else None
    return Observation(counters, work, find(counters, work), outcome)


def _collected(
    options: CollectorOptions,
    follow: Callable[[Progress], None],
    command_output: IO[str] | None,
) -> Outcome:
    """Return how the recording ended; one without samples is no failure: idling is an answer."""
    try:
        return collect(options, follow, command_output)
    except StallscopeError as error:
        if error.exit_code is not ExitCode.UNREADABLE:
            raise
        manifest = open_recording(options.output).manifest
        if manifest is None or manifest.samples > 0:
            raise
        return Outcome(int(ExitCode.DONE), manifest.end_reason, interrupted=False)
