"""Times of the samples of a file."""

import numpy as np

from topdown.stacks.formats.sample_track import SampleTrack


def test_samples_are_sorted_and_equal_times_keep_their_order() -> None:
    track = SampleTrack()
    track.add(5, node=1, thread=0, value=10)
    track.extend(
        np.array([3, 5]),
        node=np.array([2, 3], np.int32),
        thread=np.array([1, 1], np.int32),
        value=np.array([20, 30]),
    )
    times, warnings = track.times(60)
    assert times is not None
    assert not warnings
    assert times.node.tolist() == [2, 1, 3]
    assert times.time_ns.tolist() == [0, 2, 2]
    assert times.begin_ns == 3


def test_negative_times_count_from_the_first() -> None:
    track = SampleTrack()
    for clock_ns in (4, -6):
        track.add(clock_ns, node=1, thread=0, value=1)
    times, _ = track.times(2)
    assert times is not None
    assert times.time_ns.tolist() == [0, 10]


def test_times_beyond_the_limit_or_of_a_part_are_dropped_with_a_warning() -> None:
    track = SampleTrack(limit=1)
    track.add(1, node=1, thread=0, value=1)
    assert track.times(1)[0] is not None
    times, (warning,) = track.times(4)
    assert times is None
    assert "75.0% of the weight has no time" in warning.message
    track.add(1, node=1, thread=0, value=1)
    assert track.is_dropped
    times, (warning,) = track.times(2)
    assert times is None
    assert "more than 1 samples" in warning.message


def test_without_times_there_is_no_warning() -> None:
    assert SampleTrack().times(5) == (None, ())
