"""The options of `stallscope io watch`."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """The devices (all if empty) and processes (all if empty) to watch, and where to record."""

    devices: tuple[str, ...]
    pids: tuple[int, ...]
    duration_s: float | None  # None: until Ctrl-C
    output: Path | None
    force: bool
