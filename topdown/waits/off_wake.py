"""The off-wake graph: blocking call chains with the call chain of the waker on top of them.

A chain is the blocking stack, outermost first, then a frame that names the waker, then the waker's
stack from its leaf outwards, so that both ends of a wait meet: the form of bcc's offwaketime
(B. Gregg, 2016).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from topdown.stacks.folding.call_tree import Chains
from topdown.stacks.folding.named_chains import ChainTransform, NamedChains
from topdown.stacks.profile import Function, FunctionKind
from topdown.stacks.symbols.symbolizer import FrameSelection, Symbolizer
from topdown.waits.records import NO_STACK, WaitRecords
from topdown.waits.states import Intervals
from topdown.waits.wakers import NOT_RECORDED, EndedWaits, waker_name

if TYPE_CHECKING:
    from stallscope._native import Capture

# The kernel's entry of an interrupt: what it interrupted did not wake.
_INTERRUPT_ENTRIES = ("asm_", "common_interrupt", "el1_interrupt", "el0_interrupt", "el1h_64_irq")
_Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Wakers:
    """The waker of each switch sample: an index of ``names`` and ``stacks``, -1 without a wait."""

    of_sample: _Numbers  # (n_switch_samples,)
    names: Sequence[str]
    by_thread: Sequence[bool]
    stacks: Sequence[int]


def with_wakers(
    symbolizer: Symbolizer,
    records: WaitRecords,
    intervals: Intervals,
    ended: EndedWaits,
    sample_rows: npt.NDArray[np.intp],
) -> ChainTransform:
    """Return what appends wakers to the chains of waits.

    ``sample_rows``: the capture's rows of the records' switch samples.
    """
    wakers = _wakers(records, intervals, ended)

    def transform(capture: "Capture", chains: NamedChains) -> NamedChains:
        place = np.clip(np.searchsorted(sample_rows, chains.rows), 0, max(0, len(sample_rows) - 1))
        waker = np.full(len(chains.chain_of), -1, np.int64)
        if len(sample_rows):
            of_switch = sample_rows[place] == chains.rows
            waker[: len(chains.rows)][of_switch] = wakers.of_sample[place[of_switch]]
        return _appended(capture, symbolizer, chains, waker, wakers)

    return transform


def combined(transforms: Iterable[ChainTransform | None]) -> ChainTransform:
    """Return what applies the transformations in their order."""

    def transform(capture: "Capture", chains: NamedChains) -> NamedChains:
        for step in transforms:
            chains = chains if step is None else step(capture, chains)
        return chains

    return transform


def _wakers(records: WaitRecords, intervals: Intervals, ended: EndedWaits) -> _Wakers:
    pairs = np.stack([ended.waker, ended.waker_stack])
    unique, inverse = np.unique(pairs, axis=1, return_inverse=True)
    of_sample = np.full(len(records.switch_samples.time_ns), -1, np.int64)
    sample = intervals.sample[ended.interval].astype(np.int64)
    is_valid = sample < len(of_sample)
    of_sample[sample[is_valid]] = inverse.ravel()[is_valid]
    nodes = unique[0].tolist()
    return _Wakers(
        of_sample,
        [waker_name(records, node) for node in nodes],
        [0 <= node < len(records.threads) for node in nodes],
        unique[1].tolist(),
    )


def _appended(
    capture: "Capture",
    symbolizer: Symbolizer,
    chains: NamedChains,
    waker: _Numbers,
    wakers: _Wakers,
) -> NamedChains:
    split, keys = chains.split_by(waker + 1)
    stacks = _functions_of_stacks(capture, symbolizer, {*wakers.stacks} - {NO_STACK})
    numbers = {function: number for number, function in enumerate(split.functions)}
    added: list[Function] = []

    def number_of(function: Function) -> int:
        if function not in numbers:
            numbers[function] = len(split.functions) + len(added)
            added.append(function)
        return numbers[function]

    tails: list[list[int]] = [[]]
    for name, by_thread, stack in zip(wakers.names, wakers.by_thread, wakers.stacks, strict=True):
        text = f"[woken by {name}]" if name != NOT_RECORDED else "[waker not recorded]"
        functions = stacks.get(stack, ())
        printed = functions if by_thread else _of_interrupt(functions)
        label = Function(text, "", FunctionKind.WAKER)
        tails.append([number_of(function) for function in (label, *printed)])
    begin, end = split.chains.offset[:-1], split.chains.offset[1:]
    lengths = end - begin + np.array([len(tail) for tail in tails])[keys]
    bounds = np.append(0, np.cumsum(lengths))
    functions_of = np.zeros(int(bounds[-1]), np.int64)
    for chain, key in enumerate(keys.tolist()):
        own = split.chains.function[begin[chain] : end[chain]]
        functions_of[bounds[chain] : bounds[chain + 1]] = np.append(own, tails[key])
    table = split.functions.extended(added)
    return replace(split, functions=table, chains=Chains(bounds, functions_of))


def _functions_of_stacks(
    capture: "Capture", symbolizer: Symbolizer, stacks: set[int]
) -> dict[int, tuple[Function, ...]]:
    """Return the functions of stacks, leaf first."""
    count = len(capture.frame_address)
    selected, outermost = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
    frames = {}
    for stack in sorted(stacks):
        begin, end = capture.stack_offset[stack : stack + 2].astype(np.int64).tolist()
        frames[stack] = capture.stack_frame[begin:end]
        selected[frames[stack]] = True
        if end > begin:
            outermost[frames[stack][-1]] = True
    named = symbolizer.name_frames(capture, FrameSelection(selected, outermost))
    numbers = np.flatnonzero(np.bincount(named.function[selected], minlength=1)).tolist()
    functions = {number: named.functions[number] for number in numbers}
    return {
        stack: tuple(functions[number] for number in named.function[rows].tolist())
        for stack, rows in frames.items()
    }


def _of_interrupt(functions: tuple[Function, ...]) -> tuple[Function, ...]:
    """Return the functions of an interrupt, without those that it interrupted."""
    for place, function in enumerate(functions):
        if function.name.startswith(_INTERRUPT_ENTRIES):
            return functions[: place + 1]
    return functions
