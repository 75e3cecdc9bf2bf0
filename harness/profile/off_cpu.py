"""What a profile of off-CPU time shows beside the profile: wakers, and idle pools set apart."""

from dataclasses import dataclass

import numpy as np

from topdown.waits.idle_pools import idle_pools
from topdown.waits.records import WaitRecords
from topdown.waits.stack_names import StackNames
from topdown.waits.states import Intervals
from topdown.waits.wakers import EndedWaits, WakerShare, missing_waker_stacks, waker_shares


@dataclass(frozen=True, slots=True)
class IdlePoolShown:
    """Threads without work, which the profile leaves out, and the rule that says so."""

    process: str
    name: str
    threads: int
    wall_ns: int
    place: str  # function in which they wait, empty if not recorded
    rule: str


@dataclass(frozen=True, slots=True)
class OffCpuFacts:
    """Wakers of the waits, the longest first, and idle pools.

    ``missing_wakers``: why the call chains of wakers are not known; empty if they are.
    """

    wakers: tuple[WakerShare, ...]
    pools: tuple[IdlePoolShown, ...]
    missing_wakers: str = ""


def off_cpu_facts(
    names: StackNames,
    records: WaitRecords,
    intervals: Intervals,
    ended: EndedWaits,
    idle: "np.ndarray[tuple[int], np.dtype[np.bool_]]",
) -> OffCpuFacts:
    """Return the facts; ``idle`` (n_threads,): threads of idle pools."""
    return OffCpuFacts(
        tuple(waker_shares(records, intervals, names, ended)),
        tuple(
            IdlePoolShown(
                pool.process_name,
                pool.name,
                len(pool.threads),
                pool.wall_ns,
                _place(names, pool.stack),
                pool.rule,
            )
            for pool in idle_pools(records, intervals, idle)
        ),
        missing_waker_stacks(records, ended),
    )


def _place(names: StackNames, stack: int) -> str:
    return next(iter(names.user(stack) or names.of(stack)), "")
