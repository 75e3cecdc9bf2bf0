"""Putting back what a pin changed: only what still holds its value, in the order the kernel takes.

Restoring twice is restoring once, so whoever is killed in the middle of it, the next one goes on.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from cstates.pinning.journal import (
    boot_id,
    read_journal,
    remove_journal,
    write_journal,
)
from cstates.pinning.kernel_files import read_value, write_value
from cstates.pinning.knobs import KNOBS, Change
from stallscope.errors import UsageError
from stallscope.system_files import Roots


class Fate(StrEnum):
    """What became of one change when it was put back."""

    RESTORED = "restored"
    ALREADY = "already as before"
    FOREIGN = "changed by somebody else, left alone"
    GONE = "gone, as of a CPU that went offline"
    FAILED = "could not be restored"


@dataclass(frozen=True, slots=True)
class Outcome:
    """One change and what became of it; ``found`` is what it held, or why it failed."""

    change: Change
    fate: Fate
    found: str


def restore(roots: Roots, changes: Iterable[Change]) -> tuple[Outcome, ...]:
    """Return what became of each change, in the order they were put back.

    What is refused is tried again after all others: some settings are refused under a governor
    that is itself put back later.
    """
    latest_first = tuple(changes)[::-1]
    order = sorted(latest_first, key=lambda each: KNOBS[each.knob].restored)
    outcomes = {each: _put_back(roots, each) for each in order}
    for each, outcome in outcomes.items():
        if outcome.fate is Fate.FAILED:
            outcomes[each] = _put_back(roots, each)
    return tuple(outcomes.values())


def _put_back(roots: Roots, change: Change) -> Outcome:
    found = read_value(roots, change.path)
    if found is None:
        return Outcome(change, Fate.GONE, "")
    if found != change.old and change.new is not None and found != change.new:
        return Outcome(change, Fate.FOREIGN, found)
    if found == change.old and roots.is_live:
        return Outcome(change, Fate.ALREADY, found)
    # A recorded machine's file is written even so: a kill may have left newlines behind its value.
    try:
        after = write_value(roots, change.path, change.old)
    except OSError as error:
        gone = isinstance(error, FileNotFoundError)
        return Outcome(change, Fate.GONE if gone else Fate.FAILED, error.strerror or str(error))
    if after != change.old:
        return Outcome(change, Fate.FAILED, f"written {change.old!r}, it reads {after!r}")
    fate = Fate.ALREADY if found == change.old else Fate.RESTORED
    return Outcome(change, fate, found)


@dataclass(frozen=True, slots=True)
class Restored:
    """What putting back one journal did; one of another boot is discarded."""

    outcomes: tuple[Outcome, ...] = ()
    other_boot: bool = False

    def of(self, fate: Fate) -> tuple[Outcome, ...]:
        """Return the outcomes of that fate."""
        return tuple(each for each in self.outcomes if each.fate is fate)


def put_back(roots: Roots, folder: int, level: int) -> Restored | None:
    """Return what putting back a level's journal did; None where there is none.

    The journal goes; what could not be restored stays in it for the next call. The lock of the
    level must be held. Raises UsageError where it was made on other roots.
    """
    journal = read_journal(folder, level)
    if journal is None:
        return None
    if journal.boot_id != boot_id(roots):
        remove_journal(folder, level)
        return Restored(other_boot=True)
    if journal.roots != (str(roots.sys), str(roots.proc)):
        raise UsageError(
            f"the journal is of {journal.roots[0]} and {journal.roots[1]}, not of these roots",
            f"name them: --sysfs-root {journal.roots[0]} --proc-root {journal.roots[1]}",
        )
    restored = Restored(restore(roots, journal.entries))
    failed = {each.change for each in restored.of(Fate.FAILED)}
    if failed:
        left = tuple(each for each in journal.entries if each in failed)
        kept = type(journal)(journal.boot_id, journal.owner, journal.roots, left)
        write_journal(folder, level, kept)
    else:
        remove_journal(folder, level)
    return restored


def foreign_changes(roots: Roots, changes: Iterable[Change]) -> tuple[Outcome, ...]:
    """Return the changes that hold neither our value nor are gone: somebody set them meanwhile."""
    found = ((each, read_value(roots, each.path)) for each in changes)
    return tuple(
        Outcome(each, Fate.FOREIGN, value)
        for each, value in found
        if value is not None and value != each.new
    )
