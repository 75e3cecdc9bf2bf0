"""Detection of bursts: burst credit that runs out, caches that fill.

Depths are measured in random order, so a level that falls once for all depths is not an effect of
depth. The series of saturated depths are divided by the last throughput of their depth, joined in
the order of measurement, and searched for one change of level.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ioprobe.curve.readings import DepthReading
from ioprobe.curve.steady import Trend, find_level_change

MIN_FALL = 0.15
_SATURATED_SHARE = 0.8  # of the highest throughput among the last readings of all depths
_MASK_REASON = "measured in the burst before the steady state"


@dataclass(frozen=True, slots=True)
class ReadBurst:
    """The faster start of a disk that limits its rate later.

    Readings with a number below ``first_steady`` were measured during the burst.
    ``fall`` is the share of throughput that was lost. If ``within_readings`` is set, each reading
    begins with a burst.
    """

    first_steady: int
    fall: float
    duration_s: float
    within_readings: bool = False

    @property
    def text(self) -> str:
        """Return the finding as a sentence."""
        if self.within_readings:
            return (
                f"each reading starts {1 / (1 - self.fall):.1f} times as fast as it continues: "
                "burst credit refills between readings. The numbers describe the steady state"
            )
        return (
            f"after {self.duration_s:.0f} s of load throughput fell by {self.fall:.0%} and stayed "
            "low: burst credit or a cache. The numbers describe the steady state; readings before "
            "it are masked"
        )


def find_burst(readings: Sequence[DepthReading]) -> ReadBurst | None:
    """Return the burst at the start of the session or of each reading; None if there is none."""
    last_iops = {reading.depth: reading.iops for reading in readings if not reading.failed}
    if not last_iops:
        return None
    floor = _SATURATED_SHARE * max(last_iops.values())
    saturated = [
        reading
        for reading in readings
        if not reading.failed and reading.series and last_iops[reading.depth] >= floor
    ]
    return _session_burst(readings, saturated, last_iops) or _burst_within_readings(saturated)


def _session_burst(
    readings: Sequence[DepthReading],
    saturated: Sequence[DepthReading],
    last_iops: dict[int, float],
) -> ReadBurst | None:
    levels: list[float] = []
    sources: list[DepthReading] = []  # the reading that each level belongs to
    for reading in saturated:
        levels += [value / last_iops[reading.depth] for value in reading.series]
        sources += [reading] * len(reading.series)
    change = find_level_change(levels)
    if change.trend is not Trend.FALLS:
        return None
    fall = 1 - change.after / change.before
    first = sources[change.steps]
    if fall < MIN_FALL or first.number == sources[0].number:
        return None
    # A reading that contains the change belongs to the burst.
    is_split = sources[change.steps - 1].number == first.number
    first_steady = first.number + 1 if is_split else first.number
    duration_s = sum(reading.seconds for reading in readings if reading.number < first_steady)
    return ReadBurst(first_steady, fall, duration_s)


def _burst_within_readings(saturated: Sequence[DepthReading]) -> ReadBurst | None:
    """Return the burst at the beginning of most readings."""
    changes = [find_level_change(reading.series) for reading in saturated]
    falls = [change for change in changes if change.trend is Trend.FALLS]
    if len(falls) < max(3, len(changes) / 2):
        return None
    fall = 1 - sum(change.after for change in falls) / sum(change.before for change in falls)
    return ReadBurst(0, fall, 0.0, within_readings=True) if fall >= MIN_FALL else None


def without_burst(
    readings: Sequence[DepthReading], burst: ReadBurst | None
) -> tuple[DepthReading, ...]:
    """Return the readings; those of the initial burst of the whole measurement are masked."""
    if burst is None:
        return tuple(readings)
    return tuple(
        replace(reading, failed=(*reading.failed, _MASK_REASON))
        if reading.number < burst.first_steady
        else reading
        for reading in readings
    )
