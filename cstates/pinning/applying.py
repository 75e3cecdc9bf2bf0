"""Applying a plan's changes: each is written once and read back; a failure rolls all back."""

from dataclasses import dataclass

from cstates.pinning.kernel_files import write_value
from cstates.pinning.knobs import KNOBS, Change
from cstates.pinning.restoring import RestoreStatus, restore_changes
from stallscope.errors import UnableError
from stallscope.system_files import Roots


@dataclass(frozen=True, slots=True)
class AppliedChanges:
    """The changes that were made, and notes on those that could not be made."""

    made: tuple[Change, ...] = ()
    notes: tuple[str, ...] = ()


def apply(roots: Roots, changes: tuple[Change, ...]) -> AppliedChanges:
    """Return the changes that were made and those that could not be.

    A CPU that went offline and interrupts that the kernel does not move give a note. Any other
    failure raises UnableError, after all earlier changes were restored.
    """
    made: list[Change] = []
    notes: list[str] = []
    for index, change in enumerate(changes):
        if change.new is None:
            continue
        try:
            after = write_value(roots, change.path, change.new)
        except FileNotFoundError:
            notes.append(f"{change.path} no longer exists: its CPU went offline")
            continue
        except OSError as error:
            reason = error.strerror or str(error)
            if KNOBS[change.knob].tolerant:
                notes.append(f"{change.path} stays {change.old}: {reason}")
                continue
            raise _rolled_back(roots, changes[:index], change, reason) from error
        if after != change.new:
            written = (*changes[:index], Change(change.knob, change.path, change.old, after))
            raise _rolled_back(roots, written, change, f"accepted, but it reads {after!r}")
        made.append(change)
    return AppliedChanges(tuple(made), tuple(notes))


def _rolled_back(
    roots: Roots, written: tuple[Change, ...], failed: Change, reason: str
) -> UnableError:
    settings = restore_changes(roots, written)
    lost = [item.change.path for item in settings if item.status is RestoreStatus.FAILED]
    outcome = (
        f"could not be restored: {', '.join(lost)}" if lost else "all earlier changes were undone"
    )
    return UnableError(
        f"{failed.path}: writing {failed.new!r} failed: {reason}; {outcome}",
        "omit the option that sets it; stallscope pin --dry-run lists what each option sets",
    )
