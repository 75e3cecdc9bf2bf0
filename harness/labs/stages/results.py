"""What the stages lab found: every run's reading, and what follows from pairs of them."""

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cstates.fingerprint import Fingerprint
from harness.labs.stages.plan import Load, Side, StagesOptions, Turn
from harness.labs.verdict import lab_estimate
from harness.workload.cores import Cores
from stallscope.statistics.estimate import Estimate
from stallscope.statistics.pairs import paired_ratios


@dataclass(frozen=True, slots=True)
class Reading:
    """One run: what the loader measured, and what the server took for it.

    Times in microseconds; None where it was not measured.
    """

    turn: Turn
    rate_asked: float | None
    throughput: float  # replies a second
    p50_us: float | None
    p90_us: float | None
    p99_us: float | None
    p999_us: float | None
    cpu_us: float | None  # of the server, a request
    average_batch: float | None  # of the stages; None unstaged
    errors: int
    limited_by: str  # why the loader was the limit; empty where it was not
    folder: Path  # with its interval logs


@dataclass(frozen=True, slots=True)
class Replayed:
    """Callgrind's counts of the same requests on one side, batched as they were natively."""

    icache_miss_ratio: float  # misses of the simulated I1 a fetch
    instructions_per_request: float


@dataclass(frozen=True, slots=True)
class Replays:
    """The replays of both sides, or why there are none."""

    unstaged: Replayed | None
    staged: Replayed | None
    model: str  # of the simulated cache
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class Slots:
    """What counters say of one side under saturation; ``values`` are shares of slots, and IPC."""

    values: dict[str, float | None]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SlotsFound:
    """Both sides' counters, or why they were not read."""

    sides: dict[Side, Slots]
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class StagesResults:
    """All that was found."""

    options: StagesOptions
    cores: Cores
    readings: tuple[Reading, ...]
    capacity_per_s: float | None  # median of the unstaged saturated rounds
    replays: Replays
    slots: SlotsFound
    profiles: dict[Side, Path]  # each a recording
    profiles_why_not: str
    interrupted: bool
    settings: Fingerprint | None = None  # of the machine; None: not looked at

    def values(
        self, load: Load, side: Side, pick: Callable[[Reading], float | None]
    ) -> list[float | None]:
        """Return a quantity of each complete pair under a load on one side, in the pairs' order."""
        pairs = self._complete(load)
        found = {each.turn.pair: pick(each) for each in self._of(load, side)}
        return [found[pair] for pair in pairs]

    def estimate(self, load: Load, side: Side, pick: Callable[[Reading], float | None]) -> Estimate:
        """Return the median of a quantity over the pairs."""
        return lab_estimate([value for value in self.values(load, side, pick) if value is not None])

    def ratio(self, load: Load, pick: Callable[[Reading], float | None]) -> Estimate:
        """Return staged over unstaged, pair by pair, with its interval."""
        staged, unstaged = (self.values(load, side, pick) for side in (Side.STAGED, Side.UNSTAGED))
        return lab_estimate(paired_ratios(staged, unstaged))

    def complete_pairs(self, load: Load) -> int:
        """Return how many pairs have both sides under a load."""
        return len(self._complete(load))

    def _of(self, load: Load, side: Side) -> list[Reading]:
        return [each for each in self.readings if (each.turn.load, each.turn.side) == (load, side)]

    def _complete(self, load: Load) -> list[int]:
        sides = [{each.turn.pair for each in self._of(load, side)} for side in Side]
        return sorted(sides[0] & sides[1])


def capacity(readings: list[Reading]) -> float | None:
    """Return the median throughput of unstaged readings; None without one."""
    rates = [each.throughput for each in readings if each.turn.side is Side.UNSTAGED]
    return statistics.median(rates) if rates else None
