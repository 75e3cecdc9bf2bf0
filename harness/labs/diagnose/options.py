"""The options of `stallscope lab diagnose`."""

from dataclasses import dataclass
from pathlib import Path

from stallscope.errors import UsageError

DEFAULT_SECONDS = 2.0
SHORTEST_S, LONGEST_S = 1.0, 600.0
MOST_RUNS = 1000


@dataclass(frozen=True, slots=True)
class DiagnoseLabOptions:
    """``names``: entries to run, all if empty. ``duration_s``: of each recording.

    ``keep``: a new directory for the recordings. ``recorded``: such a directory, to be diagnosed
    again.
    """

    names: tuple[str, ...] = ()
    runs: int = 1
    duration_s: float = DEFAULT_SECONDS
    gate: bool = False
    as_json: bool = False
    keep: Path | None = None
    recorded: Path | None = None

    def __post_init__(self) -> None:
        """Raise UsageError if a number is out of range."""
        if not SHORTEST_S <= self.duration_s <= LONGEST_S:
            raise UsageError(
                f"--seconds {self.duration_s:g} is out of range",
                f"use {SHORTEST_S:g} to {LONGEST_S:g} seconds",
            )
        if not 1 <= self.runs <= MOST_RUNS:
            raise UsageError(f"--runs {self.runs} is out of range", f"use 1 to {MOST_RUNS} runs")
        if self.keep is not None and self.recorded is not None:
            raise UsageError(
                "--output and --recorded exclude each other", "recordings are kept as they are"
            )
        if self.keep is not None and self.keep.exists():
            raise UsageError(f"--output {self.keep} exists", "name a new directory")
        if self.recorded is not None and not self.recorded.is_dir():
            raise UsageError(
                f"--recorded {self.recorded} is not a directory",
                "name a directory that stallscope lab diagnose --output wrote",
            )
