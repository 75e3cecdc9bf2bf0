"""The rounds of the stages lab: both sides under the same load, in pairs whose order alternates."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

# What a run takes beside its warm-up and duration: both programs' start and end, the keys.
RUN_EXTRA_S = 0.6


class Side(StrEnum):
    """How the server runs a request's steps."""

    UNSTAGED = "unstaged"
    STAGED = "staged"


@dataclass(frozen=True, slots=True)
class Load:
    """How hard the server is driven: as hard as it goes, or at a share of the unstaged capacity."""

    share: float | None = None

    @property
    def name(self) -> str:
        """Return what the load is called in files and documents."""
        return "saturated" if self.share is None else f"open{self.share * 100:.0f}"

    def describe(self) -> str:
        """Return the load as a person names it."""
        return "saturated" if self.share is None else f"open loop at {self.share * 100:.0f} %"


SATURATED = Load()
OPEN_LOADS = (Load(0.3), Load(0.6), Load(0.9))
FIXED_RATE = Load(0.6)  # where the p99 of both sides is compared
NEAR_SATURATION = Load(0.9)


@dataclass(frozen=True, slots=True)
class Turn:
    """One run: of a pair, under a load, on one side."""

    pair: int
    load: Load
    side: Side


@dataclass(frozen=True, slots=True)
class StagesOptions:
    """What the lab is asked for."""

    path: str
    output: Path
    pairs: int = 5
    duration_s: float = 1.5
    warmup_s: float = 0.5
    pipeline: int = 8
    connections: int = 64
    loads: tuple[Load, ...] = OPEN_LOADS
    profile_s: float = 5.0  # of each side; 0: no flame graphs
    replay: bool = True
    max_batch: int | None = None  # of a stage; None: the server's own
    footprint_kb: int | None = None
    stage_kb: int | None = None
    seed: int = 1

    @property
    def run_s(self) -> float:
        """Return what one run takes, about."""
        return self.duration_s + self.warmup_s + RUN_EXTRA_S

    @property
    def rounds_s(self) -> float:
        """Return what all rounds take, about."""
        return 2 * self.pairs * (1 + len(self.loads)) * self.run_s


def turns(pairs: int, loads: Sequence[Load]) -> Iterator[Turn]:
    """Return the runs in their order: pair by pair each load on both sides, in turn the one first.

    What drifts while the lab runs so meets both sides alike.
    """
    for pair in range(pairs):
        for place, load in enumerate(loads):
            sides = (Side.UNSTAGED, Side.STAGED)
            for side in sides if (pair + place) % 2 == 0 else sides[::-1]:
                yield Turn(pair, load, side)
