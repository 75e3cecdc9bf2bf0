"""What is pinned now, by whom, and whether it still holds."""

from dataclasses import dataclass
from pathlib import Path

from cstates.pinning.claims import MOST_LEVELS, closed_folder, held, run_folder
from cstates.pinning.journal import Owner, boot_id, read_journal
from cstates.pinning.kernel_files import read_value
from cstates.pinning.knobs import Change
from stallscope.system_files import Roots


@dataclass(frozen=True, slots=True)
class Setting:
    """One change of a pin, and what it reads now; None where it is gone."""

    change: Change
    now: str | None

    @property
    def holds(self) -> bool:
        """Return whether it still has the pin's value."""
        return self.change.new is None or self.now == self.change.new


@dataclass(frozen=True, slots=True)
class PinStatus:
    """One pin: held by its owner, or left over by one that was killed."""

    level: int  # 0 the outermost
    owner: Owner
    held: bool
    other_boot: bool
    settings: tuple[Setting, ...]


def read_status(roots: Roots, folder: Path) -> tuple[PinStatus, ...]:
    """Return the pins of a machine, the outermost first; nothing is changed.

    Raises UnableError where the folder is closed to this user, or is somebody else's.
    """
    try:
        folder.stat()
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise closed_folder(folder, error) from error
    found = []
    with run_folder(folder, roots) as opened:
        for level in range(MOST_LEVELS):
            journal = read_journal(opened, level)
            if journal is None:
                continue
            settings = tuple(
                Setting(each, read_value(roots, each.path)) for each in journal.entries
            )
            other = journal.boot_id != boot_id(roots)
            found.append(PinStatus(level, journal.owner, held(opened, level), other, settings))
    return tuple(found)
