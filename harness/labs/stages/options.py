"""Options of `stallscope lab stages`, and their values from the command line."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.cli.outputs import default_directory
from harness.labs.stages.plan import OPEN_LOADS, LoadLevel
from harness.workload.options import RUN_OVERHEAD_S
from stallscope.errors import UsageError

_MAX_LOADS = 9
_MAX_PERCENT = 200
_MAX_RATE = 1_000_000_000
_RATE = re.compile(r"\d{1,10}", re.ASCII)


@dataclass(frozen=True, slots=True)
class StagesOptions:
    """Options of the stages lab."""

    path: str
    output: Path
    pairs: int = 5
    duration_s: float = 1.5
    warmup_s: float = 0.5
    pipeline: int = 8
    connections: int = 64
    loads: tuple[LoadLevel, ...] = OPEN_LOADS
    profile_s: float = 5.0  # per side; 0: no flame graphs
    replay: bool = True
    max_batch: int | None = None  # of a stage; None: the server's default
    footprint_kb: int | None = None
    stage_kb: int | None = None
    seed: int = 1
    threads: int = 1  # of the server, and of the loader

    @property
    def run_s(self) -> float:
        """Return the approximate time of one run."""
        return self.duration_s + self.warmup_s + RUN_OVERHEAD_S

    @property
    def rounds_s(self) -> float:
        """Return the approximate time of all rounds."""
        return 2 * self.pairs * (1 + len(self.loads)) * self.run_s


def stages_options(values: dict[str, Any], loads: str, rates: str = "") -> StagesOptions:
    """Return the options from command-line values; raises UsageError for an invalid value."""
    codec_only = [name for name in ("footprint_kb", "stage_kb") if values[name] is not None]
    if codec_only and values["path"] != "codec":
        option = f"--{codec_only[0].replace('_', '-')}"
        raise UsageError(
            f"{option} applies to generated code, which path {values['path']} does not have",
            f"remove {option}, or add --path codec",
        )
    output = values.pop("output") or default_directory(f"stages-{values['path']}")
    return StagesOptions(output=output, loads=open_loads(loads) + fixed_rates(rates), **values)


def open_loads(text: str) -> tuple[LoadLevel, ...]:
    """Return the loads of a list of percentages in ascending order; none for an empty text."""
    words = [word.strip() for word in text.split(",")] if text.strip() else []
    percents = [int(word) for word in words if word.isascii() and word.isdecimal()]
    is_list = len(percents) == len(words) <= _MAX_LOADS
    if not is_list or not all(1 <= percent <= _MAX_PERCENT for percent in percents):
        raise UsageError(
            f"--loads: {text[:80]!r} is not a list of percentages from 1 to {_MAX_PERCENT}",
            "write it as 30,60,90",
        )
    return tuple(LoadLevel(percent / 100) for percent in sorted(set(percents)))


def fixed_rates(text: str) -> tuple[LoadLevel, ...]:
    """Return the loads of a list of requests per second in ascending order; none if empty."""
    words = [word.strip() for word in text.split(",")] if text.strip() else []
    rates = [float(word) for word in words if _RATE.fullmatch(word)]
    is_list = len(rates) == len(words) <= _MAX_LOADS
    if not is_list or not all(1 <= rate <= _MAX_RATE for rate in rates):
        raise UsageError(
            f"--rate: {text[:80]!r} is not a list of requests per second from 1 to {_MAX_RATE:,}",
            "write it as 20000 or 20000,50000",
        )
    return tuple(LoadLevel(rate_per_s=rate) for rate in sorted(set(rates)))
