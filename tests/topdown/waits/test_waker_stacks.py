"""Stacks of wake-ups, and the wake-ups that they belong to."""

import numpy as np

from topdown.waits.records import NO_STACK, WakeContext, WakeUps
from topdown.waits.waker_stacks import with_waker_stacks


def wake_ups(*rows: tuple[int, int, WakeContext]) -> WakeUps:
    """Return wake-ups of (time, waker, context) without stacks."""
    time_ns, waker, context = zip(*rows, strict=True)
    count = len(rows)
    return WakeUps(
        np.array(time_ns, np.uint64),
        np.zeros(count, np.uint32),
        np.array(waker, np.uint32),
        np.zeros(count, np.int32),
        np.array(context, np.uint8),
        np.full(count, NO_STACK, np.uint32),
    )


def stacks(before: WakeUps, *samples: tuple[int, int, int]) -> list[int]:
    """Return the stacks after samples of (time, waker, stack)."""
    time_ns, waker, stack = zip(*samples, strict=True)
    after = with_waker_stacks(
        before, np.array(time_ns, np.uint64), np.array(waker, np.uint32), np.array(stack, np.uint32)
    )
    return [-1 if number == NO_STACK else number for number in after.stack.tolist()]


def test_a_stack_belongs_to_the_nearest_wake_up_of_its_thread() -> None:
    task = WakeContext.TASK
    made = wake_ups((100_000, 1, task), (101_000, 2, task), (200_000, 1, task))
    assert stacks(made, (101_500, 1, 7), (199_000, 1, 8)) == [7, -1, 8]


def test_all_wake_ups_of_a_call_have_its_stack() -> None:
    """The kernel's rate control may sample always the first of two."""
    task = WakeContext.TASK
    made = wake_ups((100_000, 1, task), (104_000, 1, task), (300_000, 1, task))
    assert stacks(made, (101_000, 1, 7)) == [7, 7, -1]


def test_a_stack_far_from_any_wake_up_is_left_out() -> None:
    made = wake_ups((100_000, 1, WakeContext.TASK))
    assert stacks(made, (500_000, 1, 7)) == [-1]


def test_a_wake_up_by_an_interrupt_gets_no_stack_of_a_bystander() -> None:
    made = wake_ups((100_000, 1, WakeContext.HARD_INTERRUPT))
    assert stacks(made, (100_500, 1, 7)) == [-1]
