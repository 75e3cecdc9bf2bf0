"""Readings of a response curve, measured on a disk with a known answer."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ioprobe.curve.engine_readings import curve_reading
from ioprobe.curve.estimates import CurveEstimates, estimate_curve
from ioprobe.curve.readings import DepthReading, DepthReadings, by_depth
from ioprobe.engine.engine import EngineFacts, Point, PointResult, measure_points
from ioprobe.target.target import DiskTarget

ROUNDS = 8


@dataclass
class Response:
    """The readings at each depth.

    With ``fastest_only`` the fastest reading of a depth counts: a busy machine answers late, but
    never early. This does not hold behind a limiter with time slices, because a window may contain
    one slice more than another.
    """

    fastest_only: bool
    facts: EngineFacts | None = None
    all_readings: list[DepthReading] = field(default_factory=list)

    @property
    def readings(self) -> list[DepthReading]:
        if not self.fastest_only:
            return self.all_readings
        by_speed = sorted(self.all_readings, key=lambda reading: reading.iops)
        return list({reading.depth: reading for reading in by_speed}.values())

    @property
    def depths(self) -> tuple[DepthReadings, ...]:
        return by_depth(self.readings)

    @property
    def estimates(self) -> CurveEstimates:
        estimates = estimate_curve(self.depths, None)
        assert estimates is not None
        return estimates

    @property
    def knee(self) -> float:
        return self.estimates.knee.value


def response(
    target: DiskTarget,
    depths: Sequence[int],
    duration_s: float,
    *,
    knees: tuple[float, float],
    fastest_only: bool = True,
) -> Response:
    """Return the response at some depths, measured again until the knee is in its range.

    More rounds approach the true value, because a disk cannot be faster than it is.
    """
    measured = Response(fastest_only)
    for turn in range(ROUNDS):
        points = [
            Point(str(depth), depth=depth, warmup_s=0.05, duration_s=duration_s, seed=turn + 1)
            for depth in depths
        ]
        for event in measure_points(target, points):
            if isinstance(event, EngineFacts):
                measured.facts = event
            elif isinstance(event, PointResult):
                number = len(measured.all_readings)
                reading = replace(curve_reading(event), number=number, failed=())
                measured.all_readings.append(reading)
        if knees[0] <= measured.knee <= knees[1]:
            break
    return measured
