"""Bursts at the start of a session and of readings."""

from ioprobe.curve.burst import ReadBurst, find_burst, without_burst
from ioprobe.curve.readings import DepthReading

STEPS = 10


def reading(
    number: int, *levels: float, depth: int = 8, failed: tuple[str, ...] = ()
) -> DepthReading:
    """Return a reading whose throughput has these levels for ten steps each."""
    series = tuple(level for level in levels for _ in range(STEPS))
    return DepthReading(
        depth=depth,
        number=number,
        seconds=len(series) / 10,
        iops=series[-1],
        latency=None,
        buckets=(),
        series=series,
        littles_law_error=None,
        cpu_delay_share=None,
        failed=failed,
    )


def test_a_steady_disk_has_no_burst() -> None:
    readings = [reading(number, 1000) for number in range(6)]
    assert find_burst(readings) is None
    assert without_burst(readings, None) == tuple(readings)


def test_a_level_that_falls_for_good_is_a_burst_and_masks_what_came_before() -> None:
    readings = [reading(n, 2000) for n in range(3)] + [reading(n, 1000) for n in range(3, 8)]
    burst = find_burst(readings)
    assert burst is not None
    assert (burst.first_steady, burst.within_readings) == (3, False)
    assert abs(burst.fall - 0.5) < 0.01
    assert burst.duration_s == 3.0
    masked = without_burst(readings, burst)
    assert [bool(item.failed) for item in masked] == [True] * 3 + [False] * 5
    assert "fell by 50%" in burst.text


def test_a_reading_that_contains_the_fall_belongs_to_the_burst() -> None:
    readings = [reading(0, 2000), reading(1, 2000, 1000)] + [reading(n, 1000) for n in range(2, 8)]
    burst = find_burst(readings)
    assert burst is not None
    assert burst.first_steady == 2


def test_readings_that_each_start_fast_have_a_burst_within() -> None:
    burst = find_burst([reading(number, 2000, 1000, 1000) for number in range(6)])
    assert burst is not None
    assert burst.within_readings
    assert "2.0 times as fast" in burst.text


def test_failed_readings_prove_nothing() -> None:
    readings = [reading(number, 2000, 1000, failed=("late",)) for number in range(6)]
    assert find_burst(readings) is None


def test_the_session_burst_is_a_sentence() -> None:
    assert ReadBurst(2, 0.25, 30.0).text.startswith("after 30 s of load throughput fell by 25%")
