"""The options of `stallscope cstates record`."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class RecordOptions:
    """What to record, for how long, and where to write it."""

    command: tuple[str, ...]
    duration_s: float | None
    cpus: tuple[int, ...]
    max_intervals: int  # in the trace file
    counters_only: bool
    output: Path
    force: bool
    pictures: tuple[Path, ...] = ()
