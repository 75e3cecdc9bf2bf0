"""Response curves of modelled disks: knees, recommended depths, masked readings."""

from dataclasses import replace

import pytest

from ioprobe.curve.measurement import CurveProgress, measure_curve
from ioprobe.curve.plan import CurvePlan
from ioprobe.curve.readings import DepthReading
from ioprobe.curve.verdicts import CurveVerdict
from stallscope.errors import UnableError
from tests.ioprobe.curve.curves import curve, silent
from tests.ioprobe.server_model import ServerModel


def test_progress_counts_down_the_time_left() -> None:
    events: list[CurveProgress] = []
    model = ServerModel(12)
    measure_curve(CurvePlan(), model.measure, events.append)
    assert all(event.left_s >= 0 for event in events)
    assert [event.done_s for event in events] == sorted(event.done_s for event in events)
    assert events[-1].left_s == pytest.approx(1.2)


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


def test_a_depth_without_accepted_readings_has_no_throughput() -> None:
    def spoil(reading: DepthReading) -> DepthReading:
        return replace(reading, failed=("a check",)) if reading.depth == 4 else reading

    result = curve(ServerModel(8, alter=spoil))
    four = next(reading for reading in result.depths if reading.depth == 4)
    assert (four.ok, four.iops, four.latencies) == (False, None, None)
    assert len(four.masked) == 4  # three passes and one repeat
    assert result.estimates is not None
    assert result.estimates.knee.value == 8


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
