"""Applying a plan's changes: each is written once and read back; the first failure stops."""

from dataclasses import dataclass

from cstates.pinning.kernel_files import write_value
from cstates.pinning.knobs import KNOBS, SettingChange
from stallscope.system_files import Roots


@dataclass(frozen=True, slots=True)
class AppliedChanges:
    """The changes that were made, and notes on those that could not be made."""

    made: tuple[SettingChange, ...] = ()
    notes: tuple[str, ...] = ()


class RejectedChangeError(Exception):
    """A change that the kernel rejected; ``after`` is the value it set instead, or None."""

    def __init__(self, change: SettingChange, reason: str, after: str | None = None) -> None:
        """Store the change, the reason and the value."""
        super().__init__(f"{change.path}: writing {change.new!r} failed: {reason}")
        self.change = change
        self.after = after


def apply(roots: Roots, changes: tuple[SettingChange, ...]) -> AppliedChanges:
    """Return the changes that were made and those that could not be.

    A CPU that went offline and interrupts that the kernel does not move give a note. Any other
    failure raises RejectedChangeError; the caller restores from the journal.
    """
    made: list[SettingChange] = []
    notes: list[str] = []
    for change in changes:
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
            raise RejectedChangeError(change, reason) from error
        if after != change.new:
            raise RejectedChangeError(change, f"accepted, but it reads {after!r}", after)
        made.append(change)
    return AppliedChanges(tuple(made), tuple(notes))
