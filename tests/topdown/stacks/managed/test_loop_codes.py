"""Placeholders of interpreted code in native chains."""

import numpy as np

from topdown.stacks.folding.call_tree import Chains
from topdown.stacks.folding.named_chains import WHOLE, NamedChains
from topdown.stacks.managed.code_ranges import NO_CODE
from topdown.stacks.managed.loop_codes import without_codes
from topdown.stacks.profile import Function, FunctionKind
from topdown.stacks.symbols.function_table import FunctionTable

LOOP = Function("rb_vm_exec", "/libruby.so", FunctionKind.USER)
NATIVE = Function("rb_ary_each", "/libruby.so", FunctionKind.USER)
FIVE = Function("5", "[managed]", FunctionKind.EXECUTED_CODE)


def removed(*chains: list[Function]) -> tuple[list[list[str]], dict[int, tuple[int, ...]]]:
    functions = [LOOP, NATIVE, FIVE]
    named = NamedChains(
        FunctionTable([]).extended(functions),
        Chains(
            np.append(0, np.cumsum([len(chain) for chain in chains])).astype(np.int64),
            np.array([functions.index(item) for chain in chains for item in chain], np.int64),
        ),
        np.arange(len(chains)),
        np.arange(len(chains)),
        np.full(len(chains), WHOLE, np.int64),
        (),
    )
    kept, codes = without_codes(named, ("rb_vm_exec",))
    names = [kept.functions[at].name for at in kept.chains.function.tolist()]
    bounds = kept.chains.offset.tolist()
    return [names[bounds[n] : bounds[n + 1]] for n in range(len(chains))], codes


def test_each_call_of_the_loop_has_its_code() -> None:
    chains, codes = removed([LOOP, FIVE, NATIVE, LOOP, NATIVE], [LOOP, NATIVE])
    assert chains == [2 * ["rb_vm_exec", "rb_ary_each"], ["rb_vm_exec", "rb_ary_each"]]
    assert codes == {0: (5, NO_CODE)}


def test_the_code_of_another_chain_does_not_count() -> None:
    _, codes = removed([NATIVE, LOOP], [FIVE, NATIVE])
    assert codes == {}
