"""Call chains of threads that wake others, from samples of some of the wake-ups.

The recorder samples the stacks of up to a thousand wake-ups per second and CPU beside the records
of all wake-ups (`native/collect/wait_events.cpp`). The sample and the record of a wake-up are taken
one after the other in the kernel, some microseconds apart.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from topdown.waits.records import NO_THREAD, Indices, Times, WakeContext, WakeUps

if TYPE_CHECKING:
    from stallscope._native import Capture

EVENT = "sched:waker_stacks"
# Between two records of a wake-up, and between the wake-ups of a call that wakes several threads.
LONGEST_DELAY_NS = 20_000


def waker_stack_rows(capture: "Capture") -> npt.NDArray[np.intp]:
    """Return the capture's rows with the stacks of threads that wake others."""
    chosen = np.array([attribute.name == EVENT for attribute in capture.attributes], np.bool_)
    if not chosen.any():
        return np.zeros(0, np.intp)
    return np.flatnonzero(chosen[capture.event])


def with_waker_stacks(wake_ups: WakeUps, time_ns: Times, waker: Indices, stack: Indices) -> WakeUps:
    """Return the wake-ups with the sampled stacks of their wakers.

    ``time_ns``, ``waker`` and ``stack`` (n_samples,). A wake-up has the stack that was sampled
    nearest to it in the same thread: also if another wake-up of the same call was sampled.
    """
    by_task = np.flatnonzero((wake_ups.context == WakeContext.TASK) & (wake_ups.waker != NO_THREAD))
    stacks = wake_ups.stack.copy()
    for thread in np.unique(waker).tolist():
        rows = by_task[wake_ups.waker[by_task] == thread]
        samples = np.flatnonzero(waker == thread)
        if not len(rows):
            continue
        issued = wake_ups.time_ns[rows].astype(np.int64)
        order = samples[np.argsort(time_ns[samples], kind="stable")]
        sampled_ns = time_ns[order].astype(np.int64)
        after = np.searchsorted(sampled_ns, issued)
        before = np.maximum(after - 1, 0)
        after = np.minimum(after, len(order) - 1)
        is_after = np.abs(sampled_ns[after] - issued) <= np.abs(sampled_ns[before] - issued)
        nearest = np.where(is_after, after, before)
        close = np.abs(sampled_ns[nearest] - issued) <= LONGEST_DELAY_NS
        stacks[rows[close]] = stack[order[nearest[close]]]
    return replace(wake_ups, stack=stacks)
