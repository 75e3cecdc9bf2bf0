"""The options of `stallscope io queue`."""

from dataclasses import dataclass
from pathlib import Path

from stallscope.errors import UsageError
from stallscope.system_files import Roots


@dataclass(frozen=True, slots=True)
class QueueOptions:
    """The path to explain, and where to write the result."""

    path: Path
    roots: Roots
    interval_s: float | None  # None: no counters and no stalls
    output: Path | None = None
    force: bool = False

    def __post_init__(self) -> None:
        """Raise UsageError for an interval of a recorded machine."""
        if self.interval_s is not None and not self.roots.is_live:
            raise UsageError(
                "--interval needs the live machine: the counters of a recorded one do not change",
                "remove --interval",
            )
