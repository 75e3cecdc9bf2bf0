"""Options of `stallscope diff`."""

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from harness.cli.symbol_places import DEFAULT_PLACES, SymbolPlaces
from stallscope.errors import UsageError


class Basis(StrEnum):
    """What values are divided by."""

    SAMPLES = "samples"  # all samples: shares of 0..1
    TIME = "time"  # the recording's duration: busy CPUs
    REQUEST = "request"  # requests, or other units of work: seconds per request


@dataclass(frozen=True, slots=True)
class DiffOptions:
    """Two recordings, and how they are compared."""

    before: Path
    after: Path
    basis: Basis = Basis.SAMPLES
    work: tuple[float, float] | None = None  # requests of both, for Basis.REQUEST
    fail_above: float | None = None  # a relative or absolute share, see parse_share
    force: bool = False
    output: Path | None = None
    limit: int = 30  # rows of the text
    event: str = ""
    places: SymbolPlaces = DEFAULT_PLACES  # of debug files

    def __post_init__(self) -> None:
        """Raise UsageError for options that contradict each other."""
        if self.work is not None and self.basis is not Basis.REQUEST:
            raise UsageError("--work needs --per request", "add --per request")
        if self.basis is Basis.REQUEST and self.work is None:
            raise UsageError(
                "--per request needs the number of requests of both recordings",
                "for example --per request --work 120000 118000",
            )


def parse_share(text: str | None) -> float | None:
    """Return a share of 0..1 from "2%" or "0.02". Raises UsageError."""
    if text is None:
        return None
    match = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)\s*(%?)", text.strip())
    value = float(match[1]) / (100 if match[2] else 1) if match else -1.0
    if not 0 <= value <= 1:
        raise UsageError(
            f"--fail-above {text[:80]}: expected a share", "for example --fail-above 1%"
        )
    return value
