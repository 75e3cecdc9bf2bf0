"""Curves of disks whose answers are known: knees, the three depths, what spoils a reading."""

import math
from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs

from ioprobe.curve.estimates import estimates
from ioprobe.curve.plan import CurvePlan
from ioprobe.curve.readings import Reading, by_depth
from ioprobe.curve.rounds import Curve, Progress, measure_curve
from ioprobe.curve.verdicts import Limit, Verdict
from ioprobe.engine.points import Latency
from stallscope.errors import UnableError
from tests.ioprobe.server_model import ServerModel, buckets_of, latency_of


def silent(progress: Progress) -> None:
    """Say nothing."""


def curve(model: ServerModel, **plan: object) -> Curve:
    return measure_curve(CurvePlan(**plan), model.measure, silent)  # type: ignore[arg-type]


@pytest.mark.parametrize("servers", [1, 2, 3, 4, 8, 12, 16, 32, 60])
@pytest.mark.parametrize("exponential", [False, True])
def test_the_knee_of_servers_in_parallel(servers: int, exponential: bool) -> None:
    # At 20 us of service a second holds 50,000 requests a server: throughput to half a percent.
    found = curve(ServerModel(servers, 20e-6, exponential))
    assert found.estimates is not None
    knee = found.estimates.knee
    assert math.ceil(0.95 * servers) <= knee.value <= 1.1 * servers + 1
    assert knee.low <= knee.value <= knee.high
    assert found.estimates.saturation_depth is not None
    assert found.estimates.saturation_depth.value == pytest.approx(servers, rel=0.05)
    assert found.estimates.most_iops.value == pytest.approx(servers / 20e-6, rel=0.02)
    assert found.estimates.knee_reached
    assert found.findings[0].verdict is Verdict.CLEAR_KNEE


def test_power_peaks_where_all_servers_are_busy() -> None:
    found = curve(ServerModel(8)).estimates
    assert found is not None
    assert found.latency_optimal.value == 8


def test_the_deepest_depth_that_keeps_a_p99() -> None:
    # Fixed service of 1 ms by 8 servers: N requests take N / 8 ms from 8 on, in 1 % buckets.
    found = curve(ServerModel(8), slo_p99_ns=3.05e6).estimates
    assert found is not None
    assert found.slo in (22, 23, 24)  # to a tenth
    none = curve(ServerModel(8), slo_p99_ns=0.5e6).estimates
    assert none is not None
    assert (none.slo, none.slo_why_not) == (None, "depth 1 does not keep it")
    assert curve(ServerModel(8)).estimates.slo is None  # type: ignore[union-attr]


def test_depths_come_shuffled_and_no_further_than_they_tell_anything() -> None:
    model = ServerModel(8)
    found = curve(model)
    assert max(one.depth for one in found.depths) == 32
    in_order = [one.depth for one in found.readings[:18]]
    assert sorted(in_order) == sorted([1, 2, 4, 8, 16, 32] * 3)
    assert in_order[:6] != in_order[6:12]
    again = ServerModel(8)
    assert [one.depth for one in curve(again).readings] == [one.depth for one in found.readings]


def test_time_left_is_told_and_ends() -> None:
    told: list[Progress] = []
    model = ServerModel(12)
    measure_curve(CurvePlan(), model.measure, told.append)
    assert all(one.left_s >= 0 for one in told)
    assert [one.done_s for one in told] == sorted(one.done_s for one in told)
    assert told[-1].left_s == pytest.approx(1.2)


def test_slow_disks_get_the_time_their_requests_take() -> None:
    model = ServerModel(4, 0.2)
    curve(model)
    longest = max(step.duration_s for step in model.steps if step.depth == 16)
    assert longest == pytest.approx(8 * 16 / 4 * 0.2)


def test_a_failed_reading_is_masked_and_never_averaged() -> None:
    def spoil(one: Reading) -> Reading:
        if one.number % 3 == 1:
            return replace(one, iops=9 * one.iops, failed=("Little's law missed by 800 %",))
        return one

    found = curve(ServerModel(8, alter=spoil))
    assert found.estimates is not None
    assert found.estimates.knee.value == 8
    assert found.estimates.most_iops.value == pytest.approx(8000)
    masked = [one for depth in found.depths for one in depth.masked]
    assert masked
    assert all("Little" in one.failed[0] for one in masked)


