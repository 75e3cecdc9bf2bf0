"""Recordings of counters: what the collector, here or on another host, left in a directory."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from stallscope.errors import RecordingError
from stallscope.json_fields import Fields, read_fields
from stallscope.recordings import MANIFEST, Manifest, read_manifest
from topdown.slots.counting.counting_mode import CountingMode
from topdown.slots.counting.plan import FIELD, Plan, answers, formulas_for
from topdown.slots.counting.plan_file import Subject, read_plan
from topdown.slots.counting.windows import Windows, read_windows
from topdown.slots.counts import PER_CORE, PER_PROCESS
from topdown.slots.detection import model_named
from topdown.slots.model import Model

PLAN = "plan.json"
COUNTERS = "counters.jsonl"
REPEATED = ("event-unavailable", "set-split")  # notices that there may be many of
_NOTHING = "counted nothing, and nothing here says that this CPU has it"


@dataclass(frozen=True, slots=True, eq=False)
class CountingRun:
    """One counting. ``absent`` are events without counts, each with the reason.

    ``unknown`` are those of them that no library knows by name.
    """

    subject: Subject
    plan: Plan
    windows: Windows
    absent: Mapping[str, str] = field(default_factory=dict)
    unknown: Mapping[str, str] = field(default_factory=dict)
    target: str = ""
    warnings: tuple[str, ...] = ()
    separate: bool = False  # whether each group was counted in a run of its own


def is_counters_recording(directory: Path) -> bool:
    """Return whether a directory is a recording of counters."""
    return (directory / MANIFEST).is_file() and (directory / PLAN).exists()


def read_counting_run(directory: Path, *, cpu: str = "") -> CountingRun:
    """Return the counting in a recording's directory; ``cpu`` names its CPU instead.

    RecordingError where it is damaged, or was not made for a tree of slots.
    """
    manifest = read_manifest(directory / MANIFEST)
    plan, subject = read_plan(read_fields(directory / PLAN))
    if subject is None and cpu:
        subject = _subject_of_events(model_named(cpu), plan)
    if subject is None:
        raise RecordingError(
            f"{directory}: its plan does not say of which CPU it is",
            "name the CPU that was counted with --cpu",
        )
    counting = read_fields(directory / MANIFEST).fields("counting")
    windows = read_windows(directory / COUNTERS)
    absent = _absent(counting)
    counted = tuple(group.without(frozenset(absent)) for group in windows.groups)
    return CountingRun(
        subject,
        plan,
        replace(windows, groups=counted),
        absent=absent,
        unknown=_unknown(counting),
        target=manifest.target.describe(),
        warnings=(*_said(manifest), *windows.warnings),
    )


def _subject_of_events(model: Model, plan: Plan) -> Subject:
    """Return what a stranger's plan can be for: the nodes whose events it has, counted so."""
    metrics = frozenset(name for name in plan.events if name.startswith(FIELD))
    estimated = "ebs_mode" in model.variants and all(name in plan.events for name in PER_PROCESS)
    per_core = any(name in plan.events for name in PER_CORE)
    mode = CountingMode(per_core or estimated, estimated and not per_core, metrics)
    formulas = formulas_for(model, mode)
    names = answers(model.key, perf_metrics=mode.perf_metrics)
    nodes = tuple(
        node
        for node in model.nodes
        if all(names[event] in plan.events for event in formulas.events[node])
    )
    return Subject(model, mode, nodes)


def _said(manifest: Manifest) -> tuple[str, ...]:
    said, alike = [], Counter(notice.code for notice in manifest.notices)
    for notice in manifest.notices:
        count = alike.pop(notice.code, 0)
        if notice.code not in REPEATED:
            said.append(notice.message)
        elif count:  # the first of them; nodes say the others' reasons
            others = f" (and {count - 1} others likewise)" if count > 1 else ""
            said.append(notice.message + others)
    if not manifest.complete:
        said.append("the recording was never closed: what was counted up to then is shown")
    return tuple(said)


def _absent(counting: Fields) -> dict[str, str]:
    """Return why events have no count: refused, or nothing where nothing vouches for a zero."""
    reasons = {name: f"{name} {_NOTHING}" for name in counting.texts("unverified_zero")}
    for each in counting.objects("unavailable"):
        remedy = each.text("remedy", "")
        reason = f"{each.text('event')}: {each.text('reason')}"
        reasons[each.text("event")] = f"{reason} ({remedy})" if remedy else reason
    return reasons


def _unknown(counting: Fields) -> dict[str, str]:
    return {
        each.text("event"): each.text("reason")
        for each in counting.objects("unavailable")
        if each.text("cause", "") == "unknown-name"
    }
