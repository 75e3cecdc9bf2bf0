"""The options of `stallscope profile`."""

from typing import TYPE_CHECKING

from msgspec import Struct

from harness.cli.symbol_places import SymbolPlaces
from harness.profile.period import Period
from stallscope.errors import UsageError
from topdown.waits.weight import Weight

if TYPE_CHECKING:
    from stallscope.collector import CollectorOptions


class AnalysisOptions(Struct, frozen=True):
    """What to analyze in a recording.

    ``lines``: number of hottest addresses for which source lines and inlined functions are looked
    up. ``inlined``: look up inlined functions at all hot addresses. ``event``: name of the event;
    empty: the first event with samples. ``weight``: what a sample weighs.
    ``period``: None: the whole recording. ``by_module``: rank modules too.
    """

    lines: int = 0
    inlined: bool = False
    event: str = ""
    weight: Weight = Weight.CPU
    period: Period | None = None
    places: SymbolPlaces = SymbolPlaces()
    by_module: bool = False

    def __post_init__(self) -> None:
        """Raise UsageError for options that contradict each other."""
        if self.event and self.weight != Weight.CPU:
            raise UsageError(
                f"--event and --weight {self.weight} exclude each other",
                "an event's samples weigh their periods; leave out one of the options",
            )


class ProfileOptions(Struct, frozen=True):
    """What to record and to print.

    ``slots``: count pipeline slots by function. ``locate``: then sample the events of flagged
    nodes. ``top``: number of functions and threads to print.
    """

    collector: "CollectorOptions"
    analysis: AnalysisOptions
    slots: bool
    locate: bool
    top: int
    as_json: bool

    def __post_init__(self) -> None:
        """Raise UsageError for options that contradict each other."""
        if self.locate and not self.slots:
            raise UsageError("--locate needs the nodes that --slots flags", "add --slots")
