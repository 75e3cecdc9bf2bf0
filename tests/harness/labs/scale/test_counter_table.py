"""Counters over the number of threads as a table."""

from harness.labs.scale.counter_table import counter_lines, unavailable_events
from tests.harness.labs.scale.counted import phase, points_of


def test_the_table_marks_growth_and_shows_the_ipc() -> None:
    points = points_of((1, 1000, phase(2000.0, 1.5)), (8, 4000, phase(16_000.0, 0.5)))
    text = "\n".join(counter_lines(points))
    assert "counters by threads" in text
    assert "4 !2.00x" in text
    assert "L3 misses" in text
    assert text.split("IPC")[1].split()[:2] == ["1.50", "0.50"]
    assert text.split("retiring")[1].split()[:2] == ["0.25", "0.25"]


def test_unavailable_events_have_their_reason() -> None:
    points = points_of((1, 1000, phase(None)))
    assert "L3 misses" not in "\n".join(counter_lines(points))
    assert list(unavailable_events(points)) == ["LLC-misses is unavailable: not on this CPU"]
    assert list(unavailable_events([])) == list(counter_lines([])) == []
