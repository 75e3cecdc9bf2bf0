"""Restores when the one who pinned is killed: what a guardian does then.

"command PID" on its pipe says whom to end. It holds the level's lock along with the wrapper, so
that no other pin begins before it is through.
"""

import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from cstates.pinning.claims import Claim, end_deeper, settle_deeper
from cstates.pinning.restoring import Fate, put_back
from stallscope.errors import StallscopeError
from stallscope.guardian import Guardian, report, start_guardian
from stallscope.system_files import Roots


def start_pin_guardian(claim: Claim, roots: Roots) -> Guardian:
    """Return a guardian of this process's claim; it may not watch yet."""
    words = [str(each) for each in (claim.level, claim.folder, roots.sys, roots.proc, roots.files)]
    return start_guardian(__name__, words, (claim.folder, claim.lock))


def clean_up(messages: Sequence[str], words: Sequence[str]) -> None:
    """End the command and restore."""
    level, folder = map(int, words[:2])
    system, proc, files = map(Path, words[2:])
    for pid in [int(line.split()[1]) for line in messages if line.startswith("command ")]:
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
    _restore(Roots(proc, system, files), folder, level)


def _restore(roots: Roots, folder: int, level: int) -> None:
    try:
        end_deeper(folder, level)
        settle_deeper(folder, roots, level)
        restored = put_back(roots, folder, level)
    except (StallscopeError, OSError) as error:
        report(f"the pin was killed and could not be restored: {error}")
        return
    if restored is None:
        return
    report(f"the pin was killed; its guardian restored {len(restored.of(Fate.RESTORED))} settings")
    for each in (*restored.of(Fate.FOREIGN), *restored.of(Fate.FAILED)):
        report(f"{each.change.path}: {each.fate} ({each.found})")
