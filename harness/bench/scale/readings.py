"""Readings: what one run measured at one count."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from stallscope.documents import LARGEST
from stallscope.errors import RecordingError


@dataclass(frozen=True, slots=True)
class CountMeasurement:
    """One run at a count; ``place`` names it in errors, such as "table.csv:3".

    ``busy``: mean number of busy CPUs or servers, ``demand_s``: their seconds per operation,
    ``response_s``: mean time of an operation. None: not measured.
    """

    count: float
    throughput: float  # operations per second, or a speed-up
    place: str
    response_s: float | None = None
    busy: float | None = None
    demand_s: float | None = None


def check_reading(reading: CountMeasurement) -> CountMeasurement:
    """Return a reading with numbers that a model can use; raises RecordingError."""
    for name, value in (("count", reading.count), ("throughput", reading.throughput)):
        if not 0 < value < LARGEST:  # also NaN
            raise RecordingError(
                f"{reading.place}: {name} {value:g} is not a number above 0",
                "remove the row, or measure it again",
            )
    for name, amount in (
        ("response time", reading.response_s),
        ("busy servers", reading.busy),
        ("demand", reading.demand_s),
    ):
        if amount is not None and not 0 <= amount < LARGEST:
            raise RecordingError(
                f"{reading.place}: {name} {amount:g} is not a number from 0",
                "remove the value, or measure it again",
            )
    return reading


@dataclass(frozen=True, slots=True)
class CountedReadings:
    """All readings of one count."""

    count: float
    readings: tuple[CountMeasurement, ...]

    @property
    def throughputs(self) -> tuple[float, ...]:
        """Return the throughput of every run."""
        return tuple(reading.throughput for reading in self.readings)

    @property
    def response_s(self) -> float | None:
        """Return the mean response time, weighted by throughput; None if it was not measured."""
        pairs = [
            (reading.throughput, reading.response_s)
            for reading in self.readings
            if reading.response_s is not None
        ]
        total = math.fsum(weight for weight, _ in pairs)
        return math.fsum(weight * value for weight, value in pairs) / total if pairs else None

    @property
    def busy(self) -> float | None:
        """Return the median number of busy servers; None if it was not measured."""
        return _median([reading.busy for reading in self.readings])

    @property
    def demand_s(self) -> float | None:
        """Return the median demand; None if it was not measured."""
        return _median([reading.demand_s for reading in self.readings])


def by_count(readings: Sequence[CountMeasurement]) -> tuple[CountedReadings, ...]:
    """Return the readings of each count, in the order of the counts."""
    counts = sorted({reading.count for reading in readings})
    return tuple(
        CountedReadings(count, tuple(reading for reading in readings if reading.count == count))
        for count in counts
    )


def _median(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else None
