"""The results of `stallscope pin`: a plan, the status of pins, and what was restored."""

from collections.abc import Iterable
from typing import Any, Literal

from cstates.pinning.knobs import KNOBS, KnobVerification, Scope, SettingChange
from cstates.pinning.plan import PinPlan
from cstates.pinning.restoring import JournalRestore, RestoredSetting, RestoreStatus
from cstates.pinning.status import PinnedSetting, PinStatus
from stallscope.documents import Count, Document, Record


class PlannedChange(Record, frozen=True, kw_only=True):
    """A change of one setting; ``path`` is a file, or in process scope a system call."""

    path: str
    old: str
    new: str | None  # None: only stored and restored
    scope: Scope
    knob: str
    verified_by: KnobVerification


class CurrentSetting(PlannedChange, frozen=True, kw_only=True):
    """A change of a pin and its current value; None if it no longer exists."""

    now: str | None
    holds: bool


class RestoredChange(PlannedChange, frozen=True, kw_only=True):
    """A change and the result of restoring it; ``detail`` is the value read, or why it failed."""

    fate: Literal["restored", "already", "foreign", "gone", "failed"]
    detail: str

    @property
    def status(self) -> RestoreStatus:
        """Return the result as a status with its text."""
        return RestoreStatus[self.fate.upper()]


class SkippedSetting(Record, frozen=True, kw_only=True):
    """An option of a profile that this machine does not support."""

    what: str
    why: str


class PinPlanResult(Document, frozen=True, kw_only=True, tag="stallscope.pin/1"):
    """The changes of a pin."""

    cpus: tuple[Count, ...]  # of the command
    siblings: tuple[Count, ...]  # capped together with them
    plan: tuple[PlannedChange, ...]
    kept_tunables: Count  # of the old frequency governor
    partial: bool  # without changes that this user may not make
    left_out: tuple[SkippedSetting, ...]
    warnings: tuple[str, ...]


class Owner(Record, frozen=True, kw_only=True):
    """The process that pinned."""

    pid: Count
    name: str


class ActivePin(Record, frozen=True, kw_only=True):
    """A pin: held by its owner, or left over from an owner that was killed."""

    level: Count  # 0 is the outermost
    owner: Owner
    held: bool
    other_boot: bool
    settings: tuple[CurrentSetting, ...]


class PinStatusResult(Document, frozen=True, kw_only=True, tag="stallscope.pin.status/1"):
    """The pins of a machine, the outermost first."""

    pins: tuple[ActivePin, ...]


class RestoredJournal(Record, frozen=True, kw_only=True):
    """The result of restoring one journal; the journal of another boot is discarded."""

    other_boot: bool
    settings: tuple[RestoredChange, ...]


class PinRestoreResult(Document, frozen=True, kw_only=True, tag="stallscope.pin.restore/1"):
    """The result of restoring the journals of killed pins."""

    journals: tuple[RestoredJournal, ...]


def planned_change(change: SettingChange) -> PlannedChange:
    """Return a change as documents show it."""
    return PlannedChange(**_fields(change))


def _fields(change: SettingChange) -> dict[str, Any]:
    return {
        "path": change.path,
        "old": change.old,
        "new": change.new,
        "scope": change.scope,
        "knob": change.knob,
        "verified_by": KNOBS[change.knob].verified,
    }


def plan_result(plan: PinPlan) -> PinPlanResult:
    """Return the result of a plan."""
    return PinPlanResult(
        cpus=plan.targets.command,
        siblings=tuple(sorted(set(plan.targets.capped) - set(plan.targets.command))),
        plan=tuple(map(planned_change, plan.changes)),
        kept_tunables=sum(change.new is None for change in plan.journaled),
        partial=plan.partial,
        left_out=tuple(
            SkippedSetting(what=skipped.option.value, why=skipped.reason)
            for skipped in plan.skipped
        ),
        warnings=plan.warnings,
    )


def status_result(pins: Iterable[PinStatus]) -> PinStatusResult:
    """Return the result of `stallscope pin status`."""
    return PinStatusResult(
        pins=tuple(
            ActivePin(
                level=pin.level,
                owner=Owner(pid=pin.owner.pid, name=pin.owner.name),
                held=pin.held,
                other_boot=pin.other_boot,
                settings=tuple(map(_current_setting, pin.settings)),
            )
            for pin in pins
        )
    )


def _current_setting(setting: PinnedSetting) -> CurrentSetting:
    return CurrentSetting(**_fields(setting.change), now=setting.now, holds=setting.holds)


def restored_journal(restored: JournalRestore) -> RestoredJournal:
    """Return the result of restoring one journal."""
    return RestoredJournal(
        other_boot=restored.other_boot, settings=tuple(map(_restored_change, restored.settings))
    )


def restore_result(journals: Iterable[JournalRestore]) -> PinRestoreResult:
    """Return the result of `stallscope pin restore`."""
    return PinRestoreResult(journals=tuple(map(restored_journal, journals)))


def _restored_change(setting: RestoredSetting) -> RestoredChange:
    return RestoredChange(
        **_fields(setting.change),
        fate=setting.status.name.lower(),  # type: ignore[arg-type]
        detail=setting.detail,
    )
