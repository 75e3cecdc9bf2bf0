"""The options of `stallscope report`."""

from pathlib import Path

from msgspec import Struct

from harness.cli.symbol_places import SymbolPlaces
from harness.profile.period import Period
from stallscope.errors import UsageError
from topdown.waits.weight import Weight


class ReportOptions(Struct, frozen=True):
    """What to show of a recording, and where; the last seven are about profiles only."""

    output: Path | None = None  # of the page; None: the default place
    with_page: bool = True
    as_json: bool = False
    top: int = 15
    lines: int = 0
    inlined: bool = False
    event: str = ""
    weight: Weight | None = None  # None: CPU time, of recordings of waits the states
    period: Period | None = None
    places: SymbolPlaces = SymbolPlaces()
    by_module: bool = False

    def __post_init__(self) -> None:
        """Raise UsageError for options that contradict each other."""
        if self.output is not None and not self.with_page:
            raise UsageError("--no-page and -o exclude each other", "keep one of them")
