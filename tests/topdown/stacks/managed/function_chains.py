"""Named chains from lists of functions."""

from collections.abc import Sequence

import numpy as np

from topdown.stacks.folding.call_tree import Chains
from topdown.stacks.folding.named_chains import WHOLE, NamedChains
from topdown.stacks.profile import Function
from topdown.stacks.symbols.function_table import FunctionTable


def named_chains(*chains: Sequence[Function]) -> NamedChains:
    """Return whole chains; one sample has each of them."""
    functions = list(dict.fromkeys(function for chain in chains for function in chain))
    return NamedChains(
        FunctionTable([]).extended(functions),
        Chains(
            np.append(0, np.cumsum([len(chain) for chain in chains])).astype(np.int64),
            np.array([functions.index(f) for chain in chains for f in chain], np.int64),
        ),
        np.arange(len(chains)),
        np.arange(len(chains)),
        np.full(len(chains), WHOLE, np.int64),
        (),
    )
