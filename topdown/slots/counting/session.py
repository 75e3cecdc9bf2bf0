"""Counting slots live: from what a person asks to a measurement, by runs of the collector.

One run counts all groups by turns. Without multiplexing each group gets a run of its own, or for
what runs already a window of its own; --repeat counts again, for what differs between runs; a
drill counts again just what lies below the marked node.
"""

import os
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from stallscope.collector import CollectionEnd, CountOptions
from stallscope.errors import RecordingError, UnableError, UsageError
from stallscope.own_directory import own_directory
from stallscope.system_files import Roots
from topdown.slots.counting.analysis import measurement_of
from topdown.slots.counting.counting_mode import (
    CountingMode,
    core_pmu,
    counting_mode_of,
    lone_siblings,
)
from topdown.slots.counting.counting_run import CountingRun, read_counting_run
from topdown.slots.counting.drilling import below, joined
from topdown.slots.counting.plan import Encoding, EventSet, Plan, nodes_down_to, plan_of
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
SHORTEST_WINDOW_MS = 50
TRIAL_S = 0.06
# Of the kernel itself (PERF_TYPE_SOFTWARE), so that a trial has something to count.
_ALWAYS = {"task-clock": Encoding(1, 1)}
LEAST_PART_S = 0.25  # of each group of what runs already, without multiplexing
MOST_DRILLS = 4
Count = Callable[[CountOptions], CollectionEnd]


@dataclass(frozen=True, slots=True)
class Request:
    """What to measure. ``options`` names the target; its output and plan are set here.

    ``level`` None is the default; ``cpu`` takes the place of what the machine says it is.
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
class Taken:
    """A measurement, how its last counting ended, and the recordings it was made of."""

    measurement: Measurement
    outcome: CollectionEnd
    recordings: tuple[Path, ...]


def measure(request: Request, count: Count, roots: Roots = Roots()) -> Taken:  # noqa: B008 - immutable
    """Return the measurement of a request, counted by ``count`` into the request's output.

    Raises UnableError where the machine has no counters or several kinds of cores, UsageError for
    an event that nobody knows, and what the collector raises.
    """
    subject = subject_of(request, roots)
    session = _Session(request, subject, count)
    session.check_names()
    runs = session.runs()
    measurement = measurement_of(runs, interval_ms=request.interval_ms)
    if request.drill:
        measurement = session.drilled(measurement)
    assert session.outcome is not None
    said = (*_cautions(request, subject, roots), *session.said, *measurement.warnings)
    measurement = replace(measurement, warnings=said)
    return Taken(measurement, session.outcome, tuple(session.recordings))


def subject_of(request: Request, roots: Roots) -> Subject:
    """Return the model of the machine's CPU, or of the one named, and how it is counted."""
    pmu = core_pmu(roots)
    model = _model(request.cpu, roots)
    options = request.options
    mode = CountingMode(event_type=pmu.event_type)
    nodes: tuple[str, ...] = ()
    if model is not None:
        mode = counting_mode_of(model, roots, per_process=not (options.system_wide or options.cpus))
        nodes = nodes_down_to(model, min(request.level or DEFAULT_LEVEL, model.deepest))
    return Subject(model, mode, nodes, requested_events(request.events, model, mode))


