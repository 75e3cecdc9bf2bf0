"""Live counting of slots by runs of the collector.

One run counts all groups, multiplexed. Without multiplexing each group is counted in a separate
run, or, for a running target, in a separate period. --repeat counts again for the variation
between runs. A drill counts again only the nodes below the marked one.
"""

import os
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from stallscope.collector import CollectionEnd, CountOptions
from stallscope.errors import RecordingError, UnableError, UsageError
from stallscope.private_directory import private_directory
from stallscope.system_files import Roots
from topdown.slots.counting.analysis import measurement_of
from topdown.slots.counting.counting_mode import (
    CountingMode,
    core_pmu,
    counting_mode_of,
    lone_siblings,
)
from topdown.slots.counting.counting_run import CountingRun, read_counting_run
from topdown.slots.counting.drilling import merged_measurement, nodes_below
from topdown.slots.counting.plan import CountingPlan, Encoding, EventSet, nodes_down_to, plan_of
from topdown.slots.counting.plan_file import Subject, write_plan
from topdown.slots.counting.requested_events import requested_events, unknown_event_error
from topdown.slots.counting.unknown_cpu import plan_of_unknown
from topdown.slots.counting.windows import Windows
from topdown.slots.detection import contradiction, model_named, model_of_machine
from topdown.slots.measurement import Measurement
from topdown.slots.model import Model
from topdown.slots.verification import verification_of

DEFAULT_LEVEL = 2
DEFAULT_WINDOW_MS = 100
MIN_WINDOW_MS = 50
TRIAL_S = 0.06
# A software event (PERF_TYPE_SOFTWARE), so that a trial always has an event to count.
_ALWAYS = {"task-clock": Encoding(1, 1)}
MIN_PART_S = 0.25  # per group of a running target, without multiplexing
MAX_DRILLS = 4
Collect = Callable[[CountOptions], CollectionEnd]


@dataclass(frozen=True, slots=True)
class CountingRequest:
    """The measurement to make. ``options`` names the target; its output and plan are set here.

    ``level`` None is the default; ``cpu`` overrides the machine's CPU.
    """

    options: CountOptions
    level: int | None = None
    events: tuple[str, ...] = ()
    interval_ms: int | None = None
    runs: int = 1
    multiplex: bool = True
    drill: bool = False
    cpu: str = ""


@dataclass(frozen=True, slots=True)
class CountingResult:
    """A measurement, the end of its last run, and its recordings."""

    measurement: Measurement
    outcome: CollectionEnd
    recordings: tuple[Path, ...]


def measure(request: CountingRequest, count: Collect, roots: Roots = Roots()) -> CountingResult:  # noqa: B008 - immutable
    """Return the measurement of a request, counted by ``count`` into the request's output.

    Raises UnableError without counters or with several kinds of cores, UsageError for an unknown
    event, and the collector's errors.
    """
    subject = subject_of(request, roots)
    session = _CountingSession(request, subject, count)
    session.check_names()
    runs = session.runs()
    measurement = measurement_of(runs, interval_ms=request.interval_ms)
    if request.drill:
        measurement = session.drilled(measurement)
    assert session.outcome is not None
    warnings = (*_cautions(request, subject, roots), *session.warnings, *measurement.warnings)
    measurement = replace(measurement, warnings=warnings)
    return CountingResult(measurement, session.outcome, tuple(session.recordings))


def subject_of(request: CountingRequest, roots: Roots) -> Subject:
    """Return the model of the machine's CPU or of the named one, and the counting mode."""
    pmu = core_pmu(roots)
    model = _model(request.cpu, roots)
    options = request.options
    mode = CountingMode(event_type=pmu.event_type)
    nodes: tuple[str, ...] = ()
    if model is not None:
        mode = counting_mode_of(model, roots, per_process=not (options.system_wide or options.cpus))
        nodes = nodes_down_to(model, min(request.level or DEFAULT_LEVEL, model.deepest))
    return Subject(model, mode, nodes, requested_events(request.events, model, mode))


