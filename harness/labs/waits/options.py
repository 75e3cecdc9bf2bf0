"""The options of `stallscope lab waits`."""

from dataclasses import dataclass

from stallscope.errors import UsageError

DEFAULT_DURATION_S = 2.0
SHORTEST_S, LONGEST_S = 0.5, 600.0


@dataclass(frozen=True, slots=True)
class WaitsLabOptions:
    """``names``: programs to run, all if empty. ``duration_s``: of each program and look-alike."""

    names: tuple[str, ...] = ()
    duration_s: float = DEFAULT_DURATION_S
    look_alikes: bool = True
    gate: bool = False
    as_json: bool = False

    def __post_init__(self) -> None:
        """Raise UsageError if the duration is out of range."""
        if not SHORTEST_S <= self.duration_s <= LONGEST_S:
            raise UsageError(
                f"--duration {self.duration_s:g} is out of range",
                f"use {SHORTEST_S:g} to {LONGEST_S:g} seconds",
            )
