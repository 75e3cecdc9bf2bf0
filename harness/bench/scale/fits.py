"""The two laws fitted to readings."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from harness.bench.scale.options import FIRST_RATE
from harness.bench.scale.readings import CountedReadings
from stallscope.statistics.universal_scalability import ScalabilityFit, fit_amdahl, fit_usl


@dataclass(frozen=True, slots=True)
class Fits:
    """Both laws; None with too few counts."""

    usl: ScalabilityFit | None
    amdahl: ScalabilityFit | None


def fit_laws(points: Sequence[CountedReadings], fixed_rate: float | str | None) -> Fits:
    """Return the laws fitted to the medians of the counts."""
    counts = [point.count for point in points]
    medians = [statistics.median(point.throughputs) for point in points]
    rate = medians[0] / counts[0] if fixed_rate == FIRST_RATE else fixed_rate
    known = rate if isinstance(rate, float) else None
    free = known is None
    return Fits(
        usl=fit_usl(counts, medians, fixed_rate=known) if len(counts) >= 2 + free else None,
        amdahl=fit_amdahl(counts, medians, fixed_rate=known) if len(counts) >= 1 + free else None,
    )
