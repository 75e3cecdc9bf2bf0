"""Counters of a process over the measured interval of a load, which the load marks.

With hardware counters: the first level of slots, IPC, the requested events, and software events.
Without: software events, and the reason why the others are unavailable.
"""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from harness.machine_checks.check import Status
from harness.topdown.sources import pmu_check
from stallscope.background_collector import MarkSockets, PhaseCollector, phase_collector
from stallscope.collector import CountOptions
from stallscope.documents import Amount, Number, Record
from stallscope.errors import RecordingError, UnableError
from stallscope.recordings import MANIFEST, read_manifest
from stallscope.system_files import Roots
from topdown.slots.counting.plan import CountingPlan, Encoding, EventSet
from topdown.slots.measurement import Kind, Measurement

if TYPE_CHECKING:
    from topdown.slots.counting.counting_run import CountingRun
    from topdown.slots.counting.plan_file import Subject

# PERF_TYPE_SOFTWARE (linux/perf_event.h): the kernel counts these on every machine.
SOFTWARE = {
    "task-clock": Encoding(1, 1),  # ns of CPU time
    "context-switches": Encoding(1, 3),
    "page-faults": Encoding(1, 2),
    "cpu-migrations": Encoding(1, 4),
}
_NOT_COUNTED = "was never scheduled on a hardware counter in the measured interval"


class EventCount(Record, frozen=True, kw_only=True):
    """The count of an event in the measured interval, or the reason why there is none."""

    event: str
    kind: Kind  # measured or unavailable
    count: Amount | None = None  # scaled for the time in which the event had no counter
    reason: str = ""


class SlotShare(Record, frozen=True, kw_only=True):
    """A category of the first level as a share of all slots; None if it is not known."""

    name: str
    share: Number | None


class PhaseCounts(Record, frozen=True, kw_only=True):
    """The counters of one measured interval."""

    seconds: Amount  # counted
    late_us: Amount  # of start and stop together, after the marks
    events: tuple[EventCount, ...]
    ipc: Number | None
    slots: tuple[SlotShare, ...]
    unavailable: str = ""  # the reason why there are no hardware counters
    warnings: tuple[str, ...] = ()

    def count(self, event: str) -> float | None:
        """Return the count of an event; None without one."""
        return next((item.count for item in self.events if item.event == event), None)


@dataclass(frozen=True, slots=True)
class PhaseEvents:
    """The events to count for every measured interval; the same for all runs of a lab."""

    plan: CountingPlan
    subject: "Subject"
    unavailable: str  # the reason why there are no hardware counters


@dataclass(slots=True)
class PhaseCounting:
    """A counting in progress. The load writes its marks to ``marks``."""

    collector: PhaseCollector
    events: PhaseEvents
    folder: Path
    counts: list[PhaseCounts] = field(default_factory=list)

    @property
    def marks(self) -> int:
        """Return the descriptor that the load inherits."""
        return self.collector.marks.fileno()

    def finish(self) -> list[PhaseCounts]:
        """Return the counts of all phases, after the load has ended."""
        from topdown.slots.counting.counting_run import read_counting_run  # noqa: PLC0415 - numpy

        self.collector.finish()
        run = replace(
            read_counting_run(self.folder), plan=self.events.plan, warnings=self._warnings()
        )
        return [phase_counts(run, number, self.events) for number in range(len(run.phases))]

    def _warnings(self) -> tuple[str, ...]:
        """Return the collector's warnings; the reason of an event without a count is beside it."""
        notices = read_manifest(self.folder / MANIFEST).notices
        return tuple(notice.message for notice in notices if notice.code != "event-unavailable")


def phase_events(names: Sequence[str] = (), roots: Roots = Roots()) -> PhaseEvents:  # noqa: B008 - immutable
    """Return the events to count on this machine. Raises UsageError for an invalid name."""
    from topdown.slots.counting.counting_mode import CountingMode  # noqa: PLC0415 - numpy
    from topdown.slots.counting.plan_file import Subject  # noqa: PLC0415
    from topdown.slots.counting.requested_events import requested_events  # noqa: PLC0415
    from topdown.slots.counting.session import (  # noqa: PLC0415
        CountingRequest,
        plan_of_subject,
        subject_of,
    )

    hardware = [name for name in names if name not in SOFTWARE]
    unavailable = _why_no_counters(roots)
    if unavailable:
        mode = CountingMode()
        subject = Subject(None, mode, (), requested_events(hardware, None, mode))
        encodings = {event.event: event.encoding for event in subject.requested}
        plan = CountingPlan(tuple(EventSet(name, (name,)) for name in encodings), encodings, {})
    else:
        options = CountOptions(output=Path(), plan=Path())
        request = CountingRequest(options, level=1, events=tuple(hardware))
        subject = subject_of(request, roots)
        plan = plan_of_subject(subject)
    sets = (*plan.sets, EventSet("software", tuple(SOFTWARE)))
    plan = CountingPlan(sets, {**plan.events, **SOFTWARE}, plan.uncountable)
    return PhaseEvents(plan, subject, unavailable)


