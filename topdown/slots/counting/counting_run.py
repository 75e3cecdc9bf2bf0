"""Counting runs, read from recordings of the collector on this host or another one."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from stallscope.documents import Count, Record, read_document
from stallscope.errors import RecordingError
from stallscope.recordings import MANIFEST, Manifest, read_manifest
from topdown.slots.counting.counting_mode import CountingMode
from topdown.slots.counting.plan import FIELD, CountingPlan, counted_names, formulas_for
from topdown.slots.counting.plan_file import Subject, read_plan
from topdown.slots.counting.windows import Windows, read_windows
from topdown.slots.counts import PER_CORE, PER_PROCESS
from topdown.slots.detection import model_named
from topdown.slots.model import Model

PLAN = "plan.json"
COUNTERS = "counters.jsonl"
REPEATED = ("event-unavailable", "set-split")  # notices that may occur many times
_ZERO = "counted 0, and it is not certain that this CPU has this event"


class CountedGroup(Record, frozen=True, kw_only=True):
    """Events that were counted at the same time; without a run they never had counters."""

    group: Count
    events: tuple[str, ...] = ()
    ran: bool = True


class CountedSet(Record, frozen=True, kw_only=True):
    """The groups with the events of a set of the plan."""

    name: str
    groups: tuple[Count, ...] = ()
    split: bool = False  # the events do not fit into one group


class UnavailableEvent(Record, frozen=True):
    """An event that could not be counted."""

    event: str
    reason: str
    remedy: str = ""
    cause: str = ""  # "refused", "unknown-name", "absent", "user-scope" or "held"
    errno: str | None = None


class CountedPhase(Record, frozen=True, kw_only=True):
    """A phase that a load marked: times of the marks and of the changes, on the monotonic clock."""

    marked_start_ns: Count
    start_ns: Count
    marked_stop_ns: Count
    stop_ns: Count
    window: Count = 0  # read at the end

    @property
    def seconds(self) -> float:
        """Return the length of the counted time."""
        return max(0, self.stop_ns - self.start_ns) * 1e-9


class CountingRecord(Record, frozen=True):
    """The part of a manifest about counting.

    ``unverified_zero``: events that counted 0 and that the CPU may not have.
    """

    window_ns: Count | None = None
    groups: tuple[CountedGroup, ...] = ()
    sets: tuple[CountedSet, ...] = ()
    unavailable: tuple[UnavailableEvent, ...] = ()
    phases: tuple[CountedPhase, ...] = ()  # empty: everything was counted
    unverified_zero: tuple[str, ...] = ()


class _CountingManifest(Record, frozen=True):
    """The part of a manifest about counting."""

    counting: CountingRecord | None = None


@dataclass(frozen=True, slots=True, eq=False)
class CountingRun:
    """A counting run. ``absent`` holds the reasons of events without counts.

    ``unknown`` are those of them with an unknown name.
    """

    subject: Subject
    plan: CountingPlan
    windows: Windows
    absent: Mapping[str, str] = field(default_factory=dict)
    unknown: Mapping[str, str] = field(default_factory=dict)
    target: str = ""
    warnings: tuple[str, ...] = ()
    separate: bool = False  # each group was counted in a separate run
    phases: tuple[CountedPhase, ...] = ()  # empty: everything was counted

    def of_phase(self, number: int) -> "CountingRun":
        """Return the part of the run in one phase."""
        first_ns = self.phases[0].marked_start_ns
        starts_s = [(phase.start_ns - first_ns) * 1e-9 for phase in self.phases]
        low_s = starts_s[number]
        high_s = starts_s[number + 1] if number + 1 < len(starts_s) else float("inf")
        groups = tuple(
            group.part(((group.end_s >= low_s) & (group.end_s < high_s)).nonzero()[0])
            for group in self.windows.groups
        )
        windows = replace(self.windows, groups=groups, seconds=self.phases[number].seconds)
        return replace(self, windows=windows)


def is_counters_recording(directory: Path) -> bool:
    """Return whether a directory is a recording of counters."""
    return (directory / MANIFEST).is_file() and (directory / PLAN).exists()


def read_counting_run(directory: Path, *, cpu: str = "") -> CountingRun:
    """Return the run in a recording's directory; ``cpu`` names its CPU if the plan does not.

    Raises RecordingError if it is damaged, or was not made for a tree of slots.
    """
    manifest = read_manifest(directory / MANIFEST)
    plan, subject = read_plan(directory / PLAN)
    if subject is None and cpu:
        subject = _subject_of_events(model_named(cpu), plan)
    if subject is None:
        raise RecordingError(
            f"{directory}: the plan does not name its CPU",
            "name the CPU that was counted with --cpu",
        )
    counting = read_document(directory / MANIFEST, _CountingManifest).counting or CountingRecord()
    windows = read_windows(directory / COUNTERS)
    absent = _absent(counting)
    groups = tuple(group.without(frozenset(absent)) for group in windows.groups)
    return CountingRun(
        subject,
        plan,
        replace(windows, groups=groups),
        absent=absent,
        unknown=_unknown(counting),
        target=manifest.target.describe(),
        warnings=(*_notices(manifest), *windows.warnings),
        phases=counting.phases,
    )


def _subject_of_events(model: Model, plan: CountingPlan) -> Subject:
    """Return the nodes that a plan without a subject can measure, and its counting mode."""
    metrics = frozenset(name for name in plan.events if name.startswith(FIELD))
    estimated = "ebs_mode" in model.variants and all(name in plan.events for name in PER_PROCESS)
    per_core = any(name in plan.events for name in PER_CORE)
    mode = CountingMode(per_core or estimated, estimated and not per_core, metrics)
    formulas = formulas_for(model, mode)
    names = counted_names(model.key, perf_metrics=mode.perf_metrics)
    nodes = tuple(
        node
        for node in model.nodes
        if all(names[event] in plan.events for event in formulas.events[node])
    )
    return Subject(model, mode, nodes)


def _notices(manifest: Manifest) -> tuple[str, ...]:
    texts, by_code = [], Counter(notice.code for notice in manifest.notices)
    for notice in manifest.notices:
        count = by_code.pop(notice.code, 0)
        if notice.code not in REPEATED:
            texts.append(notice.message)
        elif count:  # the first one; nodes contain the reasons of the others
            others = f" (and {count - 1} more)" if count > 1 else ""
            texts.append(notice.message + others)
    if not manifest.complete:
        texts.append("the recording was not closed: counts end where it was cut off")
    return tuple(texts)


def _absent(counting: CountingRecord) -> dict[str, str]:
    """Return the reasons of missing counts: refused events, and zeros that may be unsupported."""
    reasons = {name: f"{name} {_ZERO}" for name in counting.unverified_zero}
    for unavailable in counting.unavailable:
        reason = f"{unavailable.event}: {unavailable.reason}"
        remedy = f" ({unavailable.remedy})" if unavailable.remedy else ""
        reasons[unavailable.event] = reason + remedy
    return reasons


def _unknown(counting: CountingRecord) -> dict[str, str]:
    return {
        unavailable.event: unavailable.reason
        for unavailable in counting.unavailable
        if unavailable.cause == "unknown-name"
    }
