"""Rings and their readings."""

from harness.labs.memory.points import (
    ObtainedPages,
    Pages,
    PointReading,
    RingPoint,
    ThreadPointReading,
)


def test_a_reading_is_the_median_over_threads() -> None:
    def thread(*latency_ns: float) -> ThreadPointReading:
        return ThreadPointReading(latency_ns, ObtainedPages("small", 0, 4096), {}, {}, {})

    point = RingPoint(64, 128, Pages.SMALL, (0, 1, 2))
    assert (point.ring_bytes, point.total_bytes) == (8192, 24576)
    reading = PointReading(point, (thread(1.0, 3.0), thread(2.0, 4.0), thread(9.0, 9.5)))
    assert (reading.min_ns, reading.median_ns, reading.max_ns) == (2.0, 3.0, 9.5)