def _why_no_counters(roots: Roots) -> str:
    check = pmu_check(roots)
    if check.status is Status.UNAVAILABLE:
        return check.detail
    from topdown.slots.counting.counting_mode import core_pmu  # noqa: PLC0415 - numpy

    try:
        core_pmu(roots)
    except UnableError as error:  # several kinds of cores
        return error.message
    return ""


@contextmanager
def counted_phases(
    events: PhaseEvents, pids: Sequence[int], sockets: MarkSockets | None = None
) -> Iterator[PhaseCounting]:
    """Yield a counting of processes, whose counters are open and wait for marks.

    ``sockets`` are those of a load that has one of them already.
    """
    from topdown.slots.counting.plan_file import write_plan  # noqa: PLC0415 - numpy

    with tempfile.TemporaryDirectory(prefix="stallscope-") as name:
        folder = Path(name)
        write_plan(folder / "plan.json", events.plan, events.subject)
        options = CountOptions(
            output=folder / "counts",
            plan=folder / "plan.json",
            pids=tuple(pids),
        )
        with phase_collector(options, sockets) as collector:
            yield PhaseCounting(collector, events, folder / "counts")


def phase_counts(run: "CountingRun", number: int, events: PhaseEvents) -> PhaseCounts:
    """Return the counts of one phase of a run."""
    phase = run.phases[number]
    phase_run = run.of_phase(number)
    measurement = None if events.unavailable else _measured(phase_run)
    late_ns = (phase.start_ns - phase.marked_start_ns) + (phase.stop_ns - phase.marked_stop_ns)
    return PhaseCounts(
        seconds=phase.seconds,
        late_us=max(0.0, late_ns / 1e3),
        events=tuple(_event_count(phase_run, name, events) for name in _shown_events(events)),
        ipc=None if measurement is None or measurement.ipc is None else measurement.ipc.value,
        slots=() if measurement is None else _first_level(measurement),
        unavailable=events.unavailable,
        warnings=(*run.warnings, *(() if measurement is None else measurement.warnings)),
    )


def _shown_events(events: PhaseEvents) -> list[str]:
    """Return the events of the result: software, cycles, instructions, requested."""
    model = events.subject.model
    core = ["cycles", "instructions"] if model is None else [model.cycles, model.instructions]
    requested = [event.event for event in events.subject.requested]
    return list(dict.fromkeys([*SOFTWARE, *core, *requested]))


def _event_count(run: "CountingRun", name: str, events: PhaseEvents) -> EventCount:
    reason = run.absent.get(name) or events.plan.uncountable.get(name, "")
    if not reason and name not in events.plan.events:
        reason = events.unavailable
    for group in () if reason else run.windows.groups:
        if name not in group.events:
            continue
        running, enabled = float(group.running.sum()), float(group.enabled.sum())
        count = float(group.counts[:, group.events.index(name)].sum())
        if running > 0:
            return EventCount(event=name, kind=Kind.MEASURED, count=count * enabled / running)
        if enabled == 0:  # the target did not run
            return EventCount(event=name, kind=Kind.MEASURED, count=count)
    return EventCount(event=name, kind=Kind.UNAVAILABLE, reason=reason or f"{name} {_NOT_COUNTED}")


def _measured(run: "CountingRun") -> Measurement | None:
    from topdown.slots.counting.analysis import measurement_of  # noqa: PLC0415 - numpy

    try:
        return measurement_of([run])
    except RecordingError:  # nothing was counted
        return None


def _first_level(measurement: Measurement) -> tuple[SlotShare, ...]:
    return tuple(
        SlotShare(
            name=node.name,
            share=None if node.value is None or node.impossible else node.value / measurement.whole,
        )
        for node in measurement.nodes
        if node.level == 1
    )