def plan_of_subject(subject: Subject, nodes: Iterable[str] | None = None) -> CountingPlan:
    """Return the plan for these nodes, by default for the subject's own, and its events."""
    requested = {event.event: event.encoding for event in subject.requested}
    if subject.model is None:
        return plan_of_unknown(requested)
    return plan_of(
        subject.model,
        subject.mode,
        subject.nodes if nodes is None else nodes,
        requested=requested,
        broken=verification_of(subject.model.key).broken,
    )


def window_ms(interval_ms: int | None) -> int:
    """Return the length of windows, a whole number of which fills an interval."""
    if interval_ms is None:
        return DEFAULT_WINDOW_MS
    parts = -(-interval_ms // DEFAULT_WINDOW_MS)
    return max(MIN_WINDOW_MS, round(interval_ms / parts))


def _model(cpu: str, roots: Roots) -> Model | None:
    if cpu:
        return model_named(cpu)
    try:
        return model_of_machine(roots)
    except UnableError:
        return None


def _cautions(request: CountingRequest, subject: Subject, roots: Roots) -> list[str]:
    """Return warnings about the CPU model and the counted CPUs."""
    warning = None
    if subject.model is not None and not request.cpu:
        warning = contradiction(roots, subject.model)
    warnings = [] if warning is None else [warning]
    if request.options.cpus and subject.mode.smt:
        lone = lone_siblings(request.options.cpus, roots)
        if lone:
            warnings.append(
                f"CPUs {', '.join(map(str, lone))} are counted without the other thread of their "
                "core, which shares its slots: name both"
            )
    return warnings


@dataclass(slots=True)
class _CountingSession:
    """The runs of one request; several runs have separate directories."""

    request: CountingRequest
    subject: Subject
    count: Collect
    recordings: list[Path] = field(default_factory=list)
    outcome: CollectionEnd | None = None
    warnings: list[str] = field(default_factory=list)

    def check_names(self) -> None:
        """Raise UsageError if a requested event is unknown."""
        named = [event for event in self.subject.requested if event.encoding.name]
        if not named:
            return
        events = {event.event: event.encoding for event in named} | _ALWAYS
        sets = tuple(EventSet(name, (name,)) for name in events)
        unknown = self._trial(CountingPlan(sets, events, {})).unknown
        for event in named:
            if event.event in unknown:
                raise unknown_event_error(event.spelling, self.subject.model, unknown[event.event])

    def _trial(self, plan: CountingPlan) -> CountingRun:
        """Return a short run on this process, which shows what can be counted."""
        with tempfile.TemporaryDirectory(prefix="stallscope-") as folder:
            options = CountOptions(
                output=Path(folder) / "trial",
                plan=Path(),
                pids=(os.getpid(),),
                window_ms=MIN_WINDOW_MS,
                duration_s=TRIAL_S,
                user_only=self.request.options.user_only,
            )
            return self._collect(options, plan, self.subject)[0]

    @property
    def _interrupted(self) -> bool:
        """Return whether Ctrl-C ended the last run, so that no further run starts."""
        return self.outcome is not None and self.outcome.interrupted

    def runs(self, nodes: tuple[str, ...] | None = None) -> list[CountingRun]:
        """Return the requested number of runs, fewer after Ctrl-C."""
        runs = [self.run(nodes)]
        while len(runs) < self.request.runs and not self._interrupted:
            runs.append(self.run(nodes))
        if len(runs) < self.request.runs:
            self.warnings.append(f"ended by Ctrl-C after {len(runs)} of {self.request.runs} runs")
        return runs

    def run(self, nodes: tuple[str, ...] | None = None) -> CountingRun:
        """Return one run on the target: all groups multiplexed, or one group after the other."""
        subject = (
            self.subject if nodes is None else replace(self.subject, nodes=nodes, requested=())
        )
        plan = plan_of_subject(self.subject, nodes)
        if self.request.multiplex:
            return self._recorded(plan, subject)
        groups = self._trial(plan).windows.groups
        if len(groups) < 2:
            return self._recorded(plan, subject)
        if self.request.interval_ms is not None:
            raise UsageError(
                f"-I and --no-multiplex exclude each other here: {len(groups)} event groups are "
                "counted one after the other, so that no interval has all of them",
                "omit one of them, or choose -l 1",
            )
        parts: list[CountingRun] = []
        for group in groups:
            if self._interrupted:
                self.warnings.append(f"ended by Ctrl-C after {len(parts)} of {len(groups)} groups")
                break
            parts.append(self._recorded(plan.only(group.events), subject, len(groups)))
        return _combined_run(plan, parts)

    def _recorded(self, plan: CountingPlan, subject: Subject, parts: int = 1) -> CountingRun:
        """Return one recorded run; ``parts`` runs share the duration of a running target."""
        request = self.request
        duration_s = request.options.duration_s
        if duration_s and not request.options.command:
            duration_s = max(MIN_PART_S, duration_s / parts)
        output = request.options.output
        if request.runs > 1 or not request.multiplex or request.drill:
            _make_directory(output)
            output = output / f"run-{len(self.recordings) + 1}"
        options = replace(
            request.options,
            output=output,
            window_ms=request.options.window_ms or window_ms(request.interval_ms),
            duration_s=duration_s,
        )
        run, self.outcome = self._collect(options, plan, subject)
        self.recordings.append(output)
        return run

    def _collect(
        self, options: CountOptions, plan: CountingPlan, subject: Subject
    ) -> tuple[CountingRun, CollectionEnd]:
        with tempfile.TemporaryDirectory(prefix="stallscope-") as folder:
            path = Path(folder) / "plan.json"
            write_plan(path, plan, subject)
            outcome = self.count(replace(options, plan=path))
        run = read_counting_run(options.output)
        return replace(run, plan=plan), outcome

    def drilled(self, measurement: Measurement) -> Measurement:
        """Return a measurement with the nodes below its marked node, counted separately."""
        model = self.subject.model
        for _ in range(MAX_DRILLS):
            path = measurement.bottleneck
            nodes = (
                () if model is None or path is None else nodes_below(model, measurement, path[-1])
            )
            if not nodes or self._interrupted:
                break
            second = measurement_of(self.runs(nodes))
            deeper = merged_measurement(measurement, second)
            if deeper.bottleneck == path:
                return deeper
            measurement = deeper
        return measurement


def _make_directory(folder: Path) -> None:
    """Make the directory of several recordings. Raises UsageError if others may write to it."""
    try:
        with private_directory(folder):
            pass
    except OSError as error:
        raise UsageError(
            f"cannot store recordings in {folder}: {error}",
            "name a new directory, or one that only you can write to",
        ) from error


def _combined_run(plan: CountingPlan, parts: list[CountingRun]) -> CountingRun:
    """Return runs of one group each as one run without multiplexing."""
    windows = Windows(
        tuple(group for run in parts for group in run.windows.groups),
        sum(run.windows.seconds for run in parts) / len(parts),
    )
    if not windows.groups:
        raise RecordingError("nothing was counted", "see `stallscope doctor`")
    return CountingRun(
        parts[0].subject,
        plan,
        windows,
        absent={name: why for run in parts for name, why in run.absent.items()},
        target=parts[0].target,
        warnings=tuple(dict.fromkeys(text for run in parts for text in run.warnings)),
        separate=True,
    )


def measurement_of_recording(
    directory: Path, *, cpu: str = "", interval_ms: int | None = None
) -> Measurement:
    """Return the measurement in a recording of counters, from this host or another one."""
    return measurement_of([read_counting_run(directory, cpu=cpu)], interval_ms=interval_ms)