@pytest.mark.parametrize("depth", [1, 4, 32])
def test_a_depth_without_throughput_is_left_out(depth: int) -> None:
    readings = curve(ServerModel(8)).readings
    none = [replace(one, iops=0.0, series=(0.0,) * len(one.series)) for one in readings]
    spoilt = [no if one.depth == depth else one for one, no in zip(readings, none, strict=True)]
    with np.errstate(all="raise"):
        found = estimates(by_depth(spoilt), None)
    assert found is not None
    assert found.most_iops.value == pytest.approx(8000)
    assert found.knee.value == 8
    assert (found.saturation_depth is None) == (depth == 1)


def test_steps_without_a_request_leave_the_saturation_depth_finite() -> None:
    def spoil(one: Reading) -> Reading:
        rare = (0.0,) * (len(one.series) - 1) + (sum(one.series),)
        return replace(one, series=rare) if one.depth == 1 else one

    with np.errstate(all="raise"):
        found = curve(ServerModel(8, alter=spoil)).estimates
    assert found is not None
    assert found.saturation_depth is not None
    assert found.saturation_depth.value == pytest.approx(8, rel=0.05)
    assert math.isfinite(found.saturation_depth.high)


def test_a_depth_that_never_passes_is_kept_without_a_number() -> None:
    def spoil(one: Reading) -> Reading:
        return replace(one, failed=("a check",)) if one.depth == 4 else one

    found = curve(ServerModel(8, alter=spoil))
    four = next(one for one in found.depths if one.depth == 4)
    assert (four.ok, four.iops, four.latencies) == (False, None, None)
    assert len(four.masked) == 4  # three passes, and once more
    assert found.estimates is not None
    assert found.estimates.knee.value == 8


def test_without_any_good_reading_there_is_no_verdict() -> None:
    found = curve(ServerModel(8, alter=lambda one: replace(one, failed=("a check",))))
    assert found.estimates is None
    assert found.findings[0].verdict is Verdict.NONE


def test_an_interrupted_curve_keeps_what_it_has() -> None:
    model = ServerModel(8)

    def measure(steps):
        for one in model.measure(steps):
            if len(model.steps) > 14:
                raise KeyboardInterrupt
            yield one

    found = measure_curve(CurvePlan(), measure, silent)
    assert not found.complete
    assert len(found.readings) == 8
    assert found.estimates is not None


def test_interrupted_before_the_first_reading_is_an_interrupt() -> None:
    def measure(steps):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure_curve(CurvePlan(), measure, silent)


def limited(one: Reading) -> Reading:
    """2,000 a second in slices of 100 ms: 199 requests pass at once, one waits for the next."""
    times = [0.1e6] * 199 + [80e6 * one.depth]
    return replace(one, iops=2000.0, series=(2000.0,) * 10, latency=latency_of(times),
                   buckets=buckets_of(times))  # fmt: skip


def test_a_rate_limiter_wants_depth_1() -> None:
    found = curve(ServerModel(8, alter=limited))
    assert found.estimates is not None
    assert found.estimates.knee.value == 1
    assert found.findings[0].verdict is Verdict.RATE_LIMITER


def test_one_server_is_no_rate_limiter() -> None:
    for exponential in (False, True):
        found = curve(ServerModel(1, 20e-6, exponential))
        assert found.findings[0].verdict is Verdict.CLEAR_KNEE


def test_a_burst_over_the_session_is_told_and_masked() -> None:
    def credit(one: Reading) -> Reading:
        capped = min(one.iops, 3000.0) if one.number >= 14 else one.iops
        return replace(one, iops=capped, series=(capped,) * 10)

    found = curve(ServerModel(8, alter=credit))
    assert found.burst is not None
    assert found.findings[0].verdict is Verdict.BURST
    assert found.estimates is not None
    assert found.estimates.most_iops.value == pytest.approx(3000)
    assert found.estimates.knee.value == 3
    assert all(one.failed for one in found.readings if one.number < found.burst.first_steady)


def test_a_burst_in_each_reading_leaves_the_level_after_it() -> None:
    def credit(one: Reading) -> Reading:
        level = min(one.iops, 3000.0)
        series = (one.iops,) * 3 + (level,) * 9
        return replace(one, iops=sum(series) / 12, series=series)

    found = curve(ServerModel(8, alter=credit))
    assert found.burst is not None
    assert found.burst.inside
    assert found.estimates is not None
    assert found.estimates.most_iops.value == pytest.approx(3000)


