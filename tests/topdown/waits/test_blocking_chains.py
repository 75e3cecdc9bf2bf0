"""Chains of waits end at the function that decided to wait."""

import numpy as np

from topdown.stacks.folding.call_tree import Chains
from topdown.stacks.folding.named_chains import WHOLE, NamedChains
from topdown.stacks.profile import Function, FunctionKind
from topdown.stacks.symbols.function_table import FunctionTable
from topdown.waits.blocking_chains import without_scheduler

USER, KERNEL = FunctionKind.USER, FunctionKind.KERNEL
NAMES = [("main", USER), ("futex_wait", KERNEL), ("schedule", KERNEL), ("schedule", USER)]


def chains_of(*chains: list[int]) -> NamedChains:
    """Return chains of NAMES, one sample each."""
    functions = FunctionTable([]).extended([Function(name, "m", kind) for name, kind in NAMES])
    offset = np.append(0, np.cumsum([len(chain) for chain in chains]))
    numbers = np.arange(len(chains))
    return NamedChains(
        functions,
        Chains(offset, np.concatenate([np.array(chain, np.int64) for chain in chains])),
        numbers.astype(np.intp),
        numbers.astype(np.int64),
        np.full(len(chains), WHOLE),
        (),
    )


def texts(chains: NamedChains) -> list[list[int]]:
    bounds = chains.chains.offset
    return [
        chains.chains.function[bounds[chain] : bounds[chain + 1]].tolist()
        for chain in chains.chain_of.tolist()
    ]


def test_leaves_of_waits_lose_the_scheduler_and_cpu_samples_keep_it() -> None:
    chains = chains_of([0, 1, 2, 2], [0, 1, 2, 2])
    assert texts(without_scheduler(chains, np.array([True, False]))) == [[0, 1], [0, 1, 2, 2]]


def test_functions_of_the_program_and_last_functions_stay() -> None:
    chains = chains_of([0, 3], [2], [0, 2, 1])
    assert texts(without_scheduler(chains, np.ones(3, np.bool_))) == [[0, 3], [2], [0, 2, 1]]


def test_without_waits_nothing_changes() -> None:
    chains = chains_of([0, 2])
    assert without_scheduler(chains, np.zeros(1, np.bool_)) is chains
