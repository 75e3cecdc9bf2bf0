"""The measurements of the stages lab: readings of all runs, replays, slots, profiles."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cstates.fingerprint import Fingerprint
from harness.labs.stages.options import StagesOptions
from harness.labs.stages.plan import FIXED_RATE, LoadLevel, Side, StagesRun
from harness.labs.verdict import lab_estimate
from harness.topdown.phase_counts import PhaseCounts
from harness.workload.cores import Cores
from harness.workload.server_queries import StageCounts
from stallscope.statistics.estimate import Estimate
from stallscope.statistics.pairs import paired_ratios
from topdown.slots.measurement import Measurement


@dataclass(frozen=True, slots=True)
class IntervalP99:
    """p99 of one interval of a run's log; times in seconds of CLOCK_REALTIME."""

    start_s: float
    length_s: float
    p99_us: float


@dataclass(frozen=True, slots=True)
class StagesReading:
    """One run: the loader's latencies and the server's CPU time; None if not measured."""

    run: StagesRun
    requested_rate_per_s: float | None
    throughput_per_s: float  # replies
    mean_us: float | None
    p50_us: float | None
    p90_us: float | None
    p95_us: float | None
    p99_us: float | None
    p999_us: float | None
    cpu_us: float | None  # of the server, per request
    average_batch: float | None  # over all stages; None if unstaged
    errors: int
    loader_limit: str  # the reason if the loader was the bottleneck, else empty
    folder: Path  # with the interval logs
    started_at_s: float = 0.0  # of the measured time, CLOCK_REALTIME
    stages: dict[str, StageCounts] = field(default_factory=dict)  # by name; empty if unstaged
    p99_over_time: tuple[IntervalP99, ...] = ()


@dataclass(frozen=True, slots=True)
class SideReplay:
    """Callgrind's counts for one side; requests are batched as in the native run."""

    icache_miss_ratio: float  # misses of the simulated I1 per fetch
    instructions_per_request: float


@dataclass(frozen=True, slots=True)
class Replays:
    """The replays of both sides, or the reason why there are none."""

    unstaged: SideReplay | None
    staged: SideReplay | None
    model: str  # of the simulated cache
    unavailable: str = ""


@dataclass(frozen=True, slots=True)
class SlotTrees:
    """The slots of both sides, counted under saturation or modelled, or why there are none.

    ``icache_miss_ratio`` is counted: misses of the level-1 instruction cache per access.
    """

    sides: dict[Side, Measurement]
    unavailable: str = ""
    icache_miss_ratio: dict[Side, float | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SideProfiles:
    """The recording of each side, or the reason why there are none."""

    recordings: dict[Side, Path]
    unavailable: str = ""


StagesQuantity = Callable[[StagesReading], float | None]


@dataclass(frozen=True, slots=True)
class StagesMeasurement:
    """All measurements of the lab."""

    options: StagesOptions
    cores: Cores
    readings: tuple[StagesReading, ...]
    capacity_per_s: float | None  # median of the unstaged saturated rounds
    replays: Replays
    slots: SlotTrees
    profiles: SideProfiles
    interrupted: bool
    counters: Mapping[Side, PhaseCounts] = field(default_factory=dict)  # of the measured time
    settings: Fingerprint | None = None  # of the machine; None: not read

    def values(self, load: LoadLevel, side: Side, quantity: StagesQuantity) -> list[float | None]:
        """Return a quantity under a load on one side, for every complete pair in order."""
        value_by_pair = {
            reading.run.pair: quantity(reading) for reading in self._readings(load, side)
        }
        return [value_by_pair[pair] for pair in self._complete_pairs(load)]

    def estimate(self, load: LoadLevel, side: Side, quantity: StagesQuantity) -> Estimate:
        """Return the median of a quantity over the complete pairs."""
        return lab_estimate(self.values(load, side, quantity))

    def ratio(self, load: LoadLevel, quantity: StagesQuantity) -> Estimate:
        """Return the median over the pairs of staged divided by unstaged."""
        staged, unstaged = (
            self.values(load, side, quantity) for side in (Side.STAGED, Side.UNSTAGED)
        )
        return lab_estimate(paired_ratios(staged, unstaged))

    @property
    def fixed_load(self) -> LoadLevel:
        """Return the load of the p99 ratio: 60 % of the capacity, else the first fixed rate."""
        rates = [load for load in self.options.loads if load.rate_per_s is not None]
        if FIXED_RATE in self.options.loads or not rates:
            return FIXED_RATE
        return rates[0]

    def complete_pairs(self, load: LoadLevel) -> int:
        """Return the number of pairs with both sides under a load."""
        return len(self._complete_pairs(load))

    def _readings(self, load: LoadLevel, side: Side) -> list[StagesReading]:
        return [
            reading
            for reading in self.readings
            if (reading.run.load, reading.run.side) == (load, side)
        ]

    def _complete_pairs(self, load: LoadLevel) -> list[int]:
        sides = [{reading.run.pair for reading in self._readings(load, side)} for side in Side]
        return sorted(sides[0] & sides[1])


def capacity_per_s(readings: Sequence[StagesReading]) -> float | None:
    """Return the median throughput of the unstaged readings; None without one."""
    rates = [reading.throughput_per_s for reading in readings if reading.run.side is Side.UNSTAGED]
    return statistics.median(rates) if rates else None
