"""Verdicts on curves of simulated disks."""

import math
from dataclasses import replace

import pytest
from msgspec import structs

from ioprobe.curve.measurement import measure_curve
from ioprobe.curve.plan import CurvePlan
from ioprobe.curve.readings import DepthReading
from ioprobe.curve.verdicts import CurveVerdict, RequestLimit
from ioprobe.engine.points import Latency
from tests.ioprobe.curve.curves import curve, silent
from tests.ioprobe.server_model import ServerModel, buckets_of, latency_of


@pytest.mark.parametrize("servers", [1, 2, 3, 4, 8, 12, 16, 32, 60])
@pytest.mark.parametrize("exponential", [False, True])
def test_the_knee_is_at_the_number_of_parallel_servers(servers: int, exponential: bool) -> None:
    # With a service time of 20 us throughput has an error below half a percent.
    result = curve(ServerModel(servers, 20e-6, exponential))
    assert result.estimates is not None
    knee = result.estimates.knee
    assert math.ceil(0.95 * servers) <= knee.value <= 1.1 * servers + 1
    assert knee.low <= knee.value <= knee.high
    assert result.estimates.saturation_depth is not None
    assert result.estimates.saturation_depth.value == pytest.approx(servers, rel=0.05)
    assert result.estimates.max_iops.value == pytest.approx(servers / 20e-6, rel=0.02)
    assert result.estimates.knee_reached
    assert result.findings[0].verdict is CurveVerdict.CLEAR_KNEE


def test_a_curve_without_accepted_readings_has_no_verdict() -> None:
    result = curve(ServerModel(8, alter=lambda reading: replace(reading, failed=("a check",))))
    assert result.estimates is None
    assert result.findings[0].verdict is CurveVerdict.NONE


def limited(reading: DepthReading) -> DepthReading:
    """2,000 per second in slices of 100 ms: 199 requests pass at once, one waits."""
    times = [0.1e6] * 199 + [80e6 * reading.depth]
    return replace(reading, iops=2000.0, series=(2000.0,) * 10, latency=latency_of(times),
                   buckets=buckets_of(times))  # fmt: skip


def test_a_rate_limiter_is_recognized_and_depth_1_recommended() -> None:
    result = curve(ServerModel(8, alter=limited))
    assert result.estimates is not None
    assert result.estimates.knee.value == 1
    assert result.findings[0].verdict is CurveVerdict.RATE_LIMITER


def test_a_single_server_is_not_taken_for_a_rate_limiter() -> None:
    for exponential in (False, True):
        result = curve(ServerModel(1, 20e-6, exponential))
        assert result.findings[0].verdict is CurveVerdict.CLEAR_KNEE


def test_cpu_delay_is_the_first_finding() -> None:
    def noisy(reading: DepthReading) -> DepthReading:
        return replace(reading, cpu_delay_share=0.3) if reading.number % 2 else reading

    result = curve(ServerModel(8, alter=noisy))
    assert result.findings[0].verdict is CurveVerdict.CPU_NOISY
    assert result.findings[1].verdict is CurveVerdict.CLEAR_KNEE


@pytest.mark.parametrize(
    ("limit", "verdict", "words"),
    [
        (RequestLimit("tags", 128), CurveVerdict.HIDDEN_LIMIT, "although the limit tags is 128"),
        (
            RequestLimit("nr_requests", 12),
            CurveVerdict.HIDDEN_LIMIT,
            "the limit nr_requests = 12",
        ),
        (RequestLimit("tags", 16), CurveVerdict.CLEAR_KNEE, "12 requests in flight reach 95 %"),
    ],
)
def test_a_sharp_knee_is_compared_with_the_limits_of_the_queue(
    limit: RequestLimit, verdict: CurveVerdict, words: str
) -> None:
    model = ServerModel(12)
    result = measure_curve(CurvePlan(), model.measure, silent, limits=[limit])
    assert result.findings[0].verdict is verdict
    assert words in result.findings[0].text


def mean_of(reading: DepthReading, mean_ns: float) -> Latency | None:
    return reading.latency and structs.replace(reading.latency, mean=mean_ns)


def soft(reading: DepthReading) -> DepthReading:
    """Throughput N / (N + 6): each further request gains less."""
    iops = 9e4 * reading.depth / (reading.depth + 6)
    return replace(
        reading,
        iops=iops,
        series=(iops,) * 10,
        latency=mean_of(reading, 1e9 * reading.depth / iops),
    )


def test_a_gradual_knee_is_soft() -> None:
    result = curve(ServerModel(alter=soft))
    assert result.findings[0].verdict is CurveVerdict.SOFT_KNEE


def test_a_curve_that_still_grows_has_no_knee() -> None:
    result = curve(ServerModel(64), max_depth=32)
    assert result.estimates is not None
    assert not result.estimates.knee_reached
    assert result.findings[0].verdict is CurveVerdict.NO_KNEE


def test_the_interval_of_an_unrefined_knee_covers_its_bracket() -> None:
    model = ServerModel(9, 20e-6)

    def measure(steps):
        for reading in model.measure(steps):
            if len(model.steps) > 7 + 21:  # the pilot and three passes over seven depths
                raise KeyboardInterrupt
            yield reading

    result = measure_curve(CurvePlan(), measure, silent)
    assert result.estimates is not None
    knee = result.estimates.knee
    assert (knee.value, knee.low, knee.high) == (16, 9, 16)
    assert result.findings[0].verdict is CurveVerdict.CLEAR_KNEE


def test_readings_that_disagree_give_no_verdict() -> None:
    def stalled(reading: DepthReading) -> DepthReading:
        share = (0.001, 1.0, 0.3)[reading.number % 3]
        iops = 1000.0 * share * math.sqrt(reading.depth)
        return replace(reading, iops=iops, series=(iops,) * 10)

    result = curve(ServerModel(alter=stalled))
    assert result.findings[0].verdict is CurveVerdict.NONE
    assert "readings of the same depth disagree" in result.findings[0].text
