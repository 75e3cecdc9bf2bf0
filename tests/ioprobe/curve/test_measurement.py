"""Response curves of modelled disks: knees, recommended depths, masked readings."""

import math
from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs

from ioprobe.curve.estimates import estimate_curve
from ioprobe.curve.measurement import Curve, CurveProgress, measure_curve
from ioprobe.curve.plan import CurvePlan
from ioprobe.curve.readings import DepthReading, by_depth
from ioprobe.curve.verdicts import CurveVerdict, RequestLimit
from ioprobe.engine.points import Latency
from stallscope.errors import UnableError
from tests.ioprobe.server_model import ServerModel, buckets_of, latency_of


def silent(progress: CurveProgress) -> None:
    """Ignore the progress."""


def curve(model: ServerModel, **plan: object) -> Curve:
    return measure_curve(CurvePlan(**plan), model.measure, silent)  # type: ignore[arg-type]


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


def test_power_peaks_when_all_servers_are_busy() -> None:
    result = curve(ServerModel(8)).estimates
    assert result is not None
    assert result.latency_optimal.value == 8


def test_the_slo_depth_is_the_deepest_that_keeps_the_p99() -> None:
    # With 8 servers of 1 ms, N >= 8 requests take N / 8 ms, in buckets of 1 %.
    result = curve(ServerModel(8), slo_p99_ns=3.05e6).estimates
    assert result is not None
    assert result.slo in (22, 23, 24)  # to a tenth of the depth
    strict = curve(ServerModel(8), slo_p99_ns=0.5e6).estimates
    assert strict is not None
    assert (strict.slo, strict.slo_missing) == (None, "depth 1 exceeds it")
    assert curve(ServerModel(8)).estimates.slo is None  # type: ignore[union-attr]


def test_depths_are_in_random_order_and_end_beyond_the_knee() -> None:
    model = ServerModel(8)
    result = curve(model)
    assert max(depth.depth for depth in result.depths) == 32
    in_order = [reading.depth for reading in result.readings[:18]]
    assert sorted(in_order) == sorted([1, 2, 4, 8, 16, 32] * 3)
    assert in_order[:6] != in_order[6:12]
    again = ServerModel(8)
    assert [reading.depth for reading in curve(again).readings] == [
        reading.depth for reading in result.readings
    ]


def test_progress_counts_down_the_time_left() -> None:
    events: list[CurveProgress] = []
    model = ServerModel(12)
    measure_curve(CurvePlan(), model.measure, events.append)
    assert all(event.left_s >= 0 for event in events)
    assert [event.done_s for event in events] == sorted(event.done_s for event in events)
    assert events[-1].left_s == pytest.approx(1.2)


def test_readings_of_slow_disks_are_longer() -> None:
    model = ServerModel(4, 0.2)
    curve(model)
    longest = max(step.duration_s for step in model.steps if step.depth == 16)
    assert longest == pytest.approx(8 * 16 / 4 * 0.2)


def test_a_failed_reading_is_masked_and_not_averaged() -> None:
    def spoil(reading: DepthReading) -> DepthReading:
        if reading.number % 3 == 1:
            return replace(reading, iops=9 * reading.iops, failed=("Little's law missed by 800 %",))
        return reading

    result = curve(ServerModel(8, alter=spoil))
    assert result.estimates is not None
    assert result.estimates.knee.value == 8
    assert result.estimates.max_iops.value == pytest.approx(8000)
    masked = [reading for depth in result.depths for reading in depth.masked]
    assert masked
    assert all("Little" in reading.failed[0] for reading in masked)


@pytest.mark.parametrize("depth", [1, 4, 32])
def test_a_depth_without_throughput_is_left_out(depth: int) -> None:
    readings = curve(ServerModel(8)).readings
    zeros = [
        replace(reading, iops=0.0, series=(0.0,) * len(reading.series)) for reading in readings
    ]
    readings_without = [
        zero if reading.depth == depth else reading
        for reading, zero in zip(readings, zeros, strict=True)
    ]
    with np.errstate(all="raise"):
        result = estimate_curve(by_depth(readings_without), None)
    assert result is not None
    assert result.max_iops.value == pytest.approx(8000)
    assert result.knee.value == 8
    assert (result.saturation_depth is None) == (depth == 1)


