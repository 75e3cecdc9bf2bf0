"""Options of `stallscope diff`."""

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
    fail_above: float | None = None  # a share of 0..1
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