def window_ms(interval_ms: int | None) -> int:
    """Return how long windows are to be: a whole number of them fills an interval."""
    if interval_ms is None:
        return DEFAULT_WINDOW_MS
    parts = -(-interval_ms // DEFAULT_WINDOW_MS)
    return max(SHORTEST_WINDOW_MS, round(interval_ms / parts))


def _model(cpu: str, roots: Roots) -> Model | None:
    if cpu:
        return model_named(cpu)
    try:
        return model_of_machine(roots)
    except UnableError:
        return None


def _cautions(request: Request, subject: Subject, roots: Roots) -> list[str]:
    """Return what a person must know of how these counts are taken."""
    doubt = None
    if subject.model is not None and not request.cpu:
        doubt = contradiction(roots, subject.model)
    said = [] if doubt is None else [doubt]
    if request.options.cpus and subject.mode.smt:
        lone = lone_siblings(request.options.cpus, roots)
        if lone:
            said.append(
                f"CPUs {', '.join(map(str, lone))} are counted without their core's other thread, "
                "whose slots are part of the core's: name both"
            )
    return said


@dataclass(slots=True)
class _Session:
    """The countings of one request; each has a directory of its own where there are several."""

    request: Request
    subject: Subject
    count: Count
    recordings: list[Path] = field(default_factory=list)
    outcome: CollectionEnd | None = None
    said: list[str] = field(default_factory=list)

    def plan(self, nodes: Iterable[str] | None = None) -> Plan:
        """Return what to count for these nodes, by default those asked for."""
        subject = self.subject
        asked = {each.event: each.encoding for each in subject.asked}
        if subject.model is None:
            return plan_of_unknown(asked)
        return plan_of(
            subject.model,
            subject.mode,
            subject.nodes if nodes is None else nodes,
            asked=asked,
            broken=verification_of(subject.model.key).broken,
        )

    def check_names(self) -> None:
        """Raise UsageError where nobody knows an event that was asked for by name."""
        named = [each for each in self.subject.asked if each.encoding.name]
        if not named:
            return
        events = {each.event: each.encoding for each in named} | _ALWAYS
        sets = tuple(EventSet(name, (name,)) for name in events)
        unknown = self._trial(Plan(sets, events, {})).unknown
        for each in named:
            if each.event in unknown:
                raise unknown_event_error(each.spelling, self.subject.model, unknown[each.event])

    def _trial(self, plan: Plan) -> CountingRun:
        """Return a counting of this very process, so short that it says but what is possible."""
        with tempfile.TemporaryDirectory(prefix="stallscope-") as folder:
            options = CountOptions(
                output=Path(folder) / "trial",
                plan=Path(),
                pids=(os.getpid(),),
                window_ms=SHORTEST_WINDOW_MS,
                duration_s=TRIAL_S,
                user_only=self.request.options.user_only,
            )
            return self._counted(options, plan, self.subject)[0]

    @property
    def _interrupted(self) -> bool:
        """Return whether Ctrl-C ended the last counting: nothing more is to be begun."""
        return self.outcome is not None and self.outcome.interrupted

    def runs(self, nodes: tuple[str, ...] | None = None) -> list[CountingRun]:
        """Return as many countings as were asked for, or until Ctrl-C."""
        found = [self.run(nodes)]
        while len(found) < self.request.runs and not self._interrupted:
            found.append(self.run(nodes))
        if len(found) < self.request.runs:
            self.said.append(f"ended by Ctrl-C after {len(found)} of {self.request.runs} runs")
        return found

    def run(self, nodes: tuple[str, ...] | None = None) -> CountingRun:
        """Return one counting of the target: of all groups by turns, or each by itself."""
        subject = self.subject if nodes is None else replace(self.subject, nodes=nodes, asked=())
        plan = self.plan(nodes)
        if self.request.multiplex:
            return self._recorded(plan, subject)
        groups = self._trial(plan).windows.groups
        if len(groups) < 2:
            return self._recorded(plan, subject)
        if self.request.interval_ms is not None:
            raise UsageError(
                f"-I and --no-multiplex exclude each other here: {len(groups)} groups of events "
                "are counted one after the other, and no interval has them all",
                "leave one of them out, or choose -l 1",
            )
        parts: list[CountingRun] = []
        for group in groups:
            if self._interrupted:
                self.said.append(f"ended by Ctrl-C after {len(parts)} of {len(groups)} groups")
                break
            parts.append(self._recorded(plan.only(group.events), subject, len(groups)))
        return _put_together(plan, parts)

    def _recorded(self, plan: Plan, subject: Subject, parts: int = 1) -> CountingRun:
        """Return one counting that is kept; of a whole that runs on, one of so many parts of it."""
        request = self.request
        duration_s = request.options.duration_s
        if duration_s and not request.options.command:
            duration_s = max(LEAST_PART_S, duration_s / parts)
        output = request.options.output
        if request.runs > 1 or not request.multiplex or request.drill:
            _make(output)
            output = output / f"run-{len(self.recordings) + 1}"
        options = replace(
            request.options,
            output=output,
            window_ms=request.options.window_ms or window_ms(request.interval_ms),
            duration_s=duration_s,
        )
        run, self.outcome = self._counted(options, plan, subject)
        self.recordings.append(output)
        return run

    def _counted(
        self, options: CountOptions, plan: Plan, subject: Subject
    ) -> tuple[CountingRun, CollectionEnd]:
        with tempfile.TemporaryDirectory(prefix="stallscope-") as folder:
            path = Path(folder) / "plan.json"
            write_plan(path, plan, subject)
            outcome = self.count(replace(options, plan=path))
        run = read_counting_run(options.output)
        return replace(run, plan=plan), outcome

    def drilled(self, measurement: Measurement) -> Measurement:
        """Return a measurement with what lies below its marked node, counted by itself."""
        model = self.subject.model
        for _ in range(MOST_DRILLS):
            path = measurement.bottleneck
            nodes = () if model is None or path is None else below(model, measurement, path[-1])
            if not nodes or self._interrupted:
                break
            again = measurement_of(self.runs(nodes))
            deeper = joined(measurement, again)
            if deeper.bottleneck == path:
                return deeper
            measurement = deeper
        return measurement


def _make(folder: Path) -> None:
    """Make the directory of several recordings; UsageError where it is not this user's alone."""
    try:
        with own_directory(folder):
            pass
    except OSError as error:
        raise UsageError(
            f"recordings cannot be put into {folder}: {error}",
            "name a new directory, or one that only you may write to",
        ) from error


def _put_together(plan: Plan, parts: list[CountingRun]) -> CountingRun:
    """Return countings of one group each as one of several groups, none of which took turns."""
    windows = Windows(
        tuple(group for part in parts for group in part.windows.groups),
        sum(part.windows.seconds for part in parts) / len(parts),
    )
    if not windows.groups:
        raise RecordingError("nothing was counted", "see `stallscope doctor`")
    return CountingRun(
        parts[0].subject,
        plan,
        windows,
        absent={name: why for part in parts for name, why in part.absent.items()},
        target=parts[0].target,
        warnings=tuple(dict.fromkeys(text for part in parts for text in part.warnings)),
        separate=True,
    )


def analysed(directory: Path, *, cpu: str = "", interval_ms: int | None = None) -> Measurement:
    """Return the measurement in a recording of counters, made here or on another host."""
    return measurement_of([read_counting_run(directory, cpu=cpu)], interval_ms=interval_ms)
