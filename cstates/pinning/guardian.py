"""The guardian of a pin: restores the settings after the pinning process was killed.

The guardian ends the process group of the command. It holds the claim's locks together with the
pinning process, so that no other pin begins before it has restored.
"""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from cstates.pinning.claims import PinClaim, end_deeper, restore_deeper
from cstates.pinning.restoring import RestoreStatus, restore_journal
from stallscope.errors import StallscopeError
from stallscope.guardian import Guardian, report, start_guardian
from stallscope.process_group import ProcessGroup
from stallscope.system_files import Roots


def start_pin_guardian(claim: PinClaim, roots: Roots) -> Guardian:
    """Return a guardian of this process's claim; it may not be ready yet."""
    words = [str(word) for word in (claim.level, claim.folder, roots.sys, roots.proc, roots.files)]
    return start_guardian(__name__, words, (claim.folder, *claim.locks))


def clean_up(groups: Sequence[ProcessGroup], words: Sequence[str]) -> None:
    """End the command and restore its settings."""
    level, folder = map(int, words[:2])
    system, proc, files = map(Path, words[2:])
    for group in groups:
        group.kill()
    _restore(Roots(proc, system, files), folder, level)


def _restore(roots: Roots, folder: int, level: int) -> None:
    with suppress(StallscopeError, OSError):  # the settings below are restored in any case
        end_deeper(folder, level)
        restore_deeper(folder, roots, level)
    try:
        restored = restore_journal(roots, folder, level)
    except (StallscopeError, OSError) as error:
        report(f"the pin was killed and could not be restored: {error}")
        return
    if restored is None:
        return
    count = len(restored.with_status(RestoreStatus.RESTORED))
    report(f"the pin was killed; its guardian restored {count} settings")
    for status in (RestoreStatus.FOREIGN, RestoreStatus.GONE, RestoreStatus.FAILED):
        for setting in restored.with_status(status):
            detail = f" ({setting.detail})" if setting.detail else ""
            report(f"{setting.change.path}: {status}{detail}")
