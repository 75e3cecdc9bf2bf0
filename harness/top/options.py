"""Validated options of `stallscope top`."""

from dataclasses import dataclass
from pathlib import Path

from harness.cli.symbol_places import DEFAULT_PLACES, SymbolPlaces
from stallscope.errors import TargetError, UsageError
from stallscope.system_files import Roots


@dataclass(frozen=True, slots=True)
class TopOptions:
    """What to watch. ``pid``: None for the whole machine. ``functions_s``: 0 records nothing.

    ``places``: of debug files.
    """

    pid: int | None
    interval_s: float
    functions_s: float
    once: bool
    as_json: bool
    directory: Path
    places: SymbolPlaces = DEFAULT_PLACES


def check_target(pid: int | None, roots: Roots) -> None:
    """Raise TargetError if the process does not exist, UsageError if the id is not positive."""
    if pid is None:
        return
    if pid <= 0:
        raise UsageError(f"{pid} is not a process id", "stallscope top -p $(pidof -s NAME)")
    if not (roots.proc / str(pid)).is_dir():
        raise TargetError(f"process {pid} does not exist", "pgrep -a NAME lists processes by name")
