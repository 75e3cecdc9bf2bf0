"""Weighing of random windows: 200,000 waits of 2 us per second beside 5 of 50 ms."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pytest

from tests.topdown.waits.wait_records_builder import build_records
from topdown.waits.records import ThreadReading, WaitRecords
from topdown.waits.states import Intervals, ThreadState
from topdown.waits.windows import weigh_windows, whole_amounts

SECOND = 1_000_000_000
SECONDS = 10
SHORT_NS, LONG_NS = 2_000, 50_000_000
RUN_NS = 1_750  # 200,000 short waits fill the 750 ms of a second without long ones
LONG_SHARE = 5 * LONG_NS / (5 * LONG_NS + 200_000 * SHORT_NS)  # of the waiting time
WINDOW_NS, PERIOD_NS, TICK_NS = 500_000, 20_000_000, 10_000_000


@dataclass(frozen=True)
class Timeline:
    """A thread that runs and waits by turns: begins of its waits and their lengths."""

    begin_ns: npt.NDArray[np.int64]
    length_ns: npt.NDArray[np.int64]

    @property
    def end_ns(self) -> npt.NDArray[np.int64]:
        return self.begin_ns + self.length_ns


@pytest.fixture(scope="module")
def timeline() -> Timeline:
    random = np.random.default_rng(5)
    length = np.full(SECONDS * 200_000, SHORT_NS)
    length[random.choice(len(length), SECONDS * 5, replace=False)] = LONG_NS
    begin = np.cumsum(RUN_NS + np.concatenate([[0], length[:-1]]))
    return Timeline(begin, length)


def readings_of(timeline: Timeline, random: np.random.Generator) -> tuple[ThreadReading, ...]:
    times = np.cumsum(TICK_NS * random.uniform(0.5, 1.5, SECONDS * 120)).astype(np.int64)
    times = times[times < timeline.end_ns[-1]]
    started = np.searchsorted(timeline.begin_ns, times, side="right")
    ended = np.searchsorted(timeline.end_ns, times, side="right")
    waited = np.concatenate([[0], np.cumsum(timeline.length_ns)])[ended]
    waited += np.where(started > ended, times - timeline.begin_ns[started - 1], 0)
    is_asleep = started > ended
    return tuple(
        ThreadReading(at, 0, "S" if asleep else "R", at - waiting, 0, runs=int(runs))
        for at, asleep, waiting, runs in zip(
            times.tolist(), is_asleep.tolist(), waited.tolist(), ended.tolist(), strict=True
        )
    )


def windows_of(random: np.random.Generator, end_ns: int) -> npt.NDArray[np.uint64]:
    gaps = (PERIOD_NS - WINDOW_NS) * random.uniform(0.5, 1.5, SECONDS * 60)
    begin = np.cumsum(gaps + WINDOW_NS)
    begin = begin[begin + WINDOW_NS < end_ns]
    return np.stack([begin, begin + WINDOW_NS], axis=1).astype(np.uint64)


def seen_in(timeline: Timeline, windows: npt.NDArray[np.uint64]) -> Intervals:
    """The intervals of waits of which a window has the begin; lock if short, sleep if long."""
    window = np.searchsorted(windows[:, 0], timeline.begin_ns, side="right") - 1
    inside = (window >= 0) & (timeline.begin_ns < windows[np.maximum(window, 0), 1])
    begin = timeline.begin_ns[inside].astype(np.uint64)
    end = np.minimum(timeline.end_ns[inside].astype(np.uint64), windows[window[inside], 1])
    is_long = timeline.length_ns[inside] == LONG_NS
    state = np.where(is_long, ThreadState.SLEEP, ThreadState.LOCK).astype(np.uint8)
    none = np.zeros(len(begin), np.uint32)
    return Intervals(none, begin, end, state, none, none)


def with_unknown(seen: Intervals, end_ns: int) -> Intervals:
    """The same intervals without gaps: the rest is unknown."""
    edges = np.concatenate([[0], np.stack([seen.begin_ns, seen.end_ns], axis=1).reshape(-1)])
    begin = edges.astype(np.uint64)
    end = np.concatenate([begin[1:], [end_ns]]).astype(np.uint64)
    state = np.full(len(begin), ThreadState.UNKNOWN, np.uint8)
    state[1::2] = seen.state
    none = np.zeros(len(begin), np.uint32)
    return Intervals(none, begin, end, state, none, none)


def unknown_until(end_ns: int) -> Intervals:
    """A single interval of which nothing is known."""
    none = np.zeros(1, np.uint32)
    state = np.full(1, ThreadState.UNKNOWN, np.uint8)
    end = np.array([end_ns], np.uint64)
    return Intervals(none, np.zeros(1, np.uint64), end, state, none, none)


def records_of(
    timeline: Timeline, windows: npt.NDArray[np.uint64], random: np.random.Generator
) -> WaitRecords:
    return replace(
        build_records("A R0-1").records,
        end_ns=int(timeline.end_ns[-1]),
        limited_from_ns=0,
        windows=windows,
        readings=readings_of(timeline, random),
    )


def long_share(timeline: Timeline, seed: int) -> tuple[float, float]:
    """Return the share of long waits in the waiting time, and half of the width of its interval."""
    random = np.random.default_rng(seed)
    end_ns = int(timeline.end_ns[-1])
    windows = windows_of(random, end_ns)
    records = records_of(timeline, windows, random)
    states = np.full(len(records.readings), ThreadState.SLEEP, np.uint8)
    intervals = with_unknown(seen_in(timeline, windows), end_ns)
    weighed = weigh_windows(records, intervals, states)
    waiting = weighed.amounts[0, [ThreadState.SLEEP, ThreadState.LOCK]]
    return waiting[0] / waiting.sum(), weighed.errors[0, ThreadState.SLEEP] / waiting.sum()


def test_the_share_of_long_waits_is_within_three_points(timeline: Timeline) -> None:
    results = [long_share(timeline, seed) for seed in range(10)]
    for share, _ in results:
        assert abs(share - LONG_SHARE) < 0.03
    covered = sum(abs(share - LONG_SHARE) <= error for share, error in results)
    assert covered >= 7  # intervals of 95 %


def test_waits_as_long_as_a_window_have_their_share() -> None:
    window_ns, sleep_ns, other_ns, seconds = 2_000_000, 1_800_000, 200_000, 20
    pairs = seconds * SECOND // (sleep_ns + other_ns)
    length = np.tile([sleep_ns, other_ns], pairs)
    state = np.tile(np.array([ThreadState.SLEEP, ThreadState.LOCK], np.uint8), pairs)
    end = np.cumsum(length)
    begin = end - length
    random = np.random.default_rng(3)
    opened = np.cumsum(20_000_000 * random.uniform(0.5, 1.5, seconds * 45)).astype(np.int64)
    opened = opened[opened + window_ns < end[-1]]
    windows = np.stack([opened, opened + window_ns], axis=1).astype(np.uint64)
    window = np.searchsorted(opened, begin, side="right") - 1
    seen = (window >= 0) & (begin < opened[np.maximum(window, 0)] + window_ns)
    none = np.zeros(int(seen.sum()), np.uint32)
    intervals = Intervals(
        none,
        begin[seen].astype(np.uint64),
        np.minimum(end[seen], opened[window[seen]] + window_ns).astype(np.uint64),
        state[seen],
        none,
        none,
    )
    ticks = np.arange(0, end[-1], TICK_NS)
    records = replace(
        build_records("A R0-1").records,
        end_ns=int(end[-1]),
        limited_from_ns=0,
        windows=windows,
        readings=tuple(ThreadReading(at, 0, "R", 0, 0, runs=at) for at in ticks.tolist()),
    )
    weighed = weigh_windows(
        records,
        with_unknown(intervals, int(end[-1])),
        np.full(len(ticks), ThreadState.UNKNOWN, np.uint8),
    )
    waiting = weighed.amounts[0, [ThreadState.SLEEP, ThreadState.LOCK]]
    assert waiting[0] / waiting.sum() == pytest.approx(0.9, abs=0.02)


def test_every_nth_switch_misses_the_share(timeline: Timeline) -> None:
    errors = []
    for seed in range(40):
        first = np.random.default_rng(seed).integers(10)
        kept = timeline.length_ns[np.arange(first, len(timeline.length_ns), 10)]
        share = kept[kept == LONG_NS].sum() / kept.sum()
        errors.append(abs(share - LONG_SHARE))
    assert np.mean(np.array(errors) > 0.03) > 0.4


def test_the_states_add_up_to_the_wall_time(timeline: Timeline) -> None:
    random = np.random.default_rng(1)
    end_ns = int(timeline.end_ns[-1])
    windows = windows_of(random, end_ns)
    records = records_of(timeline, windows, random)
    states = np.full(len(records.readings), ThreadState.SLEEP, np.uint8)
    intervals = with_unknown(seen_in(timeline, windows), end_ns)
    weighed = weigh_windows(records, intervals, states)
    assert whole_amounts(weighed.amounts).sum() == end_ns
    running = timeline.begin_ns[-1] - timeline.length_ns[:-1].sum()
    assert weighed.amounts[0, ThreadState.USER] == pytest.approx(running, rel=0.01)


def test_waits_of_about_a_tick_are_divided_like_the_ticks() -> None:
    random = np.random.default_rng(3)
    length = np.tile([12_000_000, 30_000_000], 240)  # sleep and lock by turns
    begin = np.cumsum(length) - length
    end_ns = int(begin[-1] + length[-1])
    at = np.cumsum(20_000_000 * random.uniform(0.5, 1.5, 600)).astype(np.int64)
    at = at[at < end_ns]
    wait = np.searchsorted(begin, at, side="right") - 1
    readings = tuple(
        ThreadReading(time_ns, 0, "S", runs, 0, runs=runs)
        for time_ns, runs in zip(at.tolist(), wait.tolist(), strict=True)
    )
    states = np.where(wait % 2 == 0, ThreadState.SLEEP, ThreadState.LOCK).astype(np.uint8)
    records = replace(
        build_records("A R0-1").records, end_ns=end_ns, limited_from_ns=0, readings=readings
    )
    weighed = weigh_windows(records, unknown_until(end_ns), states)
    assert weighed.amounts[0, ThreadState.SLEEP] == pytest.approx(end_ns * 12 / 42, rel=0.15)
    assert weighed.amounts[0, ThreadState.UNKNOWN] == 0


def test_short_waits_without_windows_and_system_calls_are_unknown(timeline: Timeline) -> None:
    random = np.random.default_rng(1)
    records = records_of(timeline, np.zeros((0, 2), np.uint64), random)
    runs = np.array([reading.runs for reading in records.readings])
    is_long = np.append(False, runs[1:] == runs[:-1]) | np.append(runs[1:] == runs[:-1], False)
    states = np.where(is_long, ThreadState.SLEEP, ThreadState.UNKNOWN).astype(np.uint8)
    weighed = weigh_windows(records, unknown_until(records.end_ns), states)
    assert weighed.amounts[0, ThreadState.UNKNOWN] > 0.3 * records.end_ns
    assert weighed.amounts[0, ThreadState.SLEEP] == pytest.approx(2.5 * SECOND, rel=0.05)


def test_ticks_without_a_system_call_do_not_outnumber_a_few_windows(timeline: Timeline) -> None:
    random = np.random.default_rng(1)
    end_ns = int(timeline.end_ns[-1])
    windows = windows_of(random, end_ns)[::16]
    records = records_of(timeline, windows, random)
    assert len(records.readings) > 20 * len(windows)
    states = np.full(len(records.readings), ThreadState.UNKNOWN, np.uint8)
    intervals = with_unknown(seen_in(timeline, windows), end_ns)
    weighed = weigh_windows(records, intervals, states)
    assert weighed.amounts[0, ThreadState.LOCK] == pytest.approx(4 * SECOND, rel=0.1)


def test_the_time_before_the_limit_keeps_its_states() -> None:
    records = replace(build_records("A R0-1").records, end_ns=100, limited_from_ns=60)
    none = np.zeros(3, np.uint32)
    edges = np.array([0, 40, 60, 100], np.uint64)
    state = np.array([ThreadState.USER, ThreadState.LOCK, ThreadState.UNKNOWN], np.uint8)
    intervals = Intervals(none, edges[:-1], edges[1:], state, none, none)
    weighed = weigh_windows(records, intervals, np.zeros(len(records.readings), np.uint8))
    amounts = weighed.amounts[0, [ThreadState.USER, ThreadState.LOCK, ThreadState.UNKNOWN]]
    assert amounts.tolist() == [40, 20, 40]
