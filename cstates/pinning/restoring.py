"""Restoring the changes of a pin: only values that still are the pin's, in the kernel's order.

Restoring is idempotent: if it is killed halfway, the next call continues.
"""

import errno
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum

from cstates.pinning.journal import (
    PinJournal,
    boot_id,
    read_journal,
    remove_journal,
    write_journal,
)
from cstates.pinning.kernel_files import is_restorable, read_setting, read_value, write_value
from cstates.pinning.knobs import KNOBS, SettingChange
from stallscope.errors import UsageError
from stallscope.system_files import Roots


class RestoreStatus(StrEnum):
    """The result of restoring one change."""

    RESTORED = "restored"
    ALREADY = "already had its old value"
    FOREIGN = "changed by another program, left unchanged"
    GONE = "does not exist now, as while a CPU is offline"
    FAILED = "could not be restored"


_PENDING = (RestoreStatus.GONE, RestoreStatus.FAILED)
_ABSENT = (errno.ENOENT, errno.ENODEV, errno.ENXIO)


@dataclass(frozen=True, slots=True)
class RestoredSetting:
    """A change and its restore status; ``detail`` is the value read, or why it failed."""

    change: SettingChange
    status: RestoreStatus
    detail: str


def restore_changes(
    roots: Roots, changes: Iterable[SettingChange], reset: frozenset[str] = frozenset()
) -> tuple[RestoredSetting, ...]:
    """Return the result for each change, in the order of restoring.

    ``reset`` are the paths of stored tunables that restoring their governor resets. Rejected
    writes are tried again after all others, since a governor that is restored later may reject
    them.
    """
    latest_first = tuple(changes)[::-1]
    order = sorted(latest_first, key=lambda change: KNOBS[change.knob].restored)
    settings = {change: _restore(roots, change, reset) for change in order}
    for change, setting in settings.items():
        if setting.status is RestoreStatus.FAILED:
            settings[change] = _restore(roots, change, reset)
    return tuple(settings.values())


def _restore(roots: Roots, change: SettingChange, reset: frozenset[str]) -> RestoredSetting:
    try:
        current = read_setting(roots, change.path)
        if current == change.old and is_restorable(roots, change.path):
            return RestoredSetting(change, RestoreStatus.ALREADY, current)
    except OSError as error:
        return _unreadable(change, error)
    if current not in (change.old, change.new) and change.path not in reset:
        return RestoredSetting(change, RestoreStatus.FOREIGN, current)
    # A recorded machine's file is written even if it has the old value: a kill may have left
    # padding after it.
    try:
        after = write_value(roots, change.path, change.old)
    except OSError as error:
        return _unreadable(change, error)
    if after != change.old:
        detail = f"written {change.old!r}, it reads {after!r}"
        return RestoredSetting(change, RestoreStatus.FAILED, detail)
    status = RestoreStatus.ALREADY if current == change.old else RestoreStatus.RESTORED
    return RestoredSetting(change, status, current)


def _unreadable(change: SettingChange, error: OSError) -> RestoredSetting:
    if error.errno in _ABSENT:
        return RestoredSetting(change, RestoreStatus.GONE, "")
    return RestoredSetting(change, RestoreStatus.FAILED, error.strerror or str(error))


def _reset_tunables(roots: Roots, changes: tuple[SettingChange, ...]) -> frozenset[str]:
    """Return the paths of stored tunables that restoring a governor is about to create.

    The kernel removes a governor's tunables with its last policy, and creates them with default
    values if the governor returns. Tunables that exist now keep their values; if these differ from
    the stored ones, another program set them.
    """
    returning = [
        change
        for change in changes
        if change.knob == "governor" and read_value(roots, change.path) == change.new
    ]
    return frozenset(
        change.path
        for change in changes
        if change.knob == "governor-tunable"
        and any(_belongs_to(change.path, governor) for governor in returning)
        and _is_absent(roots, change.path)
    )


def _belongs_to(tunable: str, governor: SettingChange) -> bool:
    """Return whether a tunable is of the governor that a change restores."""
    policy = governor.path.rpartition("/")[0]
    folder = tunable.rpartition("/")[0]
    return folder in (f"{policy}/{governor.old}", f"{policy.rpartition('/')[0]}/{governor.old}")


def _is_absent(roots: Roots, path: str) -> bool:
    try:
        read_setting(roots, path)
    except OSError as error:
        return error.errno in _ABSENT
    return False


@dataclass(frozen=True, slots=True)
class JournalRestore:
    """The result of restoring one journal; the journal of another boot is discarded."""

    settings: tuple[RestoredSetting, ...] = ()
    other_boot: bool = False

    @property
    def pending(self) -> tuple[RestoredSetting, ...]:
        """Return the settings that stay in the journal, to be restored later."""
        return tuple(setting for setting in self.settings if setting.status in _PENDING)

    def with_status(self, status: RestoreStatus) -> tuple[RestoredSetting, ...]:
        """Return the settings with that status."""
        return tuple(setting for setting in self.settings if setting.status is status)


def restore_journal(roots: Roots, folder: int, level: int) -> JournalRestore | None:
    """Return the result of restoring a level's journal; None if there is none.

    The journal is removed, except for settings that could not be read or written, or do not exist
    now; the next call tries these again until the machine reboots. The level's lock must be held.
    Raises UsageError if the journal has other roots.
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
    reset = journal.reset | _reset_tunables(roots, journal.entries)
    if reset != journal.reset:
        # On disk before a governor returns, so that a call after a kill knows why the tunables
        # differ. On a full disk restoring is more important.
        _try_to_write(folder, level, replace(journal, reset=reset))
    restored = JournalRestore(restore_changes(roots, journal.entries, reset))
    pending = {setting.change: setting.status for setting in restored.pending}
    if pending:
        remaining = tuple(change for change in journal.entries if change in pending)
        # The governor of an absent tunable did not return; another program may set both.
        reset = frozenset(
            change.path
            for change in remaining
            if change.path in reset and pending[change] is RestoreStatus.FAILED
        )
        _try_to_write(folder, level, replace(journal, entries=remaining, reset=reset))
    else:
        remove_journal(folder, level)
    return restored


def _try_to_write(folder: int, level: int, journal: PinJournal) -> None:
    """Replace a journal; if that fails, the complete one remains, and restoring is idempotent."""
    with suppress(OSError):
        write_journal(folder, level, journal)


def foreign_changes(roots: Roots, changes: Iterable[SettingChange]) -> tuple[RestoredSetting, ...]:
    """Return the settings that no longer have the pin's value because another program set them."""
    values = ((change, read_value(roots, change.path)) for change in changes)
    return tuple(
        RestoredSetting(change, RestoreStatus.FOREIGN, value)
        for change, value in values
        if value is not None and value != change.new
    )
