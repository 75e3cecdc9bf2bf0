"""Chains of waits without the scheduler: the leaf is the function that decided to wait."""

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from topdown.stacks.folding.call_tree import Chains
from topdown.stacks.folding.named_chains import NamedChains
from topdown.stacks.profile import FunctionKind

SCHEDULER = frozenset(
    (
        "schedule",
        "__schedule",
        "schedule_timeout",
        "schedule_hrtimeout",
        "schedule_hrtimeout_range",
        "schedule_hrtimeout_range_clock",
        "schedule_preempt_disabled",
        "io_schedule",
        "io_schedule_timeout",
        "preempt_schedule_common",
        "preempt_schedule_irq",
    )
)
_DEEPEST = 6  # scheduler functions in a chain


def without_scheduler(chains: NamedChains, is_wait: npt.NDArray[np.bool_]) -> NamedChains:
    """Return the chains with the scheduler's functions removed from the leaves of waits.

    ``is_wait`` (n_samples,). Samples of CPU time keep the functions.
    """
    if not is_wait.any():
        return chains
    split, of_wait = chains.split_by(is_wait.astype(np.int64))
    begin, end = split.chains.offset[:-1], split.chains.offset[1:].copy()
    waits = np.flatnonzero(of_wait)
    for _ in range(_DEEPEST):
        waits = waits[end[waits] - begin[waits] > 1]
        leaf = split.chains.function[end[waits] - 1]
        scheduler = [number for number in set(leaf.tolist()) if _is_scheduler(split, number)]
        waits = waits[np.isin(leaf, scheduler)]
        if not len(waits):
            break
        end[waits] -= 1
    lengths = end - begin
    bounds = np.append(0, np.cumsum(lengths))
    places = np.repeat(begin - bounds[:-1], lengths) + np.arange(bounds[-1])
    return replace(split, chains=Chains(bounds, split.chains.function[places]))


def _is_scheduler(chains: NamedChains, number: int) -> bool:
    function = chains.functions[number]
    return function.kind == FunctionKind.KERNEL and function.name in SCHEDULER
