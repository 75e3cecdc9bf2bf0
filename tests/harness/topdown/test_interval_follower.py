"""Intervals of a running counting: passed once, in order, at a limited cost."""

import json
from pathlib import Path

import pytest

from harness.topdown.interval_follower import MIN_PAUSE_S, IntervalFollower
from stallscope.collector import CollectorProgress
from tests.harness.topdown.counters_recording import counters_recording
from topdown.slots.measurement import Measurement, Slice

TICK = CollectorProgress(seconds=1.0)


class Growing:
    """A recording that is written window by window, a clock, and the ends of the passed intervals."""

    def __init__(self, folder: Path) -> None:
        self.now_s = 0.0
        self.ends_s: list[float] = []
        self.last: Measurement | None = None
        self._path = counters_recording(folder) / "counters.jsonl"
        self._lines = self._path.read_text().splitlines(keepends=True)
        self.grow(0)

    def grow(self, windows: int) -> None:
        head, *reads = self._lines
        kept = [line for line in reads if json.loads(line)["w"] < windows]
        self._path.write_text(
            "".join([head, *sorted(kept, key=lambda line: json.loads(line)["w"])])
        )

    def note(self, interval: Slice, measurement: Measurement) -> None:
        self.ends_s.append(round(interval.end_s, 3))
        self.last = measurement

    def clock(self) -> float:
        return self.now_s


@pytest.fixture
def growing(tmp_path: Path) -> Growing:
    return Growing(tmp_path / "run")


def test_complete_intervals_are_passed_once_and_in_order(growing: Growing, tmp_path: Path) -> None:
    follower = IntervalFollower(tmp_path / "run", 200, growing.note, clock=growing.clock)
    follower.follow(TICK)
    assert growing.ends_s == []  # no window is complete
    for windows, expected in ((3, [0.2]), (6, [0.2, 0.4]), (10, [0.2, 0.4, 0.6, 0.8])):
        growing.grow(windows)
        growing.now_s += 10
        follower.follow(TICK)
        assert growing.ends_s == expected
    assert growing.last is not None
    follower.finish(growing.last)
    assert growing.ends_s == [0.2, 0.4, 0.6, 0.8, 1.0]


def test_reading_takes_a_limited_share_of_the_time(growing: Growing, tmp_path: Path) -> None:
    follower = IntervalFollower(tmp_path / "run", 100, growing.note, clock=growing.clock)
    growing.grow(3)
    follower.follow(TICK)
    growing.grow(9)
    growing.now_s = MIN_PAUSE_S / 2
    follower.follow(TICK)
    assert growing.ends_s == [0.1, 0.2]
    growing.now_s = MIN_PAUSE_S
    follower.follow(TICK)
    assert len(growing.ends_s) == 8


def test_without_intervals_the_recording_is_not_read(tmp_path: Path) -> None:
    calls: list[object] = []
    follower = IntervalFollower(tmp_path / "nowhere", None, lambda *call: calls.append(call))
    follower.follow(TICK)
    assert calls == []
