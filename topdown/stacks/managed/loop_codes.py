"""The code that each call of an interpreter's loop executes, in native chains.

The unwinder has put a placeholder behind each call of the loop whose core's program counter is in
known code. Its name is the number of that code.
"""

import numpy as np

from topdown.stacks.folding.call_tree import Chains
from topdown.stacks.folding.named_chains import NamedChains
from topdown.stacks.managed.code_ranges import NO_CODE
from topdown.stacks.profile import FunctionKind


def without_codes(
    named: NamedChains, loops: tuple[str, ...]
) -> tuple[NamedChains, dict[int, tuple[int, ...]]]:
    """Return the chains without the placeholders, and the codes of those that had one.

    ``loops``: beginnings of the names of the loops. A chain has a code for each call of a loop,
    outermost first; NO_CODE if its code is not known.
    """
    chains, functions = named.chains, named.functions
    is_code = functions.kinds()[chains.function] == FunctionKind.EXECUTED_CODE
    if not is_code.any():
        return named, {}
    used = np.unique(chains.function).tolist()
    starts = [at for at in used if functions[at].name.startswith(loops)]
    number_of = {at: int(functions[at].name) for at in np.unique(chains.function[is_code]).tolist()}
    calls = np.flatnonzero(np.isin(chains.function, starts))
    chain_of = np.searchsorted(chains.offset, calls, "right") - 1
    behind = np.append(chains.function, 0)[calls + 1]
    has_code = np.append(is_code, False)[calls + 1] & (calls + 1 < chains.offset[chain_of + 1])
    codes: dict[int, tuple[int, ...]] = {}
    for chain, function, known in zip(
        chain_of.tolist(), behind.tolist(), has_code.tolist(), strict=True
    ):
        number = number_of[function] if known else NO_CODE
        codes[chain] = (*codes.get(chain, ()), number)
    bounds = np.append(0, np.cumsum(~is_code))
    kept = NamedChains(
        functions,
        Chains(bounds[chains.offset], chains.function[~is_code]),
        named.rows,
        named.chain_of,
        named.reason_of,
        named.reasons,
    )
    return kept, {
        chain: listed for chain, listed in codes.items() if any(code != NO_CODE for code in listed)
    }
