"""Tests of `topdown/stacks/sample_times.py`: times since the first sample."""

import numpy as np

from topdown.stacks.sample_times import MAX_TIME_NS, SampleTimes

ZEROS = np.zeros(3, np.int32)


def test_times_are_since_the_first_sample_in_whole_and_in_blocks() -> None:
    clock_ns = np.array([500, 700, 1_000_500], np.uint64)
    times = SampleTimes(clock_ns, ZEROS, ZEROS, np.ones(3, np.int64), 500)
    assert times.time_ns.tolist() == [0, 200, 1_000_000]
    assert times.since_ns(slice(1, 3)).tolist() == [200, 1_000_000]
    assert times.last_ns == 1_000_000
    assert clock_ns.tolist() == [500, 700, 1_000_500]


def test_a_time_of_a_damaged_recording_is_cut() -> None:
    clock_ns = np.array([0, 1, 2**64 - 1], np.uint64)
    times = SampleTimes(clock_ns, ZEROS, ZEROS, np.ones(3, np.int64))
    assert times.last_ns == MAX_TIME_NS
