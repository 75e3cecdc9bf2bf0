"""Periods of profiles with times."""

import math

from topdown.stacks.flame.folded import render_folded
from topdown.stacks.formats.profile_builder import ProfileBuilder
from topdown.stacks.profile import FunctionKind, Profile, SampleSource, Thread
from topdown.stacks.profile_period import within_period

SOURCE = SampleSource("cycles", "measured", "events", None, None, "user+kernel")


def timed_profile() -> Profile:
    builder = ProfileBuilder()
    main, work, read = (
        builder.function(name, "/x", FunctionKind.USER) for name in ("main", "work", "read")
    )
    threads = [builder.thread(Thread(1, tid, "a", "b")) for tid in (1, 2)]
    for time_ns, stack, thread in (
        (100, (main, read), 0),
        (110, (main, work), 1),
        (120, (main, work), 0),
        (130, (main,), 0),
    ):
        node = builder.add(stack, threads[thread], samples=1, value=5)
        builder.track.add(time_ns, node=node, thread=threads[thread], value=5)
    return builder.build(SOURCE, "x")


def test_the_end_of_a_period_is_excluded_and_unused_functions_are_left_out() -> None:
    part = within_period(timed_profile(), 10, 30)
    assert [function.name for function in part.functions] == ["all", "main", "work"]
    assert part.samples == 2
    assert part.weight_value.tolist() == [5, 5]
    assert part.duration_s == 1e-8
    assert part.times is not None
    assert part.times.time_ns.tolist() == [0, 10]


def test_the_whole_recording_is_the_same_profile() -> None:
    whole = timed_profile()
    assert render_folded(within_period(whole, 0, 1000)) == render_folded(whole)


def test_a_period_without_samples_is_empty() -> None:
    part = within_period(timed_profile(), 500, 1000)
    assert (part.samples, part.times) == (0, None)
    assert math.isnan(part.unknown_share)
