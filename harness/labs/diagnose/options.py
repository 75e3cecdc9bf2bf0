"""The options of `stallscope lab diagnose`."""

from dataclasses import dataclass

from stallscope.errors import UsageError

DEFAULT_SECONDS = 2.0
SHORTEST_S, LONGEST_S = 1.0, 600.0
MOST_RUNS = 1000


@dataclass(frozen=True, slots=True)
class DiagnoseLabOptions:
    """``names``: entries to run, all if empty. ``duration_s``: of each recording."""

    names: tuple[str, ...] = ()
    runs: int = 1
    duration_s: float = DEFAULT_SECONDS
    gate: bool = False
    as_json: bool = False

    def __post_init__(self) -> None:
        """Raise UsageError if a number is out of range."""
        if not SHORTEST_S <= self.duration_s <= LONGEST_S:
            raise UsageError(
                f"--seconds {self.duration_s:g} is out of range",
                f"use {SHORTEST_S:g} to {LONGEST_S:g} seconds",
            )
        if not 1 <= self.runs <= MOST_RUNS:
            raise UsageError(f"--runs {self.runs} is out of range", f"use 1 to {MOST_RUNS} runs")
