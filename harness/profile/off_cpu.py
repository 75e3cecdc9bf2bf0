"""What a profile of off-CPU time shows beside the profile: wakers, and idle pools set apart."""

from dataclasses import dataclass

import numpy as np

from stallscope._native import Capture
from topdown.stacks.symbols.symbolizer import Symbolizer
from topdown.waits.capture_stacks import stack_names
from topdown.waits.idle_pools import idle_pools
from topdown.waits.records import WaitRecords
from topdown.waits.stack_names import StackNames
from topdown.waits.states import Intervals
from topdown.waits.wakers import WakerShare, waker_shares


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
    """Wakers of the waits, the longest first, and idle pools."""

    wakers: tuple[WakerShare, ...]
    pools: tuple[IdlePoolShown, ...]


def off_cpu_facts(
    capture: Capture,
    symbolizer: Symbolizer,
    records: WaitRecords,
    intervals: Intervals,
    idle: "np.ndarray[tuple[int], np.dtype[np.bool_]]",
) -> OffCpuFacts:
    """Return the facts; ``idle`` (n_threads,): threads of idle pools."""
    names, _ = stack_names(capture, symbolizer)
    return OffCpuFacts(
        tuple(waker_shares(records, intervals, names, idle)),
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
    )


def _place(names: StackNames, stack: int) -> str:
    return next(iter(names.user(stack) or names.of(stack)), "")
