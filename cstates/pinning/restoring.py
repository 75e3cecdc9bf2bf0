"""Restoring the changes of a pin: only values that still are the pin's, in the kernel's order.

Restoring is idempotent: if it is killed halfway, the next call continues.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from cstates.pinning.journal import boot_id, read_journal, remove_journal, write_journal
from cstates.pinning.kernel_files import read_value, write_value
from cstates.pinning.knobs import KNOBS, Change
from stallscope.errors import UsageError
from stallscope.system_files import Roots


class RestoreStatus(StrEnum):
    """The result of restoring one change."""

    RESTORED = "restored"
    ALREADY = "already had its old value"
    FOREIGN = "changed by another program, left unchanged"
    GONE = "no longer exists, as after a CPU went offline"
    FAILED = "could not be restored"


@dataclass(frozen=True, slots=True)
class RestoredSetting:
    """A change and its restore status; ``detail`` is the value found, or why it failed."""

    change: Change
    status: RestoreStatus
    detail: str


def restore_changes(roots: Roots, changes: Iterable[Change]) -> tuple[RestoredSetting, ...]:
    """Return the result for each change, in the order of restoring.

    Rejected writes are tried again after all others, since a governor that is restored later may
    reject them.
    """
    latest_first = tuple(changes)[::-1]
    order = sorted(latest_first, key=lambda change: KNOBS[change.knob].restored)
    settings = {change: _restore(roots, change) for change in order}
    for change, setting in settings.items():
        if setting.status is RestoreStatus.FAILED:
            settings[change] = _restore(roots, change)
    return tuple(settings.values())


def _restore(roots: Roots, change: Change) -> RestoredSetting:
    current = read_value(roots, change.path)
    if current is None:
        return RestoredSetting(change, RestoreStatus.GONE, "")
    if current != change.old and change.new is not None and current != change.new:
        return RestoredSetting(change, RestoreStatus.FOREIGN, current)
    if current == change.old and roots.is_live:
        return RestoredSetting(change, RestoreStatus.ALREADY, current)
    # A recorded machine's file is written even then: a kill may have left padding after its value.
    try:
        after = write_value(roots, change.path, change.old)
    except OSError as error:
        gone = isinstance(error, FileNotFoundError)
        status = RestoreStatus.GONE if gone else RestoreStatus.FAILED
        return RestoredSetting(change, status, error.strerror or str(error))
    if after != change.old:
        detail = f"written {change.old!r}, it reads {after!r}"
        return RestoredSetting(change, RestoreStatus.FAILED, detail)
    status = RestoreStatus.ALREADY if current == change.old else RestoreStatus.RESTORED
    return RestoredSetting(change, status, current)


@dataclass(frozen=True, slots=True)
class JournalRestore:
    """The result of restoring one journal; the journal of another boot is discarded."""

    settings: tuple[RestoredSetting, ...] = ()
    other_boot: bool = False

    def with_status(self, status: RestoreStatus) -> tuple[RestoredSetting, ...]:
        """Return the settings with that status."""
        return tuple(setting for setting in self.settings if setting.status is status)


def restore_journal(roots: Roots, folder: int, level: int) -> JournalRestore | None:
    """Return the result of restoring a level's journal; None if there is none.

    The journal is removed, except for settings that could not be restored, which the next call
    tries again. The level's lock must be held. Raises UsageError if the journal has other roots.
    """
    journal = read_journal(folder, level)
    if journal is None:
        return None
    if journal.boot_id != boot_id(roots):
        remove_journal(folder, level)
        return JournalRestore(other_boot=True)
    if journal.roots != (str(roots.sys), str(roots.proc)):
        raise UsageError(
            f"the journal belongs to {journal.roots[0]} and {journal.roots[1]}, not to these roots",
            f"name them: --sysfs-root {journal.roots[0]} --proc-root {journal.roots[1]}",
        )
    restored = JournalRestore(restore_changes(roots, journal.entries))
    failed = {setting.change for setting in restored.with_status(RestoreStatus.FAILED)}
    if failed:
        remaining = tuple(change for change in journal.entries if change in failed)
        write_journal(folder, level, replace(journal, entries=remaining))
    else:
        remove_journal(folder, level)
    return restored


def foreign_changes(roots: Roots, changes: Iterable[Change]) -> tuple[RestoredSetting, ...]:
    """Return the settings that no longer have the pin's value because another program set them."""
    values = ((change, read_value(roots, change.path)) for change in changes)
    return tuple(
        RestoredSetting(change, RestoreStatus.FOREIGN, value)
        for change, value in values
        if value is not None and value != change.new
    )