def test_time_on_our_own_cpu_is_told_before_all_else() -> None:
    def noisy(one: Reading) -> Reading:
        return replace(one, cpu_delay_share=0.3) if one.number % 2 else one

    found = curve(ServerModel(8, alter=noisy))
    assert found.findings[0].verdict is Verdict.CPU_NOISY
    assert found.findings[1].verdict is Verdict.CLEAR_KNEE


@pytest.mark.parametrize(
    ("limit", "verdict", "words"),
    [
        (Limit("tags", 128), Verdict.HIDDEN_LIMIT, "although tags would admit 128"),
        (Limit("nr_requests", 12), Verdict.HIDDEN_LIMIT, "what nr_requests = 12 admits"),
        (Limit("tags", 16), Verdict.CLEAR_KNEE, "12 requests in flight give 95 %"),
    ],
)
def test_a_sharp_knee_below_what_the_queue_admits(
    limit: Limit, verdict: Verdict, words: str
) -> None:
    model = ServerModel(12)
    found = measure_curve(CurvePlan(), model.measure, silent, limits=[limit])
    assert found.findings[0].verdict is verdict
    assert words in found.findings[0].text


def mean_of(one: Reading, mean_ns: float) -> Latency | None:
    return one.latency and structs.replace(one.latency, mean=mean_ns)


def soft(one: Reading) -> Reading:
    """Throughput N / (N + 6): each request more gains less."""
    iops = 9e4 * one.depth / (one.depth + 6)
    return replace(
        one, iops=iops, series=(iops,) * 10, latency=mean_of(one, 1e9 * one.depth / iops)
    )


def test_a_knee_that_comes_slowly_is_soft() -> None:
    found = curve(ServerModel(alter=soft))
    assert found.findings[0].verdict is Verdict.SOFT_KNEE


def test_a_curve_that_still_grows_has_no_knee() -> None:
    found = curve(ServerModel(64), most_depth=32)
    assert found.estimates is not None
    assert not found.estimates.knee_reached
    assert found.findings[0].verdict is Verdict.NO_KNEE


def test_one_lucky_depth_moves_neither_plateau_nor_knee() -> None:
    def lucky(one: Reading) -> Reading:
        return replace(one, iops=1.3 * one.iops) if one.depth == 16 else one

    found = curve(ServerModel(8, alter=lucky))
    assert found.estimates is not None
    assert found.estimates.knee.value == 8
    assert found.estimates.most_iops.value == pytest.approx(8000, rel=0.1)


def test_noise_is_not_refined_to_the_last_request() -> None:
    def noisy(one: Reading) -> Reading:
        draw = np.random.default_rng(one.number)
        iops = 9e4 * one.depth / (one.depth + 20) * draw.normal(1, 0.1)
        return replace(one, iops=iops, series=tuple(iops * draw.normal(1, 0.2, 10)))

    found = curve(ServerModel(alter=noisy))
    assert len(found.depths) <= 24


def test_a_disk_that_fails_in_the_middle_leaves_what_was_measured() -> None:
    model = ServerModel(8)

    def measure(steps):
        for one in model.measure(steps):
            if len(model.steps) > 14:
                raise UnableError("no request was answered but by errors: 3 times EIO")
            yield one

    found = measure_curve(CurvePlan(), measure, silent)
    assert isinstance(found.failure, UnableError)
    assert (found.complete, len(found.readings)) == (False, 8)
    with pytest.raises(UnableError):
        measure_curve(CurvePlan(), measure, silent)


def test_a_knee_that_was_not_refined_may_be_anywhere_in_its_bracket() -> None:
    model = ServerModel(9, 20e-6)

    def measure(steps):
        for one in model.measure(steps):
            if len(model.steps) > 7 + 21:  # the pilot, and three passes over seven depths
                raise KeyboardInterrupt
            yield one

    found = measure_curve(CurvePlan(), measure, silent)
    assert found.estimates is not None
    knee = found.estimates.knee
    assert (knee.value, knee.low, knee.high) == (16, 9, 16)
    assert found.findings[0].verdict is Verdict.CLEAR_KNEE


def test_readings_that_disagree_wildly_give_no_verdict() -> None:
    def stalled(one: Reading) -> Reading:
        share = (0.001, 1.0, 0.3)[one.number % 3]
        iops = 1000.0 * share * math.sqrt(one.depth)
        return replace(one, iops=iops, series=(iops,) * 10)

    found = curve(ServerModel(alter=stalled))
    assert found.findings[0].verdict is Verdict.NONE
    assert "readings of the same depth disagree" in found.findings[0].text
