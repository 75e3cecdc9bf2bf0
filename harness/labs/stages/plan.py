"""The runs of the stages lab: both sides under the same load, in pairs of alternating order."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum


class Side(StrEnum):
    """How the server runs the steps of a request."""

    UNSTAGED = "unstaged"
    STAGED = "staged"


@dataclass(frozen=True, slots=True)
class LoadLevel:
    """A load: saturated, or an open loop at a share of the unstaged capacity or a fixed rate."""

    share: float | None = None
    rate_per_s: float | None = None  # both None: saturated

    @property
    def name(self) -> str:
        """Return the name in files and documents, such as "open60" or "rate20000"."""
        if self.rate_per_s is not None:
            return f"rate{self.rate_per_s:.0f}"
        return "saturated" if self.share is None else f"open{self.share * 100:.0f}"

    @property
    def text(self) -> str:
        """Return the load in words."""
        if self.rate_per_s is not None:
            return f"open loop at {self.rate_per_s:,.0f} requests/s"
        return "saturated" if self.share is None else f"open loop at {self.share * 100:.0f} %"


SATURATED = LoadLevel()
OPEN_LOADS = (LoadLevel(0.3), LoadLevel(0.6), LoadLevel(0.9))
FIXED_RATE = LoadLevel(0.6)  # p99 of both sides is compared at this rate
NEAR_SATURATION = LoadLevel(0.9)


@dataclass(frozen=True, slots=True)
class StagesRun:
    """One run of a pair."""

    pair: int  # from 0
    load: LoadLevel
    side: Side


def run_order(pairs: int, loads: Sequence[LoadLevel]) -> Iterator[StagesRun]:
    """Yield the runs: pair by pair every load on both sides; the first side alternates.

    Drift of the machine thus affects both sides equally.
    """
    for pair in range(pairs):
        for index, load in enumerate(loads):
            sides = (Side.UNSTAGED, Side.STAGED)
            for side in sides if (pair + index) % 2 == 0 else sides[::-1]:
                yield StagesRun(pair, load, side)