def test_steps_without_a_request_leave_the_saturation_depth_finite() -> None:
    def spoil(reading: DepthReading) -> DepthReading:
        rare = (0.0,) * (len(reading.series) - 1) + (sum(reading.series),)
        return replace(reading, series=rare) if reading.depth == 1 else reading

    with np.errstate(all="raise"):
        result = curve(ServerModel(8, alter=spoil)).estimates
    assert result is not None
    assert result.saturation_depth is not None
    assert result.saturation_depth.value == pytest.approx(8, rel=0.05)
    assert math.isfinite(result.saturation_depth.high)


def test_a_depth_without_accepted_readings_has_no_throughput() -> None:
    def spoil(reading: DepthReading) -> DepthReading:
        return replace(reading, failed=("a check",)) if reading.depth == 4 else reading

    result = curve(ServerModel(8, alter=spoil))
    four = next(reading for reading in result.depths if reading.depth == 4)
    assert (four.ok, four.iops, four.latencies) == (False, None, None)
    assert len(four.masked) == 4  # three passes and one repeat
    assert result.estimates is not None
    assert result.estimates.knee.value == 8


def test_a_curve_without_accepted_readings_has_no_verdict() -> None:
    result = curve(ServerModel(8, alter=lambda reading: replace(reading, failed=("a check",))))
    assert result.estimates is None
    assert result.findings[0].verdict is CurveVerdict.NONE


def test_an_interrupted_curve_keeps_its_readings() -> None:
    model = ServerModel(8)

    def measure(steps):
        for reading in model.measure(steps):
            if len(model.steps) > 14:
                raise KeyboardInterrupt
            yield reading

    result = measure_curve(CurvePlan(), measure, silent)
    assert not result.complete
    assert len(result.readings) == 8
    assert result.estimates is not None


def test_an_interrupt_before_the_first_reading_is_raised() -> None:
    def measure(steps):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure_curve(CurvePlan(), measure, silent)


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


def test_readings_in_a_burst_of_the_session_are_masked() -> None:
    def credit(reading: DepthReading) -> DepthReading:
        capped = min(reading.iops, 3000.0) if reading.number >= 14 else reading.iops
        return replace(reading, iops=capped, series=(capped,) * 10)

    result = curve(ServerModel(8, alter=credit))
    assert result.burst is not None
    assert result.findings[0].verdict is CurveVerdict.BURST
    assert result.estimates is not None
    assert result.estimates.max_iops.value == pytest.approx(3000)
    assert result.estimates.knee.value == 3
    assert all(
        reading.failed for reading in result.readings if reading.number < result.burst.first_steady
    )


def test_a_burst_within_readings_leaves_the_steady_level() -> None:
    def credit(reading: DepthReading) -> DepthReading:
        level = min(reading.iops, 3000.0)
        series = (reading.iops,) * 3 + (level,) * 9
        return replace(reading, iops=sum(series) / 12, series=series)

    result = curve(ServerModel(8, alter=credit))
    assert result.burst is not None
    assert result.burst.within_readings
    assert result.estimates is not None
    assert result.estimates.max_iops.value == pytest.approx(3000)


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


def test_one_fast_depth_moves_neither_plateau_nor_knee() -> None:
    def lucky(reading: DepthReading) -> DepthReading:
        return replace(reading, iops=1.3 * reading.iops) if reading.depth == 16 else reading

    result = curve(ServerModel(8, alter=lucky))
    assert result.estimates is not None
    assert result.estimates.knee.value == 8
    assert result.estimates.max_iops.value == pytest.approx(8000, rel=0.1)


def test_noise_is_not_refined_further() -> None:
    def noisy(reading: DepthReading) -> DepthReading:
        draw = np.random.default_rng(reading.number)
        iops = 9e4 * reading.depth / (reading.depth + 20) * draw.normal(1, 0.1)
        return replace(reading, iops=iops, series=tuple(iops * draw.normal(1, 0.2, 10)))

    result = curve(ServerModel(alter=noisy))
    assert len(result.depths) <= 24


def test_a_curve_that_ends_with_an_error_keeps_its_readings() -> None:
    model = ServerModel(8)

    def measure(steps):
        for reading in model.measure(steps):
            if len(model.steps) > 14:
                raise UnableError("every request failed: 3 x EIO")
            yield reading

    result = measure_curve(CurvePlan(), measure, silent)
    assert isinstance(result.failure, UnableError)
    assert (result.complete, len(result.readings)) == (False, 8)
    with pytest.raises(UnableError):
        measure_curve(CurvePlan(), measure, silent)


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
