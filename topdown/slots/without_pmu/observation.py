"""Observation of a process or command without hardware counters."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from stallscope.collector import (
    CollectionEnd,
    CollectorOptions,
    CollectorProgress,
    Started,
    collect,
)
from stallscope.errors import ExitCode, StallscopeError
from stallscope.host import read_host
from stallscope.recordings import open_recording
from topdown.slots.measurement import Kind, Measurement
from topdown.slots.without_pmu.facts import facts
from topdown.slots.without_pmu.kernel_findings import KernelFinding, find
from topdown.slots.without_pmu.process_watch import CounterWatch, KernelCounters
from topdown.slots.without_pmu.sampled_work import SampledWork, read_sampled_work

CLOCK = "cpu-clock"
DEFAULT_FREQUENCY_HZ = 997  # a prime: not in step with timers of programs and the kernel
SOURCE = "samples of cpu-clock and kernel counters: no slots"
INTERVAL_LABEL = "binomial, of samples"
IDLE = "no samples: the target used almost no CPU time"
NO_SLOTS = "slots are not counted: this machine has no readable hardware counters"


@dataclass(frozen=True, slots=True)
class KernelObservation:
    """Samples and kernel counters of a target; ``work`` is None without samples."""

    counters: KernelCounters
    work: SampledWork | None
    finding: KernelFinding | None
    outcome: CollectionEnd

    def measurement(self, title: str = "") -> Measurement:
        """Return the observation as a measurement without nodes, whose facts hold the results."""
        return Measurement(
            kind=Kind.UNAVAILABLE,
            source=SOURCE,
            cpu="",
            title=title or read_host().cpu_model,
            whole=1.0,
            nodes=(),
            ipc=None,
            interval_label=INTERVAL_LABEL,
            bottleneck=None,
            bottleneck_why=NO_SLOTS,
            warnings=() if self.work is not None else (IDLE,),
            facts=facts(self.counters, self.work, self.finding),
        )


def observe(
    options: CollectorOptions,
    on_progress: Callable[[CollectorProgress], None] = lambda _: None,
    command_output: IO[str] | None = None,
) -> KernelObservation:
    """Return samples and kernel counters of the processes or command of ``options``.

    The recording stays in ``options.output``. Raises the errors of the collector and the reader.
    """
    options = replace(
        options,
        event=CLOCK,
        frequency_hz=options.frequency_hz or DEFAULT_FREQUENCY_HZ,
        stacks="fp",
        python="off",
    )
    with CounterWatch(Path("/proc"), with_children=bool(options.command)) as watch:

        def follow(progress: CollectorProgress) -> None:
            if isinstance(progress, Started):
                watch.start(progress.pids or options.pids)
            elif progress.kind == "finished":
                watch.stop()
            on_progress(progress)

        outcome = _collect(options, follow, command_output)
        watch.stop()
        counters = watch.counters()
    recording = open_recording(options.output)
    manifest = recording.manifest
    sampled = manifest is None or manifest.samples > 0
    work = read_sampled_work(recording) if sampled else None
    return KernelObservation(counters, work, find(counters, work), outcome)


def _collect(
    options: CollectorOptions,
    follow: Callable[[CollectorProgress], None],
    command_output: IO[str] | None,
) -> CollectionEnd:
    """Return how the recording ended. A recording without samples is valid: the target idled."""
    try:
        return collect(options, follow, command_output)
    except StallscopeError as error:
        if error.exit_code is not ExitCode.UNREADABLE:
            raise
        manifest = open_recording(options.output).manifest
        if manifest is None or manifest.samples > 0:
            raise
        return CollectionEnd(int(ExitCode.DONE), manifest.end_reason, interrupted=False)
