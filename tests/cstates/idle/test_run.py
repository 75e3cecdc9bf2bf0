"""What analyses read from a recording of idle intervals."""

from dataclasses import replace

from cstates.idle.length_counts import LengthCounts
from tests.cstates.advice.runs import row, run, state


def test_entries_are_unknown_if_the_counter_of_a_state_was_not_read() -> None:
    declared = (state(0, "POLL", 0, 2), state(1, "C1", 2, 30))
    assert replace(run(), states=declared).entries == 32
    unread = (declared[0], replace(declared[1], entries=None))
    assert replace(run(), states=unread).entries is None
    assert replace(run(), states=()).entries is None


def test_a_machine_that_never_slept_differs_from_one_without_counters() -> None:
    assert replace(run(), states=(state(0, "POLL", 0, 0),)).never_idle
    assert not replace(run(), states=()).never_idle


def test_states_that_were_only_traced_follow_the_declared_states() -> None:
    lengths = LengthCounts()
    lengths.record(1000)
    traced = replace(run(), states=(state(0, "POLL", 0, 0),), lengths={(0, 5): lengths.histogram()})
    assert [item.name for item in traced.all_states] == ["POLL", "state5"]
    assert traced.all_states[1].exit_latency_us is None


def test_lengths_of_a_state_are_those_of_all_cpus() -> None:
    lengths = LengthCounts()
    lengths.record(1000)
    recording = replace(run(), lengths={(0, 1): lengths.histogram(), (3, 1): lengths.histogram()})
    merged = recording.lengths_of(1)
    assert merged is not None
    assert merged.total == 2
    assert recording.lengths_of(2) is None


def test_the_mean_time_to_being_awake_needs_a_timed_wake_up() -> None:
    assert row(1, "timer", 10, 190.0).awake_mean_us == 190.0
    assert row(1, "timer", 10, 0.0).awake_mean_us is None
