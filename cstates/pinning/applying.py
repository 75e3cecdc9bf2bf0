"""Writing a plan's changes: each by one write, read back; a failure rolls the earlier ones back."""

from dataclasses import dataclass

from cstates.pinning.kernel_files import write_value
from cstates.pinning.knobs import KNOBS, Change
from cstates.pinning.restoring import Fate, restore
from stallscope.errors import UnableError
from stallscope.system_files import Roots


@dataclass(frozen=True, slots=True)
class Applied:
    """What was changed, and what is to be said of what could not be and need not."""

    made: tuple[Change, ...] = ()
    notes: tuple[str, ...] = ()


def apply(roots: Roots, changes: tuple[Change, ...]) -> Applied:
    """Return what was changed and what could not be.

    A CPU that went offline, and interrupts the kernel keeps where they are, are said. Any other
    refusal raises UnableError, after all earlier changes were put back.
    """
    made: list[Change] = []
    notes: list[str] = []
    for index, change in enumerate(changes):
        if change.new is None:
            continue
        try:
            after = write_value(roots, change.path, change.new)
        except FileNotFoundError:
            notes.append(f"{change.path} is gone: its CPU went offline")
            continue
        except OSError as error:
            why = error.strerror or str(error)
            if KNOBS[change.knob].tolerant:
                notes.append(f"{change.path} stays {change.old}: {why}")
                continue
            raise _rolled_back(roots, changes[:index], change, why) from error
        if after != change.new:
            done = (*changes[:index], Change(change.knob, change.path, change.old, after))
            raise _rolled_back(roots, done, change, f"accepted, but it reads {after!r}")
        made.append(change)
    return Applied(tuple(made), tuple(notes))


def _rolled_back(roots: Roots, done: tuple[Change, ...], failed: Change, why: str) -> UnableError:
    outcomes = restore(roots, done)
    lost = [each.change.path for each in outcomes if each.fate is Fate.FAILED]
    back = (
        f"could not be put back: {', '.join(lost)}" if lost else "all earlier changes were undone"
    )
    return UnableError(
        f"{failed.path}: writing {failed.new!r} failed: {why}; {back}",
        "leave out what sets it, or see stallscope pin --dry-run for what each option sets",
    )
