"""Placeholders of interpreted code in native chains."""

from tests.topdown.stacks.managed.function_chains import named_chains
from topdown.stacks.managed.code_ranges import NO_CODE
from topdown.stacks.managed.loop_codes import without_codes
from topdown.stacks.profile import Function, FunctionKind

LOOP = Function("rb_vm_exec", "/libruby.so", FunctionKind.USER)
NATIVE = Function("rb_ary_each", "/libruby.so", FunctionKind.USER)
FIVE = Function("5", "[managed]", FunctionKind.EXECUTED_CODE)


def removed(*chains: list[Function]) -> tuple[list[list[str]], dict[int, tuple[int, ...]]]:
    kept, codes = without_codes(named_chains(*chains), ("rb_vm_exec",))
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
