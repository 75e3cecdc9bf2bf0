"""The pins of a machine: what they set, their owners, and whether they still hold."""

from dataclasses import dataclass
from pathlib import Path

from cstates.pinning.claims import MAX_LEVELS, folder_error, is_locked, run_folder
from cstates.pinning.journal import PinOwner, boot_id, read_journal
from cstates.pinning.kernel_files import read_value
from cstates.pinning.knobs import SettingChange
from stallscope.system_files import Roots


@dataclass(frozen=True, slots=True)
class PinnedSetting:
    """A change of a pin and its current value; None if it no longer exists."""

    change: SettingChange
    now: str | None

    @property
    def holds(self) -> bool:
        """Return whether it still has the pin's value."""
        return self.change.new is None or self.now == self.change.new


@dataclass(frozen=True, slots=True)
class PinStatus:
    """A pin: held by its owner, or left over from an owner that was killed."""

    level: int  # 0 is the outermost
    owner: PinOwner
    held: bool
    other_boot: bool
    settings: tuple[PinnedSetting, ...]


def read_status(roots: Roots, folder: Path) -> tuple[PinStatus, ...]:
    """Return the pins of a machine, the outermost first; nothing is changed.

    Raises UnableError if this user may not read the folder or does not own it.
    """
    try:
        folder.stat()
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise folder_error(folder, error) from error
    pins = []
    with run_folder(folder, roots) as opened:
        for level in range(MAX_LEVELS):
            journal = read_journal(opened, level)
            if journal is None:
                continue
            settings = tuple(
                PinnedSetting(change, read_value(roots, change.path)) for change in journal.entries
            )
            other_boot = journal.boot_id != boot_id(roots)
            held = is_locked(opened, level)
            pins.append(PinStatus(level, journal.owner, held, other_boot, settings))
    return tuple(pins)
