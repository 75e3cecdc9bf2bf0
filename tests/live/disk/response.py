"""Points of a response curve, measured on a known disk, as the estimators take them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ioprobe.curve.estimates import CurveEstimates, estimate_curve
from ioprobe.curve.readings import DepthReading, DepthReadings, by_depth
from ioprobe.engine.engine import EngineFacts, Point, PointResult, measure_points
from ioprobe.engine.runner import reading_of
from ioprobe.target.target import Target

ROUNDS = 8


@dataclass
class Response:
    """What was measured at each depth.

    Of ``fastest_only`` the best counts: a busy machine answers late, it never answers early. Behind
    a limiter by slices that does not hold, as a window may have met one slice more than another.
    """

    fastest_only: bool
    begun: EngineFacts | None = None
    measured: list[DepthReading] = field(default_factory=list)

    @property
    def readings(self) -> list[DepthReading]:
        if not self.fastest_only:
            return self.measured
        return list({one.depth: one for one in sorted(self.measured, key=speed)}.values())

    @property
    def depths(self) -> tuple[DepthReadings, ...]:
        return by_depth(self.readings)

    @property
    def estimate_curve(self) -> CurveEstimates:
        found = estimate_curve(self.depths, None)
        assert found is not None
        return found

    @property
    def knee(self) -> float:
        return self.estimates.knee.value


def speed(one: DepthReading) -> float:
    return one.iops


def response(
    target: Target,
    depths: Sequence[int],
    duration_s: float,
    *,
    knees: tuple[float, float],
    fastest_only: bool = True,
) -> Response:
    """The response at some depths; measured again while the knee is not where it is expected.

    More rounds come nearer to the truth, not to what is expected: a disk cannot be faster than it is.
    """
    found = Response(fastest_only)
    for turn in range(ROUNDS):
        points = [
            Point(str(depth), depth=depth, warmup_s=0.05, duration_s=duration_s, seed=turn + 1)
            for depth in depths
        ]
        for event in measure_points(target, points):
            if isinstance(event, EngineFacts):
                found.begun = event
            elif isinstance(event, PointResult):
                one = replace(reading_of(event), number=len(found.measured), failed=())
                found.measured.append(one)
        if knees[0] <= found.knee <= knees[1]:
            break
    return found
